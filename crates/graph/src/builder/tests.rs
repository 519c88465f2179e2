//! Building graphs: names, scopes, operators, collections, seeds, what is known ahead, import.

use super::*;
use crate::attr::AttrValue;
use crate::node::NodeGraph;
use crate::test_ops::graph;
use ferroflow_tensor::{Code, DeviceSpec};

fn float(g: &Graph, dims: &[Option<i64>]) -> Output {
    g.placeholder(DType::Float, PartialShape::new(dims))
}

fn value(o: &Output) -> Option<Vec<i64>> {
    let state = o.graph().state();
    state.known[o.op().id().index()].constant.as_ref().and_then(|t| t.to_i64s().ok()).map(|v| v.to_vec())
}

#[test]
fn names_are_made_unique_as_tensorflow_does() {
    let g = graph();
    let names = ["x", "x_1", "X", "x", "x", "y/z", "y/z", "a_1", "a", "a", "a"].map(|n| g.unique_name(n));
    assert_eq!(names, ["x", "x_1", "X_2", "x_3", "x_4", "y/z", "y/z_1", "a_1", "a", "a_2", "a_3"]);
}

#[test]
fn scopes_count_as_names_and_can_be_entered_again() {
    let g = graph();
    let name = |op: &str| g.op("NoOp").name(op).build().name();
    assert_eq!(name("s"), "s");
    g.name_scope("s", || {
        assert_eq!(name("n"), "s_1/n");
        g.name_scope("t", || assert_eq!(name("n"), "s_1/t/n"));
        g.name_scope("s_1/", || assert_eq!(name("n"), "s_1/n_1"));
        g.name_scope("", || assert_eq!(name("n"), "n"));
    });
    g.named_scope("u", |scope| assert_eq!(name(scope), "u"));
    assert_eq!(name("u"), "u_1");
    g.check().unwrap();
}

#[test]
fn operators_take_numbers_of_the_type_of_the_output_beside_them() {
    let g = graph();
    let x = float(&g, &[Some(2)]);
    let i = g.placeholder(DType::Int64, PartialShape::scalar());
    let sum = &x + 1;
    assert_eq!((sum.name(), sum.dtype(), sum.op().input(1).name()), ("add:0".into(), DType::Float, "add/y:0".into()));
    let difference = 2.5 - &x;
    assert_eq!((difference.name(), difference.op().input(0).name()), ("sub:0".into(), "sub/x:0".into()));
    assert_eq!((&x * &x).name(), "mul:0");
    assert_eq!((&i * 3i32).dtype(), DType::Int64);
    assert_eq!((&i / 2).dtype(), DType::Double);
    assert_eq!((x.clone() / 2f32).dtype(), DType::Float);
    assert_eq!((-(x.clone() + x.clone())).op().op_name(), "Neg");
    assert_eq!(sum.shape(), PartialShape::new(&[Some(2)]));
    g.check().unwrap();
    for (dtype, number, good) in [
        (DType::UInt8, 255.0, true),
        (DType::UInt8, 256.0, false),
        (DType::Int32, 0.5, false),
        (DType::Half, 0.5, true),
        (DType::String, 1.0, false),
    ] {
        assert_eq!(scalar_of(dtype, number).is_ok(), good, "{dtype} {number}");
    }
}

#[test]
fn the_first_error_names_the_line_that_made_it() {
    let here = |line: u32| format!("{}:{line}: ", file!());
    let g = graph();
    let x = float(&g, &[Some(2)]);
    let line = line!() + 1;
    let bad = &x + g.constant_vector(&[1f32, 2.0, 3.0]);
    let _ = bad * 2.0 + 1;
    let e = g.check().unwrap_err();
    assert!(e.message().starts_with(&here(line)) && e.message().contains("Incompatible shapes: [2] vs. [3]"), "{e}");
    let g = graph();
    let i = g.placeholder(DType::Int32, PartialShape::scalar());
    let line = line!() + 1;
    let _ = &i + 0.5;
    assert_eq!(g.check().unwrap_err().message(), format!("{}0.5 is no value of type int32", here(line)));
    // The very first op may fail too, even where no op is registered.
    let g = Graph::with_registry(Arc::new(OpRegistry::new([]).unwrap()));
    let o = g.op("Nothing").output();
    assert_eq!((g.op("Other").input(&o).build().name(), g.check().unwrap_err().code()), ("error".into(), Code::NotFound));
    assert!(g.snapshot().is_err() && g.to_graph_def().is_err());
}

