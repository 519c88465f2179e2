//! `RaggedRange`: ranges as a ragged matrix.

use super::dims::index_tensor;
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "RaggedRange(starts: T, limits: T, deltas: T) -> (rt_nested_splits: Tsplits, rt_dense_values: T)",
    attrs: "T: type in {bfloat16, float, double, int32, int64} = int32; Tsplits: type in {int32, int64} = int64",
    doc: "For each of `starts`, `limits` and `deltas` (one each, or one for all) the numbers from start by delta before limit, as row splits and values.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::BFloat16, DType::Float, DType::Double, DType::Int32, DType::Int64])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// Ends of the rows, and all values.
fn ranges<T: Element + PartialOrd + AsPrimitive<f64> + AsPrimitive<i64>>(
    ctx: &OpKernelContext,
    rows: usize,
    value: impl Fn(T, T, i64) -> T,
) -> Result<(Vec<i64>, Vec<T>)> {
    let at = |i: usize, row: usize| -> Result<T> {
        let t = ctx.input(i)?;
        let values = t.as_slice::<T>()?;
        Ok(if t.rank() == 0 { values[0] } else { values[row] })
    };
    let is_float = !T::DTYPE.is_integer();
    let (mut ends, mut values) = (vec![0i64], Vec::new());
    for row in 0..rows {
        let (start, limit, delta) = (at(0, row)?, at(1, row)?, at(2, row)?);
        let zero = T::default();
        if delta == zero {
            return Err(invalid_argument("Requires delta != 0"));
        }
        let is_empty = if delta > zero { limit < start } else { limit > start };
        let count = if is_empty {
            0
        } else if is_float {
            let [s, l, d]: [f64; 3] = [start, limit, delta].map(|v| v.as_());
            let count = ((l - s) / d).abs().ceil();
            if count < 2f64.powi(62) { count as i128 } else { i128::MAX }
        } else {
            let [s, l, d]: [i64; 3] = [start, limit, delta].map(|v| v.as_());
            let (distance, step) = ((i128::from(l) - i128::from(s)).abs(), i128::from(d).abs());
            (distance + step - 1) / step
        };
        let count = i64::try_from(count).map_err(|_| invalid_argument("Requires ((limit - start) / delta) <= the largest int64"))?;
        let reserved = usize::try_from(count).is_ok_and(|n| values.try_reserve(n).is_ok());
        if !reserved {
            return Err(ferroflow_tensor::error::resource_exhausted(format!("there is no memory for a range of {count} numbers")));
        }
        values.extend((0..count).map(|k| value(start, delta, k)));
        ends.push(values.len() as i64);
    }
    Ok((ends, values))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let mut rows = None;
    for (i, name) in ["starts", "limits", "deltas"].iter().enumerate() {
        let t = ctx.input(i)?;
        match t.dims() {
            [] => {}
            [n] if rows.is_none_or(|r| r == *n) => rows = Some(*n),
            [_] => return Err(invalid_argument("starts, limits, and deltas must have the same shape")),
            _ => return Err(invalid_argument(format!("{name} must be a scalar or vector"))),
        }
    }
    let rows = rows.unwrap_or(1) as usize;
    let dtype = ctx.input(0)?.dtype();
    let (ends, values) = match dtype {
        DType::Int32 => {
            let (e, v) = ranges::<i32>(ctx, rows, |s, d, k| s.wrapping_add(d.wrapping_mul(k as i32)))?;
            (e, Tensor::vector(&v)?)
        }
        DType::Int64 => {
            let (e, v) = ranges::<i64>(ctx, rows, |s, d, k| s.wrapping_add(d.wrapping_mul(k)))?;
            (e, Tensor::vector(&v)?)
        }
        DType::Float => {
            let (e, v) = ranges::<f32>(ctx, rows, |s, d, k| s + d * k as f32)?;
            (e, Tensor::vector(&v)?)
        }
        DType::Double => {
            let (e, v) = ranges::<f64>(ctx, rows, |s, d, k| s + d * k as f64)?;
            (e, Tensor::vector(&v)?)
        }
        _ => {
            let (e, v) = ranges::<half::bf16>(ctx, rows, |s, d, k| half::bf16::from_f32(s.to_f32() + d.to_f32() * k as f32))?;
            (e, Tensor::vector(&v)?)
        }
    };
    let ends = index_tensor(ctx.node.output_types[0].dtype, Shape::from_lens(&[ends.len()])?, &ends)?;
    ctx.set_output(0, ends);
    ctx.set_output(1, values);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.set_output(0, PartialShape::of_rank(1));
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}
