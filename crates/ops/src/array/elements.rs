//! Moving elements whatever their type: one algorithm serves all plain types of equal size, strings, handles and variants.

use bytes::Bytes;
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{DType, ResourceHandle, Result, Shape, Tensor, Variant};

/// An op that only moves elements: it is written once, for any element that can be copied.
pub(crate) trait Rearrange {
    /// Writes every element of `out` with elements of `inputs`.
    ///
    /// Errors: fail the op.
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()>;
}

/// Runs `how` on tensors of one element type; the result has that type too.
///
/// Errors: `ResourceExhausted` without memory; `Internal` if the types differ; what `how` returns.
pub(crate) fn rearrange(inputs: &[&Tensor], shape: Shape, how: &impl Rearrange) -> Result<Tensor> {
    let Some(dtype) = inputs.first().map(|t| t.dtype()) else { return Err(internal("there is nothing to rearrange")) };
    if inputs.iter().any(|t| t.dtype() != dtype) {
        return Err(internal("the inputs are of several types"));
    }
    match dtype {
        DType::String => {
            let slices: Vec<&[Bytes]> = inputs.iter().map(|t| t.as_strings()).collect::<Result<_>>()?;
            let mut out = Tensor::zeros(dtype, shape)?;
            how.run(&slices, out.make_mut_strings()?)?;
            Ok(out)
        }
        DType::Resource => {
            let slices: Vec<&[ResourceHandle]> = inputs.iter().map(|t| t.as_resources()).collect::<Result<_>>()?;
            let mut out = Tensor::zeros(dtype, shape.clone())?.as_resources()?.to_vec();
            how.run(&slices, &mut out)?;
            Tensor::resources(shape, out)
        }
        DType::Variant => {
            let slices: Vec<&[Variant]> = inputs.iter().map(|t| t.as_variants()).collect::<Result<_>>()?;
            let mut out = Tensor::zeros(dtype, shape.clone())?.as_variants()?.to_vec();
            how.run(&slices, &mut out)?;
            Tensor::variants(shape, out)
        }
        plain => match plain.size() {
            1 => of_size::<1>(inputs, shape, how),
            2 => of_size::<2>(inputs, shape, how),
            4 => of_size::<4>(inputs, shape, how),
            8 => of_size::<8>(inputs, shape, how),
            16 => of_size::<16>(inputs, shape, how),
            n => Err(internal(format!("elements of {n} bytes"))),
        },
    }
}

fn of_size<const N: usize>(inputs: &[&Tensor], shape: Shape, how: &impl Rearrange) -> Result<Tensor> {
    let slices: Vec<&[[u8; N]]> = inputs.iter().map(|t| Ok(t.bytes()?.as_chunks::<N>().0)).collect::<Result<_>>()?;
    let mut out = Tensor::for_overwrite(inputs[0].dtype(), shape)?;
    how.run(&slices, out.bytes_mut()?.as_chunks_mut::<N>().0)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tensor;

    struct Backwards;

    impl Rearrange for Backwards {
        fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
            out.iter_mut().zip(inputs[0].iter().rev()).for_each(|(o, i)| *o = i.clone());
            Ok(())
        }
    }

    #[test]
    fn one_algorithm_serves_every_type() {
        let shape = || Shape::new(&[3]).unwrap();
        for &dtype in DType::ALL {
            let zeros = Tensor::zeros(dtype, shape()).unwrap();
            assert_eq!(rearrange(&[&zeros], shape(), &Backwards).unwrap().dtype(), dtype);
        }
        let t = rearrange(&[&tensor(&[3], &[true, true, false])], shape(), &Backwards).unwrap();
        assert_eq!(t.as_slice::<bool>().unwrap(), [false, true, true]);
        let t = rearrange(&[&crate::testing::strings(&[3], &["a", "", "c"])], shape(), &Backwards).unwrap();
        assert_eq!(t.as_strings().unwrap(), ["c", "", "a"]);
        assert!(rearrange(&[&tensor(&[1], &[1i32]), &tensor(&[1], &[1i64])], shape(), &Backwards).is_err());
    }
}
