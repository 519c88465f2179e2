//! The kernels of the list ops that work on single elements, and on whole lists.

use super::tensor_list::TensorList;
use crate::array::dims::index_tensor;
use crate::dataflow::row_batch::row;
use crate::prelude::*;
use ferroflow_tensor::Variant;
use std::borrow::Cow;

fn list<'a>(ctx: &'a OpKernelContext, i: usize) -> Result<Cow<'a, TensorList>> {
    TensorList::of(ctx.input(i)?)
}

/// The list of an input, with elements of the type that the node says.
pub(super) fn typed_list<'a>(ctx: &'a OpKernelContext, i: usize) -> Result<Cow<'a, TensorList>> {
    let list = list(ctx, i)?;
    list.check_dtype(ctx.node.attrs.dtype("element_dtype")?)?;
    Ok(list)
}

/// The list of input 0, to be changed.
pub(super) fn taken(ctx: &mut OpKernelContext) -> Result<TensorList> {
    TensorList::taken(ctx.take_input(0)?)
}

pub(super) fn finish(ctx: &mut OpKernelContext, list: TensorList) -> Result<()> {
    ctx.set_output(0, list.into_tensor()?);
    Ok(())
}

/// The shape that an input describes: a vector with -1 for what is unknown, or a scalar -1 if even the rank is.
pub(super) fn shape_input(ctx: &OpKernelContext, i: usize) -> Result<PartialShape> {
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

#[cfg(test)]
mod tests;
