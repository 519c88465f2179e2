//! `RngReadAndSkip`: takes a stretch of a generator whose state is in a variable.

use super::generator_state::skip;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RngReadAndSkip(resource: resource, alg: int32, delta: uint64) -> (value: int64)",
    flags: "stateful",
    doc: "The state of the generator, which then is moved on by what `delta` numbers may need.",
    shape: |c| {
        c.with_rank(1, 0)?;
        c.with_rank(2, 0)?;
        c.set_output(0, PartialShape::new(&[Some(3)]));
        Ok(())
    },
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let state = skip(ctx, i64::from(ctx.scalar::<i32>(1, "algorithm")?), ctx.scalar::<u64>(2, "delta")?)?;
    ctx.set_output(0, Tensor::vector(&state)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::bare_step;

    #[test]
    fn each_number_takes_256_blocks_and_the_counter_carries() {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[3], &[-1i64, 0, 77])));
        let run = |algorithm: i32| OpTester::new(&OP).input(v.clone()).input(algorithm).input(3u64).step(&step).run_one();
        assert_eq!(run(1).unwrap().as_slice::<i64>().unwrap(), [-1, 0, 77]);
        assert_eq!(run(1).unwrap().as_slice::<i64>().unwrap(), [767, 1, 77]);
        assert_eq!(run(9).unwrap_err().code(), Code::InvalidArgument);
        let short = handle(&step, "short", Some(tensor(&[2], &[5i64, 0])));
        let refused = OpTester::new(&OP).input(short).input(1i32).input(3u64).step(&step).run_one();
        assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
    }
}
