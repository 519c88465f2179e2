//! `DataFormatDimMap`: numbers of dimensions under another data format.

use super::data_format::places;
use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DataFormatDimMap(x: T) -> (y: T)",
    attrs: "T: type in {int32, int64} = int32; src_format: string = \"NHWC\"; dst_format: string = \"NCHW\"",
    doc: "For each number of a dimension in `src_format` that of the same dimension in `dst_format`.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (_, back) = places(&ctx.node.attrs)?;
    let n = back.len() as i64;
    let map = |&d: &i64| match back.get(d.rem_euclid(n) as usize) {
        Some(&to) if (-n..n).contains(&d) => Ok(to as i64),
        _ => Err(invalid_argument(format!("{d} is no dimension of {n}"))),
    };
    let all: Vec<i64> = x.to_i64s()?.iter().map(map).collect::<Result<_>>()?;
    let y = index_tensor(x.dtype(), x.shape().clone(), &all)?;
    ctx.set_output(0, y);
    Ok(())
}
