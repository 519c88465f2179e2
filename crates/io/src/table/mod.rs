//! The sorted string table: an immutable map from byte strings to byte strings in one file (TF: `tensorflow/core/lib/io` table).
//!
//! The layout is LevelDB's (data blocks, metaindex block, index block, footer) with TF's own magic number
//! and block size. Checkpoints use it for their index file.

mod block;
mod builder;
mod format;
mod reader;

pub use builder::TableBuilder;
pub use reader::{Table, TableIter};
