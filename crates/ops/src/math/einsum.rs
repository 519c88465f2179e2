//! `Einsum`: products of tensors, summed over the dimensions whose labels the result has not.

use super::einsum_equation::{Equation, Label};
use crate::parallel::pool;
use crate::prelude::*;
use crate::sparse::coo::filled;
use ferroflow_math::{GemmElement, MatrixRef, batch_matmul};
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "Einsum(inputs: N * T) -> (output: T)",
    attrs: "equation: string; N: int >= 1; T: type",
    doc: "The sum of the products of the inputs' elements, as `equation` labels the dimensions: `ab,bc->ac` is a matrix product.",
    shape,
    gradient: Gradient::Of(super::einsum_gradient::backward),
    kernels: &[Kernel::cpu(compute).on("T", PRODUCTS).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// The types that TF multiplies.
const PRODUCTS: &[DType] =
    &[DType::BFloat16, DType::Half, DType::Float, DType::Double, DType::Int32, DType::Int64, DType::Complex64, DType::Complex128];

/// What can be added up; integers wrap around.
trait Summed: Copy {
    fn plus(self, other: Self) -> Self;
}

macro_rules! summed {
    ($($ty:ty, $x:ident, $y:ident => $sum:expr;)*) => {
        $(impl Summed for $ty {
            fn plus(self, $y: $ty) -> $ty {
                let $x = self;
                $sum
            }
        })*
    };
}

summed! {
    half::f16, x, y => x + y;
    half::bf16, x, y => x + y;
    f32, x, y => x + y;
    f64, x, y => x + y;
    i32, x, y => x.wrapping_add(y);
    i64, x, y => x.wrapping_add(y);
    num_complex::Complex<f32>, x, y => x + y;
    num_complex::Complex<f64>, x, y => x + y;
}

/// A dense tensor whose dimensions bear labels, each label once.
struct Labelled<T> {
    labels: Vec<Label>,
    dims: Vec<usize>,
    values: Vec<T>,
}

fn size(dims: &[usize]) -> Result<usize> {
    let n = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n < 1 << 40);
    n.ok_or_else(|| invalid_argument(format!("a tensor of {dims:?} elements does not fit into memory")))
}

/// Visits the elements of dimensions `dims` in order, with the place that these strides give.
fn places(dims: &[usize], strides: &[usize], mut visit: impl FnMut(usize, usize)) {
    let n: usize = dims.iter().product();
    let mut index = vec![0usize; dims.len()];
    let mut at = 0;
    for k in 0..n {
        visit(k, at);
        for axis in (0..dims.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < dims[axis] {
                break;
            }
            at -= strides[axis] * dims[axis];
            index[axis] = 0;
        }
    }
}

fn strides(dims: &[usize]) -> Vec<usize> {
    let mut out = vec![1; dims.len()];
    (0..dims.len().saturating_sub(1)).rev().for_each(|i| out[i] = out[i + 1] * dims[i + 1]);
    out
}

impl<T: Element + Summed> Labelled<T> {
    /// An operand: of labels that repeat, the diagonal; labels that nobody else has are summed over.
    fn of(x: &Tensor, labels: &[Label], wanted: &dyn Fn(Label) -> bool) -> Result<Labelled<T>> {
        let own: Vec<usize> = x.dims().iter().map(|&d| d as usize).collect();
        let all = strides(&own);
        let (mut kept, mut dims, mut steps) = (Vec::<Label>::new(), Vec::new(), Vec::new());
        let (mut summed, mut summed_steps) = (Vec::new(), Vec::new());
        for (axis, label) in labels.iter().enumerate() {
            if let Some(first) = labels[..axis].iter().position(|l| l == label) {
                if own[first] != own[axis] {
                    return Err(invalid_argument(format!(
                        "Expected dimension {} at axis {axis} of the input shaped {} but got dimension {}",
                        own[first],
                        x.shape(),
                        own[axis]
                    )));
                }
                continue;
            }
            let step: usize = labels.iter().zip(&all).filter(|(l, _)| *l == label).map(|(_, s)| s).sum();
            if wanted(*label) {
                kept.push(*label);
                dims.push(own[axis]);
                steps.push(step);
            } else {
                summed.push(own[axis]);
                summed_steps.push(step);
            }
        }
        let values = x.as_slice::<T>()?;
        let mut out = filled(size(&dims)?, T::default())?;
        places(&dims, &steps, |k, first| places(&summed, &summed_steps, |_, at| out[k] = out[k].plus(values[first + at])));
        Ok(Labelled { labels: kept, dims, values: out })
    }

