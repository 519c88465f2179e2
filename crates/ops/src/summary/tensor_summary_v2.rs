//! `TensorSummaryV2`: a tensor under a tag, for event files.

use super::tags::scalar_tag;
use crate::prelude::*;
use ferroflow_io::summary;

pub const OP: OpSpec = OpSpec {
    signature: "TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) -> (summary: string)",
    attrs: "T: type",
    doc: "A serialized `Summary` with `tensor` under the scalar `tag`, shown as the serialized `SummaryMetadata` says.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let tag = scalar_tag(ctx, 0)?;
    let metadata = match ctx.input(2)?.as_strings()? {
        [m] if ctx.input(2)?.shape().is_scalar() => m.clone(),
        _ => return Err(invalid_argument("serialized_summary_metadata must be scalar")),
    };
    let bytes = summary::tensor(&tag, ctx.input(1)?, &metadata)?;
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_must_be_metadata() {
        let run = |metadata: Tensor| OpTester::new(&OP).input("t").input(tensor(&[2], &[1f32, 2.0])).input(metadata).run_one();
        assert_eq!(
            run(Tensor::string("")).unwrap().as_strings().unwrap()[0],
            summary::tensor("t", &tensor(&[2], &[1f32, 2.0]), b"").unwrap()
        );
        assert_eq!(run(Tensor::string(vec![0xFF])).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(run(strings(&[0], &[])).unwrap_err().code(), Code::InvalidArgument);
    }
}
