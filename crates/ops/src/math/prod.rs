//! `Prod`: the product over some axes.

use super::backward::{apply, conj};
use super::reduction::{reduction, reduction_shape, spread};
use crate::prelude::*;
use ferroflow_math::ReduceOp;

pub const OP: OpSpec = OpSpec {
    signature: "Prod(input: T, reduction_indices: Tidx) -> (output: T)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tidx: type in {int32, int64} = int32",
    doc: "output = the product of input over the axes reduction_indices; keep_dims leaves them with size 1.",
    shape: reduction_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| reduction(ctx, ReduceOp::Prod)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// For each element the product of all others, without a division, so that zeros do no harm: the reduced axes are moved to the
/// front, and the running products from both sides are multiplied.
fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let graph = op.graph();
    let (x, first) = (op.input(0), graph.constant(0i32));
    let dy = spread(op, &grads.dense(0))?;
    let axes = graph.op("Cast").input(op.input(1)).attr("DstT", DType::Int32).output();
    let axes = apply("Reshape", &[&axes, &graph.constant_vector(&[-1i32])]);
    let rank = apply("Rank", &[&x]);
    let axes = apply("FloorMod", &[&apply("AddV2", &[&axes, &rank]), &rank]);
    let all = apply("Range", &[&first, &rank, &graph.constant(1i32)]);
    let others = apply("ListDiff", &[&all, &axes]);
    let order = graph.op("ConcatV2").input_list([axes.clone(), others.clone()]).input(&first).output();
    let shape = apply("Shape", &[&x]);
    let size = |axes: &Output| apply("Prod", &[&apply("GatherV2", &[&shape, axes, &first]), &graph.constant_vector(&[0i32])]);
    let moved = apply("Transpose", &[&x, &order]);
    let matrix = apply("Reshape", &[&moved, &graph.op("Pack").input_list([size(&axes), size(&others)]).output()]);
    let product = |reverse: bool| {
        graph.op("Cumprod").inputs([matrix.clone(), first.clone()]).attr("exclusive", true).attr("reverse", reverse).output()
    };
    let rest = apply("Reshape", &[&(conj(&product(false)) * conj(&product(true))), &apply("Shape", &[&moved])]);
    let rest = apply("Transpose", &[&rest, &apply("InvertPermutation", &[&order])]);
    Ok(vec![Some((dy * rest).into()), None])
}
