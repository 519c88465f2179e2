//! Merging of the bundles that the tasks of a sharded save wrote into one (TF: `MergeBundles`, the body of `MergeV2Checkpoints`).
//!
//! Data files are renamed, not copied. The merged index is written last, so that the checkpoint exists only when all
//! of it is in place; the old indexes are deleted after that.

use super::entry::BundleEntry;
use super::reader::BundleReader;
use super::writer::{add_slices, write_index};
use super::{data_file_name, index_file_name};
use crate::file_system::{FileSystem, create_last_parent, parent};
use ferroflow_tensor::error::{Error, Result, failed_precondition, invalid_argument, not_found};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// How to merge; the defaults are those of `MergeV2Checkpoints`.
#[derive(Clone, Copy, Debug)]
pub struct MergeOptions {
    /// Delete the directories of the merged bundles if nothing else is in them.
    pub delete_old_dirs: bool,
    /// Skip prefixes that have no index instead of failing.
    pub allow_missing_files: bool,
}

impl Default for MergeOptions {
    fn default() -> MergeOptions {
        MergeOptions { delete_old_dirs: true, allow_missing_files: false }
    }
}

#[derive(Default)]
struct Merged {
    entries: BTreeMap<Vec<u8>, BundleEntry>,
    /// The data files in the order of their new numbers.
    data_files: Vec<String>,
    /// Data files of the merged bundles in which no entry lies.
    unused: Vec<String>,
    indexes: Vec<String>,
}

/// Merges the bundles of `prefixes` into one of prefix `destination`.
///
/// Nothing is changed unless all files are there and fit together.
///
/// Errors: `NotFound` naming a file that does not exist; `InvalidArgument` if two bundles hold a tensor of one name, or
/// slices of different tensors; `DataLoss` if an index is damaged; those of the file system.
pub fn merge_bundles(fs: &Arc<dyn FileSystem>, prefixes: &[String], destination: &str, options: MergeOptions) -> Result<()> {
    let mut merged = Merged::default();
    for prefix in prefixes {
        merged.gather(fs, prefix, options)?;
    }
    if merged.indexes.is_empty() {
        return Err(invalid_argument(format!("no checkpoints to merge into {destination}")));
    }
    let num_shards = u32::try_from(merged.data_files.len()).map_err(|_| failed_precondition("too many data files to merge"))?;
    create_last_parent(&**fs, destination)?;
    // A bundle without tensors still has one data file.
    let num_shards = if num_shards == 0 { merged.adopt_an_unused_file()? } else { num_shards };
    let index = write_index(fs, destination, num_shards, &merged.entries)?;
    for (shard, old) in (0..).zip(&merged.data_files) {
        fs.rename(old, &data_file_name(destination, shard, num_shards))?;
    }
    index.publish()?;
    merged.clean_up(fs, destination, options)
}

impl Merged {
    fn gather(&mut self, fs: &Arc<dyn FileSystem>, prefix: &str, options: MergeOptions) -> Result<()> {
        let index = index_file_name(prefix);
        if !fs.exists(&index)? {
            if options.allow_missing_files {
                return Ok(());
            }
            return Err(not_found(format!(
                "{index}: no such file; the task that wrote this part must write to a file system that the merging task sees"
            )));
        }
        let reader = BundleReader::open(fs, prefix)?;
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        reader.for_each_entry(|key, mut entry| {
            if !entry.slices.is_empty() {
                return self.merge_sliced(key, entry, prefix);
            }
            let next = self.data_files.len() as u32;
            entry.shard_id = match numbers.entry(entry.shard_id) {
                Entry::Occupied(number) => *number.get(),
                Entry::Vacant(slot) => {
                    self.data_files.push(existing(fs, data_file_name(prefix, entry.shard_id, reader.num_shards()))?);
                    *slot.insert(next)
                }
            };
            match self.entries.entry(key.to_vec()) {
                Entry::Occupied(_) => Err(duplicate(key, prefix)),
                Entry::Vacant(slot) => {
                    slot.insert(entry);
                    Ok(())
                }
            }
        })?;
        for shard in (0..reader.num_shards()).filter(|shard| !numbers.contains_key(shard)) {
            self.unused.push(existing(fs, data_file_name(prefix, shard, reader.num_shards()))?);
        }
        self.indexes.push(index);
        Ok(())
    }

