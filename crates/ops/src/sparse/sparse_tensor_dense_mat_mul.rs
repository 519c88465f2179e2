//! `SparseTensorDenseMatMul`: the product of a sparse and a dense matrix.

use super::coo::Coo;
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;
use half::f16;
use num_complex::Complex;

pub const OP: OpSpec = OpSpec {
    signature: "SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T) -> (product: T)",
    attrs: "T: type; Tindices: type in {int32, int64} = int64; adjoint_a: bool = false; adjoint_b: bool = false",
    doc: "`a` times `b`, each taken adjoint where so asked.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// An element that has a conjugate.
trait Conjugate: Arithmetic + Element {
    fn conjugate(self) -> Self {
        self
    }
}

macro_rules! real {
    ($($ty:ty)*) => { $(impl Conjugate for $ty {})* };
}

real!(half::f16 half::bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64);

impl Conjugate for Complex<f32> {
    fn conjugate(self) -> Self {
        self.conj()
    }
}

impl Conjugate for Complex<f64> {
    fn conjugate(self) -> Self {
        self.conj()
    }
}

/// Adds the product to `out`, rows of `columns` numbers; `b` has rows of `width`.
struct Product<'a> {
    a: &'a Coo<'a>,
    width: usize,
    columns: usize,
    adjoint: (bool, bool),
}

impl Product<'_> {
    fn add<T: Conjugate>(&self, values: &[T], b: &[T], out: &mut [T]) {
        let (adjoint_a, adjoint_b) = self.adjoint;
        let (columns, width) = (self.columns, self.width);
        for (i, &value) in values.iter().enumerate() {
            let at = self.a.at(i);
            let (m, k) = if adjoint_a { (at[1] as usize, at[0] as usize) } else { (at[0] as usize, at[1] as usize) };
            let value = if adjoint_a { value.conjugate() } else { value };
            let row = &mut out[m * columns..(m + 1) * columns];
            if adjoint_b {
                row.iter_mut().enumerate().for_each(|(n, o)| *o = o.plus(value.times(b[n * width + k].conjugate())));
            } else {
                row.iter_mut().zip(&b[k * width..]).for_each(|(o, &x)| *o = o.plus(value.times(x)));
            }
        }
    }

    fn of<T: Conjugate>(&self, b: &Tensor, shape: Shape) -> Result<Tensor> {
        let (values, b) = (self.a.values.as_slice::<T>()?, b.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(T::default());
            self.add(values, b, out);
            Ok(())
        })
    }

    /// As [`Product::of`], with sums that are rounded once only; TF does that for half alone.
    fn of_halves(&self, b: &Tensor, shape: Shape) -> Result<Tensor> {
        let wide = |t: &Tensor| -> Result<Vec<f32>> { Ok(t.as_slice::<f16>()?.iter().map(|x| x.to_f32()).collect()) };
        let (values, b) = (wide(self.a.values)?, wide(b)?);
        let mut sums = crate::sparse::coo::filled(shape.num_elements(), 0f32)?;
        self.add(&values, &b, &mut sums);
        Tensor::build(shape, |out: &mut [f16]| {
            out.iter_mut().zip(&sums).for_each(|(o, x)| *o = f16::from_f32(*x));
            Ok(())
        })
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let b = ctx.input(3)?;
    if b.rank() != 2 {
        return Err(invalid_argument("Tensor 'b' is not a matrix"));
    }
    if ctx.input(2)?.rank() != 1 || ctx.input(2)?.dims() != [2] {
        return Err(invalid_argument("Tensor 'a_shape' must have 2 elements"));
    }
    let a = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let adjoint = (ctx.node.attrs.bool("adjoint_a")?, ctx.node.attrs.bool("adjoint_b")?);
    let (rows, inner) = if adjoint.0 { (a.dims[1], a.dims[0]) } else { (a.dims[0], a.dims[1]) };
    let (inner_b, columns) = if adjoint.1 { (b.dims()[1], b.dims()[0]) } else { (b.dims()[0], b.dims()[1]) };
    if inner != inner_b {
        return Err(invalid_argument(format!(
            "Cannot multiply A and B because inner dimension does not match: {inner} vs. {inner_b}.  Did you forget a transpose?  Dimensions of A: [{}, {}).  Dimensions of B: {}",
            a.dims[0],
            a.dims[1],
            b.shape()
        )));
    }
    if let Some((i, d)) = a.first_outside() {
        let name = if (d == 0) == adjoint.0 { "k" } else { "m" };
        return Err(invalid_argument(format!("{name} ({}) from index[{i},{d}] out of bounds (>={})", a.at(i)[d], a.dims[d])));
    }
    let shape = Shape::new(&[rows, columns])?;
    let product = Product { a: &a, width: b.dims()[1] as usize, columns: shape.dim(1), adjoint };
    let y = match b.dtype() {
        DType::Half => product.of_halves(b, shape)?,
        dtype => {
            with_numeric!(dtype => T, { product.of::<T>(b, shape)? }, else { return Err(unsupported("SparseTensorDenseMatMul", dtype)) })
        }
    };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let b = c.with_rank(3, 2)?;
    let a = c.input_as_shape(2)?;
    let attrs = &c.node().attrs;
    let rows = a.dim(usize::from(attrs.bool("adjoint_a")?));
    let columns = b.dim(usize::from(!attrs.bool("adjoint_b")?));
    c.set_output(0, PartialShape::new(&[rows, columns]));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let (adjoint_a, adjoint_b) = op.with_attrs(|a| Ok::<_, ferroflow_tensor::Error>((a.bool("adjoint_a")?, a.bool("adjoint_b")?)))?;
    let dy = grads.dense(0);
    if dy.dtype().is_complex() {
        return Err(unimplemented("the gradient of SparseTensorDenseMatMul for complex numbers"));
    }
    let turned = |x: &Output| g.op("Transpose").input(x).input(g.constant_vector(&[1i32, 0])).output();
    let product =
        g.op("SparseTensorDenseMatMul").inputs([op.input(0), op.input(1), op.input(2), dy.clone()]).attr("adjoint_a", !adjoint_a).output();
    let db = if adjoint_b { turned(&product) } else { product };
    let column = |i: i32| {
        let at = |b: i32, e: i32| (g.constant_vector(&[0, b]), g.constant_vector(&[0, e]));
        let (begin, end) = at(i, i + 1);
        let part = g.op("StridedSlice").input(op.input(0)).input(begin).input(end).input(g.constant_vector(&[1i32, 1]));
        part.attr("begin_mask", 1i64).attr("end_mask", 1i64).attr("shrink_axis_mask", 2i64).output()
    };
    let gather = |x: &Output, i: &Output| g.op("GatherV2").input(x).input(i).input(g.constant(0i32)).output();
    let (rows, columns) = if adjoint_a { (column(1), column(0)) } else { (column(0), column(1)) };
    let b = if adjoint_b { turned(&op.input(3)) } else { op.input(3) };
    let product = g.op("Mul").inputs([gather(&dy, &rows), gather(&b, &columns)]).output();
    let da = g.op("Sum").input(product).input(g.constant(1i32)).output();
    Ok(vec![None, Some(da.into()), None, Some(db.into())])
}
