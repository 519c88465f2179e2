//! Seeds of datasets, and the generator that gives each iterator seeds of its own (TF: `RandomSeeds`, `SeedGenerator`,
//! `SingleSampleAdapter`).

use ferroflow_tensor::Philox;
use parking_lot::Mutex;
use std::hash::{BuildHasher, RandomState};

/// Single words of a Philox generator, in order.
pub(super) struct Words {
    generator: Philox,
    block: [u32; 4],
    used: usize,
}

impl Words {
    /// The words of the generator with these seeds.
    pub(super) fn new((seed, seed2): (i64, i64)) -> Words {
        Words { generator: Philox::new(seed, seed2), block: [0; 4], used: 4 }
    }

    /// The next word.
    pub(super) fn next(&mut self) -> u32 {
        if self.used >= self.block.len() {
            self.block = self.generator.next_block();
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
}

/// The seeds that a node's inputs stand for: two zeros ask for any.
pub(super) fn resolved(seed: i64, seed2: i64) -> (i64, i64) {
    if (seed, seed2) != (0, 0) {
        return (seed, seed2);
    }
    // The standard library's hasher has a random key; this process needs no other source.
    let random = RandomState::new();
    (random.hash_one(1u8) as i64, random.hash_one(2u8) as i64)
}

/// Where a generator of seeds stands: the seeds that it began with, and how many iterators have had some of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Standing {
    pub(super) origin: (i64, i64),
    pub(super) given: u64,
}

struct Sequence {
    standing: Standing,
    words: Words,
}

impl Sequence {
    /// The sequence at some place. Words are drawn two at a time, four of them at once.
    fn at(standing: Standing) -> Sequence {
        let mut words = Words::new(standing.origin);
        words.generator.skip(u128::from(standing.given / 2));
        if standing.given % 2 == 1 {
            words.next();
            words.next();
        }
        Sequence { standing, words }
    }
}

/// Gives seeds to the iterators of a dataset: each the same or, to shuffle anew each time, the next of a sequence.
pub(super) struct SeedGenerator {
    reshuffle: bool,
    sequence: Mutex<Sequence>,
}

impl SeedGenerator {
    /// A generator; with `reshuffle` each iterator gets other seeds.
    pub(super) fn new(seeds: (i64, i64), reshuffle: bool) -> SeedGenerator {
        SeedGenerator { reshuffle, sequence: Mutex::new(Sequence::at(Standing { origin: seeds, given: 0 })) }
    }

    /// The seeds of the next iterator, and where the generator stood before.
    pub(super) fn next(&self) -> ((i64, i64), Standing) {
        let mut sequence = self.sequence.lock();
        let before = sequence.standing;
        if !self.reshuffle {
            return (before.origin, before);
        }
        sequence.standing.given += 1;
        ((i64::from(sequence.words.next()), i64::from(sequence.words.next())), before)
    }

    /// Goes on from where some generator, perhaps of another process, stood.
    pub(super) fn stand(&self, standing: Standing) {
        *self.sequence.lock() = Sequence::at(standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_goes_on_from_where_another_stood() {
        let first = SeedGenerator::new((3, 4), true);
        let drawn: Vec<_> = (0..5).map(|_| first.next()).collect();
        for (k, (seeds, before)) in drawn.iter().enumerate() {
            let other = SeedGenerator::new((0, 9), true);
            other.stand(*before);
            assert_eq!((other.next().0, before.given), (*seeds, k as u64));
        }
        let fixed = SeedGenerator::new((1, 2), false);
        assert_eq!((fixed.next().0, fixed.next().0), ((1, 2), (1, 2)));
    }
}
