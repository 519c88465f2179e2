//! The processes of the demo: started on ports that are bound before, watched, and ended.

use super::Args;
use super::progress::Report;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;

/// What a task says.
pub enum Event {
    /// A worker's progress.
    Report { worker: usize, report: Report },
    /// Anything else that a task prints.
    Line { task: String, text: String },
}

struct Task {
    name: String,
    is_worker: bool,
    process: Child,
    ended: bool,
}

/// The running processes; dropping them ends them all.
pub struct Tasks(Vec<Task>);

impl Tasks {
    /// Starts all processes. Each gets a listening socket as standard input, so no port can be lost between choosing and binding it.
    pub fn start(args: &Args, last_step: u64, dir: &Path, events: Sender<Event>) -> Result<Tasks> {
        let bind =
            |n: u32| -> Result<Vec<TcpListener>> { (0..n).map(|_| TcpListener::bind("127.0.0.1:0").context("binding a port")).collect() };
        let (ps, workers) = (bind(args.ps)?, bind(args.workers)?);
        let addresses =
            |sockets: &[TcpListener]| -> Result<Vec<String>> { sockets.iter().map(|s| Ok(s.local_addr()?.to_string())).collect() };
        let cluster = serde_json::json!({ "ps": addresses(&ps)?, "worker": addresses(&workers)? }).to_string();
        let binary = std::env::current_exe().context("finding this binary")?;
        let mut tasks = Tasks(Vec::new());
        for (i, socket) in ps.into_iter().enumerate() {
            let mut command = Command::new(&binary);
            command.args(["serve", "--job", "ps", "--inherit-socket", "--exit-with-parent", "--cluster", &cluster]);
            command.args(["--task", &i.to_string()]).env("FERROFLOW_LOG", "warn");
            tasks.spawn(command, socket, format!("ps:{i}"), None, &events)?;
        }
        for (i, socket) in workers.into_iter().enumerate() {
            let mut command = Command::new(&binary);
            command.arg("demo-worker").args(["--cluster", &cluster, "--task", &i.to_string()]);
            command.args(["--last-step", &last_step.to_string(), "--batch", &args.batch.to_string()]);
            command.args(["--learning-rate", &args.learning_rate.to_string()]).arg("--dir").arg(dir);
            if args.sync {
                command.arg("--sync");
            }
            if let Some(data) = &args.data {
                command.arg("--data").arg(data);
            }
            tasks.spawn(command, socket, format!("worker:{i}"), Some(i), &events)?;
        }
        Ok(tasks)
    }

    fn spawn(
        &mut self,
        mut command: Command,
        socket: TcpListener,
        name: String,
        worker: Option<usize>,
        events: &Sender<Event>,
    ) -> Result<()> {
        command.stdin(socket_as_stdin(socket)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().with_context(|| format!("starting {name}"))?;
        let pipes: [Option<Box<dyn std::io::Read + Send>>; 2] =
            [process.stdout.take().map(|p| Box::new(p) as _), process.stderr.take().map(|p| Box::new(p) as _)];
        for pipe in pipes.into_iter().flatten() {
            let (events, task) = (events.clone(), name.clone());
            std::thread::spawn(move || {
                for text in BufReader::new(pipe).lines().map_while(Result::ok) {
                    let event = match (worker, serde_json::from_str(&text)) {
                        (Some(worker), Ok(report)) => Event::Report { worker, report },
                        _ => Event::Line { task: task.clone(), text },
                    };
                    if events.send(event).is_err() {
                        break;
                    }
                }
            });
        }
        self.0.push(Task { name, is_worker: worker.is_some(), process, ended: false });
        Ok(())
    }

    /// Whether all workers have ended well.
    ///
    /// Errors: a task that ended otherwise.
    pub fn check(&mut self) -> Result<bool> {
        for task in self.0.iter_mut().filter(|t| !t.ended) {
            if let Some(status) = task.process.try_wait()? {
                task.ended = true;
                if !(task.is_worker && status.success()) {
                    bail!("{} ended: {status}", task.name);
                }
            }
        }
        Ok(self.0.iter().all(|t| t.ended || !t.is_worker))
    }

    /// Ends what still runs.
    pub fn stop(&mut self) {
        for task in self.0.iter_mut().filter(|t| !t.ended) {
            let ended = task.process.kill().and_then(|()| task.process.wait());
            if let Err(e) = ended {
                tracing::warn!("{}: {e}", task.name);
            }
            task.ended = true;
        }
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(unix)]
fn socket_as_stdin(socket: TcpListener) -> Stdio {
    Stdio::from(std::os::fd::OwnedFd::from(socket))
}

#[cfg(not(unix))]
fn socket_as_stdin(_: TcpListener) -> Stdio {
    Stdio::null()
}
