//! `DecodePaddedRaw`: the bytes of strings, padded to one length, as numbers.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodePaddedRaw(input_bytes: string, fixed_length: int32) -> (output: out_type)",
    attrs: "out_type: type in {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}; little_endian: bool = true",
    doc: "The bytes of each string, cut or filled up with zeros to `fixed_length`, as elements of `out_type` in a new last dimension.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, length) = (ctx.input(0)?, ctx.input(1)?);
    if !length.shape().is_scalar() {
        return Err(invalid_argument(format!("k must be scalar, got shape {}", length.shape())));
    }
    let dtype = ctx.node.output_types[0].dtype;
    let size = dtype.size().max(1);
    let length = match usize::try_from(length.to_i64()?) {
        Ok(n) if n > 0 && n % size == 0 => n,
        _ => {
            return Err(invalid_argument(format!(
                "fixed_length ({}) must be positive and a multiple of {size}, the size of {dtype}",
                length.to_i64()?
            )));
        }
    };
    let shape = Shape::new(&[x.dims(), &[(length / size) as i64]].concat())?;
    let mut y = Tensor::zeros(dtype, shape)?;
    let swaps = !ctx.node.attrs.bool("little_endian")?;
    for (place, s) in y.bytes_mut()?.chunks_exact_mut(length).zip(x.as_strings()?) {
        let n = s.len().min(length);
        place[..n].copy_from_slice(&s[..n]);
        if swaps {
            place.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
    }
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 0)?;
    if let Some(dims) = c.input(0).dims() {
        c.set_output(0, PartialShape::new(&[dims, &[None]].concat()));
    }
    Ok(())
}
