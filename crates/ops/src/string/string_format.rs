//! `StringFormat`: tensors written into a text.

use crate::control::value_text::edges;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringFormat(inputs: T) -> (output: string)",
    attrs: "T: list(type) >= 0; template: string = \"%s\"; placeholder: string = \"%s\"; summarize: int = 3",
    doc: "`template` with each `placeholder` replaced by the text of the input at its place, of which the first and last `summarize` elements of each dimension are shown.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (template, placeholder) = (attrs.str("template")?, attrs.str("placeholder")?);
    let most = attrs.int("summarize")?;
    if placeholder.is_empty() {
        return Err(invalid_argument("the placeholder must not be empty"));
    }
    let places = template.matches(placeholder).count();
    if places != ctx.num_inputs() {
        return Err(invalid_argument(format!("num placeholders in template and num inputs must match: {places} vs. {}", ctx.num_inputs())));
    }
    let mut text = String::new();
    for (i, part) in template.split(placeholder).enumerate() {
        if i > 0 {
            text.push_str(&edges(ctx.input(i - 1)?, most));
        }
        text.push_str(part);
    }
    ctx.set_output(0, Tensor::string(text));
    Ok(())
}
