//! A few ops with kernels for tests; the real ones lie above this crate.

use ferroflow_graph::kernel::*;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::{NodeInfo, OpRegistry};
use ferroflow_tensor::error::{invalid_argument, out_of_range};
use ferroflow_tensor::{Result, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const fn op(signature: &'static str, attrs: &'static str, flags: &'static str, kernel: &'static [Kernel]) -> OpSpec {
    OpSpec { signature, attrs, flags, kernels: kernel, ..WORDS }
}

const FLOW: &[Kernel] = &[Kernel::control_flow()];
const CALL: &[Kernel] = &[Kernel::waiting(|_| Ok(Box::new(Call)))];
const LOWERED: &[Kernel] = &[Kernel::cpu(|c| Err(invalid_argument(format!("{} should have been lowered", c.node.name))))];
const TRANSFER: &str = "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string";

pub(crate) static SPECS: &[OpSpec] = &[
    op(
        "Const() -> (output: dtype)",
        "value: tensor; dtype: type",
        "",
        &[Kernel::built(|c| Ok(Box::new(Const(c.node.attrs.tensor("value")?.clone())))).inline()],
    ),
    op(
        "Placeholder() -> (output: dtype)",
        "dtype: type; shape: shape = unknown",
        "",
        &[Kernel::cpu(|_| Err(invalid_argument("You must feed a value for placeholder tensor")))],
    ),
    op("NoOp() -> ()", "", "", &[Kernel::cpu(|_| Ok(())).inline()]),
    op("Identity(input: T) -> (output: T)", "T: type", "", &[Kernel::cpu(|c| c.pass_on(0, 0)).inline()]),
    op("Add(x: T, y: T) -> (z: T)", "T: type", "commutative", &[Kernel::cpu(|c| arithmetic(c, |x, y| x.wrapping_add(y)))]),
    op("AddOne(x: int32) -> (y: int32)", "", "", &[Kernel::cpu(add_one).inline()]),
    op("Mul(x: T, y: T) -> (z: T)", "T: type", "", &[Kernel::cpu(|c| arithmetic(c, |x, y| x.wrapping_mul(y)))]),
    op(
        "Less(x: int32, y: int32) -> (z: bool)",
        "",
        "",
        &[Kernel::cpu(|c| {
            let z = c.scalar::<i32>(0, "x")? < c.scalar::<i32>(1, "y")?;
            c.set_output(0, Tensor::scalar(z));
            Ok(())
        })],
    ),
    // Whether nobody else holds the input's memory.
    op(
        "IsUnique(x: T) -> (y: bool)",
        "T: type",
        "",
        &[Kernel::cpu(|c| {
            let unique = c.input(0)?.is_unique();
            c.set_output(0, Tensor::scalar(unique));
            Ok(())
        })
        .inline()],
    ),
    op(
        "Heavy(x: int32) -> (y: int32)",
        "",
        "",
        &[Kernel::cpu(|c| {
            meet(c)?;
            c.pass_on(0, 0)
        })
        .heavy()],
    ),
    op(
        "ThreadId() -> (id: string)",
        "",
        "stateful",
        &[Kernel::cpu(|c| {
            c.set_output(0, Tensor::string(format!("{:?}", std::thread::current().id()).into_bytes()));
            Ok(())
        })
        .inline()],
    ),
    op(
        "Count() -> ()",
        "",
        "stateful",
        &[Kernel::cpu(|c| {
            tally(c.resources(), &c.node.name)?.0.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .inline()],
    ),
    op("Fail() -> ()", "message: string", "", &[Kernel::cpu(|c| Err(out_of_range(c.node.attrs.str("message")?)))]),
    op("Panic() -> ()", "", "", &[Kernel::cpu(|_| panic!("the kernel's own words"))]),
    op("Forgetful() -> (x: int32)", "", "", &[Kernel::cpu(|_| Ok(()))]),
    op(
        "VariableV2() -> (ref: Ref(dtype))",
        "dtype: type; shape: shape = unknown",
        "stateful",
        &[Kernel::cpu(|c| {
            let dtype = c.node.attrs.dtype("dtype")?;
            let v = c.resources().lookup_or_create("", &c.node.name, || Ok(Variable::new(&*c.node.name, dtype)))?;
            c.set_output_ref(0, v);
            Ok(())
        })],
    ),
    op(
        "Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T))",
        "T: type",
        "uninitialized_input",
        &[Kernel::cpu(|c| {
            c.input_ref(0)?.set(c.input(1)?.clone());
            c.pass_on(0, 0)
        })],
    ),
    op(
        "AssignAdd(ref: Ref(T), value: T) -> (output_ref: Ref(T))",
        "T: type",
        "",
        &[Kernel::cpu(|c| {
            let by = c.scalar::<i32>(1, "value")?;
            c.input_ref(0)?.update(|t| {
                t.make_mut::<i32>()?[0] += by;
                Ok(())
            })?;
            c.pass_on(0, 0)
        })],
    ),
    op("Wait() -> (x: int32)", "", "stateful", &[Kernel::waiting(|_| Ok(Box::new(Wait)))]),
    op("Drops() -> (x: int32)", "", "", &[Kernel::waiting(|_| Ok(Box::new(Drops)))]),
    op("PanicsWaiting() -> (x: int32)", "", "", &[Kernel::waiting(|_| Ok(Box::new(PanicsWaiting)))]),
    op("AtOnce(x: int32) -> (y: int32)", "", "", &[Kernel::waiting(|_| Ok(Box::new(AtOnce))).heavy()]),
    op("Call(args: Tin) -> (results: Tout)", "Tin: list(type); Tout: list(type); f: func", "", &[Kernel::waiting(|_| Ok(Box::new(Call)))]),
    // What lowering replaces; those that stay call their functions.
    op("PartitionedCall(args: Tin) -> (output: Tout)", "Tin: list(type); Tout: list(type); f: func", "", CALL),
    op("StatefulPartitionedCall(args: Tin) -> (output: Tout)", "Tin: list(type); Tout: list(type); f: func", "stateful", CALL),
    op(
        "If(cond: Tcond, input: Tin) -> (output: Tout)",
        "Tcond: type; Tin: list(type); Tout: list(type); then_branch: func; else_branch: func",
        "stateful",
        LOWERED,
    ),
    op(
        "Case(branch_index: int32, input: Tin) -> (output: Tout)",
        "Tin: list(type); Tout: list(type); branches: list(func)",
        "stateful",
        LOWERED,
    ),
    op("While(input: T) -> (output: T)", "T: list(type); cond: func; body: func; parallel_iterations: int = 10", "stateful", LOWERED),
    op(
        "ToBool(input: T) -> (output: bool)",
        "T: type",
        "",
        &[Kernel::cpu(|c| {
            let holds = c.scalar::<i32>(0, "input")? != 0;
            c.set_output(0, Tensor::scalar(holds));
            Ok(())
        })],
    ),
    // 1, 2, 3 … as long as the kernel lives.
    op("Serial() -> (y: int32)", "", "stateful", &[Kernel::built(|_| Ok(Box::new(Serial::default())))]),
    op("_Send(tensor: T) -> ()", TRANSFER, "stateful", &[Kernel::cpu(send).inline()]),
    op("_Recv() -> (tensor: T)", TRANSFER, "stateful", &[Kernel::waiting(|_| Ok(Box::new(Recv)))]),
    op("_Arg() -> (output: T)", "T: type; index: int >= 0", "stateful", FLOW),
    op("_Retval(input: T) -> ()", "T: type; index: int >= 0", "stateful", FLOW),
    op("Switch(data: T, pred: bool) -> (output_false: T, output_true: T)", "T: type", "", FLOW),
    op("RefSwitch(data: Ref(T), pred: bool) -> (output_false: Ref(T), output_true: Ref(T))", "T: type", "uninitialized_input", FLOW),
    op("_SwitchN(data: T, output_index: int32) -> (outputs: num_outs * T)", "T: type; num_outs: int >= 1", "", FLOW),
    op("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type; N: int >= 1", "", FLOW),
    op("Enter(data: T) -> (output: T)", "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10", "", FLOW),
    op("Exit(data: T) -> (output: T)", "T: type", "", FLOW),
    op("NextIteration(data: T) -> (output: T)", "T: type", "", FLOW),
    op("LoopCond(input: bool) -> (output: bool)", "", "", FLOW),
    op("ControlTrigger() -> ()", "", "", FLOW),
];

pub(crate) fn registry() -> Arc<OpRegistry> {
    Arc::new(OpRegistry::new(SPECS).unwrap())
}

struct Const(Tensor);

impl OpKernel for Const {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        ctx.set_output(0, self.0.clone());
        Ok(())
    }
}

#[derive(Default)]
struct Serial(AtomicUsize);

impl OpKernel for Serial {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let n = self.0.fetch_add(1, Ordering::SeqCst) as i32 + 1;
        ctx.set_output(0, Tensor::scalar(n));
        Ok(())
    }
}

fn arithmetic(c: &mut OpKernelContext, f: fn(i32, i32) -> i32) -> Result<()> {
    let y = c.input(1)?.clone();
    let mut x = c.take_input(0)?;
    for (x, y) in x.make_mut::<i32>()?.iter_mut().zip(y.as_slice::<i32>()?) {
        *x = f(*x, *y);
    }
    c.set_output(0, x);
    Ok(())
}

fn add_one(c: &mut OpKernelContext) -> Result<()> {
    let mut x = c.take_input(0)?;
    x.make_mut::<i32>()?[0] += 1;
    c.set_output(0, x);
    Ok(())
}

/// A number that tests look at, by node.
#[derive(Default)]
pub(crate) struct Tally(pub(crate) AtomicUsize);

impl Resource for Tally {
    fn type_name(&self) -> &'static str {
        "Tally"
    }
}

