//! `Rendezvous`: where a step's producers and consumers of tensors meet, by key (TF: `Rendezvous`).

use super::Variable;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Error, Result, Tensor};
use std::sync::Arc;

/// A parsed key: `send device;incarnation;receive device;tensor name;frame:iteration`.
#[derive(Clone, Debug)]
pub struct RendezvousKey {
    /// The whole text, by which both sides find each other.
    pub full: Arc<str>,
    /// The producing device.
    pub send_device: Arc<DeviceSpec>,
    /// Incarnation of the producing device.
    pub send_incarnation: u64,
    /// The consuming device.
    pub recv_device: Arc<DeviceSpec>,
    /// What is sent (`edge_4_v/read`).
    pub tensor_name: Arc<str>,
}

impl RendezvousKey {
    /// The text of a key.
    pub fn text(send_device: &str, incarnation: u64, recv_device: &str, tensor_name: &str, frame: u64, iteration: i64) -> String {
        format!("{send_device};{incarnation:016x};{recv_device};{tensor_name};{frame}:{iteration}")
    }

    /// Parses a key.
    ///
    /// Errors: `InvalidArgument` `Invalid  rendezvous key: …` (two blanks, as TF writes it).
    pub fn parse(text: &str) -> Result<RendezvousKey> {
        let bad = || invalid_argument(format!("Invalid  rendezvous key: {text}"));
        let parts: Vec<&str> = text.split(';').collect();
        let [send, incarnation, recv, name, _frame] = parts[..] else { return Err(bad()) };
        Ok(RendezvousKey {
            full: text.into(),
            send_device: Arc::new(DeviceSpec::parse(send).map_err(|_| bad())?),
            send_incarnation: u64::from_str_radix(incarnation, 16).map_err(|_| bad())?,
            recv_device: Arc::new(DeviceSpec::parse(recv).map_err(|_| bad())?),
            tensor_name: name.into(),
        })
    }
}

/// What arrives: the tensor, and whether it is dead (then the tensor means nothing).
#[derive(Clone, Debug)]
pub struct Received {
    /// The tensor.
    pub tensor: Tensor,
    /// Whether the producer's side of a conditional was not taken.
    pub is_dead: bool,
}

/// Called once with what arrived, or with why nothing will.
pub type RecvDone = Box<dyn FnOnce(Result<Received>) + Send>;

/// The meeting place of one step. Either side may come first; each value is delivered once.
pub trait Rendezvous: Send + Sync {
    /// Hands over a value. Never waits.
    ///
    /// Errors: why the step was aborted; `Internal`/`Aborted` if the key was sent already.
    fn send(&self, key: &RendezvousKey, value: Received) -> Result<()>;

    /// Hands over what a variable holds when it is received; one that cannot wait with reading it reads at once, as here.
    ///
    /// Errors: as [`Rendezvous::send`]; `FailedPrecondition` if the variable is not initialized.
    fn send_variable(&self, key: &RendezvousKey, variable: &Arc<Variable>) -> Result<()> {
        self.send(key, Received { tensor: variable.read()?, is_dead: false })
    }

    /// Asks for a value; `done` is called when it is there or the step is aborted, perhaps before this returns.
    fn recv_async(&self, key: &RendezvousKey, done: RecvDone);

    /// Gives up: every waiting and every later receiver and sender gets this error.
    fn abort(&self, error: Error);
}
