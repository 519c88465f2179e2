//! One worker of the demo: a replica that trains on its share of the data through its own server.

use super::load;
use super::model::Model;
use super::progress::Report;
use crate::process;
use anyhow::{Context, Result};
use ferroflow::data::{Batches, DataSet};
use ferroflow::hook::{stop_at_step, summary_every};
use ferroflow::train::{Adam, Optimizer, Session, SyncReplicas, global_step};
use ferroflow::{Graph, Listen, ServerConfig, Task, TaskId, ops, summary, tf_config};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct WorkerArgs {
    #[arg(long)]
    cluster: String,
    #[arg(long)]
    task: u32,
    #[arg(long)]
    last_step: i64,
    #[arg(long)]
    batch: usize,
    #[arg(long)]
    learning_rate: f64,
    #[arg(long)]
    dir: PathBuf,
    #[arg(long)]
    sync: bool,
    #[arg(long)]
    data: Option<PathBuf>,
}

/// How often progress is reported.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Test examples per run.
const EVALUATE: usize = 1000;

pub fn run_worker(args: WorkerArgs) -> Result<()> {
    process::when_parent_ends(|| std::process::exit(1))?;
    let split = load(args.data.as_deref())?;
    let cluster = tf_config::parse_cluster(&args.cluster)?;
    let id = TaskId::new("worker", args.task);
    let listen = Listen::On(process::inherited_socket()?);
    let task = Task::start(ServerConfig { listen, ..ServerConfig::new(id, cluster, ops::registry()) })?;

    let g = Graph::new();
    let (replica, replicas) = (task.replica(), task.num_workers());
    let (pixels, classes) = (split.train.width() as i64, split.train.classes() as i64);
    let adam = Adam::new(args.learning_rate);
    let (model, step, train_op, sync_hook) = g.device(task.device_setter(), || {
        let model = Model::new(&g, pixels, classes);
        let step = global_step(&g);
        let (train_op, hook) = if args.sync {
            let sync = SyncReplicas::new(adam, replicas);
            let op = sync.minimize(&model.loss, Some(&step));
            (op, Some(sync.hook(task.is_chief())))
        } else {
            (adam.minimize(&model.loss, Some(&step)), None)
        };
        summary::scalar("loss", &model.loss);
        (model, step, train_op, hook)
    });
    g.check()?;

    let dir = args.dir.to_str().context("the directory's name is not UTF-8")?;
    let mut builder =
        task.monitored_session(&g).checkpoint_dir(dir).save_every_secs(60).hook(stop_at_step(args.last_step)).hook(summary_every(100));
    if let Some(hook) = sync_hook {
        builder = builder.hook(hook?);
    }
    let mut session = builder.start()?;
    let mut batches = Batches::new(&split.train, replica as usize, replicas as usize, args.batch, u64::from(replica))?;
    let (mut local_steps, mut reported) = (0, None::<Instant>);
    let step_value = step.value();
    while !session.should_stop() {
        let batch = batches.next_batch()?;
        let feeds = [(&model.images, batch.features), (&model.labels, batch.labels)];
        let (loss, step, ()) = session.run_fed(&feeds, (&model.loss, &step_value, &train_op))?;
        local_steps += 1;
        if session.should_stop() || reported.is_none_or(|t| t.elapsed() >= REPORT_EVERY) {
            reported = Some(Instant::now());
            let report = Report::Step { step: step.to_scalar::<i64>()?.max(0) as u64 + 1, local_steps, loss: Some(loss.to_scalar()?) };
            println!("{}", serde_json::to_string(&report)?);
        }
    }
    if task.is_chief() {
        let accuracy = evaluate(session.raw_session()?, &model, &split.test)?;
        println!("{}", serde_json::to_string(&Report::Accuracy { accuracy })?);
    }
    session.close()?;
    Ok(())
}

/// Share of the test examples that are right.
fn evaluate(session: &Session, model: &Model, test: &DataSet) -> Result<f64> {
    let (images, labels) = test.tensors()?;
    let mut right = 0.0;
    for start in (0..test.len()).step_by(EVALUATE) {
        let n = EVALUATE.min(test.len() - start);
        let share =
            session.step().feed(&model.images, images.rows(start, n)?).feed(&model.labels, labels.rows(start, n)?).run(&model.accuracy)?;
        right += f64::from(share.to_scalar::<f32>()?) * n as f64;
    }
    Ok(right / test.len() as f64)
}
