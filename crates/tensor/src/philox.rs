//! Philox 4x32-10, the counter-based random generator of TF's kernels (TF: `PhiloxRandom`, `GuardedPhiloxRandom`).

const M0: u32 = 0xD251_1F53;
const M1: u32 = 0xCD9E_8D57;
const W0: u32 = 0x9E37_79B9;
const W1: u32 = 0xBB67_AE85;

/// A generator: a 128-bit counter and a 64-bit key. Each block of four words belongs to one counter value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Philox {
    counter: u128,
    key: u64,
}

impl Philox {
    /// The generator of a kernel with attributes `seed` and `seed2`.
    pub fn new(seed: i64, seed2: i64) -> Philox {
        Philox { counter: (seed2 as u64 as u128) << 64, key: seed as u64 }
    }

    /// A generator of this counter and key.
    pub fn from_parts(counter: u128, key: u64) -> Philox {
        Philox { counter, key }
    }

    /// Moves the counter on by `blocks`.
    pub fn skip(&mut self, blocks: u128) {
        self.counter = self.counter.wrapping_add(blocks);
    }

    /// This generator moved on by `blocks`.
    pub fn skipped(&self, blocks: u128) -> Philox {
        Philox { counter: self.counter.wrapping_add(blocks), key: self.key }
    }

    /// The next block of four words.
    pub fn next_block(&mut self) -> [u32; 4] {
        let block = self.block();
        self.skip(1);
        block
    }

    fn block(&self) -> [u32; 4] {
        let mut c = [self.counter as u32, (self.counter >> 32) as u32, (self.counter >> 64) as u32, (self.counter >> 96) as u32];
        let mut key = [self.key as u32, (self.key >> 32) as u32];
        for round in 0..10 {
            if round > 0 {
                key = [key[0].wrapping_add(W0), key[1].wrapping_add(W1)];
            }
            let p0 = M0 as u64 * c[0] as u64;
            let p1 = M1 as u64 * c[2] as u64;
            c = [(p1 >> 32) as u32 ^ c[1] ^ key[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ key[1], p0 as u32];
        }
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RandomUniform's mapping of a word to [0, 1).
    fn uniform(word: u32) -> f32 {
        f32::from_bits(0x3f80_0000 | (word & 0x7f_ffff)) - 1.0
    }

    #[test]
    fn words_equal_those_of_tensorflow() {
        let mut g = Philox::new(87654321, 7);
        let words: Vec<f32> = (0..2).flat_map(|_| g.next_block()).map(uniform).collect();
        let recorded = [0.48394096, 0.50620306, 0.25514376, 0.12474227, 0.9330101, 0.6646093, 0.22922444];
        assert_eq!(words[..7], recorded);
        let second_run = Philox::new(87654321, 7).skipped(256 * 7).next_block();
        assert_eq!(uniform(second_run[0]), 0.6494907);
    }
}
