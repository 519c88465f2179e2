//! `Coo`: a sparse tensor as kernels read it, coordinates and values (TF: `sparse::SparseTensor`).

use crate::array::elements::{Rearrange, rearrange};
use crate::prelude::*;
use ferroflow_tensor::error::resource_exhausted;
use std::borrow::Cow;
use std::cmp::Ordering;

/// A sparse tensor whose three parts fit each other; coordinates may still lie outside the shape.
pub(crate) struct Coo<'a> {
    /// All coordinates, row by row.
    pub(crate) indices: Cow<'a, [i64]>,
    /// `[n]`
    pub(crate) values: &'a Tensor,
    /// The dense shape.
    pub(crate) dims: Cow<'a, [i64]>,
    n: usize,
}

fn numbers(t: &Tensor) -> Result<Cow<'_, [i64]>> {
    Ok(match t.dtype() {
        DType::Int64 => Cow::Borrowed(t.as_slice::<i64>()?),
        _ => Cow::Owned(t.to_i64s()?.to_vec()),
    })
}

impl<'a> Coo<'a> {
    /// The sparse tensor of these three.
    ///
    /// Errors: `InvalidArgument` saying which does not fit.
    pub(crate) fn of(indices: &'a Tensor, values: &'a Tensor, shape: &'a Tensor) -> Result<Coo<'a>> {
        let [n, rank] = *indices.dims() else {
            return Err(invalid_argument(format!("Input indices should be a matrix but received shape: {}", indices.shape())));
        };
        if values.rank() != 1 {
            return Err(invalid_argument(format!("Input values should be a vector but received shape: {}", values.shape())));
        }
        if shape.rank() != 1 {
            return Err(invalid_argument(format!("Input shape should be a vector but received shape: {}", shape.shape())));
        }
        if values.dims()[0] != n {
            return Err(invalid_argument(format!(
                "Number of values must match first dimension of indices. Got {} values, indices shape: {}",
                values.dims()[0],
                indices.shape()
            )));
        }
        if shape.dims()[0] != rank {
            return Err(invalid_argument(format!(
                "Number of dimensions must match second dimension of indices. Got {} dimensions, indices shape: {}",
                shape.dims()[0],
                indices.shape()
            )));
        }
        let dims = numbers(shape)?;
        elements(&dims)?;
        Ok(Coo { indices: numbers(indices)?, values, dims, n: n as usize })
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// The number of dimensions.
    pub(crate) fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The coordinates of value `i`.
    pub(crate) fn at(&self, i: usize) -> &[i64] {
        &self.indices[i * self.rank()..(i + 1) * self.rank()]
    }

    /// Checks that all coordinates lie inside the shape.
    ///
    /// Errors: `InvalidArgument` naming the first that does not.
    pub(crate) fn check_bounds(&self) -> Result<()> {
        match (0..self.n).find(|&i| !self.is_inside(i)) {
            None => Ok(()),
            Some(i) => {
                Err(invalid_argument(format!("indices[{i}] = {:?} is out of bounds: need 0 <= index < {:?}", self.at(i), self.dims)))
            }
        }
    }

    /// The first value of which a coordinate lies outside the shape, and which one.
    pub(crate) fn first_outside(&self) -> Option<(usize, usize)> {
        let outside = |i: usize| self.at(i).iter().zip(self.dims.iter()).position(|(x, d)| !(0..*d).contains(x));
        (0..self.n).find_map(|i| outside(i).map(|d| (i, d)))
    }

    /// Whether the coordinates of value `i` lie inside the shape.
    pub(crate) fn is_inside(&self, i: usize) -> bool {
        self.at(i).iter().zip(self.dims.iter()).all(|(x, d)| (0..*d).contains(x))
    }

    /// Checks that the coordinates lie inside the shape, ascend and do not repeat.
    ///
    /// Errors: `InvalidArgument` naming the first that does not.
    pub(crate) fn check_order(&self) -> Result<()> {
        self.check_bounds()?;
        for i in 1..self.n {
            match self.at(i - 1).cmp(self.at(i)) {
                Ordering::Less => {}
                Ordering::Equal => return Err(invalid_argument(format!("indices[{i}] = {:?} is repeated", self.at(i)))),
                Ordering::Greater => {
                    return Err(invalid_argument(format!(
                        "indices[{i}] = {:?} is out of order. Many sparse ops require sorted indices. Use `tf.sparse.reorder` to create a correctly ordered copy.",
                        self.at(i)
                    )));
                }
            }
        }
        Ok(())
    }

    /// The values in the order of their coordinates; those of equal ones stay in their order.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.n).collect();
        if (1..self.n).any(|i| self.at(i - 1) > self.at(i)) {
            order.sort_by(|&a, &b| self.at(a).cmp(self.at(b)));
        }
        order
    }

    /// The place of value `i` in the dense tensor; the coordinates have been checked.
    pub(crate) fn flat(&self, i: usize) -> usize {
        self.at(i).iter().zip(self.dims.iter()).fold(0, |p, (&x, &d)| p * d as usize + x as usize)
    }
}

/// The number of elements of a dense shape.
///
/// Errors: `InvalidArgument` if a dimension is negative or they overflow.
pub(crate) fn elements(dims: &[i64]) -> Result<usize> {
    if let Some(d) = dims.iter().find(|d| **d < 0) {
        return Err(invalid_argument(format!("Dimension {d} must be >= 0")));
    }
    if dims.contains(&0) {
        return Ok(0);
    }
    dims.iter()
        .try_fold(1i64, |n, &d| n.checked_mul(d))
        .map(|n| n as usize)
        .ok_or_else(|| invalid_argument(format!("Encountered overflow when multiplying the dimensions {dims:?}")))
}

/// A vector of this length, whose length came from outside.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn filled<T: Clone>(n: usize, value: T) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(n).map_err(|_| resource_exhausted(format!("there is no memory for {n} elements")))?;
    all.resize(n, value);
    Ok(all)
}

