//! Which task writes which file of a sharded checkpoint. Checkpoints do not say it, but the saver in the session's graph does: it asks for
//! the name of each file (`ShardedFilename`) on the task that writes it. An error about a missing file then names that task.

use crate::cluster::TaskId;
use ferroflow_graph::{Endpoint, NodeGraph};
use ferroflow_tensor::{Code, DeviceSpec, Error};

/// The error, with the task that writes the file that it is about, if it is about one.
pub(super) fn naming_writer(error: Error, graph: &NodeGraph) -> Error {
    if !matches!(error.code(), Code::NotFound | Code::DataLoss) {
        return error;
    }
    let Some((shard, of)) = shard_in(error.bare_message()) else { return error };
    match writer(graph, shard, of) {
        Some(task) => error.context(format!("file {shard} of a checkpoint of {of} is written by {}, in its own file system", task.name())),
        None => error,
    }
}

/// The first `<shard>-of-<count>` of a text, five digits each.
fn shard_in(text: &str) -> Option<(u32, u32)> {
    text.match_indices("-of-").find_map(|(at, mark)| {
        let before = text.get(at.checked_sub(5)?..at)?;
        let after = text.get(at + mark.len()..at + mark.len() + 5)?;
        let is_number = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if is_number(before) && is_number(after) { Some((before.parse().ok()?, after.parse().ok()?)) } else { None }
    })
}

fn writer(graph: &NodeGraph, shard: u32, of: u32) -> Option<TaskId> {
    let mut namers = graph.nodes().iter().filter(|n| n.info.op_name() == "ShardedFilename");
    let names_it = namers.find(|n| match n.inputs[..] {
        [_, s, c] => constant(graph, s) == Some(shard) && constant(graph, c) == Some(of),
        _ => false,
    })?;
    TaskId::of_device(&DeviceSpec::parse(&names_it.assigned_device).ok()?)
}

/// The value of a constant whole number.
fn constant(graph: &NodeGraph, e: Endpoint) -> Option<u32> {
    let node = graph.nodes().get(e.node.index())?;
    let value = node.info.attrs.tensor("value").ok()?;
    u32::try_from(*value.as_slice::<i32>().ok()?.first()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::graph;
    use ferroflow_tensor::{DType, Tensor, error::not_found};

    #[test]
    fn shards_are_found_in_names_of_files() {
        assert_eq!(shard_in("/x/m-5.data-00001-of-00002 is missing"), Some((1, 2)));
        assert_eq!(shard_in("/x-of-y/part-00010-of-00012"), Some((10, 12)));
        for text in ["", "-of-", "one-of-many files", "0001-of-00002", "ü-of-00002"] {
            assert_eq!(shard_in(text), None, "{text}");
        }
    }

    #[test]
    fn the_task_that_asks_for_the_files_name_writes_it() {
        let g = graph();
        let number = |n: i32| g.op("Const").attr("dtype", DType::Int32).attr("value", Tensor::scalar(n)).output();
        for k in 0..2 {
            g.op("ShardedFilename").inputs([number(0), number(k), number(2)]).device(TaskId::new("ps", k as u32 + 3).spec()).build();
        }
        let mut graph = g.snapshot().unwrap();
        for id in (0..graph.len() as u32).map(ferroflow_graph::NodeId) {
            graph.node_mut(id).assigned_device = graph.node(id).requested_device.clone();
        }
        let error = |text: &str| naming_writer(not_found(text), &graph).message();
        assert!(error("m.data-00001-of-00002").starts_with("file 1 of a checkpoint of 2 is written by /job:ps/replica:0/task:4, "));
        assert_eq!(error("m.data-00001-of-00003"), "m.data-00001-of-00003", "another saver's");
        assert_eq!(error("Key x not found"), "Key x not found");
    }
}
