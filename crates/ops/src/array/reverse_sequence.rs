//! `ReverseSequence`: the first elements of each sequence backwards.

use super::dims::product;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReverseSequence(input: T, seq_lengths: Tlen) -> (output: T)",
    attrs: "seq_dim: int; batch_dim: int = 0; T: type; Tlen: type in {int32, int64} = int64",
    doc: "`input` with, for each index `i` along `batch_dim`, the first `seq_lengths[i]` elements along `seq_dim` reversed.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// The input seen as `[outer, first, middle, second, inner]`, batch and sequence being the first and second in either order.
struct Reversing {
    dims: [usize; 5],
    batch_first: bool,
    lengths: Vec<usize>,
}

impl Rearrange for Reversing {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let [outer, first, middle, second, inner] = self.dims;
        for o in 0..outer {
            for f in 0..first {
                for m in 0..middle {
                    for s in 0..second {
                        let (batch, at) = if self.batch_first { (f, s) } else { (s, f) };
                        let length = self.lengths[batch];
                        let from = if at < length { length - 1 - at } else { at };
                        let (ff, fs) = if self.batch_first { (f, from) } else { (from, s) };
                        let index = |f: usize, s: usize| (((o * first + f) * middle + m) * second + s) * inner;
                        let (to, from) = (index(f, s), index(ff, fs));
                        out[to..to + inner].clone_from_slice(&inputs[0][from..from + inner]);
                    }
                }
            }
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, lengths) = (ctx.input(0)?, ctx.input(1)?);
    let (seq, batch) = (ctx.node.attrs.int("seq_dim")?, ctx.node.attrs.int("batch_dim")?);
    if lengths.rank() != 1 {
        return Err(invalid_argument(format!("seq_lengths must be 1-dim, not {}", lengths.rank())));
    }
    if seq == batch {
        return Err(invalid_argument(format!("batch_dim == seq_dim == {seq}")));
    }
    for (name, dim) in [("seq_dim", seq), ("batch_dim", batch)] {
        if !(0..x.rank() as i64).contains(&dim) {
            return Err(invalid_argument(format!("{name} must be < input rank ( {dim} vs. {})", x.rank())));
        }
    }
    let (seq, batch) = (seq as usize, batch as usize);
    if lengths.dims() != [x.dims()[batch]] {
        return Err(invalid_argument(format!(
            "Length of seq_lengths != input.dims({batch}), ({} vs. {})",
            lengths.num_elements(),
            x.dims()[batch]
        )));
    }
    let longest = x.dims()[seq];
    let mut checked = Vec::new();
    for (i, &n) in lengths.to_i64s()?.iter().enumerate() {
        if n < 0 {
            return Err(invalid_argument(format!("seq_lens({i}) < 0")));
        }
        if n > longest {
            return Err(invalid_argument(format!("seq_lens({i}) > input.dims({seq})")));
        }
        checked.push(n as usize);
    }
    let (a, b) = (seq.min(batch), seq.max(batch));
    let d = x.dims();
    let dims = [product(&d[..a]), d[a] as usize, product(&d[a + 1..b]), d[b] as usize, product(&d[b + 1..])];
    let y = rearrange(&[x], x.shape().clone(), &Reversing { dims, batch_first: batch < seq, lengths: checked })?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 1)?;
    shape::unchanged(c)
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (seq, batch) = op.with_attrs(|a| Ok::<_, ferroflow_tensor::Error>((a.int("seq_dim")?, a.int("batch_dim")?)))?;
    let dx = op.graph().op("ReverseSequence").inputs([grads.dense(0), op.input(1)]).attr("seq_dim", seq).attr("batch_dim", batch);
    Ok(vec![Some(dx.output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reverse(x: Tensor, lengths: &[i64], seq: i64, batch: i64) -> Result<Tensor> {
        let lengths = tensor(&[lengths.len() as i64], lengths);
        OpTester::new(&OP).input(x).input(lengths).attr("seq_dim", seq).attr("batch_dim", batch).run_one()
    }

    #[test]
    fn each_sequence_is_reversed_up_to_its_length() {
        let x = || tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        assert_eq!(reverse(x(), &[2, 3], 1, 0).unwrap().as_slice::<i32>().unwrap(), [2, 1, 3, 6, 5, 4]);
        assert_eq!(reverse(x(), &[0, 2, 1], 0, 1).unwrap().as_slice::<i32>().unwrap(), [1, 5, 3, 4, 2, 6]);
        assert_eq!(reverse(x(), &[2, 4], 1, 0).unwrap_err().bare_message(), "seq_lens(1) > input.dims(1)");
        assert_eq!(reverse(x(), &[-1, 1], 1, 0).unwrap_err().bare_message(), "seq_lens(0) < 0");
        assert_eq!(reverse(x(), &[1], 1, 0).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(reverse(x(), &[1, 1], 2, 0).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(reverse(x(), &[1, 1], 0, 0).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn the_gradient_is_reversed_back() {
        check_gradient(&[tensor(&[2, 2], &[1f64, 2.0, 3.0, 4.0])], |g, x| {
            let op = g.op("ReverseSequence").inputs([x[0].clone(), g.constant_vector(&[1i64, 2])]);
            op.attr("seq_dim", 1i64).attr("batch_dim", 0i64).build()
        });
    }
}
