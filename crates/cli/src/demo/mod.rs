//! `ferroflow demo`: parameter servers and workers as processes of this machine train handwritten digits together.

mod model;
mod progress;
mod tasks;
mod worker;

pub use worker::{WorkerArgs, run_worker};

use anyhow::{Context, Result, bail};
use ferroflow::data::{Split, digits, idx_directory};
use progress::{Progress, Report};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use tasks::{Event, Tasks};

#[derive(clap::Args)]
pub struct Args {
    /// Parameter servers
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    ps: u32,
    /// Workers
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
    /// All workers make each update together, instead of each its own
    #[arg(long)]
    sync: bool,
    /// Train on the MNIST-format IDX files of this directory (plain or .gz) instead of the embedded digits
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Times that the training data are seen, by all workers together; by default 40 for the digits, 2 for --data
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: Option<u32>,
    /// Examples per step of a worker
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate of Adam
    #[arg(long, default_value_t = 0.001)]
    learning_rate: f64,
    /// Where checkpoints and event files go; by default a new directory among the temporary ones
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Which data to train on.
fn load(data: Option<&Path>) -> Result<Split> {
    Ok(match data {
        None => digits()?,
        Some(dir) => idx_directory(dir)?,
    })
}

pub fn run(args: Args) -> Result<()> {
    // Found out here what would otherwise be found out by every worker.
    let split = load(args.data.as_deref())?;
    let epochs = args.epochs.unwrap_or(if args.data.is_some() { 2 } else { 40 });
    let per_update = u64::from(args.batch) * if args.sync { u64::from(args.workers) } else { 1 };
    let last_step = (split.train.len() as u64 * u64::from(epochs)).div_ceil(per_update);
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => new_directory()?,
    };
    std::fs::create_dir_all(&dir).with_context(|| format!("creating {}", dir.display()))?;
    let dir = dir.canonicalize().with_context(|| dir.display().to_string())?;
    println!(
        "{} {} images of {} pixels, {} to test; {} ps, {} workers, {}; {last_step} steps",
        split.train.len(),
        if args.data.is_some() { "training" } else { "handwritten digits," },
        split.train.width(),
        split.test.len(),
        args.ps,
        args.workers,
        if args.sync { "synchronous" } else { "asynchronous" },
    );
    let (events, received) = mpsc::channel();
    let mut tasks = Tasks::start(&args, last_step, &dir, events)?;
    let outcome = watch(&mut tasks, &received, last_step, args.workers);
    tasks.stop();
    let accuracy = outcome?;
    println!("test accuracy: {:.1} %", accuracy * 100.0);
    for (what, path) in [("checkpoint", newest(&dir, ".index")?), ("events", newest(&dir, "")?)] {
        println!("{what}: {path}");
    }
    Ok(())
}

/// Shows progress until all workers have ended; returns the chief's test accuracy.
fn watch(tasks: &mut Tasks, events: &mpsc::Receiver<Event>, last_step: u64, workers: u32) -> Result<f64> {
    let mut progress = Progress::new(last_step, workers);
    let mut accuracy = None;
    loop {
        match events.recv_timeout(Duration::from_millis(250)) {
            Ok(Event::Report { worker, report }) => match report {
                Report::Step { step, local_steps, loss } => progress.step(worker, step, local_steps, loss),
                Report::Accuracy { accuracy: a } => accuracy = Some(a),
            },
            Ok(Event::Line { task, text }) => progress.above(&format!("{task}: {text}")),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(50)),
        }
        progress.show();
        if tasks.check()? {
            break;
        }
    }
    // What the last worker said before it ended.
    while let Ok(event) = events.recv_timeout(Duration::from_millis(500)) {
        match event {
            Event::Report { report: Report::Accuracy { accuracy: a }, .. } => accuracy = Some(a),
            Event::Report { worker, report: Report::Step { step, local_steps, loss } } => progress.step(worker, step, local_steps, loss),
            Event::Line { task, text } => progress.above(&format!("{task}: {text}")),
        }
    }
    progress.finish();
    match accuracy {
        Some(a) => Ok(a),
        None => bail!("the chief ended without an accuracy"),
    }
}

fn new_directory() -> Result<PathBuf> {
    let base = std::env::temp_dir();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
    for n in 0..100u32 {
        let dir = base.join(format!("ferroflow-demo-{now}-{}-{n}", std::process::id()));
        match std::fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e).with_context(|| dir.display().to_string()),
        }
    }
    bail!("no free name for a directory in {}", base.display())
}

/// The newest checkpoint (without its suffix) or, for an empty suffix, the event file.
fn newest(dir: &Path, suffix: &str) -> Result<String> {
    let mut found: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let wanted = if suffix.is_empty() { name.contains("tfevents") } else { name.ends_with(suffix) };
        if wanted {
            found.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    let newest = found.into_iter().max().map(|(_, path)| path.display().to_string());
    let newest = newest.with_context(|| format!("{} holds no file of this kind: {suffix}", dir.display()))?;
    Ok(newest.strip_suffix(suffix).unwrap_or(&newest).to_owned())
}
