//! `DeviceSpec`: full and partial device names (TF: `DeviceNameUtils::ParsedName`, `tf.DeviceSpec`).

use crate::error::{Result, invalid_argument};
use std::fmt;

/// A device name in which any part may be missing: `/job:ps/replica:0/task:1/device:CPU:0`, `/job:ps`, `/device:GPU:*`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceSpec {
    /// Name of the job.
    pub job: Option<String>,
    /// Replica; always 0 in full names.
    pub replica: Option<u32>,
    /// Index of the task in its job.
    pub task: Option<u32>,
    /// Device type in capitals for CPU and GPU.
    pub device_type: Option<String>,
    /// Index of the device in its task and type.
    pub id: Option<u32>,
}

impl DeviceSpec {
    /// Parses a full, partial, local (`CPU:0`, `/device:CPU:0`) or legacy (`/cpu:0`) name. The last of a repeated part wins.
    ///
    /// Errors: `InvalidArgument` `Malformed device specification '…'`.
    pub fn parse(name: &str) -> Result<DeviceSpec> {
        DeviceSpec::try_parse(name).ok_or_else(|| invalid_argument(format!("Malformed device specification '{name}'")))
    }

    fn try_parse(name: &str) -> Option<DeviceSpec> {
        let mut spec = DeviceSpec::default();
        if name.is_empty() || name == "/" {
            return Some(spec);
        }
        let Some(rest) = name.strip_prefix('/') else {
            spec.set_type_and_id(name)?;
            return Some(spec);
        };
        for part in rest.split('/') {
            let (key, value) = part.split_once(':')?;
            match key {
                "job" => spec.job = wildcard(value, |v| is_job_name(v).then(|| v.to_owned()))?,
                "replica" => spec.replica = wildcard(value, number)?,
                "task" => spec.task = wildcard(value, number)?,
                "device" => spec.set_type_and_id(value)?,
                "cpu" | "CPU" | "gpu" | "GPU" => spec.set_type_and_id(part)?,
                _ => return None,
            }
        }
        Some(spec)
    }

    fn set_type_and_id(&mut self, text: &str) -> Option<()> {
        let (kind, id) = text.split_once(':').unwrap_or((text, "*"));
        if kind == "*" {
            self.device_type = None;
        } else {
            let mut chars = kind.chars();
            if !chars.next()?.is_ascii_alphabetic() || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return None;
            }
            let lower = kind.to_ascii_lowercase();
            self.device_type = Some(if lower == "cpu" || lower == "gpu" { lower.to_ascii_uppercase() } else { kind.to_owned() });
        }
        self.id = wildcard(id, number)?;
        Some(())
    }

    /// The task part, as TF names a worker: `/job:ps/replica:0/task:1`.
    pub fn for_task(job: &str, task: u32) -> DeviceSpec {
        DeviceSpec { job: Some(job.to_owned()), replica: Some(0), task: Some(task), ..DeviceSpec::default() }
    }

    /// A full name of a CPU device of a task.
    pub fn cpu(job: &str, task: u32, id: u32) -> DeviceSpec {
        DeviceSpec { device_type: Some("CPU".to_owned()), id: Some(id), ..DeviceSpec::for_task(job, task) }
    }

    /// Only its job, replica and task.
    pub fn task_part(&self) -> DeviceSpec {
        DeviceSpec { device_type: None, id: None, ..self.clone() }
    }

    /// Whether job, replica, task, type and id are all set.
    pub fn is_full(&self) -> bool {
        self.job.is_some() && self.replica.is_some() && self.task.is_some() && self.device_type.is_some() && self.id.is_some()
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == DeviceSpec::default()
    }

    /// Whether both lie in one task: equal job, replica and task.
    pub fn same_task(&self, other: &DeviceSpec) -> bool {
        self.job == other.job && self.replica == other.replica && self.task == other.task
    }

    /// Whether a device of this full name satisfies the constraint `wanted`.
    pub fn satisfies(&self, wanted: &DeviceSpec) -> bool {
        fn fits<T: PartialEq>(have: &Option<T>, want: &Option<T>) -> bool {
            want.is_none() || have == want
        }
        fits(&self.job, &wanted.job)
            && fits(&self.replica, &wanted.replica)
            && fits(&self.task, &wanted.task)
            && fits(&self.device_type, &wanted.device_type)
            && fits(&self.id, &wanted.id)
    }

    /// Whether some full name satisfies both: no part that both set differs (TF: `AreCompatibleDevNames`).
    pub fn intersects(&self, other: &DeviceSpec) -> bool {
        self.merged(other, false).is_ok()
    }

    /// Both constraints together (TF: `MergeDevNames`). With `soft`, a conflict of type or id drops that constraint.
    ///
    /// Errors: `InvalidArgument` `Cannot merge devices with incompatible jobs: '…' and '…'`, likewise replicas, tasks, types, ids.
    pub fn merged(&self, other: &DeviceSpec, soft: bool) -> Result<DeviceSpec> {
        fn merge<T: Clone + PartialEq>(a: &Option<T>, b: &Option<T>) -> std::result::Result<Option<T>, ()> {
            match (a, b) {
                (Some(x), Some(y)) if x != y => Err(()),
                _ => Ok(a.clone().or_else(|| b.clone())),
            }
        }
        let conflict = |what: &str| Err(invalid_argument(format!("Cannot merge devices with incompatible {what}: '{self}' and '{other}'")));
        let Ok(job) = merge(&self.job, &other.job) else { return conflict("jobs") };
        let Ok(replica) = merge(&self.replica, &other.replica) else { return conflict("replicas") };
        let Ok(task) = merge(&self.task, &other.task) else { return conflict("tasks") };
        let (mut device_type, mut id) = (None, None);
        match (merge(&self.device_type, &other.device_type), merge(&self.id, &other.id)) {
            (Ok(t), Ok(i)) => (device_type, id) = (t, i),
            (Err(()), _) if !soft => return conflict("types"),
            (_, Err(())) if !soft => return conflict("ids"),
            (Ok(t), Err(())) => device_type = t,
            (Err(()), _) => {}
        }
        Ok(DeviceSpec { job, replica, task, device_type, id })
    }

    /// This name with the parts that `inner` sets replaced by them (`with tf.device`: the inner scope wins part by part).
    pub fn overridden_by(&self, inner: &DeviceSpec) -> DeviceSpec {
        DeviceSpec {
            job: inner.job.clone().or_else(|| self.job.clone()),
            replica: inner.replica.or(self.replica),
            task: inner.task.or(self.task),
            device_type: inner.device_type.clone().or_else(|| self.device_type.clone()),
            id: inner.id.or(self.id),
        }
    }
}

