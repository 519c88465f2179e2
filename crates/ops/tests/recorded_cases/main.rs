//! Every kernel against what real TensorFlow answered: replays `conformance/cases/*.jsonl` (see `conformance/README.md`).
//!
//! `RECORDED_OPS=MatMul,Cast cargo test -p ferroflow-ops --test recorded_cases` replays only these ops.

mod comparison;
mod record;

use comparison::difference;
use ferroflow_graph::kernel::{Value, Variable};
use ferroflow_graph::{NodeInfo, OpRegistry};
use ferroflow_ops::testing::{TestNode, bare_step};
use ferroflow_tensor::{Code, DType, Error, ResourceHandle, Tensor};
use record::{Outcome, Record, State};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What became of one case.
enum Verdict {
    Agrees,
    NoKernel,
    Differs(String),
}

fn cases_dir() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases")
}

#[test]
fn every_kernel_answers_as_tensorflow_did() {
    let registry = ferroflow_ops::registry();
    let only = std::env::var("RECORDED_OPS").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|s| !s.is_empty()).collect();
    let (mut agree, mut without_kernel, mut wrong) = (0, BTreeMap::<String, usize>::new(), BTreeMap::<String, Vec<String>>::new());
    for op in recorded_ops() {
        let wanted = only.is_empty() || only.contains(&op.as_str());
        if !wanted || !registry.contains(&op) {
            continue;
        }
        let text = std::fs::read_to_string(cases_dir().join(format!("{op}.jsonl"))).expect("a file of recorded cases");
        for (number, line) in text.lines().enumerate() {
            let record = Record::parse(line).unwrap_or_else(|e| panic!("{op}.jsonl:{}: {e}", number + 1));
            match replay_safely(&registry, &record) {
                Verdict::Agrees => agree += 1,
                Verdict::NoKernel => *without_kernel.entry(op.clone()).or_default() += 1,
                Verdict::Differs(how) => wrong.entry(op.clone()).or_default().push(format!("{op}.jsonl:{}: {record}: {how}", number + 1)),
            }
        }
    }
    println!("{agree} cases agree; without a kernel for their types: {without_kernel:?}");
    let count: usize = wrong.values().map(Vec::len).sum();
    let shown: Vec<&str> = wrong.values().flat_map(|all| all.iter().take(5)).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{count} recorded cases of {} ops differ, such as\n{}", wrong.len(), shown.join("\n"));
}

#[test]
fn every_op_with_a_float_kernel_in_tensorflow_has_one_here() {
    let registry = ferroflow_ops::registry();
    let mut missing = Vec::new();
    for op in recorded_ops().filter(|op| registry.contains(op)) {
        let text = std::fs::read_to_string(cases_dir().join(format!("{op}.jsonl"))).expect("a file of recorded cases");
        let float = text.lines().filter_map(|l| Record::parse(l).ok()).find(|r| r.inputs.iter().any(|i| i.value.dtype() == DType::Float));
        let Some(record) = float else { continue };
        if matches!(replay_safely(&registry, &record), Verdict::NoKernel) {
            missing.push(op);
        }
    }
    assert!(missing.is_empty(), "no kernel for float: {missing:?}");
}

fn recorded_ops() -> impl Iterator<Item = String> {
    let files = std::fs::read_dir(cases_dir()).expect("the folder of recorded cases");
    let mut names: Vec<String> =
        files.filter_map(|f| f.ok()?.file_name().into_string().ok()?.strip_suffix(".jsonl").map(str::to_owned)).collect();
    names.sort();
    assert!(names.len() > 300, "only {} files of recorded cases", names.len());
    names.into_iter()
}

/// Replays a case; a panic of a kernel is a difference, too.
fn replay_safely(registry: &OpRegistry, record: &Record) -> Verdict {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| replay(registry, record))) {
        Ok(verdict) => verdict,
        Err(_) => Verdict::Differs("the kernel panicked".to_owned()),
    }
}

fn replay(registry: &OpRegistry, record: &Record) -> Verdict {
    let op = match registry.get(&record.op) {
        Ok(op) => op.clone(),
        Err(e) => return Verdict::Differs(e.to_string()),
    };
    let tolerance = op.spec.tolerance;
    let node = match NodeInfo::new("op", op, record.attrs.clone()) {
        Ok(node) => Arc::new(node),
        Err(e) => return judge_error(record, &e),
    };
    if node.op.kernel("CPU", &node.attrs).is_err() {
        return Verdict::NoKernel;
    }
    let step = bare_step(1);
    let node = match TestNode::new(node, step.clone()) {
        Ok(node) => node,
        Err(e) => return judge_error(record, &e),
    };
    let mut inputs: Vec<Value> = Vec::new();
    let mut states: Vec<Arc<Variable>> = Vec::new();
    for (i, input) in record.inputs.iter().enumerate() {
        // Inputs are copied, so that a kernel that works in place cannot change the record.
        let Ok(value) = input.value.deep_copy() else { return Verdict::Differs("an input cannot be copied".to_owned()) };
        let Some(state) = input.state else {
            inputs.push(Value::Tensor(value));
            continue;
        };
        let name = format!("in{i}");
        let variable = Arc::new(Variable::new(name.clone(), value.dtype()));
        variable.set(value);
        states.push(variable.clone());
        match state {
            State::Ref => inputs.push(Value::Ref(variable)),
            State::Resource => {
                if let Err(e) = step.resources.create("", &name, variable) {
                    return Verdict::Differs(e.to_string());
                }
                let handle = ResourceHandle { device: step.device.name.to_string(), name, ..ResourceHandle::default() };
                inputs.push(Value::Tensor(Tensor::resource(handle)));
            }
        }
    }
    let runs = match &record.outcome {
        Outcome::Runs(runs) => runs.as_slice(),
        Outcome::Error { .. } => {
            return match node.run(inputs) {
                Err(e) => judge_error(record, &e),
                Ok(_) => Verdict::Differs(format!("accepted; TensorFlow says {}", record.outcome)),
            };
        }
    };
    for (n, run) in runs.iter().enumerate() {
        let outputs = match node.run(inputs.clone()) {
            Ok(outputs) => outputs,
            Err(e) => return judge_error(record, &e),
        };
        if outputs.len() != run.outputs.len() {
            return Verdict::Differs(format!("{} outputs, TensorFlow has {}", outputs.len(), run.outputs.len()));
        }
        let values = outputs.iter().map(|o| o.as_ref().and_then(|v| v.to_tensor().ok()));
        let after = states.iter().map(|v| v.get());
        for (i, (got, expected)) in values.zip(&run.outputs).chain(after.zip(&run.after)).enumerate() {
            let Some(got) = got else { return Verdict::Differs(format!("run {n}, value {i} is missing")) };
            if let Some(how) = difference(&got, expected, tolerance) {
                return Verdict::Differs(format!("run {n}, value {i} {how}"));
            }
        }
    }
    Verdict::Agrees
}

/// Whether an error is the one that TensorFlow gives.
fn judge_error(record: &Record, error: &Error) -> Verdict {
    match &record.outcome {
        Outcome::Error { code, .. } if error.code() as i32 == *code => Verdict::Agrees,
        // A bad argument is one, also where TensorFlow calls it an internal error, not found or not implemented.
        Outcome::Error { code: 5 | 12 | 13, .. } if error.code() == Code::InvalidArgument => Verdict::Agrees,
        outcome => Verdict::Differs(format!("fails: {error}; TensorFlow says {outcome}")),
    }
}
