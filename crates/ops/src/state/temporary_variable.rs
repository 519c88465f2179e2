//! `TemporaryVariable`: a variable that lives until `DestroyTemporaryVariable` of the same step.

use super::ref_variable;
use super::variable_access::LegacyVar;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{FrameAndIter, OpKernelContext, Variable};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TemporaryVariable() -> (ref: Ref(dtype))",
    attrs: "shape: shape; dtype: type; var_name: string = \"\"",
    flags: "stateful",
    doc: "A reference to a new variable of the declared shape, filled with zeros. Its name must be unique in the step.",
    shape: ref_variable::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The variable's name in the step: loop iterations have variables of their own.
pub(super) fn step_name(node: &NodeInfo, at: FrameAndIter) -> Result<String> {
    let name = node.attrs.str("var_name")?;
    let name = if name.is_empty() { &node.name } else { name };
    Ok(format!("{name}/frame:{}/iter:{}", at.frame_id, at.iter_id))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (dtype, declared) = (ctx.node.attrs.dtype("dtype")?, ctx.node.attrs.shape("shape")?.clone());
    let shape = declared.to_shape().ok_or_else(|| invalid_argument(format!("a temporary variable needs a known shape, got {declared}")))?;
    let name = step_name(ctx.node, ctx.frame_iter)?;
    let variable = Arc::new(Variable::with_shape(name.as_str(), dtype, declared));
    variable.set(Tensor::zeros(dtype, shape)?);
    ctx.step.step_resources.create("", &name, Arc::new(LegacyVar(variable.clone())))?;
    ctx.set_output_ref(0, variable);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step};
    use ferroflow_graph::kernel::Value;
    use ferroflow_tensor::{Code, DType, PartialShape};

    #[test]
    fn it_lives_until_it_is_destroyed() {
        let step = bare_step(1);
        let make = || OpTester::new(&OP).attr("dtype", DType::Float).attr("shape", PartialShape::new(&[Some(2)])).attr("var_name", "t");
        let outputs = make().step(&step).build().unwrap().0.run(vec![]).unwrap();
        let Some(Value::Ref(variable)) = outputs[0].clone() else { panic!("no reference") };
        assert_eq!(make().step(&step).run().unwrap_err().code(), Code::AlreadyExists);
        let destroy = || OpTester::named("DestroyTemporaryVariable").input_ref(variable.clone()).attr("var_name", "t").step(&step);
        assert_eq!(destroy().run_one().unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0]);
        assert_eq!(destroy().run().unwrap_err().code(), Code::NotFound);
        assert_eq!(make().attr("shape", PartialShape::unknown()).run().unwrap_err().code(), Code::InvalidArgument);
    }
}
