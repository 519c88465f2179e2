//! `StringJoin`: strings of several tensors joined element by element.

use crate::prelude::*;
use bytes::{Bytes, BytesMut};

pub const OP: OpSpec = OpSpec {
    signature: "StringJoin(inputs: N * string) -> (output: string)",
    attrs: "N: int >= 0; separator: string = \"\"",
    doc: "The strings at equal places of all inputs with `separator` between them; scalars go with every place.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let inputs: Vec<&Tensor> = (0..ctx.num_inputs()).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    let mut shape = Shape::scalar();
    for t in inputs.iter().filter(|t| !t.shape().is_scalar()) {
        if shape.is_scalar() {
            shape = t.shape().clone();
        } else if *t.shape() != shape {
            return Err(invalid_argument(format!("Input shapes do not match: {shape} vs. {}", t.shape())));
        }
    }
    let columns: Vec<&[Bytes]> = inputs.iter().map(|t| t.as_strings()).collect::<Result<_>>()?;
    let separator = ctx.node.attrs.bytes("separator")?;
    let join = |place: usize| {
        let mut joined = BytesMut::new();
        for (i, (column, t)) in columns.iter().zip(&inputs).enumerate() {
            if i > 0 {
                joined.extend_from_slice(separator);
            }
            let at = if t.shape().is_scalar() { 0 } else { place };
            joined.extend_from_slice(column.get(at).map_or(&[][..], |s| s));
        }
        joined.freeze()
    };
    let strings = (0..shape.num_elements()).map(join).collect();
    let y = Tensor::strings(shape, strings)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let mut all = PartialShape::scalar();
    for i in 0..c.num_inputs() {
        let s = c.input(i);
        match s.rank() {
            None => return Ok(()),
            Some(0) => {}
            Some(_) if all.rank() == Some(0) => all = s,
            Some(_) => all = all.merge(&s)?,
        }
    }
    c.set_output(0, all);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_go_with_every_element() {
        let join = |inputs: Vec<Tensor>| OpTester::new(&OP).input_list(inputs).attr("separator", "-").run_one();
        let y = join(vec![Tensor::string("a"), strings(&[2], &["b", ""])]).unwrap();
        assert_eq!(y.as_strings().unwrap(), ["a-b", "a-"]);
        assert_eq!(join(vec![Tensor::string("a")]).unwrap().as_strings().unwrap(), ["a"]);
        let e = join(vec![strings(&[2], &["a", "b"]), strings(&[3], &["a", "b", "c"])]).unwrap_err();
        assert_eq!(e.bare_message(), "Input shapes do not match: [2] vs. [3]");
    }
}
