//! `SessionConfig`: what a master needs to know of a session's `ConfigProto`. The codec edge of that message.

use crate::cluster::ClusterSpec;
use ferroflow_proto::{self as pb, Message};
use ferroflow_runtime::passes::PassOptions;
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DeviceSpec, Result};
use std::time::Duration;

/// The options of a session.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// Which tasks and devices take part; none means all.
    pub device_filters: Vec<DeviceSpec>,
    /// Whether a device type or number that cannot be had is not insisted on.
    pub allow_soft_placement: bool,
    /// Whether to log where each node goes.
    pub log_device_placement: bool,
    /// The limit of every call of the client that has no other.
    pub operation_timeout: Option<Duration>,
    /// The session's own cluster.
    pub cluster: Option<ClusterSpec>,
    /// Whether the session has variables of its own.
    pub isolate_session_state: bool,
    /// Of every how manieth run of a step the costs of its nodes are told; 0: of none.
    pub build_cost_model: u64,
    /// Which rewrites may be done.
    pub passes: PassOptions,
}

impl SessionConfig {
    /// The client's options with the server's merged over them: scalars that the server sets win, lists are appended.
    ///
    /// Errors: `InvalidArgument` for options that a master refuses, malformed filters or clusters.
    pub fn new(client: &pb::ConfigProto, server: &pb::ConfigProto) -> Result<SessionConfig> {
        let mut config = client.clone();
        config.merge(server.encode_to_vec().as_slice()).map_err(|e| internal(format!("cannot merge session options: {e}")))?;
        if config.use_per_session_threads || !config.session_inter_op_thread_pool.is_empty() {
            return Err(invalid_argument("Distributed session does not support session thread pool options."));
        }
        let cluster = config.cluster_def.as_ref().map(ClusterSpec::from_proto).transpose()?.filter(|c| !c.is_empty());
        Ok(SessionConfig {
            device_filters: config.device_filters.iter().map(|f| DeviceSpec::parse(f)).collect::<Result<_>>()?,
            allow_soft_placement: config.allow_soft_placement,
            log_device_placement: config.log_device_placement,
            operation_timeout: millis(config.operation_timeout_in_ms),
            cluster,
            isolate_session_state: config.isolate_session_state,
            build_cost_model: config.graph_options.as_ref().map_or(0, |g| u64::try_from(g.build_cost_model).unwrap_or(0)),
            passes: passes(&config),
        })
    }
}

/// A limit in milliseconds, where 0 means none.
pub fn millis(ms: i64) -> Option<Duration> {
    u64::try_from(ms).ok().filter(|&ms| ms > 0).map(Duration::from_millis)
}

/// `disable_meta_optimizer` and `opt_level` L0 turn all rewrites off.
fn passes(config: &pb::ConfigProto) -> PassOptions {
    let graph = config.graph_options.clone().unwrap_or_default();
    let rewrites = graph.rewrite_options.unwrap_or_default();
    let level = graph.optimizer_options.unwrap_or_default().opt_level;
    if rewrites.disable_meta_optimizer || level == pb::optimizer_options::Level::L0 as i32 {
        return PassOptions::none();
    }
    let off = pb::rewriter_config::Toggle::Off as i32;
    PassOptions { constant_folding: rewrites.constant_folding != off, ..PassOptions::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_options_are_merged_over_the_clients() {
        let client = pb::ConfigProto { device_filters: vec!["/job:ps".into()], operation_timeout_in_ms: 5, ..Default::default() };
        let server = pb::ConfigProto { device_filters: vec!["/job:w".into()], operation_timeout_in_ms: 7, ..Default::default() };
        let config = SessionConfig::new(&client, &server).unwrap();
        assert_eq!(config.device_filters.len(), 2);
        assert_eq!(config.operation_timeout, Some(Duration::from_millis(7)));
        assert_eq!(SessionConfig::new(&client, &pb::ConfigProto::default()).unwrap().operation_timeout, Some(Duration::from_millis(5)));
    }

    #[test]
    fn thread_pools_of_sessions_are_refused() {
        let client = pb::ConfigProto { use_per_session_threads: true, ..Default::default() };
        assert!(SessionConfig::new(&client, &pb::ConfigProto::default()).is_err());
    }

    #[test]
    fn the_optimizer_can_be_turned_off() {
        let rewrite = pb::RewriterConfig { disable_meta_optimizer: true, ..Default::default() };
        let graph_options = pb::GraphOptions { rewrite_options: Some(rewrite), ..Default::default() };
        let client = pb::ConfigProto { graph_options: Some(graph_options), ..Default::default() };
        assert_eq!(SessionConfig::new(&client, &pb::ConfigProto::default()).unwrap().passes, PassOptions::none());
        assert_eq!(SessionConfig::new(&Default::default(), &Default::default()).unwrap().passes, PassOptions::default());
    }
}
