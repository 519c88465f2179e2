//! `OpTester`: builds one node from an op and its inputs and runs its kernel.

use super::{TestNode, bare_step};
use ferroflow_graph::kernel::{StepContext, Value, Variable};
use ferroflow_graph::op::{ArgType, Op, OpDef};
use ferroflow_graph::{AttrMap, AttrValue, NodeInfo, OpSpec};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{DType, EdgeType, Result, Tensor};
use std::sync::Arc;

/// One node in the making. As in graph building, types and counts are taken from the inputs where the definition allows it.
pub struct OpTester {
    op: Result<Arc<Op>>,
    name: String,
    args: Vec<Vec<Value>>,
    attrs: AttrMap,
    step: Arc<StepContext>,
}

impl OpTester {
    /// A node of this op.
    pub fn new(spec: &'static OpSpec) -> OpTester {
        let op = OpDef::parse(spec.signature, spec.attrs, spec.flags).map(|def| Arc::new(Op { def, spec }));
        OpTester { op, name: "op".to_owned(), args: Vec::new(), attrs: AttrMap::new(), step: bare_step(1) }
    }

    /// A node of the op of this name.
    pub fn named(op: &str) -> OpTester {
        let op = crate::registry().get(op).cloned();
        OpTester { op, name: "op".to_owned(), args: Vec::new(), attrs: AttrMap::new(), step: bare_step(1) }
    }

    /// The node's name; `op` by default.
    pub fn name(mut self, name: &str) -> OpTester {
        self.name = name.to_owned();
        self
    }

    /// The next argument, one tensor.
    pub fn input(mut self, tensor: impl Into<Tensor>) -> OpTester {
        self.args.push(vec![Value::Tensor(tensor.into())]);
        self
    }

    /// The next argument, a list of tensors.
    pub fn input_list(mut self, tensors: impl IntoIterator<Item = Tensor>) -> OpTester {
        self.args.push(tensors.into_iter().map(Value::Tensor).collect());
        self
    }

    /// The next argument, a reference to a variable.
    pub fn input_ref(mut self, variable: Arc<Variable>) -> OpTester {
        self.args.push(vec![Value::Ref(variable)]);
        self
    }

    /// An attribute.
    pub fn attr(mut self, name: &str, value: impl Into<AttrValue>) -> OpTester {
        self.attrs.insert(name, value);
        self
    }

    /// All these attributes.
    pub fn attrs(mut self, attrs: &AttrMap) -> OpTester {
        attrs.iter().for_each(|(name, value)| self.attrs.insert(name, value.clone()));
        self
    }

    /// Runs in this step instead of one of its own, so that nodes share resources and rendezvous.
    pub fn step(mut self, step: &Arc<StepContext>) -> OpTester {
        self.step = step.clone();
        self
    }

    /// Makes the node and its kernel; beside it the inputs.
    ///
    /// Errors: `InvalidArgument` for attributes that do not fit the op or types without a kernel; what making the kernel returns.
    pub fn build(mut self) -> Result<(TestNode, Vec<Value>)> {
        let op = self.op?;
        for (arg, values) in op.def.inputs.iter().zip(&self.args) {
            let types: Vec<DType> = values.iter().map(dtype).collect();
            let mut infer = |name: &str, value: AttrValue| {
                if !self.attrs.contains(name) {
                    self.attrs.insert(name, value);
                }
            };
            if let Some(number) = &arg.number_attr {
                infer(number, AttrValue::Int(types.len() as i64));
            }
            match (&arg.ty, types.first()) {
                (ArgType::Attr(name), Some(&t)) => infer(name, t.into()),
                (ArgType::ListAttr(name), _) => infer(name, AttrValue::Types(types.into_iter().map(EdgeType::value).collect())),
                _ => {}
            }
        }
        let node = Arc::new(NodeInfo::new(self.name.as_str(), op, self.attrs)?);
        Ok((TestNode::new(node, self.step)?, self.args.into_iter().flatten().collect()))
    }

    /// Runs the node once. A reference that comes out is read.
    ///
    /// Errors: what [`OpTester::build`] and [`TestNode::run`] return; `Internal` if an output is dead.
    pub fn run(self) -> Result<Vec<Tensor>> {
        let (node, inputs) = self.build()?;
        let outputs = node.run(inputs)?;
        let dead = || internal("an output is dead");
        outputs.iter().map(|o| o.as_ref().ok_or_else(dead)?.to_tensor()).collect()
    }

    /// Runs the node once and returns its first output.
    ///
    /// Errors: as [`OpTester::run`]; `Internal` if there is no output.
    pub fn run_one(self) -> Result<Tensor> {
        self.run()?.into_iter().next().ok_or_else(|| internal("the op has no output"))
    }
}

fn dtype(value: &Value) -> DType {
    match value {
        Value::Tensor(t) => t.dtype(),
        Value::Ref(v) => v.dtype(),
    }
}
