//! `ResourceGather`: rows of a resource variable.

use super::scatter::position;
use super::variable_access::variable_of_type;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_graph::{Grad, Operation, OutGrads};
use ferroflow_tensor::error::{invalid_argument, unimplemented};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceGather(resource: resource, indices: Tindices) -> (output: dtype)",
    attrs: "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: type in {int32, int64}",
    flags: "stateful",
    doc: "output[b…, i…, :] = variable[b…, indices[b…, i…], :], with batch_dims leading dimensions in common. The variable is not copied.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dtype = ctx.node.attrs.dtype("dtype")?;
    let batch_dims = ctx.node.attrs.int("batch_dims")?;
    let indices = ctx.input(1)?;
    let out = variable_of_type(ctx, 0, dtype)?.update(|params| {
        let batch = batch_count(batch_dims, indices.rank(), params.rank())?;
        let (p, i) = (params.dims(), indices.dims());
        if p[..batch] != i[..batch] {
            return Err(invalid_argument(format!(
                "params.shape[:{batch}] must be indices.shape[:{batch}], got {} and {}",
                params.shape(),
                indices.shape()
            )));
        }
        let shape = Shape::new(&[i, &p[batch + 1..]].concat())?;
        let outer = p[..batch].iter().product::<i64>() as usize;
        let rows = params.shape().dim(batch);
        let width = p[batch + 1..].iter().product::<i64>() as usize;
        let numbers = indices.to_i64s()?;
        let per_batch = numbers.len().checked_div(outer).unwrap_or(0);
        let mut starts = Vec::with_capacity(numbers.len());
        for (n, &index) in numbers.iter().enumerate() {
            match usize::try_from(index) {
                Ok(index) if index < rows => starts.push((n / per_batch.max(1) * rows + index) * width),
                _ => {
                    let at = position(indices.shape(), n);
                    return Err(invalid_argument(format!("indices{at} = {index} is not in [0, {rows})")));
                }
            }
        }
        gather_slices(params, &starts, width, shape)
    })?;
    ctx.set_output(0, out);
    Ok(())
}

/// The number of dimensions in common.
fn batch_count(batch_dims: i64, indices_rank: usize, params_rank: usize) -> Result<usize> {
    let batch = if batch_dims < 0 { batch_dims + indices_rank as i64 } else { batch_dims };
    match usize::try_from(batch) {
        Ok(batch) if batch <= indices_rank && batch < params_rank => Ok(batch),
        _ => Err(invalid_argument(format!(
            "batch_dims {batch_dims} does not fit indices of rank {indices_rank} and params of rank {params_rank}"
        ))),
    }
}

/// The slices of `width` elements that start at these elements, checked by the caller, one after the other.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn gather_slices(params: &Tensor, starts: &[usize], width: usize, shape: Shape) -> Result<Tensor> {
    fn picked<T: Clone>(from: &[T], starts: &[usize], width: usize) -> Vec<T> {
        starts.iter().flat_map(|&s| from[s..s + width].iter().cloned()).collect()
    }
    match params.dtype() {
        DType::String => return Tensor::strings(shape, picked(params.as_strings()?, starts, width)),
        DType::Variant => return Tensor::variants(shape, picked(params.as_variants()?, starts, width)),
        DType::Resource => return Tensor::resources(shape, picked(params.as_resources()?, starts, width)),
        _ => {}
    }
    let size = params.dtype().size();
    let from = params.bytes()?;
    let mut out = Tensor::for_overwrite(params.dtype(), shape)?;
    let to = out.bytes_mut()?;
    if width > 0 {
        for (row, &s) in to.chunks_exact_mut(width * size).zip(starts) {
            row.copy_from_slice(&from[s * size..(s + width) * size]);
        }
    }
    Ok(out)
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (indices, handle) = (c.input(1), c.input_handle(0));
    if let (Some(i), Some((_, params))) = (indices.dims(), handle)
        && let Some(p) = params.dims()
    {
        let batch = batch_count(c.node().attrs.int("batch_dims")?, i.len(), p.len())?;
        c.set_output(0, PartialShape::new(&[i, &p[batch + 1..]].concat()));
    }
    Ok(())
}

/// The rows that were read; nothing else of the variable has a gradient.
fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    if op.with_attrs(|a| a.int("batch_dims"))? != 0 {
        return Err(unimplemented("ResourceGather with batch_dims has no gradient"));
    }
    let graph = op.graph();
    let (handle, indices, grad) = (op.input(0), op.input(1), grads.dense(0));
    let dense_shape = graph.op("VariableShape").input(handle).output();
    let count = graph.op("Reshape").inputs([graph.op("Size").input(indices.clone()).output(), graph.constant_vector(&[1i32])]).output();
    let one = graph.constant_vector(&[1i32]);
    let inner = graph
        .op("StridedSlice")
        .inputs([dense_shape.clone(), one.clone(), graph.constant_vector(&[0i32]), one])
        .attr("end_mask", 1i64)
        .output();
    let values_shape = graph.op("ConcatV2").input_list([count.clone(), inner]).input(graph.constant(0i32)).output();
    let values = graph.op("Reshape").inputs([grad, values_shape]).output();
    let indices = graph.op("Reshape").inputs([indices, count]).output();
    Ok(vec![Some(Grad::Slices { values, indices, dense_shape }), None])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, strings, tensor};
    use ferroflow_tensor::Code;

    fn gathered(value: Tensor, indices: Tensor, batch_dims: i64) -> Result<Tensor> {
        let (step, dtype) = (bare_step(1), value.dtype());
        let v = handle(&step, "v", Some(value));
        OpTester::new(&OP).input(v).input(indices).attr("dtype", dtype).attr("batch_dims", batch_dims).step(&step).run_one()
    }

    #[test]
    fn rows_are_gathered_in_the_order_of_the_indices() {
        let out = gathered(tensor(&[3, 2], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]), tensor(&[2, 1], &[2i32, 0]), 0).unwrap();
        assert_eq!((out.dims(), out.as_slice::<f32>().unwrap()), (&[2i64, 1, 2][..], &[5f32, 6.0, 1.0, 2.0][..]));
        let out = gathered(strings(&[2], &["a", "b"]), Tensor::scalar(1i64), 0).unwrap();
        assert_eq!(out.as_strings().unwrap()[0], "b");
    }

    #[test]
    fn batches_are_gathered_each_from_its_own_part() {
        let out = gathered(tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]), tensor(&[2, 2], &[0i32, 2, 1, 1]), 1).unwrap();
        assert_eq!(out.as_slice::<i32>().unwrap(), [1, 3, 5, 5]);
        assert_eq!(gathered(tensor(&[2, 0], &[] as &[i32]), tensor(&[2, 0], &[] as &[i32]), 1).unwrap().dims(), [2, 0]);
    }

    #[test]
    fn bad_indices_and_ranks_are_refused() {
        let v = || tensor(&[5], &[0f32; 5]);
        assert_eq!(gathered(v(), tensor(&[1], &[5i32]), 0).unwrap_err().bare_message(), "indices[0] = 5 is not in [0, 5)");
        for (value, indices, batch) in [
            (Tensor::scalar(1f32), tensor(&[1], &[0i32]), 0),
            (v(), tensor(&[1], &[-1i32]), 0),
            (v(), tensor(&[1], &[0i32]), 1),
            (tensor(&[2, 2], &[0f32; 4]), tensor(&[3, 1], &[0i32; 3]), 1),
            (v(), tensor(&[1], &[0i32]), -9),
        ] {
            assert_eq!(gathered(value, indices, batch).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
