//! `ShardedFilename`: the name of one file of several.

use super::arguments::{number, text};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShardedFilename(basename: string, shard: int32, num_shards: int32) -> (filename: string)",
    doc: "`basename-SSSSS-of-NNNNN`.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (base, shard, of) = (text(ctx, 0, "basename")?, number(ctx, 1, "shard")?, number(ctx, 2, "num_shards")?);
    ctx.set_output(0, Tensor::string(format!("{base}-{shard:05}-of-{of:05}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits() {
        let y = OpTester::new(&OP).input("dir/part").input(3i32).input(12i32).run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), ["dir/part-00003-of-00012"]);
        let e = OpTester::new(&OP).input(strings(&[2], &["a", "b"])).input(0i32).input(1i32).run().unwrap_err();
        assert_eq!(e.bare_message(), "basename must be a scalar, got shape [2]");
    }
}
