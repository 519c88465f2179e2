//! `NonMaxSuppression`: of boxes that overlap the best.

use super::suppression::{indices, of_boxes, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NonMaxSuppression(boxes: float, scores: float, max_output_size: int32) -> (selected_indices: int32)",
    attrs: "iou_threshold: float = 0.5",
    doc: "The boxes (two opposite corners each) with the best scores, at most max_output_size, none of which has more than iou_threshold in common with a better one, the best first.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (chosen, _) = of_boxes(ctx, Some(ctx.node.attrs.float("iou_threshold")?))?;
    ctx.set_output(0, indices(&chosen, None)?);
    Ok(())
}
