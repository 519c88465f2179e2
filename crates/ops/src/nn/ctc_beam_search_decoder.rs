//! `CTCBeamSearchDecoder`: likely sequences of labels without alignment.

use super::ctc::{Scores, log_sum, narrow};
use crate::prelude::*;
use std::collections::HashMap;

pub const OP: OpSpec = OpSpec {
    signature: "CTCBeamSearchDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: top_paths * int64, decoded_values: top_paths * int64, decoded_shape: top_paths * int64, log_probability: T)",
    attrs: "beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = true; T: type in {float, double} = float",
    doc: "For each sequence the `top_paths` likeliest ones of labels that a search with `beam_width` candidates finds, as sparse matrices, and the logarithms of their probabilities.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

const NONE: f64 = f64::NEG_INFINITY;

/// Logarithms of the probabilities that the paths of a prefix end with its label, with a blank, or either.
#[derive(Clone, Copy)]
struct Ends {
    total: f64,
    blank: f64,
    label: f64,
}

const NOWHERE: Ends = Ends { total: NONE, blank: NONE, label: NONE };

/// A prefix: that of its parent and a label.
struct Prefix {
    parent: Option<usize>,
    label: Option<usize>,
    children: HashMap<usize, usize>,
    old: Ends,
    new: Ends,
}

/// The candidates, by falling probability.
struct Beam {
    prefixes: Vec<Prefix>,
    leaves: Vec<usize>,
    width: usize,
}

impl Beam {
    fn new(width: usize) -> Beam {
        let start = Ends { total: 0.0, blank: 0.0, label: NONE };
        let root = Prefix { parent: None, label: None, children: HashMap::new(), old: NOWHERE, new: start };
        Beam { prefixes: vec![root], leaves: vec![0], width }
    }

    fn push(&mut self, prefix: usize) {
        let total = self.prefixes[prefix].new.total;
        let place = self.leaves.partition_point(|&l| self.prefixes[l].new.total >= total);
        self.leaves.insert(place, prefix);
    }

    /// Whether a prefix of this probability is one of the candidates.
    fn has_room(&self, total: f64) -> bool {
        total > NONE && (self.leaves.len() < self.width || self.leaves.last().is_some_and(|&l| total > self.prefixes[l].new.total))
    }

    /// Goes on by a moment with these logarithms of probabilities.
    fn step(&mut self, log_y: &[f64]) {
        let blank = log_y.len() - 1;
        let branches = std::mem::take(&mut self.leaves);
        for &b in &branches {
            self.prefixes[b].old = self.prefixes[b].new;
        }
        for &b in &branches {
            let prefix = &self.prefixes[b];
            let mut new = prefix.new;
            if let (Some(parent), Some(label)) = (prefix.parent, prefix.label) {
                let parent = &self.prefixes[parent];
                if parent.new.total > NONE {
                    // The same label again makes a new one only after a blank.
                    let before = if parent.label == Some(label) { parent.old.blank } else { parent.old.total };
                    new.label = log_sum(new.label, before);
                }
                new.label += log_y[label];
            }
            new.blank = prefix.old.total + log_y[blank];
            new.total = log_sum(new.blank, new.label);
            self.prefixes[b].new = new;
            self.push(b);
        }
        for &b in &branches {
            let old = self.prefixes[b].old;
            if !self.has_room(old.total) {
                continue;
            }
            for (label, log) in log_y[..blank].iter().enumerate() {
                let child = self.prefixes[b].children.get(&label).copied();
                if child.is_some_and(|c| self.prefixes[c].new.total > NONE) {
                    continue;
                }
                let before = if self.prefixes[b].label == Some(label) { old.blank } else { old.total };
                let total = log + before;
                if !self.has_room(total) {
                    if let Some(c) = child {
                        (self.prefixes[c].old, self.prefixes[c].new) = (NOWHERE, NOWHERE);
                    }
                    continue;
                }
                if self.leaves.len() == self.width
                    && let Some(last) = self.leaves.pop()
                {
                    self.prefixes[last].new = NOWHERE;
                }
                let new = Ends { total, blank: NONE, label: total };
                let c = child.unwrap_or(self.prefixes.len());
                if child.is_none() {
                    self.prefixes.push(Prefix { parent: Some(b), label: Some(label), children: HashMap::new(), old: NOWHERE, new });
                    self.prefixes[b].children.insert(label, c);
                }
                self.prefixes[c].new = new;
                self.push(c);
            }
        }
    }

    /// The labels of a prefix.
    fn labels(&self, mut prefix: usize, merge_repeated: bool) -> Vec<i64> {
        let mut labels = Vec::new();
        while let (Some(parent), Some(label)) = (self.prefixes[prefix].parent, self.prefixes[prefix].label) {
            labels.push(label as i64);
            prefix = parent;
        }
        labels.reverse();
        if merge_repeated {
            labels.dedup();
        }
        labels
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (width, paths) = (attrs.count("beam_width")?, attrs.count("top_paths")?);
    let merge = attrs.bool("merge_repeated")?;
    let x = ctx.input(0)?;
    let scores = Scores::of(ctx)?;
    if x.num_elements() == 0 {
        return Err(invalid_argument("inputs must not be empty"));
    }
    let lengths = scores.lengths(ctx, 1, false)?;
    if paths > width {
        return Err(invalid_argument("requested more paths than the beam width."));
    }
    let mut decoded: Vec<Vec<Vec<i64>>> = vec![Vec::new(); paths];
    let mut logs = Vec::new();
    for (b, &length) in lengths.iter().enumerate() {
        let mut beam = Beam::new(width);
        for t in 0..length {
            beam.step(&scores.log_probabilities(t, b));
        }
        if beam.leaves.len() < paths {
            return Err(invalid_argument("Less leaves in the beam search than requested."));
        }
        for (path, &leaf) in decoded.iter_mut().zip(&beam.leaves) {
            path.push(beam.labels(leaf, merge));
            logs.push(beam.prefixes[leaf].new.total);
        }
    }
    let dtype = x.dtype();
    for (i, sequences) in decoded.iter().enumerate() {
        let values: Vec<i64> = sequences.iter().flatten().copied().collect();
        let indices: Vec<i64> =
            sequences.iter().enumerate().flat_map(|(b, s)| (0..s.len()).flat_map(move |t| [b as i64, t as i64])).collect();
        let longest = sequences.iter().map(Vec::len).max().unwrap_or(0);
        ctx.set_output(i, crate::sparse::coo::matrix(values.len(), 2, &indices)?);
        ctx.set_output(paths + i, Tensor::vector(&values)?);
        ctx.set_output(2 * paths + i, Tensor::vector(&[scores.batch as i64, longest as i64])?);
    }
    ctx.set_output(3 * paths, narrow(dtype, &[scores.batch, paths], &logs)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 3)?;
    let batch = PartialShape::new(&[x.dim(1)]).merge(&c.with_rank(1, 1)?)?;
    let paths = c.node().attrs.count("top_paths")?;
    for i in 0..paths {
        c.set_output(i, PartialShape::new(&[None, Some(2)]));
        c.set_output(paths + i, PartialShape::of_rank(1));
        c.set_output(2 * paths + i, PartialShape::new(&[Some(2)]));
    }
    c.set_output(3 * paths, PartialShape::new(&[batch.dim(0), Some(paths as i64)]));
    Ok(())
}
