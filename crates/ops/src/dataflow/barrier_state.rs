//! `Barrier`: tuples that become complete component by component, by key, and leave in the order in which their keys came (TF: `Barrier`).

use super::waiting_line::WaitingLine;
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::Resource;
use ferroflow_tensor::error::{cancelled, out_of_range};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A complete tuple: number, key, components.
pub(super) type Ready = (i64, Bytes, Vec<Tensor>);

/// What lies in a barrier.
pub(super) struct BarrierState {
    name: String,
    pub(super) component_types: Vec<DType>,
    pub(super) shapes: Vec<PartialShape>,
    incomplete: BTreeMap<Bytes, (i64, Vec<Option<Tensor>>)>,
    /// By number and, where keys came together, in the order in which tuples became complete.
    ready: BTreeMap<(i64, u64), (Bytes, Vec<Tensor>)>,
    next: i64,
    completed: u64,
    is_closed: bool,
    is_cancelled: bool,
}

/// A barrier.
pub(super) struct Barrier(pub(super) Arc<WaitingLine<BarrierState>>);

impl Resource for Barrier {
    fn type_name(&self) -> &'static str {
        "Barrier"
    }
}

impl Barrier {
    /// The barrier that a node makes.
    ///
    /// Errors: `InvalidArgument` for a capacity, or shapes that do not fit the types.
    pub(super) fn of(node: &NodeInfo, name: &str) -> Result<Barrier> {
        let attrs = &node.attrs;
        let (component_types, shapes) = (attrs.dtypes("component_types")?, attrs.shapes("shapes")?.to_vec());
        if attrs.int("capacity")? != -1 {
            return Err(invalid_argument(format!(
                "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a limited capacity. Got {}",
                attrs.int("capacity")?
            )));
        }
        if shapes.len() != component_types.len() {
            return Err(invalid_argument("All of the component shapes must be specified"));
        }
        let state = BarrierState {
            name: name.to_owned(),
            component_types,
            shapes,
            incomplete: BTreeMap::new(),
            ready: BTreeMap::new(),
            // As in TF, numbers begin with the least.
            next: i64::MIN,
            completed: 0,
            is_closed: false,
            is_cancelled: false,
        };
        Ok(Barrier(Arc::new(WaitingLine::new(state))))
    }
}

impl BarrierState {
    /// The name in messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How many tuples are complete, and how many are not.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.ready.len(), self.incomplete.len())
    }

    /// Sets one component of the tuples under these keys.
    ///
    /// Errors: `InvalidArgument` for what does not fit or is set already; `Cancelled` for a new key when it is closed.
    pub(super) fn insert(&mut self, component: usize, entries: &[(Bytes, Tensor)]) -> Result<()> {
        let count = self.component_types.len();
        let Some(&dtype) = self.component_types.get(component) else {
            return Err(invalid_argument(format!("The component ID is out of range {component} > num_components ({count})")));
        };
        let number = self.next;
        for (key, value) in entries {
            if value.dtype() != dtype {
                return Err(invalid_argument(format!("Type mismatch in component {component}. Expected {dtype}, got {}", value.dtype())));
            }
            if let Some(shape) = self.shapes.get(component).filter(|s| !s.matches(value.shape())) {
                return Err(invalid_argument(format!("Shape mismatch in component {component}. Expected {shape}, got {}", value.shape())));
            }
            if !self.incomplete.contains_key(key) {
                if self.is_closed {
                    return Err(cancelled(format!(
                        "Barrier '{}' is closed, but attempted to insert a brand new key: {}. Pending inserts cancelled: {}",
                        self.name,
                        String::from_utf8_lossy(key),
                        self.is_cancelled
                    )));
                }
                // Keys that come together have one number.
                self.incomplete.insert(key.clone(), (number, vec![None; count]));
                self.next = number + 1;
            }
            let Some((_, tuple)) = self.incomplete.get_mut(key) else { continue };
            if tuple[component].is_some() {
                return Err(invalid_argument(format!(
                    "Key {} already has a value for component {component} in barrier {}",
                    String::from_utf8_lossy(key),
                    self.name
                )));
            }
            tuple[component] = Some(value.clone());
            if tuple.iter().all(Option::is_some)
                && let Some((number, tuple)) = self.incomplete.remove(key)
            {
                self.completed += 1;
                self.ready.insert((number, self.completed), (key.clone(), tuple.into_iter().flatten().collect()));
            }
        }
        Ok(())
    }

    /// Takes `n` tuples; `None` until there are that many. When it is closed, `allow_small` makes do with fewer.
    pub(super) fn take(&mut self, n: usize, allow_small: bool, wait_for_incomplete: bool) -> Option<Result<Vec<Ready>>> {
        let mut wanted = n;
        if self.is_closed {
            let total = self.ready.len() + self.incomplete.len();
            if allow_small {
                wanted = wanted.min(if wait_for_incomplete { total } else { self.ready.len() });
            }
            let possible = if wait_for_incomplete || !allow_small { total } else { self.ready.len() };
            if wanted > possible || wanted == 0 && n > 0 {
                return Some(Err(out_of_range(format!(
                    "Barrier '{}' is closed and has insufficient elements (requested {n}, total size {total})",
                    self.name
                ))));
            }
        }
        if self.ready.len() < wanted {
            return None;
        }
        let mut taken = Vec::with_capacity(wanted);
        while taken.len() < wanted {
            let Some(((number, _), (key, tuple))) = self.ready.pop_first() else { break };
            taken.push((number, key, tuple));
        }
        Some(Ok(taken))
    }

    /// No new keys from now on; with `cancel_pending` tuples that are not complete are thrown away.
    ///
    /// Errors: `Cancelled` if it is closed already.
    pub(super) fn close(&mut self, cancel_pending: bool) -> Result<()> {
        if self.is_closed && (self.is_cancelled || !cancel_pending) {
            return Err(cancelled(format!("Barrier '{}' is already closed.", self.name)));
        }
        self.is_closed = true;
        if cancel_pending {
            self.is_cancelled = true;
            self.incomplete.clear();
        }
        Ok(())
    }
}
