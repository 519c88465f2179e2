//! `Update`: what is done to an element of a variable with a new one, and the row loops that scatter ops share.

use super::arithmetic::{Arithmetic, Ordered};
use crate::types::{unsupported, with_numeric, with_real};
use ferroflow_math::{ROWS_AHEAD, prefetch};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DType, Element, Error, Result, Tensor};

/// What becomes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// It is replaced.
    Assign,
    /// The new value is added.
    Add,
    /// The new value is subtracted.
    Sub,
    /// It is multiplied by the new value.
    Mul,
    /// It is divided by the new value.
    Div,
    /// The lesser stays.
    Min,
    /// The greater stays.
    Max,
}

/// Where the elements of one update come from.
pub(crate) struct Rows<'a> {
    /// For each update the first element of `target` that it changes; checked by the caller.
    pub(crate) starts: &'a [usize],
    /// How many elements each update changes.
    pub(crate) width: usize,
    /// One row per start, or a single element for all of them.
    pub(crate) updates: &'a Tensor,
}

/// Changes rows of `target`, which is copied first if others share it. Nothing is changed if there is an error.
///
/// Errors: `InvalidArgument` for an integer division by zero or updates of another type; `Unimplemented` for types without arithmetic.
pub(crate) fn update_rows(update: Update, target: &mut Tensor, rows: &Rows) -> Result<()> {
    let dtype = target.dtype();
    if rows.updates.dtype() != dtype {
        return Err(invalid_argument(format!("updates are {}, the variable is {dtype}", rows.updates.dtype())));
    }
    let repeated = rows.updates.num_elements() == 1 && rows.updates.rank() == 0;
    let needed = if repeated { 1 } else { rows.starts.len() * rows.width };
    let end = rows.starts.iter().max().map_or(0, |s| s + rows.width);
    if rows.updates.num_elements() < needed || end > target.num_elements() {
        return Err(internal("rows to update lie outside the variable"));
    }
    if rows.starts.is_empty() || rows.width == 0 {
        return Ok(());
    }
    match update {
        Update::Assign => assign_rows(target, rows, repeated),
        Update::Min | Update::Max => with_real!(dtype => T, {
            if update == Update::Min { each::<T>(target, rows, repeated, T::lesser) } else { each::<T>(target, rows, repeated, T::greater) }
        }, else { Err(no_kernel(update, dtype)) }),
        _ => with_numeric!(dtype => T, { arithmetic::<T>(update, target, rows, repeated) }, else { Err(no_kernel(update, dtype)) }),
    }
}

fn no_kernel(update: Update, dtype: DType) -> Error {
    unsupported(&format!("{update:?} of rows"), dtype)
}

fn arithmetic<T: Element + Arithmetic>(update: Update, target: &mut Tensor, rows: &Rows, repeated: bool) -> Result<()> {
    match update {
        Update::Add => each::<T>(target, rows, repeated, T::plus),
        Update::Sub => each::<T>(target, rows, repeated, T::minus),
        Update::Mul => each::<T>(target, rows, repeated, T::times),
        _ => {
            if !T::DIVIDES_BY_NOTHING && rows.updates.as_slice::<T>()?.iter().any(|x| x.is_zero()) {
                return Err(invalid_argument("Integer division by zero"));
            }
            each::<T>(target, rows, repeated, T::over)
        }
    }
}

fn each<T: Element>(target: &mut Tensor, rows: &Rows, repeated: bool, change: impl Fn(T, T) -> T) -> Result<()> {
    let updates = rows.updates.as_slice::<T>()?;
    let target = target.make_mut::<T>()?;
    for (i, &start) in rows.starts.iter().enumerate() {
        if let Some(&ahead) = rows.starts.get(i + ROWS_AHEAD) {
            prefetch(&target[ahead..ahead + rows.width]);
        }
        let row = &mut target[start..start + rows.width];
        if repeated {
            row.iter_mut().for_each(|x| *x = change(*x, updates[0]));
        } else {
            let new = &updates[i * rows.width..][..rows.width];
            row.iter_mut().zip(new).for_each(|(x, &y)| *x = change(*x, y));
        }
    }
    Ok(())
}

