//! `Timestamp`: the time of the task that runs it.

use crate::prelude::*;
use std::time::{SystemTime, UNIX_EPOCH};

pub const OP: OpSpec = OpSpec {
    signature: "Timestamp() -> (ts: double)",
    flags: "stateful",
    doc: "Seconds since the beginning of 1970, to the microsecond, each time that it runs.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    ctx.set_output(0, Tensor::scalar(since.as_micros() as f64 * 1e-6));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::OpTester;

    #[test]
    fn time_goes_on() {
        let now = || OpTester::named("Timestamp").run_one().unwrap().to_scalar::<f64>().unwrap();
        let (first, second) = (now(), now());
        assert!(first > 1.7e9 && second >= first, "{first} {second}");
    }
}
