//! `DecodeCompressed`: compressed strings as what they were.

use super::each::map;
use crate::prelude::*;
use bytes::{Buf, Bytes};
use ferroflow_io::{Compression, decompressed};
use std::io::Read;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeCompressed(bytes: string) -> (output: string)",
    attrs: "compression_type: string = \"\"",
    doc: "Each string decompressed; `compression_type` is empty, ZLIB or GZIP.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let compression = match ctx.node.attrs.str("compression_type")? {
        "" => Compression::None,
        "ZLIB" => Compression::Zlib,
        "GZIP" => Compression::Gzip,
        _ => return Err(invalid_argument("Only ZLIB, GZIP or NONE are supported compressions")),
    };
    map(ctx, |s| {
        let mut out = Vec::new();
        let read = decompressed(s.clone().reader(), compression).read_to_end(&mut out);
        read.map_err(|e| ferroflow_tensor::error::data_loss(format!("a string cannot be decompressed: {e}")))?;
        Ok(Bytes::from(out))
    })
}
