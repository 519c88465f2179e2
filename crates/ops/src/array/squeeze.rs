//! `Squeeze`: dimensions of length 1 removed.

use super::dims::reshape_like;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Squeeze(input: T) -> (output: T)",
    attrs: "T: type; squeeze_dims: list(int) >= 0 = []",
    doc: "The same elements without the dimensions `squeeze_dims`, which must be of length 1; by default without all of that length.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

/// Which dimensions are to go, by axis.
fn doomed(wanted: &[i64], rank: usize) -> Result<Vec<bool>> {
    let mut doomed = vec![false; rank];
    let r = rank as i64;
    for &d in wanted {
        if !(-r..r).contains(&d) {
            return Err(invalid_argument(format!("Tried to squeeze dim index {d} for tensor with {rank} dimensions.")));
        }
        doomed[(if d < 0 { d + r } else { d }) as usize] = true;
    }
    Ok(doomed)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let wanted = ctx.node.attrs.ints("squeeze_dims")?;
    let doomed = doomed(wanted, x.rank())?;
    let mut dims = Vec::with_capacity(x.rank());
    for (axis, (&d, &goes)) in x.dims().iter().zip(&doomed).enumerate() {
        if goes && d != 1 {
            return Err(invalid_argument(format!("Can not squeeze dim[{axis}], expected a dimension of 1, got {d}")));
        }
        if !(goes || wanted.is_empty() && d == 1) {
            dims.push(d);
        }
    }
    let y = ctx.take_input(0)?.reshaped(Shape::new(&dims)?)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input(0);
    let Some(dims) = s.dims() else { return Ok(()) };
    let wanted = c.node().attrs.ints("squeeze_dims")?;
    if wanted.is_empty() && dims.iter().any(|d| d.is_none()) {
        return Ok(());
    }
    let doomed = doomed(wanted, dims.len())?;
    let mut left = Vec::new();
    for (axis, (&d, &goes)) in dims.iter().zip(&doomed).enumerate() {
        match d {
            Some(n) if goes && n != 1 => {
                return Err(invalid_argument(format!("Can not squeeze dim[{axis}], expected a dimension of 1, got {n}")));
            }
            _ if goes => {}
            Some(1) if wanted.is_empty() => {}
            d => left.push(d),
        }
    }
    c.set_output(0, PartialShape::new(&left));
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(reshape_like(&grads.dense(0), &op.input(0)).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeeze(dims: &[i64], which: &[i64]) -> Result<Vec<i64>> {
        let x = Tensor::zeros(DType::Float, Shape::new(dims)?)?;
        Ok(OpTester::new(&OP).input(x).attr("squeeze_dims", which).run_one()?.dims().to_vec())
    }

    #[test]
    fn only_dimensions_of_length_one_go() {
        assert_eq!(squeeze(&[1, 3, 1], &[]).unwrap(), [3]);
        assert_eq!(squeeze(&[1, 3, 1], &[-1]).unwrap(), [1, 3]);
        assert_eq!(squeeze(&[1, 0, 1], &[0, 2]).unwrap(), [0]);
        assert_eq!(squeeze(&[1, 1], &[]).unwrap(), [0i64; 0]);
        assert_eq!(squeeze(&[1, 3], &[1]).unwrap_err().bare_message(), "Can not squeeze dim[1], expected a dimension of 1, got 3");
        assert_eq!(squeeze(&[2, 1], &[5]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_takes_the_inputs_shape() {
        check_gradient(&[tensor(&[1, 2], &[1f64, 2.0])], |g, x| g.op("Squeeze").input(&x[0]).attr("squeeze_dims", vec![0i64]).build());
    }
}
