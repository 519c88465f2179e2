//! What is known of a node's outputs before it runs: shapes, and the values of small integer tensors that shapes are computed with
//! (TF: `constant_value`, `constant_value_as_shape`).

use crate::node::NodeInfo;
use crate::shape_inference::HandleData;
use ferroflow_tensor::{DType, PartialShape, Shape, Tensor};

/// What is known of a node's outputs.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub(crate) shapes: Vec<PartialShape>,
    pub(crate) handles: Vec<HandleData>,
    /// The value of output 0, if it is constant and small.
    pub(crate) constant: Option<Tensor>,
    /// The shape that output 0 denotes as a vector of dimensions, as far as known.
    pub(crate) as_shape: Option<PartialShape>,
}

/// Constants with more elements than this are not looked at by shape functions.
const LARGEST_KNOWN: usize = 1024;

/// What is known of a node's inputs.
pub(super) struct Inputs<'a> {
    pub(super) info: &'a NodeInfo,
    pub(super) shapes: &'a [PartialShape],
    pub(super) constants: &'a [Option<Tensor>],
    pub(super) as_shapes: &'a [Option<PartialShape>],
}

impl Inputs<'_> {
    fn tensor(&self, i: usize) -> Option<&Tensor> {
        self.constants.get(i)?.as_ref()
    }

    /// Constant input `i`, a scalar of an integer type.
    fn int(&self, i: usize) -> Option<i64> {
        self.tensor(i)?.to_i64().ok()
    }

    /// Input `i` as a vector of dimensions, as far as known.
    fn dims(&self, i: usize) -> Option<Vec<Option<i64>>> {
        match self.tensor(i) {
            Some(t) if t.rank() == 1 => Some(t.to_i64s().ok()?.iter().map(|&d| (d >= 0).then_some(d)).collect()),
            Some(_) => None,
            None => Some(self.as_shapes.get(i)?.as_ref()?.dims()?.to_vec()),
        }
    }

    /// The value of output 0, if it can be told now.
    pub(super) fn constant(&self) -> Option<Tensor> {
        let attrs = &self.info.attrs;
        let out = self.info.output_types.first()?.dtype;
        let scalar = |v: i64| integers(out, &Shape::scalar(), &[v]);
        let whole = |i: usize| self.tensor(i).and_then(|t| Some((t.shape().clone(), t.to_i64s().ok()?)));
        match self.info.op_name() {
            "Const" => attrs.tensor("value").ok().filter(|t| t.num_elements() <= LARGEST_KNOWN).cloned(),
            "Identity" | "StopGradient" => self.tensor(0).cloned(),
            "Shape" => vector(out, self.shapes.first()?.to_shape()?.dims()),
            "Size" => scalar(i64::try_from(self.shapes.first()?.to_shape()?.num_elements()).ok()?),
            "Rank" => scalar(self.shapes.first()?.rank()? as i64),
            "Cast" => whole(0).and_then(|(shape, v)| integers(out, &shape, &v)),
            "Pack" if attrs.int("axis").is_ok_and(|a| a == 0) => {
                let parts: Option<Vec<i64>> =
                    (0..self.constants.len()).map(|i| self.tensor(i).filter(|t| t.rank() == 0)?.to_i64().ok()).collect();
                vector(out, &parts?)
            }
            "ConcatV2" => {
                let n = self.constants.len().checked_sub(1)?;
                let mut all = Vec::new();
                for i in 0..n {
                    all.extend_from_slice(&self.tensor(i).filter(|t| t.rank() == 1)?.to_i64s().ok()?);
                }
                (matches!(self.int(n)?, 0 | -1) && all.len() <= LARGEST_KNOWN).then_some(())?;
                vector(out, &all)
            }
            "Range" => {
                let (start, limit, delta) = (self.int(0)?, self.int(1)?, self.int(2)?);
                let mut all = Vec::new();
                let mut at = start;
                while delta > 0 && at < limit || delta < 0 && at > limit {
                    (all.len() < LARGEST_KNOWN).then(|| all.push(at))?;
                    at = at.checked_add(delta)?;
                }
                (delta != 0).then_some(())?;
                vector(out, &all)
            }
            "StridedSlice" => {
                let source: Vec<Option<i64>> = match whole(0) {
                    Some((shape, v)) if shape.rank() == 1 => v.iter().copied().map(Some).collect(),
                    Some(_) => return None,
                    None => self.dims(0)?,
                };
                let taken = self.slice(source.len())?;
                let values: Option<Vec<i64>> = taken.iter().map(|&i| source[i]).collect();
                if self.shrinks() { scalar(*values?.first()?) } else { vector(out, &values?) }
            }
            "Reshape" => self.tensor(0)?.clone().reshaped(Shape::new(&self.tensor(1)?.to_i64s().ok()?).ok()?).ok(),
            "Prod" => {
                let (shape, v) = whole(0)?;
                let all = shape.rank() == 1 && self.tensor(1)?.to_i64s().ok()?.iter().all(|a| matches!(a, 0 | -1));
                let product = v.iter().try_fold(1i64, |p, x| p.checked_mul(*x))?;
                (all && self.tensor(1)?.num_elements() == 1 && attrs.bool("keep_dims").is_ok_and(|k| !k)).then_some(())?;
                scalar(product)
            }
            "Add" | "AddV2" | "Sub" | "Mul" | "Maximum" | "Minimum" | "FloorDiv" => {
                let (x, y) =
                    (self.tensor(0).filter(|t| t.rank() == 0)?.to_i64().ok()?, self.tensor(1).filter(|t| t.rank() == 0)?.to_i64().ok()?);
                scalar(match self.info.op_name() {
                    "Sub" => x.checked_sub(y)?,
                    "Mul" => x.checked_mul(y)?,
                    "Maximum" => x.max(y),
                    "Minimum" => x.min(y),
                    // Of what shapes are made of, only this case is met; others are left to the kernel.
                    "FloorDiv" => (x >= 0 && y > 0).then(|| x / y)?,
                    _ => x.checked_add(y)?,
                })
            }
            _ => None,
        }
    }

    /// The shape that output 0 denotes, if it is a vector of dimensions of which something is known.
    pub(super) fn shape(&self) -> Option<PartialShape> {
        let out = self.info.output_types.first()?.dtype;
        if !matches!(out, DType::Int32 | DType::Int64) {
            return None;
        }
        match self.info.op_name() {
            "Shape" => self.shapes.first().filter(|s| s.rank().is_some()).cloned(),
            "Identity" | "Cast" => self.as_shapes.first().cloned().flatten(),
            // All parts have one shape: if one is a scalar, all are.
            "Pack" if self.shapes.iter().any(|s| s.rank() == Some(0)) => {
                let dims: Vec<Option<i64>> = (0..self.constants.len()).map(|i| self.int(i).filter(|&d| d >= 0)).collect();
                Some(PartialShape::new(&dims))
            }
            "ConcatV2" => {
                let parts: Option<Vec<_>> = (0..self.constants.len().saturating_sub(1)).map(|i| self.dims(i)).collect();
                Some(PartialShape::new(&parts?.concat()))
            }
            "StridedSlice" if !self.shrinks() => {
                let source = self.dims(0)?;
                let dims: Vec<Option<i64>> = self.slice(source.len())?.iter().map(|&i| source[i]).collect();
                Some(PartialShape::new(&dims))
            }
            _ => None,
        }
    }

    fn shrinks(&self) -> bool {
        self.info.attrs.int("shrink_axis_mask").is_ok_and(|m| m & 1 == 1)
    }

    /// Which elements of a vector of `n` a `StridedSlice` takes.
    fn slice(&self, n: usize) -> Option<Vec<usize>> {
        let attrs = &self.info.attrs;
        if attrs.int("ellipsis_mask").ok()? != 0 || attrs.int("new_axis_mask").ok()? != 0 || n > LARGEST_KNOWN {
            return None;
        }
        let one = |i: usize| self.tensor(i).filter(|t| t.num_elements() == 1).and_then(|t| t.to_i64().ok());
        let (begin, end, stride) = (one(1)?, one(2)?, one(3)?);
        let (n, masked) = (n as i64, |mask: &str| attrs.int(mask).is_ok_and(|m| m & 1 == 1));
        let from_end = |i: i64| if i < 0 { i.saturating_add(n) } else { i };
        if self.shrinks() {
            let at = from_end(begin);
            return (0..n).contains(&at).then(|| vec![at as usize]);
        }
        let (low, high) = if stride > 0 { (0, n) } else { (-1, n - 1) };
        let (mut at, end) = (
            if masked("begin_mask") { if stride > 0 { 0 } else { n - 1 } } else { from_end(begin).clamp(low, high) },
            if masked("end_mask") { if stride > 0 { n } else { -1 } } else { from_end(end).clamp(low, high) },
        );
        let mut taken = Vec::new();
        while stride > 0 && at < end || stride < 0 && at > end {
            taken.push(usize::try_from(at).ok()?);
            at = at.saturating_add(stride);
        }
        (stride != 0).then_some(taken)
    }
}

fn vector(dtype: DType, values: &[i64]) -> Option<Tensor> {
    integers(dtype, &Shape::from_lens(&[values.len()]).ok()?, values)
}

/// An int32 or int64 tensor; nothing for other types or values that do not fit.
fn integers(dtype: DType, shape: &Shape, values: &[i64]) -> Option<Tensor> {
    match dtype {
        DType::Int64 => Tensor::from_slice(shape.clone(), values).ok(),
        DType::Int32 => {
            let narrow: Vec<i32> = values.iter().map(|&v| i32::try_from(v).ok()).collect::<Option<_>>()?;
            Tensor::from_slice(shape.clone(), &narrow).ok()
        }
        _ => None,
    }
}
