//! `Pack`: tensors of one shape along a new axis (TF's Python: `tf.stack`).

use super::joined_rows::join;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Pack(values: N * T) -> (output: T)",
    attrs: "N: int >= 1; T: type; axis: int = 0",
    doc: "The values, all of one shape, along a new dimension `axis`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Where the new dimension goes; `rank` is that of the result.
fn place(axis: i64, rank: usize) -> Result<usize> {
    super::dims::axis_in(axis, rank)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let first = ctx.input(0)?;
    let axis = place(ctx.node.attrs.int("axis")?, first.rank() + 1)?;
    let mut dims = first.dims().to_vec();
    dims.insert(axis, ctx.num_inputs() as i64);
    let inputs: Vec<&Tensor> = (0..ctx.num_inputs()).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    if let Some((i, t)) = inputs.iter().enumerate().find(|(_, t)| t.shape() != first.shape()) {
        return Err(invalid_argument(format!(
            "Shapes of all inputs must match: values[0].shape = {} != values[{i}].shape = {}",
            first.shape(),
            t.shape()
        )));
    }
    let shape = Shape::new(&dims)?;
    let y = if inputs.len() == 1 { ctx.take_input(0)?.reshaped(shape)? } else { join(&inputs, axis, shape)? };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let mut s = c.input(0);
    for i in 1..c.num_inputs() {
        s = s.merge(&c.input(i))?;
    }
    let Some(dims) = s.dims() else { return Ok(()) };
    let axis = place(c.node().attrs.int("axis")?, dims.len() + 1)?;
    let mut dims = dims.to_vec();
    dims.insert(axis, Some(c.num_inputs() as i64));
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let axis = op.with_attrs(|a| a.int("axis"))?;
    let parts = op.graph().op("Unpack").input(grads.dense(0)).attr("num", op.num_inputs()).attr("axis", axis).build();
    Ok(parts.outputs().into_iter().map(|o| Some(o.into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(values: Vec<Tensor>, axis: i64) -> Result<Tensor> {
        OpTester::new(&OP).input_list(values).attr("axis", axis).run_one()
    }

    #[test]
    fn the_new_axis_lies_where_asked() {
        let (a, b) = (tensor(&[2], &[1i32, 2]), tensor(&[2], &[3i32, 4]));
        assert_eq!(pack(vec![a.clone(), b.clone()], 0).unwrap().as_slice::<i32>().unwrap(), [1, 2, 3, 4]);
        assert_eq!(pack(vec![a.clone(), b.clone()], -1).unwrap().as_slice::<i32>().unwrap(), [1, 3, 2, 4]);
        assert_eq!(pack(vec![Tensor::scalar(1f32)], 0).unwrap().dims(), [1]);
        assert_eq!(pack(vec![a.clone(), b], 2).unwrap_err().bare_message(), "axis = 2 not in [-2, 2)");
        let e = pack(vec![a, tensor(&[3], &[1i32, 2, 3])], 0).unwrap_err();
        assert_eq!(e.bare_message(), "Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [3]");
    }

    #[test]
    fn the_gradient_is_unpacked() {
        check_gradient(&[tensor(&[2], &[1f64, 2.0]), tensor(&[2], &[3f64, 4.0])], |g, x| {
            g.op("Pack").input_list(x.to_vec()).attr("axis", 1i64).build()
        });
    }
}
