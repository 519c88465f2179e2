//! The handwritten digits that come with ferroflow: 1,797 images of 8x8 pixels; see `digits/ORIGIN.md`.

use crate::data_set::{DataSet, Split};
use ferroflow_tensor::Result;

static FILE: &[u8] = include_bytes!("../digits/digits.bin");

const PIXELS: usize = 64;
const CLASSES: usize = 10;
/// Brightest value of a pixel in the file.
const WHITE: f32 = 16.0;
/// One example in five is for testing.
const TEST_EVERY: usize = 5;
const SPLIT_SEED: u64 = 1797;

/// The digits, one in five set aside for testing. Always the same split.
///
/// Errors: none unless the embedded file is damaged.
pub fn digits() -> Result<Split> {
    let records = FILE.chunks_exact(PIXELS + 1);
    let features = records.clone().flat_map(|r| r[..PIXELS].iter().map(|&p| f32::from(p) / WHITE)).collect();
    let labels = records.map(|r| i64::from(r[PIXELS])).collect();
    DataSet::new(features, labels, PIXELS, CLASSES)?.split(TEST_EVERY, SPLIT_SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_are_whole() {
        let split = digits().unwrap();
        assert_eq!(split.train.len() + split.test.len(), 1797);
        assert_eq!(split.test.len(), 360);
        let (x, y) = split.test.tensors().unwrap();
        assert_eq!(x.dims(), [360, 64]);
        assert!(x.as_slice::<f32>().unwrap().iter().all(|v| (0.0..=1.0).contains(v)));
        let mut seen = [0; CLASSES];
        y.as_slice::<i64>().unwrap().iter().for_each(|&l| seen[l as usize] += 1);
        assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
    }
}
