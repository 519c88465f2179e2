//! Of boxes that overlap the best: what the non-max suppressions share (TF: `non_max_suppression_op`).

use crate::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How alike two boxes are.
pub(super) enum Overlaps<'a> {
    /// Boxes of two opposite corners; alike by the share that they have in common.
    Boxes(&'a [f32]),
    /// As given, a row for each box.
    Given(&'a [f32], usize),
}

impl Overlaps<'_> {
    fn between(&self, i: usize, j: usize) -> f32 {
        match self {
            Overlaps::Boxes(boxes) => common(&boxes[i * 4..][..4], &boxes[j * 4..][..4]),
            Overlaps::Given(rows, n) => rows[i * n + j],
        }
    }
}

/// The area that two boxes have in common as a share of what they cover together.
pub(super) fn common(a: &[f32], b: &[f32]) -> f32 {
    let corners = |c: &[f32]| [c[0].min(c[2]), c[1].min(c[3]), c[0].max(c[2]), c[1].max(c[3])];
    let (a, b) = (corners(a), corners(b));
    let area = |c: [f32; 4]| (c[2] - c[0]) * (c[3] - c[1]);
    if area(a) <= 0.0 || area(b) <= 0.0 {
        return 0.0;
    }
    let height = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let width = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    height * width / (area(a) + area(b) - height * width)
}

/// A box that may still be chosen.
struct Candidate {
    index: usize,
    score: f32,
    /// The chosen ones from here on have not yet been looked at.
    seen: usize,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// The best is the greatest; of equally good ones the first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.index.cmp(&self.index))
    }
}

/// What is asked for.
pub(super) struct Wanted {
    /// How many at most.
    pub(super) most: usize,
    /// Boxes that overlap a better one by more than this are left out.
    pub(super) overlap: f32,
    /// Only boxes with a score above this are looked at.
    pub(super) score: f32,
    /// How fast scores fall with the overlap; 0: they do not.
    pub(super) sigma: f32,
}

/// The chosen boxes and their scores, the best first.
pub(super) fn choose(overlaps: &Overlaps, scores: &[f32], wanted: &Wanted) -> Vec<(usize, f32)> {
    let above = scores.iter().enumerate().filter(|(_, s)| **s > wanted.score);
    let mut waiting: BinaryHeap<Candidate> = above.map(|(index, &score)| Candidate { index, score, seen: 0 }).collect();
    let soft = wanted.sigma > 0.0;
    let scale = if soft { -0.5 / wanted.sigma } else { 0.0 };
    let mut chosen: Vec<(usize, f32)> = Vec::new();
    while chosen.len() < wanted.most {
        let Some(mut next) = waiting.pop() else { break };
        let before = next.score;
        let mut is_out = false;
        for &(other, _) in chosen[next.seen..].iter().rev() {
            let alike = overlaps.between(next.index, other);
            next.score *= if soft || alike <= wanted.overlap { (scale * alike * alike).exp() } else { 0.0 };
            is_out = !soft && alike > wanted.overlap;
            if is_out || next.score <= wanted.score {
                break;
            }
        }
        next.seen = chosen.len();
        if is_out {
            continue;
        }
        if next.score == before {
            chosen.push((next.index, next.score));
        } else if next.score > wanted.score {
            waiting.push(next);
        }
    }
    chosen
}

/// Input `i` as floats, whatever its type.
fn floats(ctx: &OpKernelContext, i: usize) -> Result<Vec<f32>> {
    let t = ctx.input(i)?;
    Ok(match t.dtype() {
        DType::Half => t.as_slice::<half::f16>()?.iter().map(|x| x.to_f32()).collect(),
        _ => t.as_slice::<f32>()?.to_vec(),
    })
}

/// The scalar at input `i`, called `name`; `or` if there is no such input.
fn threshold(ctx: &OpKernelContext, i: usize, name: &str, or: f32) -> Result<f32> {
    if i >= ctx.num_inputs() {
        return Ok(or);
    }
    if ctx.input(i)?.rank() != 0 {
        return Err(invalid_argument(format!("{name} must be 0-D, got shape {}", ctx.input(i)?.shape())));
    }
    floats(ctx, i)?.first().copied().ok_or_else(|| invalid_argument(format!("{name} must be a scalar")))
}

/// The number at input 2.
fn most(ctx: &OpKernelContext) -> Result<usize> {
    let t = ctx.input(2)?;
    if t.rank() != 0 {
        return Err(invalid_argument(format!("max_output_size must be 0-D, got shape {}", t.shape())));
    }
    usize::try_from(ctx.scalar::<i32>(2, "max_output_size")?).map_err(|_| invalid_argument("max_output_size must be non-negative"))
}

/// Checks that input 1 has a score for each of `n` boxes.
fn check_scores(ctx: &OpKernelContext, n: i64) -> Result<()> {
    let scores = ctx.input(1)?;
    if scores.rank() != 1 {
        return Err(invalid_argument(format!("scores must be 1-D, got shape {}", scores.shape())));
    }
    if scores.dims()[0] != n {
        return Err(invalid_argument("scores has incompatible shape"));
    }
    Ok(())
}

