//! `Identity`: its input.

use super::pass_through;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Identity(input: T) -> (output: T)",
    attrs: "T: type",
    doc: "The same tensor; of a reference, the variable's value.",
    shape: shape::unchanged,
    gradient: Gradient::Of(pass_through::gradient),
    kernels: &[Kernel::cpu(pass_through::compute).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::kernel::Variable;
    use std::sync::Arc;

    #[test]
    fn the_output_shares_memory_with_the_input() {
        let x = tensor(&[3], &[1f32, 2.0, 3.0]);
        let y = OpTester::new(&OP).input(x.clone()).run_one().unwrap();
        assert_eq!(x.as_slice::<f32>().unwrap().as_ptr(), y.as_slice::<f32>().unwrap().as_ptr());
    }

    #[test]
    fn a_reference_is_read() {
        let v = Arc::new(Variable::new("v", DType::Int32));
        assert_eq!(OpTester::new(&OP).input_ref(v.clone()).run().unwrap_err().code(), Code::FailedPrecondition);
        v.set(Tensor::scalar(7i32));
        assert_eq!(OpTester::new(&OP).input_ref(v).run_one().unwrap().to_scalar::<i32>().unwrap(), 7);
    }

    #[test]
    fn the_gradient_passes_through() {
        check_gradient(&[tensor(&[2], &[1f64, 2.0])], |g, x| g.op("Identity").input(&x[0]).build());
    }
}
