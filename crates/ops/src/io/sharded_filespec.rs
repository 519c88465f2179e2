//! `ShardedFilespec`: the pattern that matches all of several files.

use super::arguments::{number, text};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShardedFilespec(basename: string, num_shards: int32) -> (filename: string)",
    doc: "`basename-?????-of-NNNNN`.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (base, of) = (text(ctx, 0, "basename")?, number(ctx, 1, "num_shards")?);
    ctx.set_output(0, Tensor::string(format!("{base}-?????-of-{of:05}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shard_is_left_open() {
        let y = OpTester::new(&OP).input("m").input(2i32).run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), ["m-?????-of-00002"]);
    }
}
