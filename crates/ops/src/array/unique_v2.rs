//! `UniqueV2`: the distinct slices of a tensor along an axis.

use super::distinct::Distinct;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UniqueV2(x: T, axis: Taxis) -> (y: T, idx: out_idx)",
    attrs: "T: type; Taxis: type in {int32, int64} = int64; out_idx: type in {int32, int64} = int32",
    doc: "The distinct slices of `x` along `axis` (a vector of one element, or none for a vector `x`) in order of their first appearance, \
          and for each slice its place in `y`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The kernel.
///
/// Errors: `InvalidArgument` for malformed inputs.
pub(crate) fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, axis) = (ctx.input(0)?, ctx.input(1)?);
    if axis.rank() != 1 {
        return Err(invalid_argument("axis expects a 1D vector."));
    }
    let axis = match axis.to_i64s()?.as_slice() {
        [] if x.rank() != 1 => return Err(invalid_argument("unique expects a 1D vector.")),
        [] => 0,
        [a] => {
            let rank = x.rank() as i64;
            let at = if *a < 0 { a.saturating_add(rank) } else { *a };
            if !(0..rank).contains(&at) {
                return Err(invalid_argument(format!("axis has to be between [0, {rank})")));
            }
            at as usize
        }
        _ => return Err(invalid_argument("axis does not support input tensors larger than 1 elements")),
    };
    Distinct::of(x, axis)?.set_outputs(ctx, axis)
}

/// The shape function.
///
/// Errors: `InvalidArgument` for shapes that cannot be right.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0);
    if let Some(rank) = s.rank() {
        c.set_output(0, PartialShape::of_rank(rank));
    }
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unique(x: Tensor, axis: &[i64]) -> Result<Vec<Tensor>> {
        OpTester::new(&OP).input(x).input(tensor(&[axis.len() as i64], axis)).run()
    }

    #[test]
    fn slices_are_compared_whole() {
        let x = || tensor(&[3, 2], &[1i32, 2, 3, 2, 1, 2]);
        let y = unique(x(), &[0]).unwrap();
        assert_eq!((y[0].dims(), y[0].as_slice::<i32>().unwrap()), (&[2i64, 2][..], &[1, 2, 3, 2][..]));
        assert_eq!(y[1].as_slice::<i32>().unwrap(), [0, 1, 0]);
        assert_eq!(unique(x(), &[-1]).unwrap()[1].as_slice::<i32>().unwrap(), [0, 1]);
        assert_eq!(unique(x(), &[]).unwrap_err().bare_message(), "unique expects a 1D vector.");
        assert_eq!(unique(x(), &[2]).unwrap_err().bare_message(), "axis has to be between [0, 2)");
        assert_eq!(unique(x(), &[0, 1]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(unique(tensor::<i32>(&[0, 2], &[]), &[0]).unwrap()[0].dims(), [0, 2]);
    }
}
