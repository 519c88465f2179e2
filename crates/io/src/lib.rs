//! The files of ferroflow: TFRecords, event files, checkpoints, and the file systems they live on.
//!
//! All formats are TensorFlow's, byte by byte. Whatever comes from a file is checked before it is used: damage gives
//! `DataLoss`, never a panic and never more memory than the file is long.

pub mod atomic_file;
pub mod bundle;
pub mod checkpoint_state;
mod coding;
pub mod crc;
pub mod event;
pub mod file_system;
mod glob;
pub mod histogram;
mod ordered_code;
pub mod record;
pub mod summary;
pub mod table;
mod text_proto;

pub use bundle::{BundleReader, BundleWriter, MergeOptions, ShapeAndSlice, merge_bundles};
pub use checkpoint_state::{CheckpointState, latest_checkpoint};
pub use event::{EventReader, EventWriter};
pub use file_system::{FileSystem, LocalFileSystem};
pub use histogram::Histogram;
pub use record::{Compression, RecordReader, RecordWriter};
