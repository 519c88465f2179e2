//! `ferroflow serve`: one task of a cluster, the equal of `tf.train.Server`.

use crate::process;
use anyhow::{Context, Result, bail};
use ferroflow::{Listen, Server, ServerConfig, TaskId, WaitLimits, ops, tf_config};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Time that running calls get to end when the server is told to.
const GRACE: Duration = Duration::from_secs(2);

#[derive(clap::Args)]
pub struct Args {
    /// The cluster: JSON, a JSON or TOML file, or ps|host:port;host:port,worker|host:port. Without it TF_CONFIG tells all
    #[arg(long, visible_alias = "cluster_spec")]
    cluster: Option<String>,
    /// The task's job
    #[arg(long, visible_alias = "job_name", requires = "cluster")]
    job: Option<String>,
    /// The task's index in its job
    #[arg(long, visible_aliases = ["task_index", "task_id"], requires = "cluster", allow_negative_numbers = true)]
    task: Option<u32>,
    /// Listen at this address only; by default at all addresses, on the port of the task's own entry in the cluster
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<SocketAddr>,
    /// Compute threads; by default one per core
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,
    /// New sessions give up after waiting this many seconds for tasks that do not answer; by default they wait for ever
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    wait_limit: Option<Duration>,
    /// Standard input is the listening socket, bound by the parent
    #[arg(long, conflicts_with = "listen")]
    inherit_socket: bool,
    /// End when the parent process ends
    #[arg(long)]
    exit_with_parent: bool,
}

fn seconds(text: &str) -> Result<Duration> {
    let number = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    number.context("it must be a number of seconds from 0")
}

pub fn run(args: Args) -> Result<()> {
    let (cluster, task) = match (&args.cluster, std::env::var("TF_CONFIG")) {
        (Some(cluster), _) => {
            let cluster = tf_config::parse_cluster(cluster)?;
            let (Some(job), Some(index)) = (&args.job, args.task) else { bail!("--cluster needs --job and --task") };
            (cluster, TaskId::new(job.as_str(), index))
        }
        (None, Ok(config)) => tf_config::parse(&config)?,
        (None, Err(_)) => bail!("which task is this? Give --cluster, --job and --task, or set TF_CONFIG"),
    };
    tf_config::check_task(&cluster, &task)?;
    let listen = match args.listen {
        _ if args.inherit_socket => Listen::On(process::inherited_socket()?),
        Some(address) => Listen::At(address),
        None => Listen::OwnEntry,
    };
    let mut config =
        ServerConfig { listen, threads: args.threads.unwrap_or(0).into(), ..ServerConfig::new(task, cluster, ops::registry()) };
    if let Some(limit) = args.wait_limit {
        config.wait_limits = WaitLimits { give_up: Some(limit), ..config.wait_limits };
    }
    // Before serving, so that no signal is missed.
    let signals = Signals::register()?;
    let server = Arc::new(Server::start(config)?);
    if args.exit_with_parent {
        let server = server.clone();
        process::when_parent_ends(move || {
            tracing::info!("the parent has ended");
            server.shutdown(Duration::ZERO);
        })?;
    }
    let ending = server.clone();
    signals.on_first(move |name| {
        tracing::info!("{name}: ending");
        ending.shutdown(GRACE);
    })?;
    server.join();
    tracing::info!("ended");
    Ok(())
}

/// SIGINT and SIGTERM (or Ctrl-C elsewhere).
struct Signals {
    runtime: tokio::runtime::Runtime,
    #[cfg(unix)]
    streams: (tokio::signal::unix::Signal, tokio::signal::unix::Signal),
}

impl Signals {
    fn register() -> Result<Signals> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().context("starting the signal handler")?;
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let _context = runtime.enter();
            let streams = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
            drop(_context);
            Ok(Signals { runtime, streams })
        }
        #[cfg(not(unix))]
        Ok(Signals { runtime })
    }

    /// Calls `end` with the signal's name once; a second signal ends the process at once.
    fn on_first(self, end: impl FnOnce(&'static str) + Send + 'static) -> Result<()> {
        let thread = std::thread::Builder::new().name("signals".to_owned());
        thread.spawn(move || self.watch(end)).context("starting the signal handler")?;
        Ok(())
    }

    #[cfg(unix)]
    fn watch(self, end: impl FnOnce(&'static str) + Send + 'static) {
        let Signals { runtime, streams: (mut interrupt, mut terminate) } = self;
        runtime.block_on(async {
            let mut next = async || {
                tokio::select! {
                    _ = interrupt.recv() => "SIGINT",
                    _ = terminate.recv() => "SIGTERM",
                }
            };
            let name = next().await;
            std::thread::spawn(move || end(name));
            let again = next().await;
            tracing::warn!("{again} again: ending at once");
            std::process::exit(130);
        });
    }

    #[cfg(not(unix))]
    fn watch(self, end: impl FnOnce(&'static str) + Send + 'static) {
        if self.runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            end("Ctrl-C");
        }
    }
}
