//! `RandomShuffle`: the rows of a tensor in random order.

use super::philox_source::{PhiloxSource, Words};
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;
use ferroflow_tensor::error::unimplemented;
use ferroflow_tensor::{DType, Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "RandomShuffle(value: T) -> (output: T)",
    attrs: "seed: int = 0; seed2: int = 0; T: type",
    flags: "stateful",
    doc: "The rows of value in an order that the kernel's generator gives (Fisher–Yates).",
    shape: shape_inference::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build)],
    ..WORDS
};

struct RandomShuffle(PhiloxSource);

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(RandomShuffle(PhiloxSource::of_node(c)?)))
}

impl OpKernel for RandomShuffle {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let value = ctx.input(0)?;
        let rows = value.dims().first().map_or(1, |&n| n as usize);
        if value.num_elements() <= 1 || rows <= 1 {
            return ctx.pass_on(0, 0);
        }
        // One word per exchange, whole blocks at a time.
        let mut words = Words::new(self.0.reserve((rows - 1).div_ceil(4) as u128));
        let mut order: Vec<usize> = (0..rows).collect();
        for i in 0..rows - 1 {
            let left = u32::try_from(rows - i).unwrap_or(u32::MAX);
            order.swap(i, i + (words.draw() % left) as usize);
        }
        let out = in_order(value, &order)?;
        ctx.set_output(0, out);
        Ok(())
    }
}

fn in_order(value: &Tensor, order: &[usize]) -> Result<Tensor> {
    let width = value.num_elements() / order.len();
    if value.dtype() == DType::String {
        let from = value.as_strings()?;
        let strings = order.iter().flat_map(|&row| from[row * width..(row + 1) * width].iter().cloned()).collect();
        return Tensor::strings(value.shape().clone(), strings);
    }
    if !value.dtype().is_plain() {
        return Err(unimplemented(format!("RandomShuffle has no CPU kernel for {}", value.dtype())));
    }
    let bytes = width * value.dtype().size();
    let from = value.bytes()?;
    let mut out = Tensor::for_overwrite(value.dtype(), value.shape().clone())?;
    for (to, &row) in out.bytes_mut()?.chunks_exact_mut(bytes).zip(order) {
        to.copy_from_slice(&from[row * bytes..(row + 1) * bytes]);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, strings, tensor};

    fn shuffled(value: Tensor) -> Tensor {
        OpTester::new(&OP).input(value).attr("seed", 87654321i64).attr("seed2", 7i64).run_one().unwrap()
    }

    #[test]
    fn the_order_is_tensorflows() {
        let out = shuffled(tensor(&[8], &[0i32, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(out.as_slice::<i32>().unwrap(), [7, 5, 3, 0, 4, 2, 6, 1]);
        let rows: Vec<f64> = (0..16).map(f64::from).collect();
        let out = shuffled(tensor(&[8, 2], &rows));
        assert_eq!(out.as_slice::<f64>().unwrap()[..4], [14.0, 15.0, 10.0, 11.0]);
    }

    #[test]
    fn small_and_string_tensors_are_shuffled_too() {
        assert_eq!(shuffled(Tensor::scalar(3f32)).to_scalar::<f32>().unwrap(), 3.0);
        assert_eq!(shuffled(tensor(&[0, 2], &[] as &[i32])).dims(), [0, 2]);
        let mut words: Vec<_> = shuffled(strings(&[3], &["a", "b", "c"])).as_strings().unwrap().to_vec();
        words.sort();
        assert_eq!(words, ["a", "b", "c"]);
    }
}
