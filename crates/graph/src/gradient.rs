//! The values that flow backwards in automatic differentiation (TF: gradient tensors and `IndexedSlices`).

use crate::builder::{Operation, Output};

/// A gradient: a tensor, or the rows of one that are not zero.
#[derive(Clone, Debug)]
pub enum Grad {
    /// A tensor of the shape of what it is the gradient of.
    Dense(Output),
    /// Rows (TF: `IndexedSlices`); repeated indices add up.
    Slices {
        /// `[n, …]`
        values: Output,
        /// `[n]`, int32 or int64: which row of the whole each value belongs to.
        indices: Output,
        /// The shape of the whole, as an integer vector.
        dense_shape: Output,
    },
}

impl Grad {
    /// It as a tensor: rows are spread out (`UnsortedSegmentSum`).
    pub fn to_dense(&self) -> Output {
        match self {
            Grad::Dense(g) => g.clone(),
            Grad::Slices { values, indices, dense_shape } => {
                let graph = values.graph();
                let bounds = [graph.constant_vector(&[0i32]), graph.constant_vector(&[1i32]), graph.constant_vector(&[1i32])];
                let rows = graph.op("StridedSlice").input(dense_shape).inputs(bounds).attr("shrink_axis_mask", 1i64).output();
                graph.op("UnsortedSegmentSum").inputs([values.clone(), indices.clone(), rows]).output()
            }
        }
    }
}

impl From<Output> for Grad {
    fn from(o: Output) -> Grad {
        Grad::Dense(o)
    }
}

/// Gradients with respect to the outputs of the operation being differentiated.
pub struct OutGrads<'a> {
    op: &'a Operation,
    grads: &'a [Option<Grad>],
}

impl<'a> OutGrads<'a> {
    /// One entry per output of `op`.
    pub fn new(op: &'a Operation, grads: &'a [Option<Grad>]) -> OutGrads<'a> {
        OutGrads { op, grads }
    }

    /// The gradient of output `i` as it came; `None` if nothing depends on that output.
    pub fn get(&self, i: usize) -> Option<&Grad> {
        self.grads.get(i).and_then(|g| g.as_ref())
    }

    /// The gradient of output `i` as a tensor: rows are spread out (`UnsortedSegmentSum`), nothing becomes zeros.
    pub fn dense(&self, i: usize) -> Output {
        match self.get(i) {
            Some(grad) => grad.to_dense(),
            None => self.op.graph().op("ZerosLike").input(self.op.output(i)).output(),
        }
    }
}
