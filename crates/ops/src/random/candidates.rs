//! Classes to compare the true ones with, drawn at random: what the candidate samplers share (TF: `RangeSampler`, `candidate_sampler_ops`).

use super::alias_table::AliasTable;
use super::philox_source::{PhiloxSource, Words};
use crate::prelude::*;
use std::collections::HashSet;

/// Which classes are likely.
pub(super) enum Likely {
    /// All the same.
    Uniform,
    /// The lower the number, the likelier: log((k + 2) / (k + 1)) / log(n + 1).
    LogUniform,
    /// As given.
    Unigrams(Unigrams),
    /// Each once, in order.
    All,
}

/// How frequent classes are.
pub(super) struct Unigrams {
    pub(super) table: AliasTable,
    pub(super) weights: Vec<f32>,
    pub(super) total: f32,
}

struct Sampler {
    likely: Likely,
    source: PhiloxSource,
    classes: u64,
    sampled: usize,
    true_classes: usize,
    unique: bool,
}

/// The kernel of a candidate sampler.
///
/// Errors: `InvalidArgument` if more different classes are asked for than can be drawn.
pub(super) fn sampler(c: &KernelConstruction, likely: Likely) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let sampled = attrs.count("num_sampled")?;
    let classes = if matches!(likely, Likely::All) { sampled as u64 } else { attrs.int("range_max")? as u64 };
    let unique = attrs.bool("unique")?;
    let drawable = if let Likely::Unigrams(u) = &likely { u.weights.iter().filter(|w| **w > 0.0).count() as u64 } else { classes };
    if unique && (sampled as u64) > drawable {
        return Err(invalid_argument(format!("Sampler's range is too small: {sampled} different classes of {drawable}")));
    }
    Ok(Box::new(Sampler { likely, source: PhiloxSource::of_node(c)?, classes, sampled, true_classes: attrs.count("num_true")?, unique }))
}

/// A uniform number below `n`; values that would make some likelier are drawn again.
fn below(words: &mut Words, n: u64) -> u64 {
    let mut draw = || u64::from(words.draw()) | u64::from(words.draw()) << 32;
    if n.is_power_of_two() {
        return draw() & (n - 1);
    }
    let rejected = u64::MAX % n + 1;
    loop {
        let number = draw();
        if number >= rejected {
            return number % n;
        }
    }
}

impl Sampler {
    fn log_range(&self) -> f64 {
        (self.classes as f64).ln_1p()
    }

    fn draw(&self, words: &mut Words) -> i64 {
        match &self.likely {
            Likely::Uniform => return below(words, self.classes) as i64,
            Likely::Unigrams(u) => return u.table.draw(words) as i64,
            _ => {}
        }
        let (high, low) = (words.draw(), words.draw());
        let uniform = f64::from_bits(1023 << 52 | u64::from(high & 0xf_ffff) << 32 | u64::from(low)) - 1.0;
        // Rounding may reach the end of the range.
        (((uniform * self.log_range()).exp() as i64 - 1) as u64 % self.classes) as i64
    }

    fn probability(&self, class: i64) -> f32 {
        match &self.likely {
            Likely::Unigrams(u) => usize::try_from(class).ok().and_then(|c| u.weights.get(c)).map_or(0.0, |w| w / u.total),
            Likely::LogUniform => (((class as f64 + 2.0) / (class as f64 + 1.0)).ln() / self.log_range()) as f32,
            _ => 1.0 / self.classes as f32,
        }
    }
}

impl OpKernel for Sampler {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let given = ctx.input(0)?;
        let classes = if matches!(self.likely, Likely::All) { u64::MAX } else { self.classes };
        let known = check_true_classes(given, self.true_classes, classes)?;
        let (candidates, tries): (Vec<i64>, usize) = if matches!(self.likely, Likely::All) {
            ((0..self.sampled as i64).collect(), self.sampled)
        } else {
            // TF sets 2048 words aside for each candidate.
            let mut words = Words::new(self.source.reserve(512 * self.sampled as u128));
            let mut tries = 0;
            let (mut all, mut seen) = (crate::sparse::coo::filled(self.sampled, 0i64)?, HashSet::new());
            all.clear();
            while all.len() < self.sampled {
                let class = self.draw(&mut words);
                tries += 1;
                if !self.unique || seen.insert(class) {
                    all.push(class);
                }
            }
            (all, tries)
        };
        let count = |classes: &[i64]| match self.likely {
            Likely::All => vec![1.0; classes.len()],
            _ => counts(classes, self.sampled, tries, |class| self.probability(class)),
        };
        let of_true = Tensor::from_slice(given.shape().clone(), &count(known))?;
        let of_sampled = Tensor::vector(&count(&candidates))?;
        ctx.set_output(0, Tensor::vector(&candidates)?);
        ctx.set_output(1, of_true);
        ctx.set_output(2, of_sampled);
        Ok(())
    }
}

/// The true classes in a matrix of so many columns; all must lie below `classes`.
///
/// Errors: `InvalidArgument` if they do not.
pub(super) fn check_true_classes(given: &Tensor, columns: usize, classes: u64) -> Result<&[i64]> {
    if given.rank() != 2 {
        return Err(invalid_argument(format!("true_classes must be a matrix, got shape {}", given.shape())));
    }
    if given.dims()[1] != columns as i64 {
        return Err(invalid_argument(format!("true_classes must have num_true columns, expected: {columns} was: {}", given.dims()[1])));
    }
    let known = given.as_slice::<i64>()?;
    if classes != u64::MAX
        && let Some(bad) = known.iter().find(|&&c| c < 0 || c as u64 >= classes)
    {
        return Err(invalid_argument(format!("`true_candidate` out of range [0, {classes}), received {bad}")));
    }
    Ok(known)
}

/// How often each class is expected among so many candidates, which took so many tries.
pub(super) fn counts(classes: &[i64], sampled: usize, tries: usize, probability: impl Fn(i64) -> f32) -> Vec<f32> {
    let expected = |p: f32| {
        if tries == sampled { p * sampled as f32 } else { (-(tries as f64 * f64::from(-p).ln_1p()).exp_m1()) as f32 }
    };
    classes.iter().map(|&class| expected(probability(class))).collect()
}

/// The shapes of candidates and of both counts.
///
/// Errors: `InvalidArgument` if the true classes cannot be a matrix.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let given = c.with_rank(0, 2)?;
    let sampled = PartialShape::new(&[Some(c.node().attrs.int("num_sampled")?)]);
    c.set_output(0, sampled.clone());
    c.set_output(1, given);
    c.set_output(2, sampled);
    Ok(())
}
