//! `UniqueWithCounts`: the distinct elements of a vector and how often each appears.

use super::distinct;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UniqueWithCounts(x: T) -> (y: T, idx: out_idx, count: out_idx)",
    attrs: "T: type; out_idx: type in {int32, int64} = int32",
    doc: "As `Unique`, and how often each element of `y` appears in `x`.",
    shape: distinct::infer,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(distinct::of_vector)],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_belong_to_the_distinct_elements() {
        let y = OpTester::new(&OP).input(tensor(&[3], &[4u8, 5, 4])).attr("out_idx", DType::Int64).run().unwrap();
        assert_eq!(y[2].as_slice::<i64>().unwrap(), [2, 1]);
    }
}
