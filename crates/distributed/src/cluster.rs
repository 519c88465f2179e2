//! `ClusterSpec`: the tasks of a cluster and their addresses (TF: `ClusterSpec`, `ClusterDef`).

use ferroflow_proto as pb;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Result};
use std::collections::BTreeMap;

/// Jobs by name; in each the addresses by task index, which may have gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterSpec {
    /// Addresses by job and index.
    pub jobs: BTreeMap<String, BTreeMap<u32, String>>,
}

/// One task of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    /// Name of its job.
    pub job: String,
    /// Its index in the job.
    pub index: u32,
}

impl TaskId {
    /// A task.
    pub fn new(job: impl Into<String>, index: u32) -> TaskId {
        TaskId { job: job.into(), index }
    }

    /// Its device name without device, `/job:ps/replica:0/task:0`: TF calls it the worker's name or target.
    pub fn name(&self) -> String {
        format!("/job:{}/replica:0/task:{}", self.job, self.index)
    }

    /// Its device name as a constraint.
    pub fn spec(&self) -> DeviceSpec {
        DeviceSpec::for_task(&self.job, self.index)
    }

    /// The task that a device belongs to, if the name says so.
    pub fn of_device(device: &DeviceSpec) -> Option<TaskId> {
        Some(TaskId { job: device.job.clone()?, index: device.task? })
    }
}

impl ClusterSpec {
    /// Reads TF's message.
    ///
    /// Errors: `InvalidArgument` for a negative index, a job named twice, or a name that no job can have.
    pub fn from_proto(def: &pb::ClusterDef) -> Result<ClusterSpec> {
        let mut jobs = BTreeMap::new();
        for job in &def.job {
            DeviceSpec::parse(&format!("/job:{}", job.name))
                .map_err(|_| invalid_argument(format!("'{}' cannot be a job's name", job.name)))?;
            let mut tasks = BTreeMap::new();
            for (&index, address) in &job.tasks {
                let index = u32::try_from(index).map_err(|_| invalid_argument(format!("job '{}' has a task {index}", job.name)))?;
                tasks.insert(index, address.clone());
            }
            if jobs.insert(job.name.clone(), tasks).is_some() {
                return Err(invalid_argument(format!("the cluster has job '{}' twice", job.name)));
            }
        }
        Ok(ClusterSpec { jobs })
    }

    /// TF's message.
    pub fn to_proto(&self) -> pb::ClusterDef {
        let job = |(name, tasks): (&String, &BTreeMap<u32, String>)| pb::JobDef {
            name: name.clone(),
            tasks: tasks.iter().filter_map(|(&i, a)| Some((i32::try_from(i).ok()?, a.clone()))).collect(),
        };
        pb::ClusterDef { job: self.jobs.iter().map(job).collect() }
    }

    /// Whether it has no task.
    pub fn is_empty(&self) -> bool {
        self.jobs.values().all(|tasks| tasks.is_empty())
    }

    /// Every task with its address, by job and index.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, &str)> {
        self.jobs.iter().flat_map(|(job, tasks)| tasks.iter().map(move |(&i, address)| (TaskId::new(job, i), address.as_str())))
    }

    /// The address of a task.
    pub fn address(&self, task: &TaskId) -> Option<&str> {
        self.jobs.get(&task.job)?.get(&task.index).map(|a| a.as_str())
    }

    /// The task with this address.
    pub fn task_at(&self, address: &str) -> Option<TaskId> {
        self.tasks().find(|(_, a)| *a == address).map(|(task, _)| task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_kept_and_tasks_are_found_by_address() {
        let tasks = [(0, "a:1".to_owned()), (3, "b:1".to_owned())].into();
        let def = pb::ClusterDef { job: vec![pb::JobDef { name: "worker".into(), tasks }] };
        let spec = ClusterSpec::from_proto(&def).unwrap();
        assert_eq!(spec.task_at("b:1"), Some(TaskId::new("worker", 3)));
        assert_eq!(spec.address(&TaskId::new("worker", 1)), None);
        assert_eq!(spec.to_proto(), def);
        assert_eq!(TaskId::new("worker", 3).name(), "/job:worker/replica:0/task:3");
    }

    #[test]
    fn impossible_clusters_are_refused() {
        let job = |name: &str, index| pb::JobDef { name: name.into(), tasks: [(index, "a:1".to_owned())].into() };
        for jobs in [vec![job("1x", 0)], vec![job("ps", -1)], vec![job("ps", 0), job("ps", 1)]] {
            assert!(ClusterSpec::from_proto(&pb::ClusterDef { job: jobs }).is_err());
        }
    }
}
