//! What optimizers share: slots, hyper-parameters, one update per variable on the variable's device, and the step that counts.

use crate::initializer::Initializer;
use crate::variable::{Kind, Variable, group};
use ferroflow_graph::{Grad, Graph, OpBuilder, Operation, Output};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result};
use parking_lot::Mutex;
use std::collections::HashMap;

/// How one optimizer changes one variable.
pub trait UpdateRule {
    /// Its name, under which its nodes and slots stand (`Adam`).
    fn name(&self) -> &str;

    /// Changes `var` by a gradient of its own shape.
    fn apply_dense(&self, apply: &Apply, var: &Variable, grad: &Output) -> Operation;

    /// Changes rows of `var`: row `indices[i]` by `values[i]`. No index occurs twice.
    fn apply_sparse(&self, apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> Operation;

    /// What remains to be done after all updates, such as moving on powers of decay rates.
    fn finish(&self, _apply: &Apply, _updates: &[Operation]) -> Vec<Operation> {
        Vec::new()
    }
}

/// One `apply_gradients` under construction.
pub struct Apply {
    graph: Graph,
    optimizer: String,
    scope: String,
    hyper: Mutex<HashMap<(String, DType), Output>>,
    slots: Mutex<HashMap<(String, usize), Variable>>,
    /// The variable that optimizer-wide state is placed with: the first by name.
    first: Variable,
}

impl Apply {
    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A hyper-parameter as a constant of the variable's type, `<optimizer>/<name>`; made once.
    pub fn hyper(&self, name: &str, value: f64, like: &Variable) -> Output {
        let dtype = like.dtype();
        self.hyper
            .lock()
            .entry((name.to_owned(), dtype))
            .or_insert_with(|| {
                let g = &self.graph;
                g.without_control_dependencies(|| {
                    g.name_scope(&self.scope, || match ferroflow_graph::scalar_of(dtype, value) {
                        Ok(t) => g.op("Const").name(name).attr("dtype", dtype).attr("value", t).output(),
                        Err(e) => {
                            g.fail(e);
                            g.constant(0f32)
                        }
                    })
                })
            })
            .clone()
    }

    /// Slot `i` of a variable, `<var>/<optimizer>` or `<var>/<optimizer>_<i>`: of its shape, on its device, at first `initial`.
    pub fn slot(&self, var: &Variable, i: usize, initial: f64) -> Variable {
        self.slots
            .lock()
            .entry((var.name(), i))
            .or_insert_with(|| {
                let g = &self.graph;
                let dims = var.dims().unwrap_or_else(|e| {
                    g.fail(e);
                    vec![]
                });
                g.colocate_with(var.handle().op(), || {
                    g.name_scope(&format!("{}/", var.name()), || {
                        Variable::with_kind(g, &self.optimizer, var.dtype(), &dims, &Initializer::Constant(initial), Kind::Global)
                    })
                })
            })
            .clone()
    }

    /// A scalar that belongs to the optimizer as a whole, placed with the first variable.
    pub fn scalar(&self, name: &str, initial: f64) -> Variable {
        let g = &self.graph;
        self.slots
            .lock()
            .entry((name.to_owned(), usize::MAX))
            .or_insert_with(|| {
                g.colocate_with(self.first.handle().op(), || {
                    // TF names it from the root, whatever scope is in force.
                    g.name_scope("", || {
                        Variable::with_kind(g, name, self.first.dtype(), &[], &Initializer::Constant(initial), Kind::Global)
                    })
                })
            })
            .clone()
    }

    /// A node of the update of a variable, colocated with it.
    pub fn op(&self, op: &str, var: &Variable) -> OpBuilder {
        self.graph.op(op).name(format!("update_{}/{op}", var.name().replace([':', '^'], "_"))).colocate_with(var.handle().op())
    }

    /// A node that follows the given ones.
    pub fn after<R>(&self, ops: &[Operation], body: impl FnOnce() -> R) -> R {
        self.graph.control_dependencies(ops.iter(), body)
    }
}

pub(super) fn apply_gradients<R: UpdateRule + ?Sized>(rule: &R, grads: &[(Grad, Variable)], step: Option<&Variable>) -> Result<Operation> {
    let first = grads.iter().map(|(_, v)| v).min_by_key(|v| v.name()).ok_or_else(|| invalid_argument("No gradients to apply."))?;
    let g = first.graph().clone();
    let done = g.named_scope(rule.name(), |scope| {
        let apply = Apply {
            graph: g.clone(),
            optimizer: rule.name().to_owned(),
            scope: scope.to_owned(),
            hyper: Mutex::default(),
            slots: Mutex::default(),
            first: first.clone(),
        };
        let mut updates: Vec<Operation> = grads
            .iter()
            .map(|(grad, var)| match grad {
                Grad::Dense(grad) => rule.apply_dense(&apply, var, grad),
                Grad::Slices { values, indices, .. } => {
                    let (values, indices) = sum_repeated(&apply, var, values, indices);
                    rule.apply_sparse(&apply, var, &values, &indices)
                }
            })
            .collect();
        let finished = rule.finish(&apply, &updates);
        updates.extend(finished);
        let Some(step) = step else { return group(&g, &updates, scope) };
        let all = group(&g, &updates, "update");
        g.control_dependencies([&all], || {
            g.colocate_with(step.handle().op(), || {
                let one = g.constant_of_type(step.dtype(), 1i64);
                g.op("AssignAddVariableOp").name(scope).input(step.handle()).input(one).attr("dtype", step.dtype()).build()
            })
        })
    });
    g.check()?;
    Ok(done)
}

/// Adds up the rows of repeated indices, where the variable lives.
fn sum_repeated(apply: &Apply, var: &Variable, values: &Output, indices: &Output) -> (Output, Output) {
    let g = apply.graph();
    g.colocate_with(var.handle().op(), || {
        let unique = g.op("Unique").input(indices).build();
        let size = g.op("Size").input(unique.output(0)).output();
        let summed = g.op("UnsortedSegmentSum").input(values).input(unique.output(1)).input(size).output();
        (summed, unique.output(0))
    })
}
