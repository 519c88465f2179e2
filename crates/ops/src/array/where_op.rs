//! `Where`: where a tensor is not zero.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Where(input: T) -> (index: int64)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, \
            uint16, complex128, half, uint32, uint64, bool} = bool",
    doc: "The indices of the elements that are true (not zero), in row-major order, as a matrix of one row each.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    if x.rank() == 0 {
        return Err(invalid_argument("WhereOp : Unhandled input dimensions: 0"));
    }
    if x.dtype() == DType::Half {
        return Err(unsupported("Where", x.dtype()));
    }
    let found: Vec<usize> = with_numeric_or_bool!(x.dtype() => T, {
        // false is the default of bool, 0 that of numbers.
        let zero = T::default();
        x.as_slice::<T>()?.iter().enumerate().filter(|(_, v)| **v != zero).map(|(i, _)| i).collect()
    }, else { return Err(unsupported("Where", x.dtype())) });
    let rank = x.rank();
    let shape = Shape::from_lens(&[found.len(), rank])?;
    let dims = x.dims();
    let y = Tensor::build::<i64>(shape, |out| {
        for (row, mut at) in out.chunks_exact_mut(rank).zip(found) {
            for (place, &d) in row.iter_mut().zip(dims).rev() {
                *place = at as i64 % d;
                at /= d as usize;
            }
        }
        Ok(())
    })?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = c.with_rank_at_least(0, 1)?.rank().map(|r| r as i64);
    c.set_output(0, PartialShape::new(&[None, rank]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_come_in_row_major_order() {
        let y = OpTester::new(&OP).input(tensor(&[2, 2], &[true, false, true, true])).run_one().unwrap();
        assert_eq!((y.dims(), y.as_slice::<i64>().unwrap()), (&[3i64, 2][..], &[0, 0, 1, 0, 1, 1][..]));
        let y = OpTester::new(&OP).input(tensor(&[3], &[0f32, f32::NAN, -0.0])).run_one().unwrap();
        assert_eq!(y.as_slice::<i64>().unwrap(), [1]);
        assert_eq!(OpTester::new(&OP).input(tensor::<bool>(&[0, 4], &[])).run_one().unwrap().dims(), [0, 2]);
        assert_eq!(OpTester::new(&OP).input(true).run().unwrap_err().code(), Code::InvalidArgument);
    }
}
