//! Pools of regions of several sizes: what their ops and the gradients share (TF: `fractional_pool_common`).

use crate::prelude::*;
use crate::random::philox_source::{PhiloxSource, Words};
use ferroflow_tensor::Element;

/// Where the regions along an axis begin, and the end of the last.
pub(super) type Ends = Vec<i64>;

/// Regions of one size more than the least, in random order.
fn shuffled(input: usize, output: usize, source: &PhiloxSource) -> Ends {
    let least = input / output;
    let mut sizes = vec![least; output];
    sizes.iter_mut().take(input % output).for_each(|s| *s += 1);
    let mut words = Words::new(source.reserve(output.div_ceil(4) as u128));
    for i in 0..output - 1 {
        let left = u32::try_from(output - i).unwrap_or(u32::MAX);
        sizes.swap(i, i + (words.draw() % left) as usize);
    }
    ends(sizes)
}

/// Regions that end at multiples of the ratio, moved by a random share and rounded up.
fn moved(input: usize, output: usize, source: &PhiloxSource) -> Ends {
    let ratio = input as f64 / output as f64;
    let least = (input / output) as f64;
    // No region may be longer than the least and one.
    let most = ((least + 2.0) / ratio - 1.0).min((input as f64 + 1.0 - least) / ratio - (output as f64 - 1.0));
    let mut words = Words::new(source.reserve(1));
    let (low, high) = (words.draw(), words.draw());
    let uniform = f64::from_bits(1023 << 52 | ((low & 0xf_ffff) as u64) << 32 | high as u64) - 1.0;
    let share = uniform * most;
    let place = |i: usize| match i {
        0 => 0,
        i if i == output => input as i64,
        i => (ratio * (i as f64 + share)).ceil() as i64 - 1,
    };
    (0..=output).map(place).collect()
}

fn ends(sizes: Vec<usize>) -> Ends {
    let mut at = 0;
    std::iter::once(0)
        .chain(sizes.into_iter().map(|s| {
            at += s as i64;
            at
        }))
        .collect()
}

fn regions(input: usize, output: usize, is_moved: bool, source: &PhiloxSource) -> Ends {
    if is_moved { moved(input, output, source) } else { shuffled(input, output, source) }
}

/// Regions of the rows and columns of images.
pub(super) struct Regions {
    pub(super) rows: Ends,
    pub(super) columns: Ends,
    pub(super) overlapping: bool,
}

impl Regions {
    /// As the attributes say, for images of this shape.
    ///
    /// Errors: `InvalidArgument` for attributes or images that do not fit; `Unimplemented` for ratios of batch or depth.
    fn of(attrs: &AttrMap, x: &Tensor, kind: &str) -> Result<Regions> {
        let &[_, height, width, _] = x.dims() else { return Err(invalid_argument("tensor_in must be 4-dimensional")) };
        let &[of_batch, of_rows, of_columns, of_depth] = attrs.floats("pooling_ratio")? else {
            return Err(invalid_argument("pooling_ratio field must specify 4 dimensions"));
        };
        for ratio in [of_batch, of_rows, of_columns, of_depth] {
            if ratio.is_nan() || ratio < 1.0 {
                return Err(invalid_argument(format!("pooling_ratio cannot be smaller than 1, got: {ratio}")));
            }
        }
        if of_batch != 1.0 || of_depth != 1.0 {
            return Err(unimplemented(format!("Fractional {kind} pooling is not yet supported on the batch nor channel dimension.")));
        }
        let (seed, seed2) = (attrs.int("seed")?, attrs.int("seed2")?);
        let is_deterministic = attrs.bool("deterministic")?;
        if !is_deterministic && (seed, seed2) != (0, 0) {
            return Err(invalid_argument("Both seed and seed2 should be 0 if deterministic is false."));
        }
        let mut sizes = [0; 4];
        for (i, (&size, ratio)) in x.dims().iter().zip([of_batch, of_rows, of_columns, of_depth]).enumerate() {
            if (size as f32) < ratio {
                return Err(invalid_argument(format!(
                    "Pooling ratio is higher than input dimension size for dimension {i}. Input dim size: {size} pooling ratio: {ratio}"
                )));
            }
            sizes[i] = (size as f32 / ratio).floor() as usize;
        }
        // The same regions each time if they are to be deterministic.
        let source = PhiloxSource::new(seed, seed2);
        let is_moved = attrs.bool("pseudo_random")?;
        let rows = regions(height as usize, sizes[1], is_moved, &source);
        let columns = regions(width as usize, sizes[2], is_moved, &source);
        Ok(Regions { rows, columns, overlapping: attrs.bool("overlapping")? })
    }

    /// The regions along an axis of `size` that begin and end at these places.
    fn along(&self, ends: &[i64], size: usize) -> Vec<std::ops::Range<usize>> {
        let place = |p: i64| p.clamp(0, size as i64) as usize;
        let more = i64::from(self.overlapping);
        ends.windows(2).map(|w| place(w[0])..place(w[1].saturating_add(more))).collect()
    }

    /// Calls `f` with each place of the result and the places of its region, both without the depth.
    ///
    /// Places past the images count as none.
    pub(super) fn each(&self, [batch, height, width]: [usize; 3], mut f: impl FnMut(usize, &[usize])) {
        let (rows, columns) = (self.along(&self.rows, height), self.along(&self.columns, width));
        let mut places = Vec::new();
        for b in 0..batch {
            for (r, row) in rows.iter().enumerate() {
                for (c, column) in columns.iter().enumerate() {
                    places.clear();
                    places.extend(row.clone().flat_map(|y| column.clone().map(move |x| (b * height + y) * width + x)));
                    f((b * rows.len() + r) * columns.len() + c, &places);
                }
            }
        }
    }
}

