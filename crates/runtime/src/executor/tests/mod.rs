//! Tests of the executor, by subject.

mod conditionals;
mod failures;
mod loops;
pub(crate) mod net;
pub(crate) mod ops;
mod order;
mod waiting;
