//! Summaries: values of a step for TensorBoard (TF: `tf.summary`).

use ferroflow_graph::{Graph, Output, keys};

/// Writes `value`, a scalar, under `name` (made unique) whenever summaries are written.
#[track_caller]
pub fn scalar(name: &str, value: impl Into<Output>) -> Output {
    summary("ScalarSummary", name, value.into())
}

/// Writes the distribution of all elements of `values` under `name` (made unique) whenever summaries are written.
#[track_caller]
pub fn histogram(name: &str, values: impl Into<Output>) -> Output {
    summary("HistogramSummary", name, values.into())
}

#[track_caller]
fn summary(op: &str, name: &str, value: Output) -> Output {
    let g = value.graph().clone();
    let out = g.named_scope(name, |scope| {
        let tag = scope.trim_end_matches('/').to_owned();
        let tag = g
            .op("Const")
            .name("tags")
            .attr("dtype", ferroflow_tensor::DType::String)
            .attr("value", ferroflow_tensor::Tensor::string(tag))
            .output();
        g.op(op).name(scope).input(tag).input(&value).output()
    });
    g.add_to_collection(keys::SUMMARIES, &out);
    out
}

/// One output that holds all summaries of the graph, or `None` if it has none (TF: `merge_all`).
///
/// Errors: `NotFound` if the collection names something that is not there.
pub fn merge_all(g: &Graph) -> ferroflow_tensor::Result<Option<Output>> {
    let all = g.collection_outputs(keys::SUMMARIES)?;
    if all.is_empty() {
        return Ok(None);
    }
    Ok(Some(g.op("MergeSummary").name("Merge/MergeSummary").input_list(all).output()))
}
