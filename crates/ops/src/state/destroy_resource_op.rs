//! `DestroyResourceOp`: removes the object that a handle names.

use super::variable_access::handle_in;
use crate::dataflow::{accumulator::Accumulator, lookup_table::LookupTable, queue::Queue};
use ferroflow_graph::kernel::{OpKernelContext, Variable};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::Result;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "DestroyResourceOp(resource: resource) -> ()",
    attrs: "ignore_lookup_error: bool = true",
    flags: "stateful",
    doc: "Kernels that hold the object keep it. A missing object is an error only with ignore_lookup_error=false.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let handle = handle_in(ctx.input(0)?)?;
    let resources = ctx.resources();
    let (container, name) = (handle.container.as_str(), handle.name.as_str());
    let removed = match handle.maybe_type_name.as_str() {
        LookupTable::TYPE_NAME => resources.delete::<LookupTable>(container, name),
        Queue::TYPE_NAME => resources.delete::<Queue>(container, name),
        Accumulator::TYPE_NAME => resources.delete::<Accumulator>(container, name),
        _ => resources.delete::<Variable>(container, name),
    };
    if ctx.node.attrs.bool("ignore_lookup_error")? { Ok(()) } else { removed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step};
    use ferroflow_tensor::{Code, Tensor};

    #[test]
    fn a_destroyed_variable_is_gone() {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(Tensor::scalar(1f32)));
        let destroy = |ignore: bool| OpTester::new(&OP).input(v.clone()).attr("ignore_lookup_error", ignore).step(&step).run();
        destroy(false).unwrap();
        assert!(step.resources.lookup::<Variable>("", "v").is_err());
        assert_eq!(destroy(false).unwrap_err().code(), Code::NotFound);
        assert!(destroy(true).is_ok());
    }
}
