//! Running single ops and small graphs without the runtime: for the tests of ops and the replay of recorded cases.
//!
//! [`OpTester`] runs the kernel of one node; [`Evaluator`] runs a graph without loops, node by node; [`check_gradient`] compares an
//! op's gradient with central differences. None of them places, prunes or parallelises anything.

mod evaluator;
mod gradient_check;
mod op_tester;
mod step;
mod test_node;

pub use evaluator::Evaluator;
pub use gradient_check::{check_gradient, check_gradient_through};
pub use op_tester::OpTester;
pub use step::{LocalRendezvous, bare_step};
pub use test_node::TestNode;

use ferroflow_tensor::{Element, Shape, Tensor};

/// A tensor of this shape.
///
/// # Panics
/// If the number of elements is not the shape's.
pub fn tensor<T: Element>(dims: &[i64], elements: &[T]) -> Tensor {
    Shape::new(dims).and_then(|shape| Tensor::from_slice(shape, elements)).expect("a tensor for a test")
}

/// A string tensor of this shape.
///
/// # Panics
/// If the number of elements is not the shape's.
pub fn strings(dims: &[i64], elements: &[&str]) -> Tensor {
    let elements = elements.iter().map(|s| bytes::Bytes::copy_from_slice(s.as_bytes())).collect();
    Shape::new(dims).and_then(|shape| Tensor::strings(shape, elements)).expect("a tensor for a test")
}
