//! `SetSize`: the number of elements of each set.

use super::sets::{SET_TYPES, Sets};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SetSize(set_indices: int64, set_values: T, set_shape: int64) -> (size: int32)",
    attrs: "validate_indices: bool = true; T: type in {int8, int16, int32, int64, uint8, uint16, string}",
    doc: "For each set along the last dimension of a sparse tensor, how many different elements it has.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", SET_TYPES)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let sets = Sets::sparse(ctx, 0)?;
    let shape = Shape::new(&sets.outer)?;
    let mut y = Tensor::zeros(DType::Int32, shape)?;
    let out = y.make_mut::<i32>()?;
    for (at, set) in &sets.sets {
        let place = at.iter().zip(&sets.outer).fold(0, |p, (&c, &d)| p * d as usize + c as usize);
        out[place] = i32::try_from(set.len()).unwrap_or(i32::MAX);
    }
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some(n) = c.with_rank(2, 1)?.dim(0).and_then(|n| usize::try_from(n).ok()) {
        c.set_output(0, PartialShape::of_rank(n.saturating_sub(1)));
    }
    Ok(())
}
