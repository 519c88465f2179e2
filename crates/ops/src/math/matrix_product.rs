//! Kernels, shape functions and gradients of matrix products (TF: `MatMulOp`, `BaseBatchMatMulOp`).

use super::backward::{apply, flags};
use super::broadcasting::lens;
use crate::array::dims::shape_of;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{Broadcast, MatrixRef, batch_matmul, matmul};

/// Rows and columns of a matrix as it takes part in the product.
fn sides(rows: usize, cols: usize, transposed: bool) -> (usize, usize) {
    if transposed { (cols, rows) } else { (rows, cols) }
}

fn incompatible(a: &Shape, b: &Shape) -> ferroflow_tensor::Error {
    invalid_argument(format!("Matrix size-incompatible: In[0]: {a}, In[1]: {b}"))
}

/// The product of two matrices.
///
/// Errors: `InvalidArgument` if they are no matrices or do not fit; `Unimplemented` for other types.
pub(crate) fn product(ctx: &OpKernelContext, transpose_a: bool, transpose_b: bool) -> Result<Tensor> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    if a.rank() != 2 || b.rank() != 2 {
        return Err(invalid_argument(format!("In[0] and In[1] has different ndims: {} vs. {}", a.shape(), b.shape())));
    }
    let (sa, sb) = (a.shape(), b.shape());
    let ((m, k), (k2, n)) = (sides(sa.dim(0), sa.dim(1), transpose_a), sides(sb.dim(0), sb.dim(1), transpose_b));
    if k != k2 {
        return Err(incompatible(sa, sb));
    }
    let mut c = Tensor::for_overwrite(a.dtype(), Shape::from_lens(&[m, n])?)?;
    with_numeric!(a.dtype() => T, {
        let a = MatrixRef::<T>::new(a.as_slice()?, sa.dim(0), sa.dim(1)).transposed_if(transpose_a);
        let b = MatrixRef::<T>::new(b.as_slice()?, sb.dim(0), sb.dim(1)).transposed_if(transpose_b);
        matmul(&pool(ctx.step), a, b, c.as_mut_slice()?, false);
    }, else { return Err(unsupported(ctx.node.op_name(), a.dtype())) });
    Ok(c)
}

/// The shape of the product of two matrices.
///
/// Errors: `InvalidArgument` if they are no matrices or do not fit.
pub(crate) fn product_shape(c: &mut ShapeContext) -> Result<()> {
    let (a, b) = (c.with_rank(0, 2)?, c.with_rank(1, 2)?);
    let attrs = &c.node().attrs;
    let pair = |s: &PartialShape, transposed: bool| if transposed { (s.dim(1), s.dim(0)) } else { (s.dim(0), s.dim(1)) };
    let ((m, k), (k2, n)) = (pair(&a, attrs.bool("transpose_a")?), pair(&b, attrs.bool("transpose_b")?));
    if let (Some(k), Some(k2)) = (k, k2)
        && k != k2
    {
        return Err(invalid_argument(format!("Dimensions must be equal, but are {k} and {k2}; input shapes: {a}, {b}")));
    }
    c.set_output(0, PartialShape::new(&[m, n]));
    Ok(())
}

/// Whether batches of both arguments must be equal, or may be broadcast.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Batches {
    Equal,
    Broadcast,
}

