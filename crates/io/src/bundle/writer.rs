//! Writes a bundle of one data file (TF: `BundleWriter`, the body of `SaveV2`).
//!
//! Both files are written under temporary names and brought to the disk before the first gets its name, and the
//! index gets its name last: a reader that finds the index finds the data. A writer that is dropped unfinished leaves nothing.

use super::entry::{BundleEntry, HEADER_KEY, encode_header};
use super::region::Region;
use super::slice::{ShapeAndSlice, TensorSlice};
use super::{data_file_name, index_file_name, payload};
use crate::atomic_file::AtomicFile;
use crate::file_system::FileSystem;
use crate::table::TableBuilder;
use ferroflow_tensor::error::{Result, failed_precondition, invalid_argument};
use ferroflow_tensor::{DType, Shape, Tensor};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Writes the checkpoint of one prefix.
pub struct BundleWriter {
    fs: Arc<dyn FileSystem>,
    prefix: String,
    data: AtomicFile,
    offset: u64,
    entries: BTreeMap<Vec<u8>, BundleEntry>,
    failed: bool,
}

impl BundleWriter {
    /// Starts a checkpoint; the directory of `prefix` is created if need be.
    ///
    /// Errors: `InvalidArgument` for an empty prefix; those of the file system.
    pub fn create(fs: &Arc<dyn FileSystem>, prefix: &str) -> Result<BundleWriter> {
        if prefix.is_empty() || prefix.ends_with('/') {
            return Err(invalid_argument(format!("{prefix:?} is not a checkpoint prefix")));
        }
        let data = AtomicFile::create(Arc::clone(fs), &data_file_name(prefix, 0, 1))?;
        Ok(BundleWriter { fs: Arc::clone(fs), prefix: prefix.to_owned(), data, offset: 0, entries: BTreeMap::new(), failed: false })
    }

    /// Adds a whole tensor.
    ///
    /// Errors: `InvalidArgument` if the name is empty or was added before; `Unimplemented` for types that cannot be
    /// saved; `ResourceExhausted` if the disk is full, after which the writer is of no use.
    pub fn add(&mut self, name: impl AsRef<[u8]>, tensor: &Tensor) -> Result<()> {
        let name = name.as_ref();
        check_name(name)?;
        self.add_data(name.to_vec(), tensor)
    }

    /// Adds a part of a tensor; one that covers everything is the same as the whole tensor.
    ///
    /// Errors: as [`BundleWriter::add`], and `InvalidArgument` if the tensor is not of the part's shape, or the part
    /// contradicts or overlaps another of the same name.
    pub fn add_slice(&mut self, name: impl AsRef<[u8]>, part: &ShapeAndSlice, tensor: &Tensor) -> Result<()> {
        let name = name.as_ref();
        check_name(name)?;
        if *tensor.shape() != part.slice_shape {
            return Err(invalid_argument(format!(
                "Slice in shape_and_slice specification does not match the shape of the tensor to save: {part}, tensor: {}",
                tensor.shape()
            )));
        }
        if part.slice_shape == part.full_shape {
            return self.add_data(name.to_vec(), tensor);
        }
        let mut full = match self.entries.get(name) {
            None => full_entry(tensor.dtype(), part.full_shape.clone()),
            Some(full) if full.slices.is_empty() => return Err(duplicate(name)),
            Some(full) => full.clone(),
        };
        add_slices(name, &mut full, tensor.dtype(), &part.full_shape, std::slice::from_ref(&part.slice))?;
        self.add_data(part.slice.key(name), tensor)?;
        self.entries.insert(name.to_vec(), full);
        Ok(())
    }

    fn add_data(&mut self, key: Vec<u8>, tensor: &Tensor) -> Result<()> {
        if self.entries.contains_key(&key) {
            return Err(duplicate(&key));
        }
        let written = payload::write(&mut self.data, tensor).map_err(|e| {
            self.failed = true;
            e.context(format!("{} in checkpoint {}", String::from_utf8_lossy(&key), self.prefix))
        })?;
        let entry = BundleEntry {
            dtype: tensor.dtype(),
            shape: tensor.shape().clone(),
            slices: Vec::new(),
            shard_id: 0,
            offset: self.offset,
            size: written.size,
            crc32c: written.crc32c,
        };
        self.offset += written.size;
        self.entries.insert(key, entry);
        Ok(())
    }

    /// Writes the index and gives both files their names.
    ///
    /// Errors: `FailedPrecondition` if an earlier write failed; `ResourceExhausted` if the disk is full.
    pub fn finish(mut self) -> Result<()> {
        if self.failed {
            return Err(failed_precondition(format!("checkpoint {}: an earlier write failed", self.prefix)));
        }
        self.data.sync()?;
        let index = write_index(&self.fs, &self.prefix, 1, &self.entries)?;
        self.data.publish()?;
        index.publish()
    }
}

