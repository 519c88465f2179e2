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

/// Gives seeds to the iterators of a dataset.
pub(super) enum SeedGenerator {
    /// The same for each.
    Fixed((i64, i64)),
    /// The next of a sequence for each.
    Random(Mutex<Words>),
}

impl SeedGenerator {
    /// A generator; with `reshuffle` each iterator gets other seeds.
    pub(super) fn new(seeds: (i64, i64), reshuffle: bool) -> SeedGenerator {
        if reshuffle { SeedGenerator::Random(Mutex::new(Words::new(seeds))) } else { SeedGenerator::Fixed(seeds) }
    }

    /// The seeds of the next iterator.
    pub(super) fn next(&self) -> (i64, i64) {
        match self {
            SeedGenerator::Fixed(seeds) => *seeds,
            SeedGenerator::Random(words) => {
                let mut words = words.lock();
                (i64::from(words.next()), i64::from(words.next()))
            }
        }
    }
}
