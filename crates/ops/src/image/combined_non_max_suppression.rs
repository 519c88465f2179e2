//! `CombinedNonMaxSuppression`: for each image the best boxes of all classes.

use super::suppression::{Overlaps, Wanted, choose};
use crate::prelude::*;
use ferroflow_tensor::error::resource_exhausted;

pub const OP: OpSpec = OpSpec {
    signature: "CombinedNonMaxSuppression(boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32, iou_threshold: float, score_threshold: float) -> (nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, valid_detections: int32)",
    attrs: "pad_per_class: bool = false; clip_boxes: bool = true",
    doc: "Non-max suppression for each image and class; of what is left the best of all classes. boxes is `[batch, n, q, 4]`, q is 1 or the number of classes; scores is `[batch, n, classes]`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn shape(c: &mut ShapeContext) -> Result<()> {
    let boxes = c.with_rank(0, 4)?;
    let scores = c.with_rank(1, 3)?;
    (2..6).try_for_each(|i| c.with_rank(i, 0).map(drop))?;
    let constant = |i: usize| c.constant(i).map(|t| t.to_i64()).transpose();
    let (per_class, total) = (constant(2)?, constant(3)?);
    let length = if c.node().attrs.bool("pad_per_class")? {
        match (per_class, total, scores.dim(2)) {
            (Some(p), Some(t), Some(classes)) => Some(p.saturating_mul(classes).min(t)),
            _ => None,
        }
    } else {
        total
    };
    let (batch, length) = (boxes.dim(0).or(scores.dim(0)), length.filter(|n| *n > 0));
    c.set_output(0, PartialShape::new(&[batch, length, Some(4)]));
    c.set_output(1, PartialShape::new(&[batch, length]));
    c.set_output(2, PartialShape::new(&[batch, length]));
    c.set_output(3, PartialShape::new(&[batch]));
    Ok(())
}

/// A box of the result.
struct Found {
    corners: [f32; 4],
    score: f32,
    class: usize,
}

/// The scalar at input `i`, which is called `name` and must not be negative.
fn count(ctx: &OpKernelContext, i: usize, name: &str) -> Result<usize> {
    usize::try_from(ctx.scalar::<i32>(i, name)?).ok().filter(|n| *n > 0).ok_or_else(|| invalid_argument(format!("{name} must be > 0")))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (boxes, scores) = (ctx.input(0)?, ctx.input(1)?);
    let (per_class, total) = (count(ctx, 2, "max_size_per_class")?, count(ctx, 3, "max_total_size")?);
    let (overlap, least) = (ctx.scalar::<f32>(4, "iou_threshold")?, ctx.scalar::<f32>(5, "score_threshold")?);
    if !(0.0..=1.0).contains(&overlap) {
        return Err(invalid_argument("iou_threshold must be in [0, 1]"));
    }
    let &[batch, n, q, 4] = boxes.dims() else {
        return Err(invalid_argument(format!("boxes must be 4-D with 4 numbers for each box, got shape {}", boxes.shape())));
    };
    let &[scored, m, classes] = scores.dims() else {
        return Err(invalid_argument(format!("scores must be 3-D, got shape {}", scores.shape())));
    };
    if scored != batch || m != n {
        return Err(invalid_argument("scores has incompatible shape"));
    }
    if q != 1 && q != classes {
        return Err(invalid_argument("third dimension of boxes must be either 1 or num classes"));
    }
    let (batch, n, q, classes) = (batch as usize, n as usize, q as usize, classes as usize);
    let attrs = &ctx.node.attrs;
    let clips = attrs.bool("clip_boxes")?;
    let length = if attrs.bool("pad_per_class")? { per_class.saturating_mul(classes).min(total) } else { total };
    let (boxes, scores) = (boxes.as_slice::<f32>()?, scores.as_slice::<f32>()?);
    let wanted = Wanted { most: per_class, overlap, score: least, sigma: 0.0 };
    let numbers = batch.checked_mul(length).and_then(|n| n.checked_mul(4)).filter(|n| *n < 1 << 40);
    let numbers = numbers.ok_or_else(|| resource_exhausted(format!("{length} boxes for each of {batch} images do not fit into memory")))?;
    let mut out = [
        crate::sparse::coo::filled(numbers, 0f32)?,
        crate::sparse::coo::filled(numbers / 4, 0f32)?,
        crate::sparse::coo::filled(numbers / 4, 0f32)?,
    ];
    let mut valid = vec![0i32; batch];
    for (b, valid) in valid.iter_mut().enumerate() {
        let mut found: Vec<Found> = Vec::new();
        for class in 0..classes {
            let of_class: Vec<f32> = (0..n).map(|i| scores[(b * n + i) * classes + class]).collect();
            let column = if q == 1 { 0 } else { class };
            let corners: Vec<f32> = (0..n).flat_map(|i| &boxes[((b * n + i) * q + column) * 4..][..4]).copied().collect();
            let chosen = choose(&Overlaps::Boxes(&corners), &of_class, &wanted);
            found.extend(chosen.iter().map(|&(i, score)| {
                let c = &corners[i * 4..][..4];
                Found { corners: [c[0], c[1], c[2], c[3]], score, class }
            }));
        }
        found.sort_by(|x, y| y.score.total_cmp(&x.score));
        found.truncate(length);
        *valid = found.len() as i32;
        for (k, f) in found.iter().enumerate() {
            let at = b * length + k;
            let corners = f.corners.map(|x| if clips { x.clamp(0.0, 1.0) } else { x });
            out[0][at * 4..][..4].copy_from_slice(&corners);
            out[1][at] = f.score;
            out[2][at] = f.class as f32;
        }
    }
    ctx.set_output(0, Tensor::from_slice(Shape::from_lens(&[batch, length, 4])?, &out[0])?);
    ctx.set_output(1, Tensor::from_slice(Shape::from_lens(&[batch, length])?, &out[1])?);
    ctx.set_output(2, Tensor::from_slice(Shape::from_lens(&[batch, length])?, &out[2])?);
    ctx.set_output(3, Tensor::vector(&valid)?);
    Ok(())
}
