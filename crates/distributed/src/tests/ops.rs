//! A few ops on floats, so that the cluster is tested without the op library.

use ferroflow_graph::OpRegistry;
use ferroflow_graph::kernel::*;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result, Tensor};
use std::sync::Arc;

const TO: &str = "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; \
                  client_terminated: bool = false";
const FROM: &str = "tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; \
                    client_terminated: bool = false";
const FLOW: &[Kernel] = &[Kernel::control_flow()];
const LOWERED: &[Kernel] = &[Kernel::cpu(|c| Err(invalid_argument(format!("{} should have been lowered", c.node.name))))];
const RECV: &[Kernel] = &[Kernel::waiting(|_| Ok(Box::new(Recv)))];
const SEND: &[Kernel] = &[Kernel::cpu(send).inline()];

const fn op(signature: &'static str, attrs: &'static str, flags: &'static str, kernels: &'static [Kernel]) -> OpSpec {
    OpSpec { signature, attrs, flags, kernels, ..WORDS }
}

static SPECS: &[OpSpec] = &[
    op("ShardedFilename(basename: int32, shard: int32, num_shards: int32) -> (filename: int32)", "", "", FLOW),
    op(
        "Const() -> (output: dtype)",
        "value: tensor; dtype: type",
        "",
        &[Kernel::cpu(|c| {
            let value = c.node.attrs.tensor("value")?.clone();
            c.set_output(0, value);
            Ok(())
        })],
    ),
    op(
        "Placeholder() -> (output: dtype)",
        "dtype: type; shape: shape = unknown",
        "",
        &[Kernel::cpu(|c| Err(invalid_argument(format!("You must feed a value for placeholder tensor '{}'", c.node.name))))],
    ),
    op("NoOp() -> ()", "", "", &[Kernel::cpu(|_| Ok(()))]),
    op(
        "Identity(input: T) -> (output: T)",
        "T: type",
        "",
        // A reference goes on unread.
        &[Kernel::cpu(|c| c.pass_on(0, 0))],
    ),
    op("Add(x: T, y: T) -> (z: T)", "T: type", "", &[Kernel::cpu(|c| arithmetic(c, |x, y| x + y))]),
    op("Mul(x: T, y: T) -> (z: T)", "T: type", "", &[Kernel::cpu(|c| arithmetic(c, |x, y| x * y))]),
    op(
        "Less(x: T, y: T) -> (z: bool)",
        "T: type",
        "",
        &[Kernel::cpu(|c| {
            let less = c.scalar::<f32>(0, "x")? < c.scalar::<f32>(1, "y")?;
            c.set_output(0, Tensor::scalar(less));
            Ok(())
        })],
    ),
    op(
        "VariableV2() -> (ref: Ref(dtype))",
        "dtype: type; shape: shape = unknown; container: string = \"\"",
        "stateful",
        &[Kernel::cpu(|c| {
            let name = c.node.name.to_string();
            let v = c.resources().lookup_or_create(c.node.attrs.str("container")?, &name, || Ok(Variable::new(&*name, DType::Float)))?;
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
        "FIFOQueueV2() -> (handle: float)",
        "",
        "stateful",
        &[Kernel::cpu(|c| {
            c.set_output(0, Tensor::scalar(0f32));
            Ok(())
        })],
    ),
    op("QueueEnqueueV2(handle: float, component: float) -> ()", "", "stateful", &[Kernel::waiting(|_| Ok(Box::new(Hang)))]),
    op(
        "QueueCloseV2(handle: float) -> ()",
        "cancel_pending_enqueues: bool = false",
        "stateful",
        &[Kernel::cpu(|_| Err(invalid_argument("it is closed")))],
    ),
    op("Fail() -> (x: float)", "", "stateful", &[Kernel::cpu(|_| Err(invalid_argument("boom")))]),
    op("Hang() -> (x: float)", "", "stateful", &[Kernel::waiting(|_| Ok(Box::new(Hang)))]),
    op("Switch(data: T, pred: bool) -> (output_false: T, output_true: T)", "T: type", "", FLOW),
    op("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type; N: int >= 1", "", FLOW),
    op("Enter(data: T) -> (output: T)", "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10", "", FLOW),
    op("Exit(data: T) -> (output: T)", "T: type", "", FLOW),
    op("NextIteration(data: T) -> (output: T)", "T: type", "", FLOW),
    op("LoopCond(input: bool) -> (output: bool)", "", "", FLOW),
    // Replaced by what they stand for.
    op(
        "If(cond: bool, input: Tin) -> (output: Tout)",
        "Tin: list(type); Tout: list(type); then_branch: func; else_branch: func",
        "stateful",
        LOWERED,
    ),
    op("While(input: T) -> (output: T)", "T: list(type); cond: func; body: func; parallel_iterations: int = 10", "stateful", LOWERED),
    op("StatefulPartitionedCall(args: Tin) -> (output: Tout)", "Tin: list(type); Tout: list(type); f: func", "stateful", LOWERED),
    op("_Arg() -> (output: T)", "T: type; index: int >= 0", "stateful", FLOW),
    op("_Retval(input: T) -> ()", "T: type; index: int >= 0", "stateful", FLOW),
    op("_Send(tensor: T) -> ()", TO, "stateful", SEND),
    op("_HostSend(tensor: T) -> ()", TO, "stateful", SEND),
    op("_Recv() -> (tensor: tensor_type)", FROM, "stateful", RECV),
    op("_HostRecv() -> (tensor: tensor_type)", FROM, "stateful", RECV),
];

pub(super) fn registry() -> Arc<OpRegistry> {
    Arc::new(OpRegistry::new(SPECS).unwrap())
}

fn arithmetic(c: &mut OpKernelContext, f: fn(f32, f32) -> f32) -> Result<()> {
    let z = f(c.scalar::<f32>(0, "x")?, c.scalar::<f32>(1, "y")?);
    c.set_output(0, Tensor::scalar(z));
    Ok(())
}

fn key(node: &ferroflow_graph::NodeInfo, at: FrameAndIter) -> Result<RendezvousKey> {
    let text = RendezvousKey::text(
        node.attrs.str("send_device")?,
        node.attrs.int("send_device_incarnation")? as u64,
        node.attrs.str("recv_device")?,
        node.attrs.str("tensor_name")?,
        at.frame_id,
        at.iter_id,
    );
    RendezvousKey::parse(&text)
}

fn send(c: &mut OpKernelContext) -> Result<()> {
    let key = key(c.node, c.frame_iter)?;
    c.send_input(0, &key)
}

struct Recv;

impl AsyncOpKernel for Recv {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        match key(&ctx.node, ctx.frame_iter) {
            Ok(key) => ctx.step.rendezvous.recv_async(
                &key,
                Box::new(move |r| done(r.map(|r| std::iter::once((!r.is_dead).then_some(Value::Tensor(r.tensor))).collect()))),
            ),
            Err(e) => done(Err(e)),
        }
    }
}

/// Waits until it is cancelled.
struct Hang;

impl AsyncOpKernel for Hang {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let done = Arc::new(parking_lot::Mutex::new(Some(done)));
        let end = done.clone();
        let finish = move |reason: &ferroflow_tensor::Error| {
            if let Some(done) = end.lock().take() {
                done(Err(reason.clone()));
            }
        };
        if let Err(reason) = ctx.step.cancellation.register(finish)
            && let Some(done) = done.lock().take()
        {
            done(Err(reason));
        }
    }
}