/// Pools as the attributes say: `pool` makes a number of a region's.
///
/// Errors: as [`Regions::of`].
pub(super) fn pooled(ctx: &mut OpKernelContext, kind: &str, pool: Pool) -> Result<()> {
    fn run<T: Element>(x: &Tensor, regions: &Regions, pool: impl Fn(&mut dyn Iterator<Item = T>) -> T) -> Result<Tensor> {
        let dims: [usize; 4] = std::array::from_fn(|i| x.shape().dim(i));
        let depth = dims[3];
        let source = x.as_slice::<T>()?;
        let shape = Shape::from_lens(&[dims[0], regions.rows.len() - 1, regions.columns.len() - 1, depth])?;
        Tensor::build(shape, |out: &mut [T]| {
            regions.each([dims[0], dims[1], dims[2]], |place, region| {
                for d in 0..depth {
                    out[place * depth + d] = pool(&mut region.iter().map(|p| source[p * depth + d]));
                }
            });
            Ok(())
        })
    }
    let x = ctx.input(0)?;
    let regions = Regions::of(&ctx.node.attrs, x, kind)?;
    let y = match (x.dtype(), pool) {
        (DType::Float, Pool::Max) => run::<f32>(x, &regions, |all| all.reduce(f32::max).unwrap_or_default())?,
        (DType::Double, Pool::Max) => run::<f64>(x, &regions, |all| all.reduce(f64::max).unwrap_or_default())?,
        (DType::Int32, Pool::Max) => run::<i32>(x, &regions, |all| all.max().unwrap_or_default())?,
        (DType::Int64, Pool::Max) => run::<i64>(x, &regions, |all| all.max().unwrap_or_default())?,
        (DType::Float, Pool::Mean) => run::<f32>(x, &regions, |all| mean(&mut all.map(f64::from)) as f32)?,
        (DType::Double, Pool::Mean) => run::<f64>(x, &regions, |all| mean(all))?,
        (DType::Int32, Pool::Mean) => run::<i32>(x, &regions, |all| whole_mean(&mut all.map(i64::from)) as i32)?,
        (DType::Int64, Pool::Mean) => run::<i64>(x, &regions, |all| whole_mean(all))?,
        (other, _) => return Err(unsupported(ctx.node.op_name(), other)),
    };
    ctx.set_output(0, y);
    ctx.set_output(1, Tensor::vector(&regions.rows)?);
    ctx.set_output(2, Tensor::vector(&regions.columns)?);
    Ok(())
}

/// What a region becomes.
#[derive(Clone, Copy)]
pub(super) enum Pool {
    Max,
    Mean,
}

fn mean(all: &mut dyn Iterator<Item = f64>) -> f64 {
    let (sum, n) = all.fold((0.0, 0usize), |(sum, n), x| (sum + x, n + 1));
    sum / n.max(1) as f64
}

/// The mean without its fraction.
fn whole_mean(all: &mut dyn Iterator<Item = i64>) -> i64 {
    let (sum, n) = all.fold((0i64, 0i64), |(sum, n), x| (sum.wrapping_add(x), n + 1));
    sum / n.max(1)
}

/// The regions that a gradient is told of: vectors at inputs `i` and `i + 1`, for results of `dy`'s shape.
///
/// Errors: `InvalidArgument` if they do not fit.
pub(super) fn told(ctx: &OpKernelContext, i: usize, dy: &Tensor) -> Result<Regions> {
    let &[_, rows, columns, _] = dy.dims() else { return Err(invalid_argument("out_backprop must be 4-dimensional")) };
    let vector = |i: usize, name: &str, n: i64| -> Result<Ends> {
        let t = ctx.input(i)?;
        let least = n + 1;
        if (t.num_elements() as i64) < least {
            return Err(invalid_argument(format!(
                "Given out_backprop shape {}, {name} must have at least {least} elements, but got {}",
                dy.shape(),
                t.num_elements()
            )));
        }
        let ends = t.as_slice::<i64>()?;
        if ends.iter().any(|e| *e < 0) {
            return Err(invalid_argument(format!("{name} values must not be negative, got {ends:?}")));
        }
        Ok(ends[..=n as usize].to_vec())
    };
    Ok(Regions {
        rows: vector(i, "row_seq_tensor", rows)?,
        columns: vector(i + 1, "col_seq_tensor", columns)?,
        overlapping: ctx.node.attrs.bool("overlapping")?,
    })
}

/// Shapes of images and of the places that begin and end regions.
///
/// Errors: `InvalidArgument` for ratios that do not fit.
pub(super) fn shapes(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    let ratios = c.node().attrs.floats("pooling_ratio")?;
    if ratios.len() != 4 {
        return Err(invalid_argument("pooling_ratio field must specify 4 dimensions"));
    }
    if let Some(bad) = ratios.iter().find(|r| r.is_nan() || **r < 1.0) {
        return Err(invalid_argument(format!("pooling_ratio cannot be smaller than 1, got: {bad}")));
    }
    let of = |i: usize| x.dim(i).map(|n| (n as f32 / ratios[i]).floor() as i64);
    c.set_output(0, PartialShape::new(&[of(0), of(1), of(2), of(3)]));
    for i in [1, 2] {
        c.set_output(i, PartialShape::new(&[of(i).map(|n| n + 1)]));
    }
    Ok(())
}
