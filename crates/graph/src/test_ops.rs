//! A small registry of ops for the tests of this crate: the real ones live a floor above.

use crate::builder::{Graph, Operation};
use crate::gradient::{Grad, OutGrads};
use crate::op::{Gradient, GradientFn, OpRegistry, OpSpec, WORDS};
use crate::shape_inference::{self as shape, ShapeContext};
use ferroflow_tensor::{PartialShape, Result};
use std::sync::Arc;

const fn op(signature: &'static str, attrs: &'static str, shape: crate::op::ShapeFn, gradient: Gradient) -> OpSpec {
    OpSpec { signature, attrs, shape, gradient, ..WORDS }
}

const fn of(f: GradientFn) -> Gradient {
    Gradient::Of(f)
}

use Gradient::{Undefined, Zero};

static OPS: [OpSpec; 34] = [
    op("NoOp() -> ()", "", shape::none, Undefined),
    op("Const() -> (output: dtype)", "value: tensor; dtype: type", constant, Zero),
    op("Placeholder() -> (output: dtype)", "dtype: type; shape: shape = unknown", placeholder, Zero),
    op("VariableV2() -> (ref: Ref(dtype))", "shape: shape; dtype: type", placeholder, Zero),
    op("VarHandleOp() -> (resource: resource)", "dtype: type; shape: shape", shape::scalar, Zero),
    op("ReadVariableOp(resource: resource) -> (value: dtype)", "dtype: type", shape::unknown, of(pass)),
    op(
        "ResourceGather(resource: resource, indices: Tindices) -> (output: dtype)",
        "dtype: type; Tindices: type in {int32, int64}",
        shape::unknown,
        of(gather),
    ),
    op("Identity(input: T) -> (output: T)", "T: type", shape::unchanged, of(pass)),
    op("StopGradient(input: T) -> (output: T)", "T: type", shape::unchanged, Zero),
    op("Floor(x: T) -> (y: T)", "T: type", shape::unchanged, Undefined),
    op("Neg(x: T) -> (y: T)", "T: type", shape::unchanged, of(neg)),
    op("AddV2(x: T, y: T) -> (z: T)", "T: type", shape::broadcast, of(add)),
    op("Sub(x: T, y: T) -> (z: T)", "T: type", shape::broadcast, Undefined),
    op("Mul(x: T, y: T) -> (z: T)", "T: type", shape::broadcast, of(mul)),
    op("RealDiv(x: T, y: T) -> (z: T)", "T: type", shape::broadcast, Undefined),
    op("Wrong(x: T) -> (y: T)", "T: type", shape::unchanged, of(|_, _| Ok(vec![]))),
    op(
        "WrongShape(x: T) -> (y: T)",
        "T: type",
        shape::unchanged,
        of(|op, _| Ok(vec![Some(op.graph().constant_vector(&[0f32; 7]).into())])),
    ),
    op("Unstack(value: T) -> (output: num * T)", "num: int; T: type", shape::unknown, of(unstack)),
    op("Pack(values: N * T) -> (output: T)", "N: int >= 1; T: type; axis: int = 0", pack, Undefined),
    op("Cast(x: SrcT) -> (y: DstT)", "SrcT: type; DstT: type; Truncate: bool = false", shape::unchanged, Undefined),
    op("AddN(inputs: N * T) -> (sum: T)", "N: int >= 1; T: type", shape::merged, Undefined),
    op("Shape(input: T) -> (output: out_type)", "T: type; out_type: type = int32", shape_of, Zero),
    op("Size(input: T) -> (output: out_type)", "T: type; out_type: type = int32", shape::scalar, Zero),
    op("Rank(input: T) -> (output: int32)", "T: type", shape::scalar, Zero),
    op("Fill(dims: index_type, value: T) -> (output: T)", "T: type; index_type: type = int32", filled, Undefined),
    op("Reshape(tensor: T, shape: Tshape) -> (output: T)", "T: type; Tshape: type = int32", reshaped, Undefined),
    op("ZerosLike(x: T) -> (y: T)", "T: type", shape::unchanged, Undefined),
    op("ConcatV2(values: N * T, axis: Tidx) -> (output: T)", "N: int; T: type; Tidx: type = int32", shape::unknown, Undefined),
    op("Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx)", "Tidx: type = int32", shape::unknown, Undefined),
    op(
        "StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T)",
        "T: type; Index: type; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
        shape::unknown,
        Undefined,
    ),
    op(
        "UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnum) -> (output: T)",
        "T: type; Tindices: type; Tnum: type = int32",
        shape::unknown,
        Undefined,
    ),
    op("RandomUniform(shape: T) -> (output: dtype)", "seed: int = 0; seed2: int = 0; dtype: type; T: type", shape::unknown, Undefined),
    op("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type; N: int >= 1", shape::merged, Undefined),
    op("NextIteration(data: T) -> (output: T)", "T: type", shape::unchanged, Undefined),
];

/// A graph over the test ops.
pub(crate) fn graph() -> Graph {
    Graph::with_registry(Arc::new(OpRegistry::new(&OPS).unwrap()))
}

fn constant(c: &mut ShapeContext) -> Result<()> {
    let s = c.node().attrs.tensor("value")?.shape().clone();
    c.set_output(0, s);
    Ok(())
}

fn placeholder(c: &mut ShapeContext) -> Result<()> {
    let s = c.node().attrs.shape("shape")?.clone();
    c.set_output(0, s);
    Ok(())
}

fn shape_of(c: &mut ShapeContext) -> Result<()> {
    let rank = c.input(0).rank().map(|r| r as i64);
    c.set_output(0, PartialShape::new(&[rank]));
    Ok(())
}

fn pack(c: &mut ShapeContext) -> Result<()> {
    let n = c.num_inputs() as i64;
    c.set_output(0, PartialShape::new(&[Some(n)]));
    Ok(())
}

fn filled(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(0)?;
    c.set_output(0, s);
    Ok(())
}

fn reshaped(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(1)?;
    c.set_output(0, s);
    Ok(())
}

fn pass(_: &Operation, g: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![g.get(0).cloned()])
}

fn neg(op: &Operation, g: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(op.graph().op("Neg").input(g.dense(0)).output().into())])
}

fn add(_: &Operation, g: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![g.get(0).cloned(), g.get(0).cloned()])
}

fn mul(op: &Operation, g: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let by = |i| Grad::from(op.graph().op("Mul").inputs([g.dense(0), op.input(i)]).output());
    Ok(vec![Some(by(1)), Some(by(0))])
}

fn unstack(op: &Operation, g: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let parts = (0..op.num_outputs()).map(|i| g.dense(i));
    Ok(vec![Some(op.graph().op("Pack").input_list(parts).output().into())])
}

fn gather(op: &Operation, g: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dense_shape = op.graph().constant_vector(&[5i32, 2]);
    Ok(vec![Some(Grad::Slices { values: g.dense(0), indices: op.input(1), dense_shape }), None])
}
