//! Comparisons, logic and choice, element by element: TensorFlow's ops that give or take `bool`.

use half::{bf16, f16};
use num_complex::Complex;

use crate::broadcast::{Broadcast, Operand, zip};
use crate::error::ArithmeticError;
use crate::number::Floating;
use crate::parallel::{ParallelFor, for_each_part};

const GRAIN: usize = 16 * 1024;

/// A comparison of two values. All but `NotEqual` are false when an operand is NaN.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A connective of two truth values.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicalOp {
    And,
    Or,
    Xor,
}

/// A class of floating-point values, by the name of TensorFlow's op.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatClass {
    IsNan,
    IsInf,
    IsFinite,
}

/// An element type that can be compared.
pub trait CompareElement: Copy + Send + Sync + 'static {
    /// Compares the operands of one run. Callers use [`compare`].
    fn compare(op: CompareOp, left: Operand<Self>, right: Operand<Self>, out: &mut [bool]) -> Result<(), ArithmeticError>;
}

/// out = left op right with broadcasting; ordering is `Unsupported` for complex numbers. Panics when a length is not the plan's.
pub fn compare<T: CompareElement>(
    pool: &dyn ParallelFor,
    op: CompareOp,
    plan: &Broadcast,
    left: &[T],
    right: &[T],
    out: &mut [bool],
) -> Result<(), ArithmeticError> {
    assert_eq!((left.len(), right.len(), out.len()), (plan.left_len(), plan.right_len(), plan.len()));
    T::compare(op, Operand::Slice(&[]), Operand::Slice(&[]), &mut [])?;
    for_each_part(pool, out, plan.len(), GRAIN, &|range, out| {
        plan.for_each_run(range.clone(), |run| {
            let out = &mut out[run.out - range.start..][..run.len];
            let compared = T::compare(op, run.left_of(left), run.right_of(right), out);
            debug_assert!(compared.is_ok());
        });
    });
    Ok(())
}

/// out = left op right with broadcasting. Panics when a length is not the plan's.
pub fn logical(op: LogicalOp, plan: &Broadcast, left: &[bool], right: &[bool], out: &mut [bool]) {
    assert_eq!((left.len(), right.len(), out.len()), (plan.left_len(), plan.right_len(), plan.len()));
    plan.for_each_run(0..plan.len(), |run| {
        let (left, right, out) = (run.left_of(left), run.right_of(right), &mut out[run.out..][..run.len]);
        match op {
            LogicalOp::And => zip((left, right, out, |l, r| l & r)),
            LogicalOp::Or => zip((left, right, out, |l, r| l | r)),
            LogicalOp::Xor => zip((left, right, out, |l, r| l ^ r)),
        }
    });
}

/// y = not x. Panics when the lengths differ.
pub fn logical_not(x: &[bool], y: &mut [bool]) {
    assert_eq!(x.len(), y.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y = !x;
    }
}

/// y = whether x is of the class. Panics when the lengths differ.
pub fn classify<T: Floating>(class: FloatClass, x: &[T], y: &mut [bool]) {
    use num_traits::Float;
    assert_eq!(x.len(), y.len());
    for (y, x) in y.iter_mut().zip(x) {
        let x = x.widen();
        *y = match class {
            FloatClass::IsNan => x.is_nan(),
            FloatClass::IsInf => x.is_infinite(),
            FloatClass::IsFinite => x.is_finite(),
        };
    }
}

/// out = condition ? then : otherwise, for slices of one length. Panics when the lengths differ.
pub fn select<T: Clone>(condition: &[bool], then: &[T], otherwise: &[T], out: &mut [T]) {
    assert!(condition.len() == out.len() && then.len() == out.len() && otherwise.len() == out.len());
    for (((out, &condition), then), otherwise) in out.iter_mut().zip(condition).zip(then).zip(otherwise) {
        *out = if condition { then.clone() } else { otherwise.clone() };
    }
}

macro_rules! ordered_element {
    ($($t:ty)*) => {$(
        impl CompareElement for $t {
            fn compare(
                op: CompareOp, left: Operand<Self>, right: Operand<Self>, out: &mut [bool],
            ) -> Result<(), ArithmeticError> {
                match op {
                    CompareOp::Equal => zip((left, right, out, |l, r| l == r)),
                    CompareOp::NotEqual => zip((left, right, out, |l, r| l != r)),
                    CompareOp::Less => zip((left, right, out, |l, r| l < r)),
                    CompareOp::LessEqual => zip((left, right, out, |l, r| l <= r)),
                    CompareOp::Greater => zip((left, right, out, |l, r| l > r)),
                    CompareOp::GreaterEqual => zip((left, right, out, |l, r| l >= r)),
                }
                Ok(())
            }
        }
    )*};
}
ordered_element!(f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool);

macro_rules! complex_element {
    ($($t:ty)*) => {$(
        impl CompareElement for Complex<$t> {
            fn compare(
                op: CompareOp, left: Operand<Self>, right: Operand<Self>, out: &mut [bool],
            ) -> Result<(), ArithmeticError> {
                match op {
                    CompareOp::Equal => zip((left, right, out, |l, r| l == r)),
                    CompareOp::NotEqual => zip((left, right, out, |l, r| l != r)),
                    _ => return Err(ArithmeticError::Unsupported),
                }
                Ok(())
            }
        }
    )*};
}
complex_element!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;

    #[test]
    fn comparisons_broadcast_and_nan_equals_nothing() {
        let plan = Broadcast::new(&[2, 2], &[2]).unwrap();
        let mut out = [false; 4];
        compare(&Inline, CompareOp::LessEqual, &plan, &[1.0f32, 2.0, f32::NAN, 0.0], &[1.0, 1.0], &mut out).unwrap();
        assert_eq!(out, [true, false, false, true]);
        compare(&Inline, CompareOp::NotEqual, &plan, &[1.0f32, 2.0, f32::NAN, 0.0], &[1.0, 1.0], &mut out).unwrap();
        assert_eq!(out, [false, true, true, true]);
    }

    #[test]
    fn complex_numbers_have_no_order() {
        let z = [Complex::new(1.0f32, 2.0)];
        let mut out = [false];
        let less = compare(&Inline, CompareOp::Less, &Broadcast::same(1), &z, &z, &mut out);
        assert_eq!(less, Err(ArithmeticError::Unsupported));
        compare(&Inline, CompareOp::Equal, &Broadcast::same(1), &z, &z, &mut out).unwrap();
        assert!(out[0]);
    }

    #[test]
    fn logic_classes_and_choice() {
        let mut out = [false; 2];
        let plan = Broadcast::new(&[2], &[]).unwrap();
        for (op, expected) in [(LogicalOp::And, [true, false]), (LogicalOp::Or, [true, true]), (LogicalOp::Xor, [false, true])] {
            logical(op, &plan, &[true, false], &[true], &mut out);
            assert_eq!(out, expected, "{op:?}");
        }
        logical_not(&[true, false], &mut out);
        assert_eq!(out, [false, true]);
        classify(FloatClass::IsInf, &[f16::INFINITY, f16::NAN], &mut out);
        assert_eq!(out, [true, false]);
        classify(FloatClass::IsNan, &[f64::INFINITY, f64::NAN], &mut out);
        assert_eq!(out, [false, true]);
        let mut chosen = ["", ""];
        select(&[true, false], &["a", "b"], &["c", "d"], &mut chosen);
        assert_eq!(chosen, ["a", "d"]);
    }
}
