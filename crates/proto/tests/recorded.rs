//! Messages that TensorFlow 2.21 wrote (see `recorded/record.py`): read, compared, and written back whole.

use bytes::Bytes;
use ferroflow_proto::attr_value::Value;
use ferroflow_proto::*;

const META_GRAPH: &[u8] = include_bytes!("recorded/meta_graph.pb");
const RUN_METADATA: &[u8] = include_bytes!("recorded/run_metadata.pb");
const EVENT: &[u8] = include_bytes!("recorded/event.pb");
const SERVER_DEF: &[u8] = include_bytes!("recorded/server_def.pb");

fn meta_graph() -> MetaGraphDef {
    MetaGraphDef::decode(META_GRAPH).unwrap()
}

fn node<'g>(graph: &'g GraphDef, name: &str) -> &'g NodeDef {
    graph.node.iter().find(|node| node.name == name).unwrap_or_else(|| panic!("no node {name}"))
}

/// Panics unless `bytes` decode to a message that encodes to as many bytes: then no field was dropped.
///
/// TensorFlow writes the keys and values of map entries even if they are 0, prost does not; readers see no difference.
/// `zeros_in_maps` counts them, 2 bytes each.
fn assert_nothing_is_dropped<M: Message + Default + PartialEq>(bytes: &[u8], zeros_in_maps: usize) {
    let message = M::decode(bytes).unwrap();
    let written = message.encode_to_vec();
    assert_eq!(written.len() + 2 * zeros_in_maps, bytes.len());
    assert!(M::decode(&written[..]).unwrap() == message);
    assert!(zeros_in_maps > 0 || written == bytes, "as long, but not the same");
}

#[test]
fn a_server_definition_is_written_back_whole() {
    assert_nothing_is_dropped::<ServerDef>(SERVER_DEF, 1);
}

#[test]
fn an_event_is_written_back_byte_for_byte() {
    assert_nothing_is_dropped::<Event>(EVENT, 0);
}

#[test]
fn the_metadata_of_a_traced_run_is_written_back_byte_for_byte() {
    assert_nothing_is_dropped::<RunMetadata>(RUN_METADATA, 0);
}

#[test]
fn a_meta_graph_with_functions_loops_and_partitions_is_written_back_whole() {
    assert_nothing_is_dropped::<MetaGraphDef>(META_GRAPH, 1);
}

#[test]
fn a_recorded_node_has_its_device_inputs_and_attributes() {
    let graph = meta_graph().graph_def.unwrap();
    let variable = node(&graph, "w");
    assert_eq!((variable.op.as_str(), variable.device.as_str()), ("VariableV2", "/job:ps/task:0"));
    let product = node(&graph, "y");
    assert_eq!(product.input, ["x", "w/read", "^w/Assign"]);
    assert_eq!(product.attr["T"].value, Some(Value::Type(DataType::DtFloat.into())));
    assert_eq!(product.attr["transpose_a"].value, Some(Value::B(false)));
    let Some(Value::Tensor(words)) = &node(&graph, "words").attr["value"].value else { panic!("words is no tensor") };
    assert_eq!(words.string_val, [Bytes::from("ab"), Bytes::new(), Bytes::from("hello")]);
    let Some(Value::Shape(shape)) = &node(&graph, "x").attr["shape"].value else { panic!("x has no shape") };
    assert_eq!(shape.dim.iter().map(|dim| dim.size).collect::<Vec<_>>(), [-1, 2]);
}

#[test]
fn a_recorded_function_has_a_signature_a_body_and_a_result() {
    let library = meta_graph().graph_def.unwrap().library.unwrap();
    let twice = library.function.iter().find(|function| function.signature.as_ref().unwrap().name.contains("twice")).unwrap();
    let signature = twice.signature.as_ref().unwrap();
    assert_eq!((signature.input_arg.len(), signature.output_arg.len()), (1, 1));
    let result = &twice.ret[&signature.output_arg[0].name];
    let producer = result.split(':').next().unwrap();
    assert!(twice.node_def.iter().any(|node| node.name == producer), "{result} names no node");
}

