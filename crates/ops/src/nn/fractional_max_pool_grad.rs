//! `FractionalMaxPoolGrad`: the gradient of `FractionalMaxPool`.

use super::fractional::{Regions, told};
use crate::prelude::*;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "FractionalMaxPoolGrad(orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64) -> (output: T)",
    attrs: "overlapping: bool = false; T: type in {float, double, int32, int64}",
    doc: "The gradient of the images: each of the result's at the first of the greatest numbers of its region, added up.",
    shape: |c| {
        let x = c.with_rank(0, 4)?;
        c.set_output(0, x);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Float, DType::Double, DType::Int32, DType::Int64])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// `add` wraps around for integers.
fn spread<T: Element + PartialOrd + Default>(x: &Tensor, y: &Tensor, dy: &Tensor, regions: &Regions, add: fn(T, T) -> T) -> Result<Tensor> {
    let dims: [usize; 4] = std::array::from_fn(|i| x.shape().dim(i));
    let depth = dims[3];
    let (x_, y_, dy_) = (x.as_slice::<T>()?, y.as_slice::<T>()?, dy.as_slice::<T>()?);
    let mut is_same = true;
    let dx = Tensor::build(x.shape().clone(), |dx: &mut [T]| {
        dx.fill(T::default());
        regions.each([dims[0], dims[1], dims[2]], |place, region| {
            for d in 0..depth {
                let at = |p: usize| p * depth + d;
                let best = region.iter().copied().reduce(|best, p| if x_[at(p)] > x_[at(best)] { p } else { best });
                match best.map(at) {
                    Some(best) if x_[best] == y_[at(place)] => dx[best] = add(dx[best], dy_[at(place)]),
                    _ => is_same = false,
                }
            }
        });
        Ok(())
    })?;
    if is_same { Ok(dx) } else { Err(invalid_argument("tensor_out_dup is not the same as tensor_out")) }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, y, dy) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    for (name, t) in [("orig_input", x), ("orig_output", y), ("out_backprop", dy)] {
        if t.rank() != 4 {
            return Err(invalid_argument(format!("{name} must be 4-dimensional, got shape {}", t.shape())));
        }
    }
    for (i, name) in [(3, "row_pooling_sequence"), (4, "col_pooling_sequence")] {
        if ctx.input(i)?.rank() != 1 {
            return Err(invalid_argument(format!("{name} must be a vector, received shape {}", ctx.input(i)?.shape())));
        }
    }
    if y.shape() != dy.shape() || x.dims()[0] != y.dims()[0] || x.dims()[3] != y.dims()[3] {
        return Err(invalid_argument(format!("Expected out_backprop shape to be {}, but got {}", y.shape(), dy.shape())));
    }
    let regions = told(ctx, 3, dy)?;
    let dx = match x.dtype() {
        DType::Float => spread::<f32>(x, y, dy, &regions, |a, b| a + b)?,
        DType::Double => spread::<f64>(x, y, dy, &regions, |a, b| a + b)?,
        DType::Int32 => spread::<i32>(x, y, dy, &regions, i32::wrapping_add)?,
        DType::Int64 => spread::<i64>(x, y, dy, &regions, i64::wrapping_add)?,
        other => return Err(unsupported("FractionalMaxPoolGrad", other)),
    };
    ctx.set_output(0, dx);
    Ok(())
}
