//! `StringToNumber`: strings read as numbers.

use crate::prelude::*;
use bytes::Bytes;
use ferroflow_tensor::Element;
use std::str::FromStr;

pub const OP: OpSpec = OpSpec {
    signature: "StringToNumber(string_tensor: string) -> (output: out_type)",
    attrs: "out_type: type in {float, double, int32, int64, uint32, uint64} = float",
    doc: "The number that each string holds; blanks around it are ignored.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn integer<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn float<T: FromStr + num_traits::NumCast>(text: &str) -> Option<T> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => num_traits::cast(sign * u64::from_str_radix(hex, 16).ok()? as f64),
        None => text.parse().ok(),
    }
}

fn read<T: Element>(x: &Tensor, parse: impl Fn(&str) -> Option<T>) -> Result<Tensor> {
    let one = |s: &Bytes| {
        let text = std::str::from_utf8(s).ok().map(str::trim);
        text.and_then(&parse)
            .ok_or_else(|| invalid_argument(format!("StringToNumberOp could not correctly convert string: {}", String::from_utf8_lossy(s))))
    };
    Tensor::from_slice(x.shape().clone(), &x.as_strings()?.iter().map(one).collect::<Result<Vec<T>>>()?)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let y = match ctx.node.output_types[0].dtype {
        DType::Float => read::<f32>(x, float)?,
        DType::Double => read::<f64>(x, float)?,
        DType::Int32 => read::<i32>(x, integer)?,
        DType::Int64 => read::<i64>(x, integer)?,
        DType::UInt32 => read::<u32>(x, integer)?,
        DType::UInt64 => read::<u64>(x, integer)?,
        other => return Err(unsupported("StringToNumber", other)),
    };
    ctx.set_output(0, y);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused() {
        let run = |x: &[&str], to: DType| OpTester::new(&OP).input(strings(&[x.len() as i64], x)).attr("out_type", to).run_one();
        assert_eq!(run(&[" 5 ", "-1e3", "0x10"], DType::Float).unwrap().as_slice::<f32>().unwrap(), [5.0, -1000.0, 16.0]);
        assert_eq!(run(&["-27"], DType::Int64).unwrap().as_slice::<i64>().unwrap(), [-27]);
        let e = run(&["1x"], DType::Int32).unwrap_err();
        assert_eq!(e.bare_message(), "StringToNumberOp could not correctly convert string: 1x");
        assert_eq!(run(&["300000000000"], DType::Int32).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(run(&[""], DType::Float).unwrap_err().code(), Code::InvalidArgument);
    }
}
