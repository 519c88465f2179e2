//! `OptionalValue`: tensors that may be there or not, as the value of a variant (TF: `OptionalVariant`), and the kernels on it.
//!
//! Gradients of conditionals use it: a branch hands out what its own gradient needs, the other hands out nothing.

use super::variants::{check_depth, depth, sum, zeros_like};
use crate::parallel::Pool;
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_tensor::{Variant, VariantValue};
use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

const TYPE_NAME: &str = "tensorflow::data::Optional";

/// Tensors, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct OptionalValue(Option<Vec<Tensor>>);

impl OptionalValue {
    /// An optional value of these tensors.
    pub fn new(tensors: Option<Vec<Tensor>>) -> OptionalValue {
        OptionalValue(tensors)
    }

    /// As a scalar variant tensor.
    ///
    /// Errors: `InvalidArgument` if variants nest too deeply.
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::variants(Shape::scalar(), vec![self.into_variant()?])
    }

    /// The optional value in a variant. What came over the wire is decoded.
    ///
    /// Errors: `InvalidArgument` if there is none.
    pub fn in_variant(variant: &Variant) -> Result<Cow<'_, OptionalValue>> {
        match variant {
            Variant::Value(value) => value.as_any().downcast_ref().map(Cow::Borrowed).ok_or_else(not_optional),
            Variant::Encoded { type_name, metadata, tensors } if type_name == TYPE_NAME => match &metadata[..] {
                [0] if tensors.is_empty() => Ok(Cow::Owned(OptionalValue(None))),
                [1] => Ok(Cow::Owned(OptionalValue(Some(tensors.clone())))),
                _ => Err(invalid_argument("an optional value's metadata is malformed")),
            },
            _ => Err(not_optional()),
        }
    }

    /// As the element of a variant tensor.
    ///
    /// Errors: `InvalidArgument` if variants nest too deeply.
    pub fn into_variant(self) -> Result<Variant> {
        check_depth(self.depth())?;
        Ok(Variant::Value(Arc::new(self)))
    }

    /// How deep variants lie in it.
    pub fn depth(&self) -> usize {
        1 + self.0.iter().flatten().map(depth).max().unwrap_or(0)
    }

    /// Zeros like the tensors.
    ///
    /// Errors: `InvalidArgument` for variants that have no zero; `ResourceExhausted` without memory.
    pub fn zeros_like(&self) -> Result<OptionalValue> {
        let zeros = |tensors: &Vec<Tensor>| tensors.iter().map(zeros_like).collect::<Result<_>>();
        self.0.as_ref().map(zeros).transpose().map(OptionalValue)
    }

    /// The sums of the tensors of both.
    ///
    /// Errors: `InvalidArgument` if they do not fit together.
    pub fn sum(&self, other: &OptionalValue, pool: &Pool) -> Result<OptionalValue> {
        match (&self.0, &other.0) {
            (None, None) => Ok(OptionalValue(None)),
            (Some(a), Some(b)) if a.len() == b.len() => {
                let sums = a.iter().zip(b).map(|(a, b)| sum(a, b, pool)).collect::<Result<_>>()?;
                Ok(OptionalValue(Some(sums)))
            }
            (Some(_), Some(_)) => Err(invalid_argument("Cannot add optionals with different numbers of components.")),
            _ => Err(invalid_argument("Cannot add optionals because one has a value and the other doesn't.")),
        }
    }

    fn of<'a>(ctx: &'a OpKernelContext) -> Result<Cow<'a, OptionalValue>> {
        let t = ctx.input(0)?;
        match t.as_variants()? {
            [variant] if t.rank() == 0 => OptionalValue::in_variant(variant),
            _ => Err(not_optional()),
        }
    }
}

fn not_optional() -> ferroflow_tensor::Error {
    invalid_argument("The input must be a scalar tensor containing an OptionalVariant object.")
}

