//! `While` becomes a loop frame (TF: `RewriteWhileNode`).
//!
//! ```text
//! E = Enter(input)   M = Merge(E, N)   L = LoopCond(cond(M…))   S = Switch(M, L)   N = NextIteration(body(S:1…))   X = Exit(S:0)
//! ```
//!
//! A variable that the body hands back unchanged, such as a captured tensor or resource, enters as a constant instead: it needs
//! neither merge nor exit. If the body has effects, the next iteration waits for those of this one.

use super::branches::out;
use super::call::{Site, check_results};
use super::expansion::{Body, Context, Expansion, Place};
use ferroflow_graph::{AttrMap, AttrValue, Endpoint, FuncAttr, Node, NodeId};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

impl Expansion<'_> {
    /// Replaces a loop.
    pub(super) fn expand_loop(
        &mut self,
        id: NodeId,
        node: &Node,
        cond: &FuncAttr,
        body: &FuncAttr,
        context: &Context,
    ) -> Result<Vec<NodeId>> {
        let name = &node.info.name;
        let here = Place { device: &node.requested_device, controls: &[] };
        let definition = self.body(body)?;
        let varies = varying(&definition, node.inputs.len());
        let frame = self.unused_frame(name);
        let parallel = node.info.attrs.int("parallel_iterations").unwrap_or(10);

        // What the condition sees of each variable, and where the ones that vary start an iteration.
        let mut values = Vec::with_capacity(node.inputs.len());
        let mut merges = Vec::new();
        for (i, &input) in node.inputs.iter().enumerate() {
            let mut attrs = AttrMap::new();
            attrs.insert("T", self.dtype(Some(&input))?);
            attrs.insert("frame_name", frame.as_str());
            attrs.insert("is_constant", !varies[i]);
            attrs.insert("parallel_iterations", AttrValue::Int(parallel));
            let before = Place { device: &node.requested_device, controls: &node.control_inputs };
            let enter = out(self.add(format!("{name}/enter_{i}"), "Enter", attrs, vec![input], &before)?, 0);
            if varies[i] {
                let merge = self.add_merge(format!("{name}/merge_{i}"), enter, &here)?;
                merges.push(merge);
                values.push(out(merge, 0));
            } else {
                values.push(enter);
            }
        }

        let prefix = format!("{name}/cond");
        let site = Site { prefix: &prefix, device: &node.requested_device, controls: &[], keeps_stateful: false };
        let inner = Context { pivot: merges.first().copied(), chain: context.chain.clone(), gated: false };
        let condition = self.inline(cond, &site, &values, &inner)?;
        let [result] = condition.rets[..] else {
            return Err(invalid_argument(format!(
                "the condition of a loop, function '{}', returns {} values",
                cond.name,
                condition.rets.len()
            )));
        };
        let result = self.condition(format!("{name}/cond_bool"), result, &here)?;
        let after = Place { device: &node.requested_device, controls: &condition.effects };
        let loop_cond = out(self.add(format!("{name}/loop_cond"), "LoopCond", AttrMap::new(), vec![result], &after)?, 0);

        let mut switches = Vec::with_capacity(values.len());
        for (i, &value) in values.iter().enumerate() {
            switches.push(self.add_typed(format!("{name}/switch_{i}"), "Switch", vec![value, loop_cond], &here)?);
        }
        let goes_on = self.add_typed(format!("{name}/pivot_switch"), "Switch", vec![loop_cond, loop_cond], &here)?;
        let pivot = self.add_typed(format!("{name}/pivot"), "Identity", vec![out(goes_on, 1)], &here)?;
        let prefix = format!("{name}/body");
        let site = Site { prefix: &prefix, device: &node.requested_device, controls: &[], keeps_stateful: false };
        let inner = Context { pivot: Some(pivot), chain: context.chain.clone(), gated: false };
        let args: Vec<Endpoint> = switches.iter().map(|&s| out(s, 1)).collect();
        let inlined = self.inline(body, &site, &args, &inner)?;
        check_results(node, &body.name, &inlined)?;

        let mut outputs = Vec::with_capacity(node.inputs.len());
        let mut exits = Vec::new();
        let mut merges = merges.into_iter();
        for (i, &input) in node.inputs.iter().enumerate() {
            if varies[i] {
                let after = Place { device: &node.requested_device, controls: &inlined.effects };
                let next = self.add_typed(format!("{name}/next_{i}"), "NextIteration", vec![inlined.rets[i]], &after)?;
                if let Some(merge) = merges.next() {
                    self.connect(merge, out(next, 0));
                }
                let exit = self.add_typed(format!("{name}/exit_{i}"), "Exit", vec![out(switches[i], 0)], &here)?;
                exits.push(exit);
                outputs.push(out(exit, 0));
            } else if node.control_inputs.is_empty() {
                outputs.push(input);
            } else {
                let device = self.requested_device(input.node);
                let after = Place { device: &device, controls: &node.control_inputs };
                outputs.push(out(self.add_typed(format!("{name}/unchanged_{i}"), "Identity", vec![input], &after)?, 0));
            }
        }
        let all = Place { device: &node.requested_device, controls: &exits };
        let done = self.add(format!("{name}/executed"), "NoOp", AttrMap::new(), vec![], &all)?;
        self.replace(id, outputs, done);
        // Iterations wait for effects, so that any exit comes after all of them.
        let has_effects = !(inlined.effects.is_empty() && condition.effects.is_empty());
        Ok(if has_effects { exits.into_iter().take(1).collect() } else { vec![] })
    }

    /// A merge whose second input, from the next iteration, comes later.
    fn add_merge(&mut self, name: String, enter: Endpoint, at: &Place) -> Result<NodeId> {
        let mut attrs = AttrMap::new();
        attrs.insert("T", self.dtype(Some(&enter))?);
        attrs.insert("N", 2i64);
        self.add(name, "Merge", attrs, vec![enter], at)
    }
}

/// Which variables the body may change. At least one counts as such: the frame needs something that starts its iterations.
fn varying(body: &Body, n: usize) -> Vec<bool> {
    let body = &body.body;
    let unchanged = |i: usize| match (body.args.get(i), body.rets.get(i)) {
        (Some(arg), Some(ret)) => body.graph.node(*ret).inputs.first().is_some_and(|e| e.node == *arg),
        _ => false,
    };
    let mut varies: Vec<bool> = (0..n).map(|i| !unchanged(i)).collect();
    if !varies.contains(&true) {
        varies.iter_mut().take(1).for_each(|v| *v = true);
    }
    varies
}
