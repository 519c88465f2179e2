//! Finding equal elements: what `Unique`, `UniqueV2` and `UniqueWithCounts` share.

use super::dims::{index_tensor, product};
use super::gathering::Gathering;
use crate::parallel::pool;
use crate::prelude::*;
use bytes::Bytes;
use foldhash::{HashMap, HashMapExt};
use num_traits::Float;

/// What elements are compared by: equal keys are equal elements, an element without a key equals nothing (NaN).
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Bits(u128),
    Text(Bytes),
}

/// The key of each element.
///
/// Errors: `Unimplemented` for a type whose elements cannot be compared.
pub(crate) fn keys(x: &Tensor) -> Result<Vec<Option<Key>>> {
    fn floats<T: Float + ferroflow_tensor::Element>(x: &Tensor) -> Result<Vec<Option<Key>>> {
        // Adding 0 makes 0 of −0.
        Ok(x.as_slice::<T>()?
            .iter()
            .map(|v| (!v.is_nan()).then(|| Key::Bits((*v + T::zero()).to_f64().unwrap_or(0.0).to_bits() as u128)))
            .collect())
    }
    if x.dtype() == DType::String {
        return Ok(x.as_strings()?.iter().map(|s| Some(Key::Text(s.clone()))).collect());
    }
    with_float!(x.dtype() => T, { return floats::<T>(x) }, else {});
    let size = x.dtype().size();
    if size == 0 || x.dtype().is_complex() {
        return Err(unsupported("Unique", x.dtype()));
    }
    let bits = |b: &[u8]| b.iter().rev().fold(0u128, |n, &b| n << 8 | b as u128);
    Ok(x.bytes()?.chunks_exact(size).map(|b| Some(Key::Bits(bits(b)))).collect())
}

/// For slices along an axis: which are the first of their kind, the number of the kind of each, and how many each kind has.
pub(crate) struct Distinct {
    first: Vec<usize>,
    kind: Vec<i64>,
    count: Vec<i64>,
}

impl Distinct {
    /// Compares the slices of `x` along `axis`.
    ///
    /// Errors: `Unimplemented` for a type whose elements cannot be compared.
    pub(crate) fn of(x: &Tensor, axis: usize) -> Result<Distinct> {
        if x.rank() == 1 {
            match x.dtype() {
                DType::Int32 => return Ok(Distinct::of_integers(x.as_slice::<i32>()?)),
                DType::Int64 => return Ok(Distinct::of_integers(x.as_slice::<i64>()?)),
                _ => {}
            }
        }
        let keys = keys(x)?;
        let (n, inner) = (x.dims()[axis] as usize, product(&x.dims()[axis + 1..]));
        let outer = product(&x.dims()[..axis]);
        let mut found = Distinct { first: vec![], kind: Vec::with_capacity(n), count: vec![] };
        let mut kinds: HashMap<Vec<&Key>, usize> = HashMap::new();
        for i in 0..n {
            let slice: Option<Vec<&Key>> =
                (0..outer).flat_map(|o| &keys[(o * n + i) * inner..(o * n + i + 1) * inner]).map(Option::as_ref).collect();
            let new = found.first.len();
            let kind = match slice {
                Some(slice) => *kinds.entry(slice).or_insert(new),
                None => new,
            };
            if kind == new {
                found.first.push(i);
                found.count.push(0);
            }
            found.count[kind] += 1;
            found.kind.push(kind as i64);
        }
        Ok(found)
    }

    /// As [`Distinct::of`], for the rows of a sparse gradient, which come thousands at a time.
    fn of_integers<T: Copy + Eq + std::hash::Hash>(x: &[T]) -> Distinct {
        let mut found = Distinct { first: Vec::with_capacity(x.len()), kind: Vec::with_capacity(x.len()), count: vec![] };
        let mut kinds: HashMap<T, usize> = HashMap::with_capacity(x.len());
        for (i, &v) in x.iter().enumerate() {
            let new = found.first.len();
            let kind = *kinds.entry(v).or_insert(new);
            if kind == new {
                found.first.push(i);
                found.count.push(0);
            }
            found.count[kind] += 1;
            found.kind.push(kind as i64);
        }
        found
    }

    /// Sets output 0 to the distinct slices, output 1 to the kind of each slice and, if there is one, output 2 to the counts.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(crate) fn set_outputs(&self, ctx: &mut OpKernelContext, axis: usize) -> Result<()> {
        let x = ctx.input(0)?;
        let mut dims = x.dims().to_vec();
        dims[axis] = self.first.len() as i64;
        let gathering = Gathering {
            batch: 1,
            outer: product(&x.dims()[..axis]),
            n: x.dims()[axis] as usize,
            inner: product(&x.dims()[axis + 1..]),
            indices: &self.first,
            pool: &pool(ctx.step),
        };
        let y = gathering.run(x, Shape::new(&dims)?)?;
        let index = |v: &[i64]| index_tensor(ctx.node.output_types[1].dtype, Shape::from_lens(&[v.len()])?, v);
        let (kind, count) = (index(&self.kind)?, index(&self.count)?);
        ctx.set_output(0, y);
        ctx.set_output(1, kind);
        if ctx.node.output_types.len() > 2 {
            ctx.set_output(2, count);
        }
        Ok(())
    }
}

/// Computes `Unique` or `UniqueWithCounts`.
///
/// Errors: `InvalidArgument` if the input is no vector.
pub(crate) fn of_vector(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    if x.rank() != 1 {
        return Err(invalid_argument("unique expects a 1D vector."));
    }
    Distinct::of(x, 0)?.set_outputs(ctx, 0)
}

/// The shape function of both.
///
/// Errors: `InvalidArgument` if the input is no vector.
pub(crate) fn infer(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank(0, 1)?;
    c.set_output(0, PartialShape::of_rank(1));
    c.set_output(1, s);
    c.set_output(2, PartialShape::of_rank(1));
    Ok(())
}