/// Writes the index file of a bundle to the disk, still without its name.
pub fn write_index(
    fs: &Arc<dyn FileSystem>,
    prefix: &str,
    num_shards: u32,
    entries: &BTreeMap<Vec<u8>, BundleEntry>,
) -> Result<AtomicFile> {
    let path = index_file_name(prefix);
    let mut table = TableBuilder::new(AtomicFile::create(Arc::clone(fs), &path)?);
    table.add(HEADER_KEY, &encode_header(num_shards))?;
    for (key, entry) in entries {
        table.add(key, &entry.encode()).map_err(|e| e.context(&path))?;
    }
    let mut file = table.finish().map_err(|e| e.context(&path))?;
    file.sync()?;
    Ok(file)
}

/// The entry of a tensor that is stored in slices, before the first one.
pub fn full_entry(dtype: DType, shape: Shape) -> BundleEntry {
    BundleEntry { dtype, shape, slices: Vec::new(), shard_id: 0, offset: 0, size: 0, crc32c: 0 }
}

/// Adds slices to the entry of a tensor that is stored in slices.
///
/// Errors: `InvalidArgument` if type or shape differ from what the entry says, or slices overlap.
pub fn add_slices(name: &[u8], full: &mut BundleEntry, dtype: DType, shape: &Shape, slices: &[TensorSlice]) -> Result<()> {
    let name = String::from_utf8_lossy(name);
    if full.dtype != dtype || full.shape != *shape {
        return Err(invalid_argument(format!(
            "the slices of {name} are parts of different tensors: {} {} and {dtype} {shape}",
            full.dtype, full.shape
        )));
    }
    full.slices.extend_from_slice(slices);
    let regions = full.slices.iter().map(|s| s.region(shape)).collect::<Result<Vec<_>>>()?;
    match Region::find_overlap(&regions) {
        None => Ok(()),
        Some((i, j)) => {
            let text = |i: usize| full.slices.get(i).map(ToString::to_string).unwrap_or_default();
            Err(invalid_argument(format!("Overlapping slices of {name}: {} and {}", text(i.min(j)), text(i.max(j)))))
        }
    }
}

fn check_name(name: &[u8]) -> Result<()> {
    match name.first() {
        None => Err(invalid_argument("a tensor to save has an empty name")),
        // Such keys are those of slices.
        Some(0) => Err(invalid_argument("the name of a tensor to save begins with a zero byte")),
        Some(_) => Ok(()),
    }
}

fn duplicate(key: &[u8]) -> ferroflow_tensor::Error {
    invalid_argument(format!("Adding duplicate key: {}", String::from_utf8_lossy(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::LocalFileSystem;
    use ferroflow_tensor::error::Code;

    fn part(spec: &str) -> ShapeAndSlice {
        ShapeAndSlice::parse(spec).unwrap().unwrap()
    }

    #[test]
    fn a_dropped_writer_leaves_nothing_and_a_finished_one_two_files() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_str().unwrap();
        let fs = LocalFileSystem::shared();
        let mut writer = BundleWriter::create(&fs, &format!("{base}/m")).unwrap();
        writer.add("w", &Tensor::scalar(1.0f32)).unwrap();
        drop(writer);
        assert!(fs.list_dir(base).unwrap().is_empty());
        let mut writer = BundleWriter::create(&fs, &format!("{base}/m")).unwrap();
        writer.add("w", &Tensor::scalar(1.0f32)).unwrap();
        writer.finish().unwrap();
        assert_eq!(fs.list_dir(base).unwrap(), ["m.data-00000-of-00001", "m.index"]);
    }

    #[test]
    fn contradictions_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let fs = LocalFileSystem::shared();
        let mut writer = BundleWriter::create(&fs, &format!("{}/m", dir.path().to_str().unwrap())).unwrap();
        let two = Tensor::vector(&[1.0f32, 2.0]).unwrap();
        writer.add("w", &two).unwrap();
        writer.add_slice("p", &part("6 0,2"), &two).unwrap();
        let errors = [
            writer.add("w", &two).unwrap_err(),
            writer.add("p", &two).unwrap_err(),
            writer.add("", &two).unwrap_err(),
            writer.add("\0w", &two).unwrap_err(),
            writer.add_slice("w", &part("6 0,2"), &two).unwrap_err(),
            writer.add_slice("p", &part("6 0,2"), &two).unwrap_err(),
            writer.add_slice("p", &part("6 1,2"), &two).unwrap_err(),
            writer.add_slice("p", &part("7 2,2"), &two).unwrap_err(),
            writer.add_slice("p", &part("6 2,3"), &two).unwrap_err(),
            writer.add_slice("p", &part("6 2,2"), &Tensor::vector(&[1i32, 2]).unwrap()).unwrap_err(),
        ];
        for e in errors {
            assert_eq!(e.code(), Code::InvalidArgument, "{e}");
        }
        writer.add_slice("p", &part("6 2,2"), &two).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn a_prefix_that_names_no_file_is_refused() {
        for prefix in ["", "dir/"] {
            assert_eq!(BundleWriter::create(&LocalFileSystem::shared(), prefix).err().unwrap().code(), Code::InvalidArgument);
        }
    }
}
