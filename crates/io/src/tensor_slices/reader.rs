//! Reads checkpoints of the V1 format (TF: `TensorSliceReader`, the body of `Restore` and `RestoreSlice`).

use super::values;
use crate::bundle::region::Region;
use crate::bundle::{ShapeAndSlice, TensorSlice};
use crate::file_system::FileSystem;
use crate::table::Table;
use ferroflow_proto::{Message, SavedTensorSlices};
use ferroflow_tensor::error::{Error, Result, data_loss, invalid_argument, not_found, unimplemented};
use ferroflow_tensor::{DType, Shape, Tensor, shape_from_proto};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The format's version that this build reads.
const VERSION: i32 = 1;

/// A tensor, and where its slices are.
struct Stored {
    dtype: DType,
    shape: Shape,
    /// Number of the file, the slice, its elements' place.
    slices: Vec<(usize, TensorSlice, Region)>,
}

/// An open checkpoint of one or more files.
pub struct TensorSliceReader {
    pattern: String,
    files: Vec<(String, Table)>,
    tensors: BTreeMap<String, Stored>,
}

impl TensorSliceReader {
    /// Opens all files that match the pattern.
    ///
    /// Errors: `NotFound` `Unsuccessful TensorSliceReader constructor: …` if none does; `DataLoss` if one is no such file.
    pub fn open(fs: &Arc<dyn FileSystem>, pattern: &str) -> Result<TensorSliceReader> {
        let paths = fs.matching(pattern)?;
        if paths.is_empty() {
            return Err(not_found(format!("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {pattern}")));
        }
        let mut reader = TensorSliceReader { pattern: pattern.to_owned(), files: Vec::new(), tensors: BTreeMap::new() };
        for path in paths {
            let in_file = |e: Error| match e.code() {
                ferroflow_tensor::Code::DataLoss => data_loss(format!("Unable to open table file {path}: {}", e.message())),
                _ => e.context(&path),
            };
            let table = Table::open(fs.open(&path)?).map_err(in_file)?;
            reader.add(&table).map_err(in_file)?;
            reader.files.push((path, table));
        }
        Ok(reader)
    }

    /// Notes what a file holds.
    fn add(&mut self, table: &Table) -> Result<()> {
        let value = table.get(b"")?.ok_or_else(|| data_loss("the file does not say what it holds"))?;
        let meta = message(value)?.meta.ok_or_else(|| data_loss("the file does not say what it holds"))?;
        let versions = meta.versions.unwrap_or_default();
        if versions.min_consumer > VERSION || versions.bad_consumers.contains(&VERSION) {
            return Err(unimplemented(format!("the file needs a reader of version {}", versions.min_consumer)));
        }
        let file = self.files.len();
        for t in meta.tensor {
            let named = |e: Error| data_loss(format!("{}: {}", t.name, e.message()));
            let dtype = DType::from_proto_base(t.r#type).map_err(named)?;
            let shape = t.shape.as_ref().map_or(Ok(Shape::scalar()), shape_from_proto).map_err(named)?;
            let stored = self.tensors.entry(t.name.clone()).or_insert_with(|| Stored { dtype, shape: shape.clone(), slices: Vec::new() });
            if stored.dtype != dtype || stored.shape != shape {
                return Err(data_loss(format!("{} is {dtype} of shape {shape} here, but another in an earlier file", t.name)));
            }
            for slice in &t.slice {
                let slice = TensorSlice::from_proto(slice).map_err(named)?;
                let region = slice.region(&shape).map_err(named)?;
                stored.slices.push((file, slice, region));
            }
        }
        Ok(())
    }

    /// The names of all tensors, with type and shape.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, DType, &Shape)> {
        self.tensors.iter().map(|(name, t)| (name.as_str(), t.dtype, &t.shape))
    }

    /// Reads what a `Restore` asks for: `spec` is empty for the whole tensor.
    ///
    /// Errors: `NotFound` for an unknown name; `InvalidArgument` if the tensor is not of type `dtype`, `spec` is malformed or of another
    /// shape, or the slices do not cover what is wanted; `DataLoss` if the file is damaged.
    pub fn restore(&self, name: &str, spec: &str, dtype: DType) -> Result<Tensor> {
        let missing = || not_found(format!("Tensor name \"{name}\" not found in checkpoint files {}", self.pattern));
        let stored = self.tensors.get(name).ok_or_else(missing)?;
        if stored.dtype != dtype {
            return Err(invalid_argument(format!(
                "Expected to restore a tensor of type {dtype}, got a tensor of type {} instead: tensor_name = {name}",
                stored.dtype
            )));
        }
        let wanted = match ShapeAndSlice::parse(spec)? {
            None => Region::whole(&stored.shape),
            Some(part) if part.full_shape == stored.shape => part.slice.region(&stored.shape)?,
            Some(part) => {
                return Err(invalid_argument(format!(
                    "Shape in shape_and_slice spec does not match the shape in the save file: {}, save file shape: {}",
                    part.full_shape, stored.shape
                )));
            }
        };
        self.read(name, stored, &wanted)
    }

