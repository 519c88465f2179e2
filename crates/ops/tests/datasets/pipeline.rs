//! Pipelines of single nodes, and the functions that they call, written in Rust.

use ferroflow_graph::kernel::{FunctionDone, FunctionHandle, FunctionRuntime, StepContext, Value};
use ferroflow_graph::{AttrMap, AttrValue, FuncAttr, NodeInfo, OpRegistry};
use ferroflow_ops::testing::{OpTester, TestNode, bare_step, tensor};
use ferroflow_tensor::error::{invalid_argument, not_found, out_of_range};
use ferroflow_tensor::{Code, DType, PartialShape, Result, Tensor};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

/// All ops.
pub(crate) static REGISTRY: LazyLock<Arc<OpRegistry>> = LazyLock::new(ferroflow_ops::registry);

/// A node of the op of this name, without building a registry each time.
pub(crate) fn named(op: &str) -> OpTester {
    let spec = ferroflow_ops::specs().find(|s| s.signature.split('(').next() == Some(op));
    OpTester::new(spec.unwrap_or_else(|| panic!("there is no op {op}")))
}

type Body = fn(Vec<Tensor>) -> Result<Vec<Tensor>>;

/// Functions by name. One without a body never ends.
struct Functions {
    bodies: Vec<(&'static str, Option<Body>)>,
    unfinished: Mutex<Vec<FunctionDone>>,
}

impl FunctionRuntime for Functions {
    fn instantiate(&self, name: &str, _: &AttrMap) -> Result<FunctionHandle> {
        let found = self.bodies.iter().position(|(n, _)| *n == name);
        found.map(|i| FunctionHandle(i as u64)).ok_or_else(|| not_found(format!("Function {name} is not defined.")))
    }

