//! Files that TensorFlow wrote: they are read right, and the same contents are written byte by byte the same.

use bytes::Bytes;
use ferroflow_io::bundle::{data_file_name, index_file_name};
use ferroflow_io::checkpoint_state::CheckpointState;
use ferroflow_io::file_system::{RandomAccessFile, WritableFile, join};
use ferroflow_io::*;
use ferroflow_proto::event::What;
use ferroflow_proto::session_log::SessionStatus;
use ferroflow_proto::summary::value::Value as Kind;
use ferroflow_tensor::error::{not_found, permission_denied};
use ferroflow_tensor::{Code, DType, Result, Shape, Tensor};
use std::sync::Arc;

fn recorded(name: &str) -> Vec<u8> {
    let path = format!("{}/testdata/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn recorded_path(name: &str) -> String {
    format!("{}/testdata/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn shape(dims: &[i64]) -> Shape {
    Shape::new(dims).unwrap()
}

/// The tensors of the recorded bundle, in the order in which they were saved.
fn tensors() -> Vec<(&'static str, Tensor)> {
    let half = |bits: [u16; 2]| Tensor::from_bytes(DType::Half, shape(&[2]), &bits.map(u16::to_le_bytes).concat()).unwrap();
    let complex = [1f32, 2.0].map(f32::to_le_bytes).concat();
    vec![
        ("w", Tensor::from_slice(shape(&[2, 3]), &[0f32, 1., 2., 3., 4., 5.]).unwrap()),
        ("d", Tensor::scalar(2.5f64)),
        ("i64", Tensor::vector(&[1i64, -2, 1 << 40]).unwrap()),
        ("i32", Tensor::scalar(7i32)),
        ("flag", Tensor::vector(&[true, false, true]).unwrap()),
        ("empty", Tensor::zeros(DType::Float, shape(&[0, 4])).unwrap()),
        ("h", half([0x3e00, 0xc000])),
        ("c", Tensor::from_bytes(DType::Complex64, shape(&[1]), &complex).unwrap()),
        ("u8", Tensor::vector(&[1u8, 255]).unwrap()),
        ("s", Tensor::strings(shape(&[3]), vec!["ab".into(), "".into(), Bytes::from(vec![b'x'; 200])]).unwrap()),
        ("dense/kernel/Adam_1", Tensor::from_slice(shape(&[2, 2]), &[1f32; 4]).unwrap()),
    ]
}

fn floats(range: std::ops::Range<i32>, dims: &[i64]) -> Tensor {
    Tensor::from_slice(shape(dims), &range.map(|x| x as f32).collect::<Vec<f32>>()).unwrap()
}

fn part(spec: &str) -> ShapeAndSlice {
    ShapeAndSlice::parse(spec).unwrap().unwrap()
}

fn same(a: &Tensor, b: &Tensor) -> bool {
    a.dtype() == b.dtype()
        && a.shape() == b.shape()
        && if a.dtype() == DType::String {
            a.as_strings().unwrap() == b.as_strings().unwrap()
        } else {
            a.bytes().unwrap() == b.bytes().unwrap()
        }
}

fn read_all(reader: &BundleReader) -> Result<Vec<(String, Tensor)>> {
    reader.entries()?.into_iter().map(|(name, _)| Ok((name.clone(), reader.read(&name)?))).collect()
}

#[test]
fn the_recorded_bundle_is_read() {
    let reader = BundleReader::open(&LocalFileSystem::shared(), &recorded_path("bundle")).unwrap();
    for (name, tensor) in tensors() {
        assert!(same(&reader.read(name).unwrap(), &tensor), "{name}");
    }
    assert!(same(&reader.read("part").unwrap(), &floats(0..20, &[10, 2])));
    assert!(same(&reader.restore("part", "10 2 3,5:-", DType::Float).unwrap(), &floats(6..16, &[5, 2])));
    assert_eq!(reader.entries().unwrap().len(), 12);
}

#[test]
fn the_same_tensors_are_written_as_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let prefix = join(dir.path().to_str().unwrap(), "bundle");
    let fs = LocalFileSystem::shared();
    let mut writer = BundleWriter::create(&fs, &prefix).unwrap();
    for (name, tensor) in tensors() {
        writer.add(name, &tensor).unwrap();
    }
    writer.add_slice("part", &part("10 2 0,4:0,2"), &floats(0..8, &[4, 2])).unwrap();
    writer.add_slice("part", &part("10 2 4,3:0,2"), &floats(8..14, &[3, 2])).unwrap();
    writer.add_slice("part", &part("10 2 7,3:-"), &floats(14..20, &[3, 2])).unwrap();
    writer.finish().unwrap();
    assert_eq!(fs.read(&index_file_name(&prefix)).unwrap(), recorded("bundle.index"));
    assert_eq!(fs.read(&data_file_name(&prefix, 0, 1)).unwrap(), recorded("bundle.data-00000-of-00001"));
}

#[test]
fn merging_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().to_str().unwrap();
    let fs = LocalFileSystem::shared();
    let parts = [join(base, "t/p0"), join(base, "t/p1")];
    for (prefix, name, values, rows, spec) in
        [(&parts[0], "a", &[1f32, 2.0][..], [0i32, 1], "4 0,2"), (&parts[1], "b", &[3f32][..], [2, 3], "4 2,2")]
    {
        let mut writer = BundleWriter::create(&fs, prefix).unwrap();
        writer.add(name, &Tensor::vector(values).unwrap()).unwrap();
        writer.add_slice("v", &part(spec), &Tensor::vector(&rows).unwrap()).unwrap();
        writer.finish().unwrap();
    }
    merge_bundles(&fs, &parts, &join(base, "merged"), MergeOptions::default()).unwrap();
    let files = fs.list_dir(base).unwrap();
    assert_eq!(files, ["merged.data-00000-of-00002", "merged.data-00001-of-00002", "merged.index"]);
    for name in files {
        assert_eq!(fs.read(&join(base, &name)).unwrap(), recorded(&name), "{name}");
    }
}

