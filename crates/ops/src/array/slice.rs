//! `Slice`: a box out of a tensor.

use super::dims::shape_of;
use super::strided::StridedView;
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Slice(input: T, begin: Index, size: Index) -> (output: T)",
    attrs: "T: type; Index: type in {int32, int64}",
    doc: "The elements from `begin` on, `size` along each dimension; a size of -1 reaches to the end.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The sizes with −1 made up for, all checked.
fn sizes(dims: &[i64], begin: &[i64], size: &[i64]) -> Result<Vec<i64>> {
    let mut out = Vec::with_capacity(dims.len());
    for (i, ((&dim, &b), &s)) in dims.iter().zip(begin).zip(size).enumerate() {
        let s = if s == -1 { dim.saturating_sub(b) } else { s };
        if dim == 0 {
            if b != 0 || s != 0 {
                return Err(invalid_argument(format!(
                    "Expected begin[{i}] == 0 (got {b}) and size[{i}] == 0 (got {s}) when input.dim_size({i}) == 0"
                )));
            }
        } else if !(0..=dim).contains(&b) {
            return Err(invalid_argument(format!("Expected begin[{i}] in [0, {dim}], but got {b}")));
        } else if !(0..=dim - b).contains(&s) {
            return Err(invalid_argument(format!("Expected size[{i}] in [0, {}], but got {s}", dim - b)));
        }
        out.push(s);
    }
    Ok(out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, begin, size) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let rank = x.rank() as i64;
    if begin.dims() != [rank] || size.dims() != [rank] {
        return Err(invalid_argument(format!(
            "Expected begin and size arguments to be 1-D tensors of size {rank}, but got shapes {} and {} instead.",
            begin.shape(),
            size.shape()
        )));
    }
    let begin = begin.to_i64s()?;
    let dims = sizes(x.dims(), &begin, &size.to_i64s()?)?;
    let shape = Shape::new(&dims)?;
    let y = if shape == *x.shape() {
        x.clone()
    } else if !dims.is_empty() && dims[1..] == x.dims()[1..] {
        x.rows(begin[0] as usize, dims[0] as usize)?
    } else {
        let mut view = StridedView::of(x.dims());
        view.offset = begin.iter().zip(&view.strides).map(|(&b, &s)| b as isize * s).sum();
        view.dims = dims.iter().map(|&d| d as usize).collect();
        view.copy(x, shape, &pool(ctx.step))?
    };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (begin_shape, size_shape) = (c.with_rank(1, 1)?, c.with_rank(2, 1)?);
    let rank = begin_shape.merge(&size_shape)?.dim(0).map(|n| n as usize);
    let s = match rank {
        Some(rank) => c.with_rank(0, rank)?,
        None => c.input(0),
    };
    let Some(dims) = s.dims() else { return Ok(()) };
    let begin = c.constant(1).map(|t| t.to_i64s()).transpose()?;
    let Some(size) = c.constant(2).map(|t| t.to_i64s()).transpose()? else {
        c.set_output(0, PartialShape::of_rank(dims.len()));
        return Ok(());
    };
    if size.len() != dims.len() || begin.as_ref().is_some_and(|b| b.len() != dims.len()) {
        return Err(invalid_argument(format!("begin and size must have {} elements", dims.len())));
    }
    if let (Some(known), Some(begin)) = (s.to_shape(), &begin) {
        let dims = sizes(known.dims(), begin, &size)?;
        c.set_output(0, Shape::new(&dims)?);
        return Ok(());
    }
    let dim = |i: usize| match (size[i], begin.as_ref().map(|b| b[i]), dims[i]) {
        (-1, Some(b), Some(d)) => Some(d - b),
        (-1, _, _) => None,
        (n, _, _) => Some(n),
    };
    c.set_output(0, PartialShape::new(&(0..dims.len()).map(dim).collect::<Vec<_>>()));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    // The gradient with zeros around it: `begin` in front, and behind what is left of the input.
    let g = op.graph();
    let dy = grads.dense(0);
    let begin = op.input(1);
    let cast = |x: Output| if x.dtype() == begin.dtype() { x } else { g.op("Cast").input(x).attr("DstT", begin.dtype()).output() };
    let (whole, part) = (cast(shape_of(&op.input(0))), cast(shape_of(&dy)));
    let left = g.op("Sub").inputs([whole, part]).output();
    let behind = g.op("Sub").inputs([left, begin.clone()]).output();
    let paddings = g.op("Pack").input_list([begin, behind]).attr("axis", 1i64).output();
    Ok(vec![Some(g.op("Pad").inputs([dy, paddings]).output().into()), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(begin: &[i32], size: &[i32]) -> Result<Tensor> {
        let x = tensor(&[3, 4], &[0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        OpTester::new(&OP).input(x).input(tensor(&[begin.len() as i64], begin)).input(tensor(&[size.len() as i64], size)).run_one()
    }

    #[test]
    fn a_box_is_cut_out() {
        assert_eq!(slice(&[1, 1], &[2, 2]).unwrap().as_slice::<f32>().unwrap(), [5.0, 6.0, 9.0, 10.0]);
        assert_eq!(slice(&[2, 0], &[-1, -1]).unwrap().as_slice::<f32>().unwrap(), [8.0, 9.0, 10.0, 11.0]);
        assert_eq!(slice(&[3, 0], &[0, 4]).unwrap().dims(), [0, 4]);
    }

    #[test]
    fn rows_share_memory() {
        let x = tensor(&[3, 4], &[0i32; 12]);
        let y = OpTester::new(&OP).input(x.clone()).input(tensor(&[2], &[1i32, 0])).input(tensor(&[2], &[2i32, 4])).run_one().unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap().as_ptr(), x.as_slice::<i32>().unwrap()[4..].as_ptr());
    }

    #[test]
    fn a_box_outside_is_refused() {
        for (begin, size) in [([1, 0], [3, 1]), ([-1, 0], [1, 1]), ([0, 0], [-2, 1]), ([4, 0], [0, 0]), ([i32::MIN, 0], [-1, 1])] {
            assert_eq!(slice(&begin, &size).unwrap_err().code(), Code::InvalidArgument, "{begin:?} {size:?}");
        }
        assert_eq!(slice(&[1], &[1]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_is_padded_with_zeros() {
        check_gradient(&[tensor(&[2, 3], &[1f64, 2.0, 3.0, 4.0, 5.0, 6.0])], |g, x| {
            g.op("Slice").inputs([x[0].clone(), g.constant_vector(&[0i32, 1]), g.constant_vector(&[2i32, 2])]).build()
        });
    }
}
