//! `If` and `Case` become switches and merges (TF: `RewriteIfNode`, `RewriteCaseNode`).
//!
//! ```text
//! S_i = Switch(input_i, pred)       then: on S_i:1, what has no inputs after P_t = Identity(Switch(pred, pred):1)
//! output_j = Merge(else_j, then_j)  else: on S_i:0, likewise
//! ```
//!
//! `Case` has `_SwitchN` and a branch per output. What comes after the node by a control edge comes after a merge of one bool per
//! branch, which waits for all of the branch.

use super::call::{Site, check_results};
use super::expansion::{Context, Expansion, Place};
use ferroflow_graph::{AttrMap, Endpoint, FuncAttr, Node, NodeId};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

impl Expansion<'_> {
    /// Replaces a node that runs one of several functions. Branch `k` is the one for output `k` of a switch.
    pub(super) fn expand_branches(
        &mut self,
        id: NodeId,
        node: &Node,
        branches: &[FuncAttr],
        names: &[&str],
        context: &Context,
    ) -> Result<Vec<NodeId>> {
        let name = &node.info.name;
        let is_if = !node.info.op_name().ends_with("Case");
        let here = Place { device: &node.requested_device, controls: &[] };
        let (&chooser, inputs) = node.inputs.split_first().ok_or_else(|| invalid_argument("there is nothing to choose a branch by"))?;
        let mut chooser = match is_if {
            true => self.condition(format!("{name}/cond_bool"), chooser, &here)?,
            false => chooser,
        };
        if !node.control_inputs.is_empty() {
            // Everything below waits for this.
            let after = Place { device: &node.requested_device, controls: &node.control_inputs };
            chooser = out(self.add_typed(format!("{name}/pred"), "Identity", vec![chooser], &after)?, 0);
        }
        let pivot_switch = self.add_switch(format!("{name}/pivot_switch"), chooser, chooser, branches.len(), is_if, &here)?;
        let mut switches = Vec::with_capacity(inputs.len());
        for (i, &input) in inputs.iter().enumerate() {
            switches.push(self.add_switch(format!("{name}/switch_{i}"), input, chooser, branches.len(), is_if, &here)?);
        }

        let mut results = Vec::with_capacity(branches.len());
        let mut executed = Vec::with_capacity(branches.len());
        let mut has_effects = false;
        for (k, (function, branch)) in branches.iter().zip(names).enumerate() {
            let taken = out(pivot_switch, k as u32);
            let pivot = self.add_typed(format!("{name}/{branch}/pivot"), "Identity", vec![taken], &here)?;
            let args: Vec<Endpoint> = switches.iter().map(|&s| out(s, k as u32)).collect();
            let prefix = format!("{name}/{branch}");
            let site = Site { prefix: &prefix, device: &node.requested_device, controls: &[], keeps_stateful: false };
            let inner = Context { pivot: Some(pivot), chain: context.chain.clone(), gated: false };
            let inlined = self.inline(function, &site, &args, &inner)?;
            check_results(node, &function.name, &inlined)?;
            has_effects |= !inlined.effects.is_empty();
            let all = Place { device: &node.requested_device, controls: &inlined.all() };
            executed.push(out(self.add_typed(format!("{name}/{branch}/executed"), "Identity", vec![taken], &all)?, 0));
            results.push(inlined.rets);
        }
        let mut outputs = Vec::with_capacity(node.info.output_types.len());
        for i in 0..node.info.output_types.len() {
            let inputs: Vec<Endpoint> = results.iter().filter_map(|r| r.get(i).copied()).collect();
            outputs.push(out(self.add_typed(format!("{name}/merge_{i}"), "Merge", inputs, &here)?, 0));
        }
        let executed = self.add_typed(format!("{name}/executed"), "Merge", executed, &here)?;
        self.replace(id, outputs, executed);
        Ok(if has_effects { vec![executed] } else { vec![] })
    }

    fn add_switch(&mut self, name: String, data: Endpoint, chooser: Endpoint, n: usize, is_if: bool, at: &Place) -> Result<NodeId> {
        if is_if {
            return self.add_typed(name, "Switch", vec![data, chooser], at);
        }
        let mut attrs = AttrMap::new();
        attrs.insert("T", self.dtype(Some(&data))?);
        attrs.insert("num_outs", n);
        self.add(name, "_SwitchN", attrs, vec![data, chooser], at)
    }
}

/// Output `index` of a node.
pub(super) fn out(node: NodeId, index: u32) -> Endpoint {
    Endpoint { node, index }
}
