//! `Variable`: a tensor that lives between steps (TF: `Var`, and the tensor behind a reference).
//!
//! Readers share the current tensor without copying it. An update changes it in place when no reader holds it any more and
//! copies it otherwise, so a reader never sees a half-written value and updates cost no copy in the usual step.

use ferroflow_tensor::error::failed_precondition;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor};
use parking_lot::{Mutex, MutexGuard};

/// A variable of one element type.
pub struct Variable {
    name: String,
    dtype: DType,
    declared_shape: PartialShape,
    value: Mutex<Option<Tensor>>,
}

impl Variable {
    /// A variable without a value.
    #[inline]
    pub fn new(name: impl Into<String>, dtype: DType) -> Variable {
        Variable::with_shape(name, dtype, PartialShape::unknown())
    }

    /// A variable without a value, of a shape that its node declares.
    #[inline]
    pub fn with_shape(name: impl Into<String>, dtype: DType, declared_shape: PartialShape) -> Variable {
        Variable { name: name.into(), dtype, declared_shape, value: Mutex::new(None) }
    }

    /// Its name, for messages.
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape that its node declares; a value may have another one, if it was assigned without validation.
    #[inline]
    pub fn declared_shape(&self) -> &PartialShape {
        &self.declared_shape
    }

    /// Whether it has a value.
    #[inline]
    pub fn is_initialized(&self) -> bool {
        self.value.lock().is_some()
    }

    /// The current tensor, shared.
    ///
    /// Errors: `FailedPrecondition` `Attempting to use uninitialized value …`.
    #[inline]
    pub fn read(&self) -> Result<Tensor> {
        self.value.lock().clone().ok_or_else(|| self.uninitialized())
    }

    /// The current tensor, if there is one.
    #[inline]
    pub fn get(&self) -> Option<Tensor> {
        self.value.lock().clone()
    }

    /// The size of the current tensor in bytes, 0 without one; `None` while somebody holds the lock.
    #[inline]
    pub fn num_bytes_now(&self) -> Option<usize> {
        self.value.try_lock().map(|value| value.as_ref().map_or(0, Tensor::num_bytes))
    }

    /// Replaces the tensor.
    #[inline]
    pub fn set(&self, value: Tensor) {
        *self.value.lock() = Some(value);
    }

    /// Forgets the tensor.
    #[inline]
    pub fn clear(&self) {
        *self.value.lock() = None;
    }

    /// Changes the tensor under the variable's lock. `change` uses [`Tensor::make_mut`], which copies only while a reader holds it.
    ///
    /// Errors: `FailedPrecondition` if it has no value; what `change` returns.
    pub fn update<R>(&self, change: impl FnOnce(&mut Tensor) -> Result<R>) -> Result<R> {
        match self.value.lock().as_mut() {
            Some(value) => change(value),
            None => Err(self.uninitialized()),
        }
    }

    /// The tensor under lock, for updates of several variables at once. Lock in ascending order of address to avoid dead-locks.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, Option<Tensor>> {
        self.value.lock()
    }

    /// The error for a use before the first assignment.
    #[inline]
    pub fn uninitialized(&self) -> ferroflow_tensor::Error {
        failed_precondition(format!("Attempting to use uninitialized value {}", self.name))
    }
}

impl std::fmt::Debug for Variable {
    #[inline]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Variable({}: {})", self.name, self.dtype)
    }
}
