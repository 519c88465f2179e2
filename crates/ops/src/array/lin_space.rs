//! `LinSpace`: a given number of points between two ends.

use crate::prelude::*;
use num_traits::{Float, NumCast};

pub const OP: OpSpec = OpSpec {
    signature: "LinSpace(start: T, stop: T, num: Tidx) -> (output: T)",
    attrs: "T: type in {bfloat16, half, float, double}; Tidx: type in {int32, int64} = int32",
    doc: "`num` numbers at equal distances from `start` to `stop`, both included.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn number(t: &Tensor) -> Result<i64> {
    if !t.shape().is_scalar() {
        return Err(invalid_argument(format!("num must be a scalar, not shape {}", t.shape())));
    }
    let n = t.to_i64()?;
    if n > 0 { Ok(n) } else { Err(invalid_argument(format!("Requires num > 0: {n}"))) }
}

fn points<T: Float + ferroflow_tensor::Element>(start: T, stop: T, n: i64) -> Result<Tensor> {
    let cast = |i: i64| <T as NumCast>::from(i).unwrap_or_else(T::infinity);
    Tensor::build::<T>(Shape::new(&[n])?, |out| {
        let step = (stop - start) / cast((n - 1).max(1));
        for (i, place) in out.iter_mut().enumerate() {
            *place = start + step * cast(i as i64);
        }
        // Exactly the end, whatever rounding made of it.
        if let [_, .., last] = out {
            *last = stop;
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dtype = ctx.input(0)?.dtype();
    let y = with_float!(dtype => T, {
        let end = |i: usize, name: &str| {
            let t = ctx.input(i)?;
            if !t.shape().is_scalar() {
                return Err(invalid_argument(format!("{name} must be a scalar, not shape {}", t.shape())));
            }
            t.to_scalar::<T>()
        };
        points(end(0, "start")?, end(1, "stop")?, number(ctx.input(2)?)?)?
    }, else { return Err(unsupported("LinSpace", dtype)) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 0..3 {
        c.with_rank(i, 0)?;
    }
    let n = c.constant(2).map(number).transpose()?;
    c.set_output(0, PartialShape::new(&[n]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_included() {
        let run = |a: f32, b: f32, n: i32| OpTester::new(&OP).input(a).input(b).input(n).run_one();
        assert_eq!(run(1.0, 2.0, 3).unwrap().as_slice::<f32>().unwrap(), [1.0, 1.5, 2.0]);
        assert_eq!(run(1.0, 2.0, 1).unwrap().as_slice::<f32>().unwrap(), [1.0]);
        assert_eq!(run(1.0, 2.0, 0).unwrap_err().bare_message(), "Requires num > 0: 0");
        assert_eq!(run(1.0, 2.0, -5).unwrap_err().code(), Code::InvalidArgument);
    }
}
