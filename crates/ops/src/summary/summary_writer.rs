//! `SummaryWriter`: the handle of a summary writer.

use crate::prelude::*;
use crate::state::variable_access::check_names;
use ferroflow_tensor::ResourceHandle;

pub const OP: OpSpec = OpSpec {
    signature: "SummaryWriter() -> (writer: resource)",
    attrs: "shared_name: string = \"\"; container: string = \"\"",
    flags: "stateful",
    doc: "A handle that names the writer by container and shared name. The writer itself is made by `CreateSummaryFileWriter`.",
    shape: shape::scalar,
    kernels: &[Kernel::built(build).inline()],
    ..WORDS
};

struct SummaryWriter(Tensor);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let (container, shared) = (attrs.str("container")?, attrs.str("shared_name")?);
    check_names(container, shared)?;
    Ok(Box::new(SummaryWriter(Tensor::resource(ResourceHandle {
        device: c.device.name.to_string(),
        container: c.resources.container(container).to_owned(),
        name: if shared.is_empty() { c.node.name.to_string() } else { shared.to_owned() },
        maybe_type_name: "SummaryWriterInterface".to_owned(),
        ..ResourceHandle::default()
    }))))
}

impl OpKernel for SummaryWriter {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        ctx.set_output(0, self.0.clone());
        Ok(())
    }
}
