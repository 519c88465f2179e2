//! Dense arithmetic on plain slices: what TensorFlow leaves to Eigen. No tensors, no graph, no threads of its own: callers check
//! shapes, hand in slices and, where work can be split, their compute pool as [`ParallelFor`].
//!
//! Slices whose lengths do not fit together are a mistake of the caller and panic; values never do: what arithmetic cannot do
//! (an integer divided by zero) is an [`ArithmeticError`]. Results do not depend on the number of threads.
//!
//! Entry points are compiled here, for each element type, and not in the calling crate: they are as fast in a debug build
//! of the caller, and loops over f32 and f64 are compiled twice, for the baseline CPU and for AVX2 with FMA.

mod approximate;
mod binary;
mod broadcast;
mod cast;
mod compare;
mod conv;
mod digamma;
mod error;
mod fold;
mod gemm;
mod number;
mod optimizer;
mod parallel;
mod pool2d;
mod prefetch;
mod reduce;
#[cfg(test)]
mod sample;
mod scan;
mod softmax;
mod transpose;
mod unary;
mod vectorise;

pub use binary::{BinaryElement, BinaryOp, Side, binary, binary_in_place, binary_of_one};
pub use broadcast::{Broadcast, Operand, Run};
pub use cast::{CastTo, cast};
pub use compare::{CompareElement, CompareOp, FloatClass, LogicalOp, classify, compare, logical, logical_not, select};
pub use conv::{ConvElement, Window, conv2d, conv2d_backprop_filter, conv2d_backprop_input};
pub use error::ArithmeticError;
pub use gemm::{GemmElement, MatrixRef, batch_matmul, matmul};
pub use number::{Floating, Real};
pub use optimizer::{OptimizerElement, Update, apply_update};
pub use parallel::{Inline, ParallelFor, for_each_part, for_each_range};
pub use pool2d::{PoolElement, avg_pool, avg_pool_grad, max_pool, max_pool_grad};
pub use prefetch::{ROWS_AHEAD, prefetch};
pub use reduce::{Axes, ReduceElement, ReduceOp, all, any, reduce};
pub use scan::{ArgElement, ArgOp, Axis, ScanElement, ScanOp, arg, scan};
pub use softmax::{Labels, SoftmaxElement, log_softmax, softmax, softmax_cross_entropy, sparse_softmax_cross_entropy};
pub use transpose::{TransposeElement, transpose};
pub use unary::{UnaryElement, UnaryOp, unary, unary_in_place};
