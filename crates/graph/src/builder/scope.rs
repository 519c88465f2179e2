//! Scopes: name, device, control dependencies and colocation that apply to ops built inside them.

use super::{Graph, Operation, Output};
use crate::node::NodeId;
use ferroflow_tensor::DeviceSpec;
use std::sync::Arc;

/// Chooses the device of each op built inside: a fixed (partial) name, or a function of the op (TF: device functions).
#[derive(Clone)]
pub enum DeviceScope {
    /// A partial device name; the inner scope wins part by part.
    Spec(DeviceSpec),
    /// Called with the op's name, its op type and the device chosen so far by inner scopes; returns the device.
    Function(Arc<dyn Fn(&OpToPlace) -> DeviceSpec + Send + Sync>),
}

/// What a device function sees of the op that is being made.
pub struct OpToPlace<'a> {
    /// The node as it will be.
    pub info: &'a crate::node::NodeInfo,
    /// The device that inner scopes have chosen.
    pub device: &'a DeviceSpec,
}

#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) name: String,
    pub(crate) devices: Vec<DeviceScope>,
    pub(crate) control: Vec<NodeId>,
    pub(crate) colocate: Vec<String>,
}

impl Scope {
    /// The device for an op, innermost scope first, as TF applies them.
    pub(crate) fn device(&self, info: &crate::node::NodeInfo, own: &DeviceSpec) -> DeviceSpec {
        let mut device = own.clone();
        for scope in self.devices.iter().rev() {
            device = match scope {
                DeviceScope::Spec(outer) => outer.overridden_by(&device),
                DeviceScope::Function(choose) => choose(&OpToPlace { info, device: &device }),
            };
        }
        device
    }
}

impl From<DeviceSpec> for DeviceScope {
    fn from(d: DeviceSpec) -> DeviceScope {
        DeviceScope::Spec(d)
    }
}

impl Graph {
    fn scoped<R>(&self, change: impl FnOnce(&mut Scope), body: impl FnOnce() -> R) -> R {
        /// Restores the outer scope, also when the body panics.
        struct Restore<'a>(&'a Graph, Option<Scope>);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                if let Some(outer) = self.1.take() {
                    self.0.state().scope = outer;
                }
            }
        }
        let outer = {
            let mut state = self.state();
            let outer = state.scope.clone();
            change(&mut state.scope);
            outer
        };
        let _restore = Restore(self, Some(outer));
        body()
    }

    /// Ops built in `body` are asked for on this device. A malformed name becomes the graph's error.
    #[track_caller]
    pub fn device<R>(&self, device: impl IntoDeviceScope, body: impl FnOnce() -> R) -> R {
        match device.into_device_scope() {
            Ok(d) => self.scoped(|s| s.devices.extend(d), body),
            Err(e) => {
                self.fail(e);
                body()
            }
        }
    }

    /// Names of ops built in `body` start with `name/`, made unique. A name that ends with `/` is a scope to be entered again, from the
    /// root and as it is; an empty one is the root.
    pub fn name_scope<R>(&self, name: &str, body: impl FnOnce() -> R) -> R {
        self.named_scope(name, |_| body())
    }

    /// As [`Graph::name_scope`]; hands `body` the scope's name with its `/`, which as the name of an op stands for the scope itself.
    pub fn named_scope<R>(&self, name: &str, body: impl FnOnce(&str) -> R) -> R {
        let full = if name.is_empty() || name.ends_with('/') { name.to_owned() } else { self.unique_name(name) + "/" };
        let scope = full.clone();
        self.scoped(|s| s.name = full, || body(&scope))
    }

    /// Ops built in `body` run after these.
    pub fn control_dependencies<'a, R>(&self, ops: impl IntoIterator<Item = &'a Operation>, body: impl FnOnce() -> R) -> R {
        let ids: Vec<NodeId> = ops.into_iter().map(|o| o.id()).collect();
        self.scoped(|s| s.control.extend(ids), body)
    }

    /// Ops built in `body` have no control inputs from outside it.
    pub fn without_control_dependencies<R>(&self, body: impl FnOnce() -> R) -> R {
        self.scoped(|s| s.control.clear(), body)
    }

    /// Ops built in `body` are placed with this operation, and device scopes around do not apply to them.
    pub fn colocate_with<R>(&self, op: &Operation, body: impl FnOnce() -> R) -> R {
        let name = op.name();
        self.scoped(
            |s| {
                s.devices.clear();
                s.colocate = vec![name];
            },
            body,
        )
    }
}

/// What [`Graph::device`] takes: a device name, a spec, a scope, or `None` for no constraint.
pub trait IntoDeviceScope {
    /// The scope, if there is one.
    ///
    /// Errors: `InvalidArgument` for a malformed name.
    fn into_device_scope(self) -> ferroflow_tensor::Result<Option<DeviceScope>>;
}

impl IntoDeviceScope for &str {
    fn into_device_scope(self) -> ferroflow_tensor::Result<Option<DeviceScope>> {
        Ok(Some(DeviceScope::Spec(DeviceSpec::parse(self)?)))
    }
}

impl IntoDeviceScope for String {
    fn into_device_scope(self) -> ferroflow_tensor::Result<Option<DeviceScope>> {
        self.as_str().into_device_scope()
    }
}

impl IntoDeviceScope for DeviceSpec {
    fn into_device_scope(self) -> ferroflow_tensor::Result<Option<DeviceScope>> {
        Ok(Some(DeviceScope::Spec(self)))
    }
}

impl IntoDeviceScope for DeviceScope {
    fn into_device_scope(self) -> ferroflow_tensor::Result<Option<DeviceScope>> {
        Ok(Some(self))
    }
}

impl<T: IntoDeviceScope> IntoDeviceScope for Option<T> {
    fn into_device_scope(self) -> ferroflow_tensor::Result<Option<DeviceScope>> {
        match self {
            None => Ok(None),
            Some(d) => d.into_device_scope(),
        }
    }
}

impl Output {
    /// Runs `body` with a control dependency on the operation that produces this.
    pub fn before<R>(&self, body: impl FnOnce() -> R) -> R {
        self.graph().control_dependencies([self.op()], body)
    }
}
