//! `StringSplitV2`: strings cut at a separator, as a sparse matrix.

use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "StringSplitV2(input: string, sep: string) -> (indices: int64, values: string, shape: int64)",
    attrs: "maxsplit: int = -1",
    doc: "The pieces of each string of the vector `input` between separators (or, for an empty `sep`, runs of blanks), at most `maxsplit` \
          cuts each, as indices, values and shape of a sparse matrix.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The pieces of one string, nearly as Python's `str.split` makes them.
fn split(s: &Bytes, separator: &[u8], most: usize) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    if separator.is_empty() {
        if most == 0 {
            return vec![s.clone()];
        }
        let blanks = |at: usize| s[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let mut at = blanks(0);
        while at < s.len() {
            let length = s[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
            pieces.push(s.slice(at..at + length));
            at += length + blanks(at + length);
            if pieces.len() == most {
                // Unlike Python, TF adds the rest also when it is empty.
                pieces.push(s.slice(at..));
                break;
            }
        }
        return pieces;
    }
    let mut start = 0;
    let mut at = 0;
    while at + separator.len() <= s.len() && pieces.len() < most {
        if s[at..].starts_with(separator) {
            pieces.push(s.slice(start..at));
            at += separator.len();
            start = at;
        } else {
            at += 1;
        }
    }
    pieces.push(s.slice(start..));
    pieces
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, separator) = (ctx.input(0)?, ctx.input(1)?);
    if x.rank() != 1 {
        return Err(invalid_argument(format!("input must be a vector, got shape: {}", x.shape())));
    }
    let [sep] = separator.as_strings()? else {
        return Err(invalid_argument(format!("sep must be a scalar, got shape: {}", separator.shape())));
    };
    if !separator.shape().is_scalar() {
        return Err(invalid_argument(format!("sep must be a scalar, got shape: {}", separator.shape())));
    }
    let most = usize::try_from(ctx.node.attrs.int("maxsplit")?).unwrap_or(usize::MAX);
    let (mut indices, mut values, mut longest) = (Vec::new(), Vec::new(), 0);
    for (row, s) in x.as_strings()?.iter().enumerate() {
        let pieces = split(s, sep, most);
        longest = longest.max(pieces.len());
        indices.extend((0..pieces.len()).flat_map(|column| [row as i64, column as i64]));
        values.extend(pieces);
    }
    let n = values.len();
    let rows = x.num_elements() as i64;
    ctx.set_output(0, Tensor::from_slice(Shape::from_lens(&[n, 2])?, &indices)?);
    ctx.set_output(1, Tensor::strings(Shape::from_lens(&[n])?, values)?);
    ctx.set_output(2, Tensor::vector(&[rows, longest as i64])?);
    Ok(())
}

/// The shape function.
///
/// Errors: `InvalidArgument` for shapes that cannot be right.
pub(crate) fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 1)?;
    c.with_rank(1, 0)?;
    c.set_output(0, PartialShape::new(&[None, Some(2)]));
    c.set_output(1, PartialShape::new(&[None]));
    c.set_output(2, PartialShape::new(&[Some(2)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(x: &[&str], sep: &str, most: i64) -> Vec<String> {
        let y = OpTester::new(&OP).input(strings(&[x.len() as i64], x)).input(sep).attr("maxsplit", most).run().unwrap();
        assert_eq!(y[0].dims()[0], y[1].dims()[0]);
        y[1].as_strings().unwrap().iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect()
    }

    #[test]
    fn pieces_are_those_of_python() {
        assert_eq!(values(&["a,,b", ""], ",", -1), ["a", "", "b", ""]);
        assert_eq!(values(&["a,b,c"], ",", 1), ["a", "b,c"]);
        assert_eq!(values(&["  a  b ", ""], "", -1), ["a", "b"]);
        assert_eq!(values(&["a  b c "], "", 1), ["a", "b c "]);
        assert_eq!(values(&["a", " "], "", 1), ["a", ""]);
        assert_eq!(values(&["a ", " "], "", 0), ["a ", " "]);
        let y = OpTester::new(&OP).input(strings(&[2], &["a b", ""])).input(" ").run().unwrap();
        assert_eq!(y[0].as_slice::<i64>().unwrap(), [0, 0, 0, 1, 1, 0]);
        assert_eq!(y[2].as_slice::<i64>().unwrap(), [2, 2]);
        let e = OpTester::new(&OP).input("a").input(" ").run().unwrap_err();
        assert_eq!(e.bare_message(), "input must be a vector, got shape: []");
    }
}
