//! Every op: definition, shape function, gradient and kernels.
