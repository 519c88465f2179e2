//! The kernel of `StridedSliceAssign` and its form on resources: the elements of a variable that a slice selects are replaced.

use super::element_update::{Rows, Update, update_rows};
use super::variable_access::{pass_reference, variable_of_type};
use crate::array::strided::StridedView;
use crate::array::strided_slice::spec;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// Inputs: variable, begin, end, strides, value. The value has the shape of the slice.
///
/// Errors: `FailedPrecondition` without a value; `InvalidArgument` for indices or a value that do not fit. The variable is then unchanged.
pub(super) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let value = ctx.input(4)?;
    variable_of_type(ctx, 0, value.dtype())?.update(|variable| {
        let spec = spec(variable.dims(), ctx.input(1)?, ctx.input(2)?, ctx.input(3)?, &ctx.node.attrs)?;
        if !spec.shape().matches(value.shape()) {
            return Err(invalid_argument(format!("the slice has shape {}, the value to assign has {}", spec.shape(), value.shape())));
        }
        let (starts, width) = lines(&spec.view(variable.dims()));
        // A scalar value is one element here, not one for all.
        let value = value.clone().reshaped(ferroflow_tensor::Shape::from_lens(&[value.num_elements()])?)?;
        update_rows(Update::Assign, variable, &Rows { starts: &starts, width, updates: &value })
    })?;
    pass_reference(ctx)
}

/// The first element of each line of a view whose elements lie next to each other, and the length of a line.
fn lines(view: &StridedView) -> (Vec<usize>, usize) {
    let rank = view.dims.len();
    let width = if rank > 0 && view.strides[rank - 1] == 1 { view.dims[rank - 1] } else { 1 };
    let outer = if rank > 0 && view.strides[rank - 1] == 1 { rank - 1 } else { rank };
    let mut starts = vec![view.offset];
    for axis in 0..outer {
        let (dim, stride) = (view.dims[axis], view.strides[axis]);
        starts = starts.iter().flat_map(|&s| (0..dim as isize).map(move |i| s + i * stride)).collect();
    }
    if width == 0 {
        starts.clear();
    }
    (starts.into_iter().map(|s| s as usize).collect(), width)
}

/// The reference keeps the variable's shape.
///
/// Errors: none.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let variable = c.input(0);
    c.set_output(0, variable);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::state::variable_access::tests::{handle, reference};
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn assigned(begin: &[i32], end: &[i32], strides: &[i32], masks: &[(&str, i64)], value: Tensor) -> Result<Tensor> {
        let variable = tensor(&[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let with = |t: OpTester| {
            let t = [begin, end, strides].iter().fold(t, |t, v| t.input(Tensor::vector(v).unwrap())).input(value.clone());
            masks.iter().fold(t, |t, (name, mask)| t.attr(name, *mask))
        };
        let step = bare_step(1);
        let v = handle(&step, "v", Some(variable.clone()));
        let by_resource = with(OpTester::named("ResourceStridedSliceAssign").input(v)).step(&step).run();
        let by_ref = with(OpTester::named("StridedSliceAssign").input_ref(reference(variable))).run_one();
        assert_eq!(by_resource.is_ok(), by_ref.is_ok());
        if let Ok(t) = &by_ref {
            assert_eq!(t.bytes()?, step.resources.lookup::<Variable>("", "v")?.read()?.bytes()?);
        }
        by_ref
    }

    #[test]
    fn the_selected_elements_are_replaced() {
        let out = assigned(&[0, 1], &[2, 3], &[1, 1], &[], tensor(&[2, 2], &[10f32, 20.0, 30.0, 40.0])).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [1.0, 10.0, 20.0, 4.0, 30.0, 40.0]);
        let out = assigned(&[0, 2], &[2, 0], &[1, -2], &[("end_mask", 2)], tensor(&[2, 2], &[10f32, 20.0, 30.0, 40.0])).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [20.0, 2.0, 10.0, 40.0, 5.0, 30.0]);
        let out = assigned(&[1, 1], &[2, 2], &[1, 1], &[("shrink_axis_mask", 3)], Tensor::scalar(9f32)).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 9.0, 6.0]);
        let out = assigned(&[0, 1], &[0, 1], &[1, 1], &[], tensor(&[0, 0], &[] as &[f32])).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap()[..3], [1.0, 2.0, 3.0]);
    }

    #[test]
    fn indices_and_values_that_do_not_fit_are_refused() {
        for (begin, end, strides, value) in [
            (&[0, 0][..], &[2, 2][..], &[1, 1][..], tensor(&[2, 3], &[0f32; 6])),
            (&[0, 0], &[2, 2], &[1, 0], tensor(&[2, 2], &[0f32; 4])),
            (&[0, 0], &[2], &[1, 1], tensor(&[2, 2], &[0f32; 4])),
            (&[0, 0, 0], &[1, 1, 1], &[1, 1, 1], tensor(&[1, 1, 1], &[0f32])),
            (&[0, 0], &[2, 2], &[1, 1], tensor(&[2, 2], &[0f64; 4])),
        ] {
            assert_eq!(assigned(begin, end, strides, &[], value).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
