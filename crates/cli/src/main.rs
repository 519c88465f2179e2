//! The `ferroflow` binary.

mod demo;
mod process;
mod serve;

use clap::{Parser, Subcommand};
use std::io::IsTerminal;
use std::process::ExitCode;

/// Tensors are pooled by the library; what is left are many small, short-lived blocks on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Distributed TensorFlow in Rust: servers for stock tf.compat.v1 programs, and training without Python.
#[derive(Parser)]
#[command(name = "ferroflow", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve one task of a cluster, as tf.train.Server does
    Serve(serve::Args),
    /// Train handwritten digits on a small cluster of this machine
    Demo(demo::Args),
    /// One worker of the demo; started by `demo`
    #[command(hide = true)]
    DemoWorker(demo::WorkerArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let default = match &cli.command {
        Command::Serve(_) => "info",
        Command::Demo(_) | Command::DemoWorker(_) => "warn",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("FERROFLOW_LOG").unwrap_or_else(|_| default.into());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
    let outcome = match cli.command {
        Command::Serve(args) => serve::run(args),
        Command::Demo(args) => demo::run(args),
        Command::DemoWorker(args) => demo::run_worker(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("ferroflow: {e:#}");
            ExitCode::FAILURE
        }
    }
}
