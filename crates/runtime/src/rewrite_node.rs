//! The nodes that rewriting adds to a client's graph: sends, receives, arguments, results, constants.
//!
//! One place knows their ops and attributes, so that pruning and partitioning read as what they mean.

use ferroflow_graph::kernel::DeviceInfo;
use ferroflow_graph::{AttrMap, Endpoint, Node, NodeId, NodeInfo, OpRegistry};
use ferroflow_tensor::{DType, Result, Shape, Tensor};
use std::sync::Arc;

/// Where a transferred tensor comes from and goes to.
pub(crate) struct Transfer<'a> {
    pub dtype: DType,
    pub tensor_name: &'a str,
    pub send_device: &'a str,
    pub send_incarnation: u64,
    pub recv_device: &'a str,
    /// Whether the client is the other end.
    pub client_terminated: bool,
}

impl<'a> Transfer<'a> {
    /// A transfer between the client and its device.
    pub fn with_client(dtype: DType, tensor_name: &'a str, client: &'a DeviceInfo) -> Transfer<'a> {
        Transfer {
            dtype,
            tensor_name,
            send_device: &client.name,
            send_incarnation: client.incarnation,
            recv_device: &client.name,
            client_terminated: true,
        }
    }

    fn attrs(&self, type_attr: &str) -> AttrMap {
        let mut attrs = AttrMap::new();
        attrs.insert(type_attr, self.dtype);
        attrs.insert("tensor_name", self.tensor_name);
        attrs.insert("send_device", self.send_device);
        // The same 64 bits, signed: attributes know no unsigned numbers.
        attrs.insert("send_device_incarnation", self.send_incarnation as i64);
        attrs.insert("recv_device", self.recv_device);
        attrs.insert("client_terminated", self.client_terminated);
        attrs
    }
}

/// Whether tensors of this type always live in host memory, whatever the device.
fn lives_on_host(dtype: DType) -> bool {
    matches!(dtype, DType::String | DType::Resource | DType::Variant)
}

/// Makes nodes of a registry's ops.
#[derive(Clone, Copy)]
pub(crate) struct NodeMaker<'a> {
    pub registry: &'a OpRegistry,
}

impl NodeMaker<'_> {
    /// A node assigned to `device`.
    pub fn node(&self, name: impl Into<Arc<str>>, op: &str, attrs: AttrMap, inputs: Vec<Endpoint>, device: &Arc<str>) -> Result<Node> {
        let info = NodeInfo::new(name, self.registry.get(op)?.clone(), attrs)?;
        Ok(Node {
            info: Arc::new(info),
            inputs,
            control_inputs: Vec::new(),
            requested_device: device.clone(),
            assigned_device: device.clone(),
        })
    }

    /// `_Send` or `_HostSend` of `from`.
    pub fn send(&self, name: impl Into<Arc<str>>, transfer: &Transfer, from: Endpoint, device: &Arc<str>) -> Result<Node> {
        let op = if lives_on_host(transfer.dtype) { "_HostSend" } else { "_Send" };
        self.node(name, op, transfer.attrs("T"), vec![from], device)
    }

    /// `_Recv` or `_HostRecv`; `on_host` for values that control flow reads.
    pub fn recv(&self, name: impl Into<Arc<str>>, transfer: &Transfer, on_host: bool, device: &Arc<str>) -> Result<Node> {
        let op = if on_host || lives_on_host(transfer.dtype) { "_HostRecv" } else { "_Recv" };
        self.node(name, op, transfer.attrs("tensor_type"), vec![], device)
    }

    /// `_Arg` number `index` of a call frame.
    pub fn arg(&self, name: impl Into<Arc<str>>, dtype: DType, index: usize, device: &Arc<str>) -> Result<Node> {
        let mut attrs = AttrMap::new();
        attrs.insert("T", dtype);
        attrs.insert("index", index);
        self.node(name, "_Arg", attrs, vec![], device)
    }

    /// `_Retval` number `index` of a call frame.
    pub fn retval(&self, name: impl Into<Arc<str>>, dtype: DType, index: usize, from: Endpoint, device: &Arc<str>) -> Result<Node> {
        let mut attrs = AttrMap::new();
        attrs.insert("T", dtype);
        attrs.insert("index", index);
        self.node(name, "_Retval", attrs, vec![from], device)
    }

    /// A constant.
    pub fn constant(&self, name: impl Into<Arc<str>>, value: Tensor, device: &Arc<str>) -> Result<Node> {
        let mut attrs = AttrMap::new();
        attrs.insert("dtype", value.dtype());
        attrs.insert("value", value);
        self.node(name, "Const", attrs, vec![], device)
    }

    /// The tensor that stands for a control edge between devices: float, shape `[0]`.
    pub fn dummy_constant(&self, name: impl Into<Arc<str>>, device: &Arc<str>) -> Result<Node> {
        self.constant(name, Tensor::zeros(DType::Float, Shape::new(&[0])?)?, device)
    }

    /// An op over one type `T`, such as `Identity` or `Switch`.
    pub fn typed(&self, name: impl Into<Arc<str>>, op: &str, dtype: DType, inputs: Vec<Endpoint>, device: &Arc<str>) -> Result<Node> {
        let mut attrs = AttrMap::new();
        attrs.insert("T", dtype);
        self.node(name, op, attrs, inputs, device)
    }
}

/// Adds a control input, once.
pub(crate) fn add_control_input(node: &mut Node, from: NodeId) {
    if !node.control_inputs.contains(&from) {
        node.control_inputs.push(from);
    }
}
