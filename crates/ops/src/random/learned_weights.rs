//! Classes drawn by how often they were seen: what both learned samplers share (TF: `ThreadUnsafeUnigramSampler`, `WeightedPicker`).

use super::candidates::{check_true_classes, counts};
use super::philox_source::{PhiloxSource, Words};
use crate::prelude::*;
use parking_lot::Mutex;
use std::collections::HashSet;

/// Weights of classes with their sums over stretches, so that a place among all weights is found quickly.
struct Weights {
    /// Element i is the sum of the weights of the classes that end with i (a Fenwick tree).
    sums: Vec<i64>,
    own: Vec<i32>,
    total: i64,
}

impl Weights {
    /// A weight of 1 for each.
    fn new(classes: usize) -> Result<Weights> {
        let own = crate::sparse::coo::filled(classes, 1i32)?;
        let sums = (1..=classes).map(|i| (i & i.wrapping_neg()) as i64).collect();
        Ok(Weights { sums, own, total: classes as i64 })
    }

    fn add_one(&mut self, class: usize) {
        self.own[class] += 1;
        self.total += 1;
        let mut i = class + 1;
        while i <= self.sums.len() {
            self.sums[i - 1] += 1;
            i += i & i.wrapping_neg();
        }
    }

    /// The class whose weight covers a place below the total.
    fn at(&self, place: i64) -> usize {
        let (mut class, mut rest) = (0, place);
        let mut stretch = self.sums.len().next_power_of_two();
        while stretch > 0 {
            if let Some(sum) = self.sums.get(class + stretch - 1).filter(|sum| **sum <= rest) {
                rest -= sum;
                class += stretch;
            }
            stretch /= 2;
        }
        class.min(self.own.len().saturating_sub(1))
    }

    fn probability(&self, class: usize) -> f32 {
        self.own[class] as f32 / self.total as f32
    }
}

struct LearnedSampler {
    weights: Mutex<Weights>,
    source: PhiloxSource,
    sampled: usize,
    true_classes: usize,
    unique: bool,
}

/// The kernel.
///
/// Errors: `InvalidArgument` if more different classes are asked for than there are.
pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let (sampled, classes, unique) = (attrs.count("num_sampled")?, attrs.count("range_max")?, attrs.bool("unique")?);
    if i32::try_from(classes).is_err() {
        return Err(invalid_argument(format!("range_max is too large: {classes}")));
    }
    if unique && sampled > classes {
        return Err(invalid_argument(format!("Sampler's range is too small: {sampled} different classes of {classes}")));
    }
    let weights = Mutex::new(Weights::new(classes)?);
    Ok(Box::new(LearnedSampler { weights, source: PhiloxSource::of_node(c)?, sampled, true_classes: attrs.count("num_true")?, unique }))
}

/// A number below `n`; words that would make some likelier are drawn again.
fn below(words: &mut Words, n: u32) -> u32 {
    if n.is_power_of_two() {
        return words.draw() & (n - 1);
    }
    let rejected = u32::MAX % n.max(1) + 1;
    loop {
        let word = words.draw();
        if word >= rejected {
            return word % n.max(1);
        }
    }
}

impl OpKernel for LearnedSampler {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let given = ctx.input(0)?.clone();
        let mut weights = self.weights.lock();
        let known = check_true_classes(&given, self.true_classes, weights.own.len() as u64)?;
        // TF sets 2048 words aside for each candidate.
        let mut words = Words::new(self.source.reserve(512 * self.sampled as u128));
        let (mut candidates, mut seen, mut tries) = (Vec::new(), HashSet::new(), 0usize);
        while candidates.len() < self.sampled {
            let class = weights.at(i64::from(below(&mut words, weights.total as u32)));
            tries += 1;
            if !self.unique || seen.insert(class) {
                candidates.push(class as i64);
            }
        }
        let probability = |class: i64| weights.probability(class as usize);
        let [of_true, of_sampled] = [known, &candidates[..]].map(|all| counts(all, self.sampled, tries, probability));
        // The sum of the weights must stay a number of 32 bits.
        let room = usize::try_from(i64::from(i32::MAX) - weights.total).unwrap_or(0);
        known.iter().take(room).for_each(|&class| weights.add_one(class as usize));
        ctx.set_output(0, Tensor::vector(&candidates)?);
        ctx.set_output(1, Tensor::from_slice(given.shape().clone(), &of_true)?);
        ctx.set_output(2, Tensor::vector(&of_sampled)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_belongs_to_the_class_whose_weight_covers_it() {
        for classes in [1, 2, 5, 8, 13] {
            let mut weights = Weights::new(classes).unwrap();
            for class in (0..classes).chain([0, classes - 1, classes / 2]) {
                weights.add_one(class);
            }
            let all: Vec<usize> = (0..weights.total).map(|place| weights.at(place)).collect();
            let wanted: Vec<usize> = (0..classes).flat_map(|c| std::iter::repeat_n(c, weights.own[c] as usize)).collect();
            assert_eq!(all, wanted);
        }
    }
}
