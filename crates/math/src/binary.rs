//! Functions of two arguments, element by element and with broadcasting: TensorFlow's `cwise_ops` with two inputs, and the
//! gradients of activations, which are functions of two arguments as well.

use half::{bf16, f16};
use num_complex::Complex;
use num_traits::{One, Zero};

use crate::broadcast::{Broadcast, Operand, zip};
use crate::error::ArithmeticError;
use crate::number::{Floating, Real, narrow, widen};
use crate::parallel::{ParallelFor, for_each_part};
use crate::unary::{BLOCK, SELU_SCALE, SELU_SCALE_ALPHA, sigmoid};
use crate::vectorise::vectorised;

/// A function of two arguments x and y (in this order), by the name of TensorFlow's op.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Atan2,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    /// Integers: rounds towards zero, as C does.
    Div,
    /// x / y, and 0 where y is 0.
    DivNoNan,
    /// x / y rounded down.
    FloorDiv,
    /// The remainder that has the sign of y, as in Python.
    FloorMod,
    LeftShift,
    Maximum,
    Minimum,
    /// `Mod` for floating point and `TruncateMod`: the remainder that has the sign of x, as in C.
    Mod,
    Mul,
    /// x y, and 0 where y is 0.
    MulNoNan,
    Pow,
    RightShift,
    SquaredDifference,
    Sub,
    /// x log1p(y), and 0 where x is 0.
    Xlog1py,
    /// x log(y), and 0 where x is 0.
    Xlogy,
    /// x / y, and 0 where x is 0.
    Xdivy,
    /// x: gradient, y: output of `Elu`.
    EluGrad,
    /// x: output of `Inv`, y: gradient.
    InvGrad,
    /// x: gradient, y: input or output of `Relu`.
    ReluGrad,
    /// x: gradient, y: input or output of `Relu6`.
    Relu6Grad,
    /// x: output of `Rsqrt`, y: gradient.
    RsqrtGrad,
    /// x: gradient, y: output of `Selu`.
    SeluGrad,
    /// x: output of `Sigmoid`, y: gradient.
    SigmoidGrad,
    /// x: gradient, y: input of `Softplus`.
    SoftplusGrad,
    /// x: gradient, y: input of `Softsign`.
    SoftsignGrad,
    /// x: output of `Sqrt`, y: gradient.
    SqrtGrad,
    /// x: output of `Tanh`, y: gradient.
    TanhGrad,
    /// x / y rounded towards zero.
    TruncateDiv,
}

/// Which operand of an in-place operation is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// x = op(x, y).
    Left,
    /// y = op(x, y).
    Right,
}

/// An element type with functions of two arguments.
pub trait BinaryElement: Copy + Default + Send + Sync + 'static {
    /// Computes one run on the calling thread, without looking for bad operands. Callers use [`binary`].
    fn apply(op: BinaryOp, x: Operand<Self>, y: Operand<Self>, out: &mut [Self]) -> Result<(), ArithmeticError>;

    /// Looks for right operands that `op` cannot take.
    fn check_right(op: BinaryOp, y: &[Self]) -> Result<(), ArithmeticError>;

    /// op(x, y) for the everyday ops that need no check; `None` for the others.
    #[inline]
    fn of_one(_op: BinaryOp, _x: Self, _y: Self) -> Option<Self> {
        None
    }
}

const GRAIN: usize = 16 * 1024;

/// out = op(x, y) with broadcasting. Integer division by zero and negative integer powers are errors, and `out` is untouched then.
/// Panics when a length is not the plan's.
pub fn binary<T: BinaryElement>(
    pool: &dyn ParallelFor,
    op: BinaryOp,
    plan: &Broadcast,
    x: &[T],
    y: &[T],
    out: &mut [T],
) -> Result<(), ArithmeticError> {
    assert_eq!((x.len(), y.len(), out.len()), (plan.left_len(), plan.right_len(), plan.len()));
    T::apply(op, Operand::Slice(&[]), Operand::Slice(&[]), &mut [])?;
    if !out.is_empty() {
        T::check_right(op, y)?;
    }
    for_each_part(pool, out, plan.len(), GRAIN, &|range, out| {
        plan.for_each_run(range.clone(), |run| {
            let out = &mut out[run.out - range.start..][..run.len];
            let applied = T::apply(op, run.left_of(x), run.right_of(y), out);
            debug_assert!(applied.is_ok());
        });
    });
    Ok(())
}