#[test]
fn a_collection_keeps_names_in_order() {
    let g = graph();
    let (a, b) = (g.constant(1f32), g.op("NoOp").name("b").build());
    g.add_to_collections([keys::LOSSES, "mine"], &a);
    g.add_to_collection("mine", &b);
    assert_eq!(g.get_collection("mine"), ["Const:0", "b"]);
    assert_eq!(g.collection_operations("mine").unwrap(), [a.op().clone(), b]);
    assert_eq!(g.collection_outputs(keys::LOSSES).unwrap(), [a]);
    assert!(g.collection_outputs("mine").is_err());
    g.add_to_collection("mine", "gone:0");
    assert_eq!(g.collection_operations("mine").unwrap_err().code(), Code::NotFound);
    assert_eq!(g.collections(), [keys::LOSSES, "mine"]);
    g.clear_collection("mine");
    assert!(g.get_collection("mine").is_empty());
}

#[test]
fn seeds_follow_the_rules_of_tensorflow() {
    let seeds = |graph_seed: Option<i64>, op_seed: Option<i64>| {
        let g = graph();
        if let Some(seed) = graph_seed {
            g.set_seed(seed);
        }
        let random = || {
            let b = g.op("RandomUniform").input(g.constant_vector(&[2i32])).attr("dtype", DType::Float);
            let b = if let Some(seed) = op_seed { b.attr("seed", seed) } else { b };
            b.build().with_attrs(|a| (a.int("seed").unwrap(), a.int("seed2").unwrap()))
        };
        (random(), random())
    };
    assert_eq!(seeds(None, None), ((0, 0), (0, 0)));
    assert_eq!(seeds(Some(7), None), ((7, 0), (7, 1)));
    assert_eq!(seeds(None, Some(3)), ((87654321, 3), (87654321, 3)));
    assert_eq!(seeds(Some(7), Some(3)), ((7, 3), (7, 3)));
    assert_eq!(seeds(Some(0), None), ((0, i32::MAX as i64), (0, 1)));
}

#[test]
fn shapes_that_the_graph_computes_are_known_ahead() {
    let g = graph();
    let x = float(&g, &[None, Some(6)]);
    let shape = g.op("Shape").input(&x).output();
    let one = |v: i32| g.constant_vector(&[v]);
    let slice = |from: &Output, b: i32, e: i32, shrink: i64| {
        g.op("StridedSlice").input(from).inputs([one(b), one(e), one(1)]).attr("shrink_axis_mask", shrink).output()
    };
    let columns = slice(&shape, 1, 2, 1);
    assert_eq!(value(&columns), Some(vec![6]));
    assert_eq!(value(&slice(&shape, 0, 1, 1)), None);
    let doubled = &columns * 2;
    let pack = g.op("Pack").input_list([slice(&shape, 0, 1, 1), doubled.clone()]).output();
    let zeros = |dims: &Output| g.op("Fill").inputs([dims.clone(), g.constant(0f32)]).output().shape();
    assert_eq!(zeros(&pack), PartialShape::new(&[None, Some(12)]));
    let tail = slice(&shape, -1, 9, 0);
    let joined = g.op("ConcatV2").input_list([pack.clone(), tail]).input(g.constant(0i32)).output();
    assert_eq!(zeros(&joined), PartialShape::new(&[None, Some(12), Some(6)]));
    let range = g.op("Range").inputs([g.constant(5i32), g.constant(-1i32), g.constant(-2i32)]).output();
    assert_eq!(value(&range), Some(vec![5, 3, 1]));
    assert_eq!(value(&g.op("Range").inputs([g.constant(0i32), g.constant(i32::MAX), g.constant(1i32)]).output()), None);
    assert_eq!(value(&g.op("Range").inputs([g.constant(0i32), g.constant(3i32), g.constant(0i32)]).output()), None);
    assert_eq!(value(&g.op("Size").input(float(&g, &[Some(2), Some(3)])).output()), Some(vec![6]));
    assert_eq!(value(&g.op("Rank").input(&x).output()), Some(vec![2]));
    let backwards = g.op("StridedSlice").input(&range).inputs([one(0), one(0), one(-1)]).attr("begin_mask", 1i64).attr("end_mask", 1i64);
    assert_eq!(value(&backwards.output()), Some(vec![1, 3, 5]));
    g.check().unwrap();
}

