//! `RaggedTensorToTensor`: a ragged tensor as a dense one, its rows cut and filled up.

use super::elements::{Rearrange, rearrange};
use crate::prelude::*;
use crate::sparse::coo::filled;

pub const OP: OpSpec = OpSpec {
    signature: "RaggedTensorToTensor(shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex) -> (result: T)",
    attrs: "T: type; Tindex: type in {int64, int32}; Tshape: type in {int64, int32}; num_row_partition_tensors: int >= 1; row_partition_types: list(string)",
    doc: "A dense tensor of `shape` (-1: as large as needed) with the rows of a ragged one, cut, or filled up with `default_value`.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// How a dimension is divided into rows.
enum Partition {
    FirstDimSize(i64),
    /// The row of each value, ascending.
    ValueRowIds(Vec<i64>),
    RowSplits(Vec<i64>),
}

impl Partition {
    fn of(kind: &[u8], t: &Tensor) -> Result<Partition> {
        let numbers = t.to_i64s()?.to_vec();
        if kind == b"FIRST_DIM_SIZE" {
            return match numbers[..] {
                [n] if n >= 0 => Ok(Partition::FirstDimSize(n)),
                _ => Err(invalid_argument("FIRST_DIM_SIZE must be one number that is not negative")),
            };
        }
        if t.rank() != 1 {
            return Err(invalid_argument(format!("a row partition must be a vector, got shape {}", t.shape())));
        }
        match kind {
            b"VALUE_ROWIDS" if numbers.windows(2).any(|w| w[0] > w[1]) || numbers.first().is_some_and(|&n| n < 0) => {
                Err(invalid_argument("VALUE_ROWIDS must ascend from 0"))
            }
            b"VALUE_ROWIDS" => Ok(Partition::ValueRowIds(numbers)),
            b"ROW_SPLITS" if numbers.first() != Some(&0) || numbers.windows(2).any(|w| w[0] > w[1]) => {
                Err(invalid_argument("ROW_SPLITS must ascend from 0"))
            }
            b"ROW_SPLITS" => Ok(Partition::RowSplits(numbers)),
            other => Err(invalid_argument(format!("unsupported row partition type {}", String::from_utf8_lossy(other)))),
        }
    }

    /// The length of the longest row.
    fn width(&self) -> i64 {
        match self {
            Partition::FirstDimSize(_) => 0,
            Partition::ValueRowIds(rows) => rows.chunk_by(|a, b| a == b).map(|row| row.len() as i64).max().unwrap_or(0),
            Partition::RowSplits(splits) => splits.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0),
        }
    }

    /// For each child of `parents`, which say where a row begins in the result (none: cut off), where it lies itself.
    fn children(&self, parents: &[Option<usize>], width: usize, step: usize) -> Result<Vec<Option<usize>>> {
        let place = |parent: Option<usize>, column: usize| parent.filter(|_| column < width).map(|p| p + column * step);
        match self {
            Partition::FirstDimSize(_) => Err(invalid_argument("FIRST_DIM_SIZE can only come first")),
            Partition::ValueRowIds(rows) => {
                let mut out = Vec::with_capacity(rows.len());
                let (mut before, mut column) = (None, 0);
                for &row in rows {
                    column = if before == Some(row) { column + 1 } else { 0 };
                    before = Some(row);
                    let Some(&parent) = usize::try_from(row).ok().and_then(|r| parents.get(r)) else {
                        return Err(invalid_argument(format!("there is no row {row}, only {}", parents.len())));
                    };
                    out.push(place(parent, column));
                }
                Ok(out)
            }
            Partition::RowSplits(splits) => {
                if splits.len() != parents.len() + 1 {
                    return Err(invalid_argument(format!("{} row splits do not divide {} rows", splits.len(), parents.len())));
                }
                let mut out = Vec::new();
                for (w, &parent) in splits.windows(2).zip(parents) {
                    let n = (w[1] - w[0]) as usize;
                    out.try_reserve(n).map_err(|_| invalid_argument(format!("ROW_SPLITS end at {}", splits[splits.len() - 1])))?;
                    out.extend((0..n).map(|column| place(parent, column)));
                }
                Ok(out)
            }
        }
    }
}

struct Spread<'a> {
    places: &'a [Option<usize>],
    width: usize,
    /// Which element of the default value stands at each place of a row.
    defaults: &'a [usize],
}

impl Rearrange for Spread<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let (values, default) = (inputs[0], inputs[1]);
        for row in out.chunks_exact_mut(self.width.max(1)) {
            row.iter_mut().zip(self.defaults).for_each(|(o, &d)| *o = default[d].clone());
        }
        for (k, place) in self.places.iter().enumerate() {
            if let Some(place) = place {
                out[*place..place + self.width].clone_from_slice(&values[k * self.width..(k + 1) * self.width]);
            }
        }
        Ok(())
    }
}

