//! Gradients of the Fourier transforms of real numbers, and of their inverses (TF: `_rfft_grad_helper`, `_irfft_grad_helper`).

use super::backward::apply;
use crate::prelude::*;

/// The elements of a vector from `begin` on, or up to `end`.
fn part(x: &Output, begin: i32, end: Option<i32>) -> Output {
    let graph = x.graph();
    let bounds = [&[begin], &[end.unwrap_or(0)], &[1]].map(|b| graph.constant_vector(b));
    graph.op("StridedSlice").input(x).inputs(bounds).attr("end_mask", i64::from(end.is_none())).output()
}

fn shape_of(x: &Output) -> Output {
    x.graph().op("Shape").input(x).output()
}

fn cast(x: &Output, to: DType) -> Output {
    x.graph().op("Cast").input(x).attr("DstT", to).output()
}

/// `x` with zeros behind it along each dimension, up to this shape.
fn padded(x: &Output, shape: &Output) -> Output {
    let missing = apply("Sub", &[shape, &shape_of(x)]);
    let none = apply("ZerosLike", &[&missing]);
    let paddings = x.graph().op("Pack").input_list(vec![none, missing]).attr("axis", 1i64).output();
    apply("Pad", &[x, &paddings])
}

/// The number of elements that a transform of these lengths runs over.
fn size(lengths: &Output, dtype: DType) -> Output {
    cast(&apply("Prod", &[lengths, &lengths.graph().constant_vector(&[0i32])]), dtype)
}

/// Of `RFFT`: the real part of the inverse of the incoming gradient, to which the frequencies that were left out add nothing.
///
/// Errors: none.
pub(super) fn real_gradient<const RANK: usize>(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, lengths, dy) = (op.input(0), op.input(1), grads.dense(0));
    let graph = x.graph();
    let whole = graph.op("ConcatV2").input_list(vec![part(&shape_of(&dy), 0, Some(-1)), part(&lengths, -1, None)]);
    let whole = whole.input(graph.constant(0i32)).output();
    let inverse = apply(if RANK == 1 { "IFFT" } else { "IFFT2D" }, &[&padded(&dy, &whole)]);
    let real = graph.op("Real").input(inverse).attr("Tout", x.dtype()).output();
    let dx = apply("Mul", &[&real, &size(&lengths, x.dtype())]);
    // What of x is longer than the transform was not looked at.
    Ok(vec![Some(padded(&dx, &shape_of(&x)).into()), None])
}

/// Of `IRFFT`: the transform of the incoming gradient, where frequencies that stand for two count twice.
///
/// Errors: none.
pub(super) fn inverse_gradient<const RANK: usize>(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, lengths, dy) = (op.input(0), op.input(1), grads.dense(0));
    let graph = x.graph();
    let transform = graph.op(if RANK == 1 { "RFFT" } else { "RFFT2D" }).inputs([dy.clone(), lengths.clone()]);
    let spectrum = transform.attr("Tcomplex", x.dtype()).output();
    let n = part(&lengths, -1, None);
    let (one, two) = (graph.constant_vector(&[1i32]), graph.constant_vector(&[2i32]));
    let kept = apply("AddV2", &[&apply("FloorDiv", &[&n, &two]), &one]);
    let doubled = apply("Sub", &[&n, &kept]);
    // The middle frequency of an even length stands for itself.
    let single = apply("Sub", &[&apply("Sub", &[&kept, &doubled]), &one]);
    let times = |count: &Output, value: f64| apply("Fill", &[count, &graph.constant_of_type(dy.dtype(), value)]);
    let weights = graph.op("ConcatV2").input_list(vec![times(&one, 1.0), times(&doubled, 2.0), times(&single, 1.0)]);
    let weights = weights.input(graph.constant(0i32)).output();
    let weights = apply("RealDiv", &[&weights, &size(&lengths, dy.dtype())]);
    let dx = apply("Mul", &[&spectrum, &cast(&weights, x.dtype())]);
    Ok(vec![Some(padded(&dx, &shape_of(&x)).into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_gradient_through;

    fn x(dims: &[i64]) -> Tensor {
        let n = dims.iter().product::<i64>();
        tensor(dims, &(0..n).map(|i| (i as f64 * 0.618).fract() - 0.4).collect::<Vec<_>>())
    }

    fn part(x: &Output, which: &str) -> Output {
        x.graph().op(which).input(x).attr("Tout", DType::Double).output()
    }

    #[test]
    fn those_of_transforms_agree_with_differences() {
        for (dims, lengths) in
            [(&[2i64, 5][..], &[5i32][..]), (&[6], &[6]), (&[2, 7], &[4]), (&[1], &[1]), (&[3, 4], &[3, 4]), (&[2, 4, 6], &[3, 5])]
        {
            let op = if lengths.len() == 1 { "RFFT" } else { "RFFT2D" };
            check_gradient_through(&[x(dims)], |graph, inputs| {
                let node = graph.op(op).inputs([inputs[0].clone(), graph.constant_vector(lengths)]).attr("Tcomplex", DType::Complex128);
                let y = node.output();
                graph.op("Mul").inputs([part(&y, "Real"), graph.op("AddV2").inputs([part(&y, "Imag"), part(&y, "Real")]).output()]).build()
            });
        }
    }

    #[test]
    fn those_of_inverses_agree_with_differences() {
        for (dims, lengths) in
            [(&[2i64, 3][..], &[5i32][..]), (&[4], &[6]), (&[2, 5], &[4]), (&[1], &[1]), (&[3, 3], &[3, 4]), (&[2, 4, 4], &[3, 5])]
        {
            let op = if lengths.len() == 1 { "IRFFT" } else { "IRFFT2D" };
            let reversed: Vec<f64> = x(dims).as_slice::<f64>().unwrap().iter().map(|v| v * v - 0.1).collect();
            check_gradient_through(&[x(dims), tensor(dims, &reversed)], |graph, inputs| {
                let z = graph.op("Complex").inputs(inputs.to_vec()).attr("Tout", DType::Complex128).output();
                graph.op(op).inputs([z, graph.constant_vector(lengths)]).attr("Treal", DType::Double).build()
            });
        }
    }
}
