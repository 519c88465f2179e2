//! `SparseSoftmaxCrossEntropyWithLogits`: the cross entropy of the softmax with labels that are class numbers.

use super::cross_entropy::features_gradient;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::sparse_softmax_cross_entropy;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> (loss: T, backprop: T)",
    attrs: "T: type in {half, bfloat16, float, double}; Tlabels: type in {int32, int64} = int64",
    doc: "loss[b] = -logsoftmax(features[b, :])[labels[b]], backprop = its gradient by the features, for features [batch, classes] and labels [batch].",
    shape: entropy_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (logits, labels) = (ctx.input(0)?, ctx.input(1)?);
    let (x, l) = (logits.shape(), labels.shape());
    if x.rank() != 2 {
        return Err(invalid_argument(format!("logits must be 2-D, but got shape {x}")));
    }
    if l.rank() != 1 {
        return Err(invalid_argument(format!("labels must be 1-D, but got shape {l}")));
    }
    let (rows, classes) = (x.dim(0), x.dim(1));
    if l.dim(0) != rows {
        return Err(invalid_argument(format!(
            "logits and labels must have the same first dimension, got logits shape {x} and labels shape {l}"
        )));
    }
    if classes == 0 {
        return Err(invalid_argument(format!("Must have at least one class, but got logits shape {x}")));
    }
    let labels = labels.to_i64s()?;
    let mut loss = Tensor::for_overwrite(logits.dtype(), l.clone())?;
    let mut backprop = Tensor::for_overwrite(logits.dtype(), x.clone())?;
    with_float!(logits.dtype() => T, {
        let (loss, backprop) = (loss.as_mut_slice::<T>()?, backprop.as_mut_slice()?);
        sparse_softmax_cross_entropy(&pool(ctx.step), logits.as_slice()?, &labels, classes, loss, backprop).map_err(|label| {
            let all: Vec<String> = labels.iter().take(100).map(|l| l.to_string()).collect();
            invalid_argument(format!(
                "Received a label value of {label} which is outside the valid range of [0, {classes}).  Label values: {}",
                all.join(" ")
            ))
        })?;
    }, else { return Err(unsupported("SparseSoftmaxCrossEntropyWithLogits", logits.dtype())) });
    ctx.set_output(0, loss);
    ctx.set_output(1, backprop);
    Ok(())
}

fn entropy_shape(c: &mut ShapeContext) -> Result<()> {
    let (features, labels) = (c.with_rank(0, 2)?, c.with_rank(1, 1)?);
    let rows = PartialShape::new(&[features.dim(0)]).merge(&labels)?;
    c.set_output(1, PartialShape::new(&[rows.dim(0), features.dim(1)]));
    c.set_output(0, rows);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(features_gradient(op, grads).into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_outside_the_classes_is_refused() {
        let run = |labels: &[i32]| OpTester::new(&OP).input(tensor(&[2, 4], &[0f32; 8])).input(tensor(&[2], labels)).run();
        assert_eq!(
            run(&[0, 4]).unwrap_err().bare_message(),
            "Received a label value of 4 which is outside the valid range of [0, 4).  Label values: 0 4"
        );
        assert!(run(&[-1, 0]).is_err());
        assert!((run(&[3, 0]).unwrap()[0].as_slice::<f32>().unwrap()[1] - 4f32.ln()).abs() < 1e-6);
    }
}