/// op(x, y) of two single elements, without the loops.
pub fn binary_of_one<T: BinaryElement>(op: BinaryOp, x: T, y: T) -> Result<T, ArithmeticError> {
    if let Some(z) = T::of_one(op, x, y) {
        return Ok(z);
    }
    T::check_right(op, &[y])?;
    let mut out = [T::default()];
    T::apply(op, Operand::Slice(&[x]), Operand::Slice(&[y]), &mut out)?;
    Ok(out[0])
}

/// Like [`binary`], with the result in place of the operand on `side`, which must have the output's shape
/// (`plan` names the overwritten operand in its own place: left for `Left`). Panics when a length is not the plan's.
pub fn binary_in_place<T: BinaryElement>(
    pool: &dyn ParallelFor,
    op: BinaryOp,
    plan: &Broadcast,
    side: Side,
    inout: &mut [T],
    other: &[T],
) -> Result<(), ArithmeticError> {
    let (kept, overwritten) = match side {
        Side::Left => (plan.right_len(), plan.left_len()),
        Side::Right => (plan.left_len(), plan.right_len()),
    };
    assert_eq!((other.len(), overwritten, inout.len()), (kept, plan.len(), plan.len()));
    T::apply(op, Operand::Slice(&[]), Operand::Slice(&[]), &mut [])?;
    match side {
        Side::Left if !inout.is_empty() => T::check_right(op, other)?,
        _ => T::check_right(op, inout)?,
    }
    for_each_part(pool, inout, plan.len(), GRAIN, &|range, inout| {
        let mut before = [T::default(); BLOCK];
        plan.for_each_run(range.clone(), |run| {
            let other = match side {
                Side::Left => run.right_of(other),
                Side::Right => run.left_of(other),
            };
            let out = &mut inout[run.out - range.start..][..run.len];
            for (i, block) in out.chunks_mut(BLOCK).enumerate() {
                let before = &mut before[..block.len()];
                before.copy_from_slice(block);
                let other = match other {
                    Operand::Slice(other) => Operand::Slice(&other[i * BLOCK..][..block.len()]),
                    scalar => scalar,
                };
                let before = Operand::Slice(&*before);
                let (x, y) = if side == Side::Left { (before, other) } else { (other, before) };
                let applied = T::apply(op, x, y, block);
                debug_assert!(applied.is_ok());
            }
        });
    });
    Ok(())
}

#[inline(always)]
fn floor_mod<R: Real>(x: R, y: R) -> R {
    let rest = x % y;
    if rest != R::zero() && (rest < R::zero()) != (y < R::zero()) { rest + y } else { rest }
}

#[inline(always)]
fn maximum<R: Real>(x: R, y: R) -> R {
    if x > y || x.is_nan() { x } else { y }
}

#[inline(always)]
fn minimum<R: Real>(x: R, y: R) -> R {
    if x < y || x.is_nan() { x } else { y }
}

#[inline(always)]
fn zero_if<R: Zero>(zero: bool, value: R) -> R {
    if zero { R::zero() } else { value }
}

#[inline(always)]
fn xlogy<R: Real>(x: R, y: R) -> R {
    zero_if(x.is_zero(), x * y.logarithm())
}

#[inline(always)]
fn xlog1py<R: Real>(x: R, y: R) -> R {
    zero_if(x.is_zero(), x * y.logarithm_1p())
}

#[inline(always)]
fn selu_grad<R: Real>(gradient: R, y: R) -> R {
    gradient * if y < R::zero() { y + R::of(SELU_SCALE_ALPHA) } else { R::of(SELU_SCALE) }
}

#[inline(always)]
fn softplus_grad<R: Real>(gradient: R, x: R) -> R {
    gradient * sigmoid(x)
}

