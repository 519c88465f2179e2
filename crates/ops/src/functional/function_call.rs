//! `FunctionCall`: a function of the graph's library as a kernel uses it: made ready once, run many times (TF: `FunctionLibraryRuntime::Run`).
//!
//! A kernel that has a state is the same for all steps of its session, but each way to run the graph has functions of its own: handles
//! belong to these.

use ferroflow_graph::FuncAttr;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, Done, FunctionDone, FunctionHandle, FunctionRuntime, Outputs, StepContext, Value};
use ferroflow_tensor::error::{failed_precondition, invalid_argument};
use ferroflow_tensor::{DType, Result, Tensor};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// A function, and where it is ready.
pub(super) struct FunctionCall {
    function: FuncAttr,
    ready: Mutex<Vec<Ready>>,
}

/// The handle of a function among those of a graph. A graph that is gone is told from a new one: its address is not given away before.
struct Ready {
    runtime: Weak<dyn FunctionRuntime>,
    handle: FunctionHandle,
}

impl FunctionCall {
    /// The function that an attribute names.
    pub(super) fn new(function: &FuncAttr) -> FunctionCall {
        FunctionCall { function: function.clone(), ready: Mutex::default() }
    }

    /// The function, ready to run in this step.
    ///
    /// Errors: `FailedPrecondition` if the step knows no functions; `NotFound` for an unknown function; what building its graph returns.
    pub(super) fn prepare(&self, step: &StepContext) -> Result<(Arc<dyn FunctionRuntime>, FunctionHandle)> {
        let runtime = step.functions.as_ref().ok_or_else(|| {
            failed_precondition(format!("function '{}' cannot be run: the graph has no function library", self.function.name))
        })?;
        if let Some(ready) = self.ready.lock().iter().find(|r| std::ptr::addr_eq(r.runtime.as_ptr(), Arc::as_ptr(runtime))) {
            return Ok((runtime.clone(), ready.handle));
        }
        // Two steps at once may both get here; equal functions have equal handles.
        let handle = runtime.instantiate(&self.function.name, &self.function.attrs)?;
        let mut ready = self.ready.lock();
        ready.retain(|r| r.runtime.strong_count() > 0);
        ready.push(Ready { runtime: Arc::downgrade(runtime), handle });
        Ok((runtime.clone(), handle))
    }

    /// Runs it in this step.
    pub(super) fn run(&self, step: &Arc<StepContext>, args: Vec<Value>, done: FunctionDone) {
        match self.prepare(step) {
            Ok((runtime, handle)) => runtime.run(handle, step, args, done),
            Err(e) => done(Err(e)),
        }
    }

    /// Runs it as all that a node does: with these arguments, its results being the node's.
    pub(super) fn run_as_node(&self, ctx: AsyncOpContext, first_arg: usize, done: Done) {
        let AsyncOpContext { node, step, mut inputs, .. } = ctx;
        let args = inputs.split_off(first_arg.min(inputs.len()));
        self.run(&step, args, Box::new(move |results| done(results.and_then(|r| outputs(&node, r)))));
    }
}

/// The results of a function as the outputs of a node.
///
/// Errors: `InvalidArgument` if their number or types are not the node's.
pub(super) fn outputs(node: &NodeInfo, results: Vec<Value>) -> Result<Outputs> {
    let fits = |(value, ty): (&Value, &ferroflow_tensor::EdgeType)| match value {
        Value::Tensor(t) => t.dtype() == ty.dtype,
        Value::Ref(v) => v.dtype() == ty.dtype,
    };
    if results.len() != node.output_types.len() || !results.iter().zip(&node.output_types).all(fits) {
        return Err(invalid_argument(format!(
            "the function that {} calls returns {} values, which are not the node's {:?}",
            node.name,
            results.len(),
            node.output_types
        )));
    }
    Ok(results.into_iter().map(Some).collect())
}