#[test]
fn the_collections_of_a_meta_graph_hold_variables_and_queue_runners() {
    let meta = meta_graph();
    let members = |name: &str| match meta.collection_def[name].kind.clone() {
        Some(collection_def::Kind::BytesList(list)) => list.value,
        other => panic!("{name} is {other:?}"),
    };
    let variables: Vec<_> = members("variables").into_iter().map(|bytes| VariableDef::decode(bytes).unwrap()).collect();
    assert_eq!(variables.iter().map(|v| v.variable_name.as_str()).collect::<Vec<_>>(), ["w:0", "p/part_0:0", "p/part_1:0"]);
    let slice = variables[2].save_slice_info_def.as_ref().unwrap();
    assert_eq!((slice.full_name.as_str(), &slice.full_shape[..], &slice.var_offset[..]), ("p", &[4, 2][..], &[2, 0][..]));
    assert!(variables[2].is_resource && !variables[0].is_resource);
    let runner = QueueRunnerDef::decode(members("queue_runners").remove(0)).unwrap();
    assert_eq!(runner.queue_name, "files");
    let loops: Vec<_> = members("while_context").into_iter().map(|bytes| WhileContextDef::decode(bytes).unwrap()).collect();
    assert_eq!((loops.len(), loops[0].parallel_iterations), (1, 10));
    assert_eq!(meta.signature_def["serving_default"].method_name, "tensorflow/serving/predict");
    assert!(meta.saver_def.unwrap().sharded);
}

#[test]
fn a_recorded_event_has_a_zero_scalar_and_a_histogram() {
    let event = Event::decode(EVENT).unwrap();
    assert_eq!((event.wall_time, event.step), (1.5, 7));
    let Some(event::What::Summary(summary)) = event.what else { panic!("no summary") };
    let value = |tag: &str| summary.value.iter().find(|value| value.tag == tag).unwrap().value.clone().unwrap();
    assert_eq!(value("zero"), summary::value::Value::SimpleValue(0.0));
    let summary::value::Value::Histo(histogram) = value("values") else { panic!("no histogram") };
    assert_eq!((histogram.num, histogram.min, histogram.max), (4.0, 7.0, 22.0));
    assert_eq!(histogram.bucket.iter().sum::<f64>(), 4.0);
    assert_eq!(histogram.bucket.len(), histogram.bucket_limit.len());
}

#[test]
fn a_recorded_cluster_is_sparse_and_its_configuration_is_read() {
    let server = ServerDef::decode(SERVER_DEF).unwrap();
    let jobs = server.cluster.unwrap().job;
    let worker = jobs.iter().find(|job| job.name == "worker").unwrap();
    assert_eq!(worker.tasks.iter().map(|(&task, address)| (task, address.as_str())).collect::<Vec<_>>(), [(1, "h1:2222"), (5, "h5:2222")]);
    let config = server.default_session_config.unwrap();
    assert_eq!(config.device_count["CPU"], 2);
    assert_eq!(config.graph_options.unwrap().optimizer_options.unwrap().opt_level(), optimizer_options::Level::L0);
    assert!(config.experimental.unwrap().disable_optimize_for_static_graph);
}

#[test]
fn every_cut_of_a_recorded_message_is_a_message_or_an_error() {
    let whole = meta_graph();
    for length in (0..META_GRAPH.len()).step_by(31) {
        if let Ok(part) = MetaGraphDef::decode(&META_GRAPH[..length]) {
            assert_ne!(part, whole);
        }
    }
}

#[test]
fn a_flipped_bit_never_panics() {
    let mut bytes = META_GRAPH.to_vec();
    let mut errors = 0;
    for at in (0..bytes.len()).step_by(101) {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            errors += usize::from(MetaGraphDef::decode(&bytes[..]).is_err());
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(errors > 0, "some flips break the framing");
}
