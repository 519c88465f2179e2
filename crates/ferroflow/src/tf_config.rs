//! Cluster definitions as people write them: JSON, TOML, TF's flag form, and `TF_CONFIG`.

use ferroflow_distributed::{ClusterSpec, TaskId};
use ferroflow_tensor::error::{invalid_argument, not_found};
use ferroflow_tensor::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// A cluster from text: JSON (`{"ps": ["h:p"], "worker": {"0": "h:p"}}`), TF's flag form (`ps|h:p;h:p,worker|h:p`), or the path of a
/// file that holds JSON or TOML. An object with a member `cluster` stands for that member.
///
/// Errors: `InvalidArgument` naming the place in the definition; `NotFound` for a file that is not there.
pub fn parse_cluster(text: &str) -> Result<ClusterSpec> {
    let text = text.trim();
    if text.starts_with('{') {
        return from_json(text);
    }
    if text.contains('|') {
        return from_flag(text);
    }
    let file = std::fs::read_to_string(text).map_err(|e| {
        let hint = "a cluster is JSON, a file that holds JSON or TOML, or ps|host:port;host:port,worker|host:port";
        if e.kind() == std::io::ErrorKind::NotFound { not_found(format!("no file '{text}': {hint}")) } else { Error::from(e).context(text) }
    })?;
    let is_toml = Path::new(text).extension().is_some_and(|e| e == "toml");
    let parsed = if is_toml { from_toml(&file) } else { from_json(&file) };
    parsed.map_err(|e| e.context(text))
}

/// Cluster and task of a `TF_CONFIG`. Without `task` it is worker 0.
///
/// Errors: `InvalidArgument` naming the place in the JSON and what is allowed there.
pub fn parse(text: &str) -> Result<(ClusterSpec, TaskId)> {
    let bad = |what: String| invalid_argument(format!("TF_CONFIG: {what}"));
    let json: Value = serde_json::from_str(text).map_err(|e| bad(format!("no JSON: {e}")))?;
    let cluster = json.get("cluster").ok_or_else(|| bad("'cluster' is missing".to_owned()))?;
    let cluster = from_value(cluster, "cluster").map_err(|e| bad(e.bare_message().to_owned()))?;
    let task = json.get("task");
    let job = match task.and_then(|t| t.get("type")) {
        None => "worker",
        Some(Value::String(job)) => job,
        Some(other) => return Err(bad(format!("'task.type' is {other}, it must be a string"))),
    };
    let index = match task.and_then(|t| t.get("index")) {
        None => 0,
        Some(value) => index_of(value).ok_or_else(|| bad(format!("'task.index' is {value}, it must be a number from 0")))?,
    };
    let id = TaskId::new(job, index);
    check_task(&cluster, &id).map_err(|e| bad(format!("'task': {}", e.bare_message())))?;
    Ok((cluster, id))
}

/// Whether the cluster has the task.
///
/// Errors: `InvalidArgument` naming the jobs or indexes that there are.
pub fn check_task(cluster: &ClusterSpec, task: &TaskId) -> Result<()> {
    let Some(tasks) = cluster.jobs.get(&task.job) else {
        let jobs: Vec<&str> = cluster.jobs.keys().map(|j| j.as_str()).collect();
        return Err(invalid_argument(format!("the cluster has no job '{}'; its jobs are {}", task.job, jobs.join(", "))));
    };
    if tasks.contains_key(&task.index) {
        return Ok(());
    }
    let indexes: Vec<String> = tasks.keys().map(|i| i.to_string()).collect();
    Err(invalid_argument(format!("job '{}' has no task {}; its tasks are {}", task.job, task.index, indexes.join(", "))))
}

fn from_json(text: &str) -> Result<ClusterSpec> {
    let json: Value = serde_json::from_str(text).map_err(|e| invalid_argument(format!("the cluster is no JSON: {e}")))?;
    from_value(json.get("cluster").unwrap_or(&json), "cluster")
}

fn from_toml(text: &str) -> Result<ClusterSpec> {
    let toml: toml::Value = toml::from_str(text).map_err(|e| invalid_argument(format!("the cluster is no TOML: {e}")))?;
    let json = serde_json::to_value(toml).map_err(|e| invalid_argument(format!("the cluster is no TOML that JSON can express: {e}")))?;
    from_value(json.get("cluster").unwrap_or(&json), "cluster")
}

fn index_of(value: &Value) -> Option<u32> {
    match value {
        Value::Number(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()),
        Value::String(s) => s.parse().ok(),
        _ => None,
    }
}

fn from_value(value: &Value, path: &str) -> Result<ClusterSpec> {
    let jobs = value.as_object().ok_or_else(|| invalid_argument(format!("'{path}' must be an object of jobs")))?;
    let mut spec = ClusterSpec::default();
    for (job, tasks) in jobs {
        let path = format!("{path}.{job}");
        check_job(job)?;
        let entries: Vec<(String, &Value)> = match tasks {
            Value::Array(list) => list.iter().enumerate().map(|(i, a)| (i.to_string(), a)).collect(),
            Value::Object(map) => map.iter().map(|(i, a)| (i.clone(), a)).collect(),
            other => {
                return Err(invalid_argument(format!(
                    "'{path}' is {other}, it must be a list of addresses or an object of index and address"
                )));
            }
        };
        for (index, address) in entries {
            let number: u32 = index.parse().map_err(|_| invalid_argument(format!("'{path}.{index}': '{index}' is no task index")))?;
            let address =
                address.as_str().ok_or_else(|| invalid_argument(format!("'{path}.{index}' is {address}, it must be \"host:port\"")))?;
            add(&mut spec, job, number, address).map_err(|e| e.context(format_args!("'{path}.{index}'")))?;
        }
    }
    not_empty(spec)
}

