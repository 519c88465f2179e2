//! `Print`: passes a tensor on and writes others to the task's standard error.

use super::value_text::summary;
use crate::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

pub const OP: OpSpec = OpSpec {
    signature: "Print(input: T, data: U) -> (output: T)",
    attrs: "T: type; U: list(type) >= 0; message: string = \"\"; first_n: int = -1; summarize: int = 3",
    flags: "stateful",
    doc: "`input`; writes `message` and the first `summarize` elements of each of `data` to standard error, the first `first_n` times.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::built(build).heavy()],
    ..WORDS
};

struct Print {
    message: String,
    first_n: i64,
    summarize: i64,
    calls: AtomicI64,
}

impl Print {
    /// What is to be written; nothing once it has been said often enough.
    fn text(&self, data: &[&Tensor]) -> Option<String> {
        if self.first_n >= 0 && self.calls.fetch_add(1, Ordering::Relaxed) >= self.first_n {
            return None;
        }
        let data: Vec<String> = data.iter().map(|t| format!("[{}]", summary(t, self.summarize))).collect();
        Some(format!("{}{}", self.message, data.concat()))
    }
}

impl OpKernel for Print {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let data: Vec<&Tensor> = (1..ctx.num_inputs()).map(|i| ctx.input(i)).collect::<Result<_>>()?;
        if let Some(text) = self.text(&data) {
            eprintln!("{text}");
        }
        ctx.pass_on(0, 0)
    }
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    Ok(Box::new(Print {
        message: String::from_utf8_lossy(attrs.bytes("message")?).into_owned(),
        first_n: attrs.int("first_n")?,
        summarize: attrs.int("summarize")?,
        calls: AtomicI64::new(0),
    }))
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let mut all = vec![None; op.num_inputs()];
    all[0] = grads.get(0).cloned();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_ends_after_the_first_times() {
        let p = Print { message: "m".into(), first_n: 2, summarize: 0, calls: AtomicI64::new(0) };
        let data = [tensor(&[4], &[true; 4]), tensor(&[1], &[true])];
        let data: Vec<&Tensor> = data.iter().collect();
        assert_eq!(p.text(&data).unwrap(), "m[...][...]");
        assert!(p.text(&data).is_some());
        assert!(p.text(&data).is_none());
    }

    #[test]
    fn the_input_passes_through() {
        let y = OpTester::new(&OP).input(1i32).input_list([]).attr("message", "a test prints this line").run_one().unwrap();
        assert_eq!(y.to_scalar::<i32>().unwrap(), 1);
    }
}