fn floating<R: Real>(op: BinaryOp, x: Operand<R>, y: Operand<R>, out: &mut [R]) -> Result<(), ArithmeticError> {
    macro_rules! apply {
        ($f:expr) => {
            vectorised((x, y, out, $f), zip::<R, R, _>)
        };
    }
    let (zero, one) = (R::zero(), R::one());
    let half = R::of(0.5);
    match op {
        BinaryOp::Add => apply!(|x: R, y: R| x + y),
        BinaryOp::Atan2 => apply!(|x: R, y: R| x.atan2(y)),
        BinaryOp::Div => apply!(|x: R, y: R| x / y),
        BinaryOp::DivNoNan => apply!(|x: R, y: R| zero_if(y.is_zero(), x / y)),
        BinaryOp::FloorDiv => apply!(|x: R, y: R| (x / y).floor()),
        BinaryOp::FloorMod => apply!(floor_mod::<R>),
        BinaryOp::Maximum => apply!(maximum::<R>),
        BinaryOp::Minimum => apply!(minimum::<R>),
        BinaryOp::Mod => apply!(|x: R, y: R| x % y),
        BinaryOp::Mul => apply!(|x: R, y: R| x * y),
        BinaryOp::MulNoNan => apply!(|x: R, y: R| zero_if(y.is_zero(), x * y)),
        BinaryOp::Pow => apply!(|x: R, y: R| x.powf(y)),
        BinaryOp::SquaredDifference => apply!(|x: R, y: R| (x - y) * (x - y)),
        BinaryOp::Sub => apply!(|x: R, y: R| x - y),
        BinaryOp::Xlog1py => apply!(xlog1py::<R>),
        BinaryOp::Xlogy => apply!(xlogy::<R>),
        BinaryOp::Xdivy => apply!(|x: R, y: R| zero_if(x.is_zero(), x / y)),
        BinaryOp::EluGrad => apply!(|g: R, y: R| if y < zero { g * (y + one) } else { g }),
        BinaryOp::InvGrad => apply!(|y: R, g: R| -g * y * y),
        // Products, as in TensorFlow: a gradient that is NaN stays NaN where nothing flows.
        BinaryOp::ReluGrad => apply!(|g: R, x: R| g * if x > zero { one } else { zero }),
        BinaryOp::Relu6Grad => apply!(|g: R, x: R| g * if x > zero && x < R::of(6.0) { one } else { zero }),
        BinaryOp::RsqrtGrad => apply!(|y: R, g: R| -half * g * y * y * y),
        BinaryOp::SeluGrad => apply!(selu_grad::<R>),
        BinaryOp::SigmoidGrad => apply!(|y: R, g: R| g * y * (one - y)),
        BinaryOp::SoftplusGrad => apply!(softplus_grad::<R>),
        BinaryOp::SoftsignGrad => apply!(|g: R, x: R| g / ((one + x.abs()) * (one + x.abs()))),
        BinaryOp::SqrtGrad => apply!(|y: R, g: R| half * g / y),
        BinaryOp::TanhGrad => apply!(|y: R, g: R| g * (one - y * y)),
        BinaryOp::TruncateDiv => apply!(|x: R, y: R| (x / y).trunc()),
        BinaryOp::BitwiseAnd | BinaryOp::BitwiseOr | BinaryOp::BitwiseXor | BinaryOp::LeftShift | BinaryOp::RightShift => {
            return Err(ArithmeticError::Unsupported);
        }
    }
    Ok(())
}

macro_rules! floating_element {
    ($($t:ty)*) => {$(
        impl BinaryElement for $t {
            fn apply(op: BinaryOp, x: Operand<Self>, y: Operand<Self>, out: &mut [Self]) -> Result<(), ArithmeticError> {
                floating(op, x, y, out)
            }

            #[inline]
            fn of_one(op: BinaryOp, x: Self, y: Self) -> Option<Self> {
                match op {
                    BinaryOp::Add => Some(x + y),
                    BinaryOp::Sub => Some(x - y),
                    BinaryOp::Mul => Some(x * y),
                    BinaryOp::Div => Some(x / y),
                    _ => None,
                }
            }

            fn check_right(_: BinaryOp, _: &[Self]) -> Result<(), ArithmeticError> {
                Ok(())
            }
        }
    )*};
}
floating_element!(f32 f64);

/// 16-bit types go through f32 block by block.
macro_rules! wide_element {
    ($($t:ty)*) => {$(
        impl BinaryElement for $t {
            fn apply(op: BinaryOp, x: Operand<Self>, y: Operand<Self>, out: &mut [Self]) -> Result<(), ArithmeticError> {
                let (mut wide_x, mut wide_y, mut result) = ([0.0f32; BLOCK], [0.0f32; BLOCK], [0.0f32; BLOCK]);
                // The empty call finds an op that is not supported even when there is no block.
                floating::<f32>(op, Operand::Slice(&[]), Operand::Slice(&[]), &mut [])?;
                for (i, out) in out.chunks_mut(BLOCK).enumerate() {
                    let result = &mut result[..out.len()];
                    floating(op, wide_block(x, i, &mut wide_x, out.len()), wide_block(y, i, &mut wide_y, out.len()), result)?;
                    narrow(result, out);
                }
                Ok(())
            }

            fn check_right(_: BinaryOp, _: &[Self]) -> Result<(), ArithmeticError> {
                Ok(())
            }
        }
    )*};
}
wide_element!(f16 bf16);

