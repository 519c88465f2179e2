//! `ComputeAccidentalHits`: candidates that are true classes.

use crate::prelude::*;
use std::collections::HashMap;

pub const OP: OpSpec = OpSpec {
    signature: "ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64) -> (indices: int32, ids: int64, weights: float)",
    attrs: "num_true: int; seed: int = 0; seed2: int = 0",
    doc: "For each candidate that is a true class of a row: the row, the candidate's place, and the least float as a weight.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (given, candidates) = (ctx.input(0)?, ctx.input(1)?);
    let num_true = ctx.node.attrs.int("num_true")?;
    if given.rank() != 2 || given.dims()[1] != num_true {
        return Err(invalid_argument(format!("true_classes must be a matrix of {num_true} columns, got shape {}", given.shape())));
    }
    if candidates.rank() != 1 {
        return Err(invalid_argument(format!("sampled_candidates must be a vector, got shape {}", candidates.shape())));
    }
    // As in TF, the last place of a candidate that appears twice counts.
    let places: HashMap<i64, usize> = candidates.as_slice::<i64>()?.iter().enumerate().map(|(i, &c)| (c, i)).collect();
    let (mut rows, mut ids) = (Vec::new(), Vec::new());
    for (k, class) in given.as_slice::<i64>()?.iter().enumerate() {
        if let Some(&place) = places.get(class) {
            rows.push((k / num_true.max(1) as usize) as i32);
            ids.push(place as i64);
        }
    }
    let weights = vec![f32::MIN; ids.len()];
    ctx.set_output(0, Tensor::vector(&rows)?);
    ctx.set_output(1, Tensor::vector(&ids)?);
    ctx.set_output(2, Tensor::vector(&weights)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 2)?;
    c.with_rank(1, 1)?;
    for i in 0..3 {
        c.set_output(i, PartialShape::of_rank(1));
    }
    Ok(())
}
