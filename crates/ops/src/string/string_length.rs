//! `StringLength`: how long strings are.

use super::each::character_starts;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StringLength(input: string) -> (output: int32)",
    attrs: "unit: string in {\"BYTE\", \"UTF8_CHAR\"} = \"BYTE\"",
    doc: "The number of bytes, or of characters of UTF-8, of each string.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let in_bytes = ctx.node.attrs.str("unit")? == "BYTE";
    let length = |s: &bytes::Bytes| {
        let n = if in_bytes { s.len() } else { character_starts(s).len() };
        i32::try_from(n).map_err(|_| invalid_argument(format!("a string of {n} is too long")))
    };
    let lengths = x.as_strings()?.iter().map(length).collect::<Result<Vec<_>>>()?;
    let y = Tensor::from_slice(x.shape().clone(), &lengths)?;
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_bytes() {
        let run = |unit: &str| OpTester::new(&OP).input(strings(&[2], &["größer", ""])).attr("unit", unit).run_one().unwrap();
        assert_eq!(run("BYTE").as_slice::<i32>().unwrap(), [8, 0]);
        assert_eq!(run("UTF8_CHAR").as_slice::<i32>().unwrap(), [6, 0]);
    }
}
