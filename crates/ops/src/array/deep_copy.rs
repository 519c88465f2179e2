//! `DeepCopy`: a copy in memory of its own.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DeepCopy(x: T) -> (y: T)",
    attrs: "T: type",
    flags: "stateful",
    doc: "A copy of `x` that shares no memory with it.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let y = ctx.input(0)?.deep_copy()?;
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_has_memory_of_its_own() {
        let x = tensor(&[2], &[1i64, 2]);
        let y = OpTester::new(&OP).input(x.clone()).run_one().unwrap();
        assert_eq!(y.as_slice::<i64>().unwrap(), [1, 2]);
        assert_ne!(x.as_slice::<i64>().unwrap().as_ptr(), y.as_slice::<i64>().unwrap().as_ptr());
    }
}
