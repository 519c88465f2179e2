//! The kernels of the `TensorArray…V3` ops. An array lies among the resources of its step.

use super::resource_handle::unique_number;
use super::row_batch::{join, row, stack};
use super::tensor_array::{ArraySpec, TensorArray};
use crate::state::variable_access::handle_in;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{PartialShape, ResourceHandle, Result, Shape, Tensor};
use std::sync::Arc;

/// Container of step resources that arrays lie in.
const CONTAINER: &str = "_tensor_arrays";

fn array(ctx: &OpKernelContext) -> Result<Arc<TensorArray>> {
    let handle = handle_in(ctx.input(0)?)?;
    ctx.step.step_resources.lookup(CONTAINER, &handle.name)
}

fn set_handle_and_flow(ctx: &mut OpKernelContext, name: &str) {
    let device = ctx.step.device.name.to_string();
    let handle = ResourceHandle { device, container: CONTAINER.to_owned(), name: name.to_owned(), ..ResourceHandle::default() };
    ctx.set_output(0, Tensor::resource(handle));
    set_flow(ctx, 1);
}

/// The flow is a number that means nothing; edges of it order reads after writes.
fn set_flow(ctx: &mut OpKernelContext, output: usize) {
    ctx.set_output(output, Tensor::scalar(0f32));
}

/// The kernel of `TensorArrayV3`: each execution makes a new array.
///
/// Errors: `InvalidArgument` for a size that is no scalar, negative or too large.
pub(super) fn make(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let size = ctx.scalar::<i32>(0, "TensorArray size")?;
    let spec = ArraySpec {
        dtype: attrs.dtype("dtype")?,
        dynamic_size: attrs.bool("dynamic_size")?,
        clear_after_read: attrs.bool("clear_after_read")?,
        identical_shapes: attrs.bool("identical_element_shapes")?,
        adds_up: false,
    };
    let base = attrs.str("tensor_array_name")?;
    let base = if base.is_empty() { &ctx.node.name } else { base };
    let step_resources = &ctx.step.step_resources;
    let name = format!("{base}_{}", unique_number(step_resources)?);
    let array = TensorArray::new(name.as_str(), spec, attrs.shape("element_shape")?.clone(), size)?;
    step_resources.create(CONTAINER, &name, Arc::new(array))?;
    set_handle_and_flow(ctx, &name);
    Ok(())
}

/// The kernel of `TensorArrayGradV3` and `TensorArrayGradWithShape`: the array of the gradients of an array, one for each source.
///
/// Errors: `NotFound` for an unknown array; `InvalidArgument` if it is closed or the shape to prepend is none.
pub(super) fn gradient(ctx: &mut OpKernelContext) -> Result<()> {
    let array = array(ctx)?;
    let front = if ctx.num_inputs() > 2 { PartialShape::from_numbers(&ctx.input(2)?.to_i64s()?)? } else { PartialShape::scalar() };
    let name = format!("{}@{}", array.name(), ctx.node.attrs.str("source")?);
    ctx.step.step_resources.lookup_or_create(CONTAINER, &name, || array.gradient(name.clone(), &front))?;
    set_handle_and_flow(ctx, &name);
    Ok(())
}

/// The kernel of `TensorArrayWriteV3`.
///
/// Errors: as [`TensorArray::write`].
pub(super) fn write(ctx: &mut OpKernelContext) -> Result<()> {
    let (array, index) = (array(ctx)?, ctx.scalar::<i32>(1, "TensorArray index")?);
    let value = ctx.input(2)?.clone();
    array.write(vec![(index as i64, value)])?;
    set_flow(ctx, 0);
    Ok(())
}

/// The kernel of `TensorArrayReadV3`.
///
/// Errors: as [`TensorArray::read`].
pub(super) fn read(ctx: &mut OpKernelContext) -> Result<()> {
    let (array, index) = (array(ctx)?, ctx.scalar::<i32>(1, "TensorArray index")?);
    check_type(ctx, &array)?;
    if let Some(value) = array.read(&[index as i64], &PartialShape::unknown())?.pop() {
        ctx.set_output(0, value);
    }
    Ok(())
}

fn check_type(ctx: &OpKernelContext, array: &TensorArray) -> Result<()> {
    let wanted = ctx.node.attrs.dtype("dtype")?;
    if wanted == array.dtype() {
        return Ok(());
    }
    Err(invalid_argument(format!("TensorArray dtype is {} but Op requested dtype {wanted}.", array.dtype())))
}

