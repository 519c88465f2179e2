//! Shape functions: what is known of a node's outputs before it runs (TF: `InferenceContext` and the common shape functions).

use crate::node::NodeInfo;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};

/// What a handle's object holds: dtype and shape.
pub type HandleData = Option<(DType, PartialShape)>;

/// One call of a shape function.
pub struct ShapeContext<'a> {
    node: &'a NodeInfo,
    inputs: &'a [PartialShape],
    constants: &'a [Option<Tensor>],
    shapes: &'a [Option<PartialShape>],
    handles: &'a [HandleData],
    outputs: Vec<PartialShape>,
    output_handles: Vec<HandleData>,
}

impl<'a> ShapeContext<'a> {
    /// A context. Per input: its shape; its value, if constant; the shape that it denotes as a shape vector, if partly known; and
    /// what it holds, if it is a handle.
    pub fn new(
        node: &'a NodeInfo,
        inputs: &'a [PartialShape],
        constants: &'a [Option<Tensor>],
        shapes: &'a [Option<PartialShape>],
        handles: &'a [HandleData],
    ) -> ShapeContext<'a> {
        let n = node.output_types.len();
        ShapeContext { node, inputs, constants, shapes, handles, outputs: vec![PartialShape::unknown(); n], output_handles: vec![None; n] }
    }

    /// Runs the node's shape function; the outputs' shapes and handle contents.
    ///
    /// Errors: what the shape function returns, with the node's name.
    pub fn infer(mut self) -> Result<(Vec<PartialShape>, Vec<HandleData>)> {
        (self.node.op.spec.shape)(&mut self).map_err(|e| e.at_node(&self.node.name))?;
        Ok((self.outputs, self.output_handles))
    }

    /// The node.
    pub fn node(&self) -> &'a NodeInfo {
        self.node
    }

    /// How many inputs there are.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// What is known of input `i`; nothing if there is no such input.
    pub fn input(&self, i: usize) -> PartialShape {
        self.inputs.get(i).cloned().unwrap_or_default()
    }

    /// The value of input `i`, if it is a constant.
    pub fn constant(&self, i: usize) -> Option<&'a Tensor> {
        self.constants.get(i).and_then(|c| c.as_ref())
    }

    /// The shape that input `i`, a vector of dimensions (−1: unknown), denotes.
    ///
    /// Errors: `InvalidArgument` if it is constant and no vector of dimensions.
    pub fn input_as_shape(&self, i: usize) -> Result<PartialShape> {
        if let Some(t) = self.constant(i) {
            if t.rank() > 1 {
                return Err(invalid_argument(format!("a shape must be a vector, got shape {}", t.shape())));
            }
            return PartialShape::from_numbers(&t.to_i64s()?);
        }
        if let Some(Some(s)) = self.shapes.get(i) {
            return Ok(s.clone());
        }
        Ok(self.input(i).dim(0).and_then(|n| usize::try_from(n).ok()).map_or_else(PartialShape::unknown, PartialShape::of_rank))
    }

    /// What the handle at input `i` holds.
    pub fn input_handle(&self, i: usize) -> HandleData {
        self.handles.get(i).cloned().flatten()
    }

    /// Sets the shape of output `i`.
    pub fn set_output(&mut self, i: usize, shape: impl Into<PartialShape>) {
        if let Some(place) = self.outputs.get_mut(i) {
            *place = shape.into();
        }
    }

    /// Sets what the handle at output `i` holds.
    pub fn set_output_handle(&mut self, i: usize, data: HandleData) {
        if let Some(place) = self.output_handles.get_mut(i) {
            *place = data;
        }
    }

    /// Input `i`, if it can have this rank.
    ///
    /// Errors: `InvalidArgument` `Shape must be rank 2 but is rank 1`.
    pub fn with_rank(&self, i: usize, rank: usize) -> Result<PartialShape> {
        let s = self.input(i);
        match s.rank() {
            Some(r) if r != rank => Err(invalid_argument(format!("Shape must be rank {rank} but is rank {r}"))),
            Some(_) => Ok(s),
            None => Ok(PartialShape::of_rank(rank)),
        }
    }

    /// Input `i`, if it can have at least this rank.
    ///
    /// Errors: `InvalidArgument` `Shape must be at least rank 1 but is rank 0`.
    pub fn with_rank_at_least(&self, i: usize, rank: usize) -> Result<PartialShape> {
        let s = self.input(i);
        match s.rank() {
            Some(r) if r < rank => Err(invalid_argument(format!("Shape must be at least rank {rank} but is rank {r}"))),
            _ => Ok(s),
        }
    }
}

