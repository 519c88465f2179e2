//! `RefIdentity`: a reference to a variable.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefIdentity(input: Ref(T)) -> (output: Ref(T))",
    attrs: "T: type",
    flags: "uninitialized_input",
    doc: "The same reference.",
    shape: shape::unchanged,
    gradient: Gradient::Of(crate::array::pass_through::gradient),
    kernels: &[Kernel::cpu(|ctx| ctx.pass_on(0, 0)).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::kernel::Variable;
    use std::sync::Arc;

    #[test]
    fn the_reference_is_passed_on_even_without_a_value() {
        let v = Arc::new(Variable::new("v", DType::Float));
        let (node, inputs) = OpTester::new(&OP).input_ref(v.clone()).build().unwrap();
        assert!(matches!(&node.run(inputs).unwrap()[0], Some(Value::Ref(r)) if Arc::ptr_eq(r, &v)));
    }
}
