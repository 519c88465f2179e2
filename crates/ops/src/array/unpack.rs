//! `Unpack`: the slices of a tensor along an axis (TF's Python: `tf.unstack`).

use super::strided::StridedView;
use crate::parallel::pool;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Unpack(value: T) -> (output: num * T)",
    attrs: "num: int >= 0; T: type; axis: int = 0",
    doc: "The `num` slices of `value` along `axis`, without that dimension.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?.clone();
    let axis = super::dims::axis_in(ctx.node.attrs.int("axis")?, x.rank())?;
    let num = ctx.node.output_types.len();
    if x.dims()[axis] != num as i64 {
        return Err(invalid_argument(format!("Input shape axis {axis} must equal {num}, got shape {}", x.shape())));
    }
    let mut dims = x.dims().to_vec();
    dims.remove(axis);
    let shape = Shape::new(&dims)?;
    for i in 0..num {
        let y = if axis == 0 {
            x.rows(i, 1)?.reshaped(shape.clone())?
        } else {
            let mut view = StridedView::of(x.dims());
            view.offset = i as isize * view.strides[axis];
            view.dims[axis] = 1;
            view.copy(&x, shape.clone(), &pool(ctx.step))?
        };
        ctx.set_output(i, y);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let num = c.node().output_types.len();
    let s = c.input(0);
    let Some(dims) = s.dims() else { return Ok(()) };
    let axis = super::dims::axis_in(c.node().attrs.int("axis")?, dims.len())?;
    if dims[axis].is_some_and(|d| d != num as i64) {
        return Err(invalid_argument(format!("Input shape axis {axis} must equal {num}, got shape {s}")));
    }
    let mut dims = dims.to_vec();
    dims.remove(axis);
    for i in 0..num {
        c.set_output(i, PartialShape::new(&dims));
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let axis = op.with_attrs(|a| a.int("axis"))?;
    let parts = (0..op.num_outputs()).map(|i| grads.dense(i));
    Ok(vec![Some(op.graph().op("Pack").input_list(parts).attr("axis", axis).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(x: Tensor, num: i64, axis: i64) -> Result<Vec<Tensor>> {
        OpTester::new(&OP).input(x).attr("num", num).attr("axis", axis).run()
    }

    #[test]
    fn slices_along_the_first_axis_share_memory() {
        let x = tensor(&[2, 2], &[1i16, 2, 3, 4]);
        let y = unpack(x.clone(), 2, 0).unwrap();
        assert_eq!(y[1].as_slice::<i16>().unwrap(), [3, 4]);
        let y = unpack(x, 2, 1).unwrap();
        assert_eq!(y[1].as_slice::<i16>().unwrap(), [2, 4]);
        let x = tensor(&[2, 8], &[0i64; 16]);
        let y = unpack(x.clone(), 2, 0).unwrap();
        assert_eq!(y[1].as_slice::<i64>().unwrap().as_ptr(), x.as_slice::<i64>().unwrap()[8..].as_ptr());
        assert_eq!(unpack(strings(&[2], &["a", "b"]), 2, 0).unwrap()[1].as_strings().unwrap(), ["b"]);
        assert!(unpack(tensor::<f32>(&[0, 2], &[]), 0, 0).unwrap().is_empty());
    }

    #[test]
    fn a_wrong_number_or_axis_is_refused() {
        let e = unpack(tensor(&[2, 1], &[1f32, 2.0]), 3, 0).unwrap_err();
        assert_eq!(e.bare_message(), "Input shape axis 0 must equal 3, got shape [2,1]");
        assert_eq!(unpack(Tensor::scalar(1f32), 1, 0).unwrap_err().bare_message(), "axis = 0 not in [0, 0)");
    }

    #[test]
    fn the_gradient_is_packed() {
        check_gradient(&[tensor(&[2, 2], &[1f64, 2.0, 3.0, 4.0])], |g, x| {
            g.op("Unpack").input(&x[0]).attr("num", 2i64).attr("axis", 1i64).build()
        });
    }
}
