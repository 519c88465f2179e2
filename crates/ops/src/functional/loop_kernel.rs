//! The kernel of `While`: runs the body as long as the condition holds, without a thread and without growing the stack.
//!
//! Functions may end at once or later, on another thread. Whoever ends one goes on with the loop; if that happens before the call
//! has returned, the caller itself goes on, so that a long loop of quick functions does not nest.

use super::function_call::{FunctionCall, is_true, outputs};
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction, StepContext, Value};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use parking_lot::Mutex;
use std::sync::Arc;

struct Functions {
    condition: FunctionCall,
    body: FunctionCall,
}

struct While(Arc<Functions>);

/// Builds the kernel.
///
/// Errors: `InvalidArgument` without the attributes.
pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    let function = |name: &str| -> Result<FunctionCall> { Ok(FunctionCall::new(c.node.attrs.func(name)?)) };
    Ok(Box::new(While(Arc::new(Functions { condition: function("cond")?, body: function("body")? }))))
}

impl AsyncOpKernel for While {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let run = LoopRun { functions: self.0.clone(), node: ctx.node, step: ctx.step, values: ctx.inputs, done };
        run.go_on(Turn::Condition);
    }
}

/// Which function runs next.
#[derive(Clone, Copy)]
enum Turn {
    Condition,
    Body,
}

/// One execution of a loop.
struct LoopRun {
    functions: Arc<Functions>,
    node: Arc<NodeInfo>,
    step: Arc<StepContext>,
    values: Vec<Value>,
    done: Done,
}

/// Where a function's results and the loop meet: whoever comes second goes on.
enum Meeting {
    Nobody,
    Results(Result<Vec<Value>>),
    /// Boxed, so that a meeting stays small.
    Caller(Box<LoopRun>),
}

impl LoopRun {
    /// Runs until a function does not end at once, or the loop ends.
    fn go_on(self, mut turn: Turn) {
        let mut run = self;
        loop {
            if let Err(e) = run.step.check_cancelled() {
                return (run.done)(Err(e));
            }
            let meeting = Arc::new(Mutex::new(Meeting::Nobody));
            let there = meeting.clone();
            let arrived = move |results| {
                let caller = match std::mem::replace(&mut *there.lock(), Meeting::Nobody) {
                    Meeting::Caller(run) => Some(run),
                    _ => None,
                };
                match caller {
                    None => *there.lock() = Meeting::Results(results),
                    Some(run) => {
                        if let Some((run, turn)) = run.after(turn, results) {
                            run.go_on(turn);
                        }
                    }
                }
            };
            let (functions, step, args) = (run.functions.clone(), run.step.clone(), run.values.clone());
            let function = match turn {
                Turn::Condition => &functions.condition,
                Turn::Body => &functions.body,
            };
            function.run(&step, args, Box::new(arrived));
            let results = {
                let mut meeting = meeting.lock();
                match std::mem::replace(&mut *meeting, Meeting::Nobody) {
                    Meeting::Results(results) => results,
                    _ => {
                        *meeting = Meeting::Caller(Box::new(run));
                        return;
                    }
                }
            };
            match run.after(turn, results) {
                Some((next, next_turn)) => (run, turn) = (next, next_turn),
                None => return,
            }
        }
    }

    /// What comes after a function's results; nothing if the loop has ended.
    fn after(mut self, turn: Turn, results: Result<Vec<Value>>) -> Option<(LoopRun, Turn)> {
        let results = match results {
            Ok(results) => results,
            Err(e) => {
                (self.done)(Err(e));
                return None;
            }
        };
        match turn {
            Turn::Body => {
                if results.len() != self.values.len() {
                    let error = format!("the body of a loop over {} values returns {}", self.values.len(), results.len());
                    (self.done)(Err(invalid_argument(error)));
                    return None;
                }
                self.values = results;
                Some((self, Turn::Condition))
            }
            Turn::Condition => {
                let holds = match &results[..] {
                    [condition] => condition.to_tensor().and_then(|c| is_true(&c)),
                    _ => Err(invalid_argument(format!("the condition of a loop returns {} values, not one", results.len()))),
                };
                match holds {
                    Ok(true) => Some((self, Turn::Body)),
                    Ok(false) => {
                        (self.done)(outputs(&self.node, self.values));
                        None
                    }
                    Err(e) => {
                        (self.done)(Err(e));
                        None
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::functional::function_call::tests::{changed, function, step_with};
    use crate::testing::OpTester;
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::error::cancelled;
    use ferroflow_tensor::{Code, Result, Tensor};
    use std::sync::Arc;

    fn step(on_threads: bool) -> Arc<StepContext> {
        step_with(
            vec![
                ("below_5000", |a| Ok(vec![Tensor::scalar(a[0].to_tensor()?.to_scalar::<f32>()? < 5000.0).into()])),
                ("always", |_| Ok(vec![Tensor::scalar(true).into()])),
                ("increment", |a| changed(&a, |x| x + 1.0)),
                ("lose", |_| Ok(vec![])),
            ],
            on_threads,
        )
    }

    fn run(step: &Arc<StepContext>, condition: &str, body: &str) -> Result<Tensor> {
        let tester = OpTester::named("While").input_list([Tensor::scalar(1f32)]);
        tester.attr("cond", function(condition)).attr("body", function(body)).step(step).run_one()
    }

    #[test]
    fn a_long_loop_of_quick_functions_does_not_use_up_the_stack() {
        assert_eq!(run(&step(false), "below_5000", "increment").unwrap().to_scalar::<f32>().unwrap(), 5000.0);
    }

    #[test]
    fn functions_may_end_on_other_threads() {
        assert_eq!(run(&step(true), "below_5000", "increment").unwrap().to_scalar::<f32>().unwrap(), 5000.0);
    }

    #[test]
    fn errors_and_wrong_counts_end_the_loop() {
        assert_eq!(run(&step(true), "below_5000", "lose").unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(run(&step(false), "lose", "increment").unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(run(&step(false), "below_5000", "nothing").unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn an_endless_loop_ends_with_its_step() {
        let step = step(true);
        let other = step.clone();
        let canceller = std::thread::spawn(move || other.cancellation.cancel(cancelled("stop")));
        assert_eq!(run(&step, "always", "increment").unwrap_err().code(), Code::Cancelled);
        canceller.join().unwrap();
    }
}
