//! `Fill`: one value everywhere.

use super::dims::shape_from;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Fill(dims: index_type, value: T) -> (output: T)",
    attrs: "T: type; index_type: type in {int32, int64} = int32",
    doc: "A tensor of shape `dims` whose elements are all `value`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Filling;

impl Rearrange for Filling {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        if let [value, ..] = inputs[0] {
            out.fill(value.clone());
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (dims, value) = (ctx.input(0)?, ctx.input(1)?);
    let shape = shape_from(dims, "dims")?;
    // A vector of one element is taken for a scalar, as TF does.
    if value.num_elements() != 1 || value.rank() > 1 {
        return Err(invalid_argument(format!("value must represent a scalar, got shape {}", value.shape())));
    }
    let y = rearrange(&[value], shape, &Filling)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = match c.constant(0) {
        Some(t) => shape_from(t, "dims")?.into(),
        None if c.input(0).rank() == Some(0) => PartialShape::of_rank(1),
        None => c.input_as_shape(0)?,
    };
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let dy = grads.dense(0);
    let rank = g.op("Rank").input(&dy).output();
    let axes = g.op("Range").inputs([g.constant(0i32), rank, g.constant(1i32)]).output();
    Ok(vec![None, Some(g.op("Sum").input(&dy).input(axes).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_the_value() {
        let y = OpTester::new(&OP).input(tensor(&[2], &[2i32, 3])).input(1.5f32).run_one().unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[2i64, 3][..], &[1.5f32; 6][..]));
        let y = OpTester::new(&OP).input(tensor(&[1], &[2i32])).input("a").run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), ["a", "a"]);
    }

    #[test]
    fn sizes_that_are_negative_or_overflow_are_refused() {
        for dims in [&[-1i64][..], &[1 << 31, 1 << 31, 1 << 31], &[i64::MIN]] {
            let e = OpTester::new(&OP).input(tensor(&[dims.len() as i64], dims)).input(0f32).run().unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument);
        }
        let e = OpTester::new(&OP).input(tensor(&[1], &[1i64 << 50])).input(0f32).run().unwrap_err();
        assert_eq!(e.code(), Code::ResourceExhausted);
        let e = OpTester::new(&OP).input(tensor(&[1], &[1i32])).input(tensor(&[2], &[1f32, 2.0])).run().unwrap_err();
        assert_eq!(e.bare_message(), "value must represent a scalar, got shape [2]");
    }
}