/// Which element of a tensor of shape `from` stands where after it has been broadcast to `to`.
fn broadcast_places(from: &Shape, to: &[i64]) -> Result<Vec<usize>> {
    let refused = || invalid_argument(format!("default_value of shape {from} cannot be broadcast to {to:?}"));
    let missing = to.len().checked_sub(from.rank()).ok_or_else(refused)?;
    let mut steps = vec![0usize; to.len()];
    let mut step = 1;
    for (axis, &d) in from.dims().iter().enumerate().rev() {
        if d != 1 && d != to[missing + axis] {
            return Err(refused());
        }
        steps[missing + axis] = if d == 1 { 0 } else { step };
        step *= d as usize;
    }
    let mut places = filled(Shape::new(to)?.num_elements(), 0usize)?;
    for (k, place) in places.iter_mut().enumerate() {
        let mut rest = k;
        for (&d, &step) in to.iter().zip(&steps).rev() {
            *place += rest % d as usize * step;
            rest /= d as usize;
        }
    }
    Ok(places)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (wanted, values, default) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let kinds = ctx.node.attrs.strs("row_partition_types")?;
    let count = ctx.node.attrs.count("num_row_partition_tensors")?;
    if kinds.len() != count {
        return Err(invalid_argument(format!("{} row_partition_types for {count} row partitions", kinds.len())));
    }
    let partitions = kinds.iter().enumerate().map(|(i, k)| Partition::of(k, ctx.input(3 + i)?)).collect::<Result<Vec<_>>>()?;
    let (first, rows) = match &partitions[..] {
        [Partition::FirstDimSize(n), rest @ ..] => (*n, rest),
        all @ [Partition::RowSplits(splits), ..] => (splits.len() as i64 - 1, all),
        _ => return Err(invalid_argument("Cannot handle VALUE_ROWIDS in first dimension.")),
    };
    let Some((&count, inner)) = values.dims().split_first() else {
        return Err(invalid_argument("the values must not be a scalar"));
    };
    let mut dims = vec![first];
    dims.extend(rows.iter().map(Partition::width));
    dims.extend(inner);
    match (wanted.rank(), &wanted.to_i64s()?[..]) {
        (0, [-1]) => {}
        (1, given) if given.len() == dims.len() => {
            for (i, (d, &g)) in dims.iter_mut().zip(given).enumerate() {
                let fixed = i > rows.len() && g >= 0 && g != *d;
                if fixed || g < -1 {
                    return Err(invalid_argument(format!("shape {given:?} does not fit values of shape {}", values.shape())));
                }
                *d = if g < 0 { *d } else { g };
            }
        }
        (_, given) => {
            return Err(invalid_argument(format!("shape {given:?} does not fit a ragged tensor of {} dimensions", dims.len())));
        }
    }
    let shape = Shape::new(&dims)?;
    let width = inner.iter().product::<i64>() as usize;
    let step_of = |axis: usize| dims[axis + 1..].iter().product::<i64>() as usize;
    if first > 1 << 40 {
        return Err(invalid_argument(format!("{first} rows do not fit into memory")));
    }
    let mut places: Vec<Option<usize>> = filled(first as usize, None)?;
    places.iter_mut().enumerate().take(dims[0] as usize).for_each(|(i, p)| *p = Some(i * step_of(0)));
    for (axis, partition) in rows.iter().enumerate() {
        places = partition.children(&places, dims[axis + 1] as usize, step_of(axis + 1))?;
    }
    if places.len() as i64 != count {
        return Err(invalid_argument(format!("the row partitions speak of {} values, there are {count}", places.len())));
    }
    let defaults = broadcast_places(default.shape(), inner)?;
    let out = rearrange(&[values, default], shape, &Spread { places: &places, width, defaults: &defaults })?;
    ctx.set_output(0, out);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let attrs = &c.node().attrs;
    let kinds = attrs.strs("row_partition_types")?;
    let ragged = kinds.len() - usize::from(kinds.first().is_some_and(|k| k == "FIRST_DIM_SIZE"));
    let values = c.input(1);
    let wanted = match c.input(0).rank() {
        Some(0) => PartialShape::unknown(),
        _ => c.input_as_shape(0)?,
    };
    let made = match values.dims() {
        Some([_, inner @ ..]) => PartialShape::new(&[&vec![None; ragged + 1], inner].concat()),
        _ => PartialShape::unknown(),
    };
    c.set_output(0, if made.rank().is_some() { wanted.merge(&made).unwrap_or(made) } else { wanted });
    Ok(())
}
