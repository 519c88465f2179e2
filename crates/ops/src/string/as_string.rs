//! `AsString`: elements as text.

use super::number_format::{fixed, general, scientific};
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "AsString(input: T) -> (output: string)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, complex128, \
            bool, variant, string}; precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1; fill: string = \
            \"\"",
    doc: "Each element as text. Floats have `precision` digits (6 by default) in decimal, `scientific` or the `shortest` notation; text \
          is padded to `width` with blanks, or as the flag `fill` of C's `printf` says (`0`, `-`, `+`, a blank, `#`).",
    shape: shape::unchanged,
    kernels: &[Kernel::built(build)],
    ..WORDS
};

/// Longest text of one element that is asked for; a larger width or precision only wastes memory.
const MOST: i64 = 4096;

#[derive(Clone, Copy)]
enum Notation {
    Fixed,
    Scientific,
    Shortest,
}

struct AsString {
    notation: Notation,
    precision: usize,
    width: usize,
    fill: Option<u8>,
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let a = &c.node.attrs;
    let (precision, width, fill) = (a.int("precision")?, a.int("width")?, a.bytes("fill")?);
    let (scientific, shortest) = (a.bool("scientific")?, a.bool("shortest")?);
    let dtype = c.node.input_types.first().map_or(DType::String, |t| t.dtype);
    let fill = match fill.as_ref() {
        [] => None,
        [f @ (b' ' | b'+' | b'-' | b'0' | b'#')] => Some(*f),
        [_] => return Err(invalid_argument(format!("Fill argument not supported: \"{}\"", fill.escape_ascii()))),
        _ => return Err(invalid_argument(format!("Fill string must be one or fewer characters, got \"{}\"", fill.escape_ascii()))),
    };
    if !(dtype.is_floating() || dtype.is_complex()) {
        if scientific || shortest {
            return Err(invalid_argument(format!("scientific and shortest format not supported for datatype {dtype}")));
        }
        if precision >= 0 {
            return Err(invalid_argument(format!("precision not supported for datatype {dtype}")));
        }
    }
    if scientific && shortest {
        return Err(invalid_argument("Cannot select both scientific and shortest notation"));
    }
    if precision > MOST || width > MOST {
        return Err(invalid_argument(format!("precision {precision} and width {width} must be at most {MOST}")));
    }
    let notation = match (scientific, shortest) {
        (true, _) => Notation::Scientific,
        (_, true) => Notation::Shortest,
        _ => Notation::Fixed,
    };
    let precision = usize::try_from(precision).unwrap_or(6);
    Ok(Box::new(AsString { notation, precision, width: usize::try_from(width).unwrap_or(0), fill }))
}

impl AsString {
    fn number(&self, v: f64) -> String {
        let mut text = match self.notation {
            Notation::Fixed => fixed(v, self.precision),
            Notation::Scientific => scientific(v, self.precision),
            Notation::Shortest => general(v, self.precision),
        };
        if self.fill == Some(b'#') && v.is_finite() && !text.contains('.') {
            let at = text.find('e').unwrap_or(text.len());
            text.insert(at, '.');
        }
        text
    }

    /// The flag and the width applied; zeros go between sign and digits, and only before digits.
    fn padded(&self, mut text: String, is_number: bool) -> Bytes {
        if is_number && !text.starts_with('-') {
            match self.fill {
                Some(b'+') => text.insert(0, '+'),
                Some(b' ') => text.insert(0, ' '),
                _ => {}
            }
        }
        let missing = self.width.saturating_sub(text.len());
        let has_digits = text.bytes().any(|b| b.is_ascii_digit());
        match self.fill {
            Some(b'-') => text.extend(std::iter::repeat_n(' ', missing)),
            Some(b'0') if is_number && has_digits => {
                let at = text.starts_with('-') as usize;
                text.insert_str(at, &"0".repeat(missing));
            }
            _ => text.insert_str(0, &" ".repeat(missing)),
        }
        text.into()
    }

