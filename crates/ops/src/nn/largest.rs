//! The `k` largest elements of each row (TF: `TopK`).

use crate::array::dims::{index_tensor, shape_of};
use crate::math::backward::apply;
use crate::prelude::*;
use std::cmp::Ordering;

/// Larger first, of equal ones that of the lower index; NaN is the largest.
fn order<T: PartialOrd>(row: &[T], a: usize, b: usize) -> Ordering {
    // A value that does not compare with itself is NaN.
    let nan = |i: usize| row[i].partial_cmp(&row[i]).is_none();
    row[b].partial_cmp(&row[a]).unwrap_or_else(|| nan(b).cmp(&nan(a))).then(a.cmp(&b))
}

/// values, indices = the `k` largest elements of each row of the last dimension and where they stand.
///
/// Errors: `InvalidArgument` if `k` is negative or there are not as many elements.
pub(crate) fn largest(ctx: &mut OpKernelContext, k: i64) -> Result<()> {
    let x = ctx.input(0)?;
    let Some((&cols, outer)) = x.dims().split_last() else {
        return Err(invalid_argument(format!("input must be >= 1-D, got shape {}", x.shape())));
    };
    let Ok(taken) = usize::try_from(k) else { return Err(invalid_argument(format!("Need k >= 0, got {k}"))) };
    if k > cols {
        return Err(invalid_argument(format!("input must have at least k columns. Had {cols}, needed {k}")));
    }
    let shape = Shape::new(&[outer, &[k]].concat())?;
    let cols = cols as usize;
    let mut values = Tensor::for_overwrite(x.dtype(), shape.clone())?;
    let mut indices: Vec<i64> = Vec::with_capacity(shape.num_elements());
    with_real!(x.dtype() => T, {
        if taken > 0 {
            let rows = x.as_slice::<T>()?.chunks_exact(cols).zip(values.as_mut_slice::<T>()?.chunks_exact_mut(taken));
            let mut all: Vec<usize> = Vec::with_capacity(cols);
            for (row, values) in rows {
                all.clear();
                all.extend(0..cols);
                if taken < cols {
                    all.select_nth_unstable_by(taken, |&a, &b| order(row, a, b));
                }
                let first = &mut all[..taken];
                first.sort_unstable_by(|&a, &b| order(row, a, b));
                for (value, &i) in values.iter_mut().zip(&*first) {
                    *value = row[i];
                    indices.push(i as i64);
                }
            }
        }
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    let dtype = ctx.node.output_types.get(1).map_or(DType::Int32, |t| t.dtype);
    ctx.set_output(0, values);
    ctx.set_output(1, index_tensor(dtype, shape, &indices)?);
    Ok(())
}

/// The input's shape with `k` as the last dimension.
///
/// Errors: `InvalidArgument` if there are known to be fewer elements.
pub(crate) fn largest_shape(c: &mut ShapeContext, k: Option<i64>) -> Result<()> {
    let x = c.with_rank_at_least(0, 1)?;
    let Some(dims) = x.dims() else { return Ok(()) };
    let mut dims = dims.to_vec();
    if let (Some(k), Some(Some(cols))) = (k, dims.last())
        && k > *cols
    {
        return Err(invalid_argument(format!("input must have last dimension >= k = {k} but is {cols}")));
    }
    if let Some(last) = dims.last_mut() {
        *last = k;
    }
    let s = PartialShape::new(&dims);
    c.set_output(0, s.clone());
    c.set_output(1, s);
    Ok(())
}

/// The gradient of the values goes to where they stood.
///
/// Errors: none.
pub(crate) fn largest_gradient(op: &Operation, grads: &OutGrads) -> Result<Option<Grad>> {
    let (graph, x, dy) = (op.graph(), op.input(0), grads.dense(0));
    let indices = graph.op("Cast").input(op.output(1)).attr("DstT", DType::Int32).output();
    let last = |t: &Output| {
        let bounds = [&[-1i32], &[0], &[1]].map(|bound| graph.constant_vector(bound));
        let slice = graph.op("StridedSlice").input(shape_of(t)).inputs(bounds).attr("end_mask", 1i64).attr("shrink_axis_mask", 0i64);
        apply("Reshape", &[&slice.output(), &graph.constant_vector(&[] as &[i32])])
    };
    let (cols, k) = (last(&x), last(&indices));
    let rows = apply("Reshape", &[&indices, &graph.op("Pack").input_list([graph.constant(-1i32), k]).output()]);
    let count = apply("Reshape", &[&apply("Size", &[&x]), &graph.constant_vector(&[] as &[i32])]);
    // The first element of each row, as a column.
    let starts = apply("Range", &[&graph.constant(0i32), &count, &cols]);
    let starts = apply("ExpandDims", &[&starts, &graph.constant(-1i32)]);
    let flat = apply("Reshape", &[&apply("AddV2", &[&rows, &starts]), &graph.constant_vector(&[-1i32, 1])]);
    let dy = apply("Reshape", &[&dy, &graph.constant_vector(&[-1i32])]);
    let size = apply("Reshape", &[&count, &graph.constant_vector(&[1i32])]);
    let spread = apply("ScatterNd", &[&flat, &dy, &size]);
    Ok(Some(apply("Reshape", &[&spread, &shape_of(&x)]).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_elements_the_first_comes_first() {
        let out =
            OpTester::named("TopKV2").input(tensor(&[2, 4], &[1f32, 5.0, 5.0, 2.0, -1.0, -2.0, -3.0, -4.0])).input(3i32).run().unwrap();
        assert_eq!(out[0].as_slice::<f32>().unwrap(), [5.0, 5.0, 2.0, -1.0, -2.0, -3.0]);
        assert_eq!(out[1].as_slice::<i32>().unwrap(), [1, 2, 3, 0, 1, 2]);
    }

    #[test]
    fn k_must_fit_the_row() {
        let run = |k: i32| OpTester::named("TopKV2").input(tensor(&[2], &[1f32, 5.0])).input(k).run();
        assert_eq!(run(3).unwrap_err().bare_message(), "input must have at least k columns. Had 2, needed 3");
        assert_eq!(run(-1).unwrap_err().bare_message(), "Need k >= 0, got -1");
        assert_eq!(run(0).unwrap()[0].dims(), [0]);
    }
}