pub(crate) fn tally(resources: &ResourceManager, node: &str) -> Result<Arc<Tally>> {
    resources.lookup_or_create("", node, || Ok(Tally::default()))
}

/// Where `Heavy` kernels wait for each other, so that a test sees that they ran at the same time.
pub(crate) struct Meeting(pub(crate) std::sync::Barrier);

impl Resource for Meeting {
    fn type_name(&self) -> &'static str {
        "Meeting"
    }
}

fn meet(c: &OpKernelContext) -> Result<()> {
    if let Ok(meeting) = c.resources().lookup::<Meeting>("", "meeting") {
        meeting.0.wait();
    }
    Ok(())
}

/// Kernels that wait, by node; the test ends their waits.
#[derive(Default)]
pub(crate) struct Gate {
    waiting: Mutex<HashMap<String, Done>>,
    arrived: parking_lot::Condvar,
}

impl Resource for Gate {
    fn type_name(&self) -> &'static str {
        "Gate"
    }
}

pub(crate) fn gate(resources: &ResourceManager) -> Arc<Gate> {
    resources.lookup_or_create("", "gate", || Ok(Gate::default())).unwrap()
}

impl Gate {
    /// Waits until the node waits, and ends its wait.
    pub(crate) fn open(&self, node: &str, value: i32) {
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(done) = waiting.remove(node) {
                drop(waiting);
                return done(Ok([Some(Tensor::scalar(value).into())].into_iter().collect()));
            }
            self.arrived.wait(&mut waiting);
        }
    }

    /// Waits until the node waits.
    pub(crate) fn await_arrival(&self, node: &str) {
        let mut waiting = self.waiting.lock();
        while !waiting.contains_key(node) {
            self.arrived.wait(&mut waiting);
        }
    }
}

