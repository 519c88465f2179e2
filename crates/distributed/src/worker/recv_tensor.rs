//! RecvTensor: another task asks for what a step produces here (TF: `GrpcWorker::GrpcRecvTensorAsync`).

use super::Worker;
use crate::call::{CallOptions, Done};
use crate::worker_interface::RecvTensorRequest;
use ferroflow_graph::kernel::{Received, RendezvousKey};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{aborted, invalid_argument};

impl Worker {
    pub(super) fn serve_recv_tensor(&self, options: CallOptions, request: RecvTensorRequest, done: Done<Received>) {
        let checked = self.recent_requests.track(request.request_id, "RecvTensor (GrpcWorker)");
        match checked.and_then(|()| self.check_producer(&request.key)) {
            Ok(()) => self.rendezvous_mgr.recv_local(request.step_id, &request.key, options.cancellation.as_ref(), done),
            Err(e) => done(Err(e)),
        }
    }

    /// Whether the key's producer is a device of this start of the task: no tensor of a restarted task may get into a step that was
    /// planned with its predecessor. Sessions may know the task by another name, so only the device part counts.
    fn check_producer(&self, key: &str) -> Result<()> {
        let key = RendezvousKey::parse(key)?;
        let wanted = &key.send_device;
        let same =
            |d: &&std::sync::Arc<ferroflow_runtime::Device>| d.info.spec.device_type == wanted.device_type && d.info.spec.id == wanted.id;
        let Some(device) = self.env().devices.iter().find(same) else {
            let (kind, id) = (wanted.device_type.as_deref().unwrap_or("*"), wanted.id.map_or("*".to_owned(), |id| id.to_string()));
            return Err(invalid_argument(format!("/device:{kind}:{id} unknown device.")));
        };
        let actual = device.info.incarnation;
        if key.send_incarnation != actual {
            return Err(aborted(format!(
                "RecvTensor expects a different device incarnation: {} vs. {actual}. Your worker job (\"{}\") was probably restarted. \
                 Check your worker job for the reason why it was restarted.",
                key.send_incarnation,
                wanted.task_part()
            )));
        }
        Ok(())
    }
}
