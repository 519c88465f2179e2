//! `EditDistance`: how many changes make one sequence of another.

use super::distinct::Key;
use super::distinct::keys;
use crate::prelude::*;
use crate::sparse::coo::Coo;
use std::collections::BTreeMap;

pub const OP: OpSpec = OpSpec {
    signature: "EditDistance(hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, truth_values: T, truth_shape: int64) -> (output: float)",
    attrs: "normalize: bool = true; T: type",
    doc: "For each pair of sequences along the last dimension of two sparse tensors the least number of insertions, deletions and replacements, divided by the truth's length if `normalize`.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn distance(a: &[&Option<Key>], b: &[&Option<Key>]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y || x.is_none());
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The sequences by the coordinates in front of the last.
fn sequences<'a>(x: &Coo, keys: &'a [Option<Key>]) -> BTreeMap<Vec<i64>, Vec<&'a Option<Key>>> {
    let mut all: BTreeMap<Vec<i64>, Vec<&Option<Key>>> = BTreeMap::new();
    for (i, key) in keys.iter().enumerate() {
        all.entry(x.at(i)[..x.rank() - 1].to_vec()).or_default().push(key);
    }
    all
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let hypothesis = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let truth = Coo::of(ctx.input(3)?, ctx.input(4)?, ctx.input(5)?)?;
    if hypothesis.rank() < 2 || hypothesis.rank() != truth.rank() {
        return Err(invalid_argument(format!(
            "truth_shape and hypothesis_shape must be of one length of at least 2, but are {:?} and {:?}",
            truth.dims, hypothesis.dims
        )));
    }
    hypothesis.check_bounds()?;
    truth.check_bounds()?;
    let outer = hypothesis.rank() - 1;
    let dims: Vec<i64> = hypothesis.dims[..outer].iter().zip(&truth.dims[..outer]).map(|(a, b)| *a.max(b)).collect();
    let normalize = ctx.node.attrs.bool("normalize")?;
    let (hypothesis_keys, truth_keys) = (keys(hypothesis.values)?, keys(truth.values)?);
    let (hypotheses, truths) = (sequences(&hypothesis, &hypothesis_keys), sequences(&truth, &truth_keys));
    let mut y = Tensor::zeros(DType::Float, Shape::new(&dims)?)?;
    let out = y.make_mut::<f32>()?;
    let nothing = Vec::new();
    for at in hypotheses.keys().chain(truths.keys()) {
        let (h, t) = (hypotheses.get(at).unwrap_or(&nothing), truths.get(at).unwrap_or(&nothing));
        let place = at.iter().zip(&dims).fold(0, |p, (&c, &d)| p * d as usize + c as usize);
        let changes = distance(t, h) as f32;
        out[place] = match (normalize, t.len()) {
            (true, 0) => {
                if h.is_empty() {
                    0.0
                } else {
                    f32::INFINITY
                }
            }
            (true, n) => changes / n as f32,
            (false, _) => changes,
        };
    }
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    crate::sparse::coo::known_rank(c, 0, 2)?;
    if let Some(rank) = crate::sparse::coo::known_rank(c, 3, 5)?.and_then(|r| usize::try_from(r).ok()) {
        c.set_output(0, PartialShape::of_rank(rank.saturating_sub(1)));
    }
    Ok(())
}