/// Block `i` of an operand in f32, kept in `wide`.
fn wide_block<'a, T: Floating<Wide = f32>>(operand: Operand<T>, i: usize, wide: &'a mut [f32; BLOCK], len: usize) -> Operand<'a, f32> {
    match operand {
        Operand::Scalar(x) => Operand::Scalar(x.widen()),
        Operand::Slice(x) => {
            widen(&x[i * BLOCK..][..len], &mut wide[..len]);
            Operand::Slice(&wide[..len])
        }
    }
}

macro_rules! integer_element {
    ($($t:ty, $signed:expr;)*) => {$(
        impl BinaryElement for $t {
            #[inline]
            fn of_one(op: BinaryOp, x: Self, y: Self) -> Option<Self> {
                match op {
                    BinaryOp::Add => Some(x.wrapping_add(y)),
                    BinaryOp::Sub => Some(x.wrapping_sub(y)),
                    BinaryOp::Mul => Some(x.wrapping_mul(y)),
                    _ => None,
                }
            }

            fn apply(op: BinaryOp, x: Operand<Self>, y: Operand<Self>, out: &mut [Self]) -> Result<(), ArithmeticError> {
                macro_rules! apply {
                    ($f:expr) => {
                        zip((x, y, out, $f))
                    };
                }
                match op {
                    BinaryOp::Add => apply!(<$t>::wrapping_add),
                    BinaryOp::BitwiseAnd => apply!(|x, y| x & y),
                    BinaryOp::BitwiseOr => apply!(|x, y| x | y),
                    BinaryOp::BitwiseXor => apply!(|x, y| x ^ y),
                    BinaryOp::Div | BinaryOp::DivNoNan | BinaryOp::TruncateDiv => apply!(|x: $t, y: $t| if y == 0 { 0 } else { x.wrapping_div(y) }),
                    BinaryOp::FloorDiv => apply!(|x: $t, y: $t| {
                        if y == 0 {
                            return 0;
                        }
                        let quotient = x.wrapping_div(y);
                        let rest = x.wrapping_rem(y);
                        if rest != 0 && $signed && ((rest ^ y) >> (<$t>::BITS - 1)) != 0 { quotient.wrapping_sub(1) } else { quotient }
                    }),
                    BinaryOp::FloorMod => apply!(|x: $t, y: $t| {
                        if y == 0 {
                            return 0;
                        }
                        let rest = x.wrapping_rem(y);
                        if rest != 0 && $signed && ((rest ^ y) >> (<$t>::BITS - 1)) != 0 { rest.wrapping_add(y) } else { rest }
                    }),
                    // Shifts by less than 0 or by all bits and more are left open by TensorFlow; here they are clamped.
                    BinaryOp::LeftShift => apply!(|x: $t, y: $t| {
                        u32::try_from(y).ok().and_then(|y| x.checked_shl(y)).unwrap_or(0)
                    }),
                    BinaryOp::RightShift => apply!(|x: $t, y: $t| {
                        let most = <$t>::BITS - 1;
                        if u64::try_from(y).is_ok_and(|y| y <= u64::from(most)) { x >> y } else if $signed { x >> most } else { 0 }
                    }),
                    BinaryOp::Maximum => apply!(|x: $t, y: $t| x.max(y)),
                    BinaryOp::Minimum => apply!(|x: $t, y: $t| x.min(y)),
                    BinaryOp::Mod => apply!(|x: $t, y: $t| if y == 0 { 0 } else { x.wrapping_rem(y) }),
                    BinaryOp::Mul | BinaryOp::MulNoNan => apply!(<$t>::wrapping_mul),
                    BinaryOp::Pow => apply!(|x: $t, y: $t| {
                        let (mut power, mut base, mut exponent) = (1 as $t, x, u64::try_from(y).unwrap_or(0));
                        while exponent > 0 {
                            if exponent & 1 == 1 {
                                power = power.wrapping_mul(base);
                            }
                            base = base.wrapping_mul(base);
                            exponent >>= 1;
                        }
                        power
                    }),
                    BinaryOp::ReluGrad => apply!(|g: $t, x: $t| if x > 0 { g } else { 0 }),
                    BinaryOp::Relu6Grad => apply!(|g: $t, x: $t| if x > 0 && x < 6 { g } else { 0 }),
                    BinaryOp::SquaredDifference => apply!(|x: $t, y: $t| x.wrapping_sub(y).wrapping_mul(x.wrapping_sub(y))),
                    BinaryOp::Sub => apply!(<$t>::wrapping_sub),
                    _ => return Err(ArithmeticError::Unsupported),
                }
                Ok(())
            }

            fn check_right(op: BinaryOp, y: &[Self]) -> Result<(), ArithmeticError> {
                match op {
                    BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::FloorMod | BinaryOp::Mod | BinaryOp::TruncateDiv if y.contains(&0) => {
                        Err(ArithmeticError::DivisionByZero)
                    }
                    BinaryOp::Pow if $signed && y.iter().any(|&y| y >> (<$t>::BITS - 1) != 0) => Err(ArithmeticError::NegativePower),
                    _ => Ok(()),
                }
            }
        }
    )*};
}
integer_element! {
    i8, true; i16, true; i32, true; i64, true;
    u8, false; u16, false; u32, false; u64, false;
}

