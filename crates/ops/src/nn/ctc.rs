//! Labels of sequences without alignment: what the loss and the decoders check and calculate alike (TF: `core/util/ctc`).

use crate::prelude::*;
use ferroflow_tensor::error::failed_precondition;

/// The logarithm of the sum of two numbers given by theirs.
pub(super) fn log_sum(a: f64, b: f64) -> f64 {
    if a == f64::NEG_INFINITY {
        return b;
    }
    if b == f64::NEG_INFINITY {
        return a;
    }
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

/// The logarithms of a moment's probabilities: its scores, less the logarithm of the sum of their powers.
pub(super) fn log_softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let norm = most + scores.iter().map(|s| (s - most).exp()).sum::<f64>().ln();
    scores.iter().map(|s| s - norm).collect()
}

/// Scores `[time, batch, classes]` of a float or double tensor.
pub(super) struct Scores {
    pub(super) time: usize,
    pub(super) batch: usize,
    pub(super) classes: usize,
    values: Vec<f64>,
}

impl Scores {
    /// Reads input 0.
    ///
    /// Errors: `InvalidArgument` for a tensor of another rank.
    pub(super) fn of(ctx: &OpKernelContext) -> Result<Scores> {
        let x = ctx.input(0)?;
        let &[time, batch, classes] = x.dims() else { return Err(invalid_argument(format!("inputs is not a 3-Tensor: {}", x.shape()))) };
        let values = match x.dtype() {
            DType::Float => x.as_slice::<f32>()?.iter().map(|&s| f64::from(s)).collect(),
            _ => x.as_slice::<f64>()?.to_vec(),
        };
        Ok(Scores { time: time as usize, batch: batch as usize, classes: classes as usize, values })
    }

    /// The logarithms of the probabilities of a moment of a sequence.
    pub(super) fn log_probabilities(&self, t: usize, b: usize) -> Vec<f64> {
        log_softmax(&self.values[(t * self.batch + b) * self.classes..][..self.classes])
    }

    /// How long each sequence is, from the vector at input `i`.
    ///
    /// Errors: `InvalidArgument` if it is no vector; `FailedPrecondition` (`InvalidArgument` if `is_loss`) if it does not fit.
    pub(super) fn lengths(&self, ctx: &OpKernelContext, i: usize, is_loss: bool) -> Result<Vec<usize>> {
        let t = ctx.input(i)?;
        if t.rank() != 1 {
            return Err(invalid_argument(format!("sequence_length is not a vector: {}", t.shape())));
        }
        let wrong = |message: String| if is_loss { invalid_argument(message) } else { failed_precondition(message) };
        if t.num_elements() != self.batch {
            let n = t.num_elements();
            return Err(wrong(format!("len(sequence_length) != batch_size.  len(sequence_length):  {n} batch_size: {}", self.batch)));
        }
        let lengths = t.as_slice::<i32>()?.iter().enumerate();
        lengths
            .map(|(b, &n)| match usize::try_from(n) {
                Ok(n) if n <= self.time => Ok(n),
                Ok(_) => Err(wrong(format!("sequence_length({b}) <= {}", self.time))),
                Err(_) if is_loss => Err(wrong(format!("seq_len({b}) < 0"))),
                // The decoders read nothing of such a sequence.
                Err(_) => Ok(0),
            })
            .collect()
    }
}

/// A tensor of the type of the scores.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn narrow(dtype: DType, dims: &[usize], values: &[f64]) -> Result<Tensor> {
    let shape = Shape::from_lens(dims)?;
    if dtype == DType::Float {
        return Tensor::from_slice(shape, &values.iter().map(|&v| v as f32).collect::<Vec<_>>());
    }
    Tensor::from_slice(shape, values)
}
