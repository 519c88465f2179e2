//! `StridedSliceGrad`: the gradient of `StridedSlice`: elements put back to where they came from, zeros elsewhere.

use super::dims::shape_from;
use super::strided::{PerDim, StridedView};
use super::strided_slice::spec;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> (output: T)",
    attrs: "T: type; Index: type in {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; \
            new_axis_mask: int = 0; shrink_axis_mask: int = 0",
    doc: "A tensor of `shape`, zero except where `StridedSlice` with the same indices would select; there it is `dy`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Writes `elements` to the places that a view shows of `out`, in order.
pub(crate) fn scatter_view<E: Clone>(view: &StridedView, elements: &[E], out: &mut [E]) {
    let mut index: PerDim<usize> = view.dims.iter().map(|_| 0).collect();
    let mut at = view.offset;
    for element in elements {
        out[at as usize] = element.clone();
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            at += view.strides[axis];
            if index[axis] < view.dims[axis] {
                break;
            }
            at -= view.strides[axis] * view.dims[axis] as isize;
            index[axis] = 0;
        }
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (whole, dy) = (ctx.input(0)?, ctx.input(4)?);
    if whole.rank() != 1 {
        return Err(invalid_argument(format!("shape must be 1-D, got shape.shape = {}", whole.shape())));
    }
    let whole = shape_from(whole, "shape")?;
    let spec = spec(whole.dims(), ctx.input(1)?, ctx.input(2)?, ctx.input(3)?, &ctx.node.attrs)?;
    let shape = spec.shape();
    if !shape.matches(dy.shape()) {
        return Err(invalid_argument(format!("shape of dy was {} instead of {shape}", dy.shape())));
    }
    let view = spec.view(whole.dims());
    let mut y = Tensor::zeros(dy.dtype(), whole)?;
    if dy.num_elements() > 0 {
        match dy.dtype().size() {
            1 => scatter_view(&view, dy.bytes()?, y.bytes_mut()?),
            2 => scatter_view(&view, dy.bytes()?.as_chunks::<2>().0, y.bytes_mut()?.as_chunks_mut::<2>().0),
            4 => scatter_view(&view, dy.bytes()?.as_chunks::<4>().0, y.bytes_mut()?.as_chunks_mut::<4>().0),
            8 => scatter_view(&view, dy.bytes()?.as_chunks::<8>().0, y.bytes_mut()?.as_chunks_mut::<8>().0),
            16 => scatter_view(&view, dy.bytes()?.as_chunks::<16>().0, y.bytes_mut()?.as_chunks_mut::<16>().0),
            _ => return Err(unsupported("StridedSliceGrad", dy.dtype())),
        }
    }
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(0)?;
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let mut builder = op.graph().op("StridedSlice").input(grads.dense(0)).inputs((1..4).map(|i| op.input(i)));
    for mask in ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"] {
        builder = builder.attr(mask, op.with_attrs(|a| a.int(mask))?);
    }
    Ok(vec![None, None, None, None, Some(builder.output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(shape: &[i32], begin: &[i32], end: &[i32], strides: &[i32], dy: Tensor) -> Result<Tensor> {
        let vector = |v: &[i32]| tensor(&[v.len() as i64], v);
        OpTester::new(&OP).input(vector(shape)).input(vector(begin)).input(vector(end)).input(vector(strides)).input(dy).run_one()
    }

    #[test]
    fn elements_return_to_their_places() {
        let y = run(&[2, 3], &[0, 2], &[2, 0], &[1, -2], tensor(&[2, 1], &[1f32, 2.0])).unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [0.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
        let y = run(&[3], &[1], &[1], &[1], tensor::<f32>(&[0], &[])).unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [0.0; 3]);
    }

    #[test]
    fn a_gradient_of_another_shape_is_refused() {
        let e = run(&[4], &[0], &[2], &[1], tensor(&[1], &[1f32])).unwrap_err();
        assert_eq!(e.bare_message(), "shape of dy was [1] instead of [2]");
        assert_eq!(run(&[-4], &[0], &[2], &[1], tensor(&[1], &[1f32])).unwrap_err().code(), Code::InvalidArgument);
    }
}
