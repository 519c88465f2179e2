//! `DynamicPartition`: slices sorted into several tensors.

use super::dims::{product, shape_of};
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DynamicPartition(data: T, partitions: int32) -> (outputs: num_partitions * T)",
    attrs: "num_partitions: int >= 1; T: type",
    doc: "`outputs[p]` holds the slices `data[i, ...]` with `partitions[i] = p`, in order.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Sorting<'a> {
    /// The slices to take.
    slices: &'a [usize],
    inner: usize,
}

impl Rearrange for Sorting<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        for (place, &s) in out.chunks_exact_mut(self.inner.max(1)).zip(self.slices) {
            place.clone_from_slice(&inputs[0][s * self.inner..(s + 1) * self.inner]);
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (data, partitions) = (ctx.input(0)?.clone(), ctx.input(1)?);
    if data.dims().get(..partitions.rank()) != Some(partitions.dims()) {
        return Err(invalid_argument(format!(
            "data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
            data.shape(),
            partitions.shape()
        )));
    }
    let num = ctx.node.output_types.len();
    let mut sorted: Vec<Vec<usize>> = vec![vec![]; num];
    for (i, &p) in partitions.as_slice::<i32>()?.iter().enumerate() {
        match usize::try_from(p).ok().and_then(|p| sorted.get_mut(p)) {
            Some(part) => part.push(i),
            None => return Err(invalid_argument(format!("partitions[{i}] = {p} is not in [0, {num})"))),
        }
    }
    let suffix = data.dims()[partitions.rank()..].to_vec();
    for (p, slices) in sorted.iter().enumerate() {
        let shape = Shape::new(&[&[slices.len() as i64], &suffix[..]].concat())?;
        let y = rearrange(&[&data], shape, &Sorting { slices, inner: product(&suffix) })?;
        ctx.set_output(p, y);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (data, partitions) = (c.input(0), c.input(1));
    let (Some(d), Some(rank)) = (data.dims(), partitions.rank()) else { return Ok(()) };
    let Some(suffix) = d.get(rank..) else {
        return Err(invalid_argument(format!("data.shape {data} must start with partitions.shape {partitions}")));
    };
    let s = PartialShape::new(&[&[None], suffix].concat());
    for i in 0..c.node().output_types.len() {
        c.set_output(i, s.clone());
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    // Where each slice went, to bring the gradients back in the order of the slices.
    let g = op.graph();
    let (data, partitions) = (op.input(0), op.input(1));
    let count = g.op("Size").input(&partitions).output();
    let numbers = g.op("Range").inputs([g.constant(0i32), count, g.constant(1i32)]).output();
    let numbers = g.op("Reshape").inputs([numbers, shape_of(&partitions)]).output();
    let num = op.num_outputs();
    let places = g.op("DynamicPartition").inputs([numbers, partitions]).attr("num_partitions", num).build().outputs();
    let stitched = g.op("DynamicStitch").input_list(places).input_list((0..num).map(|i| grads.dense(i))).output();
    Ok(vec![Some(g.op("Reshape").inputs([stitched, shape_of(&data)]).output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(data: Tensor, partitions: Tensor, num: i64) -> Result<Vec<Tensor>> {
        OpTester::new(&OP).input(data).input(partitions).attr("num_partitions", num).run()
    }

    #[test]
    fn slices_keep_their_order() {
        let y = partition(tensor(&[3, 1], &[1f32, 2.0, 3.0]), tensor(&[3], &[1i32, 0, 1]), 3).unwrap();
        assert_eq!(y[0].as_slice::<f32>().unwrap(), [2.0]);
        assert_eq!((y[1].dims(), y[1].as_slice::<f32>().unwrap()), (&[2i64, 1][..], &[1.0, 3.0][..]));
        assert_eq!(y[2].dims(), [0, 1]);
    }

    #[test]
    fn partitions_that_do_not_fit_are_refused() {
        let e = partition(tensor(&[2], &[1f32, 2.0]), tensor(&[2], &[0i32, 3]), 3).unwrap_err();
        assert_eq!(e.bare_message(), "partitions[1] = 3 is not in [0, 3)");
        assert_eq!(partition(tensor(&[2], &[1f32, 2.0]), tensor(&[1], &[0i32]), 1).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(partition(Tensor::scalar(1f32), tensor(&[1], &[-1i32]), 1).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_comes_back_in_order() {
        check_gradient(&[tensor(&[3, 1], &[1f64, 2.0, 3.0])], |g, x| {
            g.op("DynamicPartition").inputs([x[0].clone(), g.constant_vector(&[1i32, 0, 1])]).attr("num_partitions", 2i64).build()
        });
    }
}
