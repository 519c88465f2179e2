//! `Range`: numbers at equal distances.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::{Num, ToPrimitive};
use std::fmt::Display;

pub const OP: OpSpec = OpSpec {
    signature: "Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx)",
    attrs: "Tidx: type in {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = int32",
    doc: "`start`, `start + delta`, … up to, but without, `limit`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// A type that `Range` counts in.
trait Counter: Element + Num + PartialOrd + Display + ToPrimitive {
    /// How many steps of `delta` lead from `start` to `limit`, rounded up, if that is a sensible number.
    fn steps(start: Self, limit: Self, delta: Self) -> Option<i64>;
    /// The next number; integers wrap around, which only the one behind the last does.
    fn next(self, delta: Self) -> Self;
}

macro_rules! counters {
    (integers: $($int:ty)*; floats: $($float:ty)*) => {
        $(impl Counter for $int {
            fn steps(start: Self, limit: Self, delta: Self) -> Option<i64> {
                let distance = (limit as i128 - start as i128).abs();
                let delta = (delta as i128).abs();
                i64::try_from((distance + delta - 1) / delta).ok()
            }
            fn next(self, delta: Self) -> Self { self.wrapping_add(delta) }
        })*
        $(impl Counter for $float {
            fn steps(start: Self, limit: Self, delta: Self) -> Option<i64> {
                let steps = ToPrimitive::to_f64(&((limit - start) / delta))?.abs().ceil();
                (steps < i64::MAX as f64).then_some(steps as i64)
            }
            fn next(self, delta: Self) -> Self { self + delta }
        })*
    };
}

counters!(integers: i8 i16 i32 i64 u16 u32 u64; floats: half::f16 half::bf16 f32 f64);

fn size<T: Counter>(start: T, limit: T, delta: T) -> Result<i64> {
    let zero = T::zero();
    if delta == zero {
        return Err(invalid_argument(format!("Requires delta != 0: {delta}")));
    }
    if delta > zero && start > limit {
        return Err(invalid_argument(format!("Requires start <= limit when delta > 0: {start}/{limit}")));
    }
    if delta < zero && start < limit {
        return Err(invalid_argument(format!("Requires start >= limit when delta < 0: {start}/{limit}")));
    }
    T::steps(start, limit, delta).ok_or_else(|| invalid_argument(format!("Requires ((limit - start) / delta) <= {}", i64::MAX)))
}

fn count<T: Counter>(t: [&Tensor; 3]) -> Result<i64> {
    size::<T>(t[0].to_scalar()?, t[1].to_scalar()?, t[2].to_scalar()?)
}

fn numbers<T: Counter>(t: [&Tensor; 3]) -> Result<Tensor> {
    let (start, delta) = (t[0].to_scalar::<T>()?, t[2].to_scalar::<T>()?);
    let n = count::<T>(t)?;
    Tensor::build::<T>(Shape::new(&[n])?, |out| {
        // Added up rather than multiplied, as TF does: the last bits agree.
        let mut value = start;
        for place in out {
            *place = value;
            value = value.next(delta);
        }
        Ok(())
    })
}

macro_rules! with_counter {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!($dtype, [i8, i16, i32, i64, u16, u32, u64, half::f16, half::bf16, f32, f64] => $t, $body, else $other)
    };
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let inputs = [ctx.input(0)?, ctx.input(1)?, ctx.input(2)?];
    for (name, t) in ["start", "limit", "delta"].iter().zip(inputs) {
        // A vector of one element is taken too, as TF does.
        if t.num_elements() != 1 || t.rank() > 1 {
            return Err(invalid_argument(format!("{name} must be a scalar, not shape {}", t.shape())));
        }
    }
    let y = with_counter!(inputs[0].dtype() => T, { numbers::<T>(inputs)? }, else { return Err(unsupported("Range", inputs[0].dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for (i, name) in ["start", "limit", "delta"].iter().enumerate() {
        if c.input(i).rank().is_some_and(|r| r > 1) {
            return Err(invalid_argument(format!("Shape must be rank 0 but is rank {}: {name}", c.input(i).rank().unwrap_or(0))));
        }
    }
    let n = match (c.constant(0), c.constant(1), c.constant(2)) {
        (Some(a), Some(b), Some(d)) => with_counter!(a.dtype() => T, { Some(count::<T>([a, b, d])?) }, else { None }),
        _ => None,
    };
    c.set_output(0, PartialShape::new(&[n]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range<T: Element>(start: T, limit: T, delta: T) -> Result<Tensor> {
        OpTester::new(&OP).input(start).input(limit).input(delta).run_one()
    }

    #[test]
    fn the_limit_is_left_out() {
        assert_eq!(range(0i32, 5, 2).unwrap().as_slice::<i32>().unwrap(), [0, 2, 4]);
        assert_eq!(range(5i64, 0, -2).unwrap().as_slice::<i64>().unwrap(), [5, 3, 1]);
        assert_eq!(range(0f32, 1.0, 0.25).unwrap().as_slice::<f32>().unwrap(), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(range(3i32, 3, 1).unwrap().dims(), [0]);
        assert_eq!(range(i8::MIN, i8::MAX, 127).unwrap().as_slice::<i8>().unwrap(), [-128, -1, 126]);
    }

    #[test]
    fn what_never_arrives_is_refused() {
        assert_eq!(range(0i32, 10, 0).unwrap_err().bare_message(), "Requires delta != 0: 0");
        assert_eq!(range(5i32, 0, 1).unwrap_err().bare_message(), "Requires start <= limit when delta > 0: 5/0");
        assert_eq!(range(0f32, 5.0, -1.0).unwrap_err().bare_message(), "Requires start >= limit when delta < 0: 0/5");
        assert_eq!(range(0f32, 1e20, 1.0).unwrap_err().bare_message(), "Requires ((limit - start) / delta) <= 9223372036854775807");
        assert_eq!(range(0f32, 1.0, f32::NAN).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(range(f64::NEG_INFINITY, f64::INFINITY, 1.0).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(range(0i64, i64::MAX, 1).unwrap_err().code(), Code::ResourceExhausted);
        let e = OpTester::new(&OP).input(tensor(&[2], &[0i32, 1])).input(1i32).input(1i32).run().unwrap_err();
        assert_eq!(e.bare_message(), "start must be a scalar, not shape [2]");
    }
}
