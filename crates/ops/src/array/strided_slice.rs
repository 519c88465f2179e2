//! `StridedSlice`: numpy's indexing.

use super::dims::shape_of;
use super::slice_spec::{Indices, Masks, SliceSpec};
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T)",
    attrs: "T: type; Index: type in {int16, int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; \
            new_axis_mask: int = 0; shrink_axis_mask: int = 0",
    doc: "The elements from `begin` to before `end` in steps of `strides`, per dimension. Bits of the masks say for which dimensions \
          begin or end are ignored, what is an ellipsis, a new axis, or a single index whose dimension goes away.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Works out the slice of an input of these dimensions from three index tensors.
///
/// Errors: `InvalidArgument` for indices that are no vectors of one length, and as [`SliceSpec::new`].
pub(crate) fn spec(dims: &[i64], begin: &Tensor, end: &Tensor, strides: &Tensor, attrs: &AttrMap) -> Result<SliceSpec> {
    if begin.rank() != 1 || end.shape() != begin.shape() || strides.shape() != begin.shape() {
        return Err(invalid_argument(format!(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
            begin.shape(),
            end.shape(),
            strides.shape()
        )));
    }
    let (begin, end, strides) = (begin.to_i64s()?, end.to_i64s()?, strides.to_i64s()?);
    let indices = Indices { len: begin.len(), begin: Some(&begin), end: Some(&end), strides: Some(&strides) };
    let masks = Masks::of(attrs)?;
    if dims.is_empty() && !begin.is_empty() && masks.new_axis == 0 && masks.ellipsis == 0 {
        return Err(invalid_argument("Attempting to slice scalar input."));
    }
    let dims: Vec<Option<i64>> = dims.iter().map(|&d| Some(d)).collect();
    SliceSpec::new(&dims, &indices, masks)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let spec = spec(x.dims(), ctx.input(1)?, ctx.input(2)?, ctx.input(3)?, &ctx.node.attrs)?;
    let shape = spec.shape().to_shape().ok_or_else(|| internal("the shape of a slice is not known"))?;
    let y = match spec.rows(x.dims()) {
        Some((first, count)) => x.rows(first, count)?.reshaped(shape)?,
        None if x.rank() == 0 => x.clone().reshaped(shape)?,
        None => spec.view(x.dims()).copy(x, shape, &pool(ctx.step))?,
    };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let mut vector = c.with_rank(1, 1)?;
    for i in 2..4 {
        vector = vector.merge(&c.with_rank(i, 1)?)?;
    }
    let s = c.input(0);
    let (Some(dims), Some(len)) = (s.dims(), vector.dim(0)) else { return Ok(()) };
    let values = |i: usize| c.constant(i).map(|t| t.to_i64s()).transpose();
    let (begin, end, strides) = (values(1)?, values(2)?, values(3)?);
    let indices = Indices { len: len as usize, begin: begin.as_deref(), end: end.as_deref(), strides: strides.as_deref() };
    let shape = SliceSpec::new(dims, &indices, Masks::of(&c.node().attrs)?)?.shape();
    c.set_output(0, shape);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let begin = op.input(1);
    let whole = shape_of(&op.input(0));
    // The gradient op takes int32 and int64 only, and one type for the shape and the indices.
    let index = if begin.dtype() == DType::Int64 { DType::Int64 } else { DType::Int32 };
    let cast = |x: Output| if x.dtype() == index { x } else { g.op("Cast").input(x).attr("DstT", index).output() };
    let mut builder = g.op("StridedSliceGrad").input(cast(whole)).inputs((1..4).map(|i| cast(op.input(i)))).input(grads.dense(0));
    for mask in ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"] {
        builder = builder.attr(mask, op.with_attrs(|a| a.int(mask))?);
    }
    Ok(vec![Some(builder.output().into()), None, None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Slicing {
        begin: Vec<i32>,
        end: Vec<i32>,
        strides: Vec<i32>,
        masks: [i64; 5],
    }

    fn run(x: Tensor, s: &Slicing) -> Result<Tensor> {
        let vector = |v: &[i32]| tensor(&[v.len() as i64], v);
        let mut t = OpTester::new(&OP).input(x).input(vector(&s.begin)).input(vector(&s.end)).input(vector(&s.strides));
        for (name, mask) in ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"].iter().zip(s.masks) {
            t = t.attr(name, mask);
        }
        t.run_one()
    }

    fn numbers(dims: &[i64]) -> Tensor {
        let n: i64 = dims.iter().product();
        tensor(dims, &(0..n as i32).collect::<Vec<_>>())
    }

    fn slice(begin: &[i32], end: &[i32], strides: &[i32], masks: [i64; 5]) -> Slicing {
        Slicing { begin: begin.to_vec(), end: end.to_vec(), strides: strides.to_vec(), masks }
    }

    #[test]
    fn ranges_steps_and_masks_follow_numpy() {
        let x = || numbers(&[3, 4]);
        // x[1:3, ::2], x[::-1, 0], x[..., newaxis], x[-1], x[5:, 1:]
        let y = run(x(), &slice(&[1, 0], &[3, 0], &[1, 2], [2, 2, 0, 0, 0])).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[2i64, 2][..], &[4, 6, 8, 10][..]));
        let y = run(x(), &slice(&[0, 0], &[0, 1], &[-1, 1], [1, 1, 0, 0, 2])).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[3i64][..], &[8, 4, 0][..]));
        let y = run(x(), &slice(&[0, 0], &[0, 0], &[1, 1], [0, 0, 1, 2, 0])).unwrap();
        assert_eq!(y.dims(), [3, 4, 1]);
        let y = run(x(), &slice(&[-1], &[0], &[1], [0, 0, 0, 0, 1])).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[4i64][..], &[8, 9, 10, 11][..]));
        let y = run(x(), &slice(&[5, 1], &[9, 4], &[1, 1], [0; 5])).unwrap();
        assert_eq!(y.dims(), [0, 3]);
        let y = run(Tensor::scalar(7i32), &slice(&[0], &[0], &[1], [0, 0, 0, 1, 0])).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[1i64][..], &[7][..]));
    }

    #[test]
    fn rows_share_memory() {
        let x = numbers(&[3, 4]);
        let y = run(x.clone(), &slice(&[1], &[3], &[1], [0; 5])).unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap().as_ptr(), x.as_slice::<i32>().unwrap()[4..].as_ptr());
    }

    #[test]
    fn extreme_indices_are_clamped() {
        let y = run(numbers(&[4]), &slice(&[i32::MIN], &[i32::MAX], &[i32::MAX], [0; 5])).unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [0]);
        let y = run(numbers(&[4]), &slice(&[i32::MAX], &[i32::MIN], &[i32::MIN], [0; 5])).unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [3]);
    }

    #[test]
    fn wrong_indices_are_refused() {
        let x = || numbers(&[4, 5, 3]);
        for (s, message) in [
            (slice(&[0], &[1], &[0], [0; 5]), "strides[0] must be non-zero"),
            (slice(&[4], &[5], &[1], [0, 0, 0, 0, 1]), "slice index 4 of dimension 0 out of bounds."),
            (slice(&[1], &[2], &[-1], [0, 0, 0, 0, 1]), "only stride 1 allowed on non-range indexing."),
            (slice(&[0; 4], &[1; 4], &[1; 4], [0; 5]), "Index out of range using input dim 3; input has only 3 dims"),
            (slice(&[0; 2], &[1; 2], &[1; 2], [0, 0, 3, 0, 0]), "Multiple ellipses in slice spec not allowed"),
        ] {
            assert_eq!(run(x(), &s).unwrap_err().bare_message(), message);
        }
        assert_eq!(run(x(), &slice(&[0, 0], &[1], &[1], [0; 5])).unwrap_err().code(), Code::InvalidArgument);
        let e = run(Tensor::scalar(1i32), &slice(&[0], &[1], &[1], [0; 5])).unwrap_err();
        assert_eq!(e.bare_message(), "Attempting to slice scalar input.");
    }

    #[test]
    fn the_gradient_goes_back_to_where_the_elements_came_from() {
        check_gradient(&[tensor(&[2, 3], &[1f64, 2.0, 3.0, 4.0, 5.0, 6.0])], |g, x| {
            g.op("StridedSlice")
                .input(&x[0])
                .inputs([g.constant_vector(&[1i32, 2]), g.constant_vector(&[2i32, 0]), g.constant_vector(&[1i32, -2])])
                .attr("end_mask", 2i64)
                .attr("shrink_axis_mask", 1i64)
                .build()
        });
    }
}
