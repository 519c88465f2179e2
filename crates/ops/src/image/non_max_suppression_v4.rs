//! `NonMaxSuppressionV4`: of boxes that overlap the best, and how many.

use super::suppression::{indices, of_boxes, padded_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NonMaxSuppressionV4(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold) -> (selected_indices: int32, valid_outputs: int32)",
    attrs: "T: type in {half, float} = float; T_threshold: type in {half, float} = float; pad_to_max_output_size: bool = false",
    doc: "As NonMaxSuppressionV3; selected_indices may be filled up with zeros to max_output_size, valid_outputs of them count.",
    shape: |c| {
        let shape = padded_shape(c)?;
        c.set_output(0, shape);
        c.set_output(1, PartialShape::scalar());
        Ok(())
    },
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float])],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (chosen, most) = of_boxes(ctx, None)?;
    let pads = ctx.node.attrs.bool("pad_to_max_output_size")?;
    ctx.set_output(0, indices(&chosen, pads.then_some(most))?);
    ctx.set_output(1, Tensor::scalar(chosen.len() as i32));
    Ok(())
}
