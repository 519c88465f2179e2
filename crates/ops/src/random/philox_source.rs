//! `PhiloxSource`: the generator that a random kernel keeps (TF: `GuardedPhiloxRandom`).

use ferroflow_graph::kernel::KernelConstruction;
use ferroflow_tensor::{Philox, Result};
use parking_lot::Mutex;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// How many blocks of the generator belong to one output; more than any distribution uses.
const BLOCKS_PER_OUTPUT: u128 = 256;

/// A generator that several steps draw from. Each takes a stretch of its own.
pub(crate) struct PhiloxSource(Mutex<Philox>);

impl PhiloxSource {
    /// The generator of a node with attributes `seed` and `seed2`; both zero mean a seed that nobody knows.
    ///
    /// Errors: `InvalidArgument` without the attributes.
    pub(crate) fn of_node(c: &KernelConstruction) -> Result<PhiloxSource> {
        Ok(PhiloxSource::new(c.node.attrs.int("seed")?, c.node.attrs.int("seed2")?))
    }

    /// The generator of these seeds; both zero mean a seed that nobody knows.
    pub(crate) fn new(seed: i64, seed2: i64) -> PhiloxSource {
        let (seed, seed2) = if (seed, seed2) == (0, 0) { (entropy(), entropy()) } else { (seed, seed2) };
        PhiloxSource(Mutex::new(Philox::new(seed, seed2)))
    }

    /// A generator for this many outputs.
    pub(crate) fn for_outputs(&self, outputs: usize) -> Philox {
        self.reserve(outputs as u128 * BLOCKS_PER_OUTPUT)
    }

    /// A generator for this many blocks of four words.
    pub(crate) fn reserve(&self, blocks: u128) -> Philox {
        let mut generator = self.0.lock();
        let before = generator.clone();
        generator.skip(blocks);
        before
    }
}

/// A number from the operating system's randomness, which `RandomState` is seeded with.
fn entropy() -> i64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64));
    hasher.finish() as i64
}

/// The words of a generator one by one (TF: `SingleSampleAdapter`).
pub(crate) struct Words {
    generator: Philox,
    block: [u32; 4],
    used: usize,
}

impl Words {
    /// All words from the generator's next block on.
    pub(crate) fn new(generator: Philox) -> Words {
        Words { generator, block: [0; 4], used: 4 }
    }

    /// The next word.
    pub(crate) fn draw(&mut self) -> u32 {
        if self.used == 4 {
            self.block = self.generator.next_block();
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
}

/// Key and counter of a stateless op's seed pair, scrambled so that it does not matter which part of the seed varies.
pub(crate) fn key_and_counter(seed: [i64; 2]) -> (u64, [u64; 2]) {
    const KEY: u64 = 0x0246_1e29_3ec8_f720;
    let counter = seed[0] as u64 as u128 | (seed[1] as u64 as u128) << 64;
    let mix = Philox::from_parts(counter, KEY).next_block();
    (mix[0] as u64 | (mix[1] as u64) << 32, [0, mix[2] as u64 | (mix[3] as u64) << 32])
}

/// The generator of a stateless op's seed pair.
pub(crate) fn stateless(seed: [i64; 2]) -> Philox {
    let (key, [low, high]) = key_and_counter(seed);
    Philox::from_parts(low as u128 | (high as u128) << 64, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_do_not_overlap() {
        let source = PhiloxSource::new(1, 2);
        let (a, b) = (source.for_outputs(7), source.for_outputs(1));
        assert_eq!(b, a.skipped(256 * 7));
        assert_eq!(PhiloxSource::new(1, 2).for_outputs(1), a);
    }

    #[test]
    fn unseeded_sources_differ() {
        assert_ne!(PhiloxSource::new(0, 0).reserve(0), PhiloxSource::new(0, 0).reserve(0));
    }

    #[test]
    fn words_come_in_the_order_of_the_blocks() {
        let mut generator = Philox::new(3, 4);
        let mut words = Words::new(generator.clone());
        for _ in 0..2 {
            for word in generator.next_block() {
                assert_eq!(words.draw(), word);
            }
        }
    }
}
