//! `PrintV2`: writes a string to a stream of the task.

use crate::prelude::*;
use std::io::Write;

pub const OP: OpSpec = OpSpec {
    signature: "PrintV2(input: string) -> ()",
    attrs: "output_stream: string = \"stderr\"; end: string = \"\\n\"",
    flags: "stateful",
    doc: "Writes the scalar `input` and `end` to `stdout`, `stderr`, the log (`log(info)`, `log(warning)`, `log(error)`) or, with \
          `file://path`, to the end of a file.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = ctx.input(0)?;
    if !input.shape().is_scalar() {
        return Err(invalid_argument(format!("Input is expected to be scalar, but got {}", input.shape())));
    }
    let text: Vec<u8> = input.as_strings()?.iter().flat_map(|s| s.iter()).chain(ctx.node.attrs.bytes("end")?.iter()).copied().collect();
    match ctx.node.attrs.str("output_stream")? {
        "stdout" => std::io::stdout().lock().write_all(&text)?,
        "stderr" | "log(info)" | "log(warning)" | "log(error)" => std::io::stderr().lock().write_all(&text)?,
        stream => match stream.strip_prefix("file://") {
            Some(path) => std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(&text)?,
            None => {
                return Err(invalid_argument(format!(
                    "Unknown output stream: {stream}, or output_stream is not in list of built-in streams"
                )));
            }
        },
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_by_what_is_printed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        for text in ["a", "b"] {
            OpTester::new(&OP).input(text).attr("output_stream", format!("file://{}", path.display())).run().unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), "a\nb\n");
        assert_eq!(OpTester::new(&OP).input("a").attr("output_stream", "nowhere").run().unwrap_err().code(), Code::InvalidArgument);
    }
}
