//! The kernel of all `Apply…`, `ResourceApply…`, `SparseApply…` and `ResourceSparseApply…` ops: the variables are locked and checked
//! together, then changed in place by one of the rules, whole or by rows.

use super::locked_variables::{MOST, with_locked};
use super::rule::{Bound, MOST_PARAMETERS, Rule, Switches};
use crate::parallel::pool;
use crate::state::variable_access::pass_reference;
use crate::types::{unsupported, with_float};
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_math::{Floating, Inline, OptimizerElement, ROWS_AHEAD, Real, prefetch};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DType, Element, Result, Tensor};
use smallvec::SmallVec;

struct ApplyKernel {
    rule: Rule,
    dtype: DType,
    switches: Switches,
    /// Inputs that are parameters, in the order of [`Rule::parameters`].
    parameters: SmallVec<[usize; MOST_PARAMETERS]>,
    grad: usize,
    /// The input that names rows, for a sparse op.
    indices: Option<usize>,
}

/// Builds the kernel.
///
/// Errors: `Internal` if the op has not the arguments of the rule.
pub(super) fn build(c: &KernelConstruction, rule: Rule) -> Result<Box<dyn OpKernel>> {
    let node = c.node;
    let switch = |name: &str, otherwise: bool| if node.attrs.contains(name) { node.attrs.bool(name) } else { Ok(otherwise) };
    let grad = input_named(node, "grad").or_else(|_| input_named(node, "delta"))?;
    Ok(Box::new(ApplyKernel {
        rule,
        dtype: node.attrs.dtype("T")?,
        switches: Switches {
            use_nesterov: switch("use_nesterov", false)?,
            update_slots: switch("update_slots", true)?,
            multiply_linear_by_lr: switch("multiply_linear_by_lr", false)?,
        },
        parameters: rule.parameters().iter().map(|name| input_named(node, name)).collect::<Result<_>>()?,
        grad,
        indices: input_named(node, "indices").ok(),
    }))
}

fn input_named(node: &NodeInfo, name: &str) -> Result<usize> {
    let found = node.op.def.inputs.iter().position(|a| a.name == name);
    found.ok_or_else(|| internal(format!("{} has no argument {name}", node.op_name())))
}

impl OpKernel for ApplyKernel {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        with_float!(self.dtype => T, { self.update::<T>(ctx) }, else { Err(unsupported(ctx.node.op_name(), self.dtype)) })?;
        pass_reference(ctx)
    }
}

impl ApplyKernel {
    fn update<T: Element + OptimizerElement>(&self, ctx: &OpKernelContext) -> Result<()> {
        let mut parameters = [T::Wide::of(0.0); MOST_PARAMETERS];
        for (value, &i) in parameters.iter_mut().zip(&self.parameters) {
            *value = scalar::<T>(ctx, i)?;
        }
        let rule = self.rule.bind(parameters, self.switches);
        let grad = ctx.input(self.grad)?;
        if grad.dtype() != self.dtype {
            return Err(invalid_argument(format!("grad is {}, not {}", grad.dtype(), self.dtype)));
        }
        with_locked(ctx, self.rule.variables(), self.dtype, |tensors| match self.indices {
            None => {
                if tensors[0].shape() != grad.shape() {
                    let name = &ctx.node.op.def.inputs[self.grad].name;
                    let (var, grad) = (tensors[0].shape(), grad.shape());
                    return Err(invalid_argument(format!("var and {name} do not have the same shape{var} {grad}")));
                }
                let (var, mut slots) = slices::<T>(tensors)?;
                rule.apply(&pool(ctx.step), var, &mut slots, grad.as_slice::<T>()?);
                Ok(())
            }
            Some(i) => {
                let rows = Rows::check(tensors[0], ctx.input(i)?, grad)?;
                let (var, slots) = slices::<T>(tensors)?;
                rows.update(&rule, var, slots, grad.as_slice::<T>()?);
                Ok(())
            }
        })
    }
}

