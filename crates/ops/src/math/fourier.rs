//! Discrete Fourier transforms along the last dimensions (TF: `FFTBase`, here on `rustfft`).

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_complex::Complex;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::Arc;

/// Which way a transform goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    /// With the factor of one by the number of elements.
    Inverse,
}

/// A real number that is transformed.
pub(super) trait Part: FftNum + Element + num_traits::Float {}
impl Part for f32 {}
impl Part for f64 {}

/// Largest number of elements of a result; a few bytes of a message can ask for any number.
const MOST: i64 = 1 << 36;

fn plan<R: Part>(n: usize, direction: Direction) -> Arc<dyn Fft<R>> {
    let mut planner = FftPlanner::new();
    match direction {
        Direction::Forward => planner.plan_fft_forward(n),
        Direction::Inverse => planner.plan_fft_inverse(n),
    }
}

/// Transforms arrays of these dimensions, one behind the other, along one axis.
fn along<R: Part>(data: &mut [Complex<R>], dims: &[usize], axis: usize, direction: Direction) {
    let (n, step) = (dims[axis], dims[axis + 1..].iter().product::<usize>());
    if n < 2 || step == 0 || data.is_empty() {
        return;
    }
    let fft = plan::<R>(n, direction);
    let mut scratch = vec![Complex::default(); fft.get_inplace_scratch_len()];
    let factor = R::one() / R::from_usize(n).unwrap_or_else(R::one);
    let scale = |line: &mut [Complex<R>]| {
        if direction == Direction::Inverse {
            line.iter_mut().for_each(|z| *z = z.scale(factor));
        }
    };
    if step == 1 {
        for line in data.chunks_exact_mut(n) {
            fft.process_with_scratch(line, &mut scratch);
            scale(line);
        }
        return;
    }
    let mut line = vec![Complex::default(); n];
    for block in data.chunks_exact_mut(n * step) {
        for first in 0..step {
            line.iter_mut().enumerate().for_each(|(i, z)| *z = block[first + i * step]);
            fft.process_with_scratch(&mut line, &mut scratch);
            scale(&mut line);
            line.iter().enumerate().for_each(|(i, z)| block[first + i * step] = *z);
        }
    }
}

/// The first elements along each of the last dimensions: arrays of dimensions `from`, cut to `to`.
fn cut<E: Copy>(data: &[E], from: &[usize], to: &[usize]) -> Vec<E> {
    if from == to {
        return data.to_vec();
    }
    let (Some((&n, from_inner)), Some((&m, to_inner))) = (from.split_first(), to.split_first()) else { return data.to_vec() };
    let width = from_inner.iter().product::<usize>();
    if width == 0 {
        return vec![];
    }
    data.chunks_exact(n * width)
        .flat_map(|block| block[..m * width].chunks_exact(width))
        .flat_map(|row| cut(row, from_inner, to_inner))
        .collect()
}

/// The dimensions in front of the last `rank`, and these.
fn split<const RANK: usize>(x: &Tensor) -> Result<(&[i64], [usize; RANK])> {
    let outer = x
        .rank()
        .checked_sub(RANK)
        .ok_or_else(|| invalid_argument(format!("Input must have rank of at least {RANK} but got: {}", x.shape())))?;
    let (outer, inner) = x.dims().split_at(outer);
    Ok((outer, std::array::from_fn(|i| inner[i] as usize)))
}

/// The lengths that input 1 asks for.
fn lengths<const RANK: usize>(ctx: &OpKernelContext) -> Result<[usize; RANK]> {
    let t = ctx.input(1)?;
    let given = t.as_slice::<i32>()?;
    if t.rank() != 1 || given.len() != RANK {
        return Err(invalid_argument(format!("fft_length must have shape [{RANK}], got {}", t.shape())));
    }
    if let Some(bad) = given.iter().find(|n| **n < 0) {
        return Err(invalid_argument(format!("fft_length must be >= 0, got: {bad}")));
    }
    Ok(std::array::from_fn(|i| given[i] as usize))
}

