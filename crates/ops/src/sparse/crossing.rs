//! All combinations of the features of a row, one of each column: what the `SparseCross` ops share (TF: `SparseCrossOp`).

use super::coo::{Coo, matrix};
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_tensor::error::resource_exhausted;

/// One feature.
#[derive(Clone, Copy)]
pub(super) enum Feature<'a> {
    Number(i64),
    /// A number of a sparse column, which TF hashes in another way.
    SparseNumber(i64),
    Text(&'a [u8]),
}

impl Feature<'_> {
    /// As text.
    pub(super) fn text(&self) -> Vec<u8> {
        match self {
            Feature::Number(n) | Feature::SparseNumber(n) => n.to_string().into_bytes(),
            Feature::Text(s) => s.to_vec(),
        }
    }
}

/// The features of one row and column.
type Features<'a> = Vec<Feature<'a>>;

fn feature(t: &Tensor, i: usize) -> Result<Feature<'_>> {
    Ok(match t.dtype() {
        DType::String => Feature::Text(&t.as_strings()?[i]),
        _ => Feature::Number(t.as_slice::<i64>()?[i]),
    })
}

/// Per row, per column: its features. Sparse columns come first, then dense ones.
///
/// Errors: `InvalidArgument` for columns of different batch sizes or malformed ones.
pub(super) fn columns<'a>(ctx: &'a OpKernelContext) -> Result<Vec<Vec<Features<'a>>>> {
    let n = ctx.node.attrs.count("N")?;
    let dense = ctx.node.attrs.dtypes("dense_types")?.len();
    let mut rows: Option<usize> = None;
    let mut check = |size: i64| -> Result<usize> {
        let size =
            usize::try_from(size).ok().filter(|&s| s < 1 << 32).ok_or_else(|| invalid_argument(format!("a batch of {size} rows")))?;
        match *rows.get_or_insert(size) {
            have if have == size => Ok(size),
            have => Err(invalid_argument(format!("Expected batch size {have}, got {size}"))),
        }
    };
    let mut all: Vec<Vec<Features>> = Vec::new();
    for i in 0..n {
        let (indices, values, shape) = (ctx.input(i)?, ctx.input(n + i)?, ctx.input(2 * n + i)?);
        let coo = Coo::of(indices, values, shape)?;
        if coo.rank() != 2 {
            return Err(invalid_argument(format!("Expected shape to be a 2D, got rank {}", coo.rank())));
        }
        coo.check_bounds()?;
        let size = check(coo.dims[0])?;
        let mut column = super::coo::filled(size, Features::new())?;
        for k in 0..coo.len() {
            let feature = match feature(values, k)? {
                Feature::Number(n) => Feature::SparseNumber(n),
                other => other,
            };
            column[coo.at(k)[0] as usize].push(feature);
        }
        all.push(column);
    }
    for i in 0..dense {
        let t = ctx.input(3 * n + i)?;
        let &[size, width] = t.dims() else {
            return Err(invalid_argument(format!("Dense inputs should be a matrix but received shape {}", t.shape())));
        };
        let width = width as usize;
        let row = |r: usize| (r * width..(r + 1) * width).map(|k| feature(t, k)).collect::<Result<Features>>();
        all.push((0..check(size)?).map(row).collect::<Result<_>>()?);
    }
    if all.is_empty() {
        return Err(invalid_argument("there is no column to cross"));
    }
    let size = rows.unwrap_or(0);
    let mut columns: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
    Ok((0..size).map(|_| columns.iter_mut().filter_map(Iterator::next).collect()).collect())
}

/// What a combination becomes.
pub(super) enum Crossed {
    Texts(Vec<Bytes>),
    Numbers(Vec<i64>),
}

impl Crossed {
    fn len(&self) -> usize {
        match self {
            Crossed::Texts(v) => v.len(),
            Crossed::Numbers(v) => v.len(),
        }
    }
}

/// Sets the outputs to the combinations of all rows, the last column changing fastest; `put` appends one.
///
/// Errors: `InvalidArgument` for malformed columns; `ResourceExhausted` for too many combinations.
pub(super) fn cross(ctx: &mut OpKernelContext, mut out: Crossed, put: impl Fn(&[Feature], &mut Crossed)) -> Result<()> {
    const MOST: usize = 1 << 30;
    let (mut indices, mut widest) = (Vec::new(), 0i64);
    let rows = columns(ctx)?;
    for (r, row) in rows.iter().enumerate() {
        let count = row.iter().try_fold(1usize, |n, f| n.checked_mul(f.len())).filter(|&n| out.len() + n < MOST);
        let count = count.ok_or_else(|| resource_exhausted(format!("row {r} has too many combinations")))?;
        widest = widest.max(count as i64);
        for k in 0..count {
            let mut rest = k;
            let mut chosen: Vec<Feature> = row.iter().rev().map(|f| (f[rest % f.len()], rest /= f.len()).0).collect();
            chosen.reverse();
            put(&chosen, &mut out);
            indices.extend([r as i64, k as i64]);
        }
    }
    let size = rows.len() as i64;
    drop(rows);
    let values = match out {
        Crossed::Texts(texts) => Tensor::strings(Shape::from_lens(&[texts.len()])?, texts)?,
        Crossed::Numbers(numbers) => Tensor::vector(&numbers)?,
    };
    let outputs = [matrix(indices.len() / 2, 2, &indices)?, values, Tensor::vector(&[size, widest])?];
    outputs.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}

/// Appends the features joined by a separator.
pub(super) fn put_text(features: &[Feature], separator: &[u8], out: &mut Crossed) {
    let texts: Vec<Vec<u8>> = features.iter().map(Feature::text).collect();
    if let Crossed::Texts(all) = out {
        all.push(texts.join(separator).into());
    }
}

/// Appends a hash as a bucket; without buckets, as a number that is not negative.
pub(super) fn put_hash(hash: u64, buckets: u64, out: &mut Crossed) {
    let modulus = if buckets > 0 { buckets } else { i64::MAX as u64 };
    if let Crossed::Numbers(all) = out {
        all.push((hash % modulus) as i64);
    }
}

/// A matrix of combinations.
///
/// Errors: none.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    super::coo::set_sparse_shape(c, 0, Some(2));
    Ok(())
}
