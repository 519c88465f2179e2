//! Datasets and iterators, op by op: what pipelines yield, in which order, and what is refused.

mod pipeline;

use ferroflow_graph::kernel::{AsyncOpContext, FrameAndIter, KernelConstruction, StepContext, Value};
use ferroflow_graph::op::KernelFactory;
use ferroflow_graph::{AttrMap, AttrValue, FuncAttr, NodeInfo};
use ferroflow_io::RecordWriter;
use ferroflow_ops::testing::{strings, tensor};
use ferroflow_tensor::error::cancelled;
use ferroflow_tensor::{Code, DType, PartialShape, Tensor};
use pipeline::{
    REGISTRY, cardinality, dataset, f, flat, int, iterator, named, next, number, numbers, range, requests, start, step, texts, typed,
};
use std::sync::{Arc, mpsc};
use std::time::Duration;

#[test]
fn elements_are_taken_skipped_repeated_and_cut_into_shards() {
    let step = step();
    let of = |op: &str, inputs: &[i64]| {
        let inputs = [range(0, 5)].into_iter().chain(inputs.iter().map(|&x| int(x))).collect();
        let made = dataset(op, &step, inputs, &[]).unwrap();
        let elements = flat(&step, &made);
        assert_eq!(cardinality(&step, &made), elements.len() as i64, "{op}");
        elements
    };
    assert_eq!(of("TakeDataset", &[2]), [0, 1]);
    assert_eq!(of("TakeDataset", &[-1]), [0, 1, 2, 3, 4]);
    assert_eq!(of("SkipDataset", &[3]), [3, 4]);
    assert_eq!(of("SkipDataset", &[-1]), [0i64; 0]);
    assert_eq!(of("RepeatDataset", &[2]), [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    assert_eq!(of("ShardDataset", &[2, 1]), [1, 3]);
    assert_eq!(of("PrefetchDataset", &[2]), [0, 1, 2, 3, 4]);
    let forever = dataset("RepeatDataset", &step, vec![range(0, 3), int(-1)], &[]).unwrap();
    assert_eq!(cardinality(&step, &forever), -1);
    assert_eq!(flat(&step, &dataset("TakeDataset", &step, vec![forever, int(7)], &[]).unwrap()), [0, 1, 2, 0, 1, 2, 0]);
    assert_eq!(flat(&step, &dataset("RepeatDataset", &step, vec![range(0, 0), int(-1)], &[]).unwrap()), [0i64; 0]);
}

#[test]
fn batches_have_equal_elements_unless_they_are_padded() {
    let step = step();
    let batch = |drop: bool| dataset("BatchDatasetV2", &step, vec![range(0, 5), int(2), Tensor::scalar(drop)], &[]).unwrap();
    assert_eq!(numbers(&step, &batch(false)), [vec![0, 1], vec![2, 3], vec![4]]);
    assert_eq!(numbers(&step, &batch(true)), [[0, 1], [2, 3]]);
    assert_eq!(flat(&step, &dataset("UnbatchDataset", &step, vec![batch(false)], &[]).unwrap()), [0, 1, 2, 3, 4]);
    let vectors = || dataset("MapDataset", &step, vec![range(1, 4)], &[("f", f("vector_of"))]).unwrap();
    let uneven = dataset("BatchDatasetV2", &step, vec![vectors(), int(2), Tensor::scalar(false)], &[]).unwrap();
    let got = requests(&step, &uneven, &[DType::Int64]);
    assert!(got[0].as_ref().unwrap_err().bare_message().starts_with("Cannot batch tensors with different shapes in component 0."));
    assert!(got[1].is_ok(), "an iterator goes on behind an error");
    let padded = |shape: i64| {
        let inputs = vec![vectors(), int(2), tensor(&[1], &[shape]), int(-7), Tensor::scalar(false)];
        dataset("PaddedBatchDatasetV2", &step, inputs, &[("N", AttrValue::Int(1))]).unwrap()
    };
    assert_eq!(numbers(&step, &padded(-1)), [vec![1, -7, 2, 2], vec![3, 3, 3]]);
    assert_eq!(numbers(&step, &padded(3))[0], [1, -7, -7, 2, 2, -7]);
    let too_small = requests(&step, &padded(1), &[DType::Int64]);
    assert_eq!(too_small[0].as_ref().unwrap_err().code(), Code::DataLoss);
}

#[test]
fn the_order_of_a_shuffle_is_tensorflows() {
    let step = step();
    let shuffle = |n: i64, buffer: i64, reshuffle: bool| {
        let attrs = [("reshuffle_each_iteration", AttrValue::Bool(reshuffle))];
        dataset("ShuffleDataset", &step, vec![range(0, n), int(buffer), int(5), int(7)], &attrs).unwrap()
    };
    // Recorded with seeds 5 and 7: range(10).shuffle(3), then range(7).shuffle(4).repeat(3).
    assert_eq!(flat(&step, &shuffle(10, 3, true)), [0, 2, 1, 3, 4, 7, 6, 5, 8, 9]);
    let epochs = dataset("RepeatDataset", &step, vec![shuffle(7, 4, true), int(3)], &[]).unwrap();
    assert_eq!(flat(&step, &epochs), [3, 1, 4, 5, 2, 6, 0, 2, 0, 1, 6, 3, 5, 4, 3, 4, 0, 2, 6, 5, 1]);
    let fixed = shuffle(10, 4, false);
    assert_eq!(flat(&step, &fixed), flat(&step, &fixed));
    let both = dataset("ShuffleAndRepeatDataset", &step, vec![range(0, 7), int(4), int(5), int(7), int(3)], &[]).unwrap();
    assert_eq!(flat(&step, &both), flat(&step, &epochs_again(&step)));
    let any = dataset("ShuffleDataset", &step, vec![range(0, 50), int(-2), int(0), int(0)], &[]).unwrap();
    let mut sorted = flat(&step, &any);
    assert_ne!(sorted, (0..50).collect::<Vec<_>>());
    sorted.sort_unstable();
    assert_eq!(sorted, (0..50).collect::<Vec<_>>());
}

fn epochs_again(step: &Arc<StepContext>) -> Tensor {
    let shuffled = dataset("ShuffleDataset", step, vec![range(0, 7), int(4), int(5), int(7)], &[]).unwrap();
    dataset("RepeatDataset", step, vec![shuffled, int(3)], &[]).unwrap()
}

#[test]
fn functions_map_filter_and_fold_elements() {
    let step = step();
    let made = |op: &str, inputs: Vec<Tensor>, attrs: &[(&str, AttrValue)]| dataset(op, &step, inputs, attrs).unwrap();
    assert_eq!(flat(&step, &made("MapDataset", vec![range(0, 4)], &[("f", f("double"))])), [0, 2, 4, 6]);
    let captured = [("f", f("plus_captured")), ("Targuments", vec![DType::Int64].into())];
    assert_eq!(flat(&step, &made("MapDataset", vec![range(0, 3), int(10)], &captured)), [10, 11, 12]);
    let parallel = made("ParallelMapDatasetV2", vec![range(0, 6), int(4)], &[("f", f("slow_first"))]);
    assert_eq!(flat(&step, &parallel), [0, 1, 2, 3, 4, 5], "the order is that of the input, whoever is ready first");
    assert_eq!(flat(&step, &made("FilterDataset", vec![range(0, 6)], &[("predicate", f("is_odd"))])), [1, 3, 5]);
    assert_eq!(flat(&step, &made("TakeWhileDataset", vec![range(0, 6)], &[("predicate", f("below_3"))])), [0, 1, 2]);
    let state = [("f", f("sum_and_state")), ("Tstate", vec![DType::Int64].into())];
    assert_eq!(flat(&step, &made("ScanDataset", vec![range(0, 5), int(0)], &state)), [0, 0, 1, 3, 6]);
    let sum = [("f", f("sum")), ("Tstate", vec![DType::Int64].into())];
    assert_eq!(made("ReduceDataset", vec![range(0, 5), int(1)], &sum).to_scalar::<i64>().unwrap(), 11);
    let groups = [
        ("key_func", f("modulo_3")),
        ("reduce_func", f("in_batches")),
        ("window_size_func", f("two")),
        ("Tkey_func_other_arguments", Vec::<DType>::new().into()),
        ("Treduce_func_other_arguments", Vec::<DType>::new().into()),
        ("Twindow_size_func_other_arguments", Vec::<DType>::new().into()),
    ];
    let grouped = numbers(&step, &made("GroupByWindowDataset", vec![range(0, 8)], &groups));
    assert_eq!(grouped, [vec![0, 3], vec![1, 4], vec![2, 5], vec![6], vec![7]]);
}

#[test]
fn datasets_of_elements_come_in_turn() {
    let step = step();
    let interleave = |cycle: i64, block: i64| {
        let made = dataset("InterleaveDataset", &step, vec![range(1, 6), int(cycle), int(block)], &[("f", f("repeated"))]).unwrap();
        flat(&step, &made)
    };
    // Recorded.
    assert_eq!(interleave(1, 1), [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]);
    assert_eq!(interleave(2, 1), [1, 2, 2, 3, 3, 4, 3, 4, 4, 5, 4, 5, 5, 5, 5]);
    assert_eq!(interleave(3, 2), [1, 2, 2, 3, 3, 4, 4, 3, 4, 4, 5, 5, 5, 5, 5]);
    let older = |cycle: i64, block: i64| {
        let inputs = vec![range(1, 6), int(cycle), int(block), int(1), int(1)];
        flat(&step, &dataset("LegacyParallelInterleaveDatasetV2", &step, inputs, &[("f", f("repeated"))]).unwrap())
    };
    assert_eq!(older(3, 2), [1, 2, 2, 3, 3, 4, 4, 3, 4, 5, 5, 4, 5, 5, 5]);
    assert_eq!(older(2, 1), interleave(2, 1));
    let flat_map = dataset("FlatMapDataset", &step, vec![range(1, 4)], &[("f", f("repeated"))]).unwrap();
    assert_eq!(flat(&step, &flat_map), [1, 2, 2, 3, 3, 3]);
    let not_a_dataset = dataset("FlatMapDataset", &step, vec![range(1, 2)], &[("f", f("double"))]).unwrap();
    let handle = iterator(&step, "bad", &[DType::Int64]);
    start(&step, &not_a_dataset, &handle).unwrap();
    assert_eq!(next(&step, &handle, &[DType::Int64]).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn what_fails_is_one_request_and_names_its_node() {
    let step = step();
    for (op, inputs) in [("MapDataset", vec![range(0, 5)]), ("ParallelMapDatasetV2", vec![range(0, 5), int(3)])] {
        let map = dataset(op, &step, inputs, &[("f", f("fail_at_2"))]).unwrap();
        let got = requests(&step, &map, &[DType::Int64]);
        assert_eq!(got.len(), 5);
        let error = got[2].as_ref().unwrap_err();
        assert_eq!((error.code(), error.node()), (Code::InvalidArgument, Some("f/two")));
        let prefetched = dataset("PrefetchDataset", &step, vec![map.clone(), int(2)], &[]).unwrap();
        assert_eq!(requests(&step, &prefetched, &[DType::Int64]).iter().filter(|r| r.is_err()).count(), 1);
        let ignored = dataset("IgnoreErrorsDataset", &step, vec![map], &[]).unwrap();
        assert_eq!(flat(&step, &ignored), [0, 1, 3, 4]);
    }
    let ends = dataset("MapDataset", &step, vec![range(0, 5)], &[("f", f("end_at_2"))]).unwrap();
    let iterator = iterator(&step, "ends", &[DType::Int64]);
    start(&step, &ends, &iterator).unwrap();
    let got: Vec<_> = (0..3).map(|_| next(&step, &iterator, &[DType::Int64])).collect();
    let third = got[2].clone();
    assert_eq!(third.unwrap_err().bare_message(), "End of sequence");
    let truth = dataset("FilterDataset", &step, vec![range(0, 1)], &[("predicate", f("not_a_truth"))]).unwrap();
    start(&step, &truth, &iterator).unwrap();
    let error = next(&step, &iterator, &[DType::Int64]).unwrap_err();
    assert_eq!(error.bare_message(), "Filter predicate `f` must return a scalar bool.");
    let unknown = dataset("MapDataset", &step, vec![range(0, 1)], &[("f", f("nobody"))]).unwrap();
    assert_eq!(start(&step, &unknown, &iterator).unwrap_err().code(), Code::NotFound);
}

#[test]
fn a_request_that_waits_ends_with_its_step_and_the_iterator_lives_on() {
    let made_in = step();
    let waits = dataset("MapDataset", &made_in, vec![range(0, 5)], &[("f", f("never"))]).unwrap();
    let then = dataset("ConcatenateDataset", &made_in, vec![range(7, 8), waits], &[]).unwrap();
    let handle = iterator(&made_in, "it", &[DType::Int64]);
    start(&made_in, &then, &handle).unwrap();
    assert_eq!(number(&next(&made_in, &handle, &[DType::Int64]).unwrap()), 7);
    let mut attrs = AttrMap::new();
    attrs.insert("output_types", vec![DType::Int64]);
    attrs.insert("output_shapes", vec![PartialShape::scalar()]);
    let node = Arc::new(NodeInfo::new("get", REGISTRY.get("IteratorGetNext").unwrap().clone(), attrs).unwrap());
    let construction = KernelConstruction { node: &node, device: &made_in.device, resources: &made_in.resources, functions: None };
    let KernelFactory::Async(build) = node.op.kernel("CPU", &node.attrs).unwrap().factory else { panic!("it may wait") };
    let kernel = build(&construction).unwrap();
    let (sender, receiver) = mpsc::channel();
    let inputs = vec![Value::Tensor(handle.clone())];
    let ctx =
        AsyncOpContext { node: node.clone(), step: made_in.clone(), frame_iter: FrameAndIter::default(), inputs, is_input_dead: false };
    kernel.compute_async(ctx, Box::new(move |result| drop(sender.send(result.map(|_| ())))));
    assert!(receiver.try_recv().is_err());
    made_in.cancellation.cancel(cancelled("enough"));
    let ended = receiver.recv_timeout(Duration::from_secs(30)).expect("a cancelled request ends");
    assert_eq!(ended.unwrap_err().code(), Code::Cancelled);
    let later = Arc::new(StepContext {
        step_id: 2,
        session: made_in.session.clone(),
        device: made_in.device.clone(),
        resources: made_in.resources.clone(),
        step_resources: made_in.step_resources.clone(),
        rendezvous: made_in.rendezvous.clone(),
        cancellation: Arc::default(),
        pool: made_in.pool.clone(),
        functions: made_in.functions.clone(),
    });
    start(&later, &range(3, 4), &handle).unwrap();
    assert_eq!(number(&next(&later, &handle, &[DType::Int64]).unwrap()), 3);
}

#[test]
fn datasets_stand_side_by_side_behind_each_other_and_in_windows() {
    let step = step();
    let two = [("output_types", vec![DType::Int64; 2].into()), ("output_shapes", vec![PartialShape::scalar(); 2].into())];
    let with_n = [two.to_vec(), vec![("N", AttrValue::Int(2))]].concat();
    let zip = dataset("ZipDataset", &step, vec![range(0, 3), range(10, 12)], &with_n).unwrap();
    let pairs = requests(&step, &zip, &[DType::Int64, DType::Int64]);
    assert_eq!(pairs.iter().map(|p| number(&p.as_ref().unwrap()[1..])).collect::<Vec<_>>(), [10, 11]);
    let window = [("output_types", vec![DType::Variant].into())];
    let inputs = vec![range(0, 10), int(3), int(2), int(2), Tensor::scalar(true)];
    let windows = requests(&step, &dataset("WindowDataset", &step, inputs, &window).unwrap(), &[DType::Variant]);
    let windows: Vec<Vec<i64>> = windows.into_iter().map(|w| flat(&step, &w.unwrap()[0])).collect();
    assert_eq!(windows, [[0, 2, 4], [2, 4, 6], [4, 6, 8]]);
    let selector = dataset("TensorSliceDataset", &step, vec![tensor(&[4], &[1i64, 0, 1, 1])], &[]).unwrap();
    let directed = dataset("DirectedInterleaveDataset", &step, vec![selector, range(0, 3), range(5, 7)], &[("N", AttrValue::Int(2))]);
    assert_eq!(flat(&step, &directed.unwrap()), [5, 0, 6]);
    let rows = dataset("TensorSliceDataset", &step, vec![tensor(&[4], &[1i64, 2, 1, 3])], &[]).unwrap();
    assert_eq!(flat(&step, &dataset("UniqueDataset", &step, vec![rows], &[]).unwrap()), [1, 2, 3]);
    let wrong = dataset("AssertCardinalityDataset", &step, vec![range(0, 3), int(4)], &[]).unwrap();
    let handle = iterator(&step, "wrong", &[DType::Int64]);
    start(&step, &wrong, &handle).unwrap();
    let got: Vec<_> = (0..4).map(|_| next(&step, &handle, &[DType::Int64])).collect();
    let last = got[3].clone();
    assert_eq!(last.unwrap_err().code(), Code::FailedPrecondition);
}

#[test]
fn a_cache_is_filled_by_the_first_iterator_that_gets_to_the_end() {
    let step = step();
    let any = dataset("RandomDataset", &step, vec![int(0), int(0)], &[]).unwrap();
    let few = dataset("TakeDataset", &step, vec![any, int(3)], &[]).unwrap();
    let shuffled = dataset("ShuffleDataset", &step, vec![range(0, 20), int(20), int(1), int(2)], &[]).unwrap();
    let cache = dataset("CacheDataset", &step, vec![shuffled.clone(), Tensor::string("")], &[]).unwrap();
    assert_eq!(flat(&step, &cache), flat(&step, &cache));
    assert_ne!(flat(&step, &shuffled), flat(&step, &shuffled));
    assert_eq!(flat(&step, &few).len(), 3);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cache").display().to_string();
    let in_files = dataset("CacheDataset", &step, vec![shuffled, Tensor::string(path.clone())], &[]).unwrap();
    let first = flat(&step, &in_files);
    assert!(dir.path().join("cache.index").exists());
    // Another dataset finds what this one has left there.
    let other = dataset("CacheDataset", &step, vec![range(0, 2), Tensor::string(path)], &[]).unwrap();
    assert_eq!((flat(&step, &in_files), flat(&step, &other)), (first.clone(), first));
}

#[test]
fn files_are_read_one_after_the_other_and_damage_is_one_request() {
    let step = step();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let mut writer = RecordWriter::new(Vec::new());
    ["a", "bb", "ccc"].iter().for_each(|r| writer.write(r.as_bytes()).unwrap());
    let records = writer.finish().unwrap();
    std::fs::write(path("good"), &records).unwrap();
    let mut damaged = records.clone();
    damaged[30] ^= 1;
    std::fs::write(path("damaged"), damaged).unwrap();
    std::fs::write(path("text"), "one\r\n\ntwo").unwrap();
    std::fs::write(path("fixed"), "Haabbf").unwrap();
    let of = |op: &str, names: &[&str], more: Vec<Tensor>| {
        let names: Vec<String> = names.iter().map(|n| path(n)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let inputs = [vec![strings(&[names.len() as i64], &names)], more].concat();
        dataset(op, &step, inputs, &[])
    };
    let options = || vec![Tensor::string(""), int(0)];
    let two = of("TFRecordDataset", &["damaged", "good"], options()).unwrap();
    assert_eq!(texts(&step, &two), [Ok("a".into()), Err(Code::DataLoss), Ok("a".into()), Ok("bb".into()), Ok("ccc".into())]);
    let lines = of("TextLineDataset", &["text"], options()).unwrap();
    assert_eq!(texts(&step, &lines), [Ok("one".into()), Ok(String::new()), Ok("two".into())]);
    let fixed = |record: i64| of("FixedLengthRecordDatasetV2", &["fixed"], vec![int(1), int(record), int(1), int(0), Tensor::string("")]);
    assert_eq!(texts(&step, &fixed(2).unwrap()), [Ok("aa".into()), Ok("bb".into())]);
    let handle = iterator(&step, "files", &[DType::String]);
    for (dataset, code) in [(fixed(3), Code::InvalidArgument), (of("TextLineDataset", &["nothing"], options()), Code::NotFound)] {
        start(&step, &dataset.unwrap(), &handle).unwrap();
        assert_eq!(next(&step, &handle, &[DType::String]).unwrap_err().code(), code);
    }
    assert_eq!(fixed(0).unwrap_err().code(), Code::InvalidArgument);
    let unknown = of("TFRecordDataset", &["good"], vec![Tensor::string("BZIP"), int(0)]);
    assert_eq!(unknown.unwrap_err().bare_message(), "Unsupported compression_type.");
}

#[test]
fn iterators_are_shared_by_name_and_checked() {
    let step = step();
    let types = [DType::Int64];
    let handle = iterator(&step, "shared", &types);
    let error = next(&step, &handle, &types).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    start(&step, &range(0, 5), &handle).unwrap();
    let again = iterator(&step, "shared", &types);
    assert_eq!([number(&next(&step, &handle, &types).unwrap()), number(&next(&step, &again, &types).unwrap())], [0, 1]);
    let text = named("IteratorToStringHandle").input(handle.clone()).step(&step).run_one().unwrap();
    let from = |text: Tensor, types: Vec<DType>| {
        let shapes = vec![PartialShape::scalar(); types.len()];
        named("IteratorFromStringHandleV2").attr("output_types", types).attr("output_shapes", shapes).input(text).step(&step).run_one()
    };
    let found = from(text.clone(), types.to_vec()).unwrap();
    assert_eq!(number(&next(&step, &found, &types).unwrap()), 2);
    assert_eq!(from(text, vec![DType::Float]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(from(Tensor::string("junk"), types.to_vec()).unwrap_err().code(), Code::InvalidArgument);
    let floats = iterator(&step, "floats", &[DType::Float]);
    assert_eq!(
        start(&step, &range(0, 1), &floats).unwrap_err().bare_message(),
        "Data type mismatch at component 0: expected float but got int64."
    );
    let none = named("IteratorGetNextAsOptional").attr("output_types", types.to_vec());
    let none = none.attr("output_shapes", vec![PartialShape::scalar()]).input(handle.clone()).step(&step);
    start(&step, &range(0, 0), &handle).unwrap();
    let optional = none.run_one().unwrap();
    let has = named("OptionalHasValue").input(optional).step(&step).run_one().unwrap();
    assert!(!has.to_scalar::<bool>().unwrap());
}

#[test]
fn a_one_shot_iterator_starts_once() {
    let step = step();
    let node =
        typed(named("OneShotIterator"), &[DType::Int64]).attr("dataset_factory", FuncAttr { name: "never".into(), ..FuncAttr::default() });
    let other =
        typed(named("OneShotIterator"), &[DType::Int64]).attr("dataset_factory", FuncAttr { name: "two".into(), ..FuncAttr::default() });
    assert_eq!(other.step(&step).run().unwrap_err().code(), Code::InvalidArgument, "the function must make a dataset");
    step.cancellation.cancel(cancelled("enough"));
    assert_eq!(node.step(&step).run().unwrap_err().code(), Code::Cancelled);
}

#[test]
fn what_is_no_dataset_and_numbers_out_of_range_are_refused() {
    let step = step();
    let empty = Tensor::zeros(DType::Variant, ferroflow_tensor::Shape::scalar()).unwrap();
    for (op, inputs) in [
        ("TakeDataset", vec![empty, int(1)]),
        ("RangeDataset", vec![int(0), int(1), int(0)]),
        ("BatchDatasetV2", vec![range(0, 1), int(0), Tensor::scalar(false)]),
        ("BatchDatasetV2", vec![range(0, 1), int(i64::MIN), Tensor::scalar(false)]),
        ("ShardDataset", vec![range(0, 1), int(2), int(2)]),
        ("ShuffleDataset", vec![range(0, 1), int(0), int(1), int(1)]),
        ("PrefetchDataset", vec![range(0, 1), int(-3)]),
        ("WindowDataset", vec![range(0, 1), int(i64::MAX), int(1), int(i64::MAX), Tensor::scalar(false)]),
        ("TensorSliceDataset", vec![int(1)]),
        ("TakeDataset", vec![range(0, 1), tensor(&[2], &[1i64, 1])]),
    ] {
        assert_eq!(dataset(op, &step, inputs, &[]).unwrap_err().code(), Code::InvalidArgument, "{op}");
    }
    let ends = dataset("RangeDataset", &step, vec![int(i64::MAX - 1), int(i64::MAX), int(5)], &[]).unwrap();
    assert_eq!(flat(&step, &ends), [i64::MAX - 1]);
    let mut deep = range(0, 1);
    let mut nested = 0;
    let error = loop {
        match dataset("TakeDataset", &step, vec![deep, int(1)], &[]) {
            Ok(deeper) => deep = deeper,
            Err(e) => break e,
        }
        nested += 1;
        assert!(nested < 1000);
    };
    assert_eq!(error.code(), Code::InvalidArgument);
    let single = |n: i64| typed(named("DatasetToSingleElement"), &[DType::Int64]).input(range(0, n)).step(&step).run_one();
    assert_eq!(single(1).unwrap().to_scalar::<i64>().unwrap(), 0);
    assert_eq!(single(0).unwrap_err().bare_message(), "Dataset was empty.");
    assert_eq!(single(2).unwrap_err().bare_message(), "Dataset had more than one element.");
}
