//! How words of the generator become numbers, bit for bit as TF's kernels do it: uniform, normal and truncated normal.

use super::philox_source::Words;
use crate::parallel::pool;
use ferroflow_graph::kernel::StepContext;
use ferroflow_math::for_each_part;
use ferroflow_tensor::{Element, Philox};
use half::{bf16, f16};

/// Samples farther from the mean than this many standard deviations are drawn again.
const TRUNCATION: f64 = 2.0;
/// Least value whose logarithm is taken.
const EPSILON: f64 = 1.0e-7;
/// Blocks reserved for one output of a distribution that draws again.
const RESERVED_BLOCKS: u128 = 256;
/// Groups of outputs per task.
const GRAIN: usize = 4096;

/// A floating-point type that can be drawn.
pub(crate) trait RandomFloat: Element {
    /// Outputs that one block of four words makes.
    const PER_BLOCK: usize;
    /// Uniform in [0, 1) from a block; fills the first `PER_BLOCK` places.
    fn uniform(words: [u32; 4]) -> [Self; 4];
    /// Normal from a block; fills the first `PER_BLOCK` places.
    fn normal(words: [u32; 4]) -> [Self; 4];
    /// Two samples of the normal distribution, to be kept or not, and their absolute values.
    fn normal_pair(words: &mut Words) -> [(Self, f64); 2];
}

fn uniform_f32(word: u32) -> f32 {
    f32::from_bits(0x3f80_0000 | (word & 0x7f_ffff)) - 1.0
}

fn uniform_f64(high: u32, low: u32) -> f64 {
    f64::from_bits(1023 << 52 | ((high & 0xf_ffff) as u64) << 32 | low as u64) - 1.0
}

/// Two normal samples from two words (Box–Muller).
fn box_muller_f32(a: u32, b: u32) -> (f32, f32) {
    let u = uniform_f32(a).max(EPSILON as f32);
    let angle = (2.0 * std::f64::consts::PI * uniform_f32(b) as f64) as f32;
    let radius = (-2.0 * u.ln()).sqrt();
    (angle.sin() * radius, angle.cos() * radius)
}

/// Two normal samples from four words (Box–Muller).
fn box_muller_f64(w: [u32; 4]) -> (f64, f64) {
    let u = uniform_f64(w[0], w[1]).max(EPSILON);
    let angle = 2.0 * std::f64::consts::PI * uniform_f64(w[2], w[3]);
    let radius = (-2.0 * u.ln()).sqrt();
    (angle.sin() * radius, angle.cos() * radius)
}

impl RandomFloat for f32 {
    const PER_BLOCK: usize = 4;
    fn uniform(words: [u32; 4]) -> [f32; 4] {
        words.map(uniform_f32)
    }
    fn normal(w: [u32; 4]) -> [f32; 4] {
        let (a, b) = (box_muller_f32(w[0], w[1]), box_muller_f32(w[2], w[3]));
        [a.0, a.1, b.0, b.1]
    }
    fn normal_pair(words: &mut Words) -> [(f32, f64); 2] {
        let (a, b) = (words.draw(), words.draw());
        let pair = box_muller_f32(a, b);
        [(pair.0, pair.0.abs() as f64), (pair.1, pair.1.abs() as f64)]
    }
}

impl RandomFloat for f64 {
    const PER_BLOCK: usize = 2;
    fn uniform(w: [u32; 4]) -> [f64; 4] {
        [uniform_f64(w[0], w[1]), uniform_f64(w[2], w[3]), 0.0, 0.0]
    }
    fn normal(w: [u32; 4]) -> [f64; 4] {
        let pair = box_muller_f64(w);
        [pair.0, pair.1, 0.0, 0.0]
    }
    fn normal_pair(words: &mut Words) -> [(f64, f64); 2] {
        let w = [words.draw(), words.draw(), words.draw(), words.draw()];
        let pair = box_muller_f64(w);
        [(pair.0, pair.0.abs()), (pair.1, pair.1.abs())]
    }
}

macro_rules! narrow {
    ($($ty:ty, $word:ident => $uniform:expr;)*) => {
        $(impl RandomFloat for $ty {
            const PER_BLOCK: usize = 4;
            fn uniform(words: [u32; 4]) -> [$ty; 4] {
                words.map(|$word| <$ty>::from_f32($uniform.to_f32() - 1.0))
            }
            fn normal(words: [u32; 4]) -> [$ty; 4] {
                f32::normal(words).map(<$ty>::from_f32)
            }
            fn normal_pair(words: &mut Words) -> [($ty, f64); 2] {
                f32::normal_pair(words).map(|(x, size)| (<$ty>::from_f32(x), size))
            }
        })*
    };
}

narrow! {
    f16, word => f16::from_bits(15 << 10 | (word & 0x3ff) as u16);
    bf16, word => bf16::from_bits(127 << 7 | (word & 0x7f) as u16);
}

/// Fills `out` from consecutive blocks.
pub(crate) fn fill_blocks<T: Element>(
    step: &StepContext,
    generator: &Philox,
    out: &mut [T],
    per_block: usize,
    make: impl Fn([u32; 4]) -> [T; 4] + Sync,
) {
    let whole = out.len() / per_block;
    let (groups, rest) = out.split_at_mut(whole * per_block);
    for_each_part(&pool(step), groups, whole, GRAIN, &|range, part| {
        let mut generator = generator.skipped(range.start as u128);
        for group in part.chunks_exact_mut(per_block) {
            group.copy_from_slice(&make(generator.next_block())[..per_block]);
        }
    });
    if !rest.is_empty() {
        let last = make(generator.skipped(whole as u128).next_block());
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// Fills `out` with truncated normal samples. Each group of outputs draws from its own stretch, since it may need several tries.
pub(crate) fn fill_truncated<T: RandomFloat>(step: &StepContext, generator: &Philox, out: &mut [T]) {
    let per_group = T::PER_BLOCK;
    let stretch = RESERVED_BLOCKS * per_group as u128 / 4;
    let whole = out.len() / per_group;
    let (groups, rest) = out.split_at_mut(whole * per_group);
    let fill = |group: usize, out: &mut [T]| {
        let mut words = Words::new(generator.skipped(stretch * group as u128));
        let mut filled = 0;
        loop {
            for (sample, size) in T::normal_pair(&mut words) {
                if size < TRUNCATION {
                    if filled == out.len() {
                        return;
                    }
                    out[filled] = sample;
                    filled += 1;
                }
            }
            if filled == out.len() {
                return;
            }
        }
    };
    for_each_part(&pool(step), groups, whole, GRAIN / 4, &|range, part| {
        range.zip(part.chunks_exact_mut(per_group)).for_each(|(i, group)| fill(i, group));
    });
    if !rest.is_empty() {
        fill(whole, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bare_step;

    #[test]
    fn the_number_of_threads_does_not_change_the_numbers() {
        let generator = Philox::new(5, 6);
        let draw = |threads: usize| {
            let (mut uniform, mut truncated) = (vec![0f32; 50_001], vec![0f64; 30_001]);
            let step = bare_step(threads);
            fill_blocks(&step, &generator, &mut uniform, 4, f32::uniform);
            fill_truncated(&step, &generator, &mut truncated);
            (uniform, truncated)
        };
        let (one, four) = (draw(1), draw(4));
        assert_eq!(one, four);
        assert!(one.0.iter().all(|x| (0.0..1.0).contains(x)));
        assert!(one.1.iter().all(|x| x.abs() < 2.0));
    }
}
