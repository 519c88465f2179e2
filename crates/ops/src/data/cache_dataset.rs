//! `CacheDataset`: keeps elements for later iterators.

use super::cache::CacheDataset;
use super::dataset::{emit, input_dataset};
use crate::io::arguments::text;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "CacheDataset(input_dataset: variant, filename: string) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements; the first iterator that gets to the end keeps them in memory for the others. A file name is not supported.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    if !text(ctx, 1, "filename")?.is_empty() {
        return Err(unimplemented("a cache of a dataset in a file is not supported; a cache in memory has an empty file name"));
    }
    emit(ctx, &[&input], CacheDataset::new(input.clone()))
}
