//! The devices that a group of nodes may go to, and the words for when there is none.

use super::PlacerDevice;
use super::colocation::Groups;
use ferroflow_graph::{Node, NodeGraph, NodeId};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Error, Result};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// Finds candidate devices, once per group.
pub(super) struct Candidates<'a> {
    devices: &'a [PlacerDevice],
    soft: bool,
    by_group: HashMap<NodeId, Rc<[PlacerDevice]>>,
}

impl<'a> Candidates<'a> {
    pub fn new(devices: &'a [PlacerDevice], soft: bool) -> Candidates<'a> {
        Candidates { devices, soft, by_group: HashMap::new() }
    }

    /// The devices for the group of `root`, best first; never empty. `node` is the member that errors are about.
    ///
    /// Errors: `InvalidArgument` saying which constraint cannot be met.
    pub fn of_group(&mut self, graph: &NodeGraph, groups: &Groups, root: NodeId, node: NodeId) -> Result<Rc<[PlacerDevice]>> {
        if let Some(known) = self.by_group.get(&root) {
            return Ok(known.clone());
        }
        let found: Rc<[PlacerDevice]> = self.find(graph, groups, root, node)?.into();
        self.by_group.insert(root, found.clone());
        Ok(found)
    }

    fn find(&self, graph: &NodeGraph, groups: &Groups, root: NodeId, id: NodeId) -> Result<Vec<PlacerDevice>> {
        let members = groups.members(root);
        let assigned: Option<&Arc<str>> = members.iter().map(|m| &graph.node(*m).assigned_device).find(|d| !d.is_empty());
        if let Some(device) = assigned.and_then(|a| self.devices.iter().find(|d| d.name == *a)) {
            return Ok(vec![device.clone()]);
        }
        let types: BTreeSet<&str> = self.devices.iter().map(|d| d.device_type()).collect();
        let supported: BTreeSet<&str> = types.iter().copied().filter(|t| members.iter().all(|m| has_kernel(graph.node(*m), t))).collect();
        let requested = groups.requested(root);
        let fitting = |wanted: &DeviceSpec| -> Vec<PlacerDevice> {
            let fits = |d: &&PlacerDevice| d.spec.satisfies(wanted) && supported.contains(d.device_type());
            self.devices.iter().filter(fits).cloned().collect()
        };
        let mut found = fitting(requested);
        if found.is_empty() && self.soft {
            found = fitting(&requested.task_part());
        }
        if found.is_empty() { Err(self.none(graph, members, requested, &types, &supported, id)) } else { Ok(found) }
    }

    fn none(
        &self,
        graph: &NodeGraph,
        members: &[NodeId],
        requested: &DeviceSpec,
        types: &BTreeSet<&str>,
        supported: &BTreeSet<&str>,
        id: NodeId,
    ) -> Error {
        let node = graph.node(id);
        let name = &node.info.name;
        if let Some(orphan) =
            members.iter().map(|m| graph.node(*m)).find(|n| n.info.op.spec.kernels.is_empty() && !n.info.op.is_function_call())
        {
            return self.no_kernel_at_all(orphan, types);
        }
        let matching = self.devices.iter().any(|d| d.spec.satisfies(requested) || self.soft && d.spec.satisfies(&requested.task_part()));
        let listing = members_listing(graph, members, types);
        let text = if !matching {
            let devices: Vec<&str> = self.devices.iter().map(|d| &*d.name).collect();
            format!(
                "{{{{node {name}}}}} was explicitly assigned to {} but available devices are [ {} ]. Make sure the device specification \
                 refers to a valid device.{}",
                if node.requested_device.is_empty() { requested.to_string() } else { node.requested_device.to_string() },
                devices.join(", "),
                self.unknown_job_hint(requested)
            )
        } else if supported.is_empty() {
            format!(
                "Could not satisfy colocation: no device type has a kernel for every node of the group. Colocation Debug Info:\n{listing}"
            )
        } else {
            let wanted = requested.device_type.as_deref().unwrap_or("any");
            format!(
                "Could not satisfy explicit device specification '{requested}' because no supported kernel for {wanted} devices is \
                 available.\nColocation Debug Info:\n{listing}"
            )
        };
        invalid_argument(format!("Cannot assign a device for operation {name}: {text}"))
    }

    fn no_kernel_at_all(&self, node: &Node, types: &BTreeSet<&str>) -> Error {
        let (name, op) = (&node.info.name, node.info.op_name());
        let types: Vec<&str> = types.iter().copied().collect();
        invalid_argument(format!(
            "No OpKernel was registered to support Op '{op}' used by {{{{node {name}}}}} with these attrs: []\nRegistered devices: [{}]\n\
             Registered kernels:\n  <no registered kernels>\n",
            types.join(", ")
        ))
    }

    /// The usual cause of an unknown job is a session without a cluster, which TF does not say.
    fn unknown_job_hint(&self, requested: &DeviceSpec) -> String {
        let Some(job) = &requested.job else { return String::new() };
        let jobs: BTreeSet<&str> = self.devices.iter().filter_map(|d| d.spec.job.as_deref()).collect();
        if jobs.contains(job.as_str()) {
            return String::new();
        }
        let jobs: Vec<&str> = jobs.into_iter().collect();
        format!(
            " This session knows no job '{job}', only [ {} ]: is the session's target a server of the right cluster, and does its cluster \
             definition name the job?",
            jobs.join(", ")
        )
    }
}

fn has_kernel(node: &Node, device_type: &str) -> bool {
    // A call of a function by its name needs no kernel of its own.
    node.info.op.is_function_call() || node.info.op.kernel(device_type, &node.info.attrs).is_ok()
}

/// One line per member: what it is, and which device types have a kernel for it.
fn members_listing(graph: &NodeGraph, members: &[NodeId], types: &BTreeSet<&str>) -> String {
    const MOST: usize = 20;
    let mut text = String::new();
    for id in members.iter().take(MOST) {
        let node = graph.node(*id);
        let supported: Vec<&str> = types.iter().copied().filter(|t| has_kernel(node, t)).collect();
        let asked = if node.requested_device.is_empty() { "-" } else { &node.requested_device };
        text.push_str(&format!(
            "  {} ({}) requested device: {asked}, kernels for: [{}]\n",
            node.info.name,
            node.info.op_name(),
            supported.join(", ")
        ));
    }
    if members.len() > MOST {
        text.push_str(&format!("  … and {} more\n", members.len() - MOST));
    }
    text
}
