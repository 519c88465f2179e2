//! `Fingerprint`: 64-bit fingerprints of the rows of a tensor.

use super::fingerprint::fingerprint64;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Fingerprint(data: T, method: string) -> (fingerprint: uint8)",
    attrs: "T: type",
    doc: "The eight bytes of the FarmHash fingerprint of each row's bytes; of several strings in a row, of their fingerprints.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (data, method) = (ctx.input(0)?, ctx.input(1)?);
    match (method.rank(), method.as_strings()?) {
        (0, [name]) if name == "farmhash64" => {}
        (0, [name]) => return Err(invalid_argument(format!("Unsupported fingerprint method: {}", String::from_utf8_lossy(name)))),
        _ => return Err(invalid_argument(format!("`method` should be a scalar string: {}", method.shape()))),
    }
    let Some((&rows, inner)) = data.dims().split_first() else {
        return Err(invalid_argument(format!("`data` should have at least one dimension: {}", data.shape())));
    };
    let width = inner.iter().product::<i64>() as usize;
    let whole: Vec<u8>;
    let (bytes, row_bytes): (&[u8], usize) = match data.dtype() {
        DType::String if width == 1 => {
            let out: Vec<u8> = data.as_strings()?.iter().flat_map(|s| fingerprint64(s).to_le_bytes()).collect();
            ctx.set_output(0, Tensor::from_slice(Shape::new(&[rows, 8])?, &out)?);
            return Ok(());
        }
        DType::String => {
            whole = data.as_strings()?.iter().flat_map(|s| fingerprint64(s).to_le_bytes()).collect();
            (&whole, width * 8)
        }
        plain if plain.is_plain() => (data.bytes()?, width * plain.size()),
        other => return Err(unsupported("Fingerprint", other)),
    };
    let out: Vec<u8> = match row_bytes {
        0 => (0..rows).flat_map(|_| fingerprint64(&[]).to_le_bytes()).collect(),
        n => bytes.chunks_exact(n).flat_map(|row| fingerprint64(row).to_le_bytes()).collect(),
    };
    ctx.set_output(0, Tensor::from_slice(Shape::new(&[rows, 8])?, &out)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rows = c.with_rank_at_least(0, 1)?.dim(0);
    c.with_rank(1, 0)?;
    c.set_output(0, PartialShape::new(&[rows, Some(8)]));
    Ok(())
}
