//! TF's V1 checkpoint format: one table per file that holds the slices of tensors as messages (TF: `TensorSliceWriter`,
//! `TensorSliceReader`). Old savers write it; bundles have replaced it.
//!
//! The empty key leads to what the file holds, every other key is that of a slice (as in a bundle's index) and leads to its elements,
//! in the typed fields of a `TensorProto` without type and shape. A sharded checkpoint is several such files.

mod reader;
mod values;
mod writer;

pub use reader::TensorSliceReader;
pub use writer::TensorSliceWriter;
