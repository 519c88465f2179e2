//! `OpSpec`: everything about one op in one constant. An op file is this constant and a few functions.

use crate::gradient::{Grad, OutGrads};
use crate::kernel::{AsyncOpKernel, KernelConstruction, OpKernel, OpKernelContext};
use crate::shape_inference::ShapeContext;
use crate::{AttrMap, Operation};
use ferroflow_tensor::{DType, Result};

/// Computes the shapes of a node's outputs from what is known of its inputs.
///
/// Errors: `InvalidArgument` if the inputs cannot be right.
pub type ShapeFn = fn(&mut ShapeContext) -> Result<()>;

/// Builds the gradient of an operation: one entry per input, `None` where nothing flows back.
pub type GradientFn = fn(&Operation, &OutGrads) -> Result<Vec<Option<Grad>>>;

/// How an op takes part in automatic differentiation.
#[derive(Clone, Copy)]
pub enum Gradient {
    /// No gradient is defined; differentiating through the op is an error (TF: `LookupError: No gradient defined`).
    Undefined,
    /// Nothing flows back through it (TF: `NotDifferentiable`).
    Zero,
    /// Built by this function.
    Of(GradientFn),
}

/// How exactly results agree with TF's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Bit for bit.
    Exact,
    /// Up to rounding of the arithmetic (relative 1e-5 for float, 1e-10 for double, 1e-2 for half).
    Rounding,
    /// Relative and absolute bound of float results.
    Within(f32),
}

/// What running a kernel costs, so that the executor can decide where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Always so little that it runs at once on the thread that made it ready.
    Inline,
    /// In proportion to the bytes of its inputs and outputs.
    BySize,
    /// Worth a thread of the compute pool whatever the size.
    Heavy,
}

/// How a kernel is made.
#[derive(Clone, Copy)]
pub enum KernelFactory {
    /// A function that reads what it needs from the node each time.
    Function(fn(&mut OpKernelContext) -> Result<()>),
    /// Built once per node; keeps parsed attributes or state.
    Sync(fn(&KernelConstruction) -> Result<Box<dyn OpKernel>>),
    /// Built once per node; may finish later, on another thread.
    Async(fn(&KernelConstruction) -> Result<Box<dyn AsyncOpKernel>>),
    /// Done by the executor itself: `Switch`, `Merge`, `Enter`, `Exit`, `NextIteration`, `LoopCond`, `ControlTrigger` and their
    /// reference forms.
    ControlFlow,
}

/// An implementation of an op for a device type and some element types.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// `CPU`, …
    pub device_type: &'static str,
    /// Which types each `type` attribute may have here; attributes not named may have any that the op allows.
    pub types: [Option<(&'static str, &'static [DType])>; 3],
    /// How it is made.
    pub factory: KernelFactory,
    /// What it costs.
    pub cost: Cost,
}

impl Kernel {
    const fn new(factory: KernelFactory) -> Kernel {
        Kernel { device_type: "CPU", types: [None; 3], factory, cost: Cost::BySize }
    }

    /// A CPU kernel that is one function.
    pub const fn cpu(compute: fn(&mut OpKernelContext) -> Result<()>) -> Kernel {
        Kernel::new(KernelFactory::Function(compute))
    }

    /// A CPU kernel that is built once per node.
    pub const fn built(build: fn(&KernelConstruction) -> Result<Box<dyn OpKernel>>) -> Kernel {
        Kernel::new(KernelFactory::Sync(build))
    }

    /// A CPU kernel that may wait.
    pub const fn waiting(build: fn(&KernelConstruction) -> Result<Box<dyn AsyncOpKernel>>) -> Kernel {
        Kernel { cost: Cost::Inline, ..Kernel::new(KernelFactory::Async(build)) }
    }

    /// A control-flow primitive, which is part of the executor.
    pub const fn control_flow() -> Kernel {
        Kernel { cost: Cost::Inline, ..Kernel::new(KernelFactory::ControlFlow) }
    }

    /// Limits the kernel to these types of the attribute.
    ///
    /// # Panics
    /// At compile time, for a fourth attribute.
    pub const fn on(mut self, attr: &'static str, types: &'static [DType]) -> Kernel {
        let mut i = 0;
        while self.types[i].is_some() {
            i += 1;
        }
        self.types[i] = Some((attr, types));
        self
    }

    /// Marks the kernel as one that always runs at once.
    pub const fn inline(mut self) -> Kernel {
        self.cost = Cost::Inline;
        self
    }

    /// Marks the kernel as worth a thread whatever its size.
    pub const fn heavy(mut self) -> Kernel {
        self.cost = Cost::Heavy;
        self
    }

    /// Whether it serves a node with these attributes.
    pub fn serves(&self, attrs: &AttrMap) -> bool {
        self.types.iter().flatten().all(|(name, allowed)| match attrs.get(name) {
            Some(crate::AttrValue::Type(t)) => allowed.contains(&t.dtype),
            Some(crate::AttrValue::Types(ts)) => ts.iter().all(|t| allowed.contains(&t.dtype)),
            _ => true,
        })
    }
}

/// An example that documents the op and is run against TF's recorded result; richer ones live in the recorded files.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Words that say what is shown.
    pub name: &'static str,
    /// The inputs, in the form `f32[2]{1,2}`.
    pub inputs: &'static [&'static str],
    /// Attributes, in the form `axis=1`.
    pub attrs: &'static [&'static str],
    /// The outputs, or the code of the error.
    pub outputs: Result<&'static [&'static str], &'static str>,
}

/// One op.
pub struct OpSpec {
    /// `Name(arg: type) -> (result: type)`; see [`super::OpDef::parse`].
    pub signature: &'static str,
    /// `name: kind …; …`
    pub attrs: &'static str,
    /// `stateful`, `commutative`, `aggregate`, `uninitialized_input`
    pub flags: &'static str,
    /// One or two sentences: what it computes, with shapes.
    pub doc: &'static str,
    /// Its shape function.
    pub shape: ShapeFn,
    /// Its gradient.
    pub gradient: Gradient,
    /// Its kernels.
    pub kernels: &'static [Kernel],
    /// How exactly its results agree with TF's.
    pub tolerance: Tolerance,
    /// Examples.
    pub cases: &'static [Case],
}

/// What most ops are: stateless, without attributes, gradient, kernels or examples, of unknown shape; for `..WORDS`.
pub const WORDS: OpSpec = OpSpec {
    signature: "",
    attrs: "",
    flags: "",
    doc: "",
    shape: crate::shape_inference::unknown,
    gradient: Gradient::Undefined,
    kernels: &[],
    tolerance: Tolerance::Exact,
    cases: &[],
};
