//! The kernels of `While` and `For`: run the body as long as the condition holds or numbers last, without a thread and without growing the
//! stack.
//!
//! Functions may end at once or later, on another thread. Whoever ends one goes on with the loop; if that happens before the call
//! has returned, the caller itself goes on, so that a long loop of quick functions does not nest.

use super::function_call::{FunctionCall, is_true, outputs};
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, KernelConstruction, StepContext, Value};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;

struct Functions {
    /// Nothing if numbers are counted instead.
    condition: Option<FunctionCall>,
    body: FunctionCall,
}

struct While(Arc<Functions>);

struct For(Arc<Functions>);

/// The numbers of a `For`, which are the first argument of its body.
#[derive(Clone, Copy)]
struct Count {
    next: i32,
    limit: i32,
    delta: i32,
}

impl Count {
    /// The numbers that the first three inputs say.
    fn of(ctx: &AsyncOpContext) -> Result<Count> {
        let number = |i: usize| ctx.input(i)?.to_scalar::<i32>();
        let count = Count { next: number(0)?, limit: number(1)?, delta: number(2)? };
        let Count { next, limit, delta } = count;
        if !(delta > 0 && next <= limit || delta < 0 && next >= limit || delta == 0 && next == limit) {
            return Err(invalid_argument(format!("Invalid start/limit/delta: {next} {limit} {delta}")));
        }
        Ok(count)
    }

    fn is_over(&self) -> bool {
        self.delta > 0 && self.next >= self.limit || self.delta < 0 && self.next <= self.limit || self.delta == 0
    }
}

/// Builds the kernel.
///
/// Errors: `InvalidArgument` without the attributes.
pub(super) fn build(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    let function = |name: &str| -> Result<FunctionCall> { Ok(FunctionCall::new(c.node.attrs.func(name)?)) };
    Ok(Box::new(While(Arc::new(Functions { condition: Some(function("cond")?), body: function("body")? }))))
}

/// Builds the kernel of a loop over numbers.
///
/// Errors: `InvalidArgument` without the attributes.
pub(super) fn build_for(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    let body = FunctionCall::new(c.node.attrs.func("body")?);
    Ok(Box::new(For(Arc::new(Functions { condition: None, body }))))
}

impl AsyncOpKernel for For {
    fn compute_async(&self, mut ctx: AsyncOpContext, done: Done) {
        let count = match Count::of(&ctx) {
            Ok(count) => Some(count),
            Err(e) => return done(Err(e)),
        };
        let values = ctx.inputs.split_off(3.min(ctx.inputs.len()));
        let run = LoopRun { functions: self.0.clone(), node: ctx.node, step: ctx.step, values, count, done };
        run.go_on(Turn::Condition);
    }
}

impl AsyncOpKernel for While {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let run = LoopRun { functions: self.0.clone(), node: ctx.node, step: ctx.step, values: ctx.inputs, count: None, done };
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
    count: Option<Count>,
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
            if let (Turn::Condition, Some(count)) = (turn, &run.count) {
                if count.is_over() {
                    return (run.done)(outputs(&run.node, run.values));
                }
                turn = Turn::Body;
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
            let (functions, step) = (run.functions.clone(), run.step.clone());
            let number = run.count.map(|count| Value::Tensor(Tensor::scalar(count.next)));
            let args = number.into_iter().chain(run.values.iter().cloned()).collect();
            let function = match (turn, &functions.condition) {
                (Turn::Condition, Some(condition)) => condition,
                _ => &functions.body,
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
                if let Some(count) = &mut self.count {
                    // A number that does not exist is behind every limit.
                    match count.next.checked_add(count.delta) {
                        Some(next) => count.next = next,
                        None => count.delta = 0,
                    }
                }
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
    use ferroflow_graph::kernel::{StepContext, Value};
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
    fn a_loop_over_numbers_gives_them_to_its_body() {
        fn add(a: Vec<Value>) -> Result<Vec<Value>> {
            let (i, x) = (a[0].to_tensor()?.to_scalar::<i32>()?, a[1].to_tensor()?.to_scalar::<i32>()?);
            Ok(vec![Tensor::scalar(x * 10 + i).into()])
        }
        let run = |numbers: [i32; 3], on_threads: bool| {
            let tester = OpTester::named("For").input(numbers[0]).input(numbers[1]).input(numbers[2]).input_list([Tensor::scalar(0i32)]);
            let y = tester.attr("body", function("add")).step(&step_with(vec![("add", |a| add(a))], on_threads)).run_one();
            y.and_then(|y| y.to_scalar::<i32>())
        };
        assert_eq!(run([1, 6, 2], false).unwrap(), 135);
        assert_eq!(run([5, 2, -1], true).unwrap(), 543);
        assert_eq!((run([3, 3, 1], false).unwrap(), run([3, 3, 0], false).unwrap()), (0, 0));
        assert_eq!(run([i32::MAX - 1, i32::MAX, i32::MAX], false).unwrap(), i32::MAX - 1);
        for bad in [[3, 2, 1], [2, 3, -1], [2, 3, 0]] {
            assert_eq!(run(bad, false).unwrap_err().code(), Code::InvalidArgument);
        }
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