fn is_job_name(s: &str) -> bool {
    let mut chars = s.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn number(s: &str) -> Option<u32> {
    s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse().ok()).flatten()
}

/// `Some(None)` for `*`, `Some(Some(..))` for a value, `None` for a malformed one.
fn wildcard<T>(s: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if s == "*" { Some(None) } else { parse(s).map(Some) }
}

/// TF's canonical order: job, replica, task, device.
impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = &self.job {
            write!(f, "/job:{job}")?;
        }
        if let Some(replica) = self.replica {
            write!(f, "/replica:{replica}")?;
        }
        if let Some(task) = self.task {
            write!(f, "/task:{task}")?;
        }
        match (&self.device_type, self.id) {
            (Some(t), Some(id)) => write!(f, "/device:{t}:{id}"),
            (Some(t), None) => write!(f, "/device:{t}:*"),
            (None, Some(id)) => write!(f, "/device:*:{id}"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(name: &str) -> String {
        DeviceSpec::parse(name).unwrap().to_string()
    }

    #[test]
    fn names_have_one_canonical_form() {
        assert_eq!(canonical("/task:3/job:worker/gpu:0"), "/job:worker/task:3/device:GPU:0");
        assert_eq!(canonical("CPU:0"), "/device:CPU:0");
        assert_eq!(canonical("/device:cpu:*"), "/device:CPU:*");
        assert_eq!(canonical("/job:a/job:b"), "/job:b");
        assert_eq!(canonical("/job:*/task:1"), "/task:1");
        assert_eq!(canonical(""), "");
    }

    #[test]
    fn malformed_names_are_refused() {
        for bad in ["/job", "/job:1", "/task:x", "/job:ps/", "//", "/foo:1", "/task:-1", "/task:99999999999", "9:0"] {
            assert!(DeviceSpec::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn merging_names_the_conflict() {
        let a = DeviceSpec::parse("/job:ps/device:CPU:0").unwrap();
        let b = DeviceSpec::parse("/job:worker").unwrap();
        let text = a.merged(&b, false).unwrap_err().message();
        assert!(text.contains("incompatible jobs: '/job:ps/device:CPU:0' and '/job:worker'"), "{text}");
        let c = DeviceSpec::parse("/job:ps/device:CPU:1").unwrap();
        assert!(a.merged(&c, false).is_err());
        assert_eq!(a.merged(&c, true).unwrap().to_string(), "/job:ps/device:CPU:*");
    }

    #[test]
    fn the_inner_scope_wins_part_by_part() {
        let outer = DeviceSpec::parse("/job:worker/task:1/device:CPU:0").unwrap();
        let inner = DeviceSpec::parse("/job:ps").unwrap();
        assert_eq!(outer.overridden_by(&inner).to_string(), "/job:ps/task:1/device:CPU:0");
    }

    #[test]
    fn a_full_name_satisfies_partial_ones() {
        let full = DeviceSpec::cpu("ps", 1, 0);
        for ok in ["", "/job:ps", "/task:1", "/device:CPU:*"] {
            assert!(full.satisfies(&DeviceSpec::parse(ok).unwrap()), "{ok}");
        }
        assert!(!full.satisfies(&DeviceSpec::parse("/task:0").unwrap()));
    }
}
