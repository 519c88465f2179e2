//! `Placeholder`: a tensor that must be fed.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Placeholder() -> (output: dtype)",
    attrs: "dtype: type; shape: shape = unknown",
    doc: "Stands for a tensor that each step must feed; running it is an error.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dtype = ctx.node.attrs.dtype("dtype")?;
    let shape = ctx.node.attrs.shape("shape")?;
    let shape = if shape.rank().is_some_and(|r| r > 0) { format!(" and shape {shape}") } else { String::new() };
    Err(invalid_argument(format!("You must feed a value for placeholder tensor '{}' with dtype {dtype}{shape}", ctx.node.name)))
}

/// The shape is that of the attribute.
///
/// Errors: `InvalidArgument` without the attribute.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.node().attrs.shape("shape")?.clone();
    c.set_output(0, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_without_a_feed_names_the_placeholder() {
        let shape = PartialShape::new(&[None, Some(784)]);
        let e = OpTester::new(&OP).name("x").attr("dtype", DType::Float).attr("shape", shape).run().unwrap_err();
        assert_eq!(e.bare_message(), "You must feed a value for placeholder tensor 'x' with dtype float and shape [?,784]");
        let e = OpTester::new(&OP).name("x").attr("dtype", DType::Int32).run().unwrap_err();
        assert_eq!(e.bare_message(), "You must feed a value for placeholder tensor 'x' with dtype int32");
    }
}
