//! `_Send`: a tensor on its way to another partition.

use super::rendezvous_node;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_Send(tensor: T) -> ()",
    attrs: "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; client_terminated: bool = \
            false",
    flags: "stateful",
    doc: "Hands `tensor` to the `_Recv` with the same key, wherever it runs.",
    shape: shape::none,
    kernels: &[Kernel::built(rendezvous_node::build_send).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::super::{recv, rendezvous_node};

    #[test]
    fn what_is_sent_is_received() {
        rendezvous_node::tests::send_and_receive(&super::OP, &recv::OP);
    }
}
