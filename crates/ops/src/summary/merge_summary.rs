//! `MergeSummary`: several summaries in one.

use crate::prelude::*;
use bytes::Bytes;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "MergeSummary(inputs: N * string) -> (summary: string)",
    attrs: "N: int >= 1",
    doc: "A serialized `Summary` with the values of all serialized summaries; a tag that appears twice is an error.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let inputs: Vec<&[Bytes]> = (0..ctx.num_inputs()).map(|i| ctx.input(i)?.as_strings()).collect::<Result<_>>()?;
    let merged = summary::merge(inputs.iter().copied().flatten().map(|s| s.as_ref()))?;
    ctx.set_output(0, Tensor::string(merged));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_may_appear_once() {
        let a = Tensor::string(summary::scalar("a", 1.0));
        let b = Tensor::string(summary::scalar("b", 2.0));
        let run = |inputs: Vec<Tensor>| OpTester::new(&OP).input_list(inputs).run_one();
        let y = run(vec![a.clone(), b]).unwrap();
        assert_eq!(y.as_strings().unwrap()[0], [summary::scalar("a", 1.0), summary::scalar("b", 2.0)].concat());
        assert_eq!(run(vec![a.clone(), a]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(run(vec![Tensor::string("no summary")]).unwrap_err().code(), Code::InvalidArgument);
    }
}