fn complex<R: Real>(op: BinaryOp, x: Operand<Complex<R>>, y: Operand<Complex<R>>, out: &mut [Complex<R>]) -> Result<(), ArithmeticError> {
    macro_rules! apply {
        ($f:expr) => {
            zip((x, y, out, $f))
        };
    }
    let one = Complex::<R>::one();
    let half = Complex::new(R::of(0.5), R::zero());
    match op {
        BinaryOp::Add => apply!(|x: Complex<R>, y: Complex<R>| x + y),
        BinaryOp::Div => apply!(|x: Complex<R>, y: Complex<R>| x / y),
        BinaryOp::DivNoNan => apply!(|x: Complex<R>, y: Complex<R>| zero_if(y.is_zero(), x / y)),
        BinaryOp::Mul => apply!(|x: Complex<R>, y: Complex<R>| x * y),
        BinaryOp::MulNoNan => apply!(|x: Complex<R>, y: Complex<R>| zero_if(y.is_zero(), x * y)),
        BinaryOp::Pow => apply!(|x: Complex<R>, y: Complex<R>| x.powc(y)),
        BinaryOp::SquaredDifference => apply!(|x: Complex<R>, y: Complex<R>| (x - y).conj() * (x - y)),
        BinaryOp::Sub => apply!(|x: Complex<R>, y: Complex<R>| x - y),
        BinaryOp::Xlog1py => apply!(|x: Complex<R>, y: Complex<R>| zero_if(x.is_zero(), x * (y + one).ln())),
        BinaryOp::Xlogy => apply!(|x: Complex<R>, y: Complex<R>| zero_if(x.is_zero(), x * y.ln())),
        BinaryOp::Xdivy => apply!(|x: Complex<R>, y: Complex<R>| zero_if(x.is_zero(), x / y)),
        // The gradient of an analytic function is the conjugate of its derivative times the incoming gradient.
        BinaryOp::InvGrad => apply!(|y: Complex<R>, g: Complex<R>| -g * (y * y).conj()),
        BinaryOp::RsqrtGrad => apply!(|y: Complex<R>, g: Complex<R>| -half * g * (y * y * y).conj()),
        BinaryOp::SigmoidGrad => apply!(|y: Complex<R>, g: Complex<R>| g * (y * (one - y)).conj()),
        BinaryOp::SqrtGrad => apply!(|y: Complex<R>, g: Complex<R>| half * g / y.conj()),
        BinaryOp::TanhGrad => apply!(|y: Complex<R>, g: Complex<R>| g * (one - y * y).conj()),
        _ => return Err(ArithmeticError::Unsupported),
    }
    Ok(())
}

macro_rules! complex_element {
    ($($t:ty)*) => {$(
        impl BinaryElement for Complex<$t> {
            fn apply(op: BinaryOp, x: Operand<Self>, y: Operand<Self>, out: &mut [Self]) -> Result<(), ArithmeticError> {
                complex(op, x, y, out)
            }

            fn check_right(_: BinaryOp, _: &[Self]) -> Result<(), ArithmeticError> {
                Ok(())
            }
        }
    )*};
}
complex_element!(f32 f64);

#[cfg(test)]
mod tests;
