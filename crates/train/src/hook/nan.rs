//! Ends training when the loss is no number (TF: `NanTensorHook`).

use super::{Hook, RunValues};
use ferroflow_graph::Output;
use ferroflow_tensor::error::{failed_precondition, internal};
use ferroflow_tensor::{DType, Result};

/// Fails, or stops, when a scalar becomes NaN.
pub struct NanLoss {
    loss: Output,
    fail: bool,
}

impl NanLoss {
    /// Fails with `FailedPrecondition` when the loss is NaN.
    pub fn fail(loss: &Output) -> NanLoss {
        NanLoss { loss: loss.clone(), fail: true }
    }

    /// Stops training when the loss is NaN.
    pub fn stop(loss: &Output) -> NanLoss {
        NanLoss { loss: loss.clone(), fail: false }
    }
}

impl Hook for NanLoss {
    fn before_run(&mut self) -> Vec<Output> {
        vec![self.loss.clone()]
    }

    fn after_run(&mut self, values: RunValues) -> Result<()> {
        let loss = values.fetched.first().ok_or_else(|| internal("the loss was not fetched"))?;
        let is_nan = match loss.dtype() {
            DType::Double => loss.to_scalar::<f64>()?.is_nan(),
            _ => loss.to_scalar::<f32>()?.is_nan(),
        };
        if is_nan && self.fail {
            return Err(failed_precondition(format!("NaN loss during training: {}", self.loss.name())));
        }
        *values.stop |= is_nan;
        Ok(())
    }
}
