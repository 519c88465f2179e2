//! Reading and writing graphs, and refusing malformed ones.

use super::*;
use crate::node::NodeGraph;
use crate::op::{OpRegistry, OpSpec, WORDS};
use ferroflow_proto as pb;
use ferroflow_tensor::{Code, DType, Tensor};
use pb::Message;
use pb::attr_value::{ListValue, Value};
use std::collections::BTreeMap;

const fn op(signature: &'static str, attrs: &'static str) -> OpSpec {
    OpSpec { signature, attrs, ..WORDS }
}

static OPS: [OpSpec; 14] = [
    op("_Arg() -> (output: T)", "T: type; index: int >= 0"),
    op("_Retval(input: T) -> ()", "T: type; index: int >= 0"),
    op("NoOp() -> ()", ""),
    op("Const() -> (output: dtype)", "value: tensor; dtype: type"),
    op("Identity(input: T) -> (output: T)", "T: type"),
    op("AddN(inputs: N * T) -> (sum: T)", "N: int >= 1; T: type"),
    op("Split(split_dim: int32, value: T) -> (output: num_split * T)", "num_split: int >= 1; T: type"),
    op("VariableV2() -> (ref: Ref(dtype))", "shape: shape; dtype: type; container: string = \"\"; shared_name: string = \"\""),
    op("Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T))", "T: type; validate_shape: bool = true; use_locking: bool = true"),
    op("VarHandleOp() -> (resource: resource)", "container: string = \"\"; shared_name: string = \"\"; dtype: type; shape: shape"),
    op("ReadVariableOp(resource: resource) -> (value: dtype)", "dtype: type"),
    op("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type; N: int >= 1"),
    op("NextIteration(data: T) -> (output: T)", "T: type"),
    op("PartitionedCall(args: Tin) -> (output: Tout)", "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = \"\""),
];

fn registry() -> OpRegistry {
    OpRegistry::new(&OPS).unwrap()
}

fn attr(v: Value) -> pb::AttrValue {
    pb::AttrValue { value: Some(v) }
}

fn float() -> pb::AttrValue {
    attr(Value::Type(DType::Float.to_proto()))
}

fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, pb::AttrValue)]) -> pb::NodeDef {
    pb::NodeDef {
        name: name.into(),
        op: op.into(),
        input: inputs.iter().map(|s| s.to_string()).collect(),
        attr: attrs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect(),
        ..Default::default()
    }
}

fn scalar(name: &str, value: f32) -> pb::NodeDef {
    let t = ferroflow_tensor::to_proto(&Tensor::scalar(value)).unwrap();
    node(name, "Const", &[], &[("dtype", float()), ("value", attr(Value::Tensor(t)))])
}

fn identity(name: &str, input: &str) -> pb::NodeDef {
    node(name, "Identity", &[input], &[("T", float())])
}

fn graph(nodes: Vec<pb::NodeDef>) -> pb::GraphDef {
    pb::GraphDef { node: nodes, ..Default::default() }
}

fn read(nodes: Vec<pb::NodeDef>) -> ferroflow_tensor::Result<NodeGraph> {
    from_graph_def(&graph(nodes), &registry())
}

fn refused(nodes: Vec<pb::NodeDef>) -> String {
    match read(nodes) {
        Ok(_) => panic!("a malformed graph was accepted"),
        Err(e) => e.message(),
    }
}

