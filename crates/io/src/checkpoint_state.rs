//! The `checkpoint` file of a directory: which checkpoints exist, and which is the latest (TF: `CheckpointState`).
//!
//! It is a text proto that is replaced whole after each save, when all files of the checkpoint are in place.

use crate::atomic_file::write_atomically;
use crate::file_system::{FileSystem, join};
use crate::text_proto::{self, Value};
use ferroflow_tensor::error::{Code, Result, data_loss};
use std::sync::Arc;

/// Usual name of the state file (TF: `latest_filename`).
pub const CHECKPOINT_FILE: &str = "checkpoint";

/// The checkpoints of a directory, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckpointState {
    /// Prefix of the latest checkpoint.
    pub model_checkpoint_path: String,
    /// Prefixes of all checkpoints that are kept; the latest is last.
    pub all_model_checkpoint_paths: Vec<String>,
    /// When each was written, in seconds since the epoch; may be empty.
    pub all_model_checkpoint_timestamps: Vec<f64>,
    /// When the last checkpoint that is kept for ever was written; 0 if never.
    pub last_preserved_timestamp: f64,
}

impl CheckpointState {
    /// The state of these checkpoints; `latest` is appended to `all` unless it is last there.
    pub fn new(latest: &str, all: &[String]) -> CheckpointState {
        let mut all = all.to_vec();
        if all.last().map(String::as_str) != Some(latest) {
            all.push(latest.to_owned());
        }
        CheckpointState { model_checkpoint_path: latest.to_owned(), all_model_checkpoint_paths: all, ..CheckpointState::default() }
    }

    /// Reads a text proto.
    ///
    /// Errors: `DataLoss` if it is none. Fields that this build does not know are skipped.
    pub fn parse(text: &[u8]) -> Result<CheckpointState> {
        let mut state = CheckpointState::default();
        for (name, value) in text_proto::parse(text)? {
            match (name.as_str(), value) {
                ("model_checkpoint_path", Value::String(s)) => state.model_checkpoint_path = utf8(s)?,
                ("all_model_checkpoint_paths", Value::String(s)) => state.all_model_checkpoint_paths.push(utf8(s)?),
                ("all_model_checkpoint_timestamps", Value::Number(n)) => state.all_model_checkpoint_timestamps.push(n),
                ("last_preserved_timestamp", Value::Number(n)) => state.last_preserved_timestamp = n,
                _ => {}
            }
        }
        Ok(state)
    }

    /// The text proto.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        text_proto::push_string(&mut text, "model_checkpoint_path", &self.model_checkpoint_path);
        for path in &self.all_model_checkpoint_paths {
            text_proto::push_string(&mut text, "all_model_checkpoint_paths", path);
        }
        for time in &self.all_model_checkpoint_timestamps {
            text_proto::push_number(&mut text, "all_model_checkpoint_timestamps", *time);
        }
        if self.last_preserved_timestamp != 0.0 {
            text_proto::push_number(&mut text, "last_preserved_timestamp", self.last_preserved_timestamp);
        }
        text
    }

    /// Reads the state file `name` of `dir`; `None` if there is none. Relative paths are joined with `dir`.
    ///
    /// Errors: `DataLoss` if it is damaged; those of the file system.
    pub fn read(fs: &Arc<dyn FileSystem>, dir: &str, name: &str) -> Result<Option<CheckpointState>> {
        let path = join(dir, name);
        let text = match fs.read(&path) {
            Ok(text) => text,
            Err(e) if e.code() == Code::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut state = CheckpointState::parse(&text).map_err(|e| e.context(&path))?;
        if state.model_checkpoint_path.is_empty() {
            return Err(data_loss(format!("{path}: no model_checkpoint_path")));
        }
        state.map_paths(|p| join(dir, p));
        Ok(Some(state))
    }

    /// Writes the state file `name` of `dir` in one step.
    ///
    /// If `dir` is relative, so are the paths in it, and they are stored relative to it. `relative` stores those
    /// below an absolute `dir` relative as well, so that the directory can be moved.
    ///
    /// Errors: those of the file system.
    pub fn write(&self, fs: &Arc<dyn FileSystem>, dir: &str, name: &str, relative: bool) -> Result<()> {
        write_atomically(fs, &join(dir, name), self.stored_in(dir, relative).to_text().as_bytes())
    }

    /// The state with its paths as a file of `dir` stores them.
    fn stored_in(&self, dir: &str, relative: bool) -> CheckpointState {
        let mut stored = self.clone();
        if !dir.is_empty() && (relative || !dir.starts_with('/')) {
            let dir = format!("{}/", dir.trim_end_matches('/'));
            stored.map_paths(|p| p.strip_prefix(&dir).unwrap_or(p).to_owned());
        }
        stored
    }

    fn map_paths(&mut self, f: impl Fn(&str) -> String) {
        self.model_checkpoint_path = f(&self.model_checkpoint_path);
        for path in &mut self.all_model_checkpoint_paths {
            *path = f(path);
        }
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| data_loss("a checkpoint path is not UTF-8"))
}

