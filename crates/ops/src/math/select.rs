//! `Select`: elements of one or another tensor of one shape.

use super::backward::apply;
use super::elementwise::same_shape;
use crate::array::elements::{Rearrange, rearrange};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Select(condition: bool, t: T, e: T) -> (output: T)",
    attrs: "T: type",
    doc: "output = t where condition, else e, which are of one shape; the condition is of that shape too, or a vector that chooses rows, or a scalar.",
    shape: select_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// Chooses runs of `width` elements.
struct Choice<'a> {
    condition: &'a [bool],
    width: usize,
}

impl Rearrange for Choice<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        if self.width == 1 {
            ferroflow_math::select(self.condition, inputs[0], inputs[1], out);
        } else if self.width > 0 {
            for (i, (&condition, out)) in self.condition.iter().zip(out.chunks_exact_mut(self.width)).enumerate() {
                let from = if condition { inputs[0] } else { inputs[1] };
                out.clone_from_slice(&from[i * self.width..][..self.width]);
            }
        }
        Ok(())
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (c, t, e) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let by_rows = c.rank() == 1 && t.rank() > 1 && t.shape() == e.shape();
    if c.rank() == 0 && t.shape() == e.shape() {
        let chosen = if c.to_scalar::<bool>()? { 1 } else { 2 };
        return ctx.pass_on(chosen, 0);
    }
    if by_rows && t.shape().dim(0) != c.num_elements() {
        return Err(invalid_argument(format!(
            "Number of batches of 'then' must match size of 'cond', but saw: {} vs. {}",
            t.shape().dim(0),
            c.num_elements()
        )));
    }
    let shape = if by_rows { t.shape().clone() } else { same_shape(ctx)? };
    let width = if by_rows { t.num_elements().checked_div(c.num_elements()).unwrap_or(0) } else { 1 };
    let y = rearrange(&[t, e], shape, &Choice { condition: c.as_slice()?, width })?;
    ctx.set_output(0, y);
    Ok(())
}

fn select_shape(c: &mut ShapeContext) -> Result<()> {
    let mut s = c.input(1).merge(&c.input(2))?;
    let condition = c.input(0);
    match (condition.rank(), s.rank()) {
        (Some(0), _) | (None, _) => {}
        (Some(1), Some(r)) if r != 1 => {
            if let (Some(n), Some(rows)) = (condition.dim(0), s.dim(0))
                && (n != rows || r == 0)
            {
                return Err(invalid_argument(format!("Number of batches of 'then' must match size of 'cond', but saw: {rows} vs. {n}")));
            }
        }
        // A vector may choose rows of anything.
        (Some(1), None) => {}
        _ => s = s.merge(&condition)?,
    }
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (condition, dy) = (op.input(0), grads.dense(0));
    let zeros = apply("ZerosLike", &[&op.input(1)]);
    let (dt, de) = (apply("Select", &[&condition, &dy, &zeros]), apply("Select", &[&condition, &zeros, &dy]));
    Ok(vec![None, Some(dt.into()), Some(de.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_chooses_rows_and_a_scalar_all() {
        let (t, e) = (tensor(&[2, 2], &[1i32, 2, 3, 4]), tensor(&[2, 2], &[-1i32, -2, -3, -4]));
        let run = |c: Tensor| {
            OpTester::new(&OP).input(c).input(t.clone()).input(e.clone()).run_one().unwrap().as_slice::<i32>().unwrap().to_vec()
        };
        assert_eq!(run(tensor(&[2], &[true, false])), [1, 2, -3, -4]);
        assert_eq!(run(tensor(&[2, 2], &[true, false, false, true])), [1, -2, -3, 4]);
        assert_eq!(run(Tensor::scalar(false)), [-1, -2, -3, -4]);
        let y = OpTester::new(&OP).input(tensor(&[1], &[true])).input(strings(&[1], &["a"])).input(strings(&[1], &["b"])).run_one();
        assert_eq!(y.unwrap().as_strings().unwrap(), ["a"]);
    }
}
