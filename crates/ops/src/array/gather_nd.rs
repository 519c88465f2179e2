//! `GatherNd`: slices named by indices of several dimensions.

use super::dims::shape_of;
use super::elements::{Rearrange, rearrange};
use super::nd_indices::{BadIndices, NdIndices};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GatherNd(params: Tparams, indices: Tindices) -> (output: Tparams)",
    attrs: "Tparams: type; Tindices: type in {int16, int32, int64}; bad_indices_policy: string = \"\"",
    doc: "Each row of the last dimension of `indices` names an element or slice of `params`; the result holds those.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Picking(NdIndices);

impl Rearrange for Picking {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let width = self.0.inner;
        if width == 0 {
            return Ok(());
        }
        for (place, slice) in out.chunks_exact_mut(width).zip(&self.0.slices) {
            match slice {
                Some(s) => place.clone_from_slice(&inputs[0][s * width..(s + 1) * width]),
                None => place.fill(inputs[1][0].clone()),
            }
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, indices) = (ctx.input(0)?, ctx.input(1)?);
    if x.rank() == 0 {
        return Err(invalid_argument("params must be at least a vector"));
    }
    let Some((&depth, outer)) = indices.dims().split_last() else { return Err(invalid_argument("indices must be at least a vector")) };
    if depth as usize > x.rank() {
        return Err(invalid_argument(format!("index innermost dimension length must be <= params rank; saw: {depth} vs. {}", x.rank())));
    }
    let dims: Vec<i64> = [outer, &x.dims()[depth as usize..]].concat();
    let shape = Shape::new(&dims)?;
    if x.num_elements() == 0 && shape.num_elements() > 0 {
        return Err(invalid_argument(format!("Requested more than 0 entries, but params is empty.  Params shape: {}", x.shape())));
    }
    let picked = NdIndices::new(indices, x.dims(), BadIndices::of(&ctx.node.attrs)?, |at, index| {
        format!("indices{at} = {index} does not index into param shape {}, node name: {}", x.shape(), ctx.node.name)
    })?;
    let zero = Tensor::zeros(x.dtype(), Shape::scalar())?;
    let y = rearrange(&[x, &zero], shape, &Picking(picked))?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (params, indices) = (c.input(0), c.with_rank_at_least(1, 1)?);
    let (Some(p), Some(i)) = (params.dims(), indices.dims()) else { return Ok(()) };
    let Some((Some(depth), outer)) = i.split_last().map(|(d, o)| (*d, o)) else { return Ok(()) };
    if depth as usize > p.len() {
        return Err(invalid_argument(format!(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: {indices} and params shape: {params}"
        )));
    }
    c.set_output(0, PartialShape::new(&[outer, &p[depth as usize..]].concat()));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let (params, indices) = (op.input(0), op.input(1));
    let whole = shape_of(&params);
    if indices.shape().rank() == Some(2) && indices.shape().dim(1) == Some(1) {
        let rows = g.op("Squeeze").input(&indices).attr("squeeze_dims", vec![1i64]).output();
        return Ok(vec![Some(Grad::Slices { values: grads.dense(0), indices: rows, dense_shape: whole }), None]);
    }
    let whole = if indices.dtype() == DType::Int32 { whole } else { g.op("Cast").input(whole).attr("DstT", indices.dtype()).output() };
    Ok(vec![Some(g.op("ScatterNd").inputs([indices, grads.dense(0), whole]).output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(x: Tensor, dims: &[i64], indices: &[i32]) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(tensor(dims, indices)).run_one()
    }

    fn square() -> Tensor {
        tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0])
    }

    #[test]
    fn elements_and_slices_are_picked() {
        assert_eq!(gather(square(), &[2, 2], &[0, 1, 1, 0]).unwrap().as_slice::<f32>().unwrap(), [2.0, 3.0]);
        assert_eq!(gather(square(), &[1, 1], &[1]).unwrap().as_slice::<f32>().unwrap(), [3.0, 4.0]);
        assert_eq!(gather(square(), &[2, 0], &[]).unwrap().dims(), [2, 2, 2]);
        let y =
            OpTester::new(&OP).input(square()).input(tensor(&[2, 1], &[5i32, 0])).attr("bad_indices_policy", "IGNORE").run_one().unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [0.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn indices_that_name_nothing_are_refused() {
        let e = gather(square(), &[1, 2], &[2, 0]).unwrap_err();
        assert_eq!(e.bare_message(), "indices[0] = [2, 0] does not index into param shape [2,2], node name: op");
        assert_eq!(gather(square(), &[1, 2], &[-1, 0]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(gather(square(), &[1, 3], &[0, 0, 0]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(gather(tensor::<f32>(&[0], &[]), &[1, 1], &[0]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(gather(tensor::<f32>(&[0], &[]), &[1, 0], &[]).unwrap().dims(), [1, 0]);
    }

    #[test]
    fn the_gradient_is_scattered() {
        check_gradient(&[square_f64()], |g, x| {
            let indices = g.constant_tensor(tensor(&[3, 2], &[0i32, 1, 1, 0, 0, 1]));
            g.op("GatherNd").inputs([x[0].clone(), indices]).build()
        });
    }

    fn square_f64() -> Tensor {
        tensor(&[2, 2], &[1f64, 2.0, 3.0, 4.0])
    }
}
