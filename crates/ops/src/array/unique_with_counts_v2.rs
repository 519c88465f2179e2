//! `UniqueWithCountsV2`: the distinct slices of a tensor and how often each appears.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UniqueWithCountsV2(x: T, axis: Taxis) -> (y: T, idx: out_idx, count: out_idx)",
    attrs: "T: type; Taxis: type in {int32, int64} = int64; out_idx: type in {int32, int64} = int32",
    doc: "As `UniqueV2`, and how often each slice of `y` appears in `x`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(super::unique_v2::compute)],
    ..WORDS
};

fn shape(c: &mut ShapeContext) -> Result<()> {
    super::unique_v2::shape(c)?;
    c.set_output(2, PartialShape::of_rank(1));
    Ok(())
}
