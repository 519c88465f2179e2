//! `ResourceGatherNd`: slices of a resource variable, named by index vectors.

use super::resource_gather::gather_slices;
use super::scatter_nd_rows::Slices;
use super::variable_access::variable_of_type;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::{PartialShape, Result, Shape};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceGatherNd(resource: resource, indices: Tindices) -> (output: dtype)",
    attrs: "dtype: type; Tindices: type in {int32, int64}",
    flags: "stateful",
    doc: "output[i…, :] = variable[indices[i…, 0], …, indices[i…, k−1], :]. The variable is not copied.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let indices = ctx.input(1)?;
    let out = variable_of_type(ctx, 0, ctx.node.attrs.dtype("dtype")?)?.update(|params| {
        let slices = Slices::new(params.shape(), indices.shape())?;
        let starts = slices.starts(params.shape(), indices)?.into_iter().collect::<Result<Vec<_>>>()?;
        let shape = Shape::new(&[&indices.dims()[..indices.rank() - 1], &params.dims()[slices.depth..]].concat())?;
        gather_slices(params, &starts, slices.width, shape)
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let indices = c.with_rank_at_least(1, 1)?;
    if let (Some(i), Some((_, params))) = (indices.dims(), c.input_handle(0))
        && let (Some(p), Some(Some(depth))) = (params.dims(), i.last())
        && let Some(rest) = usize::try_from(*depth).ok().and_then(|d| p.get(d..))
    {
        c.set_output(0, PartialShape::new(&[&i[..i.len() - 1], rest].concat()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_tensor::{Code, DType, Tensor};

    fn gathered(indices: Tensor) -> Result<Tensor> {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0])));
        OpTester::new(&OP).input(v).input(indices).attr("dtype", DType::Float).step(&step).run_one()
    }

    #[test]
    fn elements_and_rows_are_gathered() {
        assert_eq!(gathered(tensor(&[2, 2], &[0i32, 0, 1, 1])).unwrap().as_slice::<f32>().unwrap(), [1.0, 4.0]);
        assert_eq!(gathered(tensor(&[1, 1], &[1i32])).unwrap().dims(), [1, 2]);
        for bad in [tensor(&[1, 1], &[2i32]), tensor(&[1, 1], &[-1i32]), tensor(&[1, 3], &[0i32; 3]), Tensor::scalar(0i32)] {
            assert_eq!(gathered(bad).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
