//! What lists and optional values have in common: both hold tensors, which may be variants again (TF: `UnaryOpVariant`, `BinaryOpVariants`).

use super::optional::OptionalValue;
use super::tensor_list::TensorList;
use crate::parallel::Pool;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result, Tensor, Variant};

/// How deep variants may lie in variants. Dropping one recurses.
pub(super) const DEEPEST: usize = 32;

/// Refuses what is nested too deeply.
///
/// Errors: `InvalidArgument`.
pub(super) fn check_depth(depth: usize) -> Result<()> {
    if depth <= DEEPEST {
        return Ok(());
    }
    Err(invalid_argument(format!("lists and optional values are nested more than {DEEPEST} deep")))
}

/// How deep variants lie in a tensor: 0 for none.
pub(super) fn depth(t: &Tensor) -> usize {
    let one = |v: &Variant| match v {
        Variant::Value(value) => match value.as_any().downcast_ref::<TensorList>() {
            Some(list) => list.depth(),
            None => value.as_any().downcast_ref::<OptionalValue>().map_or(1, |o| o.depth()),
        },
        _ => 1,
    };
    t.as_variants().map_or(0, |variants| variants.iter().map(one).max().unwrap_or(1))
}

/// Zeros like a tensor; of variants, lists of zeros and optional zeros.
///
/// Errors: `InvalidArgument` for other variants; `ResourceExhausted` without memory.
pub(crate) fn zeros_like(t: &Tensor) -> Result<Tensor> {
    if t.dtype() != DType::Variant {
        return Tensor::zeros(t.dtype(), t.shape().clone());
    }
    let one = |v: &Variant| match OptionalValue::in_variant(v) {
        Ok(optional) => optional.zeros_like()?.into_variant(),
        Err(_) => TensorList::in_variant(v)?.zeros_like()?.into_variant(),
    };
    Tensor::variants(t.shape().clone(), t.as_variants()?.iter().map(one).collect::<Result<_>>()?)
}

/// The sum of two tensors of one shape; of variants, the lists and optional values of the sums.
///
/// Errors: `InvalidArgument` for different shapes, or variants that do not fit together.
pub(crate) fn sum(a: &Tensor, b: &Tensor, pool: &Pool) -> Result<Tensor> {
    if a.shape() != b.shape() || a.dtype() != b.dtype() {
        return Err(invalid_argument(format!("Trying to add {}{} and {}{}", a.dtype(), a.shape(), b.dtype(), b.shape())));
    }
    if a.dtype() != DType::Variant {
        return crate::math::add_n::add(a, b, pool);
    }
    let one = |(a, b): (&Variant, &Variant)| match OptionalValue::in_variant(a) {
        Ok(optional) => optional.sum(&*OptionalValue::in_variant(b)?, pool)?.into_variant(),
        Err(_) => TensorList::in_variant(a)?.sum(&*TensorList::in_variant(b)?, pool)?.into_variant(),
    };
    let pairs = a.as_variants()?.iter().zip(b.as_variants()?);
    Tensor::variants(a.shape().clone(), pairs.map(one).collect::<Result<_>>()?)
}
