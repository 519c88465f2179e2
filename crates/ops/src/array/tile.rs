//! `Tile`: a tensor repeated along its dimensions.

use super::dims::shape_of;
use super::strided::{PerDim, StridedView, row_major};
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Tile(input: T, multiples: Tmultiples) -> (output: T)",
    attrs: "T: type; Tmultiples: type in {int32, int64} = int32",
    doc: "`input` repeated `multiples[i]` times along dimension `i`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn tiled(dims: &[i64], multiples: &[i64]) -> Result<Shape> {
    if multiples.len() != dims.len() {
        return Err(invalid_argument(format!(
            "Expected multiples argument to be a vector of length {} but got length {}",
            dims.len(),
            multiples.len()
        )));
    }
    let mut out = Vec::with_capacity(dims.len());
    for (i, (&d, &m)) in dims.iter().zip(multiples).enumerate() {
        if m < 0 {
            return Err(invalid_argument(format!("Expected multiples[{i}] >= 0, but got {m}")));
        }
        out.push(d.checked_mul(m).ok_or_else(|| invalid_argument(format!("{d} elements {m} times are too many")))?);
    }
    Shape::new(&out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, multiples) = (ctx.input(0)?, ctx.input(1)?);
    if multiples.rank() != 1 {
        return Err(invalid_argument(format!("Expected multiples to be 1-D, but got shape {}", multiples.shape())));
    }
    if matches!(x.dtype(), DType::UInt16 | DType::Resource) {
        return Err(unimplemented(format!(
            "TileOp : The input data type is not supported, DataType : {}, Dimension : {}",
            x.dtype(),
            x.rank()
        )));
    }
    let multiples = multiples.to_i64s()?;
    let shape = tiled(x.dims(), &multiples)?;
    if shape == *x.shape() {
        return ctx.pass_on(0, 0);
    }
    // Each dimension becomes two: the repetition, which does not move in the source, and the dimension itself.
    let (mut dims, mut strides) = (PerDim::new(), PerDim::new());
    for ((&d, &m), s) in x.dims().iter().zip(&multiples).zip(row_major(x.dims())) {
        dims.extend([m as usize, d as usize]);
        strides.extend([0, s]);
    }
    let y = StridedView { offset: 0, dims, strides }.copy(x, shape, &pool(ctx.step))?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let length = c.with_rank(1, 1)?.dim(0);
    let s = match length {
        Some(n) => c.with_rank(0, n as usize)?,
        None => c.input(0),
    };
    let Some(dims) = s.dims() else { return Ok(()) };
    let Some(multiples) = c.constant(1) else {
        c.set_output(0, PartialShape::of_rank(dims.len()));
        return Ok(());
    };
    let multiples = multiples.to_i64s()?;
    if let Some(known) = s.to_shape() {
        let s = tiled(known.dims(), &multiples)?;
        c.set_output(0, s);
        return Ok(());
    }
    let dims: Vec<Option<i64>> = dims.iter().zip(&multiples).map(|(d, &m)| d.and_then(|d| d.checked_mul(m))).collect();
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    // Seen with two dimensions for each of the input's, repetition and dimension, the gradient is summed over the repetitions.
    let g = op.graph();
    let (x, multiples) = (op.input(0), op.input(1));
    let dims = shape_of(&x);
    let multiples =
        if multiples.dtype() == DType::Int32 { multiples } else { g.op("Cast").input(multiples).attr("DstT", DType::Int32).output() };
    let both = g.op("Pack").input_list([multiples, dims.clone()]).attr("axis", 1i64).output();
    let split = g.op("Reshape").inputs([both, g.constant_vector(&[-1i32])]).output();
    let size = g.op("Size").input(&split).output();
    let axes = g.op("Range").inputs([g.constant(0i32), size, g.constant(2i32)]).output();
    let parts = g.op("Reshape").inputs([grads.dense(0), split]).output();
    let sum = g.op("Sum").inputs([parts, axes]).output();
    Ok(vec![Some(g.op("Reshape").inputs([sum, dims]).output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(x: Tensor, multiples: &[i64]) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(tensor(&[multiples.len() as i64], multiples)).run_one()
    }

    #[test]
    fn every_dimension_is_repeated() {
        let y = tile(tensor(&[2, 1], &[1i32, 2]), &[2, 3]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[4i64, 3][..], &[1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2][..]));
        assert_eq!(tile(tensor(&[1], &[1f32]), &[0]).unwrap().dims(), [0]);
        assert_eq!(tile(Tensor::scalar(1f32), &[]).unwrap().rank(), 0);
        assert_eq!(tile(strings(&[1], &["a"]), &[2]).unwrap().as_strings().unwrap(), ["a", "a"]);
    }

    #[test]
    fn multiples_that_do_not_fit_are_refused() {
        let x = || tensor(&[2, 1], &[1i32, 2]);
        for multiples in [&[1i64][..], &[-1, 1], &[i64::MAX, 1], &[1 << 40, 1 << 40]] {
            assert_eq!(tile(x(), multiples).unwrap_err().code(), Code::InvalidArgument, "{multiples:?}");
        }
        assert_eq!(tile(x(), &[1 << 40, 1]).unwrap_err().code(), Code::ResourceExhausted);
    }

    #[test]
    fn the_gradient_sums_over_repetitions() {
        check_gradient(&[tensor(&[2, 1], &[1f64, 2.0])], |g, x| g.op("Tile").inputs([x[0].clone(), g.constant_vector(&[2i32, 3])]).build());
    }
}
