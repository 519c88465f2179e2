//! `_HostRecv`: `_Recv` of a tensor into host memory.

use super::rendezvous_node;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_HostRecv() -> (tensor: tensor_type)",
    attrs: "tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; \
            client_terminated: bool = false",
    flags: "stateful",
    doc: "The tensor, in host memory, that the `_HostSend` with the same key hands over; waits for it without holding a thread.",
    kernels: &[Kernel::waiting(rendezvous_node::build_recv)],
    ..WORDS
};