/// A parameter; `global_step` is an int64.
fn scalar<T: Element + Floating>(ctx: &OpKernelContext, i: usize) -> Result<T::Wide> {
    let t = ctx.input(i)?;
    if t.rank() != 0 {
        let name = ctx.node.op.def.inputs.get(i).map_or("parameter", |a| &a.name);
        return Err(invalid_argument(format!("{name} is not a scalar: {}", t.shape())));
    }
    if t.dtype() == DType::Int64 { Ok(T::Wide::of(t.to_scalar::<i64>()? as f64)) } else { Ok(t.to_scalar::<T>()?.widen()) }
}

type Slots<'a, T> = SmallVec<[&'a mut [T]; MOST]>;

/// The elements of the variable and of its slots, copied first where readers share them.
fn slices<'a, T: Element>(tensors: &'a mut [&mut Tensor]) -> Result<(&'a mut [T], Slots<'a, T>)> {
    let mut all: Slots<T> = tensors.iter_mut().map(|t| t.make_mut::<T>()).collect::<Result<_>>()?;
    if all.is_empty() {
        return Err(internal("an update rule has a variable"));
    }
    let var = all.remove(0);
    Ok((var, all))
}

/// Rows of a variable that a gradient changes.
struct Rows {
    starts: Vec<usize>,
    width: usize,
}

impl Rows {
    /// Checks the rows of a gradient against the variable.
    ///
    /// Errors: `InvalidArgument` in TF's words.
    fn check(var: &Tensor, indices: &Tensor, grad: &Tensor) -> Result<Rows> {
        if var.rank() == 0 {
            return Err(invalid_argument("var must be at least 1 dimensional"));
        }
        if indices.rank() != 1 {
            return Err(invalid_argument("indices must be one-dimensional"));
        }
        if grad.rank() != var.rank() {
            return Err(invalid_argument(format!("var and grad must have the same rank, got {} and {}", var.shape(), grad.shape())));
        }
        if let Some(d) = (1..var.rank()).find(|&d| var.dims()[d] != grad.dims()[d]) {
            return Err(invalid_argument(format!("var and grad must match in dimension {d}")));
        }
        let numbers = indices.to_i64s()?;
        if grad.shape().dim(0) != numbers.len() {
            return Err(invalid_argument("grad must be the same size as indices in the first dimension."));
        }
        let width = var.dims()[1..].iter().product::<i64>() as usize;
        let start = |(i, &index): (usize, &i64)| match usize::try_from(index) {
            Ok(index) if index < var.shape().dim(0) => Ok(index * width),
            _ => Err(invalid_argument(format!("Index {index} at offset {i} in indices is out of range"))),
        };
        Ok(Rows { starts: numbers.iter().enumerate().map(start).collect::<Result<_>>()?, width })
    }

    /// Applies the rule to each row, in order; a row that is named twice is updated twice.
    fn update<T: OptimizerElement>(&self, rule: &Bound<T::Wide>, var: &mut [T], mut slots: Slots<T>, grad: &[T]) {
        if self.width == 0 {
            return;
        }
        for (i, (&start, grad)) in self.starts.iter().zip(grad.chunks_exact(self.width)).enumerate() {
            if let Some(&ahead) = self.starts.get(i + ROWS_AHEAD) {
                let range = ahead..ahead + self.width;
                prefetch(&var[range.clone()]);
                slots.iter().for_each(|s| prefetch(&s[range.clone()]));
            }
            let range = start..start + self.width;
            let mut row: Slots<T> = slots.iter_mut().map(|s| &mut s[range.clone()]).collect();
            rule.apply(&Inline, &mut var[range], &mut row, grad);
        }
    }
}

