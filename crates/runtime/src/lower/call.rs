//! Puts the nodes of a function's body in the place of a call (TF: `InlineFunctionBody`).

use super::expansion::{Body, Context, Expansion, Place, merged_device};
use ferroflow_graph::{Endpoint, FuncAttr, Node, NodeId, NodeInfo};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::sync::Arc;

/// Where a body goes.
pub(super) struct Site<'s> {
    /// What its nodes' names start with.
    pub prefix: &'s str,
    /// The device of the call.
    pub device: &'s Arc<str>,
    /// What must have run before any of its nodes.
    pub controls: &'s [NodeId],
    /// Whether all stateful nodes of the body run, and not only those that its control outputs name. TensorFlow does so for functions
    /// that are called by their names, which know no control outputs.
    pub keeps_stateful: bool,
}

/// A body that was put somewhere.
pub(super) struct Inlined {
    /// Where each result comes from.
    pub rets: Vec<Endpoint>,
    /// The nodes that make results; an argument that is handed back is none.
    pub makers: Vec<NodeId>,
    /// The nodes that must run though no result may need them.
    pub effects: Vec<NodeId>,
}

impl Inlined {
    /// Everything that has run when the function is over.
    pub fn all(&self) -> Vec<NodeId> {
        self.makers.iter().chain(&self.effects).copied().collect()
    }
}

