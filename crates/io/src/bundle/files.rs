//! The files that a checkpoint consists of: their names, and deleting them.

use crate::file_system::{FileSystem, base_name, join, parent};
use ferroflow_tensor::error::{Code, Result};
use std::sync::Arc;

/// `<prefix>.index`.
pub fn index_file_name(prefix: &str) -> String {
    format!("{prefix}.index")
}

/// `<prefix>.data-SSSSS-of-NNNNN` (TF: `DataFilename`).
pub fn data_file_name(prefix: &str, shard: u32, num_shards: u32) -> String {
    format!("{prefix}.data-{shard:05}-of-{num_shards:05}")
}

/// Deletes the checkpoint of a prefix: index, data files, meta graph, and what a killed writer left of them.
///
/// The index goes first, so that no reader finds half a checkpoint. What does not exist is no error.
///
/// Errors: those of the file system.
pub fn delete_bundle(fs: &Arc<dyn FileSystem>, prefix: &str) -> Result<()> {
    let gone_is_fine = |result: Result<()>| match result {
        Err(e) if e.code() != Code::NotFound => Err(e),
        _ => Ok(()),
    };
    gone_is_fine(fs.delete_file(&index_file_name(prefix)))?;
    let (dir, base) = (parent(prefix), base_name(prefix));
    let names = match fs.list_dir(dir) {
        Err(e) if e.code() == Code::NotFound => return Ok(()),
        names => names?,
    };
    for name in names {
        if name.strip_prefix(base).is_some_and(belongs_to_checkpoint) {
            gone_is_fine(fs.delete_file(&join(dir, &name)))?;
        }
    }
    Ok(())
}

/// Whether a file of this name belongs to a checkpoint, given what follows the prefix.
fn belongs_to_checkpoint(suffix: &str) -> bool {
    let digits = |s: &str| s.len() >= 5 && s.bytes().all(|b| b.is_ascii_digit());
    let name = match suffix.split_once(".tempstate") {
        Some((name, random)) if !random.is_empty() && random.bytes().all(|b| b.is_ascii_digit()) => name,
        Some(_) => return false,
        None => suffix,
    };
    match name.strip_prefix(".data-").and_then(|numbers| numbers.split_once("-of-")) {
        Some((shard, shards)) => digits(shard) && digits(shards),
        None => name == ".index" || name == ".meta",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::LocalFileSystem;

    #[test]
    fn only_the_files_of_the_prefix_are_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_str().unwrap();
        let kept =
            ["checkpoint", "m-1.data", "m-1.data-1-of-2", "m-1.index.tempstatex", "m-1.txt", "m-10.data-00000-of-00001", "m-10.index"];
        let deleted =
            ["m-1.index", "m-1.meta", "m-1.data-00000-of-00002", "m-1.data-00001-of-00002", "m-1.data-00000-of-00001.tempstate123"];
        for name in kept.iter().chain(&deleted) {
            std::fs::write(dir.path().join(name), b"").unwrap();
        }
        let fs = LocalFileSystem::shared();
        delete_bundle(&fs, &join(base, "m-1")).unwrap();
        assert_eq!(fs.list_dir(base).unwrap(), kept);
        delete_bundle(&fs, &join(base, "m-1")).unwrap();
        delete_bundle(&fs, &join(base, "no/dir/m")).unwrap();
    }
}
