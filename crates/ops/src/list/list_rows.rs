//! The kernels between lists and tensors whose rows their elements are.

use super::list_kernel::{finish, shape_input, taken, typed_list};
use super::tensor_list::TensorList;
use crate::dataflow::row_batch::{join, row};
use crate::prelude::*;
use std::borrow::Cow;

/// Elements below each other; what is not set is zero.
fn stacked(list: &TensorList, elements: &[&Option<Tensor>], asked: &PartialShape, verb: &str) -> Result<Tensor> {
    let mut shape = asked.merge(&list.element_shape).map_err(|_| not_compatible(asked, &list.element_shape))?;
    for t in elements.iter().copied().flatten() {
        let own = PartialShape::from(t.shape());
        shape = own.merge(&shape).map_err(|_| not_compatible(&own, &shape))?;
    }
    let known = shape.to_shape().ok_or_else(|| {
        invalid_argument(match elements {
            [] => format!("Tried to {verb} elements of an empty list with non-fully-defined element_shape: {shape}"),
            _ if verb == "stack" => {
                format!("Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: {shape}")
            }
            _ => format!("Tried to {verb} uninitialized tensors from a list with non-fully-defined element_shape: {shape}"),
        })
    })?;
    let out = Shape::new(&[&[elements.len() as i64], known.dims()].concat())?;
    let zero = match elements.iter().any(|t| t.is_none()) {
        true => Some(Tensor::zeros(list.element_dtype, known)?),
        false => None,
    };
    let parts: Vec<&Tensor> = elements.iter().filter_map(|t| t.as_ref().or(zero.as_ref())).collect();
    join(list.element_dtype, out, &parts)
}

fn not_compatible(a: &PartialShape, b: &PartialShape) -> ferroflow_tensor::Error {
    invalid_argument(format!("PartialTensorShape: Incompatible shapes during merge: {a} vs. {b}"))
}

/// `TensorListStack`.
pub(super) fn stack(ctx: &mut OpKernelContext) -> Result<()> {
    let expected = ctx.node.attrs.int("num_elements")?;
    let out = {
        let list = typed_list(ctx, 0)?;
        let n = list.tensors.len();
        if expected >= 0 && expected as usize != n {
            return Err(invalid_argument(format!("Operation expected a list with {expected} elements but got a list with {n} elements.")));
        }
        stacked(&list, &list.tensors.iter().collect::<Vec<_>>(), &shape_input(ctx, 1)?, "stack")?
    };
    ctx.set_output(0, out);
    Ok(())
}

/// `TensorListGather`.
pub(super) fn gather(ctx: &mut OpKernelContext) -> Result<()> {
    let out = {
        let list = typed_list(ctx, 0)?;
        let n = list.tensors.len();
        let at = |&i: &i32| {
            let element = usize::try_from(i).ok().and_then(|i| list.tensors.get(i));
            element.ok_or_else(|| invalid_argument(format!("Index {i} out o range; list only has {n} elements.")))
        };
        let elements = ctx.slice::<i32>(1)?.iter().map(at).collect::<Result<Vec<_>>>()?;
        stacked(&list, &elements, &shape_input(ctx, 2)?, "gather")?
    };
    ctx.set_output(0, out);
    Ok(())
}

/// `TensorListFromTensor`.
pub(super) fn from_tensor(ctx: &mut OpKernelContext) -> Result<()> {
    let (t, shape) = (ctx.input(0)?, shape_input(ctx, 1)?);
    let &[n, ref rest @ ..] = t.dims() else {
        return Err(invalid_argument(format!("Tensor must be at least a vector, but saw shape: {}", t.shape())));
    };
    let rest = Shape::new(rest)?;
    if !shape.matches(&rest) {
        return Err(invalid_argument(format!("Specified a list with shape {shape} from a tensor with shape {rest}")));
    }
    let mut list = TensorList::new(t.dtype(), shape);
    list.resize(n as usize)?;
    list.tensors = (0..n as usize).map(|i| row(t, i).map(Some)).collect::<Result<_>>()?;
    finish(ctx, list)
}

/// Puts row `i` of a tensor at place `indices[i]` of a list, which grows.
fn scatter_rows(list: &mut TensorList, t: &Tensor, indices: &Tensor) -> Result<()> {
    let places = indices.as_slice::<i32>()?;
    if indices.rank() != 1 || t.dims().first() != indices.dims().first() {
        return Err(invalid_argument(format!("Invalid number of rows in input tensor. Expected: {} Actual: {}", places.len(), t.shape())));
    }
    list.check_dtype(t.dtype())?;
    let rest = Shape::new(&t.dims()[1..])?;
    if !list.element_shape.matches(&rest) {
        return Err(invalid_argument(format!("Specified a list with shape {} from a tensor with shape {rest}", list.element_shape)));
    }
    for (i, &place) in places.iter().enumerate() {
        let place = usize::try_from(place).map_err(|_| invalid_argument("Indices in TensorListScatter must all be non-negative."))?;
        if place >= list.tensors.len() {
            list.resize(place + 1)?;
        }
        list.tensors[place] = Some(row(t, i)?);
    }
    Ok(())
}

