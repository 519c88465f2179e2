//! `ParallelDynamicStitch`: as `DynamicStitch`, for indices that do not repeat; a lookup in a table that is spread over parameter
//! servers puts its rows together with it.

use super::dynamic_stitch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParallelDynamicStitch(indices: N * int32, data: N * T) -> (merged: T)",
    doc: "`merged[indices[m][i, ...]] = data[m][i, ...]`; which one wins where indices repeat is not said (here: the last one).",
    ..dynamic_stitch::OP
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_where_the_indices_say() {
        let merged = OpTester::new(&OP)
            .input_list([tensor(&[2], &[2i32, 0]), tensor(&[1], &[1i32])])
            .input_list([tensor(&[2, 1], &[20f32, 0.0]), tensor(&[1, 1], &[10f32])])
            .run_one()
            .unwrap();
        assert_eq!((merged.dims(), merged.as_slice::<f32>().unwrap()), (&[3i64, 1][..], &[0.0, 10.0, 20.0][..]));
    }
}
