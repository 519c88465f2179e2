//! The global step: how many updates all replicas have made together (TF: `get_or_create_global_step`).

use crate::initializer::Initializer;
use crate::variable::{Kind, Variable};
use ferroflow_graph::{Graph, keys};
use ferroflow_tensor::DType;

/// The graph's global step, an int64 scalar variable; made on first use.
#[track_caller]
pub fn global_step(g: &Graph) -> Variable {
    if let Some(name) = g.get_collection(keys::GLOBAL_STEP).first()
        && let Ok(v) = Variable::find(g, name)
    {
        return v;
    }
    let v = Variable::with_kind(g, "global_step", DType::Int64, &[], &Initializer::Zeros, Kind::Global);
    g.add_to_collection(keys::GLOBAL_STEP, v.handle());
    v
}
