//! TensorFlow's gRPC services and clients over tonic.