impl VariantValue for OptionalValue {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    /// As TensorFlow does: a byte that says whether there is a value, and the tensors.
    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        let has_value: &'static [u8] = if self.0.is_some() { &[1] } else { &[0] };
        Some((Bytes::from_static(has_value), self.0.clone().unwrap_or_default()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn finish(ctx: &mut OpKernelContext, optional: OptionalValue) -> Result<()> {
    let out = optional.into_tensor()?;
    ctx.set_output(0, out);
    Ok(())
}

/// `OptionalNone`.
pub(super) fn none(ctx: &mut OpKernelContext) -> Result<()> {
    finish(ctx, OptionalValue(None))
}

/// `OptionalFromValue`.
pub(super) fn from_value(ctx: &mut OpKernelContext) -> Result<()> {
    let tensors = (0..ctx.num_inputs()).map(|i| ctx.take_input(i)).collect::<Result<_>>()?;
    finish(ctx, OptionalValue(Some(tensors)))
}

/// `OptionalHasValue`.
pub(super) fn has_value(ctx: &mut OpKernelContext) -> Result<()> {
    let has_value = OptionalValue::of(ctx)?.0.is_some();
    ctx.set_output(0, Tensor::scalar(has_value));
    Ok(())
}

/// `OptionalGetValue`.
pub(super) fn get_value(ctx: &mut OpKernelContext) -> Result<()> {
    let optional = OptionalValue::of(ctx)?.into_owned();
    let tensors = optional.0.ok_or_else(|| invalid_argument("The given optional does not have a value."))?;
    let types = ctx.node.attrs.dtypes("output_types")?;
    let shapes = ctx.node.attrs.shapes("output_shapes")?;
    if tensors.len() != types.len() || tensors.len() != shapes.len() {
        let (have, want) = (tensors.len(), types.len());
        return Err(invalid_argument(format!("The given optional has {have} components, expected {want}")));
    }
    for (i, (t, (ty, shape))) in tensors.iter().zip(types.iter().zip(shapes)).enumerate() {
        let differs = |what: &str, want: String, have: String| {
            invalid_argument(format!(
                "The given optional does not match the expected {what} for component {i}. Expected: {want}. Actual: {have}."
            ))
        };
        if t.dtype() != *ty {
            return Err(differs("type", ty.to_string(), t.dtype().to_string()));
        }
        if !shape.matches(t.shape()) {
            return Err(differs("shape", shape.to_string(), t.shape().to_string()));
        }
    }
    tensors.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}

/// The shapes that `OptionalGetValue` declares.
pub(super) fn declared(c: &mut ShapeContext) -> Result<()> {
    let shapes = c.node().attrs.shapes("output_shapes")?.to_vec();
    if shapes.len() != c.node().output_types.len() {
        return Err(invalid_argument("`output_shapes` and `output_types` must be the same length"));
    }
    shapes.into_iter().enumerate().for_each(|(i, shape)| c.set_output(i, shape));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(values: &[f32]) -> Tensor {
        OpTester::named("OptionalFromValue").input_list(values.iter().map(|&v| Tensor::scalar(v))).run_one().unwrap()
    }

    fn get(optional: Tensor, shape: PartialShape) -> Result<Tensor> {
        let tester = OpTester::named("OptionalGetValue").input(optional).attr("output_types", vec![DType::Float]);
        tester.attr("output_shapes", vec![shape]).run_one()
    }

    #[test]
    fn what_was_put_in_comes_out() {
        assert_eq!(get(some(&[2.0]), PartialShape::scalar()).unwrap().to_scalar::<f32>().unwrap(), 2.0);
        let has = |t: Tensor| OpTester::named("OptionalHasValue").input(t).run_one().unwrap().to_scalar::<bool>().unwrap();
        let none = OpTester::named("OptionalNone").run_one().unwrap();
        assert!(has(some(&[1.0])) && !has(none.clone()));
        for (optional, shape) in
            [(none, PartialShape::scalar()), (some(&[1.0]), PartialShape::of_rank(1)), (some(&[1.0, 2.0]), PartialShape::scalar())]
        {
            assert_eq!(get(optional, shape).unwrap_err().code(), Code::InvalidArgument);
        }
    }

    #[test]
    fn optional_values_are_added_and_have_zeros() {
        let total = OpTester::named("AddN").input_list([some(&[2.0]), some(&[3.0])]).run_one().unwrap();
        assert_eq!(get(total.clone(), PartialShape::scalar()).unwrap().to_scalar::<f32>().unwrap(), 5.0);
        let zero = OpTester::named("ZerosLike").input(total).run_one().unwrap();
        assert_eq!(get(zero, PartialShape::scalar()).unwrap().to_scalar::<f32>().unwrap(), 0.0);
    }
}
