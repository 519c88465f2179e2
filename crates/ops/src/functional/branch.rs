//! The kernels of `If` and `Case`: one of several functions runs, chosen by the first input.

use super::function_call::{FunctionCall, is_true};
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};

struct Branch {
    functions: Vec<FunctionCall>,
    choose: fn(&Tensor, usize) -> Result<usize>,
}

/// The kernel of `If`: `then_branch` if the condition is true.
///
/// Errors: `InvalidArgument` without the attributes.
pub(super) fn build_if(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    let branch = |name: &str| -> Result<FunctionCall> { Ok(FunctionCall::new(c.node.attrs.func(name)?)) };
    let functions = vec![branch("then_branch")?, branch("else_branch")?];
    Ok(Box::new(Branch { functions, choose: |condition, _| Ok(usize::from(!is_true(condition)?)) }))
}

/// The kernel of `Case`: the branch of this number, the last one if there is none.
///
/// Errors: `InvalidArgument` without branches.
pub(super) fn build_case(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    let functions: Vec<FunctionCall> = c.node.attrs.funcs("branches")?.iter().map(FunctionCall::new).collect();
    if functions.is_empty() {
        return Err(invalid_argument("Case needs at least one branch"));
    }
    let choose = |index: &Tensor, n: usize| {
        let index = index.to_scalar::<i32>()?;
        Ok(usize::try_from(index).ok().filter(|&i| i < n).unwrap_or(n - 1))
    };
    Ok(Box::new(Branch { functions, choose }))
}

impl AsyncOpKernel for Branch {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let chosen = ctx.input(0).and_then(|input| (self.choose)(input, self.functions.len()));
        match chosen.map(|i| self.functions.get(i)) {
            Ok(Some(function)) => function.run_as_node(ctx, 1, done),
            Ok(None) => done(Err(invalid_argument("there is no such branch"))),
            Err(e) => done(Err(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::functional::function_call::tests::{changed, function, step_with};
    use crate::testing::{OpTester, tensor};
    use ferroflow_graph::AttrValue;
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::{Code, DType, Result, Tensor};
    use std::sync::Arc;

    fn step() -> Arc<StepContext> {
        step_with(vec![("double", |a| changed(&a, |x| 2.0 * x)), ("negate", |a| changed(&a, |x| -x)), ("wrong", |_| Ok(vec![]))], true)
    }

    fn run_if(op: &str, condition: Tensor, else_branch: &str) -> Result<Tensor> {
        let tester = OpTester::named(op).input(condition).input_list([Tensor::scalar(3f32)]).attr("Tout", vec![DType::Float]);
        tester.attr("then_branch", function("double")).attr("else_branch", function(else_branch)).step(&step()).run_one()
    }

    #[test]
    fn the_condition_chooses_the_function() {
        for op in ["If", "StatelessIf"] {
            assert_eq!(run_if(op, Tensor::scalar(true), "negate").unwrap().to_scalar::<f32>().unwrap(), 6.0);
            assert_eq!(run_if(op, Tensor::scalar(0i32), "negate").unwrap().to_scalar::<f32>().unwrap(), -3.0);
        }
    }

    #[test]
    fn unknown_functions_and_wrong_results_are_refused() {
        assert_eq!(run_if("If", Tensor::scalar(false), "nothing").unwrap_err().code(), Code::NotFound);
        assert_eq!(run_if("If", Tensor::scalar(false), "wrong").unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn an_index_outside_chooses_the_last_branch() {
        let run = |index: Tensor| {
            let tester = OpTester::named("Case").input(index).input_list([Tensor::scalar(3f32)]).attr("Tout", vec![DType::Float]);
            tester.attr("branches", AttrValue::Funcs(vec![function("double"), function("negate")])).step(&step()).run_one()
        };
        for (index, expected) in [(0, 6.0), (1, -3.0), (2, -3.0), (-1, -3.0)] {
            assert_eq!(run(Tensor::scalar(index)).unwrap().to_scalar::<f32>().unwrap(), expected);
        }
        assert_eq!(run(tensor(&[2], &[0i32, 1])).unwrap_err().code(), Code::InvalidArgument);
    }
}
