//! `Device`: where kernels run, with the resources that live there (TF: `Device`, `RenamedDevice`).

use ferroflow_graph::kernel::{DeviceInfo, ResourceManager};
use ferroflow_tensor::DeviceSpec;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// A device of this task.
#[derive(Clone)]
pub struct Device {
    /// Name and incarnation.
    pub info: Arc<DeviceInfo>,
    /// What lives here between steps: variables, queues, tables.
    pub resources: Arc<ResourceManager>,
}

impl Device {
    /// A CPU device of a task, with a new random incarnation. Its resources are in a container named like the job unless a node says otherwise.
    pub fn cpu(job: &str, task: u32, id: u32) -> Device {
        Device::new(DeviceSpec::cpu(job, task, id))
    }

    /// A device of this full name, with a new random incarnation and no resources yet.
    pub fn new(spec: DeviceSpec) -> Device {
        let resources = Arc::new(ResourceManager::new(spec.job.clone().unwrap_or_default()));
        Device { info: Arc::new(DeviceInfo { name: spec.to_string().into(), spec, incarnation: random_incarnation() }), resources }
    }

    /// The same device with resources of its own, for sessions that share no state (TF: `isolate_session_state`).
    pub fn isolated(&self) -> Device {
        Device { info: self.info.clone(), resources: Arc::new(ResourceManager::new(self.resources.default_container())) }
    }

    /// The same device under the name that it has in a session's own cluster (TF: `RenamedDevice`). Incarnation and resources stay.
    pub fn renamed(&self, job: &str, task: u32) -> Device {
        let spec = DeviceSpec { job: Some(job.to_owned()), task: Some(task), ..self.info.spec.clone() };
        let info = DeviceInfo { name: spec.to_string().into(), spec, incarnation: self.info.incarnation };
        Device { info: Arc::new(info), resources: self.resources.clone() }
    }

    /// Its type, such as `CPU`.
    pub fn device_type(&self) -> &str {
        self.info.spec.device_type.as_deref().unwrap_or("CPU")
    }
}

/// A number that tells a restarted process from its predecessor; never 0, which TF reads as "unknown".
fn random_incarnation() -> u64 {
    // The standard library seeds each `RandomState` from the system's random numbers.
    RandomState::new().hash_one(std::process::id()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::kernel::Variable;
    use ferroflow_tensor::DType;

    #[test]
    fn two_instances_of_a_device_differ_in_incarnation() {
        let (a, b) = (Device::cpu("ps", 0, 0), Device::cpu("ps", 0, 0));
        assert_eq!(&*a.info.name, "/job:ps/replica:0/task:0/device:CPU:0");
        assert_ne!(a.info.incarnation, b.info.incarnation);
        assert_eq!(a.resources.default_container(), "ps");
    }

    #[test]
    fn an_isolated_device_shares_no_variables_and_a_renamed_one_does() {
        let device = Device::cpu("worker", 1, 0);
        device.resources.lookup_or_create("", "v", || Ok(Variable::new("v", DType::Float))).unwrap();
        assert!(device.isolated().resources.lookup::<Variable>("", "v").is_err());
        let renamed = device.renamed("localhost", 0);
        assert_eq!(&*renamed.info.name, "/job:localhost/replica:0/task:0/device:CPU:0");
        assert_eq!(renamed.info.incarnation, device.info.incarnation);
        assert!(renamed.resources.lookup::<Variable>("", "v").is_ok());
    }
}
