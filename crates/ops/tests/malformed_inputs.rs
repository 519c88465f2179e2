//! No kernel panics, whatever it is given: recorded calls that are right, with one input at a time made wrong.

#[allow(dead_code)]
#[path = "recorded_cases/record.rs"]
mod record;

use ferroflow_graph::kernel::{Value, Variable};
use ferroflow_graph::{NodeInfo, OpRegistry};
use ferroflow_ops::testing::{TestNode, bare_step};
use ferroflow_tensor::{Code, DType, ResourceHandle, Result, Shape, Tensor};
use record::{Outcome, Record, State};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// How many recorded calls of each op are spoilt.
const CALLS_PER_OP: usize = 12;

/// Whether extreme numbers ask the op for a result that is as large, and may fit into memory.
fn is_sized_by_values(op: &str) -> bool {
    op == "DynamicStitch" || op == "Range" || op == "RaggedRange" || op.contains("Segment")
}

/// Wrong variants of an input: empty, scalar, of one more and one less dimension, and with extreme elements.
fn spoilt(op: &str, t: &Tensor) -> Result<Vec<(&'static str, Tensor)>> {
    let zeros = |dims: &[i64]| Tensor::zeros(t.dtype(), Shape::new(dims)?);
    let deeper = [&[1], t.dims()].concat();
    let mut all = vec![
        ("empty", zeros(&[0])?),
        ("a scalar", zeros(&[])?),
        ("a vector of one", zeros(&[1])?),
        ("of one more dimension", t.clone().reshaped(Shape::new(&deeper)?)?),
        ("of one more empty dimension", zeros(&[t.dims(), &[0]].concat())?),
        ("a matrix without rows", zeros(&[0, 3])?),
    ];
    if let Some((first, rest)) = t.dims().split_first() {
        all.push(("without its first dimension", zeros(rest)?));
        all.push(("of one more row", zeros(&[&[first + 1], rest].concat())?));
        all.push(("without rows", zeros(&[&[0], rest].concat())?));
    }
    let filled = |bytes: &[u8]| -> Result<Tensor> {
        let mut copy = t.deep_copy()?;
        copy.bytes_mut()?.chunks_exact_mut(bytes.len()).for_each(|c| c.copy_from_slice(bytes));
        Ok(copy)
    };
    // A single huge number may be a size that fits into memory; several of them are not.
    let sized = is_sized_by_values(op);
    let several = t.num_elements() > 1 && !sized;
    match t.dtype() {
        DType::Int32 => {
            all.push(("all -1", filled(&(-1i32).to_le_bytes())?));
            all.push(("all -2", filled(&(-2i32).to_le_bytes())?));
            if !sized {
                all.push(("all least", filled(&i32::MIN.to_le_bytes())?));
            }
            if several {
                all.push(("all greatest", filled(&i32::MAX.to_le_bytes())?));
            }
        }
        DType::Int64 => {
            all.push(("all -1", filled(&(-1i64).to_le_bytes())?));
            all.push(("all least", filled(&i64::MIN.to_le_bytes())?));
            // No memory holds as much.
            all.push(("all greatest", filled(&i64::MAX.to_le_bytes())?));
        }
        DType::Float => {
            all.push(("all NaN", filled(&f32::NAN.to_le_bytes())?));
            all.push(("all infinite", filled(&f32::NEG_INFINITY.to_le_bytes())?));
        }
        _ => {}
    }
    Ok(all)
}

/// Runs a recorded call with input `i` replaced, if it is not a variable.
fn run(registry: &OpRegistry, record: &Record, i: usize, wrong: &Tensor) -> Result<()> {
    let node = Arc::new(NodeInfo::new("op", registry.get(&record.op)?.clone(), record.attrs.clone())?);
    let step = bare_step(1);
    let node = TestNode::new(node, step.clone())?;
    let mut inputs = Vec::new();
    for (k, input) in record.inputs.iter().enumerate() {
        let value = if k == i { wrong.clone() } else { input.value.deep_copy()? };
        let name = format!("in{k}");
        let variable = Arc::new(Variable::new(name.clone(), value.dtype()));
        inputs.push(match input.state {
            None => Value::Tensor(value),
            Some(State::Ref) => {
                variable.set(value);
                Value::Ref(variable)
            }
            Some(State::Resource) => {
                variable.set(value);
                step.resources.create("", &name, variable)?;
                Value::Tensor(Tensor::resource(ResourceHandle { name, ..ResourceHandle::default() }))
            }
        });
    }
    node.run(inputs).map(drop)
}

#[test]
fn a_wrong_input_is_an_error_and_never_a_panic() {
    let registry = ferroflow_ops::registry();
    let only = std::env::var("RECORDED_OPS").unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder of recorded cases").map(|f| f.unwrap().path()).collect();
    files.sort();
    let (mut calls, mut wrong) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let records = text.lines().filter_map(|l| Record::parse(l).ok()).filter(|r| matches!(r.outcome, Outcome::Runs(_)));
        let known = records.filter(|r| registry.contains(&r.op) && (only.is_empty() || only.split(',').any(|o| o == r.op)));
        for record in known.take(CALLS_PER_OP) {
            for (i, input) in record.inputs.iter().enumerate() {
                for (how, value) in spoilt(&record.op, &input.value).expect("a wrong tensor") {
                    calls += 1;
                    let what = match catch_unwind(AssertUnwindSafe(|| run(&registry, &record, i, &value))) {
                        Err(_) => "panicked".to_owned(),
                        Ok(Err(e)) if e.code() == Code::Internal => format!("says {e}"),
                        Ok(_) => continue,
                    };
                    wrong.push(format!("{record} with input {i} {how}: {what}"));
                }
            }
        }
    }
    assert!(calls > 1000 || !only.is_empty(), "only {calls} calls");
    assert!(wrong.is_empty(), "{} of {calls} calls with a wrong input, such as\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}