    fn merge_sliced(&mut self, key: &[u8], entry: BundleEntry, prefix: &str) -> Result<()> {
        match self.entries.entry(key.to_vec()) {
            Entry::Vacant(slot) => {
                slot.insert(entry);
                Ok(())
            }
            Entry::Occupied(full) if full.get().slices.is_empty() => Err(duplicate(key, prefix)),
            Entry::Occupied(mut full) => add_slices(key, full.get_mut(), entry.dtype, &entry.shape, &entry.slices),
        }
    }

    fn adopt_an_unused_file(&mut self) -> Result<u32> {
        let file = self.unused.pop().ok_or_else(|| failed_precondition("the checkpoints to merge have no data file"))?;
        self.data_files.push(file);
        Ok(1)
    }

    fn clean_up(&self, fs: &Arc<dyn FileSystem>, destination: &str, options: MergeOptions) -> Result<()> {
        let kept = index_file_name(destination);
        let old = self.indexes.iter().filter(|index| **index != kept);
        for path in old.clone().chain(&self.unused) {
            fs.delete_file(path)?;
        }
        if options.delete_old_dirs {
            let mut dirs: Vec<&str> = old.map(|index| parent(index)).filter(|dir| *dir != parent(destination) && !dir.is_empty()).collect();
            dirs.sort_unstable();
            dirs.dedup();
            for dir in dirs {
                // A directory that is not empty holds someone else's files and stays.
                if fs.list_dir(dir)?.is_empty() {
                    fs.delete_dir(dir)?;
                }
            }
        }
        Ok(())
    }
}

fn duplicate(key: &[u8], prefix: &str) -> Error {
    let key = String::from_utf8_lossy(key);
    invalid_argument(format!("Duplicate tensor keyed by {key} encountered, when merging prefix: {prefix}"))
}

