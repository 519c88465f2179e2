//! Pixels as weighted sums of the four around a place on each axis (TF: `resize_bicubic_op`).

use super::resizing::Scale;

/// Places between two pixels are rounded to so many.
const STEPS: usize = 1024;

/// Four pixels along an axis and their weights.
pub(super) struct Four {
    pub(super) at: [usize; 4],
    pub(super) weight: [f32; 4],
}

/// The cubic kernel with parameter `a`, at distance `i / STEPS` (near) and one more (far).
fn weights(a: f32, i: usize) -> [f32; 2] {
    let x = i as f32 / STEPS as f32;
    let near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    let x = x + 1.0;
    [near, ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a]
}

/// For each of `to` places the pixels among `from` that it is made of.
pub(super) fn fours(scale: Scale, from: usize, to: usize) -> Vec<Four> {
    let factor = scale.factor(from, to);
    let last = from as i64 - 1;
    let place = |i: usize| {
        let at = if scale.half_pixel_centers { (i as f32 + 0.5) * factor - 0.5 } else { i as f32 * factor };
        let floor = at.floor();
        let step = ((at - floor) * STEPS as f32).round_ties_even() as usize;
        // With half pixel centres it is Keys' kernel, and pixels outside the image do not count.
        let a = if scale.half_pixel_centers { -0.5 } else { -0.75 };
        let ([near, far], [next, after]) = (weights(a, step), weights(a, STEPS - step));
        let mut weight = [far, near, next, after];
        let wanted = [-1, 0, 1, 2].map(|k| floor as i64 + k);
        let at = wanted.map(|p| p.clamp(0, last));
        if scale.half_pixel_centers {
            for k in 0..4 {
                if at[k] != wanted[k] {
                    weight[k] = 0.0;
                }
            }
            let sum: f32 = weight.iter().sum();
            if sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
                weight = weight.map(|w| w / sum);
            }
        }
        Four { at: at.map(|p| p as usize), weight }
    };
    (0..to).map(place).collect()
}