/// The kernel of `TensorArrayGatherV3`.
///
/// Errors: as [`TensorArray::read`]; `InvalidArgument` if the elements differ in shape.
pub(super) fn gather(ctx: &mut OpKernelContext) -> Result<()> {
    let array = array(ctx)?;
    check_type(ctx, &array)?;
    let indices = ctx.input(1)?;
    if indices.rank() != 1 {
        return Err(invalid_argument(format!("Expected indices to be a vector, but received shape: {}", indices.shape())));
    }
    let expected = ctx.node.attrs.shape("element_shape")?.clone();
    let elements = array.read(&indices.to_i64s()?, &expected)?;
    let shape = match elements.first() {
        Some(first) => first.shape().clone(),
        None => array.element_shape().merge(&expected)?.to_shape().ok_or_else(|| {
            invalid_argument(format!(
                "TensorArray has size zero, but element shape {expected} is not fully defined. Currently only static shapes are supported \
                 when packing zero-size TensorArrays."
            ))
        })?,
    };
    let out = stack(array.dtype(), &shape, &elements.iter().collect::<Vec<_>>())?;
    ctx.set_output(0, out);
    Ok(())
}

/// The kernel of `TensorArrayScatterV3`.
///
/// Errors: as [`TensorArray::write`]; `InvalidArgument` if there is not one row per index.
pub(super) fn scatter(ctx: &mut OpKernelContext) -> Result<()> {
    let array = array(ctx)?;
    let (indices, value) = (ctx.input(1)?, ctx.input(2)?);
    if indices.rank() != 1 || value.dims().first() != indices.dims().first() {
        return Err(invalid_argument(format!(
            "Expected len(indices) == values.shape[0], but saw shapes {} and {}",
            indices.shape(),
            value.shape()
        )));
    }
    let elements = indices.to_i64s()?.iter().enumerate().map(|(i, &index)| Ok((index, row(value, i)?))).collect::<Result<_>>()?;
    array.write(elements)?;
    set_flow(ctx, 0);
    Ok(())
}

/// The kernel of `TensorArrayConcatV3`: the elements joined along their first dimensions, and the lengths of these.
///
/// Errors: as [`TensorArray::read`]; `InvalidArgument` if an element is a scalar or the other dimensions differ.
pub(super) fn concat(ctx: &mut OpKernelContext) -> Result<()> {
    let array = array(ctx)?;
    check_type(ctx, &array)?;
    let rest = ctx.node.attrs.shape("element_shape_except0")?.clone();
    let indices: Vec<i64> = (0..array.size()? as i64).collect();
    let elements = array.read(&indices, &PartialShape::unknown())?;
    let mut row_dims: Option<&[i64]> = None;
    let mut lengths = Vec::with_capacity(elements.len());
    for (i, t) in elements.iter().enumerate() {
        let [length, dims @ ..] = t.dims() else {
            return Err(invalid_argument(format!("Concat saw a scalar shape at index {i} but requires at least vectors.")));
        };
        if *row_dims.get_or_insert(dims) != dims || !rest.matches(&Shape::new(dims)?) {
            return Err(invalid_argument(format!("TensorArray has inconsistent shapes.  Index {i} has shape {}", t.shape())));
        }
        lengths.push(*length);
    }
    let row_shape = match row_dims {
        Some(dims) => Shape::new(dims)?,
        None => rest.to_shape().ok_or_else(|| {
            invalid_argument(format!("TensorArray has size zero, but element_shape_except0 {rest} is not fully defined."))
        })?,
    };
    let shape = Shape::new(&[&[lengths.iter().sum::<i64>()], row_shape.dims()].concat())?;
    let out = join(array.dtype(), shape, &elements.iter().collect::<Vec<_>>())?;
    ctx.set_output(0, out);
    ctx.set_output(1, Tensor::vector(&lengths)?);
    Ok(())
}