    /// The same with its dimensions in this order; a label it has not becomes a dimension of 1.
    fn in_order(&self, order: &[Label]) -> Result<Labelled<T>> {
        let own = strides(&self.dims);
        let axis = |l: &Label| self.labels.iter().position(|have| have == l);
        let dims: Vec<usize> = order.iter().map(|l| axis(l).map_or(1, |a| self.dims[a])).collect();
        let steps: Vec<usize> = order.iter().map(|l| axis(l).map_or(0, |a| own[a])).collect();
        let mut values = filled(size(&dims)?, T::default())?;
        places(&dims, &steps, |k, at| values[k] = self.values[at]);
        Ok(Labelled { labels: order.to_vec(), dims, values })
    }

    fn dim(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|l| *l == label).map(|a| self.dims[a])
    }
}

/// The product of two operands, summed over the labels that both have and the result has not.
fn product<T: Element + GemmElement + Summed>(
    ctx: &OpKernelContext,
    a: &Labelled<T>,
    b: &Labelled<T>,
    out: &[Label],
) -> Result<Labelled<T>> {
    let in_a = |l: &Label| a.labels.contains(l);
    let in_b = |l: &Label| b.labels.contains(l);
    let batch: Vec<Label> = a.labels.iter().copied().filter(|l| in_b(l) && out.contains(l)).collect();
    let inner: Vec<Label> = a.labels.iter().copied().filter(|l| in_b(l) && !out.contains(l)).collect();
    let rows: Vec<Label> = a.labels.iter().copied().filter(|l| !in_b(l)).collect();
    let columns: Vec<Label> = b.labels.iter().copied().filter(|l| !in_a(l)).collect();
    for l in batch.iter().chain(&inner) {
        let (da, db) = (a.dim(*l).unwrap_or(1), b.dim(*l).unwrap_or(1));
        let stretches = matches!(l, Label::Unnamed(_)) && (da == 1 || db == 1);
        if da != db && !stretches {
            return Err(invalid_argument(format!("Expected dimension {da} of a label in both inputs but got {db}")));
        }
    }
    let left = a.in_order(&[&batch[..], &rows, &inner].concat())?;
    let right = b.in_order(&[&batch[..], &inner, &columns].concat())?;
    let (n, r) = (batch.len(), rows.len());
    let (batch_a, batch_b) = (&left.dims[..n], &right.dims[..n]);
    let batch_dims: Vec<usize> = batch_a.iter().zip(batch_b).map(|(x, y)| if *x == 1 { *y } else { *x }).collect();
    let row_dims = &left.dims[n..n + r];
    let column_dims = &right.dims[n + inner.len()..];
    let (m, k, c) = (size(row_dims)?, size(&left.dims[n + r..])?, size(column_dims)?);
    // A dimension of 1 that is stretched stays where it is.
    let steps = |own: &[usize]| -> Vec<usize> { strides(own).iter().zip(own).map(|(s, d)| if *d == 1 { 0 } else { *s }).collect() };
    let (mut at_a, mut at_b) = (Vec::new(), Vec::new());
    places(&batch_dims, &steps(batch_a), |_, at| at_a.push(at));
    places(&batch_dims, &steps(batch_b), |_, at| at_b.push(at));
    let pairs: Vec<(usize, usize)> = at_a.into_iter().zip(at_b).collect();
    let dims = [&batch_dims[..], row_dims, column_dims].concat();
    let mut values = filled(size(&dims)?, T::default())?;
    if !values.is_empty() && k > 0 {
        let first = |i: usize| MatrixRef::new(&left.values[i * m * k..(i + 1) * m * k], m, k);
        let second = |i: usize| MatrixRef::new(&right.values[i * k * c..(i + 1) * k * c], k, c);
        batch_matmul(&pool(ctx.step), &pairs, &first, &second, &mut values);
    }
    Ok(Labelled { labels: [batch, rows, columns].concat(), dims, values })
}