fn assign_rows(target: &mut Tensor, rows: &Rows, repeated: bool) -> Result<()> {
    let width = rows.width;
    let source = |i: usize| if repeated { 0..1 } else { i * width..(i + 1) * width };
    match target.dtype() {
        DType::String => assign_each(target.make_mut_strings()?, rows.updates.as_strings()?, rows, source),
        DType::Variant => assign_each(target.make_mut_variants()?, rows.updates.as_variants()?, rows, source),
        dtype if dtype.is_plain() => {
            let size = dtype.size();
            if !target.is_unique() {
                *target = target.deep_copy()?;
            }
            let updates = rows.updates.bytes()?;
            let target = target.bytes_mut()?;
            for (i, &start) in rows.starts.iter().enumerate() {
                let new = source(i);
                let new = &updates[new.start * size..new.end * size];
                target[start * size..(start + width) * size].chunks_mut(new.len()).for_each(|x| x.copy_from_slice(new));
            }
        }
        other => return Err(no_kernel(Update::Assign, other)),
    }
    Ok(())
}

fn assign_each<T: Clone>(target: &mut [T], updates: &[T], rows: &Rows, source: impl Fn(usize) -> std::ops::Range<usize>) {
    for (i, &start) in rows.starts.iter().enumerate() {
        let new = &updates[source(i)];
        target[start..start + rows.width].iter_mut().enumerate().for_each(|(j, x)| *x = new[j % new.len()].clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{strings, tensor};
    use ferroflow_tensor::Code;

    fn updated(update: Update, target: &Tensor, starts: &[usize], width: usize, updates: &Tensor) -> Result<Tensor> {
        let mut target = target.clone();
        update_rows(update, &mut target, &Rows { starts, width, updates })?;
        Ok(target)
    }

    #[test]
    fn rows_change_in_order_and_a_scalar_goes_everywhere() {
        let v = tensor(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]);
        let sum = updated(Update::Add, &v, &[2, 2], 2, &tensor(&[2, 2], &[1f32, 1.0, 10.0, 20.0])).unwrap();
        assert_eq!(sum.as_slice::<f32>().unwrap(), [1.0, 2.0, 14.0, 25.0]);
        let scaled = updated(Update::Mul, &v, &[0], 2, &Tensor::scalar(3f32)).unwrap();
        assert_eq!(scaled.as_slice::<f32>().unwrap(), [3.0, 6.0, 3.0, 4.0]);
        let least = updated(Update::Min, &v, &[0], 2, &Tensor::scalar(1.5f32)).unwrap();
        assert_eq!(least.as_slice::<f32>().unwrap(), [1.0, 1.5, 3.0, 4.0]);
        assert_eq!(v.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0], "the shared original stays");
    }

    #[test]
    fn strings_and_bools_can_be_replaced_but_not_added() {
        let v = strings(&[2], &["a", "b"]);
        let new = updated(Update::Assign, &v, &[1], 1, &strings(&[1], &["z"])).unwrap();
        assert_eq!(new.as_strings().unwrap()[1], "z");
        let v = tensor(&[2], &[false, false]);
        let new = updated(Update::Assign, &v, &[0, 1], 1, &Tensor::scalar(true)).unwrap();
        assert_eq!(new.as_slice::<bool>().unwrap(), [true, true]);
        assert_eq!(updated(Update::Add, &v, &[0], 1, &Tensor::scalar(true)).unwrap_err().code(), Code::Unimplemented);
    }

    #[test]
    fn an_integer_division_by_zero_changes_nothing() {
        let v = tensor(&[2], &[4i32, 6]);
        let error = updated(Update::Div, &v, &[0, 1], 1, &tensor(&[2], &[2i32, 0])).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        let wrong_type = updated(Update::Add, &v, &[0], 1, &Tensor::scalar(1f32)).unwrap_err();
        assert_eq!(wrong_type.code(), Code::InvalidArgument);
    }
}
