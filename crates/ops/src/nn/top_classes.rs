//! Whether the wanted class is among the `k` most likely (TF: `InTopK`).

use crate::prelude::*;

/// precision[b] = whether predictions[b, targets[b]] is among the `k` largest of its row.
///
/// Errors: `InvalidArgument` for ranks and sizes that do not fit.
pub(crate) fn in_top_k(ctx: &mut OpKernelContext, k: i64) -> Result<()> {
    let (predictions, targets) = (ctx.input(0)?, ctx.input(1)?);
    if predictions.rank() != 2 {
        return Err(invalid_argument("predictions must be 2-dimensional"));
    }
    if targets.rank() != 1 {
        return Err(invalid_argument("targets must be 1-dimensional"));
    }
    let (rows, classes) = (predictions.shape().dim(0), predictions.shape().dim(1));
    if rows != targets.num_elements() {
        return Err(invalid_argument(format!(
            "First dimension of predictions {rows} must match length of targets {}",
            targets.num_elements()
        )));
    }
    let (all, targets) = (predictions.as_slice::<f32>()?, targets.to_i64s()?);
    let mut y = Tensor::for_overwrite(DType::Bool, Shape::from_lens(&[rows])?)?;
    for (b, (y, &target)) in y.as_mut_slice::<bool>()?.iter_mut().zip(&targets).enumerate() {
        let row = &all[b * classes..][..classes];
        // A class that is not there, or whose prediction is no number, is not among them; nor is any of a row with such numbers
        // ahead of it.
        let wanted = usize::try_from(target).ok().and_then(|t| row.get(t)).copied().filter(|p| p.is_finite());
        *y = wanted.is_some_and(|wanted| row.iter().all(|p| p.is_finite()) && (row.iter().filter(|p| **p > wanted).count() as i64) < k);
    }
    ctx.set_output(0, y);
    Ok(())
}

/// One truth value for each row.
///
/// Errors: `InvalidArgument` for ranks and sizes that do not fit.
pub(crate) fn in_top_k_shape(c: &mut ShapeContext) -> Result<()> {
    let (predictions, targets) = (c.with_rank(0, 2)?, c.with_rank(1, 1)?);
    let rows = PartialShape::new(&[predictions.dim(0)]).merge(&targets)?;
    c.set_output(0, rows);
    Ok(())
}
