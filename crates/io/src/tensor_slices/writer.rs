//! Writes a file of the V1 format (TF: `TensorSliceWriter`, the body of `Save` and `SaveSlices`).

use super::values;
use crate::atomic_file::AtomicFile;
use crate::bundle::region::Region;
use crate::bundle::{ShapeAndSlice, TensorSlice};
use crate::file_system::FileSystem;
use crate::table::TableBuilder;
use ferroflow_proto::{Message, SavedSlice, SavedSliceMeta, SavedTensorSliceMeta, SavedTensorSlices, VersionDef};
use ferroflow_tensor::error::{Result, invalid_argument};
use ferroflow_tensor::{DType, Shape, Tensor, shape_to_proto};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest value of a file: TF's readers take no longer message.
const MOST_BYTES: usize = i32::MAX as usize;

struct Saved {
    dtype: DType,
    shape: Shape,
    slices: Vec<TensorSlice>,
    regions: Vec<Region>,
}

/// Collects slices, then writes one file. It appears whole or not at all.
pub struct TensorSliceWriter {
    fs: Arc<dyn FileSystem>,
    path: String,
    tensors: BTreeMap<String, Saved>,
    data: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl TensorSliceWriter {
    /// A writer of the file `path`.
    pub fn new(fs: &Arc<dyn FileSystem>, path: &str) -> TensorSliceWriter {
        TensorSliceWriter { fs: Arc::clone(fs), path: path.to_owned(), tensors: BTreeMap::new(), data: BTreeMap::new() }
    }

    /// Adds a tensor, or the part of one that `part` says.
    ///
    /// Errors: `InvalidArgument` if the tensor is not of the part's shape, contradicts or overlaps what was added under its name, is too
    /// large for one message, or of a type that the format does not know.
    pub fn add(&mut self, name: &str, part: Option<&ShapeAndSlice>, tensor: &Tensor) -> Result<()> {
        let (shape, slice) = match part {
            None => (tensor.shape().clone(), TensorSlice::full(tensor.rank())),
            Some(part) if part.slice_shape == *tensor.shape() => (part.full_shape.clone(), part.slice.clone()),
            Some(part) => {
                return Err(invalid_argument(format!(
                    "Slice in shape_and_slice specification does not match the shape of the tensor to save: {part}, tensor: {}",
                    tensor.shape()
                )));
            }
        };
        let region = slice.region(&shape)?;
        let message = SavedSlice { name: name.to_owned(), slice: Some(slice.to_proto()), data: Some(values::encode(tensor)?) };
        let value = SavedTensorSlices { meta: None, data: Some(message) };
        if value.encoded_len() > MOST_BYTES {
            return Err(invalid_argument(format!(
                "Tensor slice is too large to serialize: {name} takes {} bytes, at most {MOST_BYTES} fit; write the V2 format",
                value.encoded_len()
            )));
        }
        let new = || Saved { dtype: tensor.dtype(), shape: shape.clone(), slices: Vec::new(), regions: Vec::new() };
        let saved = self.tensors.entry(name.to_owned()).or_insert_with(new);
        if saved.dtype != tensor.dtype() || saved.shape != shape {
            return Err(invalid_argument(format!(
                "{name} was added as {} of shape {} before, now it is {} of shape {shape}",
                saved.dtype,
                saved.shape,
                tensor.dtype()
            )));
        }
        saved.regions.push(region);
        if Region::find_overlap(&saved.regions).is_some() {
            return Err(invalid_argument(format!("{name}: the slice {slice} overlaps another one")));
        }
        self.data.insert(slice.key(name.as_bytes()), value.encode_to_vec());
        saved.slices.push(slice);
        Ok(())
    }

    /// Writes the file.
    ///
    /// Errors: those of the file system.
    pub fn finish(self) -> Result<()> {
        let meta = |(name, saved): (&String, &Saved)| SavedSliceMeta {
            name: name.clone(),
            shape: Some(shape_to_proto(&saved.shape)),
            r#type: saved.dtype.to_proto(),
            slice: saved.slices.iter().map(TensorSlice::to_proto).collect(),
        };
        let versions = Some(VersionDef { producer: 1, ..VersionDef::default() });
        let meta = SavedTensorSliceMeta { tensor: self.tensors.iter().map(meta).collect(), versions };
        let mut table = TableBuilder::new(AtomicFile::create(self.fs, &self.path)?);
        table.add(b"", &SavedTensorSlices { meta: Some(meta), data: None }.encode_to_vec())?;
        for (key, value) in &self.data {
            table.add(key, value)?;
        }
        table.finish()?.commit()
    }
}
