//! `RaggedTensorToVariant`: a ragged tensor as a variant, or its rows as several.

use super::dims::index_tensor;
use super::ragged::{Start, nested_splits, row_ranges};
use super::ragged_variant::RaggedVariant;
use crate::prelude::*;
use ferroflow_tensor::Variant;

pub const OP: OpSpec = OpSpec {
    signature: "RaggedTensorToVariant(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues) -> (encoded_ragged: variant)",
    attrs: "RAGGED_RANK: int >= 0; Tvalues: type; Tsplits: type in {int32, int64} = int64; batched_input: bool",
    doc: "A scalar with the ragged tensor or, if `batched_input`, a vector with its rows.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Row `row` of a ragged tensor.
fn row_of(splits: &[Vec<i64>], values: &Tensor, row: usize, dtype: DType) -> Result<Variant> {
    let (mut start, mut end) = (row, row + 1);
    let mut inner = Vec::new();
    for (axis, all) in splits.iter().enumerate() {
        if axis > 0 {
            let own: Vec<i64> = all[start..=end].iter().map(|s| s - all[start]).collect();
            inner.push(index_tensor(dtype, Shape::from_lens(&[own.len()])?, &own)?);
        }
        (start, end) = (all[start] as usize, all[end] as usize);
    }
    let part = row_ranges(values, &[(start, end)])?;
    // Without splits a row is an element of the values.
    let values = if splits.is_empty() { part.reshaped(Shape::new(&values.dims()[1..])?)? } else { part };
    Ok(RaggedVariant { splits: inner, values }.into_variant())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let ragged_rank = attrs.count("RAGGED_RANK")?;
    let values = ctx.input(ragged_rank)?;
    if !attrs.bool("batched_input")? {
        let splits = (0..ragged_rank).map(|i| ctx.input(i).cloned()).collect::<Result<Vec<_>>>()?;
        let whole = RaggedVariant { splits, values: values.clone() }.into_variant();
        ctx.set_output(0, Tensor::variants(Shape::scalar(), vec![whole])?);
        return Ok(());
    }
    if values.rank() == 0 {
        return Err(invalid_argument("a batch of ragged tensors must have rows, got a scalar"));
    }
    let splits = nested_splits(ctx, 0, ragged_rank, values, Start::Zero)?;
    let rows = splits.first().map_or(values.dims()[0] as usize, |s| s.len() - 1);
    let dtype = attrs.dtype("Tsplits")?;
    let variants = (0..rows).map(|row| row_of(&splits, values, row, dtype)).collect::<Result<Vec<_>>>()?;
    ctx.set_output(0, Tensor::variants(Shape::from_lens(&[rows])?, variants)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let attrs = &c.node().attrs;
    let ragged_rank = attrs.count("RAGGED_RANK")?;
    let rows = match ragged_rank {
        0 => c.input(0).dim(0),
        _ => c.with_rank(0, 1)?.dim(0).map(|n| n - 1),
    };
    c.set_output(0, if attrs.bool("batched_input")? { PartialShape::new(&[rows]) } else { PartialShape::scalar() });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ragged() -> OpTester {
        let splits = [tensor(&[3], &[0i64, 2, 3]), tensor(&[4], &[0i64, 2, 2, 3])];
        OpTester::new(&OP).input_list(splits).input(tensor(&[3], &[1f32, 2.0, 3.0]))
    }

    fn back(variants: Tensor, input_rank: i64) -> Result<Vec<Tensor>> {
        let node = OpTester::named("RaggedTensorFromVariant").input(variants).attr("Tvalues", DType::Float).attr("Tsplits", DType::Int64);
        node.attr("input_ragged_rank", input_rank).attr("output_ragged_rank", 2i64).run()
    }

    #[test]
    fn what_becomes_a_variant_comes_back_from_it() {
        for batched in [false, true] {
            let variants = ragged().attr("batched_input", batched).run_one().unwrap();
            assert_eq!(variants.rank(), usize::from(batched));
            let out = back(variants, -1).unwrap();
            assert_eq!(out[0].as_slice::<i64>().unwrap(), [0, 2, 3]);
            assert_eq!(out[1].as_slice::<i64>().unwrap(), [0, 2, 2, 3]);
            assert_eq!(out[2].as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0]);
        }
    }

    #[test]
    fn ranks_that_do_not_fit_are_refused() {
        let variants = ragged().attr("batched_input", true).run_one().unwrap();
        assert_eq!(back(variants.clone(), 2).unwrap_err().code(), Code::InvalidArgument);
        let empty = Tensor::zeros(DType::Variant, Shape::new(&[2]).unwrap()).unwrap();
        assert_eq!(back(empty, 1).unwrap_err().code(), Code::InvalidArgument);
    }
}