    fn read(&self, name: &str, stored: &Stored, wanted: &Region) -> Result<Tensor> {
        let meeting = stored.slices.iter().filter_map(|s| Some((s, s.2.intersect(wanted)?)));
        let pieces: Vec<_> = meeting.collect();
        let covered = pieces.iter().map(|(_, common)| common.num_elements()).fold(0, usize::saturating_add);
        if covered < wanted.num_elements() {
            return Err(invalid_argument(format!("Error copying slice data: the files hold only a part of tensor {name}")));
        }
        if let Some(((file, slice, region), _)) = pieces.iter().find(|((_, _, region), _)| region == wanted) {
            return self.read_slice(name, stored, *file, slice, region);
        }
        let mut out = Tensor::zeros(stored.dtype, wanted.shape()?)?;
        for ((file, slice, region), common) in pieces {
            let tensor = self.read_slice(name, stored, *file, slice, region)?;
            common.copy(region, &tensor, wanted, &mut out)?;
        }
        Ok(out)
    }

    /// The elements of one stored slice.
    fn read_slice(&self, name: &str, stored: &Stored, file: usize, slice: &TensorSlice, region: &Region) -> Result<Tensor> {
        let (path, table) = self.files.get(file).ok_or_else(|| data_loss("a slice without a file"))?;
        let read = || {
            let value =
                table.get(&slice.key(name.as_bytes()))?.ok_or_else(|| data_loss(format!("the slice {slice} of {name} is missing")))?;
            let data = message(value)?.data.and_then(|d| d.data).unwrap_or_default();
            values::decode(data, stored.dtype, &region.shape()?)
        };
        read().map_err(|e| e.context(path))
    }
}

fn message(value: &[u8]) -> Result<SavedTensorSlices> {
    SavedTensorSlices::decode(value).map_err(|e| data_loss(format!("a value of the file is damaged: {e}")))
}

#[cfg(test)]
mod tests {
    use super::super::TensorSliceWriter;
    use super::*;
    use crate::file_system::LocalFileSystem;
    use ferroflow_tensor::Code;

    fn tensor(dims: &[i64], values: &[f32]) -> Tensor {
        Tensor::from_slice(Shape::new(dims).unwrap(), values).unwrap()
    }

    #[test]
    fn slices_of_several_files_make_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (fs, prefix) = (LocalFileSystem::shared(), dir.path().join("m").display().to_string());
        for (i, spec) in ["4 2 0,1:-", "4 2 1,3:-"].iter().enumerate() {
            let part = ShapeAndSlice::parse(spec).unwrap().unwrap();
            let rows = part.slice_shape.dims()[0];
            let mut writer = TensorSliceWriter::new(&fs, &format!("{prefix}-{i}"));
            let values: Vec<f32> = (0..rows * 2).map(|v| (v + 2 * i as i64) as f32).collect();
            writer.add("w", Some(&part), &tensor(&[rows, 2], &values)).unwrap();
            assert!(writer.add("w", Some(&part), &tensor(&[rows, 2], &values)).is_err(), "the same slice again");
            writer.finish().unwrap();
        }
        let reader = TensorSliceReader::open(&fs, &format!("{prefix}-*")).unwrap();
        assert_eq!(reader.tensors().map(|(n, t, s)| (n, t, s.dims().to_vec())).collect::<Vec<_>>(), [("w", DType::Float, vec![4, 2])]);
        let all = [0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        assert_eq!(reader.restore("w", "", DType::Float).unwrap().as_slice::<f32>().unwrap(), all);
        assert_eq!(reader.restore("w", "4 2 0,3:1,1", DType::Float).unwrap().as_slice::<f32>().unwrap(), [1.0, 3.0, 5.0]);
        let code = |r: Result<Tensor>| r.unwrap_err().code();
        assert_eq!(code(reader.restore("v", "", DType::Float)), Code::NotFound);
        assert_eq!(code(reader.restore("w", "", DType::Int32)), Code::InvalidArgument);
        assert_eq!(code(reader.restore("w", "5 2 0,1:-", DType::Float)), Code::InvalidArgument);
        let half = TensorSliceReader::open(&fs, &format!("{prefix}-0")).unwrap();
        assert_eq!(code(half.restore("w", "", DType::Float)), Code::InvalidArgument);
        assert_eq!(TensorSliceReader::open(&fs, &format!("{prefix}-9")).err().unwrap().code(), Code::NotFound);
    }

    #[test]
    fn damage_is_an_error_or_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (fs, path) = (LocalFileSystem::shared(), dir.path().join("m").display().to_string());
        let mut writer = TensorSliceWriter::new(&fs, &path);
        writer.add("a", None, &tensor(&[2], &[1.5, -2.0])).unwrap();
        writer.add("s", None, &Tensor::string("text")).unwrap();
        writer.finish().unwrap();
        let good = std::fs::read(&path).unwrap();
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 0x11;
            std::fs::write(&path, &bad).unwrap();
            if let Ok(t) = TensorSliceReader::open(&fs, &path).and_then(|r| r.restore("a", "", DType::Float)) {
                assert_eq!(t.as_slice::<f32>().unwrap(), [1.5, -2.0]);
            }
        }
    }
}
