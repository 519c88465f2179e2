//! `EnsureShape`: fails if a tensor is not of the expected shape.

use super::pass_through;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "EnsureShape(input: T) -> (output: T)",
    attrs: "shape: shape; T: type",
    doc: "The same tensor; an error if its shape does not fit `shape`.",
    shape,
    gradient: Gradient::Of(pass_through::gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let expected = ctx.node.attrs.shape("shape")?;
    let have = ctx.input(0)?.shape();
    if !expected.matches(have) {
        return Err(invalid_argument(format!(
            "Shape of tensor {} {have} is not compatible with expected shape {expected}.",
            ctx.node.name
        )));
    }
    ctx.pass_on(0, 0)
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0).merge(c.node().attrs.shape("shape")?)?;
    c.set_output(0, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_shape_is_an_error() {
        let run = |dims: &[Option<i64>]| {
            OpTester::new(&OP).name("x").input(tensor(&[2, 1], &[1f32, 2.0])).attr("shape", PartialShape::new(dims)).run_one()
        };
        assert!(run(&[None, Some(1)]).is_ok());
        let e = run(&[Some(3), None]).unwrap_err();
        assert_eq!(e.bare_message(), "Shape of tensor x [2,1] is not compatible with expected shape [3,?].");
    }
}
