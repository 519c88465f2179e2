//! The demo's model: the tutorials' multi-layer perceptron.

use ferroflow::nn::{accuracy, dense, mean, relu, sparse_softmax_cross_entropy};
use ferroflow::{DType, Graph, Output, PartialShape};

/// Units of the two hidden layers.
const HIDDEN: i64 = 500;

/// A classifier of images.
pub struct Model {
    /// `[batch, pixels]`, float
    pub images: Output,
    /// `[batch]`, int64
    pub labels: Output,
    /// Mean cross entropy, a scalar.
    pub loss: Output,
    /// Share of the batch that is right, a scalar.
    pub accuracy: Output,
}

impl Model {
    /// Two hidden layers with ReLU.
    pub fn new(g: &Graph, pixels: i64, classes: i64) -> Model {
        let images = g.placeholder(DType::Float, PartialShape::new(&[None, Some(pixels)]));
        let labels = g.placeholder(DType::Int64, PartialShape::new(&[None]));
        let hidden = relu(dense(&images, HIDDEN, "").output);
        let hidden = relu(dense(&hidden, HIDDEN, "").output);
        let logits = dense(&hidden, classes, "").output;
        let loss = mean(sparse_softmax_cross_entropy(&logits, &labels));
        let accuracy = accuracy(&logits, &labels);
        Model { images, labels, loss, accuracy }
    }
}