/// Whether a condition holds: a scalar that is not zero, a string that is not empty; any other tensor if it has elements.
///
/// Errors: `InvalidArgument` for a scalar that is neither number, bool nor string.
pub(super) fn is_true(condition: &Tensor) -> Result<bool> {
    if condition.rank() > 0 {
        return Ok(condition.num_elements() > 0);
    }
    match condition.dtype() {
        DType::String => Ok(condition.as_strings()?.iter().any(|s| !s.is_empty())),
        DType::Float => Ok(condition.to_scalar::<f32>()? != 0.0),
        DType::Double => Ok(condition.to_scalar::<f64>()? != 0.0),
        DType::Half => Ok(condition.to_scalar::<half::f16>()?.to_f32() != 0.0),
        DType::BFloat16 => Ok(condition.to_scalar::<half::bf16>()?.to_f32() != 0.0),
        dtype if dtype == DType::Bool || dtype.is_integer() => Ok(condition.bytes()?.iter().any(|&b| b != 0)),
        other => Err(invalid_argument(format!("a condition cannot be {other}"))),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::{bare_step, strings, tensor};
    use ferroflow_graph::AttrMap;
    use ferroflow_tensor::error::not_found;

    /// What a test function does.
    type Body = fn(Vec<Value>) -> Result<Vec<Value>>;

    /// Functions written in Rust, run at once or on a thread of their own.
    pub(in crate::functional) struct RustFunctions {
        pub(in crate::functional) functions: Vec<(&'static str, Body)>,
        pub(in crate::functional) on_threads: bool,
    }

    impl FunctionRuntime for RustFunctions {
        fn instantiate(&self, name: &str, _: &AttrMap) -> Result<FunctionHandle> {
            let found = self.functions.iter().position(|(n, _)| *n == name);
            found.map(|i| FunctionHandle(i as u64)).ok_or_else(|| not_found(format!("Function {name} is not defined.")))
        }

        fn run(&self, handle: FunctionHandle, _: &Arc<StepContext>, args: Vec<Value>, done: FunctionDone) {
            let body = self.functions[handle.0 as usize].1;
            if self.on_threads {
                std::thread::spawn(move || done(body(args)));
            } else {
                done(body(args));
            }
        }
    }

    /// A step with these functions.
    pub(in crate::functional) fn step_with(functions: Vec<(&'static str, Body)>, on_threads: bool) -> Arc<StepContext> {
        let bare = bare_step(1);
        Arc::new(StepContext {
            step_id: bare.step_id,
            session: bare.session.clone(),
            device: bare.device.clone(),
            resources: bare.resources.clone(),
            step_resources: bare.step_resources.clone(),
            rendezvous: bare.rendezvous.clone(),
            cancellation: bare.cancellation.clone(),
            pool: bare.pool.clone(),
            functions: Some(Arc::new(RustFunctions { functions, on_threads })),
        })
    }

    /// An attribute that names a function.
    pub(in crate::functional) fn function(name: &str) -> FuncAttr {
        FuncAttr { name: name.to_owned(), ..FuncAttr::default() }
    }

    /// The only argument, a float scalar, after `change`.
    pub(in crate::functional) fn changed(args: &[Value], change: impl Fn(f32) -> f32) -> Result<Vec<Value>> {
        let x = args.first().ok_or_else(|| not_found("no argument"))?.to_tensor()?.to_scalar::<f32>()?;
        Ok(vec![Tensor::scalar(change(x)).into()])
    }

    #[test]
    fn conditions_of_every_type_have_a_truth() {
        for (condition, truth) in [
            (Tensor::scalar(true), true),
            (Tensor::scalar(0i64), false),
            (Tensor::scalar(-0.0f32), false),
            (Tensor::scalar(0.5f64), true),
            (Tensor::string("x"), true),
            (Tensor::string(""), false),
            (tensor(&[1], &[false]), true),
            (strings(&[0], &[]), false),
        ] {
            assert_eq!(is_true(&condition).unwrap(), truth, "{condition:?}");
        }
    }

    #[test]
    fn each_graph_has_handles_of_its_own() {
        let call = FunctionCall::new(&function("f"));
        let first = step_with(vec![("f", |a| changed(&a, |x| x + 1.0)), ("g", |a| changed(&a, |x| x * 2.0))], false);
        let second = step_with(vec![("g", |a| changed(&a, |x| x * 2.0)), ("f", |a| changed(&a, |x| x + 1.0))], false);
        for step in [&first, &second, &first] {
            let (sender, receiver) = std::sync::mpsc::channel();
            call.run(step, vec![Tensor::scalar(10f32).into()], Box::new(move |r| drop(sender.send(r))));
            let y = receiver.recv().unwrap().unwrap()[0].to_tensor().unwrap();
            assert_eq!(y.to_scalar::<f32>().unwrap(), 11.0);
        }
    }

    #[test]
    fn a_step_without_functions_is_refused() {
        let (sender, receiver) = std::sync::mpsc::channel();
        FunctionCall::new(&function("f")).run(&bare_step(1), vec![], Box::new(move |r| drop(sender.send(r.map(|_| ())))));
        assert_eq!(receiver.recv().unwrap().unwrap_err().code(), ferroflow_tensor::Code::FailedPrecondition);
    }
}
