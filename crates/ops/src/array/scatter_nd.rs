//! `ScatterNd`: slices added up where indices say, zeros elsewhere.

use super::nd_indices::{BadIndices, NdIndices};
use crate::prelude::*;
use bytes::{Bytes, BytesMut};
use ferroflow_tensor::Element;
use std::ops::Add;

pub const OP: OpSpec = OpSpec {
    signature: "ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> (output: T)",
    attrs: "T: type; Tindices: type in {int16, int32, int64}; bad_indices_policy: string = \"\"",
    doc: "A tensor of `shape`, zero except where `indices` (as in `GatherNd`) name slices; there it is the sum of the `updates`.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Addition as C++ has it: integers wrap around.
trait Sum: Element {
    fn sum(self, other: Self) -> Self;
}

macro_rules! sums {
    (wrapping: $($int:ty)*; plain: $($float:ty)*) => {
        $(impl Sum for $int { fn sum(self, other: Self) -> Self { self.wrapping_add(other) } })*
        $(impl Sum for $float { fn sum(self, other: Self) -> Self { Add::add(self, other) } })*
    };
}

sums!(wrapping: i8 i16 i32 i64 u8 u16 u32 u64; plain: half::f16 half::bf16 f32 f64 num_complex::Complex<f32> num_complex::Complex<f64>);

impl Sum for bool {
    fn sum(self, other: Self) -> Self {
        self | other
    }
}

/// The shape of the result, with the other arguments checked against it.
fn checked_shape(indices: &Tensor, updates: &Tensor, shape: &Tensor) -> Result<Shape> {
    if shape.rank() != 1 {
        return Err(invalid_argument("Shape must be a vector"));
    }
    for (name, t) in [("Indices", indices), ("Updates", updates)] {
        if t.rank() == 0 {
            return Err(invalid_argument(format!("{name} shape must have rank at least one. Found:{}", t.shape())));
        }
    }
    let shape = super::dims::shape_from(shape, "shape")?;
    let sizes = [shape.num_elements(), indices.num_elements(), updates.num_elements()];
    if sizes[1..] != [0, 0] && sizes.contains(&0) {
        return Err(invalid_argument("Indices and updates specified for empty output shape"));
    }
    let outer = indices.rank() - 1;
    let depth = indices.dims()[outer] as usize;
    if depth > shape.rank() {
        return Err(invalid_argument(format!(
            "The inner {depth} dimensions of output.shape={shape} must match the depth of indices.shape={}",
            indices.shape()
        )));
    }
    if updates.dims().get(..outer) != Some(&indices.dims()[..outer]) {
        return Err(invalid_argument(format!(
            "Dimensions [0,{outer}) of indices[shape={}] must match dimensions [0,{outer}) of updates[shape={}]",
            indices.shape(),
            updates.shape()
        )));
    }
    if updates.dims()[outer..] != shape.dims()[depth..] {
        return Err(invalid_argument(format!(
            "Dimensions [{depth},{}) of input[shape={shape}] must match dimensions [{outer},{}) of updates[shape={}]",
            shape.rank(),
            updates.rank(),
            updates.shape()
        )));
    }
    Ok(shape)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (indices, updates) = (ctx.input(0)?, ctx.input(1)?);
    let shape = checked_shape(indices, updates, ctx.input(2)?)?;
    let places = NdIndices::new(indices, shape.dims(), BadIndices::of(&ctx.node.attrs)?, |at, index| {
        format!("indices{at} = {index} does not index into shape {shape}")
    })?;
    let mut y = Tensor::zeros(updates.dtype(), shape)?;
    if updates.num_elements() > 0 {
        with_numeric_or_bool!(updates.dtype() => T, {
            add::<T>(&places, updates.as_slice()?, y.as_mut_slice()?);
        }, else {
            match updates.dtype() {
                DType::String => append(&places, updates.as_strings()?, y.make_mut_strings()?),
                other => return Err(unsupported("ScatterNd", other)),
            }
        });
    }
    ctx.set_output(0, y);
    Ok(())
}

fn add<T: Sum>(places: &NdIndices, updates: &[T], out: &mut [T]) {
    for (&slice, row) in places.slices.iter().zip(updates.chunks_exact(places.inner.max(1))) {
        if let Some(s) = slice {
            let place = &mut out[s * places.inner..(s + 1) * places.inner];
            place.iter_mut().zip(row).for_each(|(o, &u)| *o = o.sum(u));
        }
    }
}

/// The sum of strings is one behind the other.
fn append(places: &NdIndices, updates: &[Bytes], out: &mut [Bytes]) {
    for (&slice, row) in places.slices.iter().zip(updates.chunks_exact(places.inner.max(1))) {
        if let Some(s) = slice {
            for (o, u) in out[s * places.inner..(s + 1) * places.inner].iter_mut().zip(row) {
                let mut joined = BytesMut::from(&o[..]);
                joined.extend_from_slice(u);
                *o = joined.freeze();
            }
        }
    }
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(2)?;
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let updates = op.graph().op("GatherNd").inputs([grads.dense(0), op.input(0)]).output();
    Ok(vec![None, Some(updates.into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(dims: &[i64], indices: &[i32], updates: Tensor, shape: &[i32]) -> Result<Tensor> {
        OpTester::new(&OP).input(tensor(dims, indices)).input(updates).input(tensor(&[shape.len() as i64], shape)).run_one()
    }

    #[test]
    fn updates_of_one_place_add_up() {
        let y = scatter(&[3, 1], &[1, 0, 1], tensor(&[3], &[1f32, 2.0, 3.0]), &[3]).unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [2.0, 4.0, 0.0]);
        let y = scatter(&[1, 1], &[1], tensor(&[1, 2], &[200u8, 1]), &[2, 2]).unwrap();
        assert_eq!(y.as_slice::<u8>().unwrap(), [0, 0, 200, 1]);
        let y = scatter(&[2, 1], &[0, 0], strings(&[2], &["a", "b"]), &[1]).unwrap();
        assert_eq!(y.as_strings().unwrap(), ["ab"]);
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        let one = || tensor(&[1], &[1f32]);
        for (dims, indices, updates, shape) in [
            (&[1i64, 1][..], &[5i32][..], one(), &[3i32][..]),
            (&[1, 1], &[-1], one(), &[3]),
            (&[1, 1], &[0], tensor(&[1, 1], &[1f32]), &[3]),
            (&[1, 1], &[0], tensor(&[2], &[1f32, 2.0]), &[3]),
            (&[1, 1], &[0], one(), &[-1]),
            (&[1, 1], &[0], one(), &[0]),
            (&[], &[0], one(), &[3]),
            (&[1, 2], &[0, 0], one(), &[3]),
            (&[1, 1], &[0], Tensor::scalar(1f32), &[3]),
        ] {
            assert_eq!(scatter(dims, indices, updates, shape).unwrap_err().code(), Code::InvalidArgument, "{dims:?} {indices:?} {shape:?}");
        }
    }

    #[test]
    fn the_gradient_is_gathered() {
        check_gradient(&[tensor(&[3], &[1f64, 2.0, 3.0])], |g, x| {
            let indices = g.constant_tensor(tensor(&[3, 1], &[1i32, 0, 1]));
            g.op("ScatterNd").inputs([indices, x[0].clone(), g.constant_vector(&[4i32])]).build()
        });
    }
}
