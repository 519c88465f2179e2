//! Masters and workers together, in one process and without a transport.

mod cluster;
mod failures;
mod functions;
mod ops;
mod sessions;
mod steps;

pub(crate) use cluster::graph;
use cluster::{Cluster, at, floats, names, ps, request, worker};
use ferroflow_graph::{Graph, Operation, Output};
use ferroflow_tensor::{DType, PartialShape};

/// `v`, a variable on the ps, with `init` that sets it to 3 and `v/read`.
fn variable(g: &Graph) -> Operation {
    let v = g.op("VariableV2").name("v").attr("dtype", DType::Float).device(at(&ps())).build();
    let three = g.op("Const").name("three").attr("dtype", DType::Float).attr("value", ferroflow_tensor::Tensor::scalar(3f32)).output();
    g.op("Assign").name("init").inputs([v.output(0), three]).build();
    g.op("Identity").name("v/read").input(v.output(0)).device(at(&ps())).build();
    v
}

/// `y = x * v`, `z = (y + y)` on the other worker.
fn model(g: &Graph) -> (Output, Output) {
    variable(g);
    let read = g.output("v/read").unwrap();
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).output();
    let y = g.op("Mul").name("y").inputs([x, read]).device(at(&worker(0))).output();
    let z = g.op("Add").name("z").inputs([y.clone(), y.clone()]).device(at(&worker(1))).output();
    (y, z)
}
