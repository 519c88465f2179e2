//! `SplitV`: a tensor cut into pieces of given sizes along an axis.

use super::dims::with_dim;
use super::split_pieces;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SplitV(value: T, size_splits: Tlen, split_dim: int32) -> (output: num_split * T)",
    attrs: "num_split: int >= 1; T: type; Tlen: type in {int8, int32, int64} = int64",
    doc: "`value` cut into pieces of the lengths `size_splits` along `split_dim`; one length may be -1 and takes what is left.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("Tlen", &[DType::Int8, DType::Int32, DType::Int64])],
    ..WORDS
};

fn lengths(t: &Tensor) -> Result<Vec<i64>> {
    match t.dtype() {
        DType::Int8 => Ok(t.as_slice::<i8>()?.iter().map(|&x| x as i64).collect()),
        _ => Ok(t.to_i64s()?.to_vec()),
    }
}

/// The lengths with the −1, if any, made up for; they must fill `dim`.
fn complete(mut sizes: Vec<i64>, dim: i64) -> Result<Vec<i64>> {
    let mut open = None;
    let mut sum = 0i64;
    for (i, &s) in sizes.iter().enumerate() {
        match s {
            -1 if open.is_some() => return Err(invalid_argument("There can only be one -1 in the input.")),
            -1 => open = Some(i),
            ..-1 => return Err(invalid_argument(format!("Split size at index {i} must be >= 0. Got: {s}"))),
            _ => sum = sum.saturating_add(s),
        }
    }
    if open.is_none() && sum != dim || sum > dim {
        return Err(invalid_argument(format!(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of \
             the input along split_dim if not fully specified.  Got: {sum}"
        )));
    }
    if let Some(i) = open {
        sizes[i] = dim - sum;
    }
    Ok(sizes)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, sizes, at) = (ctx.input(0)?.clone(), ctx.input(1)?, ctx.input(2)?);
    if at.num_elements() != 1 {
        return Err(invalid_argument("split_dim_tensor must have exactly one element."));
    }
    if sizes.rank() != 1 || sizes.num_elements() != ctx.node.output_types.len() {
        return Err(invalid_argument(format!(
            "size of the split_tensor must be 1-D and have the same elements as outputs got {} -D and {} elements",
            sizes.rank(),
            sizes.num_elements()
        )));
    }
    let axis = split_pieces::axis(at.to_i64()?, x.rank())?;
    let sizes = complete(lengths(sizes)?, x.dims()[axis])?;
    split_pieces::cut(ctx, &x, axis, &sizes)
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0);
    let num = c.node().output_types.len();
    let Some(rank) = s.rank() else { return Ok(()) };
    let Some(at) = c.constant(2) else {
        (0..num).for_each(|i| c.set_output(i, PartialShape::of_rank(rank)));
        return Ok(());
    };
    let axis = split_pieces::axis(at.to_i64()?, rank)?;
    let sizes = match c.constant(1) {
        None => vec![None; num],
        Some(t) => {
            let sizes = lengths(t)?;
            match s.dim(axis) {
                Some(dim) => complete(sizes, dim)?.into_iter().map(Some).collect(),
                None => sizes.into_iter().map(|d| (d >= 0).then_some(d)).collect(),
            }
        }
    };
    for (i, size) in sizes.into_iter().enumerate() {
        c.set_output(i, with_dim(&s, axis, size));
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    if op.num_outputs() == 1 {
        return Ok(vec![Some(grads.dense(0).into()), None, None]);
    }
    let parts = (0..op.num_outputs()).map(|i| grads.dense(i));
    Ok(vec![Some(op.graph().op("ConcatV2").input_list(parts).input(op.input(2)).output().into()), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(x: Tensor, sizes: &[i64], axis: i32) -> Result<Vec<Tensor>> {
        let n = sizes.len() as i64;
        OpTester::new(&OP).input(x).input(tensor(&[n], sizes)).input(axis).attr("num_split", n).run()
    }

    #[test]
    fn one_length_follows_from_the_others() {
        let x = tensor(&[1, 5], &[1i32, 2, 3, 4, 5]);
        let y = split(x, &[1, -1, 2], 1).unwrap();
        assert_eq!(y[1].as_slice::<i32>().unwrap(), [2, 3]);
        assert_eq!(y[2].dims(), [1, 2]);
        assert_eq!(split(tensor(&[2], &[1i32, 2]), &[0, 2], 0).unwrap()[0].dims(), [0]);
    }

    #[test]
    fn lengths_that_do_not_fill_the_axis_are_refused() {
        let x = || tensor(&[3], &[1f32, 2.0, 3.0]);
        for sizes in [&[-1i64, -2][..], &[-1, -1], &[5, 6], &[1, 1], &[i64::MAX, i64::MAX], &[4, -1]] {
            assert_eq!(split(x(), sizes, 0).unwrap_err().code(), Code::InvalidArgument, "{sizes:?}");
        }
        assert_eq!(split(x(), &[1, 2], -5).unwrap_err().bare_message(), "-input rank(-1) <= split_dim < input rank (1), but got -5");
        assert_eq!(split(tensor::<f32>(&[0], &[]), &[-1, -2], 0).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_is_joined() {
        check_gradient(&[tensor(&[3], &[1f64, 2.0, 3.0])], |g, x| {
            g.op("SplitV").inputs([x[0].clone(), g.constant_vector(&[1i64, 2]), g.constant(0i32)]).attr("num_split", 2i64).build()
        });
    }
}
