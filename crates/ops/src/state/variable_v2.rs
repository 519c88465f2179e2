//! `VariableV2`: a variable by reference, shared by name within its container.

use super::ref_variable;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "VariableV2() -> (ref: Ref(dtype))",
    attrs: "shape: shape; dtype: type; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "A reference to a variable of the declared type and shape. Sessions that use the same name in the same container share it.",
    shape: ref_variable::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(ref_variable::build).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::LegacyVar;
    use crate::testing::{OpTester, bare_step};
    use ferroflow_graph::kernel::Value;
    use ferroflow_tensor::{Code, DType, PartialShape, Tensor};

    fn tester(dtype: DType) -> OpTester {
        OpTester::new(&OP).name("v").attr("dtype", dtype).attr("shape", PartialShape::scalar())
    }

    #[test]
    fn nodes_of_one_name_share_the_variable() {
        let step = bare_step(1);
        let get = || match &tester(DType::Float).step(&step).build().unwrap().0.run(vec![]).unwrap()[0] {
            Some(Value::Ref(v)) => v.clone(),
            _ => panic!("no reference"),
        };
        let (a, b) = (get(), get());
        a.set(Tensor::scalar(2f32));
        assert_eq!(b.read().unwrap().to_scalar::<f32>().unwrap(), 2.0);
        step.resources.clear("");
        assert!(!get().is_initialized(), "a reset container holds a new variable");
        assert!(step.resources.lookup::<LegacyVar>("", "v").is_ok());
    }

    #[test]
    fn one_name_with_two_types_is_refused() {
        let step = bare_step(1);
        tester(DType::Float).step(&step).build().unwrap().0.run(vec![]).unwrap();
        let error = tester(DType::Int32).step(&step).build().unwrap().0.run(vec![]).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(tester(DType::Float).attr("shared_name", "_v").build().is_err());
    }

    #[test]
    fn reading_before_the_first_assignment_names_the_variable() {
        let error = tester(DType::Float).run().unwrap_err();
        assert_eq!((error.code(), error.bare_message()), (Code::FailedPrecondition, "Attempting to use uninitialized value v"));
    }
}