/// The kernel of `TensorArraySplitV3`: rows of a tensor, so many for each element.
///
/// Errors: as [`TensorArray::write`]; `InvalidArgument` if the lengths do not add up to the rows.
pub(super) fn split(ctx: &mut OpKernelContext) -> Result<()> {
    let array = array(ctx)?;
    let (value, lengths) = (ctx.input(1)?, ctx.input(2)?);
    let &[rows, ..] = value.dims() else {
        return Err(invalid_argument("Expected value to be at least a vector, but received shape: []"));
    };
    if lengths.rank() != 1 {
        return Err(invalid_argument(format!("Expected lengths to be a vector, received shape: {}", lengths.shape())));
    }
    let lengths = lengths.as_slice::<i64>()?;
    let total = lengths.iter().try_fold(0i64, |sum, &n| if n < 0 { None } else { sum.checked_add(n) });
    if total != Some(rows) {
        return Err(invalid_argument(format!(
            "Expected sum of lengths to be equal to values.shape[0], but lengths are {lengths:?} and value's shape is: {}",
            value.shape()
        )));
    }
    let mut start = 0;
    let mut elements = Vec::with_capacity(lengths.len());
    for (i, &n) in lengths.iter().enumerate() {
        elements.push((i as i64, value.rows(start, n as usize)?.deep_copy()?));
        start += n as usize;
    }
    array.write(elements)?;
    set_flow(ctx, 0);
    Ok(())
}

/// The kernel of `TensorArraySizeV3`.
///
/// Errors: `NotFound` for an unknown array; `InvalidArgument` if it is closed.
pub(super) fn size(ctx: &mut OpKernelContext) -> Result<()> {
    let size = array(ctx)?.size()?;
    ctx.set_output(0, Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX)));
    Ok(())
}

/// The kernel of `TensorArrayCloseV3`.
///
/// Errors: `NotFound` for an unknown array.
pub(super) fn close(ctx: &mut OpKernelContext) -> Result<()> {
    array(ctx)?.close();
    Ok(())
}

/// The result of `TensorArrayGatherV3`: one row per index.
///
/// Errors: `InvalidArgument` if indices cannot be a vector.
pub(super) fn gathered_shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.with_rank(1, 1)?.dim(0);
    let element = c.node().attrs.shape("element_shape")?.clone();
    if let Some(dims) = element.dims() {
        c.set_output(0, PartialShape::new(&[&[n], dims].concat()));
    }
    Ok(())
}

