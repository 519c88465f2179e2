//! `AssignAdd`: adds a tensor to a variable by reference, in place.

use super::dense_update;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "AssignAdd(ref: Ref(T), value: T) -> (output_ref: Ref(T))",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; use_locking: bool = false",
    doc: "The reference, after the variable changed. Shapes must be equal.",
    shape: shape_inference::merged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(dense_update::add).on("T", NUMERIC)],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::reference;
    use crate::testing::{OpTester, tensor};
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::{Code, DType, Tensor};
    use std::sync::Arc;

    #[test]
    fn the_variable_changes_in_place() {
        let v = reference(tensor(&[2], &[1i64, 2]));
        OpTester::new(&OP).input_ref(v.clone()).input(tensor(&[2], &[10i64, 20])).run().unwrap();
        assert_eq!(v.read().unwrap().as_slice::<i64>().unwrap(), [11, 22]);
    }

    #[test]
    fn another_shape_or_no_value_is_refused() {
        let v = reference(tensor(&[2], &[1f32, 2.0]));
        let error = OpTester::new(&OP).input_ref(v).input(Tensor::scalar(1f32)).run().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        let empty = Arc::new(Variable::new("v", DType::Float));
        let error = OpTester::new(&OP).input_ref(empty).input(Tensor::scalar(1f32)).run().unwrap_err();
        assert_eq!(error.code(), Code::FailedPrecondition);
    }
}
