//! What an op is: its definition, and the one constant per op that carries shape function, gradient and kernels.

mod def;
mod registry;
mod signature;
mod spec;

pub use def::{ArgDef, ArgType, Arity, AttrDef, OpDef};
pub use registry::{Op, OpRegistry};
pub use spec::{Case, Cost, Gradient, GradientFn, Kernel, KernelFactory, OpSpec, ShapeFn, Tolerance, WORDS};
