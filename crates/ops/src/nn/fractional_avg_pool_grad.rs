//! `FractionalAvgPoolGrad`: the gradient of `FractionalAvgPool`.

use super::fractional::{Regions, told};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "FractionalAvgPoolGrad(orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64) -> (output: T)",
    attrs: "overlapping: bool = false; T: type in {float, double, int32, int64}",
    doc: "The gradient of the images: each of the result's in equal parts in its region, added up.",
    shape: |c| {
        let x = c.input_as_shape(0)?;
        c.set_output(0, x);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Float, DType::Double, DType::Int32, DType::Int64])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + AsPrimitive<f64>>(shape: Shape, dy: &Tensor, regions: &Regions) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let dims: [usize; 4] = std::array::from_fn(|i| shape.dim(i));
    let depth = dims[3];
    let dy = dy.as_slice::<T>()?;
    let mut sum = crate::sparse::coo::filled(shape.num_elements(), 0f64)?;
    regions.each([dims[0], dims[1], dims[2]], |place, region| {
        for d in 0..depth {
            let part = AsPrimitive::<f64>::as_(dy[place * depth + d]) / region.len().max(1) as f64;
            region.iter().for_each(|p| sum[p * depth + d] += part);
        }
    });
    Tensor::from_slice(shape, &sum.iter().map(|s| s.as_()).collect::<Vec<T>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (shape, dy) = (ctx.input(0)?, ctx.input(1)?);
    let (&[batch, rows, columns, depth], 1) = (shape.as_slice::<i64>()?, shape.rank()) else {
        return Err(invalid_argument("original input tensor shape must be 1-dimensional and 4 elements"));
    };
    for (name, n) in [("Rows", rows), ("Columns", columns)] {
        if n == 0 {
            return Err(invalid_argument(format!("{name} dimension of input must not be 0")));
        }
    }
    let shape = Shape::new(&[batch, rows, columns, depth])?;
    let regions = told(ctx, 2, dy)?;
    if dy.dims()[0] != batch || dy.dims()[3] != depth {
        return Err(invalid_argument(format!("out_backprop of shape {} does not fit images of shape {shape}", dy.shape())));
    }
    let dx = ferroflow_tensor::dispatch!(dy.dtype(), [f32, f64, i32, i64] => T, { spread::<T>(shape, dy, &regions)? },
        else { return Err(unsupported("FractionalAvgPoolGrad", dy.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}
