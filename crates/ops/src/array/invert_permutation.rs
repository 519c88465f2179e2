//! `InvertPermutation`: the permutation that undoes one.

use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "InvertPermutation(x: T) -> (y: T)",
    attrs: "T: type in {int32, int64} = int32",
    doc: "`y` with `y[x[i]] = i`, for a permutation `x` of `0..n`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    if x.rank() != 1 {
        return Err(invalid_argument("invert_permutation expects a 1D vector."));
    }
    let n = x.num_elements();
    let mut inverse = vec![-1i64; n];
    for (i, &v) in x.to_i64s()?.iter().enumerate() {
        match usize::try_from(v).ok().and_then(|v| inverse.get_mut(v)) {
            None => return Err(invalid_argument(format!("{v} is not between 0 and {n}"))),
            Some(place) if *place >= 0 => return Err(invalid_argument(format!("{v} is duplicated in the input."))),
            Some(place) => *place = i as i64,
        }
    }
    let y = index_tensor(x.dtype(), x.shape().clone(), &inverse)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank(0, 1)?;
    c.set_output(0, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_permutation() {
        let invert = |x: &[i32]| OpTester::new(&OP).input(tensor(&[x.len() as i64], x)).run_one();
        assert_eq!(invert(&[2, 0, 1]).unwrap().as_slice::<i32>().unwrap(), [1, 2, 0]);
        assert_eq!(invert(&[]).unwrap().dims(), [0]);
        assert_eq!(invert(&[0, 0]).unwrap_err().bare_message(), "0 is duplicated in the input.");
        assert_eq!(invert(&[0, 2]).unwrap_err().bare_message(), "2 is not between 0 and 2");
        assert_eq!(invert(&[-1]).unwrap_err().code(), Code::InvalidArgument);
    }
}