struct Picks<'a>(&'a [usize]);

impl Rearrange for Picks<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        out.iter_mut().zip(self.0).for_each(|(o, &i)| *o = inputs[0][i].clone());
        Ok(())
    }
}

/// The elements of a vector at these places, which exist.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn pick(values: &Tensor, which: &[usize]) -> Result<Tensor> {
    rearrange(&[values], Shape::from_lens(&[which.len()])?, &Picks(which))
}

struct Choices<'a>(&'a [(usize, usize)]);

impl Rearrange for Choices<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        out.iter_mut().zip(self.0).for_each(|(o, &(from, i))| *o = inputs[from][i].clone());
        Ok(())
    }
}

/// A vector of elements of several tensors, each given by tensor and place, which exist.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn choose(sources: &[&Tensor], which: &[(usize, usize)]) -> Result<Tensor> {
    rearrange(sources, Shape::from_lens(&[which.len()])?, &Choices(which))
}

/// Coordinates as a matrix.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn matrix(n: usize, rank: usize, indices: &[i64]) -> Result<Tensor> {
    Tensor::from_slice(Shape::from_lens(&[n, rank])?, indices)
}

/// The shapes of a sparse result of this rank at outputs `first`, `first + 1` and `first + 2`.
pub(crate) fn set_sparse_shape(c: &mut ShapeContext, first: usize, rank: Option<i64>) {
    c.set_output(first, PartialShape::new(&[None, rank]));
    c.set_output(first + 1, PartialShape::of_rank(1));
    c.set_output(first + 2, PartialShape::new(&[rank]));
}

/// The rank of the sparse tensor whose indices and shape are these inputs, as far as it is known.
///
/// Errors: `InvalidArgument` if they are no matrix and no vector.
pub(crate) fn known_rank(c: &ShapeContext, indices: usize, shape: usize) -> Result<Option<i64>> {
    let of_indices = c.with_rank(indices, 2)?.dim(1);
    let of_shape = c.with_rank(shape, 1)?.dim(0);
    match (of_indices, of_shape) {
        (Some(a), Some(b)) if a != b => Err(invalid_argument(format!("Dimensions must be equal, but are {a} and {b}"))),
        (a, b) => Ok(a.or(b)),
    }
}
