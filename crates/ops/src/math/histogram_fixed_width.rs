//! `HistogramFixedWidth`: a histogram of bins of equal width.

use crate::array::dims::index_tensor;
use crate::prelude::*;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "HistogramFixedWidth(values: T, value_range: T, nbins: int32) -> (out: dtype)",
    attrs: "T: type in {int32, int64, float, double}; dtype: type in {int32, int64} = int32",
    doc: "out[i] = how many values fall into bin i of nbins between the two elements of value_range; values outside count in the outermost bins.",
    shape: bins_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn bin_count(t: &Tensor) -> Result<usize> {
    match t.to_i64()? {
        n if t.rank() == 0 && n > 0 => Ok(n as usize),
        n => Err(invalid_argument(format!("nbins should be a positive number, but got '{n}' of shape {}", t.shape()))),
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (values, range) = (ctx.input(0)?, ctx.input(1)?);
    let bins = bin_count(ctx.input(2)?)?;
    if range.dims() != [2] {
        return Err(invalid_argument(format!("value_range should be a vector of 2 elements, but got shape {}", range.shape())));
    }
    let shape = Shape::from_lens(&[bins])?;
    // Made first: a number of bins beyond memory is refused here.
    let mut counts = Tensor::zeros(DType::Int64, shape.clone())?;
    let out = counts.as_mut_slice::<i64>()?;
    ferroflow_tensor::dispatch!(values.dtype(), [i32, i64, f32, f64] => T, {
        let number = |x: &T| -> f64 { x.as_() };
        let range = range.as_slice::<T>()?;
        let (low, high) = (number(&range[0]), number(&range[1]));
        if low.is_nan() || high.is_nan() || low >= high {
            return Err(invalid_argument(format!("value_range should satisfy value_range[0] < value_range[1], but got '[{low}, {high}]'")));
        }
        let step = (high - low) / bins as f64;
        for x in values.as_slice::<T>()? {
            let x = number(x);
            if x.is_nan() {
                return Err(invalid_argument("values must not contain NaN"));
            }
            out[((x.clamp(low, high) - low) / step).clamp(0.0, (bins - 1) as f64) as usize] += 1;
        }
    }, else { return Err(unsupported("HistogramFixedWidth", values.dtype())) });
    let y = index_tensor(ctx.node.attrs.dtype("dtype")?, shape, counts.as_slice::<i64>()?)?;
    ctx.set_output(0, y);
    Ok(())
}

fn bins_shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 1)?;
    let bins = c.constant(2).map(bin_count).transpose()?;
    c.set_output(0, PartialShape::new(&[bins.map(|n| n as i64)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(values: &[f32], range: [f32; 2], bins: i32) -> Result<Tensor> {
        OpTester::new(&OP).input(tensor(&[values.len() as i64], values)).input(tensor(&[2], &range)).input(bins).run_one()
    }

    #[test]
    fn values_outside_count_in_the_outermost_bins() {
        let y = run(&[-1.0, 0.0, 1.5, 2.0, 5.0, 15.0, f32::INFINITY], [0.0, 5.0], 5).unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [2, 1, 1, 0, 3]);
    }

    #[test]
    fn nan_and_empty_ranges_are_refused() {
        assert!(run(&[f32::NAN], [1.0, 2.0], 100).is_err());
        assert!(run(&[1.0], [2.0, 1.0], 5).is_err());
        for bins in [0, -1] {
            assert_eq!(run(&[1.0], [0.0, 1.0], bins).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
