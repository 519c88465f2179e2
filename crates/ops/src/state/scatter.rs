//! The kernels of `ScatterAdd`, `ScatterUpdate`, … and their forms on resources: rows of a variable, named by index, change in place.

use super::element_update::{Rows, Update, update_rows};
use super::variable_access::{pass_reference, variable_of_type};
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor};

/// Inputs: variable, indices of any shape, updates of shape `indices.shape + variable.shape[1:]` or a scalar.
///
/// Errors: `FailedPrecondition` without a value; `InvalidArgument` for shapes that do not fit or an index out of range. The variable
/// is then unchanged.
pub(super) fn compute(ctx: &mut OpKernelContext, update: Update) -> Result<()> {
    let (indices, updates) = (ctx.input(1)?, ctx.input(2)?);
    let variable = variable_of_type(ctx, 0, updates.dtype())?;
    variable.update(|value| {
        let shape = value.shape();
        if shape.rank() == 0 {
            return Err(invalid_argument(format!("params must be at least 1-D, got shape {shape}")));
        }
        if updates.rank() != 0 && updates.dims() != [indices.dims(), &shape.dims()[1..]].concat() {
            return Err(invalid_argument(format!(
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, \
                 indices.shape {}, params.shape {shape}",
                updates.shape(),
                indices.shape()
            )));
        }
        let width = shape.dims()[1..].iter().product::<i64>() as usize;
        let starts = row_starts(indices, shape.dim(0), width)?;
        update_rows(update, value, &Rows { starts: &starts, width, updates })
    })?;
    pass_reference(ctx)
}

/// Where the row of each index starts.
///
/// Errors: `InvalidArgument` `indices[1] = 7 is not in [0, 5)`.
pub(crate) fn row_starts(indices: &Tensor, rows: usize, width: usize) -> Result<Vec<usize>> {
    let numbers = indices.to_i64s()?;
    let start = |(i, &index): (usize, &i64)| match usize::try_from(index) {
        Ok(index) if index < rows => Ok(index * width),
        _ => Err(invalid_argument(format!("indices{} = {index} is not in [0, {rows})", position(indices.shape(), i)))),
    };
    numbers.iter().enumerate().map(start).collect()
}

/// The coordinates of flat element `i`, as TF writes them: `[1,2]`.
pub(crate) fn position(shape: &Shape, mut i: usize) -> String {
    let mut at: Vec<usize> = Vec::with_capacity(shape.rank());
    for &dim in shape.dims().iter().rev() {
        at.push(i % dim.max(1) as usize);
        i /= dim.max(1) as usize;
    }
    let at: Vec<String> = at.iter().rev().map(|x| x.to_string()).collect();
    format!("[{}]", at.join(","))
}

