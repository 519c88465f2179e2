//! `NonMaxSuppressionWithOverlaps`: of things that are alike the best.

use super::suppression::{indices, of_overlaps, shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NonMaxSuppressionWithOverlaps(overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: float) -> (selected_indices: int32)",
    doc: "The best by scores, at most max_output_size, above score_threshold, none of which overlaps a better one by more than overlap_threshold; overlaps[i, j] says how much.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let chosen = of_overlaps(ctx)?;
    ctx.set_output(0, indices(&chosen, None)?);
    Ok(())
}
