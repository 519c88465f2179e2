//! What sends and receives share: the key under which the two ends of an edge between partitions meet.

use crate::prelude::*;
use ferroflow_graph::kernel::{AsyncOpContext, AsyncOpKernel, Done, FrameAndIter, Outputs, Received, RendezvousKey};

/// The keys of a node: that outside of loops is made once.
struct Keys {
    send_device: String,
    incarnation: u64,
    recv_device: String,
    tensor_name: String,
    outside_loops: RendezvousKey,
}

impl Keys {
    fn new(attrs: &AttrMap) -> Result<Keys> {
        let (send, recv, name) = (attrs.str("send_device")?, attrs.str("recv_device")?, attrs.str("tensor_name")?);
        // The attribute holds the 64 bits as a signed number.
        let incarnation = attrs.int("send_device_incarnation")? as u64;
        Ok(Keys {
            outside_loops: RendezvousKey::parse(&RendezvousKey::text(send, incarnation, recv, name, 0, 0))?,
            send_device: send.to_owned(),
            incarnation,
            recv_device: recv.to_owned(),
            tensor_name: name.to_owned(),
        })
    }

    /// Does something with the key for a place in the loops around.
    fn at<R>(&self, place: FrameAndIter, with: impl FnOnce(&RendezvousKey) -> R) -> R {
        if place == FrameAndIter::default() {
            return with(&self.outside_loops);
        }
        let text =
            RendezvousKey::text(&self.send_device, self.incarnation, &self.recv_device, &self.tensor_name, place.frame_id, place.iter_id);
        with(&RendezvousKey { full: text.into(), ..self.outside_loops.clone() })
    }
}

struct Send(Keys);

impl OpKernel for Send {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        self.0.at(ctx.frame_iter, |key| ctx.send_input(0, key))
    }
}

struct Recv {
    keys: Keys,
    dtype: DType,
}

impl AsyncOpKernel for Recv {
    fn compute_async(&self, ctx: AsyncOpContext, done: Done) {
        let dtype = self.dtype;
        let arrived = move |received: Received| -> Result<Outputs> {
            if received.is_dead {
                return Ok(Outputs::from_iter([None]));
            }
            if received.tensor.dtype() != dtype {
                return Err(internal(format!("received a tensor of type {}, expected {dtype}", received.tensor.dtype())));
            }
            Ok(Outputs::from_iter([Some(Value::Tensor(received.tensor))]))
        };
        let done = Box::new(move |result: Result<Received>| done(result.and_then(arrived)));
        self.keys.at(ctx.frame_iter, |key| ctx.step.rendezvous.recv_async(key, done));
    }
}

/// Makes the kernel of a send.
///
/// Errors: `InvalidArgument` for attributes that make no key.
pub(crate) fn build_send(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Send(Keys::new(&c.node.attrs)?)))
}

/// Makes the kernel of a receive.
///
/// Errors: `InvalidArgument` for attributes that make no key.
pub(crate) fn build_recv(c: &KernelConstruction) -> Result<Box<dyn AsyncOpKernel>> {
    Ok(Box::new(Recv { keys: Keys::new(&c.node.attrs)?, dtype: c.node.attrs.dtype("tensor_type")? }))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::bare_step;

    const DEVICE: &str = "/job:worker/replica:0/task:0/device:CPU:0";

    /// Sends a tensor under a name by one op and receives it by another, in either order of nodes.
    pub(crate) fn send_and_receive(send: &'static OpSpec, recv: &'static OpSpec) {
        let step = bare_step(1);
        let with_key = |t: OpTester| {
            t.step(&step)
                .attr("tensor_name", "edge_1_x")
                .attr("send_device", DEVICE)
                .attr("send_device_incarnation", -2i64)
                .attr("recv_device", DEVICE)
        };
        with_key(OpTester::new(send).input(tensor(&[2], &[1f32, 2.0]))).run().unwrap();
        let y = with_key(OpTester::new(recv)).attr("tensor_type", DType::Float).run_one().unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [1.0, 2.0]);
        with_key(OpTester::new(send).input(1i32)).run().unwrap();
        let e = with_key(OpTester::new(recv)).attr("tensor_type", DType::Float).run().unwrap_err();
        assert_eq!(e.code(), Code::Internal);
    }

    #[test]
    fn a_dead_tensor_makes_the_output_dead() {
        let step = bare_step(1);
        let key = RendezvousKey::parse(&RendezvousKey::text(DEVICE, 1, DEVICE, "t", 0, 0)).unwrap();
        step.rendezvous.send(&key, Received { tensor: Tensor::scalar(0i32), is_dead: true }).unwrap();
        let (node, inputs) = OpTester::new(&super::super::recv::OP)
            .step(&step)
            .attr("tensor_type", DType::Int32)
            .attr("tensor_name", "t")
            .attr("send_device", DEVICE)
            .attr("send_device_incarnation", 1i64)
            .attr("recv_device", DEVICE)
            .build()
            .unwrap();
        assert!(node.run(inputs).unwrap()[0].is_none());
    }

    #[test]
    fn a_receive_ends_when_the_step_is_aborted() {
        let step = bare_step(1);
        step.rendezvous.abort(ferroflow_tensor::error::unavailable("task lost"));
        let e = OpTester::new(&super::super::recv::OP)
            .step(&step)
            .attr("tensor_type", DType::Int32)
            .attr("tensor_name", "t")
            .attr("send_device", DEVICE)
            .attr("send_device_incarnation", 1i64)
            .attr("recv_device", DEVICE)
            .run()
            .unwrap_err();
        assert_eq!(e.code(), Code::Unavailable);
    }

    #[test]
    fn keys_of_other_iterations_differ() {
        let mut attrs = AttrMap::new();
        attrs.insert("send_device", DEVICE);
        attrs.insert("recv_device", DEVICE);
        attrs.insert("tensor_name", "t");
        attrs.insert("send_device_incarnation", 255i64);
        let keys = Keys::new(&attrs).unwrap();
        let text = keys.at(FrameAndIter { frame_id: 3, iter_id: 2 }, |k| k.full.to_string());
        assert_eq!(text, format!("{DEVICE};00000000000000ff;{DEVICE};t;3:2"));
        assert!(keys.at(FrameAndIter::default(), |k| k.full.ends_with(";t;0:0")));
    }
}