fn evaluate<T: Element + GemmElement + Summed>(ctx: &OpKernelContext, equation: &Equation) -> Result<Tensor> {
    let inputs = (0..ctx.num_inputs()).map(|i| ctx.input(i)).collect::<Result<Vec<_>>>()?;
    let labels = inputs.iter().zip(&equation.inputs).map(|(x, s)| s.labels(x.rank())).collect::<Result<Vec<_>>>()?;
    let unnamed = inputs.iter().zip(&equation.inputs).map(|(x, s)| s.unnamed(x.rank())).max().unwrap_or(0);
    let out = equation.output.labels_of(unnamed);
    let operand = |i: usize| {
        let wanted = |l: Label| out.contains(&l) || labels.iter().enumerate().any(|(j, other)| j != i && other.contains(&l));
        Labelled::<T>::of(inputs[i], &labels[i], &wanted)
    };
    let result = match inputs.len() {
        1 => operand(0)?,
        _ => product(ctx, &operand(0)?, &operand(1)?, &out)?,
    };
    // A label that the result has twice is a diagonal of it, the rest is 0.
    let dims: Vec<usize> = out.iter().map(|l| result.dim(*l).unwrap_or(1)).collect();
    let shape = Shape::from_lens(&dims)?;
    let unique: Vec<Label> = out.iter().enumerate().filter(|(i, l)| !out[..*i].contains(l)).map(|(_, l)| *l).collect();
    let ordered = result.in_order(&unique)?;
    if unique.len() == out.len() {
        return Tensor::from_slice(shape, &ordered.values);
    }
    let all = strides(&dims);
    let steps: Vec<usize> = unique.iter().map(|l| out.iter().zip(&all).filter(|(o, _)| *o == l).map(|(_, s)| s).sum()).collect();
    Tensor::build::<T>(shape, |values| {
        values.fill(T::default());
        places(&ordered.dims, &steps, |k, at| values[at] = ordered.values[k]);
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let equation = Equation::parse(ctx.node.attrs.str("equation")?, ctx.num_inputs())?;
    let dtype = ctx.input(0)?.dtype();
    let y = ferroflow_tensor::dispatch!(
        dtype,
        [half::f16, half::bf16, f32, f64, i32, i64, num_complex::Complex<f32>, num_complex::Complex<f64>] => T,
        { evaluate::<T>(ctx, &equation)? },
        else { return Err(unsupported("Einsum", dtype)) }
    );
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let equation = Equation::parse(c.node().attrs.str("equation")?, c.num_inputs())?;
    let shapes: Vec<PartialShape> = (0..c.num_inputs()).map(|i| c.input(i)).collect();
    let mut known: Vec<(Label, Option<i64>)> = Vec::new();
    let mut unnamed = 0;
    for (s, subscripts) in shapes.iter().zip(&equation.inputs) {
        let Some(dims) = s.dims() else {
            c.set_output(0, PartialShape::unknown());
            return Ok(());
        };
        unnamed = unnamed.max(subscripts.unnamed(dims.len()));
        for (label, dim) in subscripts.labels(dims.len())?.into_iter().zip(dims) {
            match known.iter_mut().find(|(l, _)| *l == label) {
                None => known.push((label, *dim)),
                Some((_, have)) => match (label, *have, *dim) {
                    (_, None, _) if matches!(label, Label::Unnamed(_)) && *dim == Some(1) => {}
                    (_, None, _) => *have = *dim,
                    (Label::Unnamed(_), Some(1), _) => *have = *dim,
                    (Label::Unnamed(_), _, Some(1) | None) | (_, _, None) => {}
                    (_, Some(a), Some(b)) if a == b => {}
                    (_, Some(a), Some(b)) => return Err(invalid_argument(format!("Dimensions must be equal, but are {a} and {b}"))),
                },
            }
        }
    }
    let out = equation.output.labels_of(unnamed);
    let dims: Vec<Option<i64>> = out.iter().map(|l| known.iter().find(|(k, _)| k == l).and_then(|(_, d)| *d)).collect();
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}
