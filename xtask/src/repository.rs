//! Where the repository lies, and committed files that a command generates.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder that holds the workspace's `Cargo.toml`.
pub fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.parent().context("xtask has no parent folder")?.to_path_buf())
}

/// Writes `content` to the generated file `path`; with `check`, fails instead if the file does not already hold it.
///
/// `command` is the xtask command that regenerates the file; it goes into the error.
pub fn put(path: &Path, content: &str, check: bool, command: &str) -> Result<()> {
    let old = match fs::read_to_string(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    // A checkout may have turned line ends into CRLF; that is no difference in content.
    if old.is_some_and(|old| old.replace("\r\n", "\n") == content) {
        return Ok(());
    }
    if check {
        bail!("{} is not what its source generates; run `cargo run -p xtask -- {command}`", path.display());
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_written_and_then_passes_the_check() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("generated.rs");
        assert!(put(&path, "a\n", true, "thing").is_err());
        assert!(!path.exists(), "a check writes nothing");
        put(&path, "a\n", false, "thing").unwrap();
        put(&path, "a\n", true, "thing").unwrap();
    }

    #[test]
    fn a_changed_file_fails_the_check_and_names_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("generated.rs");
        fs::write(&path, "a\n").unwrap();
        let error = put(&path, "b\n", true, "thing").unwrap_err().to_string();
        assert!(error.contains("cargo run -p xtask -- thing"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\n");
    }
}
