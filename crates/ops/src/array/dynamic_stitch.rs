//! `DynamicStitch`: slices put where indices say.

use super::dims::product;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DynamicStitch(indices: N * int32, data: N * T) -> (merged: T)",
    attrs: "N: int >= 1; T: type",
    doc: "`merged[indices[m][i, ...]] = data[m][i, ...]`; the last one wins where indices repeat.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

struct Stitching {
    /// For each data tensor the rows of the result that its slices go to.
    places: Vec<Vec<usize>>,
    inner: usize,
}

impl Rearrange for Stitching {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let Some((zero, data)) = inputs.split_first() else { return Ok(()) };
        out.fill(zero[0].clone());
        for (places, slices) in self.places.iter().zip(data) {
            for (k, &place) in places.iter().enumerate() {
                let from = &slices[k * self.inner..(k + 1) * self.inner];
                out[place * self.inner..(place + 1) * self.inner].clone_from_slice(from);
            }
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let n = ctx.num_inputs() / 2;
    let indices: Vec<&Tensor> = (0..n).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    let data: Vec<&Tensor> = (n..2 * n).map(|i| ctx.input(i)).collect::<Result<_>>()?;
    for (m, (i, d)) in indices.iter().zip(&data).enumerate() {
        if d.dims().get(..i.rank()) != Some(i.dims()) {
            return Err(invalid_argument(format!(
                "data[{m}].shape = {} does not start with indices[{m}].shape = {}",
                d.shape(),
                i.shape()
            )));
        }
        if d.dims()[i.rank()..] != data[0].dims()[indices[0].rank()..] {
            return Err(invalid_argument(format!(
                "Need data[0].shape[{}:] = data[{m}].shape[{}:], got data[0].shape = {}, data[{m}].shape = {}, indices[0].shape = {}, \
                 indices[{m}].shape = {}",
                indices[0].rank(),
                i.rank(),
                data[0].shape(),
                d.shape(),
                indices[0].shape(),
                i.shape()
            )));
        }
    }
    let mut rows = 0usize;
    let mut places = Vec::with_capacity(n);
    for (m, i) in indices.iter().enumerate() {
        let bad = |_| invalid_argument(format!("indices[{m}] is out of range"));
        let own: Vec<usize> = i.as_slice::<i32>()?.iter().map(|&v| usize::try_from(v)).collect::<Result<_, _>>().map_err(bad)?;
        rows = own.iter().map(|p| p + 1).max().unwrap_or(0).max(rows);
        places.push(own);
    }
    let suffix = &data[0].dims()[indices[0].rank()..];
    let shape = Shape::new(&[&[rows as i64], suffix].concat())?;
    let zero = Tensor::zeros(data[0].dtype(), Shape::scalar())?;
    let sources: Vec<&Tensor> = std::iter::once(&zero).chain(data.iter().copied()).collect();
    let y = rearrange(&sources, shape, &Stitching { places, inner: product(suffix) })?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let n = c.num_inputs() / 2;
    let mut rows = Some(0i64);
    let mut suffix = PartialShape::unknown();
    for m in 0..n {
        let (i, d) = (c.input(m), c.input(n + m));
        rows = match c.constant(m) {
            Some(t) => rows.map(|r| t.to_i64s().ok().and_then(|v| v.iter().max().map(|m| m.saturating_add(1))).unwrap_or(0).max(r)),
            None => None,
        };
        if let (Some(rank), Some(dims)) = (i.rank(), d.dims()) {
            let Some(rest) = dims.get(rank..) else {
                return Err(invalid_argument(format!("data[{m}].shape = {d} does not start with indices[{m}].shape = {i}")));
            };
            suffix = suffix.merge(&PartialShape::new(rest))?;
        }
    }
    if let Some(rest) = suffix.dims() {
        c.set_output(0, PartialShape::new(&[&[rows], rest].concat()));
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let n = op.num_inputs() / 2;
    let g = op.graph();
    let dy = grads.dense(0);
    let mut all: Vec<Option<Grad>> = vec![None; n];
    all.extend((0..n).map(|m| Some(g.op("GatherV2").inputs([dy.clone(), op.input(m), g.constant(0i32)]).output().into())));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stitch(indices: Vec<Tensor>, data: Vec<Tensor>) -> Result<Tensor> {
        OpTester::new(&OP).input_list(indices).input_list(data).run_one()
    }

    #[test]
    fn the_last_one_wins_and_gaps_are_zero() {
        let indices = vec![tensor(&[2], &[0i32, 3]), Tensor::scalar(3i32)];
        let y = stitch(indices, vec![tensor(&[2, 1], &[1f32, 2.0]), tensor(&[1], &[9f32])]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<f32>().unwrap()), (&[4i64, 1][..], &[1.0, 0.0, 0.0, 9.0][..]));
        let y = stitch(vec![tensor::<i32>(&[0], &[])], vec![tensor::<i32>(&[0, 2], &[])]).unwrap();
        assert_eq!(y.dims(), [0, 2]);
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        let e = stitch(vec![tensor(&[1], &[-1i32])], vec![tensor(&[1], &[1f32])]).unwrap_err();
        assert_eq!(e.bare_message(), "indices[0] is out of range");
        let e = stitch(vec![tensor(&[2], &[0i32, 1])], vec![tensor(&[1], &[1f32])]).unwrap_err();
        assert_eq!(e.bare_message(), "data[0].shape = [1] does not start with indices[0].shape = [2]");
        let one = || tensor(&[1], &[0i32]);
        let e = stitch(vec![one(), one()], vec![tensor(&[1, 1], &[1f32]), tensor(&[1], &[1f32])]).unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
        let wide = tensor(&[1, 64], &[0f64; 64]);
        assert_eq!(stitch(vec![tensor(&[1], &[i32::MAX])], vec![wide]).unwrap_err().code(), Code::ResourceExhausted);
    }

    #[test]
    fn the_gradient_is_gathered() {
        check_gradient(&[tensor(&[2, 1], &[1f64, 2.0]), tensor(&[1, 1], &[3f64])], |g, x| {
            let indices = [g.constant_vector(&[2i32, 0]), g.constant_vector(&[1i32])];
            g.op("DynamicStitch").input_list(indices).input_list(x.to_vec()).build()
        });
    }
}
