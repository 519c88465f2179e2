//! The kernels of the list ops.

use super::tensor_list::TensorList;
use crate::array::dims::index_tensor;
use crate::dataflow::row_batch::{join, row};
use crate::prelude::*;
use ferroflow_tensor::Variant;
use std::borrow::Cow;

fn list<'a>(ctx: &'a OpKernelContext, i: usize) -> Result<Cow<'a, TensorList>> {
    TensorList::of(ctx.input(i)?)
}

/// The list of an input, with elements of the type that the node says.
fn typed_list<'a>(ctx: &'a OpKernelContext, i: usize) -> Result<Cow<'a, TensorList>> {
    let list = list(ctx, i)?;
    list.check_dtype(ctx.node.attrs.dtype("element_dtype")?)?;
    Ok(list)
}

/// The list of input 0, to be changed.
fn taken(ctx: &mut OpKernelContext) -> Result<TensorList> {
    TensorList::taken(ctx.take_input(0)?)
}

fn finish(ctx: &mut OpKernelContext, list: TensorList) -> Result<()> {
    ctx.set_output(0, list.into_tensor()?);
    Ok(())
}

/// The shape that an input describes: a vector with -1 for what is unknown, or a scalar -1 if even the rank is.
fn shape_input(ctx: &OpKernelContext, i: usize) -> Result<PartialShape> {
    let t = ctx.input(i)?;
    let numbers = t.to_i64s()?;
    match (t.rank(), &numbers[..]) {
        (0, [-1]) => Ok(PartialShape::unknown()),
        (0, _) => Err(invalid_argument("The only valid scalar shape tensor is the fully unknown shape specified as -1.")),
        (1, dims) => PartialShape::from_numbers(dims),
        _ => Err(invalid_argument(format!("a shape must be a vector, got {}", t.shape()))),
    }
}

fn index_below(index: i32, list: &TensorList, what: &str) -> Result<usize> {
    let n = list.tensors.len();
    usize::try_from(index)
        .ok()
        .filter(|&i| i < n)
        .ok_or_else(|| invalid_argument(format!("Trying to {what} element {index} in a list with {n} elements.")))
}

/// `EmptyTensorList`.
pub(super) fn empty(ctx: &mut OpKernelContext) -> Result<()> {
    let most = ctx.scalar::<i32>(1, "max_num_elements")?;
    let list = TensorList::new(ctx.node.attrs.dtype("element_dtype")?, shape_input(ctx, 0)?);
    finish(ctx, TensorList { max_num_elements: usize::try_from(most).ok(), ..list })
}

/// `TensorListReserve`.
pub(super) fn reserve(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.scalar::<i32>(1, "num_elements")?;
    let n = usize::try_from(n)
        .map_err(|_| invalid_argument(format!("The num_elements to reserve must be a non negative number, but got {n}")))?;
    let mut list = TensorList::new(ctx.node.attrs.dtype("element_dtype")?, shape_input(ctx, 0)?);
    list.resize(n)?;
    finish(ctx, list)
}

fn check_push(list: &TensorList, element: &Tensor) -> Result<()> {
    list.check_dtype(element.dtype())?;
    if !list.element_shape.matches(element.shape()) {
        return Err(invalid_argument(format!(
            "Tried to append a tensor with incompatible shape to a list. Op element shape: {} list shape: {}",
            element.shape(),
            list.element_shape
        )));
    }
    match list.max_num_elements {
        Some(most) if list.tensors.len() >= most => {
            Err(invalid_argument(format!("Tried to push item into a full list list size: {} max_num_elements: {most}", list.tensors.len())))
        }
        _ => Ok(()),
    }
}

/// `TensorListPushBack`.
pub(super) fn push_back(ctx: &mut OpKernelContext) -> Result<()> {
    let element = ctx.input(1)?.clone();
    check_push(&*list(ctx, 0)?, &element)?;
    let mut list = taken(ctx)?;
    list.tensors.push(Some(element));
    finish(ctx, list)
}

/// `TensorListPushBackBatch`.
pub(super) fn push_back_batch(ctx: &mut OpKernelContext) -> Result<()> {
    let (lists, batch) = (ctx.input(0)?, ctx.input(1)?);
    if lists.rank() != 1 || batch.dims().first() != lists.dims().first() {
        return Err(invalid_argument(format!("Expected one row of tensor per list, got {} lists and {}", lists.shape(), batch.shape())));
    }
    let one = |(i, variant): (usize, &Variant)| -> Result<Variant> {
        let (mut list, element) = (TensorList::in_variant(variant)?.into_owned(), row(batch, i)?);
        check_push(&list, &element)?;
        list.tensors.push(Some(element));
        list.into_variant()
    };
    let out = lists.as_variants()?.iter().enumerate().map(one).collect::<Result<_>>()?;
    let out = Tensor::variants(lists.shape().clone(), out)?;
    ctx.set_output(0, out);
    Ok(())
}