/// The prefix of the latest checkpoint of `dir` that its state file names, if its files exist (TF: `latest_checkpoint`).
/// The directory is never searched.
///
/// Errors: `DataLoss` if the state file is damaged; those of the file system.
pub fn latest_checkpoint(fs: &Arc<dyn FileSystem>, dir: &str) -> Result<Option<String>> {
    let Some(state) = CheckpointState::read(fs, dir, CHECKPOINT_FILE)? else { return Ok(None) };
    Ok(checkpoint_exists(fs, &state.model_checkpoint_path)?.then_some(state.model_checkpoint_path))
}

/// Whether there is a checkpoint of this prefix.
pub fn checkpoint_exists(fs: &Arc<dyn FileSystem>, prefix: &str) -> Result<bool> {
    // A checkpoint of the old format (V1) is one file, or several named by a pattern, without an index.
    Ok(fs.exists(&format!("{prefix}.index"))? || !fs.matching(prefix)?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::LocalFileSystem;

    #[test]
    fn the_text_is_the_one_that_tensorflow_writes() {
        let state = CheckpointState::new("/abs/dir/model.ckpt-2", &["/abs/dir/model.ckpt-1".to_owned()]);
        let text = "model_checkpoint_path: \"/abs/dir/model.ckpt-2\"\n\
                    all_model_checkpoint_paths: \"/abs/dir/model.ckpt-1\"\n\
                    all_model_checkpoint_paths: \"/abs/dir/model.ckpt-2\"\n";
        assert_eq!(state.to_text(), text);
        assert_eq!(CheckpointState::parse(text.as_bytes()).unwrap(), state);
    }

    #[test]
    fn timestamps_come_back() {
        let mut state = CheckpointState::new("a", &[]);
        state.all_model_checkpoint_timestamps = vec![1700000000.5];
        state.last_preserved_timestamp = 1699999999.25;
        assert_eq!(CheckpointState::parse(state.to_text().as_bytes()).unwrap(), state);
    }

    #[test]
    fn relative_paths_are_relative_to_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().to_str().unwrap();
        let fs = LocalFileSystem::shared();
        let state = CheckpointState::new(&format!("{dir}/m-2"), &[format!("{dir}/m-1"), "/else/m".to_owned()]);
        state.write(&fs, dir, "checkpoint", true).unwrap();
        let text = String::from_utf8(fs.read(&format!("{dir}/checkpoint")).unwrap()).unwrap();
        assert!(text.contains("model_checkpoint_path: \"m-2\"") && text.contains("\"m-1\"") && text.contains("\"/else/m\""), "{text}");
        assert_eq!(CheckpointState::read(&fs, dir, "checkpoint").unwrap().unwrap(), state);
        state.write(&fs, dir, "checkpoint", false).unwrap();
        assert_eq!(CheckpointState::read(&fs, dir, "checkpoint").unwrap().unwrap(), state);
        assert!(String::from_utf8(fs.read(&format!("{dir}/checkpoint")).unwrap()).unwrap().contains(&format!("\"{dir}/m-2\"")));
    }

    #[test]
    fn absolute_paths_stay_in_a_state_file_of_the_working_directory() {
        let state = CheckpointState::new("/abs/m-1", &[]);
        assert_eq!(state.stored_in("", false), state);
        assert_eq!(state.stored_in("rel", false), state);
        assert_eq!(CheckpointState::new("rel/m-1", &[]).stored_in("rel/", false), CheckpointState::new("m-1", &[]));
    }

    #[test]
    fn the_latest_checkpoint_is_named_only_if_its_index_exists() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().to_str().unwrap();
        let fs = LocalFileSystem::shared();
        assert_eq!(latest_checkpoint(&fs, dir).unwrap(), None);
        let prefix = format!("{dir}/m-2");
        CheckpointState::new(&prefix, &[]).write(&fs, dir, "checkpoint", false).unwrap();
        assert_eq!(latest_checkpoint(&fs, dir).unwrap(), None);
        write_atomically(&fs, &format!("{prefix}.index"), b"").unwrap();
        assert_eq!(latest_checkpoint(&fs, dir).unwrap(), Some(prefix));
    }

    #[test]
    fn a_damaged_state_file_is_data_loss() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().to_str().unwrap();
        let fs = LocalFileSystem::shared();
        for text in [&b"model_checkpoint_path: \"open"[..], b"", b"model_checkpoint_path: \"\\377\"", b"\xff\xfe"] {
            write_atomically(&fs, &format!("{dir}/checkpoint"), text).unwrap();
            assert_eq!(latest_checkpoint(&fs, dir).unwrap_err().code(), Code::DataLoss);
        }
    }
}