/// Nothing is known of the outputs.
///
/// Errors: none.
pub fn unknown(_: &mut ShapeContext) -> Result<()> {
    Ok(())
}

/// Every output is a scalar.
///
/// Errors: none.
pub fn scalar(c: &mut ShapeContext) -> Result<()> {
    for i in 0..c.outputs.len() {
        c.set_output(i, PartialShape::scalar());
    }
    Ok(())
}

/// There are no outputs.
///
/// Errors: none.
pub fn none(_: &mut ShapeContext) -> Result<()> {
    Ok(())
}

/// The first output has the first input's shape (and handle contents).
///
/// Errors: none.
pub fn unchanged(c: &mut ShapeContext) -> Result<()> {
    let (s, h) = (c.input(0), c.input_handle(0));
    c.set_output(0, s);
    c.set_output_handle(0, h);
    Ok(())
}

/// As [`unchanged`], for inputs of at least this rank.
///
/// Errors: `InvalidArgument` if the rank is less.
pub fn unchanged_with_rank_at_least<const RANK: usize>(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank_at_least(0, RANK)?;
    c.set_output(0, s);
    Ok(())
}

/// The first output has the shape that all inputs share.
///
/// Errors: `InvalidArgument` if they contradict each other.
pub fn merged(c: &mut ShapeContext) -> Result<()> {
    let mut s = c.input(0);
    for i in 1..c.num_inputs() {
        s = s.merge(&c.input(i))?;
    }
    c.set_output(0, s);
    Ok(())
}

/// The first output has the shape that numpy's broadcasting of the first two inputs gives.
///
/// Errors: `InvalidArgument` if they cannot be broadcast.
pub fn broadcast(c: &mut ShapeContext) -> Result<()> {
    let s = broadcast_shapes(&c.input(0), &c.input(1))?;
    c.set_output(0, s);
    Ok(())
}

/// What is known of the broadcast of two shapes.
///
/// Errors: `InvalidArgument` if known dimensions contradict each other.
pub fn broadcast_shapes(a: &PartialShape, b: &PartialShape) -> Result<PartialShape> {
    if let (Some(a), Some(b)) = (a.to_shape(), b.to_shape()) {
        return Ok(Shape::broadcast(&a, &b)?.into());
    }
    let (Some(da), Some(db)) = (a.dims(), b.dims()) else { return Ok(PartialShape::unknown()) };
    let rank = da.len().max(db.len());
    let at = |d: &[Option<i64>], i: usize| if i + d.len() >= rank { d[i + d.len() - rank] } else { Some(1) };
    let dims: Result<Vec<Option<i64>>> = (0..rank)
        .map(|i| match (at(da, i), at(db, i)) {
            (Some(x), Some(y)) if x == y => Ok(Some(x)),
            (Some(1), y) => Ok(y),
            (x, Some(1)) => Ok(x),
            (Some(_), Some(_)) => Err(invalid_argument(format!("Incompatible shapes: {a} vs. {b}"))),
            (Some(x), None) | (None, Some(x)) => Ok(Some(x)),
            (None, None) => Ok(None),
        })
        .collect();
    Ok(PartialShape::new(&dims?))
}
