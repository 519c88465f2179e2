//! `TensorsMap`: sparse tensors that wait under a number until a batch of them is taken (TF: `SparseTensorsMap`).

use super::serialized::Member;
use crate::prelude::*;
use ferroflow_graph::kernel::Resource;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
struct State {
    next: i64,
    held: HashMap<i64, Member>,
}

/// The map.
#[derive(Default)]
pub(super) struct TensorsMap(Mutex<State>);

impl Resource for TensorsMap {
    fn type_name(&self) -> &'static str {
        "SparseTensorsMap"
    }
}

impl TensorsMap {
    /// Keeps a sparse tensor; its number.
    pub(super) fn add(&self, member: Member) -> i64 {
        let mut state = self.0.lock();
        let number = state.next;
        state.next += 1;
        state.held.insert(number, member);
        number
    }

    /// Hands out the sparse tensors of these numbers, all or none; `name` is the map's, for errors.
    ///
    /// Errors: `InvalidArgument` if one does not exist.
    pub(super) fn take(&self, numbers: &[i64], name: &str) -> Result<Vec<Member>> {
        let mut state = self.0.lock();
        if let Some(missing) = numbers.iter().enumerate().find(|(i, n)| !state.held.contains_key(n) || numbers[..*i].contains(n)) {
            return Err(invalid_argument(format!("Unable to find SparseTensor: {} in map: {name}", missing.1)));
        }
        Ok(numbers.iter().filter_map(|n| state.held.remove(n)).collect())
    }
}

/// The map that a node names by `container` and `shared_name`, or by its own name.
///
/// Errors: what the resource manager returns.
pub(super) fn map_of(ctx: &OpKernelContext) -> Result<Arc<TensorsMap>> {
    let attrs = &ctx.node.attrs;
    let (container, shared) = (attrs.str("container")?, attrs.str("shared_name")?);
    let name = if shared.is_empty() { &*ctx.node.name } else { shared };
    let resources = ctx.resources();
    resources.lookup_or_create(resources.container(container), name, || Ok(TensorsMap::default()))
}
