//! Data sets of labelled images: the digits that come with ferroflow, and IDX files as MNIST has them.
//!
//! Floor 5. A [`DataSet`] is held in memory; [`Batches`] deals it out in shuffled batches, each worker its own share.

mod batches;
mod data_set;
mod digits;
mod idx;
mod random;

pub use batches::{Batch, Batches};
pub use data_set::{DataSet, Split};
pub use digits::digits;
pub use idx::{Idx, idx_directory, read_idx};
