//! `OneHot`: indices as vectors with one element set.

use super::dims::product;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> (output: T)",
    attrs: "axis: int = -1; T: type; TI: type in {uint8, int8, int32, int64} = int64",
    doc: "A new dimension `axis` of length `depth` (the last by default) that is `on_value` at the index and `off_value` elsewhere; an \
          index out of range gives only `off_value`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Setting {
    places: Vec<usize>,
}

impl Rearrange for Setting {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let (on, off) = (&inputs[0][0], &inputs[1][0]);
        out.fill(off.clone());
        for &place in &self.places {
            out[place] = on.clone();
        }
        Ok(())
    }
}

/// Where the new dimension goes.
fn place(axis: i64, rank: usize) -> Result<usize> {
    match axis {
        -1 => Ok(rank),
        a if a >= 0 && a as usize <= rank => Ok(a as usize),
        a => Err(invalid_argument(format!("Expected axis to be -1 or between [0, {}).  But received: {a}", rank + 1))),
    }
}

fn values(indices: &Tensor) -> Result<Vec<i64>> {
    match indices.dtype() {
        DType::UInt8 => Ok(indices.as_slice::<u8>()?.iter().map(|&v| v as i64).collect()),
        DType::Int8 => Ok(indices.as_slice::<i8>()?.iter().map(|&v| v as i64).collect()),
        _ => Ok(indices.to_i64s()?.to_vec()),
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (indices, depth, on, off) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
    let axis = place(ctx.node.attrs.int("axis")?, indices.rank())?;
    for (name, t) in [("depth", depth), ("on_value", on), ("off_value", off)] {
        if !t.shape().is_scalar() {
            return Err(invalid_argument(format!("{name} must be a scalar, but got: {}", t.shape())));
        }
    }
    let depth = depth.to_i64()?;
    if depth < 0 {
        return Err(invalid_argument(format!("depth must be non-negative, got: {depth}")));
    }
    let mut dims = indices.dims().to_vec();
    dims.insert(axis, depth);
    let shape = Shape::new(&dims)?;
    let suffix = product(&indices.dims()[axis..]);
    let places = values(indices)?
        .iter()
        .enumerate()
        .filter(|(_, v)| (0..depth).contains(*v))
        .map(|(i, &v)| (i / suffix * depth as usize + v as usize) * suffix + i % suffix)
        .collect();
    let y = rearrange(&[on, off], shape, &Setting { places })?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 1..4 {
        c.with_rank(i, 0)?;
    }
    let s = c.input(0);
    let Some(dims) = s.dims() else { return Ok(()) };
    let axis = place(c.node().attrs.int("axis")?, dims.len())?;
    let depth = c.constant(1).map(|t| t.to_i64()).transpose()?;
    if let Some(d) = depth.filter(|&d| d < 0) {
        return Err(invalid_argument(format!("depth must be non-negative, got: {d}")));
    }
    let mut dims = dims.to_vec();
    dims.insert(axis, depth);
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_hot(indices: Tensor, depth: i32, axis: i64) -> Result<Tensor> {
        OpTester::new(&OP).input(indices).input(depth).input(1f32).input(0f32).attr("axis", axis).run_one()
    }

    #[test]
    fn an_index_out_of_range_sets_nothing() {
        let y = one_hot(tensor(&[3], &[1i64, -1, 2]), 2, -1).unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[3i64, 2][..], &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0][..]));
        let y = one_hot(tensor(&[2], &[1u8, 0]), 2, 0).unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(one_hot(tensor(&[2], &[1i32, 0]), 0, -1).unwrap().dims(), [2, 0]);
    }

    #[test]
    fn wrong_depths_and_axes_are_refused() {
        let x = || tensor(&[1], &[0i32]);
        assert_eq!(one_hot(x(), -1, -1).unwrap_err().bare_message(), "depth must be non-negative, got: -1");
        assert_eq!(one_hot(x(), 1, 3).unwrap_err().bare_message(), "Expected axis to be -1 or between [0, 2).  But received: 3");
        let e = OpTester::new(&OP).input(x()).input(1i32).input(tensor(&[2], &[1f32, 2.0])).input(0f32).run().unwrap_err();
        assert_eq!(e.bare_message(), "on_value must be a scalar, but got: [2]");
        let huge = tensor(&[1 << 20], &vec![0i64; 1 << 20]);
        assert_eq!(one_hot(huge, i32::MAX, -1).unwrap_err().code(), Code::ResourceExhausted);
    }
}
