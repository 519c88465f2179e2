//! Element-wise activations, and softmax over the last axis.

use ferroflow_graph::Output;

macro_rules! activations {
    ($($(#[$doc:meta])* $name:ident, $op:literal;)*) => {
        $($(#[$doc])* #[track_caller] pub fn $name(x: impl Into<Output>) -> Output {
            let x = x.into();
            x.graph().op($op).input(&x).output()
        })*
    };
}

activations! {
    /// max(x, 0).
    relu, "Relu";
    /// x where positive, exp(x) − 1 elsewhere.
    elu, "Elu";
    /// Hyperbolic tangent.
    tanh, "Tanh";
    /// 1 / (1 + exp(−x)).
    sigmoid, "Sigmoid";
    /// log(1 + exp(x)).
    softplus, "Softplus";
    /// exp(x) / Σ exp(x) over the last axis.
    softmax, "Softmax";
    /// Logarithm of [`softmax`].
    log_softmax, "LogSoftmax";
}