    fn each<T: Element>(&self, x: &Tensor, is_number: bool, text: impl Fn(T) -> String) -> Result<Vec<Bytes>> {
        Ok(x.as_slice::<T>()?.iter().map(|&v| self.padded(text(v), is_number)).collect())
    }

    /// Flag and width are those of each part.
    fn complex<T: Element>(&self, x: &Tensor, parts: impl Fn(T) -> [f64; 2]) -> Result<Vec<Bytes>> {
        let text = |v: &T| {
            let [re, im] = parts(*v).map(|part| self.padded(self.number(part), true));
            Bytes::from([b"(", &re[..], b",", &im, b")"].concat())
        };
        Ok(x.as_slice::<T>()?.iter().map(text).collect())
    }
}

impl OpKernel for AsString {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let x = ctx.input(0)?;
        let strings = match x.dtype() {
            DType::Half => self.each::<half::f16>(x, true, |v| self.number(v.to_f64()))?,
            DType::BFloat16 => self.each::<half::bf16>(x, true, |v| self.number(v.to_f64()))?,
            DType::Float => self.each::<f32>(x, true, |v| self.number(v as f64))?,
            DType::Double => self.each::<f64>(x, true, |v| self.number(v))?,
            DType::Bool => self.each::<bool>(x, false, |v| v.to_string())?,
            DType::Complex64 => self.complex::<num_complex::Complex<f32>>(x, |v| [v.re as f64, v.im as f64])?,
            DType::Complex128 => self.complex::<num_complex::Complex<f64>>(x, |v| [v.re, v.im])?,
            DType::String => x
                .as_strings()?
                .iter()
                .map(|s| {
                    let missing = vec![b' '; self.width.saturating_sub(s.len())];
                    let left = self.fill == Some(b'-');
                    if left { [s, &missing[..]].concat().into() } else { [&missing[..], s].concat().into() }
                })
                .collect(),
            other => with_integer!(other => T, { self.each::<T>(x, true, |v| v.to_string())? }, else {
                return Err(unsupported("AsString", other))
            }),
        };
        let y = Tensor::strings(x.shape().clone(), strings)?;
        ctx.set_output(0, y);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(x: Tensor, set: impl FnOnce(OpTester) -> OpTester) -> Result<Vec<String>> {
        let y = set(OpTester::new(&OP).input(x)).run_one()?;
        Ok(y.as_strings()?.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
    }

    #[test]
    fn floats_have_six_digits_unless_told_otherwise() {
        let x = || tensor(&[3], &[1.5f32, -0.1, f32::INFINITY]);
        assert_eq!(text(x(), |t| t).unwrap(), ["1.500000", "-0.100000", "inf"]);
        assert_eq!(text(x(), |t| t.attr("shortest", true)).unwrap(), ["1.5", "-0.1", "inf"]);
        assert_eq!(text(x(), |t| t.attr("scientific", true).attr("precision", 1i64)).unwrap(), ["1.5e+00", "-1.0e-01", "inf"]);
        assert_eq!(text(x(), |t| t.attr("width", 9i64).attr("fill", "0")).unwrap(), ["01.500000", "-0.100000", "      inf"]);
        assert_eq!(text(tensor(&[1], &[true]), |t| t).unwrap(), ["true"]);
        assert_eq!(text(tensor(&[1], &[-5i8]), |t| t.attr("width", 4i64).attr("fill", "-")).unwrap(), ["-5  "]);
    }

    #[test]
    fn flags_that_c_does_not_know_are_refused() {
        for fill in ["n", "s", "%", "  "] {
            let e = text(tensor(&[1], &[1234i32]), |t| t.attr("width", 6i64).attr("fill", fill)).unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument);
        }
        let e = text(tensor(&[1], &[1f32]), |t| t.attr("precision", 1_000_000_000i64)).unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
        let e = text(tensor(&[1], &[1i32]), |t| t.attr("precision", 3i64)).unwrap_err();
        assert_eq!(e.bare_message(), "precision not supported for datatype int32");
    }
}
