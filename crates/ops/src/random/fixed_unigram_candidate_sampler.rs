//! `FixedUnigramCandidateSampler`: classes to compare the true ones with, as frequent as given.

use super::alias_table::AliasTable;
use super::candidates::{self, Likely, Unigrams};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FixedUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float)",
    attrs: "num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; vocab_file: string = \"\"; distortion: float = 1.0; num_reserved_ids: int = 0; num_shards: int >= 1 = 1; shard: int >= 0 = 0; unigrams: list(float) = []; seed: int = 0; seed2: int = 0",
    flags: "stateful",
    doc: "`num_sampled` classes, as likely as `unigrams` or the last column of `vocab_file` say, and how often each of them and each true one is expected among them.",
    shape: candidates::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| candidates::sampler(c, Likely::Unigrams(unigrams(c)?)))],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// The frequencies of the classes of this shard.
///
/// Errors: `InvalidArgument` if they are given twice or not at all, or for a bad one; what reading the file returns.
fn unigrams(c: &KernelConstruction) -> Result<Unigrams> {
    let attrs = &c.node.attrs;
    let (file, given) = (attrs.str("vocab_file")?, attrs.floats("unigrams")?);
    if file.is_empty() == given.is_empty() {
        return Err(invalid_argument("Must provide either vocab_file or unigrams."));
    }
    let (shards, shard, reserved) = (attrs.count("num_shards")?, attrs.count("shard")?, attrs.count("num_reserved_ids")?);
    if shard >= shards {
        return Err(invalid_argument(format!("shard must be below num_shards, got {shard} of {shards}")));
    }
    let given = if file.is_empty() { given.to_vec() } else { of_file(file)? };
    if let Some(bad) = given.iter().find(|w| !w.is_finite() || **w < 0.0) {
        return Err(invalid_argument(format!("a unigram must be a number from 0, got {bad}")));
    }
    let distortion = attrs.float("distortion")?;
    if i32::try_from(reserved).is_err() {
        return Err(invalid_argument(format!("num_reserved_ids is too large: {reserved}")));
    }
    // TF counts on from the reserved classes of the shard, not from all of them.
    let own = (0..reserved).filter(|id| id % shards == shard).count();
    let of_shard = given.iter().enumerate().filter(|(i, _)| (own + i) % shards == shard);
    let weights: Vec<f32> = std::iter::repeat_n(0.0, own).chain(of_shard.map(|(_, w)| w.powf(distortion))).collect();
    // A shard numbers its classes from 0.
    let range = attrs.int("range_max")?;
    if i64::try_from(weights.len()).ok() != Some(range) || u32::try_from(range).is_err() {
        return Err(invalid_argument(format!("range is {range} must be equal to weights size {}", weights.len())));
    }
    let total: f32 = weights.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        return Err(invalid_argument("the unigrams of the shard must have a sum above 0"));
    }
    Ok(Unigrams { table: AliasTable::new(&weights), weights, total })
}

/// The last column of each line.
fn of_file(path: &str) -> Result<Vec<f32>> {
    let text = std::fs::read(path).map_err(|e| ferroflow_tensor::Error::from(e).context(path))?;
    let lines = text.split(|&b| b == b'\n').map(|l| l.trim_ascii()).filter(|l| !l.is_empty());
    let number = |line: &[u8]| -> Option<f32> { std::str::from_utf8(line.rsplit(|&b| b == b',').next()?).ok()?.trim().parse().ok() };
    let bad = |line: &[u8]| invalid_argument(format!("Wrong vocabulary format at line: {}", String::from_utf8_lossy(line)));
    lines.map(|line| number(line).ok_or_else(|| bad(line))).collect()
}
