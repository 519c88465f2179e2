//! The files of ferroflow: TFRecords, event files, checkpoints, and the file systems they live on.
//!
//! All formats are TensorFlow's, byte by byte. Whatever comes from a file is checked before it is used: damage gives
//! `DataLoss`, never a panic and never more memory than the file is long.
//!
//! ```
//! use ferroflow_io::{BundleReader, BundleWriter, CheckpointState, LocalFileSystem, latest_checkpoint};
//! use ferroflow_tensor::Tensor;
//!
//! # fn main() -> ferroflow_tensor::Result<()> {
//! # let temporary = tempfile::tempdir()?;
//! # let dir = temporary.path().to_str().unwrap();
//! let fs = LocalFileSystem::shared();
//! let prefix = format!("{dir}/model.ckpt-100");
//! let mut writer = BundleWriter::create(&fs, &prefix)?;
//! writer.add("weights", &Tensor::vector(&[0.5f32, 1.5])?)?;
//! writer.finish()?;
//! CheckpointState::new(&prefix, &[]).write(&fs, dir, "checkpoint", false)?;
//!
//! let latest = latest_checkpoint(&fs, dir)?.expect("a checkpoint was just written");
//! let weights = BundleReader::open(&fs, &latest)?.read("weights")?;
//! assert_eq!(weights.as_slice::<f32>()?, [0.5, 1.5]);
//! # Ok(())
//! # }
//! ```

pub mod atomic_file;
pub mod bundle;
pub mod checkpoint_state;
mod coding;
pub mod crc;
mod decompress;
pub mod event;
pub mod file_system;
mod glob;
pub mod histogram;
mod ordered_code;
pub mod record;
pub mod summary;
pub mod table;
pub mod tensor_slices;
mod text_proto;

pub use bundle::{BundleReader, BundleWriter, MergeOptions, ShapeAndSlice, merge_bundles};
pub use checkpoint_state::{CheckpointState, latest_checkpoint};
pub use coding::{Cursor, put_varint};
pub use decompress::decompressed;
pub use event::{EventReader, EventWriter};
pub use file_system::{FileSystem, LocalFileSystem, Sequential};
pub use histogram::Histogram;
pub use record::{Compression, RecordReader, RecordWriter};
pub use tensor_slices::{TensorSliceReader, TensorSliceWriter};
