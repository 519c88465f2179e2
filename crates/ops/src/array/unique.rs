//! `Unique`: the distinct elements of a vector.

use super::distinct;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Unique(x: T) -> (y: T, idx: out_idx)",
    attrs: "T: type; out_idx: type in {int32, int64} = int32",
    doc: "The distinct elements of the vector `x` in order of their first appearance, and for each element of `x` its place in `y`.",
    shape: distinct::infer,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(distinct::of_vector)],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_the_order_of_their_first_appearance() {
        let y = OpTester::new(&OP).input(tensor(&[5], &[7i64, 1, 7, 3, 1])).run().unwrap();
        assert_eq!(y[0].as_slice::<i64>().unwrap(), [7, 1, 3]);
        assert_eq!(y[1].as_slice::<i32>().unwrap(), [0, 1, 0, 2, 1]);
        let long = "x".repeat(1_000_000);
        let y = OpTester::new(&OP).input(strings(&[4], &["", &long, "", &long])).run().unwrap();
        assert_eq!(y[1].as_slice::<i32>().unwrap(), [0, 1, 0, 1]);
    }

    #[test]
    fn zeros_are_equal_and_nan_equals_nothing() {
        let y = OpTester::new(&OP).input(tensor(&[4], &[0f32, -0.0, f32::NAN, f32::NAN])).run().unwrap();
        assert_eq!(y[1].as_slice::<i32>().unwrap(), [0, 0, 1, 2]);
        assert_eq!(OpTester::new(&OP).input(tensor::<f32>(&[0], &[])).run().unwrap()[0].dims(), [0]);
        assert_eq!(OpTester::new(&OP).input(tensor(&[1, 1], &[1i32])).run().unwrap_err().bare_message(), "unique expects a 1D vector.");
    }
}