/// What the boxes of a node's first inputs come to, and how many may be chosen. The overlap is at input 3 unless the node says it itself.
///
/// Errors: `InvalidArgument` for inputs that do not fit each other, and thresholds out of range.
pub(super) fn of_boxes(ctx: &OpKernelContext, overlap: Option<f32>) -> Result<(Vec<(usize, f32)>, usize)> {
    let boxes = ctx.input(0)?;
    let most = most(ctx)?;
    let wanted = Wanted {
        most,
        overlap: threshold(ctx, 3, "iou_threshold", overlap.unwrap_or(0.5))?,
        score: threshold(ctx, 4, "score_threshold", f32::MIN)?,
        sigma: threshold(ctx, 5, "soft_nms_sigma", 0.0)?,
    };
    if !(0.0..=1.0).contains(&wanted.overlap) {
        return Err(invalid_argument("iou_threshold must be in [0, 1]"));
    }
    if wanted.sigma.is_nan() || wanted.sigma < 0.0 {
        return Err(invalid_argument("soft_nms_sigma_val must be non-negative"));
    }
    let &[n, 4] = boxes.dims() else {
        return Err(invalid_argument(if boxes.rank() == 2 {
            "boxes must have 4 columns".to_owned()
        } else {
            format!("boxes must be 2-D, got shape {}", boxes.shape())
        }));
    };
    check_scores(ctx, n)?;
    Ok((choose(&Overlaps::Boxes(&floats(ctx, 0)?), &floats(ctx, 1)?, &wanted), most))
}

/// As [`of_boxes`], with the overlaps given at input 0.
///
/// Errors: `InvalidArgument` for inputs that do not fit each other.
pub(super) fn of_overlaps(ctx: &OpKernelContext) -> Result<Vec<(usize, f32)>> {
    let overlaps = ctx.input(0)?;
    let most = most(ctx)?;
    let (overlap, score) = (threshold(ctx, 3, "overlap_threshold", 0.5)?, threshold(ctx, 4, "score_threshold", f32::MIN)?);
    let &[n, columns] = overlaps.dims() else {
        return Err(invalid_argument(format!("overlaps must be 2-D, got shape {}", overlaps.shape())));
    };
    if n != columns {
        return Err(invalid_argument("overlaps must be square"));
    }
    check_scores(ctx, n)?;
    let wanted = Wanted { most, overlap, score, sigma: 0.0 };
    Ok(choose(&Overlaps::Given(&floats(ctx, 0)?, n as usize), &floats(ctx, 1)?, &wanted))
}

/// The chosen ones as an output, filled up with zeros to `length`.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn indices(chosen: &[(usize, f32)], length: Option<usize>) -> Result<Tensor> {
    let length = length.unwrap_or(chosen.len()).max(chosen.len());
    Tensor::build(Shape::from_lens(&[length])?, |out: &mut [i32]| {
        out.fill(0);
        out.iter_mut().zip(chosen).for_each(|(o, (i, _))| *o = *i as i32);
        Ok(())
    })
}

/// Checks the ranks of the inputs; a vector of unknown length.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let boxes = c.with_rank(0, 2)?;
    let scores = c.with_rank(1, 1)?;
    (2..c.num_inputs()).try_for_each(|i| c.with_rank(i, 0).map(drop))?;
    if let (Some(a), Some(b)) = (boxes.dim(0), scores.dim(0))
        && a != b
    {
        return Err(invalid_argument(format!("Dimensions must be equal, but are {a} and {b}")));
    }
    c.set_output(0, PartialShape::of_rank(1));
    Ok(())
}

/// As [`shape`], of a node whose outputs may be filled up to `max_output_size`: the length of these.
///
/// Errors: as [`shape`].
pub(super) fn padded_shape(c: &mut ShapeContext) -> Result<PartialShape> {
    shape(c)?;
    if !c.node().attrs.bool("pad_to_max_output_size")? {
        return Ok(PartialShape::of_rank(1));
    }
    let length = c.constant(2).map(|t| t.to_i64()).transpose()?.filter(|n| *n >= 0);
    Ok(PartialShape::new(&[length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_share_of_boxes_does_not_depend_on_the_order_of_corners() {
        assert_eq!(common(&[0.0, 0.0, 2.0, 2.0], &[3.0, 1.0, 1.0, 3.0]), 1.0 / 7.0);
        assert_eq!(common(&[0.0, 0.0, 0.0, 2.0], &[0.0, 0.0, 1.0, 1.0]), 0.0);
    }

    #[test]
    fn of_equally_good_boxes_the_first_is_chosen_and_scores_that_are_no_numbers_are_not() {
        let boxes = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 5.0, 5.0, 6.0, 6.0];
        let wanted = Wanted { most: 3, overlap: 0.5, score: f32::MIN, sigma: 0.0 };
        assert_eq!(choose(&Overlaps::Boxes(&boxes), &[0.5, 0.5, f32::NAN], &wanted), [(0, 0.5)]);
    }
}
