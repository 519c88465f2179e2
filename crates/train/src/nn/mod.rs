//! Layers, activations and losses (TF: `tf.nn`, `tf.layers`).

mod activation;
mod dense;
mod loss;

pub use activation::{elu, log_softmax, relu, sigmoid, softmax, softplus, tanh};
pub use dense::{Dense, dense};
pub use loss::{accuracy, mean, mean_squared_error, sigmoid_cross_entropy, softmax_cross_entropy, sparse_softmax_cross_entropy, sum};