/// `twice(x) = x + x`, with everything that a function can have.
fn twice() -> pb::FunctionDef {
    let arg = |name: &str| pb::op_def::ArgDef { name: name.into(), type_attr: "T".into(), ..Default::default() };
    let t = pb::op_def::AttrDef { name: "T".into(), r#type: "type".into(), ..Default::default() };
    let signature = pb::OpDef {
        name: "twice".into(),
        input_arg: vec![arg("x")],
        output_arg: vec![arg("y")],
        attr: vec![t],
        is_stateful: true,
        control_output: vec!["done".into()],
        ..Default::default()
    };
    let attrs = [("T", attr(Value::Placeholder("T".into()))), ("N", attr(Value::I(2)))];
    pb::FunctionDef {
        signature: Some(signature),
        node_def: vec![node("sum", "AddN", &["x", "x"], &attrs), node("end", "NoOp", &["^sum"], &[])],
        ret: BTreeMap::from([("y".into(), "sum:sum:0".into())]),
        control_ret: BTreeMap::from([("done".into(), "end".into())]),
        attr: BTreeMap::from([("_noinline".into(), attr(Value::B(true)))]),
        ..Default::default()
    }
}

fn rich() -> pb::GraphDef {
    let shape = |dims: &[i64]| pb::TensorShapeProto {
        dim: dims.iter().map(|&size| pb::tensor_shape_proto::Dim { size, ..Default::default() }).collect(),
        unknown_rank: false,
    };
    let types = || attr(Value::List(ListValue { r#type: vec![1], ..Default::default() }));
    let func = pb::NameAttrList { name: "twice".into(), attr: BTreeMap::from([("T".into(), float())]) };
    let class = ListValue { s: vec!["loc:@v".into()], ..Default::default() };
    let shapes =
        ListValue { shape: vec![shape(&[2, -1]), pb::TensorShapeProto { unknown_rank: true, ..Default::default() }], ..Default::default() };
    let mut nodes = vec![
        node(
            "v",
            "VariableV2",
            &[],
            &[("dtype", float()), ("shape", attr(Value::Shape(shape(&[])))), ("shared_name", attr(Value::S("s".into())))],
        ),
        scalar("one", 1.0),
        node("v/Assign", "Assign", &["v", "one", "^h"], &[("T", float()), ("_class", attr(Value::List(class)))]),
        node("h", "VarHandleOp", &[], &[("dtype", float()), ("shape", attr(Value::Shape(shape(&[3]))))]),
        node("h/read", "ReadVariableOp", &["h"], &[("dtype", float()), ("_output_shapes", attr(Value::List(shapes)))]),
        node("call", "PartitionedCall", &["one"], &[("Tin", types()), ("Tout", types()), ("f", attr(Value::Func(func)))]),
        node("direct", "twice", &["one"], &[("T", float())]),
        node(
            "none",
            "PartitionedCall",
            &[],
            &[
                ("Tin", attr(Value::List(ListValue::default()))),
                ("Tout", attr(Value::List(ListValue::default()))),
                ("f", attr(Value::Func(pb::NameAttrList { name: "twice".into(), ..Default::default() }))),
            ],
        ),
    ];
    nodes[0].device = "/job:ps/task:0".into();
    pb::GraphDef {
        node: nodes,
        library: Some(pb::FunctionDefLibrary {
            function: vec![twice()],
            gradient: vec![pb::GradientDef { function_name: "twice".into(), gradient_func: "twice".into() }],
            ..Default::default()
        }),
        versions: Some(pb::VersionDef { producer: 134, min_consumer: 12, bad_consumers: vec![7] }),
        ..Default::default()
    }
}

#[test]
fn what_is_read_is_written_again() {
    let registry = registry();
    let first = to_graph_def(&from_graph_def(&rich(), &registry).unwrap(), &ToGraphDefOptions::default()).unwrap();
    let mut want = rich();
    // Defaults are filled in; everything else stays.
    for n in &mut want.node {
        for a in &registry.get(&n.op).map(|op| op.def.attrs.clone()).unwrap_or_default() {
            if let Some(d) = &a.default {
                n.attr.entry(a.name.clone()).or_insert_with(|| attr_to_proto(d).unwrap());
            }
        }
    }
    assert_eq!(first, want);
    let second = to_graph_def(&from_graph_def(&first, &registry).unwrap(), &ToGraphDefOptions::default()).unwrap();
    assert_eq!(second, first);
}

#[test]
fn a_call_by_function_name_has_the_types_of_the_signature() {
    let g = from_graph_def(&rich(), &registry()).unwrap();
    let call = &g.node(g.find("direct").unwrap()).info;
    assert!(call.op.is_function_call() && call.op.def.is_stateful);
    assert_eq!((call.input_types.len(), call.output_types.len()), (1, 1));
    assert!(!g.node(g.find("call").unwrap()).info.op.is_function_call());
    let missing = graph(vec![node("direct", "twice", &[], &[])]);
    assert_eq!(from_graph_def(&missing, &registry()).err().unwrap().code(), Code::NotFound);
}

#[test]
fn a_function_built_here_becomes_the_message_that_it_would_have_come_in() {
    let mut f = function_from_proto(&twice()).unwrap();
    f.encoded = Default::default();
    assert_eq!(function_to_proto(&f).unwrap(), twice());
}

#[test]
fn only_functions_that_nodes_reach_are_written_if_asked() {
    let mut def = rich();
    let mut other = twice();
    other.signature.as_mut().unwrap().name = "unused".into();
    def.library.as_mut().unwrap().function.push(other);
    let g = from_graph_def(&def, &registry()).unwrap();
    let count = |only_reachable_functions| {
        let options = ToGraphDefOptions { only_reachable_functions, ..Default::default() };
        to_graph_def(&g, &options).unwrap().library.unwrap().function.len()
    };
    assert_eq!((count(false), count(true)), (2, 1));
}

#[test]
fn loops_may_refer_forwards_and_other_cycles_are_refused() {
    let two = || attr(Value::I(2));
    let g = read(vec![
        scalar("x", 1.0),
        node("merge", "Merge", &["x:0", "next"], &[("T", float()), ("N", two())]),
        identity("body", "merge"),
        node("next", "NextIteration", &["body"], &[("T", float())]),
        node("index", "Identity", &["merge:1"], &[("T", attr(Value::Type(DType::Int32.to_proto())))]),
    ])
    .unwrap();
    let merge = g.node(g.find("merge").unwrap());
    assert_eq!(merge.inputs[1].node, g.find("next").unwrap());
    assert_eq!(g.node(g.find("index").unwrap()).inputs[0].index, 1);
    assert!(refused(vec![scalar("x", 1.0), identity("a", "b"), identity("b", "a"), identity("c", "b")]).contains("3 nodes in a cycle"));
    assert!(refused(vec![node("n", "NoOp", &["^n"], &[])]).contains("1 nodes in a cycle"));
}

#[test]
fn wrong_edges_are_named() {
    assert_eq!(refused(vec![identity("x", "y")]), "Node 'x': Unknown input node 'y'");
    assert_eq!(refused(vec![node("x", "NoOp", &["^y"], &[])]), "Node 'x': Unknown input node '^y'");
    assert!(refused(vec![scalar("a", 1.0), identity("x", "a:-1")]).contains("Unknown input node 'a:-1'"));
    assert!(
        refused(vec![scalar("a", 1.0), identity("x", "a:7")])
            .contains("Connecting to invalid output 7 of source node a which has 1 outputs.")
    );
    assert!(refused(vec![scalar("a", 1.0), identity("x", "a:4294967296")]).contains("output index too large"));
    assert!(refused(vec![scalar("a", 1.0), node("x", "NoOp", &["^a:0"], &[])]).contains("Unknown input node '^a:0'"));
    let late = node("x", "Identity", &["^a", "a"], &[("T", float())]);
    assert!(refused(vec![scalar("a", 1.0), late]).contains("Control dependencies must come after regular dependencies"));
    let many = node("x", "Identity", &["a", "a"], &[("T", float())]);
    assert!(refused(vec![scalar("a", 1.0), many]).contains("do not match 2 inputs specified"));
    let int = node("x", "Identity", &["a"], &[("T", attr(Value::Type(3)))]);
    assert!(refused(vec![scalar("a", 1.0), int]).contains("was passed float from a:0 incompatible with expected int32"));
    let assign = node("x", "Assign", &["a", "a"], &[("T", float())]);
    assert!(refused(vec![scalar("a", 1.0), assign]).contains("incompatible with expected float_ref"));
}

#[test]
fn wrong_names_ops_and_attributes_are_named() {
    assert_eq!(refused(vec![scalar("a", 1.0), scalar("a", 1.0)]), "Node 'a' is not unique");
    for bad in ["", "a b", "-a", "a:0", "^a", "ä"] {
        assert!(refused(vec![scalar(bad, 1.0)]).contains("Node name contains invalid characters"), "{bad}");
    }
    assert!(refused(vec![node("x", "FooBar", &[], &[])]).starts_with("Op type not registered 'FooBar' in binary running on"));
    assert!(refused(vec![node("x", "Identity", &[], &[])]).contains("NodeDef missing attr 'T' from Op<name=Identity>"));
    assert!(refused(vec![node("x", "NoOp", &[], &[("k", attr(Value::I(1)))])]).contains("NodeDef mentions attr 'k' not in Op<name=NoOp>"));
    assert!(
        refused(vec![node("x", "VarHandleOp", &[], &[("dtype", pb::AttrValue { value: None })])])
            .contains("attr 'dtype': AttrValue missing value")
    );
    let mixed = ListValue { i: vec![1], f: vec![1.0], ..Default::default() };
    assert!(refused(vec![node("x", "NoOp", &[], &[("k", attr(Value::List(mixed)))])]).contains("values of several types"));
    // Hints of others that we cannot read are dropped.
    let g = read(vec![node("x", "NoOp", &[], &[("_hint", attr(Value::Type(999))), ("_b", pb::AttrValue { value: None })])]).unwrap();
    assert!(g.nodes()[0].info.attrs.is_empty());
}

#[test]
fn internal_names_are_for_workers_only() {
    let def = graph(vec![node("_x", "NoOp", &[], &[])]);
    assert!(from_graph_def_with(&def, &registry(), FromGraphDefOptions::CLIENT).is_err());
    assert!(from_graph_def_with(&def, &registry(), FromGraphDefOptions::WORKER).is_ok());
}

#[test]
fn devices_are_requested_by_clients_and_assigned_by_masters() {
    let mut def = graph(vec![node("x", "NoOp", &[], &[])]);
    def.node[0].device = "/job:ps/replica:0/task:0/device:CPU:0".into();
    let client = from_graph_def_with(&def, &registry(), FromGraphDefOptions::CLIENT).unwrap();
    assert_eq!((&*client.nodes()[0].requested_device, &*client.nodes()[0].assigned_device), (def.node[0].device.as_str(), ""));
    let mut worker = from_graph_def_with(&def, &registry(), FromGraphDefOptions::WORKER).unwrap();
    assert_eq!(&*worker.nodes()[0].assigned_device, def.node[0].device);
    worker.node_mut(crate::NodeId(0)).requested_device = "/job:ps".into();
    let device = |requested_devices| {
        to_graph_def(&worker, &ToGraphDefOptions { requested_devices, ..Default::default() }).unwrap().node[0].device.clone()
    };
    assert_eq!((device(true).as_str(), device(false)), ("/job:ps", def.node[0].device.clone()));
}

#[test]
fn graphs_of_the_future_are_refused_in_the_words_of_tensorflow() {
    let read = |versions| from_graph_def(&pb::GraphDef { versions: Some(versions), ..Default::default() }, &registry());
    let e = read(pb::VersionDef { min_consumer: 9000, ..Default::default() }).err().unwrap();
    assert_eq!(
        e.message(),
        "GraphDef min consumer version 9000 above current version 2474 for TensorFlow 2.21.0.  Please upgrade TensorFlow."
    );
    assert!(read(pb::VersionDef { bad_consumers: vec![2474], ..Default::default() }).is_err());
    assert!(read(pb::VersionDef { producer: -1, ..Default::default() }).is_err());
    assert!(read(pb::VersionDef { producer: 9999, ..Default::default() }).is_ok());
}

#[test]
fn extending_adds_nodes_or_changes_nothing() {
    let registry = registry();
    let mut g = from_graph_def(&rich(), &registry).unwrap();
    let n = g.len();
    let e = extend(&mut g, &graph(vec![scalar("new", 1.0), scalar("one", 1.0)]), &registry, FromGraphDefOptions::CLIENT).unwrap_err();
    assert_eq!(
        e.message(),
        "GraphDef argument to Extend includes node 'one', which was created by a previous call to Create or Extend in this session."
    );
    assert!(extend(&mut g, &graph(vec![scalar("new", 1.0), identity("bad", "nope")]), &registry, FromGraphDefOptions::CLIENT).is_err());
    assert_eq!((g.len(), g.find("new")), (n, None));
    let mut more = graph(vec![identity("new", "one")]);
    more.library = rich().library;
    extend(&mut g, &more, &registry, FromGraphDefOptions::CLIENT).unwrap();
    assert_eq!((g.len(), g.versions.producer), (n + 1, 134));
    let f = &mut more.library.as_mut().unwrap().function[0];
    f.node_def.pop();
    more.node.clear();
    let e = extend(&mut g, &more, &registry, FromGraphDefOptions::CLIENT).unwrap_err();
    assert_eq!(e.message(), "Cannot add function 'twice' because a different function with the same name already exists.");
}

#[test]
fn small_messages_cannot_stand_for_huge_memory() {
    let huge = |dims: &[i64]| {
        let dim = dims.iter().map(|&size| pb::tensor_shape_proto::Dim { size, ..Default::default() }).collect();
        let t = pb::TensorProto {
            dtype: 1,
            tensor_shape: Some(pb::TensorShapeProto { dim, unknown_rank: false }),
            float_val: vec![1.0],
            ..Default::default()
        };
        read(vec![node("x", "Const", &[], &[("dtype", float()), ("value", attr(Value::Tensor(t)))])]).err().unwrap()
    };
    assert_eq!(huge(&[1 << 40]).code(), Code::ResourceExhausted);
    assert_eq!(huge(&[1 << 31, 1 << 31, 1 << 31]).code(), Code::InvalidArgument);
    assert_eq!(huge(&[-1]).code(), Code::InvalidArgument);
    let split = |i: usize| {
        let attrs = [("T", float()), ("num_split", attr(Value::I(1 << 20)))];
        node(&format!("s{i}"), "Split", &["axis", "x"], &attrs)
    };
    assert_eq!(read((0..20).map(split).collect()).err().unwrap().code(), Code::ResourceExhausted);
    let mut nested = pb::NameAttrList::default();
    for _ in 0..100 {
        nested = pb::NameAttrList { name: "f".into(), attr: BTreeMap::from([("g".into(), attr(Value::Func(nested)))]) };
    }
    assert!(refused(vec![node("x", "NoOp", &[], &[("f", attr(Value::Func(nested)))])]).contains("nested too deeply"));
}

#[test]
fn damaged_bytes_never_panic() {
    let registry = registry();
    let good = rich().encode_to_vec();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let (mut parsed, mut accepted, mut bodies) = (0, 0, 0);
    for round in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..1 + round % 4 {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] ^= 1 << random(8),
                _ => drop(bytes.remove(at)),
            }
        }
        let Ok(def) = pb::GraphDef::decode(bytes.as_slice()) else { continue };
        parsed += 1;
        if let Ok(g) = from_graph_def(&def, &registry) {
            accepted += 1;
            to_graph_def(&g, &ToGraphDefOptions::default()).unwrap();
            let attrs = [("T".to_owned(), DType::Float.into())].into_iter().collect();
            for f in g.library.iter() {
                bodies += crate::instantiate(f, &attrs, &g.library, &registry).is_ok() as u32;
                g.library.recursion(&f.signature.name);
            }
        }
    }
    assert!(parsed > 1000 && accepted > 100 && bodies > 100, "too much damage: {parsed} parsed, {accepted} accepted, {bodies} bodies");
}

#[test]
fn a_long_chain_is_read_without_recursion() {
    let mut nodes = vec![scalar("n0", 1.0)];
    nodes.extend((1..50_000).map(|i| identity(&format!("n{i}"), &format!("n{}", i - 1))));
    nodes.reverse();
    assert_eq!(read(nodes).unwrap().len(), 50_000);
}
