//! The tensor bundle: TF's V2 checkpoint format.
//!
//! A checkpoint is named by a *prefix*. `<prefix>.index` is a sorted string table from tensor names to entries
//! (type, shape, where the bytes are, their checksum); `<prefix>.data-SSSSS-of-NNNNN` hold the bytes. A
//! partitioned variable has one entry that lists its slices, and one per slice under an ordered-code key.

mod entry;
mod files;
mod merge;
mod payload;
mod reader;
pub(crate) mod region;
pub(crate) mod slice;
mod writer;

pub use entry::BundleEntry;
pub use files::{data_file_name, delete_bundle, index_file_name};
pub use merge::{MergeOptions, merge_bundles};
pub use reader::BundleReader;
pub use slice::{Extent, ShapeAndSlice, TensorSlice};
pub use writer::BundleWriter;
