//! `HistogramSummary`: how numbers are distributed, for event files.

use super::tags::{numbers, scalar_tag};
use crate::prelude::*;
use ferroflow_io::{Histogram, summary};

pub const OP: OpSpec = OpSpec {
    signature: "HistogramSummary(tag: string, values: T) -> (summary: string)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float",
    doc: "A serialized `Summary` with the histogram of all elements of `values` under the scalar `tag`; NaN and infinities are errors.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The histogram of a tensor's elements; `name` is for errors.
///
/// Errors: `InvalidArgument` for NaN and infinities.
pub(super) fn histogram_of(values: &Tensor, name: &str) -> Result<Histogram> {
    let mut histogram = Histogram::new();
    for value in numbers(values)? {
        if value.is_nan() {
            return Err(invalid_argument(format!("Nan in summary histogram for: {name}")));
        }
        if value.is_infinite() {
            return Err(invalid_argument(format!("Infinity in summary histogram for: {name}")));
        }
        histogram.add(value);
    }
    Ok(histogram)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let tag = scalar_tag(ctx, 0)?;
    let histogram = histogram_of(ctx.input(1)?, &ctx.node.name)?;
    ctx.set_output(0, Tensor::string(summary::histogram(&tag, &histogram)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused() {
        let run = |values: &[f32]| OpTester::new(&OP).input("t").input(tensor(&[values.len() as i64], values)).run_one();
        assert!(!run(&[1.0, 2.0]).unwrap().as_strings().unwrap()[0].is_empty());
        assert!(run(&[]).is_ok());
        assert_eq!(run(&[1.0, f32::NAN]).unwrap_err().bare_message(), "Nan in summary histogram for: op");
        assert_eq!(run(&[f32::INFINITY]).unwrap_err().bare_message(), "Infinity in summary histogram for: op");
        let e = OpTester::new(&OP).input(strings(&[1], &["t"])).input(1f32).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }
}