/// The reference keeps the variable's shape, which is that of its slots too.
///
/// Errors: `InvalidArgument` if shapes contradict each other.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    if c.node().output_types.is_empty() {
        return Ok(());
    }
    let mut shape = c.input(0);
    for (i, ty) in c.node().input_types.iter().enumerate() {
        if ty.is_ref {
            shape = shape.merge(&c.input(i))?;
        }
    }
    c.set_output(0, shape);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::state::variable_access::tests::{handle, reference};
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::{Code, DType, Result, Tensor};
    use std::sync::Arc;

    fn number(x: f32) -> Tensor {
        Tensor::scalar(x)
    }

    /// Runs an op on references and, in its resource form, on handles; the variables afterwards, which are the same both ways.
    fn updated(op: &str, variables: &[Tensor], rest: &[Tensor]) -> Result<Vec<Tensor>> {
        let step = bare_step(2);
        let references: Vec<Arc<Variable>> = variables.iter().map(|v| reference(v.clone())).collect();
        let by_ref = references.iter().fold(OpTester::named(op), |t, v| t.input_ref(v.clone()));
        let by_ref = rest.iter().fold(by_ref, |t, i| t.input(i.clone())).run();
        let mut by_resource = OpTester::named(&format!("Resource{op}")).step(&step);
        for (k, v) in variables.iter().enumerate() {
            by_resource = by_resource.input(handle(&step, &format!("v{k}"), Some(v.clone())));
        }
        let by_resource = rest.iter().fold(by_resource, |t, i| t.input(i.clone())).run();
        let after: Vec<Tensor> = references.iter().map(|v| v.read()).collect::<Result<_>>()?;
        for (k, value) in after.iter().enumerate() {
            let other = step.resources.lookup::<Variable>("", &format!("v{k}"))?.read()?;
            assert_eq!(value.bytes()?, other.bytes()?, "{op}: variable {k}");
        }
        assert_eq!(by_ref.is_ok(), by_resource.is_ok());
        if by_ref.is_err() {
            assert!(after.iter().zip(variables).all(|(a, b)| a.bytes().unwrap() == b.bytes().unwrap()), "a refused update changes nothing");
        }
        by_ref.map(|_| after)
    }

    fn floats(t: &Tensor) -> Vec<f32> {
        t.as_slice::<f32>().unwrap().to_vec()
    }

    #[test]
    fn gradient_descent_goes_down_the_gradient() {
        let out = updated("ApplyGradientDescent", &[tensor(&[2], &[1f32, 2.0])], &[number(0.5), tensor(&[2], &[2f32, 4.0])]).unwrap();
        assert_eq!(floats(&out[0]), [0.0, 0.0]);
    }

    #[test]
    fn a_reader_keeps_the_value_from_before() {
        let v = reference(tensor(&[1], &[1f32]));
        let before = v.read().unwrap();
        let tester = OpTester::named("ApplyGradientDescent").input_ref(v.clone()).input(number(1.0)).input(tensor(&[1], &[1f32]));
        assert_eq!(floats(&tester.run_one().unwrap()), [0.0]);
        assert_eq!((floats(&before), floats(&v.read().unwrap())), (vec![1.0], vec![0.0]));
    }

    #[test]
    fn slots_change_with_the_variable() {
        let state = [tensor(&[1], &[1f32]), tensor(&[1], &[0.5f32])];
        let out = updated("ApplyMomentum", &state, &[number(0.5), tensor(&[1], &[2f32]), number(0.5)]).unwrap();
        assert_eq!((floats(&out[0]), floats(&out[1])), (vec![1.0 - 0.5 * 2.25], vec![2.25]));
        let state = [tensor(&[1], &[1f32]), tensor(&[1], &[0f32]), tensor(&[1], &[0f32])];
        let parameters = [number(0.5), number(0.75), number(1.0), number(0.5), number(0.75), number(0.0), tensor(&[1], &[2f32])];
        let out = updated("ApplyAdam", &state, &parameters).unwrap();
        assert_eq!((floats(&out[0]), floats(&out[1]), floats(&out[2])), (vec![0.0], vec![1.0], vec![1.0]));
    }

    #[test]
    fn only_the_named_rows_are_updated_in_a_sparse_op() {
        let state = [tensor(&[3, 1], &[1f32, 1.0, 1.0]), tensor(&[3, 1], &[0f32, 0.0, 0.0])];
        let grad = tensor(&[2, 1], &[3f32, 4.0]);
        let out = updated("SparseApplyAdagrad", &state, &[number(1.0), grad.clone(), tensor(&[2], &[2i64, 0])]).unwrap();
        assert_eq!((floats(&out[0]), floats(&out[1])), (vec![0.0, 1.0, 0.0], vec![16.0, 0.0, 9.0]));
        let bad = |indices: Tensor, grad: Tensor| updated("SparseApplyAdagrad", &state, &[number(1.0), grad, indices]).unwrap_err();
        assert_eq!(bad(tensor(&[2], &[0i32, 3]), grad.clone()).bare_message(), "Index 3 at offset 1 in indices is out of range");
        assert_eq!(bad(tensor(&[2], &[0i32, -1]), grad.clone()).code(), Code::InvalidArgument);
        assert_eq!(bad(tensor(&[2, 1], &[0i32, 1]), grad.clone()).bare_message(), "indices must be one-dimensional");
        assert_eq!(bad(tensor(&[1], &[0i32]), grad.clone()).code(), Code::InvalidArgument);
        assert_eq!(bad(tensor(&[2], &[0i32, 1]), tensor(&[2, 2], &[0f32; 4])).bare_message(), "var and grad must match in dimension 1");
        assert_eq!(bad(tensor(&[2], &[0i32, 1]), tensor(&[2], &[0f32; 2])).code(), Code::InvalidArgument);
    }

    #[test]
    fn shapes_are_checked_before_anything_changes() {
        let state = [tensor(&[2], &[1f32, 1.0]), tensor(&[2], &[0f32, 0.0])];
        let error = updated("ApplyAdagrad", &state, &[number(1.0), tensor(&[3], &[1f32; 3])]).unwrap_err();
        assert_eq!(error.bare_message(), "var and grad do not have the same shape[2] [3]");
        let error = updated("ApplyAdagrad", &[state[0].clone(), number(0.0)], &[number(1.0), tensor(&[2], &[1f32; 2])]).unwrap_err();
        assert_eq!(error.bare_message(), "var and accum do not have the same shape[2] []");
        let error = updated("ApplyAdagrad", &state, &[tensor(&[1], &[1f32]), tensor(&[2], &[1f32; 2])]).unwrap_err();
        assert_eq!(error.bare_message(), "lr is not a scalar: [1]");
    }

    #[test]
    fn a_slot_without_a_value_or_a_variable_given_twice_is_refused() {
        let v = reference(tensor(&[1], &[1f32]));
        let run = |slot: Arc<Variable>| {
            let tester = OpTester::named("ApplyAdagrad").input_ref(v.clone()).input_ref(slot).input(number(1.0));
            tester.input(tensor(&[1], &[1f32])).run().unwrap_err()
        };
        let empty = run(Arc::new(Variable::new("slot", DType::Float)));
        assert_eq!((empty.code(), empty.bare_message()), (Code::FailedPrecondition, "Attempting to use uninitialized variables: slot"));
        assert_eq!(run(v.clone()).code(), Code::InvalidArgument);
        assert_eq!(floats(&v.read().unwrap()), [1.0]);
    }

    #[test]
    fn updates_from_several_threads_do_not_wait_for_each_other_forever() {
        let (a, b) = (reference(tensor(&[1], &[0f32])), reference(tensor(&[1], &[0f32])));
        std::thread::scope(|scope| {
            for (x, y) in [(&a, &b), (&b, &a)] {
                scope.spawn(move || {
                    for _ in 0..200 {
                        let tester = OpTester::named("ApplyMomentum").input_ref(x.clone()).input_ref(y.clone()).input(number(0.0));
                        tester.input(tensor(&[1], &[1f32])).input(number(1.0)).run().unwrap();
                    }
                });
            }
        });
        assert_eq!(floats(&a.read().unwrap())[0] + floats(&b.read().unwrap())[0], 400.0);
    }

    #[test]
    fn a_large_variable_is_updated_on_all_threads() {
        let n = 200_000usize;
        let step = bare_step(4);
        let v = reference(tensor(&[n as i64], &vec![1f32; n]));
        let grad = tensor(&[n as i64], &(0..n).map(|i| i as f32).collect::<Vec<_>>());
        let tester = OpTester::named("ApplyGradientDescent").input_ref(v.clone()).input(number(1.0)).input(grad).step(&step);
        tester.run().unwrap();
        assert!(floats(&v.read().unwrap()).iter().enumerate().all(|(i, &x)| x == 1.0 - i as f32));
    }

    #[test]
    fn half_precision_variables_are_trained_too() {
        let half = |x: f32| Tensor::scalar(half::f16::from_f32(x));
        let out = updated("ApplyGradientDescent", &[half(1.0)], &[half(0.5), half(1.0)]).unwrap();
        assert_eq!(out[0].to_scalar::<half::f16>().unwrap().to_f32(), 0.5);
    }
}