struct Wait;

impl AsyncOpKernel for Wait {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let gate = gate(&ctx.step.resources);
        let name = ctx.node.name.to_string();
        gate.waiting.lock().insert(name.clone(), done);
        gate.arrived.notify_all();
        let cancelled = move |e: &ferroflow_tensor::Error| {
            if let Some(done) = gate.waiting.lock().remove(&name) {
                done(Err(e.clone().derived()));
            }
        };
        if let Err(e) = ctx.step.cancellation.register(cancelled) {
            let done = gate_of(&ctx.step, &ctx.node);
            done.into_iter().for_each(|d| d(Err(e.clone())));
        }
    }
}

fn gate_of(step: &StepContext, node: &NodeInfo) -> Option<Done> {
    gate(&step.resources).waiting.lock().remove(&*node.name)
}

struct Drops;

impl AsyncOpKernel for Drops {
    fn compute_async(&self, _ctx: AsyncOpContext, done: Done) {
        drop(done);
    }
}

struct PanicsWaiting;

impl AsyncOpKernel for PanicsWaiting {
    fn compute_async(&self, _ctx: AsyncOpContext, _done: Done) {
        panic!("while waiting");
    }
}

struct AtOnce;

impl AsyncOpKernel for AtOnce {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        done(Ok(ctx.inputs.into_iter().map(Some).collect()));
    }
}

/// Runs a function, as `PartitionedCall` does.
struct Call;

impl AsyncOpKernel for Call {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let functions = ctx.step.functions.as_ref().unwrap();
        let f = ctx.node.attrs.func("f").unwrap();
        match functions.instantiate(&f.name, &f.attrs) {
            Ok(handle) => functions.run(handle, &ctx.step, ctx.inputs, Box::new(|r| done(r.map(|v| v.into_iter().map(Some).collect())))),
            Err(e) => done(Err(e)),
        }
    }
}

fn key(node: &NodeInfo, at: FrameAndIter) -> Result<RendezvousKey> {
    let a = &node.attrs;
    let (from, to, name) = (a.str("send_device")?, a.str("recv_device")?, a.str("tensor_name")?);
    RendezvousKey::parse(&RendezvousKey::text(from, a.int("send_device_incarnation")? as u64, to, name, at.frame_id, at.iter_id))
}

fn send(c: &mut OpKernelContext) -> Result<()> {
    let key = key(c.node, c.frame_iter)?;
    c.send_input(0, &key)
}

struct Recv;

impl AsyncOpKernel for Recv {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        match key(&ctx.node, ctx.frame_iter) {
            Err(e) => done(Err(e)),
            Ok(key) => ctx
                .step
                .rendezvous
                .recv_async(&key, Box::new(|r| done(r.map(|r| [(!r.is_dead).then_some(Value::Tensor(r.tensor))].into_iter().collect())))),
        }
    }
}
