//! Dimensions as data: reading shape and axis arguments, and making them in graphs.

use ferroflow_graph::Output;
use ferroflow_tensor::error::{invalid_argument, unimplemented};
use ferroflow_tensor::{DType, Element, PartialShape, Result, Shape, Tensor};

/// A vector of integers as a tensor of type int32, int64 or int16.
///
/// Errors: `InvalidArgument` if one does not fit; `Unimplemented` for another type.
pub(crate) fn index_tensor(dtype: DType, shape: Shape, values: &[i64]) -> Result<Tensor> {
    fn narrow<T: Element + TryFrom<i64>>(shape: Shape, values: &[i64]) -> Result<Tensor> {
        let narrow = |&v: &i64| T::try_from(v).map_err(|_| invalid_argument(format!("{v} does not fit into {}", T::DTYPE)));
        Tensor::from_slice(shape, &values.iter().map(narrow).collect::<Result<Vec<T>>>()?)
    }
    match dtype {
        DType::Int32 => narrow::<i32>(shape, values),
        DType::Int64 => Tensor::from_slice(shape, values),
        DType::Int16 => narrow::<i16>(shape, values),
        other => Err(unimplemented(format!("{other} is no type of indices"))),
    }
}

/// The shape that a vector (or, as in TF, a scalar) of dimensions denotes; `name` is that of the argument.
///
/// Errors: `InvalidArgument` if it is of higher rank, or one dimension is negative, or they overflow.
pub(crate) fn shape_from(t: &Tensor, name: &str) -> Result<Shape> {
    if t.rank() > 1 {
        return Err(invalid_argument(format!("{name} must represent a vector, got shape {}", t.shape())));
    }
    let dims = t.to_i64s()?;
    if let Some(d) = dims.iter().find(|&&d| d < 0) {
        return Err(invalid_argument(format!("Dimension {d} must be >= 0")));
    }
    Shape::new(&dims)
}

/// What is known of a shape with one dimension replaced.
pub(crate) fn with_dim(s: &PartialShape, axis: usize, dim: Option<i64>) -> PartialShape {
    match s.dims() {
        None => PartialShape::unknown(),
        Some(dims) => {
            let mut dims = dims.to_vec();
            if let Some(d) = dims.get_mut(axis) {
                *d = dim;
            }
            PartialShape::new(&dims)
        }
    }
}

/// An axis counted from the front.
///
/// Errors: `InvalidArgument` if it is outside `[-rank, rank)`.
pub(crate) fn axis_in(axis: i64, rank: usize) -> Result<usize> {
    let rank = rank as i64;
    if (-rank..rank).contains(&axis) {
        Ok((if axis < 0 { axis + rank } else { axis }) as usize)
    } else {
        Err(invalid_argument(format!("axis = {axis} not in [{}, {rank})", -rank)))
    }
}

/// The number of elements of part of the dimensions.
pub(crate) fn product(dims: &[i64]) -> usize {
    dims.iter().product::<i64>() as usize
}

/// The shape of an output as an int32 vector in its graph: a constant where it is known (TF: `array_ops.shape`).
pub(crate) fn shape_of(x: &Output) -> Output {
    let known: Option<Vec<i32>> =
        x.shape().to_shape().and_then(|s| s.dims().iter().map(|&d| i32::try_from(d).ok()).collect::<Option<Vec<i32>>>());
    match known {
        Some(dims) => x.graph().constant_vector(&dims),
        None => x.graph().op("Shape").input(x).output(),
    }
}

/// `x` in the shape of `like`.
pub(crate) fn reshape_like(x: &Output, like: &Output) -> Output {
    x.graph().op("Reshape").input(x).input(shape_of(like)).output()
}

/// The value of an output that is a constant of the graph.
pub(crate) fn constant_value(x: &Output) -> Option<Tensor> {
    let op = x.op();
    (op.op_name() == "Const").then(|| op.with_attrs(|a| a.tensor("value").ok().cloned())).flatten()
}
