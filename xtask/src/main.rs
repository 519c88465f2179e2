//! Chores of the repository, run as `cargo run -p xtask -- <command>`: one module per command.

mod ops;
mod proto;
mod repository;
#[cfg(test)]
mod tidy;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Chores of the ferroflow repository.
#[derive(Parser)]
#[command(name = "xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Regenerate the lists of ops in crates/ops from its folders.
    Ops(ops::Args),
    /// Regenerate the messages of crates/proto from its .proto files.
    Proto(proto::Args),
}

fn main() -> Result<()> {
    match Args::parse().command {
        Command::Ops(args) => ops::run(&args),
        Command::Proto(args) => proto::run(&args),
    }
}
