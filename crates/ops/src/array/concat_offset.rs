//! `ConcatOffset`: where each value of a concatenation begins.

use super::dims::{axis_in, index_tensor};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ConcatOffset(concat_dim: int32, shape: N * shape_type) -> (offset: N * shape_type)",
    attrs: "N: int >= 2; shape_type: type in {int32, int64} = int32",
    doc: "For values of these shapes (vectors), the index at which each begins in their concatenation along `concat_dim`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let at = ctx.input(0)?;
    if !at.shape().is_scalar() {
        return Err(invalid_argument(format!("Concat dim tensor should be a scalar integer, but got shape {}", at.shape())));
    }
    let at = at.to_i64()?;
    let shapes: Vec<_> = (1..ctx.num_inputs()).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    if let Some((i, s)) = shapes.iter().enumerate().find(|(_, s)| s.rank() != 1) {
        return Err(invalid_argument(format!("input {i} should be a vector, but got shape {}", s.shape())));
    }
    let values: Vec<_> = shapes.iter().map(|s| s.to_i64s()).collect::<Result<_>>()?;
    let Some(first) = values.first() else { return Err(invalid_argument("there are no shapes")) };
    let axis = axis_in(at, first.len()).map_err(|_| invalid_argument(format!("Concat dim is out of range: {at} vs. {}", first.len())))?;
    let mut offset = 0i64;
    let mut offsets = Vec::with_capacity(values.len());
    for (i, value) in values.iter().enumerate() {
        if value.len() != first.len() {
            return Err(invalid_argument(format!("input {i} should contain {} elements, but got {}", first.len(), value.len())));
        }
        if value.iter().zip(first).enumerate().any(|(d, (a, b))| d != axis && a != b) {
            return Err(invalid_argument(format!(
                "All dimensions except {axis} must match. Input {i} has shape {} and doesn't match input 0 with shape {}.",
                text(value),
                text(first)
            )));
        }
        let mut begin = vec![0i64; first.len()];
        begin[axis] = offset;
        let y = index_tensor(ctx.node.output_types[i].dtype, shapes[i].shape().clone(), &begin)?;
        offset = offset.checked_add(value[axis]).ok_or_else(|| invalid_argument("the sizes to concatenate overflow"))?;
        offsets.push(y);
    }
    offsets.into_iter().enumerate().for_each(|(i, y)| ctx.set_output(i, y));
    Ok(())
}

fn text(dims: &[i64]) -> String {
    format!("[{}]", dims.iter().map(i64::to_string).collect::<Vec<_>>().join(" "))
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 1..c.num_inputs() {
        let s = c.with_rank(i, 1)?;
        c.set_output(i - 1, s);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(axis: i32, shapes: &[&[i32]]) -> Result<Vec<Vec<i32>>> {
        let shapes: Vec<Tensor> = shapes.iter().map(|s| tensor(&[s.len() as i64], s)).collect();
        OpTester::new(&OP).input(axis).input_list(shapes).run()?.iter().map(|t| Ok(t.as_slice::<i32>()?.to_vec())).collect()
    }

    #[test]
    fn each_value_begins_where_the_one_before_ends() {
        assert_eq!(offsets(1, &[&[2, 3], &[2, 5], &[2, 1]]).unwrap(), [[0, 0], [0, 3], [0, 8]]);
        assert_eq!(offsets(-1, &[&[2], &[3]]).unwrap(), [[0], [2]]);
    }

    #[test]
    fn shapes_that_do_not_match_are_refused() {
        let e = offsets(0, &[&[1, 2], &[3, 4]]).unwrap_err();
        assert_eq!(
            e.bare_message(),
            "All dimensions except 0 must match. Input 1 has shape [3 4] and doesn't match input 0 with shape [1 2]."
        );
        assert_eq!(offsets(3, &[&[1, 2], &[1, 2]]).unwrap_err().bare_message(), "Concat dim is out of range: 3 vs. 2");
        assert_eq!(offsets(0, &[&[1], &[1, 2]]).unwrap_err().bare_message(), "input 1 should contain 1 elements, but got 2");
    }
}
