//! The `ferroflow` binary.

fn main() {}