/// The results of `TensorArrayConcatV3`.
///
/// Errors: `InvalidArgument` if the attribute is missing.
pub(super) fn concatenated_shape(c: &mut ShapeContext) -> Result<()> {
    let rest = c.node().attrs.shape("element_shape_except0")?.clone();
    if let Some(dims) = rest.dims() {
        c.set_output(0, PartialShape::new(&[&[None], dims].concat()));
    }
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::{Code, DType};

    struct Array(Arc<StepContext>, Tensor);

    impl Array {
        fn new(size: i32, dynamic: bool, clear: bool) -> Array {
            let step = bare_step(1);
            let tester = OpTester::named("TensorArrayV3").input(Tensor::scalar(size)).attr("dtype", DType::Float);
            let handle = tester.attr("dynamic_size", dynamic).attr("clear_after_read", clear).step(&step).run_one().unwrap();
            Array(step, handle)
        }
        fn op(&self, op: &str) -> OpTester {
            OpTester::named(op).input(self.1.clone()).step(&self.0)
        }
        fn write(&self, i: i32, value: Tensor) -> Result<Vec<Tensor>> {
            self.op("TensorArrayWriteV3").input(Tensor::scalar(i)).input(value).input(Tensor::scalar(0f32)).run()
        }
        fn read(&self, i: i32) -> Result<Tensor> {
            self.op("TensorArrayReadV3").input(Tensor::scalar(i)).input(Tensor::scalar(0f32)).attr("dtype", DType::Float).run_one()
        }
        fn gradient(&self, source: &str) -> Array {
            let handle = self.op("TensorArrayGradV3").input(Tensor::scalar(0f32)).attr("source", source).run_one().unwrap();
            Array(self.0.clone(), handle)
        }
    }

    #[test]
    fn elements_are_read_once_if_they_are_cleared() {
        let array = Array::new(2, false, true);
        array.write(1, tensor(&[2], &[1f32, 2.0])).unwrap();
        assert_eq!(array.read(1).unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0]);
        assert!(array.read(1).unwrap_err().bare_message().contains("Could not read index 1 twice"));
        assert!(array.read(0).unwrap_err().bare_message().contains("the element shape is not fully defined"));
        assert!(array.read(7).is_err() && array.read(-1).is_err());
    }

    #[test]
    fn only_a_dynamic_array_grows() {
        let array = Array::new(1, false, true);
        assert!(array.write(1, Tensor::scalar(1f32)).unwrap_err().bare_message().contains("not resizeable and size is: 1"));
        let array = Array::new(0, true, true);
        array.write(2, Tensor::scalar(1f32)).unwrap();
        let size = array.op("TensorArraySizeV3").input(Tensor::scalar(0f32)).run_one().unwrap();
        assert_eq!(size.to_scalar::<i32>().unwrap(), 3);
        assert_eq!(array.write(i32::MAX, Tensor::scalar(1f32)).unwrap_err().code(), Code::InvalidArgument);
        assert!(array.write(2, Tensor::scalar(1f32)).unwrap_err().bare_message().contains("already been written to"));
        assert!(array.write(0, Tensor::scalar(1i32)).unwrap_err().bare_message().contains("the value dtype is int32"));
        let negative = OpTester::named("TensorArrayV3").input(Tensor::scalar(-1i32)).attr("dtype", DType::Float).run();
        assert_eq!(negative.unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn gradients_written_to_one_place_add_up_and_the_rest_is_zero() {
        let array = Array::new(2, false, false);
        array.write(0, tensor(&[2], &[0f32, 0.0])).unwrap();
        array.write(1, tensor(&[2], &[0f32, 0.0])).unwrap();
        let (a, b, other) = (array.gradient("gradients"), array.gradient("gradients"), array.gradient("gradients_1"));
        a.write(0, tensor(&[2], &[1f32, 2.0])).unwrap();
        b.write(0, tensor(&[2], &[10f32, 20.0])).unwrap();
        assert_eq!(a.read(0).unwrap().as_slice::<f32>().unwrap(), [11.0, 22.0]);
        assert_eq!(a.read(1).unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0]);
        assert_eq!(other.read(0).unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0]);
        assert!(a.write(0, tensor(&[2], &[1f32, 2.0])).unwrap_err().bare_message().contains("already been read"));
    }

    #[test]
    fn scatter_and_gather_split_and_concat_undo_each_other() {
        let array = Array::new(2, false, false);
        let value = tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
        let flow = || Tensor::scalar(0f32);
        array.op("TensorArrayScatterV3").input(tensor(&[2], &[1i32, 0])).input(value.clone()).input(flow()).run().unwrap();
        let gather = array.op("TensorArrayGatherV3").input(tensor(&[2], &[0i32, 1])).input(flow()).attr("dtype", DType::Float);
        assert_eq!(gather.run_one().unwrap().as_slice::<f32>().unwrap(), [3.0, 4.0, 1.0, 2.0]);
        let array = Array::new(2, false, false);
        let rows = tensor(&[3], &[1f32, 2.0, 3.0]);
        array.op("TensorArraySplitV3").input(rows.clone()).input(tensor(&[2], &[1i64, 2])).input(flow()).run().unwrap();
        let out = array.op("TensorArrayConcatV3").input(flow()).attr("dtype", DType::Float).run().unwrap();
        assert_eq!(out[0].as_slice::<f32>().unwrap(), rows.as_slice::<f32>().unwrap());
        assert_eq!(out[1].as_slice::<i64>().unwrap(), [1, 2]);
    }

    #[test]
    fn malformed_rows_and_lengths_are_refused() {
        let array = Array::new(2, false, false);
        let flow = || Tensor::scalar(0f32);
        for lengths in [&[2i64][..], &[-1, 4], &[i64::MAX, i64::MAX], &[1, 1, 1]] {
            let run =
                array.op("TensorArraySplitV3").input(tensor(&[3], &[0f32; 3])).input(Tensor::vector(lengths).unwrap()).input(flow()).run();
            assert_eq!(run.unwrap_err().code(), Code::InvalidArgument, "{lengths:?}");
        }
        let run = array.op("TensorArrayScatterV3").input(tensor(&[2], &[0i32, 1])).input(tensor(&[3], &[0f32; 3])).input(flow()).run();
        assert_eq!(run.unwrap_err().code(), Code::InvalidArgument);
        let run = array.op("TensorArrayScatterV3").input(tensor(&[2], &[1i32, 1])).input(tensor(&[2], &[0f32; 2])).input(flow()).run();
        assert_eq!(run.unwrap_err().code(), Code::InvalidArgument);
        array.op("TensorArrayCloseV3").run().unwrap();
        assert!(array.read(0).unwrap_err().bare_message().contains("already been closed"));
    }
}
