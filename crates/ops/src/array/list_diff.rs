//! `ListDiff`: the elements of one vector that another one has not.

use super::dims::index_tensor;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;
use ferroflow_math::Floating;
use num_traits::AsPrimitive;
use std::borrow::Cow;
use std::collections::HashSet;

pub const OP: OpSpec = OpSpec {
    signature: "ListDiff(x: T, y: T) -> (out: T, idx: out_idx)",
    attrs: "T: type; out_idx: type in {int32, int64} = int32",
    doc: "out = the elements of x that are not in y, in their order, and idx = where they stand in x.",
    shape: diff_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// What elements are compared by; NaN has nothing and equals nothing.
fn keys(x: &Tensor) -> Result<Vec<Option<Cow<'_, [u8]>>>> {
    if x.dtype() == DType::String {
        return Ok(x.as_strings()?.iter().map(|s| Some(Cow::Borrowed(s.as_ref()))).collect());
    }
    with_float!(x.dtype() => T, {
        let key = |x: &T| {
            // Adding 0 makes 0 of −0.
            let wide: f64 = x.widen().as_();
            (!wide.is_nan()).then(|| Cow::Owned((wide + 0.0).to_bits().to_le_bytes().to_vec()))
        };
        return Ok(x.as_slice::<T>()?.iter().map(key).collect());
    }, else {});
    match x.dtype() {
        dtype if dtype.is_complex() || dtype.size() == 0 => Err(unsupported("ListDiff", dtype)),
        dtype => Ok(x.bytes()?.chunks_exact(dtype.size()).map(|b| Some(Cow::Borrowed(b))).collect()),
    }
}

struct Picked<'a>(&'a [usize]);

impl Rearrange for Picked<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        out.iter_mut().zip(self.0).for_each(|(out, &i)| *out = inputs[0][i].clone());
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    for (name, t) in [("x", x), ("y", y)] {
        if t.rank() != 1 {
            return Err(invalid_argument(format!("{name} should be a 1D vector.")));
        }
    }
    let known: HashSet<Cow<[u8]>> = keys(y)?.into_iter().flatten().collect();
    let all = keys(x)?.into_iter().enumerate();
    let places: Vec<usize> = all.filter(|(_, key)| key.as_ref().is_none_or(|key| !known.contains(key))).map(|(i, _)| i).collect();
    let shape = Shape::from_lens(&[places.len()])?;
    let out = rearrange(&[x], shape.clone(), &Picked(&places))?;
    let numbers: Vec<i64> = places.iter().map(|&i| i as i64).collect();
    let idx = index_tensor(ctx.node.attrs.dtype("out_idx")?, shape, &numbers)?;
    ctx.set_output(0, out);
    ctx.set_output(1, idx);
    Ok(())
}

fn diff_shape(c: &mut ShapeContext) -> Result<()> {
    for i in 0..2 {
        c.with_rank(i, 1)?;
        c.set_output(i, PartialShape::of_rank(1));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_other_vector_has_is_left_out() {
        let out = OpTester::new(&OP).input(tensor(&[5], &[1i32, 2, 3, 4, 2])).input(tensor(&[2], &[2i32, 4])).run().unwrap();
        assert_eq!(out[0].as_slice::<i32>().unwrap(), [1, 3]);
        assert_eq!(out[1].as_slice::<i32>().unwrap(), [0, 2]);
        let out = OpTester::new(&OP).input(tensor(&[3], &[0f32, f32::NAN, 1.0])).input(tensor(&[2], &[-0f32, f32::NAN])).run().unwrap();
        assert_eq!(out[1].as_slice::<i32>().unwrap(), [1, 2]);
        let out = OpTester::new(&OP).input(strings(&[2], &["a", "b"])).input(strings(&[1], &["a"])).run().unwrap();
        assert_eq!(out[0].as_strings().unwrap(), ["b"]);
    }
}
