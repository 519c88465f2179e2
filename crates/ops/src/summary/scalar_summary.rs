//! `ScalarSummary`: numbers under tags, for event files.

use super::tags::numbers;
use crate::prelude::*;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "ScalarSummary(tags: string, values: T) -> (summary: string)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "A serialized `Summary` with one value per element of `values`, each under the tag at its place.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (tags, values) = (ctx.input(0)?, ctx.input(1)?);
    if tags.shape() != values.shape() {
        let tag = match tags.as_strings()? {
            [tag] => format!(" (tag '{}')", String::from_utf8_lossy(tag)),
            _ => String::new(),
        };
        return Err(invalid_argument(format!("tags and values are not the same shape: {} != {}{tag}", tags.shape(), values.shape())));
    }
    let mut bytes = Vec::new();
    for (tag, value) in tags.as_strings()?.iter().zip(numbers(values)?) {
        // Serialized messages one behind the other are one message with the values of all.
        bytes.extend(summary::scalar(&String::from_utf8_lossy(tag), value as f32));
    }
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_tag() {
        let run = |tags: Tensor, values: Tensor| OpTester::new(&OP).input(tags).input(values).run_one();
        let y = run(strings(&[2], &["a", "b"]), tensor(&[2], &[1i32, 2])).unwrap();
        assert_eq!(y.as_strings().unwrap()[0], [summary::scalar("a", 1.0), summary::scalar("b", 2.0)].concat());
        let e = run(Tensor::string("a"), tensor(&[1], &[1f32])).unwrap_err();
        assert_eq!(e.bare_message(), "tags and values are not the same shape: [] != [1] (tag 'a')");
        assert_eq!(run(strings(&[2], &["a", "b"]), tensor(&[3], &[0f32; 3])).unwrap_err().code(), Code::InvalidArgument);
    }
}
