//! `_HostSend`: `_Send` of a tensor that lives in host memory.

use super::rendezvous_node;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_HostSend(tensor: T) -> ()",
    attrs: "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; client_terminated: bool = \
            false",
    flags: "stateful",
    doc: "Hands `tensor`, which is in host memory, to the `_HostRecv` with the same key, wherever it runs.",
    shape: shape::none,
    kernels: &[Kernel::built(rendezvous_node::build_send).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::super::{host_recv, rendezvous_node};

    #[test]
    fn what_is_sent_is_received() {
        rendezvous_node::tests::send_and_receive(&super::OP, &host_recv::OP);
    }
}
