//! Checks of the repository's rules, as tests: floors, file headers and lengths, no panics on foreign data, no forbidden words.

use crate::repository::root;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The floor of each crate; a crate uses floors below its own only.
const FLOORS: &[(&str, u32)] = &[
    ("ferroflow-proto", 0),
    ("ferroflow-math", 0),
    // Reads and writes proto's messages.
    ("ferroflow-tensor", 1),
    ("ferroflow-graph", 2),
    ("ferroflow-io", 2),
    ("ferroflow-ops", 3),
    ("ferroflow-runtime", 4),
    ("ferroflow-distributed", 5),
    // Carries what `distributed` says.
    ("ferroflow-grpc", 6),
    ("ferroflow-train", 7),
    ("ferroflow-data", 7),
    ("ferroflow", 8),
    ("ferroflow-cli", 9),
];

const LONGEST_FILE: usize = 500;

/// Where data from the wire or from files are read: nothing there may panic on them.
const NO_PANIC: &[&str] =
    &["crates/io/src", "crates/grpc/src", "crates/tensor/src/codec.rs", "crates/graph/src/graph_def", "crates/distributed/src"];

/// What no committed text may hold.
const FORBIDDEN: &[&str] = &["todo!(", "unimplemented!(", "FIXME", "XXX:"];

/// Every Rust file of the repository that is written by hand.
fn sources() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root()?.join(folder), &mut files)?;
    }
    files.retain(|f| !f.ends_with("generated.rs"));
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("target") {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The part of a file before its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}

fn is_test_file(path: &Path) -> bool {
    path.components().any(|c| {
        let c = c.as_os_str().to_string_lossy();
        c == "tests" || c == "tests.rs" || c.ends_with("_tests.rs") || c == "examples" || c.starts_with("test_") || c.ends_with("_tests")
    })
}

/// Edges between crates that go upwards, from `cargo metadata`'s answer.
fn upward_edges(metadata: &Value) -> Vec<String> {
    let floor = |name: &str| FLOORS.iter().find(|(n, _)| *n == name).map(|(_, f)| *f);
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let Some(name) = package["name"].as_str() else { continue };
        let Some(own) = floor(name) else {
            if name.starts_with("ferroflow") {
                wrong.push(format!("{name} has no floor; give it one"));
            }
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // Tests may look upwards.
            if dependency["kind"] == "dev" {
                continue;
            }
            if let Some(other) = dependency["name"].as_str()
                && floor(other).is_some_and(|f| f >= own)
            {
                wrong.push(format!("{name} (floor {own}) uses {other}, which is not below it"));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn violations(check: impl Fn(&Path, &str) -> Vec<String>) -> Vec<String> {
        let root = root().unwrap();
        let mut all = Vec::new();
        for path in sources().unwrap() {
            let text = fs::read_to_string(&path).unwrap();
            let short = path.strip_prefix(&root).unwrap().display().to_string();
            all.extend(check(&path, &text).into_iter().map(|v| format!("{short}: {v}")));
        }
        all
    }

    fn assert_none(violations: Vec<String>) {
        assert!(violations.is_empty(), "\n{}", violations.join("\n"));
    }

    #[test]
    fn a_crate_uses_only_floors_below_its_own() {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
            .current_dir(root().unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_none(upward_edges(&serde_json::from_slice(&output.stdout).unwrap()));
    }

    #[test]
    fn an_upward_edge_is_found() {
        let metadata = serde_json::json!({"packages": [
            {"name": "ferroflow-math", "dependencies": [{"name": "ferroflow-ops", "kind": null}]},
            {"name": "ferroflow-ops", "dependencies": [{"name": "ferroflow-math", "kind": null}, {"name": "ferroflow-cli", "kind": "dev"}]},
        ]});
        assert_eq!(upward_edges(&metadata).len(), 1);
    }

    #[test]
    fn every_file_opens_by_saying_what_it_is() {
        assert_none(violations(|_, text| match text.starts_with("//! ") {
            true => vec![],
            false => vec!["does not open with `//! `".to_owned()],
        }));
    }

    #[test]
    fn no_file_is_too_long_to_hold_one_concept() {
        assert_none(violations(|path, text| {
            let lines = text.lines().count();
            let is_generated = text.contains("// @generated") || path.ends_with("mod.rs") && text.contains("pub const ALL");
            if lines > LONGEST_FILE && !is_generated { vec![format!("{lines} lines, at most {LONGEST_FILE}")] } else { vec![] }
        }));
    }

    #[test]
    fn nothing_panics_on_data_from_the_wire_or_from_files() {
        let root = root().unwrap();
        assert_none(violations(|path, text| {
            if !NO_PANIC.iter().any(|p| path.starts_with(root.join(p))) || is_test_file(path) {
                return vec![];
            }
            let code = without_tests(text).lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//"));
            code.filter(|(_, l)| l.contains(".unwrap()") || l.contains(".expect(") || l.contains("panic!("))
                .map(|(i, l)| format!("line {}: {}", i + 1, l.trim()))
                .collect()
        }));
    }

    #[test]
    fn nothing_is_left_unfinished() {
        assert_none(violations(|path, text| {
            if path.ends_with("tidy.rs") {
                return vec![];
            }
            FORBIDDEN.iter().filter(|w| text.contains(**w)).map(|w| format!("holds {w}")).collect()
        }));
    }
}
