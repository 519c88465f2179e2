//! `SoftmaxCrossEntropyWithLogits`: the cross entropy of the softmax with labels that are distributions.

use super::cross_entropy::features_gradient;
use crate::math::backward::apply;
use crate::math::broadcasting::{for_each_pair, plan};
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::softmax_cross_entropy;

pub const OP: OpSpec = OpSpec {
    signature: "SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "loss[b] = -sum(labels[b, :] logsoftmax(features[b, :])), backprop = softmax(features) - labels, for features and labels [batch, classes], broadcast against each other.",
    shape: entropy_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// A matrix repeated until it has this shape.
fn repeated(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    if x.shape() == shape {
        return Ok(x.clone());
    }
    let (plan, _) = plan(x.shape(), shape)?;
    let mut out = Tensor::for_overwrite(x.dtype(), shape.clone())?;
    with_float!(x.dtype() => T, {
        let (from, to) = (x.as_slice::<T>()?, out.as_mut_slice::<T>()?);
        for_each_pair(&plan, |l, _, o| to[o] = from[l]);
    }, else { return Err(unsupported("SoftmaxCrossEntropyWithLogits", x.dtype())) });
    Ok(out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (features, labels) = (ctx.input(0)?, ctx.input(1)?);
    let shape = Shape::broadcast(features.shape(), labels.shape()).map_err(|_| {
        invalid_argument(format!(
            "logits and labels must be broadcastable: logits_size={} labels_size={}",
            features.shape(),
            labels.shape()
        ))
    })?;
    if shape.rank() != 2 {
        return Err(invalid_argument("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"));
    }
    let (rows, classes) = (shape.dim(0), shape.dim(1));
    let (features, labels) = (repeated(features, &shape)?, repeated(labels, &shape)?);
    let mut loss = Tensor::for_overwrite(features.dtype(), Shape::from_lens(&[rows])?)?;
    let mut backprop = Tensor::for_overwrite(features.dtype(), shape)?;
    with_float!(features.dtype() => T, {
        let (features, labels) = (features.as_slice::<T>()?, labels.as_slice::<T>()?);
        softmax_cross_entropy(&pool(ctx.step), features, labels, classes, loss.as_mut_slice()?, backprop.as_mut_slice()?);
    }, else { return Err(unsupported("SoftmaxCrossEntropyWithLogits", features.dtype())) });
    ctx.set_output(0, loss);
    ctx.set_output(1, backprop);
    Ok(())
}

fn entropy_shape(c: &mut ShapeContext) -> Result<()> {
    let s = shape::broadcast_shapes(&c.input(0), &c.input(1))?;
    let s = if s.rank().is_none() { PartialShape::of_rank(2) } else { s };
    if s.rank() != Some(2) {
        return Err(invalid_argument("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"));
    }
    c.set_output(0, PartialShape::new(&[s.dim(0)]));
    c.set_output(1, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (features, labels) = (op.input(0), op.input(1));
    let by_row = apply("ExpandDims", &[&grads.dense(0), &op.graph().constant(-1i32)]);
    let dx = features_gradient(op, grads);
    let mut dl = by_row * -apply("LogSoftmax", &[&features]);
    if let Some(second) = grads.get(1) {
        dl = dl - second.to_dense();
    }
    Ok(crate::math::backward::reduced(&features, &labels, &op.output(1), dx, dl))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_and_gradient_are_those_of_the_definition() {
        let out = OpTester::new(&OP).input(tensor(&[1, 2], &[0f64, 0.0])).input(tensor(&[1, 2], &[1f64, 0.0])).run().unwrap();
        assert!((out[0].as_slice::<f64>().unwrap()[0] - 2f64.ln()).abs() < 1e-12);
        assert_eq!(out[1].as_slice::<f64>().unwrap(), [-0.5, 0.5]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let run = |a: &[i64], b: &[i64]| {
            let zeros = |d: &[i64]| Tensor::zeros(DType::Float, Shape::new(d).unwrap()).unwrap();
            OpTester::new(&OP).input(zeros(a)).input(zeros(b)).run()
        };
        assert_eq!(
            run(&[1, 2], &[1, 3]).unwrap_err().bare_message(),
            "logits and labels must be broadcastable: logits_size=[1,2] labels_size=[1,3]"
        );
        assert!(run(&[2], &[2]).is_err());
        assert_eq!(run(&[2, 0], &[2, 0]).unwrap()[0].dims(), [2]);
    }
}
