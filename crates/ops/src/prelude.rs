//! What nearly every op file names.

#![allow(unused_imports, reason = "a set of names; not every file uses all of them")]

pub(crate) use crate::types::*;
pub(crate) use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext, Value};
pub(crate) use ferroflow_graph::op::{Gradient, Kernel, OpSpec, Tolerance, WORDS};
pub(crate) use ferroflow_graph::shape_inference::{self as shape, ShapeContext};
pub(crate) use ferroflow_graph::{AttrMap, Grad, Graph, Operation, OutGrads, Output};
pub(crate) use ferroflow_tensor::error::{internal, invalid_argument, out_of_range, unimplemented};
pub(crate) use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};

#[cfg(test)]
pub(crate) use crate::testing::{OpTester, check_gradient, strings, tensor};
#[cfg(test)]
pub(crate) use ferroflow_tensor::Code;
