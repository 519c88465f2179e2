//! `DataFormatVecPermute`: one number for each dimension under another data format.

use super::data_format::places;
use super::dims::index_tensor;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DataFormatVecPermute(x: T) -> (y: T)",
    attrs: "T: type in {int32, int64} = int32; src_format: string = \"NHWC\"; dst_format: string = \"NCHW\"",
    doc: "The numbers (or pairs of them) of the dimensions of `src_format` in the order of `dst_format`; without batch and depth, if there are only those of space.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (mut order, _) = places(&ctx.node.attrs)?;
    let n = order.len();
    if !(1..=2).contains(&x.rank()) {
        return Err(invalid_argument(format!("input must be a vector or 2D tensor, but got shape {}", x.shape())));
    }
    let count = x.dims()[0] as usize;
    if count != n && count != n - 2 {
        return Err(invalid_argument(format!("1D input must be of size {} or {n}, but got shape {}", n - 2, x.shape())));
    }
    if x.rank() == 2 && x.dims()[1] != 2 {
        return Err(invalid_argument(format!("Second dimension of 2D input must be of size 2, but got shape {}", x.shape())));
    }
    if count == n - 2 {
        let from = ctx.node.attrs.str("src_format")?.as_bytes();
        let is_space = |p: &usize| !matches!(from[*p], b'N' | b'C');
        order.retain(is_space);
        let mut spatial: Vec<usize> = order.clone();
        spatial.sort_unstable();
        if spatial.len() != count {
            return Err(invalid_argument("the formats must name batch and depth N and C"));
        }
        order = order.iter().filter_map(|p| spatial.iter().position(|s| s == p)).collect();
    }
    let values = x.to_i64s()?;
    let width = if x.rank() == 2 { 2 } else { 1 };
    let all: Vec<i64> = order.iter().flat_map(|&p| &values[p * width..(p + 1) * width]).copied().collect();
    let y = index_tensor(x.dtype(), x.shape().clone(), &all)?;
    ctx.set_output(0, y);
    Ok(())
}