fn from_flag(text: &str) -> Result<ClusterSpec> {
    let mut spec = ClusterSpec::default();
    for job in text.split(',').filter(|j| !j.trim().is_empty()) {
        let (name, addresses) =
            job.split_once('|').ok_or_else(|| invalid_argument(format!("'{job}' is not of the form job|host:port;host:port")))?;
        check_job(name.trim())?;
        for (i, address) in addresses.split(';').filter(|a| !a.trim().is_empty()).enumerate() {
            add(&mut spec, name.trim(), i as u32, address.trim()).map_err(|e| e.context(format_args!("'{name}'")))?;
        }
    }
    not_empty(spec)
}

fn add(spec: &mut ClusterSpec, job: &str, index: u32, address: &str) -> Result<()> {
    check_address(address)?;
    // Port 0 is whichever the system gives, another one each time.
    let taken = spec.jobs.iter().flat_map(|(job, tasks)| tasks.iter().map(move |(i, a)| (job, i, a)));
    let same = |a: &str| a.eq_ignore_ascii_case(address) && !address.ends_with(":0");
    if let Some((other, other_index, _)) = taken.into_iter().find(|(j, i, a)| same(a) && (j.as_str(), **i) != (job, index)) {
        return Err(invalid_argument(format!("'{address}' is the address of '{other}.{other_index}' already: every task needs its own")));
    }
    if spec.jobs.entry(job.to_owned()).or_default().insert(index, address.to_owned()).is_some() {
        return Err(invalid_argument(format!("task {index} is given twice")));
    }
    Ok(())
}

fn check_job(job: &str) -> Result<()> {
    let mut chars = job.chars();
    let good = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if good { Ok(()) } else { Err(invalid_argument(format!("'{job}' is no job name: letters, digits and _, a letter first"))) }
}

fn check_address(address: &str) -> Result<()> {
    let bad = |why: &str| Err(invalid_argument(format!("'{address}' is no address: {why}")));
    let Some((host, port)) = address.rsplit_once(':') else { return bad("it must be host:port") };
    if let Some((scheme, _)) = address.split_once("://") {
        return bad(&format!("it is host:port, without '{scheme}://'"));
    }
    if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) {
        return bad("an IPv6 address stands in brackets, [::1]:2222");
    }
    if host.is_empty() {
        return bad("the host is missing");
    }
    if port.parse::<u16>().is_err() {
        return bad("the port must be a number up to 65535");
    }
    Ok(())
}

fn not_empty(spec: ClusterSpec) -> Result<ClusterSpec> {
    if spec.is_empty() { Err(invalid_argument("the cluster has no tasks")) } else { Ok(spec) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse_cluster(text).unwrap_err().message()
    }

    #[test]
    fn a_cluster_may_be_written_in_several_forms() {
        let json = parse_cluster(r#"{"ps": ["h:1", "h:2"], "worker": {"3": "[::1]:4"}}"#).unwrap();
        assert_eq!(json.jobs["ps"][&1], "h:2");
        assert_eq!(json.jobs["worker"][&3], "[::1]:4");
        assert_eq!(parse_cluster("ps|h:1;h:2").unwrap().jobs["ps"], json.jobs["ps"]);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.toml");
        std::fs::write(&file, "[cluster]\nps = [\"h:1\", \"h:2\"]\n").unwrap();
        assert_eq!(parse_cluster(file.to_str().unwrap()).unwrap().jobs["ps"], json.jobs["ps"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        assert!(message(r#"{"ps": ["h"]}"#).contains("'cluster.ps.0'"), "{}", message(r#"{"ps": ["h"]}"#));
        assert!(message(r#"{"ps": ["::1:2"]}"#).contains("brackets"));
        assert!(message(r#"{"ps": {"x": "h:1"}}"#).contains("'x' is no task index"));
        assert!(message(r#"{"ps": ["grpc://h:2"]}"#).contains("without 'grpc://'"));
        for twice in [r#"{"ps": ["h:1", "H:1"]}"#, r#"{"ps": ["h:1"], "worker": ["h:2", "h:1"]}"#, "ps|h:1,worker|h:1"] {
            assert!(message(twice).contains("is the address of 'ps.0' already"), "{}", message(twice));
        }
        assert!(parse_cluster(r#"{"ps": ["h:0", "h:0"]}"#).is_ok());
        assert!(message("{}").contains("no tasks"));
        assert!(message("{").contains("no JSON"));
        assert!(message("no/such/file").contains("no file"));
    }

    #[test]
    fn tf_config_names_the_task() {
        let config = |task: &str| parse(&format!(r#"{{"cluster": {{"ps": ["h:1"], "worker": ["h:2", "h:3"]}}, "task": {task}}}"#));
        assert_eq!(config(r#"{"type": "worker", "index": "1"}"#).unwrap().1, TaskId::new("worker", 1));
        for (task, words) in [
            (r#"{"type": "worker", "index": 7}"#, "its tasks are 0, 1"),
            (r#"{"type": "worker", "index": "x"}"#, "'task.index'"),
            (r#"{"type": "worker", "index": -1}"#, "'task.index'"),
            (r#"{"type": "Worker", "index": 0}"#, "its jobs are ps, worker"),
        ] {
            let text = config(task).unwrap_err().message();
            assert!(text.contains(words), "{text}");
        }
    }
}
