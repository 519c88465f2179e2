//! `Reshape`: the same elements under another shape.

use super::dims::reshape_like;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Reshape(tensor: T, shape: Tshape) -> (output: T)",
    attrs: "T: type; Tshape: type in {int32, int64} = int32",
    doc: "The elements of `tensor` in row-major order under `shape`; one dimension may be -1 and follows from the others.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let sizes = ctx.input(1)?;
    // A scalar is taken too, as TF does.
    if sizes.rank() > 1 {
        return Err(invalid_argument(format!("sizes input must be 1-D, not {}", sizes.shape())));
    }
    let n = ctx.input(0)?.num_elements();
    let shape = target(&sizes.to_i64s()?, ctx.input(0)?.shape())?;
    if shape.num_elements() != n {
        return Err(invalid_argument(format!(
            "Input to reshape is a tensor with {n} values, but the requested shape has {}",
            shape.num_elements()
        )));
    }
    let y = ctx.take_input(0)?.reshaped(shape)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The shape with its −1, if any, made up for.
fn target(sizes: &[i64], input: &Shape) -> Result<Shape> {
    let n = input.num_elements();
    let mut dims: Vec<i64> = sizes.to_vec();
    let mut missing: Option<usize> = None;
    for (i, &d) in sizes.iter().enumerate() {
        match (d, missing) {
            (-1, None) => missing = Some(i),
            (-1, Some(first)) => {
                return Err(invalid_argument(format!("Only one input size may be -1, not both {first} and {i}")));
            }
            (..-1, _) => return Err(invalid_argument(format!("Size {i} must be non-negative, not {d}"))),
            _ => {}
        }
    }
    if let Some(i) = missing {
        dims[i] = 1;
    }
    let too_large = |_| {
        let dims: Vec<String> = sizes.iter().map(i64::to_string).collect();
        invalid_argument(format!("Shape [{}] has too many elements", dims.join(", ")))
    };
    let known = Shape::new(&dims).map_err(too_large)?;
    let Some(i) = missing else { return Ok(known) };
    // Where a zero is asked for, zeros of the input count as asked for, and −1 follows from the other dimensions.
    let zeros = known.num_elements() == 0;
    let nonzero = |dims: &[i64]| dims.iter().filter(|&&d| d > 0).product::<i64>() as usize;
    let (n, known) = if zeros { (nonzero(input.dims()), nonzero(&dims)) } else { (n, known.num_elements()) };
    let may_be_less = zeros && input.num_elements() == 0;
    if n % known != 0 && !may_be_less {
        return Err(invalid_argument(format!(
            "Input to reshape is a tensor with {n} values, but the requested shape requires a multiple of {known}"
        )));
    }
    dims[i] = (n / known) as i64;
    Shape::new(&dims)
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let wanted = c.input_as_shape(1)?;
    let input = c.input(0).to_shape();
    let count = input.as_ref().map(|s| s.num_elements());
    let wanted = match (c.constant(1), &input) {
        (Some(t), Some(input)) => target(&t.to_i64s()?, input)?.into(),
        _ => wanted,
    };
    if let (Some(have), Some(want)) = (count, wanted.to_shape())
        && have != want.num_elements()
    {
        return Err(invalid_argument(format!(
            "Cannot reshape a tensor with {have} elements to shape {want} ({} elements)",
            want.num_elements()
        )));
    }
    c.set_output(0, wanted);
    let handle = c.input_handle(0);
    c.set_output_handle(0, handle);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(reshape_like(&grads.dense(0), &op.input(0)).into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reshape(x: Tensor, sizes: &[i32]) -> Result<Tensor> {
        OpTester::new(&OP).input(x).input(tensor(&[sizes.len() as i64], sizes)).run_one()
    }

    fn six() -> Tensor {
        tensor(&[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])
    }

    #[test]
    fn memory_is_shared() {
        let x = six();
        let y = reshape(x.clone(), &[3, -1]).unwrap();
        assert_eq!(y.dims(), [3, 2]);
        assert_eq!(x.as_slice::<f32>().unwrap().as_ptr(), y.as_slice::<f32>().unwrap().as_ptr());
    }

    #[test]
    fn a_missing_dimension_of_an_empty_tensor_is_zero() {
        assert_eq!(reshape(tensor::<f32>(&[0, 3], &[]), &[-1, 3]).unwrap().dims(), [0, 3]);
        assert_eq!(reshape(tensor::<f32>(&[0, 3], &[]), &[0, -1]).unwrap().dims(), [0, 3]);
        assert_eq!(reshape(tensor::<f32>(&[0], &[]), &[0, -1]).unwrap().dims(), [0, 1]);
        assert_eq!(reshape(tensor::<f32>(&[0], &[]), &[2, -1, 0]).unwrap().dims(), [2, 0, 0]);
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        for sizes in [&[5][..], &[-1, -1], &[-1, 4], &[-2, 3], &[1 << 20, 1 << 20, 1 << 20, 1 << 20], &[0, -1]] {
            assert_eq!(reshape(six(), sizes).unwrap_err().code(), Code::InvalidArgument, "{sizes:?}");
        }
        assert_eq!(OpTester::new(&OP).input(six()).input(tensor(&[1, 1], &[6i32])).run().unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_takes_the_inputs_shape() {
        check_gradient(&[tensor(&[2, 2], &[1f64, 2.0, 3.0, 4.0])], |g, x| {
            g.op("Reshape").input(&x[0]).input(g.constant_vector(&[4i32])).build()
        });
    }
}
