//! `Substr`: parts of strings.

use super::each::character_starts;
use crate::array::broadcast_to::broadcast;
use crate::parallel::pool;
use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "Substr(input: string, pos: T, len: T) -> (output: string)",
    attrs: "T: type in {int32, int64}; unit: string in {\"BYTE\", \"UTF8_CHAR\"} = \"BYTE\"",
    doc: "The part of each string that begins at `pos` (from the end, if negative) and is at most `len` long, in bytes or characters. \
          `pos` and `len` have one shape, which is broadcast with that of `input`.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn part(s: &Bytes, pos: i64, len: i64, in_bytes: bool) -> Option<Bytes> {
    let len = usize::try_from(len).ok()?;
    let starts = if in_bytes { vec![] } else { character_starts(s) };
    let n = if in_bytes { s.len() } else { starts.len() };
    let pos = if pos < 0 { pos.checked_add(n as i64)? } else { pos };
    let begin = usize::try_from(pos).ok().filter(|&p| p <= n)?;
    let end = begin.saturating_add(len).min(n);
    let byte = |i: usize| if in_bytes { i } else { starts.get(i).copied().unwrap_or(s.len()) };
    Some(s.slice(byte(begin)..byte(end)))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, pos, len) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    if pos.shape() != len.shape() {
        return Err(invalid_argument(format!("pos and len should have the same shape, got: {} vs. {}", pos.shape(), len.shape())));
    }
    let in_bytes = ctx.node.attrs.str("unit")? == "BYTE";
    let shape = Shape::broadcast(x.shape(), pos.shape())?;
    let pool = pool(ctx.step);
    let spread = |t: &Tensor| broadcast(t, shape.clone(), &pool);
    let (x, pos, len) = (spread(x)?, spread(pos)?, spread(len)?);
    let (pos, len) = (pos.to_i64s()?, len.to_i64s()?);
    let cut = |(i, s): (usize, &Bytes)| {
        part(s, pos[i], len[i], in_bytes)
            .ok_or_else(|| invalid_argument(format!("pos {} out of range for string b'{}' at index {i}", pos[i], s.escape_ascii())))
    };
    let strings = x.as_strings()?.iter().enumerate().map(cut).collect::<Result<Vec<_>>>()?;
    let y = Tensor::strings(shape.clone(), strings)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let pos = c.input(1).merge(&c.input(2))?;
    let s = shape::broadcast_shapes(&c.input(0), &pos)?;
    c.set_output(0, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn substr(x: Tensor, pos: Tensor, len: Tensor) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(pos).input(len).run_one()
    }

    #[test]
    fn parts_are_cut_from_either_end() {
        let x = || strings(&[2], &["hello", "abc"]);
        assert_eq!(substr(x(), Tensor::scalar(1i32), Tensor::scalar(2i32)).unwrap().as_strings().unwrap(), ["el", "bc"]);
        assert_eq!(substr(x(), Tensor::scalar(-2i64), Tensor::scalar(9i64)).unwrap().as_strings().unwrap(), ["lo", "bc"]);
        let y = substr(x(), tensor(&[2], &[0i32, 3]), tensor(&[2], &[1i32, 1])).unwrap();
        assert_eq!(y.as_strings().unwrap(), ["h", ""]);
        let y = OpTester::new(&OP).input("größer").input(2i32).input(2i32).attr("unit", "UTF8_CHAR").run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), ["öß"]);
    }

    #[test]
    fn places_outside_are_refused() {
        let e = substr(strings(&[2], &["ab", ""]), Tensor::scalar(1i32), Tensor::scalar(1i32)).unwrap_err();
        assert_eq!(e.bare_message(), "pos 1 out of range for string b'' at index 1");
        assert_eq!(substr(Tensor::string("a"), Tensor::scalar(i64::MIN), Tensor::scalar(1i64)).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(substr(Tensor::string("a"), Tensor::scalar(0i32), Tensor::scalar(-1i32)).unwrap_err().code(), Code::InvalidArgument);
        let e = substr(Tensor::string("a"), tensor(&[1], &[0i32]), Tensor::scalar(1i32)).unwrap_err();
        assert_eq!(e.bare_message(), "pos and len should have the same shape, got: [1] vs. []");
    }
}