    fn run(&self, handle: FunctionHandle, _: &Arc<StepContext>, args: Vec<Value>, done: FunctionDone) {
        let Some(body) = self.bodies[handle.0 as usize].1 else { return self.unfinished.lock().unwrap().push(done) };
        // On another thread, so that whoever waits for it really has to wait.
        std::thread::spawn(move || {
            let args = args.iter().map(|v| v.to_tensor().unwrap()).collect();
            done(body(args).map(|values| values.into_iter().map(Value::Tensor).collect()));
        });
    }
}

pub(crate) fn number(args: &[Tensor]) -> i64 {
    args[0].to_scalar().unwrap()
}

pub(crate) fn step() -> Arc<StepContext> {
    let bodies: Vec<(&'static str, Option<Body>)> = vec![
        ("double", Some(|a| Ok(vec![Tensor::scalar(number(&a) * 2)]))),
        ("plus_captured", Some(|a| Ok(vec![Tensor::scalar(number(&a) + number(&a[1..]))]))),
        ("fail_at_2", Some(|a| if number(&a) == 2 { Err(invalid_argument("two").at_node("f/two")) } else { Ok(a) })),
        ("end_at_2", Some(|a| if number(&a) == 2 { Err(out_of_range("no more")) } else { Ok(a) })),
        ("is_odd", Some(|a| Ok(vec![Tensor::scalar(number(&a) % 2 == 1)]))),
        ("below_3", Some(|a| Ok(vec![Tensor::scalar(number(&a) < 3)]))),
        ("not_a_truth", Some(Ok)),
        (
            "repeated",
            Some(|a| Ok(vec![dataset("RepeatDataset", &bare_step(1), vec![range(number(&a), number(&a) + 1), a[0].clone()], &[])?])),
        ),
        ("sum", Some(|a| Ok(vec![Tensor::scalar(number(&a) + number(&a[1..]))]))),
        ("sum_and_state", Some(|a| Ok(vec![Tensor::scalar(number(&a) + number(&a[1..])), a[0].clone()]))),
        ("modulo_3", Some(|a| Ok(vec![Tensor::scalar(number(&a) % 3)]))),
        ("two", Some(|_| Ok(vec![Tensor::scalar(2i64)]))),
        (
            "in_batches",
            Some(|a| Ok(vec![dataset("BatchDatasetV2", &bare_step(1), vec![a[1].clone(), int(2), Tensor::scalar(false)], &[])?])),
        ),
        ("vector_of", Some(|a| Ok(vec![tensor(&[number(&a)], &vec![number(&a); number(&a) as usize])]))),
        (
            "slow_first",
            Some(|a| {
                // The later the element, the sooner it is ready.
                std::thread::sleep(Duration::from_millis(20u64.saturating_sub(number(&a) as u64 * 4)));
                Ok(a)
            }),
        ),
        ("never", None),
    ];
    let bare = bare_step(2);
    Arc::new(StepContext {
        step_id: bare.step_id,
        session: bare.session.clone(),
        device: bare.device.clone(),
        resources: bare.resources.clone(),
        step_resources: bare.step_resources.clone(),
        rendezvous: bare.rendezvous.clone(),
        cancellation: bare.cancellation.clone(),
        pool: bare.pool.clone(),
        functions: Some(Arc::new(Functions { bodies, unfinished: Mutex::default() })),
    })
}

pub(crate) fn int(x: i64) -> Tensor {
    Tensor::scalar(x)
}

pub(crate) fn f(name: &str) -> AttrValue {
    AttrValue::Func(FuncAttr { name: name.to_owned(), ..FuncAttr::default() })
}

/// A node that makes a dataset of int64 elements of any shape, unless attributes say otherwise.
pub(crate) fn dataset(op: &str, step: &Arc<StepContext>, inputs: Vec<Tensor>, attrs: &[(&str, AttrValue)]) -> Result<Tensor> {
    let op = REGISTRY.get(op)?;
    let mut map = AttrMap::new();
    for name in ["output_types", "Toutput_types"].into_iter().filter(|n| op.def.attr(n).is_some()) {
        map.insert(name, vec![DType::Int64]);
    }
    if op.def.attr("output_shapes").is_some() {
        map.insert("output_shapes", vec![PartialShape::unknown()]);
    }
    if op.def.attr("Targuments").is_some() {
        map.insert("Targuments", Vec::<DType>::new());
    }
    attrs.iter().for_each(|(name, value)| map.insert(*name, value.clone()));
    let node = Arc::new(NodeInfo::new("node", op.clone(), map)?);
    let node = TestNode::new(node, step.clone())?;
    let outputs = node.run(inputs.into_iter().map(Value::Tensor).collect())?;
    outputs[0].as_ref().unwrap().to_tensor()
}

pub(crate) fn range(start: i64, stop: i64) -> Tensor {
    dataset("RangeDataset", &bare_step(1), vec![int(start), int(stop), int(1)], &[]).unwrap()
}

pub(crate) fn typed(tester: OpTester, types: &[DType]) -> OpTester {
    tester.attr("output_types", types.to_vec()).attr("output_shapes", vec![PartialShape::unknown(); types.len()])
}

pub(crate) fn iterator(step: &Arc<StepContext>, name: &str, types: &[DType]) -> Tensor {
    typed(named("IteratorV2"), types).attr("shared_name", name).attr("container", "").step(step).run_one().unwrap()
}

pub(crate) fn start(step: &Arc<StepContext>, dataset: &Tensor, iterator: &Tensor) -> Result<()> {
    named("MakeIterator").input(dataset.clone()).input(iterator.clone()).step(step).run().map(|_| ())
}

pub(crate) fn next(step: &Arc<StepContext>, iterator: &Tensor, types: &[DType]) -> Result<Vec<Tensor>> {
    typed(named("IteratorGetNext"), types).input(iterator.clone()).step(step).run()
}

/// Requests until the end, errors included.
pub(crate) fn requests(step: &Arc<StepContext>, dataset: &Tensor, types: &[DType]) -> Vec<Result<Vec<Tensor>>> {
    let iterator = iterator(step, &format!("{types:?}"), types);
    start(step, dataset, &iterator).unwrap();
    let mut all = Vec::new();
    while all.len() < 100 {
        match next(step, &iterator, types) {
            Err(e) if e.bare_message() == "End of sequence" => {
                assert_eq!(e.code(), Code::OutOfRange);
                assert!(next(step, &iterator, types).is_err(), "the end stays the end");
                return all;
            }
            other => all.push(other),
        }
    }
    panic!("there is no end");
}

/// The numbers of all elements.
pub(crate) fn numbers(step: &Arc<StepContext>, dataset: &Tensor) -> Vec<Vec<i64>> {
    let elements = requests(step, dataset, &[DType::Int64]);
    elements.into_iter().map(|e| e.unwrap()[0].as_slice::<i64>().unwrap().to_vec()).collect()
}

pub(crate) fn flat(step: &Arc<StepContext>, dataset: &Tensor) -> Vec<i64> {
    numbers(step, dataset).concat()
}

pub(crate) fn texts(step: &Arc<StepContext>, dataset: &Tensor) -> Vec<Result<String, Code>> {
    let text = |e: Result<Vec<Tensor>>| e.map(|t| String::from_utf8(t[0].as_strings().unwrap()[0].to_vec()).unwrap()).map_err(|e| e.code());
    requests(step, dataset, &[DType::String]).into_iter().map(text).collect()
}

pub(crate) fn cardinality(step: &Arc<StepContext>, dataset: &Tensor) -> i64 {
    named("DatasetCardinality").input(dataset.clone()).step(step).run_one().unwrap().to_scalar().unwrap()
}
