//! `Gather`: `GatherV2` along the first axis, as old graphs have it.

use super::gather_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Gather(params: Tparams, indices: Tindices) -> (output: Tparams)",
    attrs: "validate_indices: bool = true; Tparams: type; Tindices: type in {int32, int64}",
    doc: "The slices of `params` along the first axis that `indices` name.",
    shape: |c| gather_v2::infer(c, Some(0), 0),
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| gather_v2::gather(ctx, 0, 0))],
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(gather_v2::gradient_of_params(op, grads, Some(0), 0)?), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_picked() {
        let y = OpTester::new(&OP).input(tensor(&[2, 1], &[1i32, 2])).input(tensor(&[3], &[1i32, 1, 0])).run_one().unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[3i64, 1][..], &[2, 2, 1][..]));
        let e = OpTester::new(&OP).input(tensor(&[2], &[1i32, 2])).input(tensor(&[1], &[2i64])).run().unwrap_err();
        assert_eq!(e.bare_message(), "indices[0] = 2 is not in [0, 2)");
    }
}
