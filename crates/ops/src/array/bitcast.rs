//! `Bitcast`: the same memory read as another type.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Bitcast(input: T) -> (output: type)",
    attrs: "T: type in {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, \
            qint8, quint8, qint16, quint16, qint32}; type: type in {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, \
            uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}",
    doc: "The bits of `input` as elements of `type`. Smaller elements add a last dimension; larger ones take the last, which must be as \
          long as one of them needs.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

/// The dimensions after the cast, as far as known.
fn cast_dims(dims: &[Option<i64>], from: DType, to: DType) -> Result<Vec<Option<i64>>> {
    let (a, b) = (from.size(), to.size());
    let mut dims = dims.to_vec();
    if a > b {
        dims.push(Some((a / b.max(1)) as i64));
    } else if a < b {
        let ratio = (b / a.max(1)) as i64;
        if dims.pop().is_none_or(|d| d.is_some_and(|d| d != ratio)) {
            return Err(invalid_argument(format!(
                "Cannot bitcast from {from} to {to} because the last dimension is not {ratio}, as the larger type needs"
            )));
        }
    }
    Ok(dims)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let to = ctx.node.output_types[0].dtype;
    let x = ctx.input(0)?;
    let known: Vec<Option<i64>> = x.dims().iter().map(|&d| Some(d)).collect();
    let dims: Vec<i64> = cast_dims(&known, x.dtype(), to)?.into_iter().flatten().collect();
    let shape = Shape::new(&dims)?;
    let y = if to.size() == x.dtype().size() { ctx.take_input(0)?.reinterpreted(to)? } else { Tensor::from_bytes(to, shape, x.bytes()?)? };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let node = c.node();
    let s = c.input(0);
    if let Some(dims) = s.dims() {
        let dims = cast_dims(dims, node.input_types[0].dtype, node.output_types[0].dtype)?;
        c.set_output(0, PartialShape::new(&dims));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stay_and_dimensions_follow_the_size() {
        let cast = |x: Tensor, to: DType| OpTester::new(&OP).input(x).attr("type", to).run_one();
        let y = cast(tensor(&[1], &[1f32]), DType::Int32).unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [0x3f80_0000]);
        let y = cast(tensor(&[1], &[0x0102_0304u32]), DType::UInt8).unwrap();
        assert_eq!((y.dims(), y.as_slice::<u8>().unwrap()), (&[1i64, 4][..], &[4, 3, 2, 1][..]));
        let y = cast(tensor(&[1, 2], &[1u16, 0]), DType::Int32).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>().unwrap()), (&[1i64][..], &[1][..]));
        assert_eq!(cast(tensor(&[3], &[1u8, 0, 0]), DType::UInt32).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(cast(Tensor::scalar(1u8), DType::UInt32).unwrap_err().code(), Code::InvalidArgument);
    }
}