#[test]
fn a_graph_is_imported_under_a_prefix() {
    let g = graph();
    let x = g.constant(1f32);
    g.op("Identity").name("y").input(&x).colocate_with(x.op()).device(DeviceSpec::parse("/job:ps").unwrap()).build();
    let nodes = g.snapshot().unwrap();
    let into = graph();
    let twice = |prefix| into.import(&nodes, prefix).map(|ops| ops[1].clone());
    let (a, b) = (twice("").unwrap(), twice("in").unwrap());
    assert_eq!((a.name(), b.name(), twice("in").unwrap().name()), ("y".into(), "in/y".into(), "in_1/y".into()));
    let class = |op: &Operation| op.with_attrs(|a| a.strs("_class").unwrap().to_vec());
    assert_eq!((class(&a), class(&b)), (vec!["loc:@Const".into()], vec!["loc:@in/Const".into()]));
    assert_eq!(b.input(0).name(), "in/Const:0");
    assert_eq!(b.output(0).shape(), PartialShape::scalar());
    assert_eq!(twice("").unwrap_err().message(), "Node name 'Const' already exists in the Graph");
    // Imported names are taken.
    assert_eq!(into.op("NoOp").name("y").build().name(), "y_1");
    into.check().unwrap();
}

#[test]
fn loops_are_closed_later_and_survive_import() {
    let g = graph();
    let start = g.constant(0f32);
    let merge = g.op("Merge").input_list([start.clone(), start.clone()]).build();
    let next = g.op("NextIteration").input(merge.output(0)).output();
    merge.update_input(1, &next).unwrap();
    assert!(merge.update_input(2, &next).is_err());
    assert!(merge.update_input(1, &g.constant(1i32)).is_err());
    assert!(merge.update_input(1, &graph().constant(1f32)).is_err());
    let mut nodes = NodeGraph::new();
    let snapshot = g.snapshot().unwrap();
    snapshot.validate().unwrap();
    // The loop's nodes in reverse: every edge leads forwards.
    let last = snapshot.len() as u32 - 1;
    for node in snapshot.nodes().iter().rev() {
        let mut node = node.clone();
        node.inputs.iter_mut().for_each(|e| e.node = NodeId(last - e.node.0));
        nodes.add(node).unwrap();
    }
    let into = graph();
    let ops = into.import(&nodes, "").unwrap();
    let merge = ops.iter().find(|o| o.op_name() == "Merge").unwrap();
    assert_eq!((merge.input(0).name(), merge.input(1).name()), ("Const:0".into(), "NextIteration:0".into()));
    assert_eq!(into.snapshot().unwrap().len(), snapshot.len());
}

#[test]
fn control_inputs_stay_in_one_graph() {
    let g = graph();
    let (a, b) = (g.op("NoOp").build(), g.op("NoOp").build());
    b.add_control_input(&a).unwrap();
    b.add_control_input(&a).unwrap();
    assert_eq!(b.node().control_inputs, [a.id()]);
    assert!(b.add_control_input(&graph().op("NoOp").build()).is_err());
}

#[test]
fn a_function_of_the_library_is_an_op() {
    let g = graph();
    let signature = crate::OpDef::parse("half(x: float) -> (y: float)", "", "").unwrap();
    g.add_function(crate::FunctionDef { signature, ..Default::default() }).unwrap();
    let call = g.op("half").input(g.constant(1f32)).build();
    assert_eq!((call.num_outputs(), call.name()), (1, "half".into()));
    let def = g.to_graph_def().unwrap();
    assert_eq!((def.library.unwrap().function.len(), def.versions.unwrap().producer), (1, 2474));
}

#[test]
fn attributes_can_be_placeholders_only_in_functions() {
    let g = graph();
    g.op("Placeholder").attr("dtype", AttrValue::Placeholder("T".into())).build();
    assert!(g.check().unwrap_err().message().contains("'placeholder' when 'type' expected"));
}
