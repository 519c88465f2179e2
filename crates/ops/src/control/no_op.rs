//! `NoOp`: nothing, done after its control inputs.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NoOp() -> ()",
    doc: "Does nothing; groups what it depends on by control edges.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|_| Ok(())).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_no_outputs() {
        assert!(OpTester::new(&OP).run().unwrap().is_empty());
    }
}
