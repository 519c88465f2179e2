//! `StridedSliceAssign`: replaces the elements of a variable by reference that a slice selects.

use super::strided_assign;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StridedSliceAssign(ref: Ref(T), begin: Index, end: Index, strides: Index, value: T) -> (output_ref: Ref(T))",
    attrs: "T: type; Index: type in {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
    doc: "variable[begin:end:strides] = value, with the masks of StridedSlice; the value has the shape of the slice.",
    shape: strided_assign::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(strided_assign::compute)],
    ..WORDS
};
