//! Sessions that have lost a task leave queues open.
//!
//! A client that meets `Aborted` or `Unavailable` stops its queue runners, which close their queues on the way out, and makes a new session.
//! The queues outlive the session, because they belong to tasks that still run, and a closed queue never opens again: with TensorFlow's
//! servers synchronous training ends there, for no token gets into the closed queue any more, and the other workers take its end for the
//! end of their data. Here such a session gives up what it still wants to put into the queue, and the queue stays open for the next one.

use super::MasterSession;
use super::compile::CompiledStep;
use ferroflow_graph::{NodeGraph, NodeId};
use ferroflow_runtime::prune::Signature;
use ferroflow_tensor::error::aborted;
use ferroflow_tensor::{Code, Error};
use std::sync::{Arc, OnceLock};

/// What a step does with queues, by the names of the nodes that make them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct QueueUse {
    /// The queues that it closes with everything that waits to get in, if it does nothing else.
    closes: Vec<Arc<str>>,
    /// The queues that it fills.
    fills: Vec<Arc<str>>,
}

impl QueueUse {
    /// What the step of this signature does; `graph` is pruned to it.
    pub fn of(graph: &NodeGraph, signature: &Signature) -> QueueUse {
        let queue = |id: NodeId| graph.node(id).inputs.first().map(|e| graph.node(e.node).info.name.clone());
        let ids = || (0..graph.len() as u32).map(NodeId);
        let is_cancelling_close = |id: &NodeId| {
            let info = &graph.node(*id).info;
            matches!(info.op_name(), "QueueClose" | "QueueCloseV2") && info.attrs.bool("cancel_pending_enqueues").unwrap_or(false)
        };
        let only_closes =
            signature.fetches.is_empty() && signature.targets.iter().all(|t| graph.find(t).is_some_and(|id| is_cancelling_close(&id)));
        QueueUse {
            closes: if only_closes { ids().filter(is_cancelling_close).filter_map(queue).collect() } else { Vec::new() },
            fills: ids().filter(|&id| graph.node(id).info.op_name().starts_with("QueueEnqueue")).filter_map(queue).collect(),
        }
    }

    fn fills_any(&self, queues: &[Arc<str>]) -> bool {
        self.fills.iter().any(|q| queues.contains(q))
    }
}

/// Why a session is one whose client makes a new one, once it is.
#[derive(Default)]
pub(super) struct Lost {
    cause: OnceLock<Error>,
}

impl MasterSession {
    /// Notes how a run ended.
    pub(super) fn note_failure(&self, error: &Error) {
        if matches!(error.code(), Code::Aborted | Code::Unavailable) {
            self.lost.cause.get_or_init(|| error.clone());
        }
    }

    /// Why a step is not run: it closes queues for a session that has lost a task. What the session still puts into them is given up.
    pub(super) fn leave_queues_open(&self, step: &CompiledStep) -> Option<Error> {
        let cause = self.lost.cause.get()?;
        let queues = &step.queues.closes;
        if queues.is_empty() {
            return None;
        }
        let why = format!("{} stays open for the sessions to come, because this one has failed: {}", queues.join(", "), cause.message());
        tracing::info!(session = %self.handle, "{why}");
        self.running.end_those(|step| step.queues.fills_any(queues), &aborted(format!("no longer enqueued: {why}")));
        Some(aborted(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::graph;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn a_step_that_only_closes_is_told_from_others() {
        let g = graph();
        let q = g.op("FIFOQueueV2").name("q").output();
        let x = g.op("Const").name("x").attr("dtype", DType::Float).attr("value", Tensor::scalar(1f32)).output();
        g.op("QueueEnqueueV2").name("put").inputs([q.clone(), x]).build();
        g.op("QueueCloseV2").name("end").input(q.clone()).build();
        g.op("QueueCloseV2").name("cancel").input(q).attr("cancel_pending_enqueues", true).build();
        let graph = g.snapshot().unwrap();
        let of = |fetches: &[&str], targets: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|s| s.to_string()).collect();
            QueueUse::of(&graph, &Signature { fetches: own(fetches), targets: own(targets), ..Signature::default() }).closes
        };
        assert_eq!(of(&[], &["cancel"]), [Arc::from("q")]);
        assert!(of(&[], &["end"]).is_empty(), "data that ended");
        assert!(of(&[], &["cancel", "put"]).is_empty() && of(&["x:0"], &["cancel"]).is_empty());
        let whole = QueueUse::of(&graph, &Signature::default());
        assert!(whole.fills_any(&["q".into()]) && !whole.fills_any(&["r".into()]));
    }
}
