//! `NonMaxSuppressionV5`: of boxes that overlap the best; others may also lose part of their score.

use super::suppression::{indices, of_boxes, padded_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T) -> (selected_indices: int32, selected_scores: T, valid_outputs: int32)",
    attrs: "T: type in {half, float} = float; pad_to_max_output_size: bool = false",
    doc: "As NonMaxSuppressionV4; with soft_nms_sigma > 0 a box that overlaps a chosen one by s keeps exp(-s² / (2 soft_nms_sigma)) of its score.",
    shape: |c| {
        let shape = padded_shape(c)?;
        c.set_output(0, shape.clone());
        c.set_output(1, shape);
        c.set_output(2, PartialShape::scalar());
        Ok(())
    },
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (chosen, most) = of_boxes(ctx, None)?;
    let pads = ctx.node.attrs.bool("pad_to_max_output_size")?;
    let index = indices(&chosen, pads.then_some(most))?;
    let mut scores: Vec<f32> = chosen.iter().map(|(_, s)| *s).collect();
    scores.resize(index.num_elements(), 0.0);
    let scores = match ctx.input(1)?.dtype() {
        DType::Half => Tensor::vector(&scores.iter().map(|s| half::f16::from_f32(*s)).collect::<Vec<_>>())?,
        _ => Tensor::vector(&scores)?,
    };
    ctx.set_output(0, index);
    ctx.set_output(1, scores);
    ctx.set_output(2, Tensor::scalar(chosen.len() as i32));
    Ok(())
}
