//! Sets along the last dimension of dense and sparse tensors, and their operations (TF: `set_kernels`).

use super::coo::{Coo, elements, matrix};
use crate::prelude::*;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// The types of elements that sets may have.
pub(super) const SET_TYPES: &[DType] = &[DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8, DType::UInt16, DType::String];

/// An element, ordered as TF orders it: numbers by value, strings by bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    Number(i64),
    Text(Bytes),
}

fn items(t: &Tensor) -> Result<Vec<Item>> {
    fn numbers<T: ferroflow_tensor::Element + Into<i64>>(t: &Tensor) -> Result<Vec<Item>> {
        Ok(t.as_slice::<T>()?.iter().map(|&v| Item::Number(v.into())).collect())
    }
    match t.dtype() {
        DType::String => Ok(t.as_strings()?.iter().cloned().map(Item::Text).collect()),
        DType::Int8 => numbers::<i8>(t),
        DType::Int16 => numbers::<i16>(t),
        DType::Int32 => numbers::<i32>(t),
        DType::Int64 => numbers::<i64>(t),
        DType::UInt8 => numbers::<u8>(t),
        DType::UInt16 => numbers::<u16>(t),
        other => Err(unsupported("a set operation", other)),
    }
}

fn tensor(dtype: DType, items: &[Item]) -> Result<Tensor> {
    fn narrow<T: ferroflow_tensor::Element + TryFrom<i64>>(items: &[Item]) -> Result<Tensor> {
        let number = |i: &Item| match i {
            Item::Number(n) => T::try_from(*n).ok(),
            Item::Text(_) => None,
        };
        Tensor::vector(&items.iter().filter_map(number).collect::<Vec<T>>())
    }
    match dtype {
        DType::String => {
            let text = |i: &Item| match i {
                Item::Text(s) => Some(s.clone()),
                Item::Number(_) => None,
            };
            let all: Vec<Bytes> = items.iter().filter_map(text).collect();
            Tensor::strings(Shape::from_lens(&[all.len()])?, all)
        }
        DType::Int8 => narrow::<i8>(items),
        DType::Int16 => narrow::<i16>(items),
        DType::Int32 => narrow::<i32>(items),
        DType::UInt8 => narrow::<u8>(items),
        DType::UInt16 => narrow::<u16>(items),
        _ => narrow::<i64>(items),
    }
}

/// Sets by the coordinates of all dimensions but the last.
pub(super) struct Sets {
    /// The dimensions in front of the last.
    pub(super) outer: Vec<i64>,
    /// The sets that have elements.
    pub(super) sets: BTreeMap<Vec<i64>, BTreeSet<Item>>,
    dtype: DType,
}

impl Sets {
    /// The sets of a dense tensor.
    ///
    /// Errors: `InvalidArgument` if it has fewer than two dimensions.
    pub(super) fn dense(t: &Tensor) -> Result<Sets> {
        let Some((&last, outer)) = t.dims().split_last().filter(|(_, o)| !o.is_empty()) else {
            return Err(invalid_argument(format!("Shape rank {} < 2.", t.rank())));
        };
        let all = items(t)?;
        let mut sets = BTreeMap::new();
        for (g, members) in all.chunks_exact((last as usize).max(1)).enumerate() {
            let mut at = vec![0i64; outer.len()];
            let mut rest = g as i64;
            for (a, &d) in at.iter_mut().zip(outer).rev() {
                *a = rest % d;
                rest /= d;
            }
            sets.insert(at, members.iter().cloned().collect());
        }
        Ok(Sets { outer: outer.to_vec(), sets, dtype: t.dtype() })
    }

    /// The sets of the sparse tensor at inputs `first` and the two after it.
    ///
    /// Errors: `InvalidArgument` if it is malformed, has fewer than two dimensions, or (if this is checked) is not in order.
    pub(super) fn sparse(ctx: &OpKernelContext, first: usize) -> Result<Sets> {
        let x = Coo::of(ctx.input(first)?, ctx.input(first + 1)?, ctx.input(first + 2)?)?;
        if x.rank() < 2 {
            return Err(invalid_argument(format!("Shape rank {} < 2.", x.rank())));
        }
        if ctx.node.attrs.bool("validate_indices")? {
            x.check_order()?;
        } else {
            x.check_bounds()?;
        }
        let mut sets: BTreeMap<Vec<i64>, BTreeSet<Item>> = BTreeMap::new();
        for (i, item) in items(x.values)?.into_iter().enumerate() {
            sets.entry(x.at(i)[..x.rank() - 1].to_vec()).or_default().insert(item);
        }
        Ok(Sets { outer: x.dims[..x.rank() - 1].to_vec(), sets, dtype: x.values.dtype() })
    }
}

/// Sets the outputs to what the node's operation makes of the sets of both, as a sparse tensor.
///
/// Errors: `InvalidArgument` for an operation that does not exist, or dimensions that differ.
pub(super) fn combine(ctx: &mut OpKernelContext, a: &Sets, b: &Sets) -> Result<()> {
    type Operation = fn(&BTreeSet<Item>, &BTreeSet<Item>) -> Vec<Item>;
    let name = ctx.node.attrs.str("set_operation")?.to_ascii_lowercase();
    let operation: Operation = match name.as_str() {
        "a-b" => |a, b| a.difference(b).cloned().collect(),
        "b-a" => |a, b| b.difference(a).cloned().collect(),
        "intersection" => |a, b| a.intersection(b).cloned().collect(),
        "union" => |a, b| a.union(b).cloned().collect(),
        other => return Err(invalid_argument(format!("Invalid set_operation {other}."))),
    };
    if a.outer != b.outer {
        return Err(invalid_argument(format!("Mismatched group shapes {:?} vs {:?}", a.outer, b.outer)));
    }
    let groups: BTreeSet<&Vec<i64>> = a.sets.keys().chain(b.sets.keys()).collect();
    let nothing = BTreeSet::new();
    let (mut indices, mut values, mut largest) = (Vec::new(), Vec::new(), 0);
    for group in groups {
        let result = operation(a.sets.get(group).unwrap_or(&nothing), b.sets.get(group).unwrap_or(&nothing));
        largest = largest.max(result.len());
        for (i, item) in result.into_iter().enumerate() {
            indices.extend_from_slice(group);
            indices.push(i as i64);
            values.push(item);
        }
    }
    let shape = [&a.outer[..], &[largest as i64]].concat();
    elements(&shape)?;
    let outputs = [matrix(values.len(), shape.len(), &indices)?, tensor(a.dtype, &values)?, Tensor::vector(&shape)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

/// The shape of the result, a sparse tensor of the rank of this input: a dense one or, if so said, a vector of dimensions.
///
/// Errors: `InvalidArgument` if that is of fewer than two dimensions.
pub(super) fn result_shape(c: &mut ShapeContext, i: usize, is_shape: bool) -> Result<()> {
    let rank = if is_shape { c.with_rank(i, 1)?.dim(0) } else { c.with_rank_at_least(i, 2)?.rank().map(|r| r as i64) };
    super::coo::set_sparse_shape(c, 0, rank);
    Ok(())
}