/// `TensorListPopBack`.
pub(super) fn pop_back(ctx: &mut OpKernelContext) -> Result<()> {
    let asked = shape_input(ctx, 1)?;
    let unset = match typed_list(ctx, 0)?.tensors.last() {
        None => return Err(invalid_argument("Trying to pop from an empty list.")),
        Some(Some(_)) => None,
        Some(None) => {
            let shape = asked.merge(&list(ctx, 0)?.element_shape)?;
            Some(shape.to_shape().ok_or_else(|| {
                invalid_argument(format!("Trying to read an uninitialized tensor but element_shape is not fully defined.{shape}"))
            })?)
        }
    };
    let mut list = taken(ctx)?;
    let element = match (list.tensors.pop().flatten(), unset) {
        (Some(t), _) => t,
        (None, shape) => Tensor::zeros(list.element_dtype, shape.unwrap_or_else(Shape::scalar))?,
    };
    ctx.set_output(1, element);
    finish(ctx, list)
}

/// `TensorListLength`.
pub(super) fn length(ctx: &mut OpKernelContext) -> Result<()> {
    let n = list(ctx, 0)?.tensors.len();
    ctx.set_output(0, Tensor::scalar(n as i32));
    Ok(())
}

/// `TensorListElementShape`.
pub(super) fn element_shape(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = list(ctx, 0)?.element_shape.clone();
    let dtype = ctx.node.attrs.dtype("shape_type")?;
    let out = match shape.dims() {
        None => index_tensor(dtype, Shape::scalar(), &[-1])?,
        Some(dims) => {
            let dims: Vec<i64> = dims.iter().map(|d| d.unwrap_or(-1)).collect();
            index_tensor(dtype, Shape::from_lens(&[dims.len()])?, &dims)?
        }
    };
    ctx.set_output(0, out);
    Ok(())
}

/// `TensorListGetItem`.
pub(super) fn get_item(ctx: &mut OpKernelContext) -> Result<()> {
    let index = ctx.scalar::<i32>(1, "index")?;
    let item = {
        let list = typed_list(ctx, 0)?;
        match &list.tensors[index_below(index, &list, "access")?] {
            Some(t) => t.clone(),
            None => {
                let shape = list.common_shape(&shape_input(ctx, 2)?)?;
                let known = shape.to_shape().ok_or_else(|| {
                    invalid_argument(format!(
                        "Trying to read an uninitialized tensor but element_shape is not fully defined: {shape} and no list element is set."
                    ))
                })?;
                Tensor::zeros(list.element_dtype, known)?
            }
        }
    };
    ctx.set_output(0, item);
    Ok(())
}

/// `TensorListSetItem`.
pub(super) fn set_item(ctx: &mut OpKernelContext) -> Result<()> {
    let (index, item) = (ctx.scalar::<i32>(1, "index")?, ctx.input(2)?.clone());
    let grows = ctx.node.attrs.bool("resize_if_index_out_of_bounds")?;
    {
        let list = list(ctx, 0)?;
        list.check_dtype(item.dtype())?;
        if !(grows && index >= 0) {
            index_below(index, &list, "modify")?;
        }
        if !list.element_shape.matches(item.shape()) {
            return Err(invalid_argument(format!(
                "Tried to set a tensor with incompatible shape at a list index. Item element shape: {} list shape: {}",
                item.shape(),
                list.element_shape
            )));
        }
    }
    let mut list = taken(ctx)?;
    let index = index as usize;
    if index >= list.tensors.len() {
        list.resize(index + 1)?;
    }
    list.tensors[index] = Some(item);
    finish(ctx, list)
}

/// `TensorListResize`.
pub(super) fn resize(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.scalar::<i32>(1, "size")?;
    let n = usize::try_from(n).map_err(|_| invalid_argument(format!("TensorListSlice expects size to be non-negative. Got: {n}")))?;
    let mut list = taken(ctx)?;
    list.resize(n)?;
    finish(ctx, list)
}

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

/// `TensorListConcatLists`.
pub(super) fn concat_lists(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    if a.shape() != b.shape() {
        return Err(invalid_argument(format!("input_a and input_b must have the same shape. Got {} and {}", a.shape(), b.shape())));
    }
    let dtype = ctx.node.attrs.dtype("element_dtype")?;
    let one = |(a, b): (&Variant, &Variant)| -> Result<Variant> {
        let (a, b) = (TensorList::in_variant(a)?, TensorList::in_variant(b)?);
        a.check_dtype(dtype)?;
        b.check_dtype(dtype)?;
        let tensors = a.tensors.iter().chain(&b.tensors).cloned().collect();
        TensorList { tensors, element_shape: a.element_shape.merge(&b.element_shape)?, ..a.into_owned() }.into_variant()
    };
    let out = a.as_variants()?.iter().zip(b.as_variants()?).map(one).collect::<Result<_>>()?;
    let out = Tensor::variants(a.shape().clone(), out)?;
    ctx.set_output(0, out);
    Ok(())
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

#[cfg(test)]
mod tests;
