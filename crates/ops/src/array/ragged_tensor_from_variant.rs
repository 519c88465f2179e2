//! `RaggedTensorFromVariant`: the ragged tensor in a variant, or one of several side by side.

use super::joined_rows::{concat_shape, join};
use super::ragged::{extend, set_splits, uniform_splits};
use super::ragged_variant::RaggedVariant;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RaggedTensorFromVariant(encoded_ragged: variant) -> (output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues)",
    attrs: "input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; Tvalues: type; Tsplits: type in {int32, int64} = int64",
    doc: "The ragged tensor that a tensor of variants holds: its dimensions are the outermost ones, then come those of the variants.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn check(part: &RaggedVariant, input_rank: usize, values: DType, splits: DType) -> Result<()> {
    if part.splits.len() != input_rank {
        return Err(invalid_argument(format!("Expected a ragged tensor of {input_rank} splits in the variant, got {}", part.splits.len())));
    }
    if part.values.dtype() != values || part.splits.iter().any(|s| s.dtype() != splits) {
        return Err(invalid_argument(format!(
            "Expected values of {values} and splits of {splits} in the variant, got {}",
            part.values.dtype()
        )));
    }
    let valid = |t: &Tensor| t.rank() == 1 && t.num_elements() > 0;
    if !part.splits.iter().all(valid) || (input_rank > 0 && part.values.rank() == 0) {
        return Err(invalid_argument("the variant holds splits or values of the wrong rank"));
    }
    Ok(())
}

/// The splits of ragged tensors side by side, and how many rows each has.
fn stacked(parts: &[RaggedVariant], input_rank: usize) -> Result<Vec<Vec<i64>>> {
    let mut all = vec![vec![0i64]; input_rank + 1];
    for part in parts {
        let rows = match part.splits.first() {
            Some(first) => first.num_elements() as i64 - 1,
            None => *part.values.dims().first().ok_or_else(|| invalid_argument("the values in a variant must not be a scalar"))?,
        };
        let end = all[0][all[0].len() - 1] + rows;
        extend(&mut all[0], [end].into_iter())?;
        for (list, own) in all[1..].iter_mut().zip(&part.splits) {
            let offset = list[list.len() - 1];
            let own = own.to_i64s()?;
            extend(list, own[1..].iter().map(|s| s.saturating_add(offset)))?;
        }
    }
    Ok(all)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let encoded = ctx.input(0)?;
    let attrs = &ctx.node.attrs;
    let (given, out_rank) = (attrs.int("input_ragged_rank")?, attrs.count("output_ragged_rank")?);
    let input_rank = match usize::try_from(given) {
        Ok(rank) => rank,
        Err(_) => out_rank.checked_sub(encoded.rank()).ok_or_else(|| {
            invalid_argument(format!(
                "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found {}",
                out_rank as i64 - encoded.rank() as i64
            ))
        })?,
    };
    if out_rank != input_rank + encoded.rank() {
        return Err(invalid_argument(format!(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: {out_rank}, input_ragged_rank: {input_rank}, encoded_variant.dims(): {}",
            encoded.rank()
        )));
    }
    let parts = encoded.as_variants()?.iter().map(RaggedVariant::of).collect::<Result<Vec<_>>>()?;
    let (values, splits) = (attrs.dtype("Tvalues")?, attrs.dtype("Tsplits")?);
    parts.iter().try_for_each(|part| check(part, input_rank, values, splits))?;
    if let (0, [part]) = (encoded.rank(), &parts[..]) {
        part.splits.iter().enumerate().for_each(|(i, s)| ctx.set_output(i, s.clone()));
        ctx.set_output(out_rank, part.values.clone());
        return Ok(());
    }
    let mut all = Vec::new();
    for axis in 1..encoded.rank() {
        all.push(uniform_splits(encoded.dims()[..axis].iter().product(), encoded.dims()[axis])?);
    }
    all.extend(stacked(&parts, input_rank)?);
    let tensors: Vec<&Tensor> = parts.iter().map(|p| &p.values).collect();
    let joined = match tensors.is_empty() {
        true => Tensor::zeros(values, Shape::new(&[0])?)?,
        false => {
            let (axis, shape) = concat_shape(&tensors, 0)?;
            join(&tensors, axis, shape)?
        }
    };
    set_splits(ctx, 0, &all, splits)?;
    ctx.set_output(out_rank, joined);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let out_rank = c.node().attrs.count("output_ragged_rank")?;
    (0..out_rank).for_each(|i| c.set_output(i, PartialShape::of_rank(1)));
    Ok(())
}