/// Files in memory, only to be opened: thousands of damaged bundles are read without touching a disk.
struct InMemory(Vec<(String, Vec<u8>)>);

impl InMemory {
    fn bundle(index: &[u8], data: &[u8]) -> Arc<dyn FileSystem> {
        Arc::new(InMemory(vec![(index_file_name("m"), index.to_vec()), (data_file_name("m", 0, 1), data.to_vec())]))
    }
}

impl FileSystem for InMemory {
    fn open(&self, path: &str) -> Result<Box<dyn RandomAccessFile>> {
        let file = self.0.iter().find(|(name, _)| name == path).ok_or_else(|| not_found(path))?;
        Ok(Box::new(file.1.clone()))
    }
    fn create_new(&self, path: &str) -> Result<Box<dyn WritableFile>> {
        Err(permission_denied(path))
    }
    fn create_or_truncate(&self, path: &str) -> Result<Box<dyn WritableFile>> {
        Err(permission_denied(path))
    }
    fn rename(&self, from: &str, _: &str) -> Result<()> {
        Err(permission_denied(from))
    }
    fn delete_file(&self, path: &str) -> Result<()> {
        Err(permission_denied(path))
    }
    fn delete_dir(&self, path: &str) -> Result<()> {
        Err(permission_denied(path))
    }
    fn create_dir(&self, path: &str) -> Result<()> {
        Err(permission_denied(path))
    }

    fn create_dir_all(&self, path: &str) -> Result<()> {
        Err(permission_denied(path))
    }
    fn exists(&self, path: &str) -> Result<bool> {
        Ok(self.0.iter().any(|(name, _)| name == path))
    }
    fn list_dir(&self, _: &str) -> Result<Vec<String>> {
        Ok(self.0.iter().map(|(name, _)| name.clone()).collect())
    }
}

/// Reads all tensors of a bundle made of these bytes; damage must show as an error or not at all.
fn check_damaged(index: &[u8], data: &[u8], good: &[(String, Tensor)]) {
    match BundleReader::open(&InMemory::bundle(index, data), "m").and_then(|r| read_all(&r)) {
        Ok(read) => {
            assert_eq!(read.len(), good.len());
            assert!(read.iter().zip(good).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1)));
        }
        Err(e) => assert_eq!(e.code(), Code::DataLoss, "{e}"),
    }
}

