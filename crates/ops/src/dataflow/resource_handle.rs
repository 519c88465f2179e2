//! Handles of queues, accumulators, tables: how the ops that make such an object hand it out, and how others find it again.
//!
//! The older forms of these ops use a reference to a string tensor (container, name) as a handle, the newer ones a resource handle;
//! the object is the same. Without a shared name the object belongs to the kernel and goes with it (TF: `ResourceOpKernel`).

use crate::state::variable_access::{check_names, handle_in};
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext, Resource, ResourceManager, Value, Variable};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, ResourceHandle, Result, Shape, Tensor};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that make names unique within a manager.
struct NameCounter(AtomicU64);

impl Resource for NameCounter {
    fn type_name(&self) -> &'static str {
        "NameCounter"
    }
}

/// A number that this manager has not given out before.
///
/// Errors: none in practice; what the manager returns.
pub(crate) fn unique_number(resources: &ResourceManager) -> Result<u64> {
    // Clients cannot name, and so cannot clear, a container that starts with an underscore.
    let counter = resources.lookup_or_create("_names", "counter", || Ok(NameCounter(AtomicU64::new(0))))?;
    Ok(counter.0.fetch_add(1, Ordering::Relaxed))
}

/// Makes an object for a node, under this name.
pub(crate) type Make<R> = fn(&NodeInfo, &str) -> Result<R>;

/// Checks that an object that exists already is what a node asks for.
pub(crate) type Check<R> = fn(&R, &NodeInfo) -> Result<()>;

/// Tells an object what the inputs of the node that made it say.
pub(crate) type Prepare<R> = fn(&R, &OpKernelContext) -> Result<()>;

struct HandleKernel<R: Resource> {
    node: Arc<NodeInfo>,
    resources: Arc<ResourceManager>,
    container: String,
    name: String,
    is_private: bool,
    handle: Value,
    make: Make<R>,
    check: Check<R>,
    prepare: Prepare<R>,
}

/// The kernel of an op that makes an object and returns its handle.
///
/// Errors: `InvalidArgument` for names that TF does not allow.
pub(crate) fn build<R: Resource>(c: &KernelConstruction, type_name: &str, make: Make<R>, check: Check<R>) -> Result<Box<dyn OpKernel>> {
    build_prepared(c, type_name, make, check, |_, _| Ok(()))
}

/// As [`build`], for an object that has to know the inputs, too.
///
/// Errors: as [`build`].
pub(crate) fn build_prepared<R: Resource>(
    c: &KernelConstruction,
    type_name: &str,
    make: Make<R>,
    check: Check<R>,
    prepare: Prepare<R>,
) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let (container, shared) = (attrs.str("container")?, attrs.str("shared_name")?);
    check_names(container, shared)?;
    let by_node_name = attrs.contains("use_node_name_sharing") && attrs.bool("use_node_name_sharing")?;
    let is_private = shared.is_empty() && !by_node_name;
    let name = match shared {
        "" if is_private => format!("_{}_{}", unique_number(c.resources)?, c.node.name),
        "" => c.node.name.to_string(),
        shared => shared.to_owned(),
    };
    let container = c.resources.container(container).to_owned();
    let is_ref = c.node.output_types.first().is_some_and(|t| t.is_ref);
    let handle = if is_ref {
        Value::Ref(string_handle(&container, &name)?)
    } else {
        Value::Tensor(Tensor::resource(ResourceHandle {
            device: c.device.name.to_string(),
            container: container.clone(),
            name: name.clone(),
            hash_code: 0,
            maybe_type_name: type_name.to_owned(),
            dtypes_and_shapes: vec![],
        }))
    };
    let (node, resources) = (c.node.clone(), c.resources.clone());
    Ok(Box::new(HandleKernel { node, resources, container, name, is_private, handle, make, check, prepare }))
}

/// A handle of the older kind.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn string_handle(container: &str, name: &str) -> Result<Arc<Variable>> {
    let variable = Variable::new(name, DType::String);
    variable.set(Tensor::strings(Shape::new(&[2])?, vec![container.to_owned().into(), name.to_owned().into()])?);
    Ok(Arc::new(variable))
}

impl<R: Resource> OpKernel for HandleKernel<R> {
    /// Looks the object up each time: after a reset of its container there must be a new one.
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let object = self.resources.lookup_or_create(&self.container, &self.name, || (self.make)(&self.node, &self.name))?;
        (self.check)(&object, &self.node)?;
        (self.prepare)(&object, ctx)?;
        match &self.handle {
            Value::Ref(v) => ctx.set_output_ref(0, v.clone()),
            Value::Tensor(t) => ctx.set_output(0, t.clone()),
        }
        Ok(())
    }
}

impl<R: Resource> Drop for HandleKernel<R> {
    fn drop(&mut self) {
        if self.is_private {
            // It may never have been made, or its container may have been reset.
            let _ = self.resources.delete::<R>(&self.container, &self.name);
        }
    }
}

/// The object that a handle of either kind names.
///
/// Errors: `InvalidArgument` if the value is no handle; `NotFound` if there is no such object.
pub(crate) fn object<R: Resource>(resources: &ResourceManager, handle: &Value) -> Result<Arc<R>> {
    match handle {
        Value::Ref(variable) => {
            let names = variable.read()?;
            let [container, name] = names.as_strings()? else {
                return Err(invalid_argument(format!("Resource handle must have two elements, but had shape: {}", names.shape())));
            };
            let text = |bytes| std::str::from_utf8(bytes).map_err(|_| invalid_argument("a resource handle is not UTF-8 text"));
            resources.lookup(text(container)?, text(name)?)
        }
        Value::Tensor(tensor) => resources.lookup_handle(handle_in(tensor)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::Code;

    fn queue(op: &str, step: &Arc<StepContext>) -> OpTester {
        OpTester::named(op).attr("component_types", vec![DType::Float]).step(step)
    }

    #[test]
    fn a_private_object_is_not_shared_and_goes_with_its_kernel() {
        let step = bare_step(1);
        let (a, _) = queue("FIFOQueueV2", &step).build().unwrap();
        let (b, _) = queue("FIFOQueueV2", &step).build().unwrap();
        let name = |node: &crate::testing::TestNode| {
            let out = node.run(vec![]).unwrap()[0].as_ref().unwrap().to_tensor().unwrap();
            handle_in(&out).unwrap().name.clone()
        };
        assert_ne!(name(&a), name(&b));
        let queues = || step.resources.list().iter().filter(|(_, _, ty)| *ty == "FIFOQueue").count();
        assert_eq!(queues(), 2);
        drop(a);
        assert_eq!(queues(), 1);
    }

    #[test]
    fn both_kinds_of_handle_name_the_same_object() {
        let step = bare_step(1);
        queue("FIFOQueueV2", &step).attr("shared_name", "q").run().unwrap();
        let old = queue("FIFOQueue", &step).attr("shared_name", "q").run_one().unwrap();
        assert_eq!(old.as_strings().unwrap()[1], "q");
        assert_eq!(step.resources.list().iter().filter(|(_, name, _)| name == "q").count(), 1);
    }

    #[test]
    fn a_handle_of_something_else_is_refused() {
        let step = bare_step(1);
        let missing = string_handle("localhost", "nothing").unwrap();
        let error = OpTester::named("QueueSize").input_ref(missing).step(&step).run().unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        let short = Variable::new("h", DType::String);
        short.set(Tensor::string("x"));
        let error = OpTester::named("QueueSize").input_ref(Arc::new(short)).step(&step).run().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
}
