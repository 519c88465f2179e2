//! Chores of the repository, run as `cargo run -p xtask -- <command>`: one module per command.

mod proto;
mod repository;

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
    /// Regenerate the messages of crates/proto from its .proto files.
    Proto(proto::Args),
}

fn main() -> Result<()> {
    match Args::parse().command {
        Command::Proto(args) => proto::run(&args),
    }
}