impl Expansion<'_> {
    /// Replaces a call.
    pub(super) fn expand_call(&mut self, id: NodeId, node: &Node, function: &FuncAttr, context: &Context) -> Result<Vec<NodeId>> {
        let body = self.body(function)?;
        self.expand_body(id, node, &function.name, &body, context)
    }

    /// Replaces a node that does what the body of the function `name` does.
    pub(super) fn expand_body(&mut self, id: NodeId, node: &Node, name: &str, body: &Body, context: &Context) -> Result<Vec<NodeId>> {
        let site = Site {
            prefix: &node.info.name,
            device: &node.requested_device,
            controls: &node.control_inputs,
            keeps_stateful: node.info.op.is_function_call(),
        };
        let inlined = self.inline_body(name, body, &site, &node.inputs, context)?;
        check_results(node, name, &inlined)?;
        let mut before = inlined.all();
        before.extend(&node.control_inputs);
        if before.is_empty() {
            before.extend(context.pivot);
        }
        let at = Place { device: &node.requested_device, controls: &before };
        let after = self.add(format!("{}/output_control_node", node.info.name), "NoOp", Default::default(), vec![], &at)?;
        self.replace(id, inlined.rets, after);
        Ok(inlined.effects)
    }

    /// Adds a function's body, and expands what is to be expanded in it.
    ///
    /// Errors: `InvalidArgument` if the arguments are not the function's, or its body is malformed.
    pub(super) fn inline(&mut self, function: &FuncAttr, site: &Site, args: &[Endpoint], context: &Context) -> Result<Inlined> {
        let body = self.body(function)?;
        self.inline_body(&function.name, &body, site, args, context)
    }

    /// As [`Expansion::inline`], of a body that is at hand.
    fn inline_body(&mut self, name: &str, body: &Body, site: &Site, args: &[Endpoint], context: &Context) -> Result<Inlined> {
        let want = body.body.args.len();
        if want != args.len() {
            return Err(invalid_argument(format!("function '{name}' takes {want} arguments, {} are given", args.len())));
        }
        let inputless = |n: &Node| n.inputs.is_empty() && n.control_inputs.is_empty();
        let border = |n: &Node| matches!(n.info.op_name(), "_Arg" | "_Retval");
        let constructs = body.body.graph.nodes().iter().any(|n| super::is_lowered(&n.info, self.library()));
        let needs_gate = constructs || body.body.graph.nodes().iter().any(|n| inputless(n) && !border(n));
        // Whether the call runs is then to be told from its arguments alone.
        let on_args = context.gated && needs_gate;

        let returned: Vec<NodeId> = body.body.rets.iter().filter_map(|r| Some(body.body.graph.node(*r).inputs.first()?.node)).collect();
        let mut places: Vec<Option<Endpoint>> = vec![None; body.body.graph.len()];
        let mut identities = Vec::new();
        for (&arg, &from) in body.body.args.iter().zip(args) {
            let handed_back = context.gated && returned.contains(&arg);
            let own = !site.controls.is_empty() || body.controls[arg.index()] || on_args || handed_back;
            places[arg.index()] = Some(if own {
                let device = self.requested_device(from.node);
                let name = format!("{}/{}", site.prefix, body.body.graph.node(arg).info.name);
                let id = self.add_typed(name, "Identity", vec![from], &Place { device: &device, controls: site.controls })?;
                identities.push(id);
                Endpoint { node: id, index: 0 }
            } else {
                from
            });
        }
        let mut gate: Vec<NodeId> = site.controls.to_vec();
        if on_args {
            gate.extend(&identities);
        }
        if gate.is_empty() {
            gate.extend(context.pivot);
        }
        if gate.len() > 1 && needs_gate {
            let name = format!("{}/input_control_node", site.prefix);
            gate = vec![self.add(name, "NoOp", Default::default(), vec![], &Place { device: site.device, controls: &gate })?];
        }
        let added = self.add_nodes(body, site, &mut places, &gate)?;

        let inner = Context {
            pivot: gate.first().copied(),
            chain: context.chain.iter().cloned().chain([name.to_owned()]).collect(),
            gated: body.has_switches,
        };
        let mut effects = Vec::new();
        for (old, new) in added {
            let expanded = self.expand(new, &inner)?;
            let info = &body.body.graph.node(old).info;
            let has_effect = site.keeps_stateful && (info.op.def.is_stateful || expanded.is_none() && info.op.is_function_call());
            effects.extend(expanded.into_iter().flatten());
            if has_effect || body.body.control_rets.contains(&old) {
                effects.push(new);
            }
        }
        let mut rets = Vec::with_capacity(body.body.rets.len());
        let mut makers = Vec::new();
        for (ret, from) in body.body.rets.iter().zip(&returned) {
            let source = body.body.graph.node(*ret).inputs.first().copied();
            let place = source.and_then(|s| Some(Endpoint { node: places[s.node.index()]?.node, index: self.output_index(&places, s)? }));
            let place = place.ok_or_else(|| invalid_argument(format!("function '{name}' returns nothing")))?;
            if !body.body.args.contains(from) || identities.contains(&place.node) {
                makers.push(place.node);
            }
            rets.push(place);
        }
        effects.sort_unstable();
        effects.dedup();
        Ok(Inlined { rets, makers, effects })
    }

    /// The output that an edge of the body starts at: an argument is somebody else's output, a node's are its own.
    fn output_index(&self, places: &[Option<Endpoint>], e: Endpoint) -> Option<u32> {
        Some(places.get(e.node.index())?.as_ref()?.index + e.index)
    }

    /// Adds the nodes between arguments and results; returns pairs of old and new ids.
    fn add_nodes(&mut self, body: &Body, site: &Site, places: &mut [Option<Endpoint>], gate: &[NodeId]) -> Result<Vec<(NodeId, NodeId)>> {
        let graph = &body.body.graph;
        let mut added = Vec::new();
        let mut next = self.next_id();
        let mut names: Vec<Arc<str>> = vec!["".into(); graph.len()];
        for (id, node) in graph.iter() {
            if !matches!(node.info.op_name(), "_Arg" | "_Retval") {
                places[id.index()] = Some(Endpoint { node: next, index: 0 });
                names[id.index()] = self.unused_name(format!("{}/{}", site.prefix, node.info.name));
                added.push((id, next));
                next.0 += 1;
            }
        }
        for (old, _) in &added {
            let node = graph.node(*old);
            let at = |e: ferroflow_tensor::Error| e.at_node(&names[old.index()]);
            let lost = || at(invalid_argument("an input is a result of the function"));
            let input = |e: &Endpoint| {
                let node = places[e.node.index()]?.node;
                Some(Endpoint { node, index: self.output_index(places, *e)? })
            };
            let inputs = node.inputs.iter().map(|e| input(e).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
            let control = |c: &NodeId| places[c.index()].map(|e| e.node).ok_or_else(lost);
            let mut control_inputs = node.control_inputs.iter().map(control).collect::<Result<Vec<_>>>()?;
            if inputs.is_empty() && control_inputs.is_empty() {
                control_inputs.extend(gate);
            }
            let info = self.renamed(&node.info, &names[old.index()], |class| Some(names[graph.find(class)?.index()].clone()), site);
            let requested_device = merged_device(site.device, &node.requested_device).map_err(at)?;
            self.push(Node { info: Arc::new(info), inputs, control_inputs, requested_device, assigned_device: "".into() })?;
        }
        Ok(added)
    }

    /// The node under its new name, and under the new names of the nodes that it is to be placed with and of the frame that it enters.
    fn renamed(&mut self, info: &NodeInfo, name: &Arc<str>, new_name: impl Fn(&str) -> Option<Arc<str>>, site: &Site) -> NodeInfo {
        let mut renamed = info.renamed(name.clone());
        if let Ok(classes) = info.attrs.strs("_class") {
            let one = |class: &bytes::Bytes| {
                let node = std::str::from_utf8(class).ok().and_then(|c| c.strip_prefix("loc:@"));
                node.and_then(&new_name).filter(|n| !n.is_empty()).map_or_else(|| class.clone(), |n| format!("loc:@{n}").into())
            };
            let classes: Vec<bytes::Bytes> = classes.iter().map(one).collect();
            renamed.attrs.insert("_class", classes);
        }
        if matches!(info.op_name(), "Enter" | "RefEnter")
            && let Ok(frame) = info.attrs.str("frame_name")
        {
            // All `Enter`s of one frame in one body get the same new name; two copies of the body are two loops.
            renamed.attrs.insert("frame_name", format!("{}/{frame}", site.prefix));
        }
        renamed
    }
}

/// Whether a function gives as many results as the node that runs it has outputs; their types are checked with the whole graph.
///
/// Errors: `InvalidArgument` if not.
pub(super) fn check_results(node: &Node, name: &str, inlined: &Inlined) -> Result<()> {
    let (have, want) = (inlined.rets.len(), node.info.output_types.len());
    if have == want {
        return Ok(());
    }
    Err(invalid_argument(format!("function '{name}' returns {have} values, the node has {want} outputs")))
}