/// z[b…] = x[b…] y[b…], with the adjoints that the attributes ask for.
///
/// Errors: `InvalidArgument` for ranks, batches and sizes that do not fit.
pub(crate) fn batch_product(ctx: &mut OpKernelContext, batches: Batches) -> Result<()> {
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    let (sx, sy) = (x.shape(), y.shape());
    if batches == Batches::Equal && sx.rank() != sy.rank() {
        return Err(invalid_argument(format!("In[0] and In[1] has different ndims: {sx} vs. {sy}")));
    }
    for (i, s) in [sx, sy].into_iter().enumerate() {
        if s.rank() < 2 {
            return Err(invalid_argument(format!("In[{i}] ndims must be >= 2: {}", s.rank())));
        }
    }
    let (lx, ly) = (lens(sx), lens(sy));
    let ((batch_x, mx), (batch_y, my)) = (lx.split_at(lx.len() - 2), ly.split_at(ly.len() - 2));
    if batches == Batches::Equal
        && let Some(i) = (0..batch_x.len()).find(|&i| batch_x[i] != batch_y[i])
    {
        return Err(invalid_argument(format!("In[0].dim({i}) and In[1].dim({i}) must be the same: {sx} vs {sy}")));
    }
    let Some(plan) = Broadcast::new(batch_x, batch_y) else {
        return Err(invalid_argument(format!("In[0] and In[1] must have compatible batch dimensions: {sx} vs. {sy}")));
    };
    let (adj_x, adj_y) = (ctx.node.attrs.bool("adj_x")?, ctx.node.attrs.bool("adj_y")?);
    let ((m, k), (k2, n)) = (sides(mx[0], mx[1], adj_x), sides(my[0], my[1], adj_y));
    if k != k2 {
        return Err(incompatible(sx, sy));
    }
    let mut pairs = Vec::with_capacity(plan.len());
    super::broadcasting::for_each_pair(&plan, |l, r, _| pairs.push((l, r)));
    let shape = Shape::from_lens(&[plan.shape(), &[m, n]].concat())?;
    let mut z = Tensor::for_overwrite(x.dtype(), shape)?;
    with_numeric!(x.dtype() => T, {
        let (a, b) = (x.as_slice::<T>()?, y.as_slice::<T>()?);
        let first = |i: usize| MatrixRef::new(&a[i * mx[0] * mx[1]..][..mx[0] * mx[1]], mx[0], mx[1]).adjoint_if(adj_x);
        let second = |i: usize| MatrixRef::new(&b[i * my[0] * my[1]..][..my[0] * my[1]], my[0], my[1]).adjoint_if(adj_y);
        batch_matmul(&pool(ctx.step), &pairs, &first, &second, z.as_mut_slice()?);
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, z);
    Ok(())
}

/// The shape of a product of batches.
///
/// Errors: `InvalidArgument` for ranks, batches and sizes that do not fit.
pub(crate) fn batch_product_shape(c: &mut ShapeContext) -> Result<()> {
    let (x, y) = (c.with_rank_at_least(0, 2)?, c.with_rank_at_least(1, 2)?);
    let (Some(dx), Some(dy)) = (x.dims(), y.dims()) else { return Ok(()) };
    let attrs = &c.node().attrs;
    let ((bx, mx), (by, my)) = (dx.split_at(dx.len() - 2), dy.split_at(dy.len() - 2));
    let pair = |m: &[Option<i64>], adjoint: bool| if adjoint { (m[1], m[0]) } else { (m[0], m[1]) };
    let ((m, k), (k2, n)) = (pair(mx, attrs.bool("adj_x")?), pair(my, attrs.bool("adj_y")?));
    if let (Some(k), Some(k2)) = (k, k2)
        && k != k2
    {
        return Err(invalid_argument(format!("Dimensions must be equal, but are {k} and {k2}; input shapes: {x}, {y}")));
    }
    let batch = shape::broadcast_shapes(&PartialShape::new(bx), &PartialShape::new(by))?;
    if let Some(batch) = batch.dims() {
        let out = PartialShape::new(&[batch, &[m, n]].concat());
        c.set_output(0, out);
    }
    Ok(())
}

/// The gradients of a product, by the rule for each of the four combinations of transposes. `multiply(a, b, ta, tb)` makes a product.
fn rule(
    (x, y, dz): (&Output, &Output, &Output),
    transposed: (bool, bool),
    multiply: impl Fn(&Output, &Output, bool, bool) -> Output,
) -> (Output, Output) {
    match transposed {
        (false, false) => (multiply(dz, y, false, true), multiply(x, dz, true, false)),
        (false, true) => (multiply(dz, y, false, false), multiply(dz, x, true, false)),
        (true, false) => (multiply(y, dz, false, true), multiply(x, dz, false, false)),
        (true, true) => (multiply(y, dz, true, true), multiply(dz, x, true, true)),
    }
}

/// The gradients of `MatMul`.
///
/// Errors: none for a `MatMul`.
pub(crate) fn product_gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let transposed = flags(op, "transpose_a", "transpose_b")?;
    let conj = super::backward::conj;
    let (a, b, dz) = (conj(&op.input(0)), conj(&op.input(1)), grads.dense(0));
    let multiply = |a: &Output, b: &Output, ta: bool, tb: bool| {
        op.graph().op("MatMul").input(a).input(b).attr("transpose_a", ta).attr("transpose_b", tb).output()
    };
    let (da, db) = rule((&a, &b, &dz), transposed, multiply);
    Ok(vec![Some(da.into()), Some(db.into())])
}

/// The gradients of the products of batches.
///
/// Errors: none for an op with the attributes `adj_x` and `adj_y`.
pub(crate) fn batch_product_gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let adjoint = flags(op, "adj_x", "adj_y")?;
    let (x, y, dz) = (op.input(0), op.input(1), grads.dense(0));
    let name = op.op_name();
    let multiply = |a: &Output, b: &Output, adj_x: bool, adj_y: bool| {
        let product = op.graph().op(&name).input(a).input(b).attr("adj_x", adj_x).attr("adj_y", adj_y);
        (if name == "BatchMatMulV3" { product.attr("Tout", dz.dtype()) } else { product }).output()
    };
    let (dx, dy) = rule((&x, &y, &dz), adjoint, multiply);
    if name == "BatchMatMul" {
        return Ok(vec![Some(dx.into()), Some(dy.into())]);
    }
    let same_batches = match (x.shape().dims(), y.shape().dims()) {
        (Some(dx), Some(dy)) => dx.len() == dy.len() && dx[..dx.len().saturating_sub(2)].iter().zip(dy).all(|(x, y)| x.is_some() && x == y),
        _ => false,
    };
    if same_batches {
        return Ok(vec![Some(dx.into()), Some(dy.into())]);
    }
    let graph = op.graph();
    let (sx, sy) = (shape_of(&x), shape_of(&y));
    let batch = |shape: &Output| {
        let bounds = [&[0i32], &[-2], &[1]].map(|bound| graph.constant_vector(bound));
        graph.op("StridedSlice").input(shape).inputs(bounds).attr("begin_mask", 1i64).output()
    };
    let axes = graph.op("BroadcastGradientArgs").inputs([batch(&sx), batch(&sy)]).build();
    let sum = |g: Output, shape: &Output, i: usize| apply("Reshape", &[&apply("Sum", &[&g, &axes.output(i)]), shape]);
    Ok(vec![Some(sum(dx, &sx, 0).into()), Some(sum(dy, &sy, 1).into())])
}