fn existing(fs: &Arc<dyn FileSystem>, path: String) -> Result<String> {
    if fs.exists(&path)? {
        return Ok(path);
    }
    Err(not_found(format!("{path}: no such file; the task that wrote it must write to a file system that the merging task sees")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{BundleWriter, ShapeAndSlice};
    use crate::file_system::LocalFileSystem;
    use ferroflow_tensor::{Code, Tensor};

    fn save(fs: &Arc<dyn FileSystem>, prefix: &str, names: &[(&str, i32)], rows: Option<(i32, i32)>) {
        let mut writer = BundleWriter::create(fs, prefix).unwrap();
        for (name, value) in names {
            writer.add(name, &Tensor::scalar(*value)).unwrap();
        }
        if let Some((start, len)) = rows {
            let values: Vec<i32> = (start..start + len).collect();
            let part = ShapeAndSlice::parse(&format!("6 {start},{len}")).unwrap().unwrap();
            writer.add_slice("p", &part, &Tensor::vector(&values).unwrap()).unwrap();
        }
        writer.finish().unwrap();
    }

    fn setting() -> (tempfile::TempDir, Arc<dyn FileSystem>, String) {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_str().unwrap().to_owned();
        (dir, LocalFileSystem::shared(), base)
    }

    #[test]
    fn parts_become_one_checkpoint_and_their_directory_goes() {
        let (_dir, fs, base) = setting();
        let parts: Vec<String> = (0..2).map(|i| format!("{base}/parts/part-{i}")).collect();
        save(&fs, &parts[0], &[("a", 1), ("z", 2)], Some((0, 4)));
        save(&fs, &parts[1], &[("b", 3)], Some((4, 2)));
        let dest = format!("{base}/model-7");
        merge_bundles(&fs, &parts, &dest, MergeOptions::default()).unwrap();
        assert_eq!(fs.list_dir(&base).unwrap(), ["model-7.data-00000-of-00002", "model-7.data-00001-of-00002", "model-7.index"]);
        let reader = BundleReader::open(&fs, &dest).unwrap();
        let value = |name: &str| reader.read(name).unwrap().to_scalar::<i32>().unwrap();
        assert_eq!((value("a"), value("z"), value("b")), (1, 2, 3));
        assert_eq!(reader.read("p").unwrap().as_slice::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn merging_a_merged_checkpoint_keeps_all_its_data_files() {
        let (_dir, fs, base) = setting();
        let path = |name: &str| format!("{base}/{name}");
        for (name, value) in [("x", 1), ("y", 2), ("z", 3)] {
            save(&fs, &path(name), &[(name, value)], None);
        }
        merge_bundles(&fs, &[path("x"), path("y")], &path("xy"), MergeOptions::default()).unwrap();
        merge_bundles(&fs, &[path("xy"), path("z")], &path("all"), MergeOptions::default()).unwrap();
        let reader = BundleReader::open(&fs, &path("all")).unwrap();
        assert_eq!(reader.num_shards(), 3);
        assert_eq!(reader.read("y").unwrap().to_scalar::<i32>().unwrap(), 2);
        assert_eq!(fs.list_dir(&base).unwrap().len(), 4);
    }

    #[test]
    fn a_missing_part_is_named_and_nothing_is_changed() {
        let (_dir, fs, base) = setting();
        let parts: Vec<String> = (0..2).map(|i| format!("{base}/parts/part-{i}")).collect();
        save(&fs, &parts[0], &[("a", 1)], None);
        let dest = format!("{base}/m");
        let e = merge_bundles(&fs, &parts, &dest, MergeOptions::default()).unwrap_err();
        assert_eq!(e.code(), Code::NotFound);
        assert!(e.message().contains("parts/part-1.index"), "{e}");
        save(&fs, &parts[1], &[("b", 1)], None);
        fs.delete_file(&data_file_name(&parts[1], 0, 1)).unwrap();
        let e = merge_bundles(&fs, &parts, &dest, MergeOptions::default()).unwrap_err();
        assert!(e.message().contains("parts/part-1.data-00000-of-00001"), "{e}");
        assert_eq!(fs.list_dir(&base).unwrap(), ["parts"]);
        assert_eq!(fs.list_dir(&format!("{base}/parts")).unwrap().len(), 3);
    }

    #[test]
    fn a_missing_part_can_be_allowed() {
        let (_dir, fs, base) = setting();
        let parts: Vec<String> = (0..2).map(|i| format!("{base}/parts/part-{i}")).collect();
        save(&fs, &parts[0], &[("a", 1)], None);
        let options = MergeOptions { allow_missing_files: true, ..MergeOptions::default() };
        merge_bundles(&fs, &parts, &format!("{base}/m"), options).unwrap();
        assert_eq!(BundleReader::open(&fs, &format!("{base}/m")).unwrap().entries().unwrap().len(), 1);
        assert_eq!(merge_bundles(&fs, &parts, &format!("{base}/m"), options).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn two_tensors_of_one_name_and_slices_that_do_not_fit_are_refused() {
        let (_dir, fs, base) = setting();
        let path = |name: &str| format!("{base}/{name}");
        save(&fs, &path("1"), &[("a", 1)], Some((0, 4)));
        save(&fs, &path("2"), &[("a", 1)], None);
        save(&fs, &path("3"), &[("b", 1)], Some((3, 2)));
        save(&fs, &path("4"), &[("p", 1)], None);
        for other in ["2", "3", "4"] {
            let e = merge_bundles(&fs, &[path("1"), path(other)], &path("m"), MergeOptions::default()).unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument, "{other}");
        }
        assert_eq!(fs.list_dir(&base).unwrap().len(), 8);
    }

    #[test]
    fn a_directory_with_other_files_stays() {
        let (_dir, fs, base) = setting();
        save(&fs, &format!("{base}/parts/part"), &[("a", 1)], None);
        save(&fs, &format!("{base}/parts/other"), &[("a", 1)], None);
        merge_bundles(&fs, &[format!("{base}/parts/part")], &format!("{base}/m"), MergeOptions::default()).unwrap();
        assert_eq!(fs.list_dir(&format!("{base}/parts")).unwrap().len(), 2);
    }
}