fn check_length<const RANK: usize>(have: &[usize; RANK], needed: &[usize; RANK]) -> Result<()> {
    match (0..RANK).find(|&i| have[i] < needed[i]) {
        Some(i) => Err(invalid_argument(format!("Input dimension {i} must have length of at least {} but got: {}", needed[i], have[i]))),
        None => Ok(()),
    }
}

fn shape_of(outer: &[i64], inner: &[usize]) -> Result<Shape> {
    let dims: Vec<i64> = outer.iter().copied().chain(inner.iter().map(|&d| d as i64)).collect();
    let shape = Shape::new(&dims)?;
    if shape.num_elements() as i64 > MOST {
        return Err(ferroflow_tensor::error::resource_exhausted(format!("the transform of shape {shape} does not fit into memory")));
    }
    Ok(shape)
}

fn complex<R: Part, const RANK: usize>(x: &Tensor, direction: Direction) -> Result<Tensor>
where
    Complex<R>: Element,
{
    let (_, inner) = split::<RANK>(x)?;
    let mut out = x.deep_copy()?;
    let data = out.as_mut_slice::<Complex<R>>()?;
    (0..RANK).for_each(|axis| along(data, &inner, axis, direction));
    Ok(out)
}

/// The transform of complex numbers along the last `RANK` dimensions.
///
/// Errors: `InvalidArgument` for fewer dimensions.
pub(super) fn fft<const RANK: usize>(ctx: &mut OpKernelContext, direction: Direction) -> Result<()> {
    let x = ctx.input(0)?;
    let y = match x.dtype() {
        DType::Complex64 => complex::<f32, RANK>(x, direction)?,
        DType::Complex128 => complex::<f64, RANK>(x, direction)?,
        other => return Err(unsupported("FFT", other)),
    };
    ctx.set_output(0, y);
    Ok(())
}

fn half<R: Part, const RANK: usize>(x: &Tensor, n: [usize; RANK]) -> Result<Tensor>
where
    Complex<R>: Element,
{
    let (outer, inner) = split::<RANK>(x)?;
    check_length(&inner, &n)?;
    let mut kept = n;
    kept[RANK - 1] = if n[RANK - 1] == 0 { 0 } else { n[RANK - 1] / 2 + 1 };
    let shape = shape_of(outer, &kept)?;
    if shape.num_elements() == 0 {
        return Tensor::zeros(<Complex<R> as Element>::DTYPE, shape);
    }
    let mut data: Vec<Complex<R>> = cut(x.as_slice::<R>()?, &inner, &n).into_iter().map(|re| Complex::new(re, R::zero())).collect();
    along(&mut data, &n, RANK - 1, Direction::Forward);
    let mut data = cut(&data, &n, &kept);
    (0..RANK - 1).for_each(|axis| along(&mut data, &kept, axis, Direction::Forward));
    Tensor::from_slice(shape, &data)
}

/// The transform of real numbers, of which the half is kept that the other follows from.
///
/// Errors: `InvalidArgument` for fewer dimensions, and for dimensions shorter than `fft_length`.
pub(super) fn rfft<const RANK: usize>(ctx: &mut OpKernelContext) -> Result<()> {
    let n = lengths::<RANK>(ctx)?;
    let x = ctx.input(0)?;
    let y = match (x.dtype(), ctx.node.attrs.dtype("Tcomplex")?) {
        (DType::Float, DType::Complex64) => half::<f32, RANK>(x, n)?,
        (DType::Double, DType::Complex128) => half::<f64, RANK>(x, n)?,
        (real, complex) => return Err(invalid_argument(format!("Wrong types for FFT: in={real} out={complex}"))),
    };
    ctx.set_output(0, y);
    Ok(())
}