#[test]
fn each_damaged_or_missing_byte_gives_data_loss_or_the_same_tensors() {
    let (index, data) = (recorded("bundle.index"), recorded("bundle.data-00000-of-00001"));
    let good = read_all(&BundleReader::open(&LocalFileSystem::shared(), &recorded_path("bundle")).unwrap()).unwrap();
    let flipped = |bytes: &[u8], i: usize, mask: u8| {
        let mut bad = bytes.to_vec();
        bad[i] ^= mask;
        bad
    };
    for i in 0..index.len() {
        for mask in [0x01, 0x80, 0xff] {
            check_damaged(&flipped(&index, i, mask), &data, &good);
        }
        check_damaged(&index[..i], &data, &good);
    }
    for i in 0..data.len() {
        check_damaged(&index, &flipped(&data, i, 0x01), &good);
        check_damaged(&index, &data[..i], &good);
    }
}

#[test]
fn damaged_entries_with_right_checksums_never_panic() {
    use ferroflow_io::table::{Table, TableBuilder};
    let data = recorded("bundle.data-00000-of-00001");
    let table = Table::open(Box::new(recorded("bundle.index"))).unwrap();
    let entries: Vec<(Vec<u8>, Vec<u8>)> = table.iter().map(|e| e.map(|(k, v)| (k, v.to_vec())).unwrap()).collect();
    for victim in 0..entries.len() {
        for i in 0..entries[victim].1.len() {
            for mask in [0x01, 0x08, 0x40, 0x80, 0xff] {
                let mut builder = TableBuilder::new(Vec::new());
                for (k, (key, value)) in entries.iter().enumerate() {
                    let mut value = value.clone();
                    if k == victim {
                        value[i] ^= mask;
                    }
                    builder.add(key, &value).unwrap();
                }
                let fs = InMemory::bundle(&builder.finish().unwrap(), &data);
                let Ok(reader) = BundleReader::open(&fs, "m") else { continue };
                // The change may leave a readable tensor of another shape; what counts is that all calls return.
                let _ = read_all(&reader);
                for (key, _) in &entries {
                    let name = String::from_utf8_lossy(key);
                    let _ = reader.read(&name);
                    let _ = reader.restore(&name, "10 2 3,5:-", DType::Float);
                }
            }
        }
    }
}

#[test]
fn histograms_are_the_recorded_ones() {
    let cases: [(&str, &[f64]); 4] =
        [("zeros", &[0.0, 0.0, 0.0]), ("mixed", &[-1.0, 3.0, 0.5, 1e-13, -1e30, 1e30, 2.0, 2.0, 2.1]), ("one", &[1e-12]), ("none", &[])];
    for (name, values) in cases {
        let mut h = Histogram::new();
        h.extend(values.iter().copied());
        assert_eq!(summary::histogram("h", &h), recorded(&format!("histogram_{name}.pb")), "{name}");
    }
}

#[test]
fn a_path_with_odd_characters_is_escaped_as_recorded() {
    let text = recorded("checkpoint_escaped");
    let state = CheckpointState::parse(&text).unwrap();
    assert_eq!(state.model_checkpoint_path, "/d/m'\"\\\t\u{1}\u{fc}-1");
    assert_eq!(state.all_model_checkpoint_timestamps, [1700000000.5]);
    assert_eq!(state.to_text().as_bytes(), text);
}

#[test]
fn recorded_tfrecords_are_read_with_each_compression() {
    for (name, compression) in [("records", Compression::None), ("records.gz", Compression::Gzip), ("records.zz", Compression::Zlib)] {
        let file = recorded(name);
        let read: Result<Vec<Vec<u8>>> = RecordReader::with_compression(&file[..], compression).cut_is_error().collect();
        assert_eq!(read.unwrap(), [&b"one"[..], b""], "{name}");
    }
    let mut writer = RecordWriter::new(Vec::new());
    writer.write(b"one").unwrap();
    writer.write(b"").unwrap();
    assert_eq!(writer.finish().unwrap(), recorded("records"));
}

#[test]
fn the_recorded_event_file_is_read() {
    let reader = EventReader::open(&LocalFileSystem::shared(), &recorded_path("events.out.tfevents.recorded")).unwrap();
    let events: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(events[0].what, Some(What::FileVersion("brain.Event:2".to_owned())));
    let Some(What::Summary(loss)) = &events[1].what else { panic!("{:?}", events[1]) };
    assert_eq!((events[1].step, &loss.value[0].value), (3, &Some(Kind::SimpleValue(0.25))));
    let Some(What::SessionLog(log)) = &events[2].what else { panic!("{:?}", events[2]) };
    assert_eq!(log.status(), SessionStatus::Start);
    let Some(What::Summary(image)) = &events[3].what else { panic!("{:?}", events[3]) };
    assert_eq!(image.value[0].tag, "im/image");
}
