//! Graphs, op definitions, kernels and gradients: the language of ferroflow.
