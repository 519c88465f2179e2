//! `DecodeRaw`: the bytes of strings as numbers.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeRaw(bytes: string) -> (output: out_type)",
    attrs: "out_type: type in {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, bfloat16}; \
            little_endian: bool = true",
    doc: "The bytes of each string, all of one length, as elements of `out_type`, in a new last dimension.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let strings = x.as_strings()?;
    let dtype = ctx.node.output_types[0].dtype;
    let length = strings.first().map_or(0, |s| s.len());
    if let Some((i, s)) = strings.iter().enumerate().find(|(_, s)| s.len() != length) {
        return Err(invalid_argument(format!(
            // In TensorFlow's order: the size of the first, then that of the element.
            "DecodeRaw requires input strings to all be the same size, but element {i} has size {length} != {}",
            s.len()
        )));
    }
    let size = dtype.size();
    if length % size.max(1) != 0 {
        return Err(invalid_argument(format!(
            "Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of {dtype}"
        )));
    }
    let mut bytes = strings.concat();
    if !ctx.node.attrs.bool("little_endian")? {
        // Complex numbers are two numbers, each with its bytes reversed.
        let word = if dtype.is_complex() { size / 2 } else { size };
        bytes.chunks_exact_mut(word).for_each(<[u8]>::reverse);
    }
    let shape = Shape::new(&[x.dims(), &[(length / size) as i64]].concat())?;
    let y = Tensor::from_bytes(dtype, shape, &bytes)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some(dims) = c.input(0).dims() {
        c.set_output(0, PartialShape::new(&[dims, &[None]].concat()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_elements() {
        let run =
            |x: Tensor, to: DType, little: bool| OpTester::new(&OP).input(x).attr("out_type", to).attr("little_endian", little).run_one();
        let y = run(strings(&[2], &["\u{1}\0", "\0\u{2}"]), DType::Int16, true).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i16>().unwrap()), (&[2i64, 1][..], &[1, 512][..]));
        assert_eq!(run(Tensor::string("\u{1}\0"), DType::Int16, false).unwrap().as_slice::<i16>().unwrap(), [256]);
        assert_eq!(run(Tensor::string(vec![7u8]), DType::Bool, true).unwrap().as_slice::<bool>().unwrap(), [true]);
        let e = run(Tensor::string("abc"), DType::Int16, true).unwrap_err();
        assert_eq!(e.bare_message(), "Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16");
        let e = run(strings(&[2], &["ab", ""]), DType::Int16, true).unwrap_err();
        let want = "DecodeRaw requires input strings to all be the same size, but element 1 has size 2 != 0";
        assert_eq!((e.code(), e.bare_message()), (Code::InvalidArgument, want));
        assert_eq!(run(strings(&[0], &[]), DType::Int16, true).unwrap().dims(), [0, 0]);
    }
}
