//! `CacheDataset`: keeps elements for later iterators.

use super::cache::CacheDataset;
use super::dataset::{emit, input_dataset};
use super::file_cache::FileCache;
use crate::io::arguments::text;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "CacheDataset(input_dataset: variant, filename: string) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements; the first iterator that gets to the end keeps them for the others, in memory or in the files of this name.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    match text(ctx, 1, "filename")? {
        path if path.is_empty() => emit(ctx, &[&input], CacheDataset::new(input.clone())),
        path => emit(ctx, &[&input], FileCache::new(input.clone(), path)),
    }
}