/// The reference keeps the variable's shape; updates must fit what is known.
///
/// Errors: `InvalidArgument` if variable or updates cannot have such a shape.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let is_ref = c.node().input_types.first().is_some_and(|t| t.is_ref);
    if is_ref {
        let variable = c.with_rank_at_least(0, 1)?;
        if let (Some(v), Some(i), Some(u)) = (variable.rank(), c.input(1).rank(), c.input(2).rank())
            && u != 0
            && u + 1 != v + i
        {
            return Err(invalid_argument(format!(
                "Shape must be rank {} but is rank {u}: updates.shape must be indices.shape + params.shape[1:]",
                v + i - 1
            )));
        }
        c.set_output(0, variable);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::state::variable_access::tests::{handle, reference};
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::{Code, DType, Result, Tensor};
    use std::sync::Arc;

    fn scattered(op: &str, value: Tensor, indices: Tensor, updates: Tensor) -> Result<Tensor> {
        let by_ref = OpTester::named(op).input_ref(reference(value.clone())).input(indices.clone()).input(updates.clone()).run_one();
        let step = bare_step(1);
        let v = handle(&step, "v", Some(value));
        let by_resource = OpTester::named(&format!("Resource{op}")).input(v).input(indices).input(updates).step(&step).run();
        assert_eq!(by_ref.is_ok(), by_resource.is_ok());
        let read = step.resources.lookup::<Variable>("", "v")?.read()?;
        if let Ok(t) = &by_ref {
            assert_eq!(t.bytes()?, read.bytes()?);
        }
        by_ref
    }

    #[test]
    fn each_op_changes_the_named_rows() {
        let value = tensor(&[3, 2], &[2f32, 4.0, 6.0, 8.0, 10.0, 12.0]);
        let cases: [(&str, [f32; 2]); 7] = [
            ("ScatterAdd", [12.0, 16.0]),
            ("ScatterSub", [8.0, 8.0]),
            ("ScatterMul", [20.0, 48.0]),
            ("ScatterDiv", [5.0, 3.0]),
            ("ScatterMin", [2.0, 4.0]),
            ("ScatterMax", [10.0, 12.0]),
            ("ScatterUpdate", [2.0, 4.0]),
        ];
        for (op, last) in cases {
            let out = scattered(op, value.clone(), tensor(&[1], &[2i64]), tensor(&[1, 2], &[2f32, 4.0])).unwrap();
            assert_eq!(out.as_slice::<f32>().unwrap(), [&[2f32, 4.0, 6.0, 8.0], &last[..]].concat(), "{op}");
        }
    }

    #[test]
    fn repeated_indices_add_up() {
        let out = scattered("ScatterAdd", tensor(&[2], &[0i32, 0]), tensor(&[3], &[1i32, 1, 0]), tensor(&[3], &[5i32, 6, 7])).unwrap();
        assert_eq!(out.as_slice::<i32>().unwrap(), [7, 11]);
    }

    #[test]
    fn bad_indices_and_shapes_change_nothing() {
        let value = tensor(&[5], &[0f32; 5]);
        let e = scattered("ScatterAdd", value.clone(), tensor(&[2], &[0i32, 7]), tensor(&[2], &[1f32, 1.0])).unwrap_err();
        assert_eq!(e.bare_message(), "indices[1] = 7 is not in [0, 5)");
        let e = scattered("ScatterAdd", value.clone(), tensor(&[1, 1], &[-1i32]), tensor(&[1, 1], &[1f32])).unwrap_err();
        assert_eq!(e.bare_message(), "indices[0,0] = -1 is not in [0, 5)");
        let e = scattered("ScatterAdd", value, tensor(&[2], &[0i32, 1]), tensor(&[3], &[1f32; 3])).unwrap_err();
        assert!(e.bare_message().starts_with("Must have updates.shape = indices.shape + params.shape[1:]"), "{e}");
        let e = scattered("ScatterAdd", Tensor::scalar(1f32), tensor(&[1], &[0i32]), Tensor::scalar(1f32)).unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }

    #[test]
    fn a_failed_scatter_leaves_the_variable_as_it_was() {
        let v = reference(tensor(&[2], &[1f32, 2.0]));
        let run =
            OpTester::named("ScatterAdd").input_ref(v.clone()).input(tensor(&[2], &[0i32, 9])).input(tensor(&[2], &[5f32, 5.0])).run();
        assert!(run.is_err());
        assert_eq!(v.read().unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0]);
    }

    #[test]
    fn a_variable_without_a_value_or_of_another_type_is_refused() {
        let empty = Arc::new(Variable::new("v", DType::Float));
        let run = OpTester::named("ScatterAdd").input_ref(empty).input(tensor(&[1], &[0i32])).input(Tensor::scalar(1f32)).run();
        assert_eq!(run.unwrap_err().bare_message(), "Attempting to use uninitialized value v");
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[1], &[0f64])));
        let run = OpTester::named("ResourceScatterAdd").input(v).input(tensor(&[1], &[0i32])).input(Tensor::scalar(1f32)).step(&step).run();
        assert_eq!(run.unwrap_err().code(), Code::InvalidArgument);
    }
}
