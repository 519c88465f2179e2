//! `PreventGradient`: differentiating through it is an error.

use super::pass_through;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PreventGradient(input: T) -> (output: T)",
    attrs: "T: type; message: string = \"\"",
    doc: "The same tensor; whoever asks for its gradient gets the error `message`.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(pass_through::compute).inline()],
    ..WORDS
};

fn gradient(op: &Operation, _: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let message = op.with_attrs(|a| a.str("message").map(str::to_owned)).unwrap_or_default();
    Err(ferroflow_tensor::error::not_found(format!("Gradient explicitly disabled. Reason: {message}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_gradient_is_an_error_with_the_message() {
        let g = crate::graph();
        let x = g.constant(1f64);
        let op = g.op("PreventGradient").input(&x).attr("message", "not here").build();
        let grads = [Some(Grad::Dense(x))];
        let e = gradient(&op, &OutGrads::new(&op, &grads)).unwrap_err();
        assert!(e.message().contains("not here"), "{e}");
    }
}
