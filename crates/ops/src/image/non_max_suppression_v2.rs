//! `NonMaxSuppressionV2`: of boxes that overlap the best.

use super::suppression::{indices, of_boxes, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NonMaxSuppressionV2(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold) -> (selected_indices: int32)",
    attrs: "T: type in {half, float} = float; T_threshold: type in {half, float} = float",
    doc: "The boxes (two opposite corners each) with the best scores, at most max_output_size, none of which has more than iou_threshold in common with a better one, the best first.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float])],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (chosen, _) = of_boxes(ctx, None)?;
    ctx.set_output(0, indices(&chosen, None)?);
    Ok(())
}