fn whole<R: Part, const RANK: usize>(x: &Tensor, n: [usize; RANK]) -> Result<Tensor>
where
    Complex<R>: Element,
{
    let (outer, inner) = split::<RANK>(x)?;
    let mut kept = n;
    kept[RANK - 1] = if n[RANK - 1] == 0 { 0 } else { n[RANK - 1] / 2 + 1 };
    check_length(&inner, &kept)?;
    let shape = shape_of(outer, &n)?;
    if shape.num_elements() == 0 {
        return Tensor::zeros(R::DTYPE, shape);
    }
    let mut data = cut(x.as_slice::<Complex<R>>()?, &inner, &kept);
    (0..RANK - 1).for_each(|axis| along(&mut data, &kept, axis, Direction::Inverse));
    let (length, stored) = (n[RANK - 1], kept[RANK - 1]);
    let mut lines = Vec::with_capacity(shape.num_elements());
    for line in data.chunks_exact(stored) {
        // A real signal's first and middle frequencies have no imaginary part; TF does not look at it either.
        lines.push(Complex::new(line[0].re, R::zero()));
        lines.extend((1..length).map(|k| if k < stored { line[k] } else { line[length - k].conj() }));
        if length % 2 == 0 {
            let middle = lines.len() - length / 2;
            lines[middle].im = R::zero();
        }
    }
    along(&mut lines, &n, RANK - 1, Direction::Inverse);
    Tensor::from_slice(shape, &lines.iter().map(|z| z.re).collect::<Vec<R>>())
}

/// The real numbers whose transform is given by its half.
///
/// Errors: `InvalidArgument` for fewer dimensions, and for dimensions shorter than `fft_length` needs.
pub(super) fn irfft<const RANK: usize>(ctx: &mut OpKernelContext) -> Result<()> {
    let n = lengths::<RANK>(ctx)?;
    let x = ctx.input(0)?;
    let y = match (x.dtype(), ctx.node.attrs.dtype("Treal")?) {
        (DType::Complex64, DType::Float) => whole::<f32, RANK>(x, n)?,
        (DType::Complex128, DType::Double) => whole::<f64, RANK>(x, n)?,
        (complex, real) => return Err(invalid_argument(format!("Wrong types for FFT: in={complex} out={real}"))),
    };
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of an `RFFT` (`half`) or `IRFFT` of this rank.
///
/// Errors: `InvalidArgument` for fewer dimensions.
pub(super) fn real_shape<const RANK: usize>(c: &mut ShapeContext, half: bool) -> Result<()> {
    let x = c.with_rank_at_least(0, RANK)?;
    c.with_rank(1, 1)?;
    let Some(dims) = x.dims() else { return Ok(()) };
    let given = c.constant(1).map(|t| t.to_i64s()).transpose()?;
    let mut dims = dims.to_vec();
    let first = dims.len() - RANK;
    for i in 0..RANK {
        let n = given.as_ref().and_then(|g| g.get(i).copied());
        dims[first + i] = n.map(|n| if half && i + 1 == RANK && n > 0 { n / 2 + 1 } else { n });
    }
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}

/// The gradient of `FFT` or `IFFT`: the other transform, and the factor between them.
///
/// Errors: none.
pub(super) fn gradient<const RANK: usize>(op: &Operation, grads: &OutGrads, other: &str, inverse: bool) -> Result<Vec<Option<Grad>>> {
    use super::backward::apply;
    let dy = grads.dense(0);
    let graph = dy.graph();
    let shape = graph.op("Shape").input(op.input(0)).output();
    let range = [graph.constant_vector(&[-(RANK as i32)]), graph.constant_vector(&[0i32]), graph.constant_vector(&[1i32])];
    let inner = graph.op("StridedSlice").input(shape).inputs(range).attr("end_mask", 1i64).output();
    let size = apply("Prod", &[&inner, &graph.constant_vector(&[0i32])]);
    let size = graph.op("Cast").input(size).attr("DstT", dy.dtype()).output();
    let turned = apply(other, &[&dy]);
    let dx = apply(if inverse { "Div" } else { "Mul" }, &[&turned, &size]);
    Ok(vec![Some(dx.into())])
}
