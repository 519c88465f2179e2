//! `SparseConcat`: sparse tensors joined along a dimension.

use super::coo::{Coo, choose, elements, matrix, set_sparse_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseConcat(indices: N * int64, values: N * T, shapes: N * int64) -> (output_indices: int64, output_values: T, output_shape: int64)",
    attrs: "concat_dim: int; N: int >= 2; T: type",
    doc: "The values of all inputs, those of later ones moved along `concat_dim`, in the order of their coordinates.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.node.attrs.count("N")?;
    let parts: Vec<Coo> = (0..n).map(|i| Coo::of(ctx.input(i)?, ctx.input(n + i)?, ctx.input(2 * n + i)?)).collect::<Result<_>>()?;
    let rank = parts[0].rank();
    let given = ctx.node.attrs.int("concat_dim")?;
    let axis = if given < 0 { given + rank as i64 } else { given };
    let Some(axis) = usize::try_from(axis).ok().filter(|&a| a < rank) else {
        return Err(invalid_argument(format!("Concat dimension must be in range [{}, {rank}), got {given}", -(rank as i64))));
    };
    let mut dims = parts[0].dims.to_vec();
    let mut offset = 0i64;
    let mut rows: Vec<(Vec<i64>, usize, usize)> = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        if part.rank() != rank {
            return Err(invalid_argument(format!(
                "Ranks of all input tensors must match: expected {rank} but got {} at position {p}",
                part.rank()
            )));
        }
        if let Some(d) = (0..rank).find(|&d| d != axis && part.dims[d] != dims[d]) {
            return Err(invalid_argument(format!(
                "Input shapes must match: expected {} for dimension {d} but got {} at position {p}",
                dims[d], part.dims[d]
            )));
        }
        for i in 0..part.len() {
            let mut at = part.at(i).to_vec();
            at[axis] = at[axis].wrapping_add(offset);
            rows.push((at, p, i));
        }
        let too_large = || invalid_argument("Concatenating along the dimension overflows");
        offset = offset.checked_add(part.dims[axis]).ok_or_else(too_large)?;
    }
    dims[axis] = offset;
    elements(&dims)?;
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let indices: Vec<i64> = rows.iter().flat_map(|r| &r.0).copied().collect();
    let which: Vec<(usize, usize)> = rows.iter().map(|r| (r.1, r.2)).collect();
    let sources: Vec<&Tensor> = parts.iter().map(|p| p.values).collect();
    let outputs = [matrix(rows.len(), rank, &indices)?, choose(&sources, &which)?, Tensor::vector(&dims)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.node().attrs.count("N")?;
    let rank = super::coo::known_rank(c, 0, 2 * n)?;
    set_sparse_shape(c, 0, rank);
    Ok(())
}
