//! The factors Q and R of a matrix by Householder's reflections, with the signs that Eigen gives them (TF: `HouseholderQR`).

use nalgebra::ComplexField;

/// Numbers that are calculated with here.
pub(super) trait Number: ComplexField<RealField = f64> + Copy {}
impl<F: ComplexField<RealField = f64> + Copy> Number for F {}

/// A matrix as the product of a unitary one, kept as reflections, and a triangle.
pub(super) struct Householder<F> {
    /// The triangle, and under it the reflections.
    packed: Vec<F>,
    weights: Vec<F>,
    rows: usize,
    columns: usize,
}

/// Applies the reflection 1 - weight v v* to columns `from..` of `a`; v has a leading 1 at row `k`, the rest is `tail`.
fn reflect<F: Number>(a: &mut [F], columns: usize, k: usize, tail: &[F], weight: F, from: usize) {
    for c in from..columns {
        let dot = tail.iter().enumerate().fold(a[k * columns + c], |sum, (i, v)| sum + v.conjugate() * a[(k + 1 + i) * columns + c]);
        let scaled = weight * dot;
        a[k * columns + c] -= scaled;
        tail.iter().enumerate().for_each(|(i, &v)| a[(k + 1 + i) * columns + c] -= v * scaled);
    }
}

impl<F: Number> Householder<F> {
    /// The factors of a matrix.
    pub(super) fn of(mut a: Vec<F>, rows: usize, columns: usize) -> Householder<F> {
        let mut weights = Vec::new();
        for k in 0..rows.min(columns) {
            let lead = a[k * columns + k];
            let below: f64 = (k + 1..rows).map(|i| a[i * columns + k].modulus_squared()).sum();
            if below <= f64::MIN_POSITIVE && lead.imaginary().powi(2) <= f64::MIN_POSITIVE {
                (k + 1..rows).for_each(|i| a[i * columns + k] = F::zero());
                weights.push(F::zero());
                continue;
            }
            let norm = (lead.modulus_squared() + below).sqrt();
            let end = F::from_real(if lead.real() >= 0.0 { -norm } else { norm });
            let tail: Vec<F> = (k + 1..rows).map(|i| a[i * columns + k] / (lead - end)).collect();
            let weight = ((end - lead) / end).conjugate();
            reflect(&mut a, columns, k, &tail, weight, k + 1);
            a[k * columns + k] = end;
            tail.iter().enumerate().for_each(|(i, &v)| a[(k + 1 + i) * columns + k] = v);
            weights.push(weight);
        }
        Householder { packed: a, weights, rows, columns }
    }

    /// The first `height` rows of the triangle.
    pub(super) fn r(&self, height: usize) -> Vec<F> {
        let at = |p: usize| if p / self.columns <= p % self.columns { self.packed[p] } else { F::zero() };
        (0..height * self.columns).map(at).collect()
    }

    /// The first `width` columns of the unitary factor.
    pub(super) fn q(&self, width: usize) -> Vec<F> {
        let mut q: Vec<F> = (0..self.rows * width).map(|p| if p / width == p % width { F::one() } else { F::zero() }).collect();
        for (k, weight) in self.weights.iter().enumerate().rev() {
            let tail: Vec<F> = (k + 1..self.rows).map(|i| self.packed[i * self.columns + k]).collect();
            reflect(&mut q, width, k, &tail, weight.conjugate(), 0);
        }
        q
    }
}
