//! `Betainc`: the regularized incomplete beta integral, element by element.

use super::special::betainc;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Betainc(a: T, b: T, x: T) -> (z: T)",
    attrs: "T: type in {float, double}",
    doc: "z = the integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by that from 0 to 1. Scalars go with any shape.",
    shape,
    gradient: Gradient::Of(super::special_gradients::betainc),
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let inputs = [ctx.input(0)?, ctx.input(1)?, ctx.input(2)?];
    let shape = inputs.iter().find(|t| t.rank() > 0).map_or_else(Shape::scalar, |t| t.shape().clone());
    if let Some(other) = inputs.iter().find(|t| t.rank() > 0 && *t.shape() != shape) {
        return Err(invalid_argument(format!("Shapes of a, b and x are inconsistent: {shape} and {}", other.shape())));
    }
    let doubles = |t: &Tensor| -> Result<Vec<f64>> {
        Ok(match t.dtype() {
            DType::Float => t.as_slice::<f32>()?.iter().map(|&x| x.into()).collect(),
            _ => t.as_slice::<f64>()?.to_vec(),
        })
    };
    let [a, b, x] = [doubles(inputs[0])?, doubles(inputs[1])?, doubles(inputs[2])?];
    let at = |v: &[f64], i: usize| v.get(i).or(v.first()).copied().unwrap_or(f64::NAN);
    let z: Vec<f64> = (0..shape.num_elements()).map(|i| betainc(at(&a, i), at(&b, i), at(&x, i))).collect();
    let z = match inputs[0].dtype() {
        DType::Float => Tensor::from_slice(shape, &z.iter().map(|&z| z as f32).collect::<Vec<_>>())?,
        _ => Tensor::from_slice(shape, &z)?,
    };
    ctx.set_output(0, z);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let mut known = PartialShape::scalar();
    for i in 0..3 {
        let s = c.input(i);
        match (s.rank(), known.rank()) {
            (Some(0), _) => {}
            (_, Some(0)) => known = s,
            _ => known = known.merge(&s)?,
        }
    }
    c.set_output(0, known);
    Ok(())
}