/// `TensorListScatter` and `TensorListScatterV2`.
pub(super) fn scatter(ctx: &mut OpKernelContext) -> Result<()> {
    let (t, indices) = (ctx.input(0)?, ctx.input(1)?);
    let n = if ctx.num_inputs() > 3 { ctx.scalar::<i32>(3, "num_elements")? } else { -1 };
    if n < -1 {
        return Err(invalid_argument(format!("TensorListScatter expects num_elements >= -1, found: {n}")));
    }
    let mut list = TensorList::new(t.dtype(), shape_input(ctx, 2)?);
    if n >= 0 {
        if let Some(far) = indices.as_slice::<i32>()?.iter().find(|&&i| i >= n) {
            return Err(invalid_argument(format!("TensorListScatter: Trying to scatter at index {far} in list with size {n}")));
        }
        list.resize(n as usize)?;
    }
    scatter_rows(&mut list, t, indices)?;
    finish(ctx, list)
}

/// `TensorListScatterIntoExistingList`.
pub(super) fn scatter_into(ctx: &mut OpKernelContext) -> Result<()> {
    let (t, indices) = (ctx.input(1)?.clone(), ctx.input(2)?.clone());
    let mut list = taken(ctx)?;
    scatter_rows(&mut list, &t, &indices)?;
    finish(ctx, list)
}

/// A shape of which only the dimensions after the first count.
fn without_first(shape: &PartialShape) -> Result<PartialShape> {
    match shape.dims() {
        None => Ok(PartialShape::unknown()),
        Some([]) => Err(invalid_argument("Concat requires elements to be at least vectors, found scalars instead.")),
        Some([_, rest @ ..]) => Ok(PartialShape::new(rest)),
    }
}

/// `TensorListConcat` and `TensorListConcatV2`.
pub(super) fn concat(ctx: &mut OpKernelContext) -> Result<()> {
    let (asked, leading) = match ctx.num_inputs() {
        1 => (ctx.node.attrs.shape("element_shape")?.clone(), &[][..]),
        _ => (shape_input(ctx, 1)?, ctx.slice::<i64>(2)?),
    };
    let (out, lengths) = {
        let list = typed_list(ctx, 0)?;
        concatenated(&list, &asked, leading)?
    };
    ctx.set_output(0, out);
    ctx.set_output(1, Tensor::vector(&lengths)?);
    Ok(())
}

fn concatenated(list: &TensorList, asked: &PartialShape, leading: &[i64]) -> Result<(Tensor, Vec<i64>)> {
    let both = asked.merge(&list.element_shape).map_err(|_| not_compatible(asked, &list.element_shape))?;
    let mut rest = without_first(&both)?;
    for t in list.tensors.iter().flatten() {
        let own = without_first(&t.shape().into())?;
        rest = own.merge(&rest).map_err(|_| not_compatible(&own, &rest))?;
    }
    let known = rest.to_shape().ok_or_else(|| {
        invalid_argument(format!(
            "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: {both}"
        ))
    })?;
    let mut lengths = Vec::with_capacity(list.tensors.len());
    let mut parts: Vec<Cow<Tensor>> = Vec::with_capacity(list.tensors.len());
    for (i, t) in list.tensors.iter().enumerate() {
        let (part, length) = match t {
            Some(t) => (Cow::Borrowed(t), t.dims().first().copied().unwrap_or(0)),
            None => {
                let length = both.dim(0).or_else(|| leading.get(i).copied()).ok_or_else(|| {
                    let n = leading.len();
                    invalid_argument(format!("List contains uninitialized tensor at index {i} but leading_dims has only {n} elements."))
                })?;
                (Cow::Owned(Tensor::zeros(list.element_dtype, Shape::new(&[&[length], known.dims()].concat())?)?), length)
            }
        };
        parts.push(part);
        lengths.push(length);
    }
    let shape = Shape::new(&[&[lengths.iter().sum::<i64>()], known.dims()].concat())?;
    let out = join(list.element_dtype, shape, &parts.iter().map(|p| &**p).collect::<Vec<_>>())?;
    Ok((out, lengths))
}

/// `TensorListSplit`.
pub(super) fn split(ctx: &mut OpKernelContext) -> Result<()> {
    let (t, shape, lengths) = (ctx.input(0)?, shape_input(ctx, 1)?, ctx.input(2)?);
    let &[rows, ref rest @ ..] = t.dims() else {
        return Err(invalid_argument(format!("Tensor must be at least a vector, but saw shape: {}", t.shape())));
    };
    if lengths.rank() != 1 {
        return Err(invalid_argument(format!("Expected lengths to be a vector, received shape: {}", lengths.shape())));
    }
    if !without_first(&shape)?.matches(&Shape::new(rest)?) {
        return Err(invalid_argument(format!("tensor shape {} is not compatible with element_shape {shape}", t.shape())));
    }
    let mut list = TensorList::new(t.dtype(), shape);
    let mut used = 0i64;
    for &n in lengths.as_slice::<i64>()? {
        if n < 0 || n > rows - used {
            return Err(invalid_argument(format!(
                "Attempting to slice [{used}, {}] from tensor with length {rows}",
                used.saturating_add(n)
            )));
        }
        let element = t.rows(used as usize, n as usize)?.deep_copy()?;
        if !list.element_shape.matches(element.shape()) {
            return Err(invalid_argument(format!("element shape {} is not the list's {}", element.shape(), list.element_shape)));
        }
        list.tensors.push(Some(element));
        used += n;
    }
    if used != rows {
        return Err(invalid_argument(format!("Unused values in tensor. Length of tensor: {rows} Values used: {used}")));
    }
    finish(ctx, list)
}
