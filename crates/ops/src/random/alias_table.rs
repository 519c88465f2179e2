//! Drawing from a list of weights in constant time, by the alias method (TF: `DistributionSampler`).
//!
//! Every number owns a column of the same width. What it does not fill itself belongs to one other number, its alias, so a draw is a
//! column and a height.

use super::philox_source::Words;

pub(super) struct AliasTable(Vec<(f32, usize)>);

impl AliasTable {
    /// A table of these weights, none of which is negative.
    pub(super) fn new(weights: &[f32]) -> AliasTable {
        let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        let mut filled: Vec<f64> = weights.iter().map(|&w| f64::from(w) * weights.len() as f64 / sum).collect();
        let mut alias: Vec<usize> = (0..weights.len()).collect();
        let (mut low, mut high): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|&i| filled[i] < 1.0);
        // The order in which they meet decides what a draw gives, so it is TF's: the last of both lists.
        while let (Some(&short), Some(&long)) = (low.last(), high.last()) {
            low.pop();
            high.pop();
            alias[short] = long;
            filled[long] -= 1.0 - filled[short];
            if filled[long] < 1.0 { low.push(long) } else { high.push(long) }
        }
        // What is left on either side misses 1 by rounding only.
        for i in low.into_iter().chain(high) {
            (filled[i], alias[i]) = (1.0, i);
        }
        AliasTable(filled.iter().map(|&f| f as f32).zip(alias).collect())
    }

    /// A number, as likely as its weight.
    pub(super) fn draw(&self, words: &mut Words) -> usize {
        let height = f32::from_bits(127 << 23 | words.draw() & 0x7f_ffff) - 1.0;
        let column = below(words, self.0.len() as u32) as usize;
        match self.0.get(column) {
            Some(&(own, _)) if height < own => column,
            Some(&(_, alias)) => alias,
            None => column,
        }
    }
}

/// A uniform number below `n`; values that would make some likelier are drawn again.
fn below(words: &mut Words, n: u32) -> u32 {
    if n.is_power_of_two() {
        return words.draw() & (n - 1);
    }
    let rejected = u32::MAX % n.max(1) + 1;
    loop {
        let number = words.draw();
        if number >= rejected {
            return number % n.max(1);
        }
    }
}
