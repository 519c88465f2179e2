//! The kernels of `ScatterNdAdd`, `ScatterNdUpdate`, … on variables, and the index arithmetic of `ResourceGatherNd`.

use super::element_update::{Rows, Update, update_rows};
use super::variable_access::{pass_reference, variable_of_type};
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor};

/// Inputs: variable, indices of shape `[…, k]`, updates of shape `indices.shape[:-1] + variable.shape[k:]`.
///
/// Errors: `FailedPrecondition` without a value; `InvalidArgument` for shapes that do not fit or an index out of range. The variable
/// is then unchanged.
pub(super) fn compute(ctx: &mut OpKernelContext, update: Update) -> Result<()> {
    let (indices, updates) = (ctx.input(1)?, ctx.input(2)?);
    let ignore = match ctx.node.attrs.str("bad_indices_policy")? {
        "IGNORE" => true,
        "" | "DEFAULT" | "ERROR" => false,
        other => return Err(invalid_argument(format!("bad_indices_policy '{other}' is none of ERROR, IGNORE, DEFAULT"))),
    };
    let variable = variable_of_type(ctx, 0, updates.dtype())?;
    variable.update(|value| {
        let slices = Slices::new(value.shape(), indices.shape())?;
        let expected = [&indices.dims()[..indices.rank() - 1], &value.dims()[slices.depth..]].concat();
        if updates.dims() != expected {
            return Err(invalid_argument(format!(
                "Must have updates.shape = indices.shape[:-1] + params.shape[indices.shape[-1]:], got updates.shape: {}, \
                 indices.shape: {}, params.shape: {}",
                updates.shape(),
                indices.shape(),
                value.shape()
            )));
        }
        if !ignore {
            let starts = slices.starts(value.shape(), indices)?.into_iter().collect::<Result<Vec<_>>>()?;
            // Zero-dimensional updates are one row here, not a value for every row.
            let updates = &as_rows(updates, starts.len(), slices.width)?;
            return update_rows(update, value, &Rows { starts: &starts, width: slices.width, updates });
        }
        let starts = slices.starts(value.shape(), indices)?;
        let updates = as_rows(updates, starts.len(), slices.width)?;
        for (i, start) in starts.into_iter().enumerate() {
            if let Ok(start) = start {
                update_rows(update, value, &Rows { starts: &[start], width: slices.width, updates: &updates.rows(i, 1)? })?;
            }
        }
        Ok(())
    })?;
    pass_reference(ctx)
}

fn as_rows(updates: &Tensor, rows: usize, width: usize) -> Result<Tensor> {
    updates.clone().reshaped(Shape::from_lens(&[rows, width])?)
}

/// How the last dimension of indices names slices of a tensor.
pub(super) struct Slices {
    /// How many leading dimensions an index names.
    pub(super) depth: usize,
    /// Elements of one slice.
    pub(super) width: usize,
}

impl Slices {
    /// The slices of a tensor of shape `params` that indices of this shape name.
    ///
    /// Errors: `InvalidArgument` if indices is a scalar or its last dimension exceeds the tensor's rank.
    pub(super) fn new(params: &Shape, indices: &Shape) -> Result<Slices> {
        let Some(&depth) = indices.dims().last() else {
            return Err(invalid_argument("indices must be at least a vector, got shape []"));
        };
        let depth = depth as usize;
        if depth > params.rank() {
            return Err(invalid_argument(format!(
                "index innermost dimension length must be <= params rank; saw: {depth} vs. {}",
                params.rank()
            )));
        }
        Ok(Slices { depth, width: params.dims()[depth..].iter().product::<i64>() as usize })
    }

    /// The first element of each slice, or the error for an index outside.
    ///
    /// Errors: `InvalidArgument` if indices are no integers.
    pub(super) fn starts(&self, params: &Shape, indices: &Tensor) -> Result<Vec<Result<usize>>> {
        let numbers = indices.to_i64s()?;
        let dims = &params.dims()[..self.depth];
        let count = indices.dims()[..indices.rank() - 1].iter().product::<i64>() as usize;
        let start = |i: usize| {
            let index = &numbers[i * self.depth..(i + 1) * self.depth];
            let inside = index.iter().zip(dims).all(|(&x, &d)| (0..d).contains(&x));
            if !inside {
                let at = super::scatter::position(&Shape::new(&indices.dims()[..indices.rank() - 1])?, i);
                let words: Vec<String> = index.iter().map(|x| x.to_string()).collect();
                return Err(invalid_argument(format!("indices{at} = [{}] does not index into shape {params}", words.join(", "))));
            }
            Ok(index.iter().zip(dims).fold(0usize, |sum, (&x, &d)| sum * d as usize + x as usize) * self.width)
        };
        Ok((0..count).map(start).collect())
    }
}

/// The reference keeps the variable's shape.
///
/// Errors: `InvalidArgument` if indices cannot be a vector.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank_at_least(1, 1)?;
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

    fn scattered(op: &str, value: Tensor, indices: Tensor, updates: Tensor) -> Result<Tensor> {
        OpTester::named(op).input_ref(reference(value)).input(indices).input(updates).run_one()
    }

    #[test]
    fn elements_and_rows_are_named_by_the_last_dimension() {
        let value = tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
        let out = scattered("ScatterNdAdd", value.clone(), tensor(&[2, 2], &[0i32, 0, 1, 1]), tensor(&[2], &[10f32, 20.0])).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [11.0, 2.0, 3.0, 24.0]);
        let out = scattered("ScatterNdUpdate", value.clone(), tensor(&[1, 1], &[1i64]), tensor(&[1, 2], &[7f32, 8.0])).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [1.0, 2.0, 7.0, 8.0]);
        let out = scattered("ScatterNdSub", value, tensor(&[2], &[1i32, 0]), Tensor::scalar(1f32)).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn indices_outside_are_refused_or_ignored() {
        let value = tensor(&[2], &[1f32, 2.0]);
        let run = |policy: &str| {
            let step = bare_step(1);
            let v = handle(&step, "v", Some(value.clone()));
            OpTester::named("ResourceScatterNdAdd")
                .input(v)
                .input(tensor(&[2, 1], &[0i32, 2]))
                .input(tensor(&[2], &[1f32, 1.0]))
                .attr("bad_indices_policy", policy)
                .step(&step)
                .run()?;
            step.resources.lookup::<Variable>("", "v")?.read()
        };
        assert_eq!(run("").unwrap_err().bare_message(), "indices[1] = [2] does not index into shape [2]");
        assert_eq!(run("IGNORE").unwrap().as_slice::<f32>().unwrap(), [2.0, 2.0]);
        assert_eq!(run("whatever").unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let value = tensor(&[2], &[1f32, 2.0]);
        for (indices, updates) in [
            (Tensor::scalar(0i32), Tensor::scalar(1f32)),
            (tensor(&[1, 2], &[0i32, 0]), tensor(&[1], &[1f32])),
            (tensor(&[1, 1], &[0i32]), tensor(&[2], &[1f32, 1.0])),
            (tensor(&[0], &[] as &[i32]), tensor(&[1], &[1f32])),
        ] {
            assert_eq!(scattered("ScatterNdAdd", value.clone(), indices, updates).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
