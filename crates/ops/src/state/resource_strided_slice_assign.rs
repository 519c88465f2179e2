//! `ResourceStridedSliceAssign`: replaces the elements of a resource variable that a slice selects.

use super::strided_assign;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceStridedSliceAssign(ref: resource, begin: Index, end: Index, strides: Index, value: T) -> ()",
    attrs: "T: type; Index: type in {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
    flags: "stateful",
    doc: "variable[begin:end:strides] = value, with the masks of StridedSlice; the value has the shape of the slice.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(strided_assign::compute)],
    ..WORDS
};
