//! `CountUpTo`: counts a variable by reference up to a limit.

use super::variable_access::variable_of_type;
use crate::types::INDEX;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::error::{invalid_argument, out_of_range};
use ferroflow_tensor::{DType, Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "CountUpTo(ref: Ref(T)) -> (output: T)",
    attrs: "limit: int; T: type in {int32, int64}",
    doc: "The variable's value before it is incremented by one; OutOfRange once it has reached the limit.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", INDEX)],
    ..WORDS
};

/// The value before counting.
///
/// Errors: `OutOfRange` at the limit, `FailedPrecondition` without a value.
pub(super) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let limit = ctx.node.attrs.int("limit")?;
    let dtype = ctx.node.attrs.dtype("T")?;
    let before = variable_of_type(ctx, 0, dtype)?.update(|value| {
        if value.rank() != 0 {
            return Err(invalid_argument(format!("input is not a scalar: {}", value.shape())));
        }
        let before = value.clone();
        let old = before.to_i64()?;
        if old >= limit {
            return Err(out_of_range(format!("Reached limit of {limit}")));
        }
        let next = old + 1;
        *value = match dtype {
            DType::Int32 => Tensor::scalar(i32::try_from(next).map_err(|_| out_of_range(format!("Reached limit of {dtype}")))?),
            _ => Tensor::scalar(next),
        };
        Ok(before)
    })?;
    ctx.set_output(0, before);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::reference;
    use crate::testing::{OpTester, tensor};
    use ferroflow_tensor::Code;

    #[test]
    fn it_counts_and_stops_at_the_limit() {
        let v = reference(Tensor::scalar(1i32));
        let count = || OpTester::new(&OP).input_ref(v.clone()).attr("limit", 3i64).run_one();
        assert_eq!(count().unwrap().to_scalar::<i32>().unwrap(), 1);
        assert_eq!(count().unwrap().to_scalar::<i32>().unwrap(), 2);
        let error = count().unwrap_err();
        assert_eq!((error.code(), error.bare_message()), (Code::OutOfRange, "Reached limit of 3"));
        assert_eq!(v.read().unwrap().to_scalar::<i32>().unwrap(), 3);
    }

    #[test]
    fn only_a_scalar_counts() {
        let v = reference(tensor(&[1], &[1i64]));
        let error = OpTester::new(&OP).input_ref(v).attr("limit", 3i64).run().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
}
