//! A fully connected layer (TF: `tf.layers.dense`).

use crate::initializer::Initializer;
use crate::variable::Variable;
use ferroflow_graph::Output;
use ferroflow_tensor::error::invalid_argument;

/// What a dense layer consists of.
#[derive(Clone, Debug)]
pub struct Dense {
    /// `[inputs, units]`
    pub kernel: Variable,
    /// `[units]`
    pub bias: Variable,
    /// `[batch, units]`: input · kernel + bias
    pub output: Output,
}

/// `x · kernel + bias` for `x` of shape `[batch, inputs]`, with `inputs` known; the result is `[batch, units]`. The kernel starts with
/// Glorot's uniform initializer, the bias with zeros. Variables are called `<name>/kernel` and `<name>/bias`; `dense`, `dense_1`, …
/// where no name is given.
#[track_caller]
pub fn dense(x: impl Into<Output>, units: i64, name: &str) -> Dense {
    let x = x.into();
    let g = x.graph().clone();
    let shape = x.shape();
    let inputs = match (shape.rank(), shape.dim(1)) {
        (Some(2), Some(n)) => n,
        _ => {
            g.fail(invalid_argument(format!("dense needs an input of shape [batch, inputs] with inputs known, got {shape}")));
            1
        }
    };
    let dtype = x.dtype();
    g.name_scope(if name.is_empty() { "dense" } else { name }, || {
        let kernel = Variable::new(&g, "kernel", dtype, &[inputs, units], &Initializer::glorot());
        let bias = Variable::new(&g, "bias", dtype, &[units], &Initializer::Zeros);
        let product = g.op("MatMul").input(&x).input(kernel.read()).output();
        let output = g.op("BiasAdd").input(product).input(bias.read()).output();
        Dense { kernel, bias, output }
    })
}
