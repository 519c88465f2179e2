//! `Saver`: checkpoints of a graph's variables in TF's format, written by the tasks that hold them (TF: `tf.train.Saver`).
//!
//! The variables of each device are written by that device's task into a file of its own; one task then merges the
//! indexes under the final name. The `checkpoint` file beside them is written by the client, last.

use crate::session::Session;
use crate::variable::{Variable, group};
use ferroflow_graph::{Graph, Operation, Output};
use ferroflow_io::bundle::delete_bundle;
use ferroflow_io::checkpoint_state::{CHECKPOINT_FILE, checkpoint_exists};
use ferroflow_io::file_system::parent;
use ferroflow_io::{CheckpointState, FileSystem, LocalFileSystem, latest_checkpoint};
use ferroflow_tensor::error::{internal, not_found};
use ferroflow_tensor::{DType, DeviceSpec, Result, Shape, Tensor};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Saves and restores variables.
pub struct Saver {
    filename: Output,
    save: Option<Output>,
    restore: Operation,
    max_to_keep: usize,
    kept: Mutex<Vec<String>>,
    files: Arc<dyn FileSystem>,
}

fn text(g: &Graph, name: &str, strings: Vec<String>, shape: &[i64]) -> Result<Output> {
    let t = Tensor::strings(Shape::new(shape)?, strings.into_iter().map(Into::into).collect())?;
    Ok(g.op("Const").name(name).attr("dtype", DType::String).attr("value", t).output())
}

impl Saver {
    /// Adds save and restore nodes for these variables to the graph, under the scope `save`.
    ///
    /// Errors: the graph's first error.
    pub fn new(g: &Graph, variables: &[Variable]) -> Result<Saver> {
        let mut by_device: BTreeMap<String, Vec<&Variable>> = BTreeMap::new();
        for v in variables {
            by_device.entry(v.handle().op().device()).or_default().push(v);
        }
        let saver = g.without_control_dependencies(|| g.name_scope("save", || build(g, &by_device)))?;
        g.check()?;
        Ok(saver)
    }

    /// Keeps this many checkpoints, by default 5; 0 keeps all.
    pub fn max_to_keep(mut self, n: usize) -> Saver {
        self.max_to_keep = n;
        self
    }

    /// Writes `prefix-<step>` and points the directory's `checkpoint` file to it; older ones beyond the limit are deleted. Returns
    /// the checkpoint's path.
    ///
    /// Errors: of writing; then the checkpoint that was there stays the newest.
    pub fn save(&self, session: &Session, prefix: &str, step: i64) -> Result<String> {
        let path = format!("{prefix}-{step}");
        let Some(save) = &self.save else { return Ok(path) };
        let dir = parent(&path).to_owned();
        self.files.create_dir_all(&dir)?;
        session.step().feed(&self.filename, path.as_str()).run(save.op())?;
        let mut kept = self.kept.lock();
        kept.retain(|p| *p != path);
        kept.push(path.clone());
        let surplus = if self.max_to_keep == 0 { 0 } else { kept.len().saturating_sub(self.max_to_keep) };
        let doomed: Vec<String> = kept.drain(..surplus).collect();
        CheckpointState::new(&path, &kept).write(&self.files, &dir, CHECKPOINT_FILE, false)?;
        // After the state file: nobody is pointed to what is deleted.
        for old in doomed {
            if let Err(e) = delete_bundle(&self.files, &old) {
                tracing::warn!(checkpoint = old, error = %e, "an old checkpoint could not be deleted");
            }
        }
        Ok(path)
    }

    /// Restores the variables from a checkpoint.
    ///
    /// Errors: `NotFound` if there is none of this name or a variable is not in it; `DataLoss` if it is damaged.
    pub fn restore(&self, session: &Session, path: &str) -> Result<()> {
        if !checkpoint_exists(&self.files, path)? {
            return Err(not_found(format!("there is no checkpoint {path}")));
        }
        session.step().feed(&self.filename, path).run(&self.restore)
    }

    /// Goes on with the checkpoints that a directory's `checkpoint` file lists, so that they count for the limit. Returns the newest.
    ///
    /// Errors: of reading.
    pub fn recover(&self, dir: &str) -> Result<Option<String>> {
        let latest = latest_checkpoint(&self.files, dir)?;
        if let (Some(_), Some(state)) = (&latest, CheckpointState::read(&self.files, dir, CHECKPOINT_FILE)?) {
            *self.kept.lock() = state.all_model_checkpoint_paths;
        }
        Ok(latest)
    }
}

fn build(g: &Graph, by_device: &BTreeMap<String, Vec<&Variable>>) -> Result<Saver> {
    let default = text(g, "filename/input", vec!["model".to_owned()], &[])?;
    let filename =
        g.op("PlaceholderWithDefault").name("filename").input(default).attr("shape", ferroflow_tensor::PartialShape::scalar()).output();
    let count = by_device.len();
    let mut shard_paths = Vec::new();
    let mut saves = Vec::new();
    let mut restores = Vec::new();
    // A name of its own for each save keeps the parts of two savers apart.
    let temporary = {
        let suffix = text(g, "temp_suffix", vec![format!("_temp_{:016x}/part", unique_number())], &[])?;
        g.op("StringJoin").input_list([filename.clone(), suffix]).output()
    };
    for (i, (device, vars)) in by_device.iter().enumerate() {
        let cpu = DeviceSpec { device_type: Some("CPU".to_owned()), id: Some(0), ..DeviceSpec::parse(device)? };
        g.device(cpu, || -> Result<()> {
            let names = text(g, "tensor_names", vars.iter().map(|v| v.name()).collect(), &[vars.len() as i64])?;
            let slices = text(g, "shape_and_slices", vec![String::new(); vars.len()], &[vars.len() as i64])?;
            let path = g.op("ShardedFilename").inputs([temporary.clone(), g.constant(i as i32), g.constant(count as i32)]).output();
            let values: Vec<Output> = vars.iter().map(|v| g.colocate_with(v.handle().op(), || v.read())).collect();
            let save = g.op("SaveV2").inputs([path.clone(), names.clone(), slices.clone()]).input_list(values).build();
            saves.push(save);
            shard_paths.push(path);
            let types: Vec<DType> = vars.iter().map(|v| v.dtype()).collect();
            let restored = g.op("RestoreV2").inputs([filename.clone(), names, slices]).attr("dtypes", types).build();
            for (k, v) in vars.iter().enumerate() {
                restores.push(g.colocate_with(v.handle().op(), || v.assign(restored.output(k))));
            }
            Ok(())
        })?;
    }
    let restore = group(g, &restores, "restore_all");
    let files = LocalFileSystem::shared();
    let Some(last) = by_device.keys().last() else {
        return Ok(Saver { filename, save: None, restore, max_to_keep: 5, kept: Mutex::default(), files });
    };
    let cpu = DeviceSpec { device_type: Some("CPU".to_owned()), id: Some(0), ..DeviceSpec::parse(last)? };
    let save = g.device(cpu, || {
        let merge = g.control_dependencies(saves.iter(), || {
            let paths = g.op("Pack").input_list(shard_paths.clone()).output();
            g.op("MergeV2Checkpoints").inputs([paths, filename.clone()]).build()
        });
        g.control_dependencies([&merge], || g.op("Identity").name("control_dependency").input(&filename).output())
    });
    Ok(Saver { filename, save: Some(save), restore, max_to_keep: 5, kept: Mutex::default(), files })
}

/// Differs from process to process and from call to call.
fn unique_number() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::time::SystemTime::now())
}

/// The step number at the end of a checkpoint's name.
///
/// Errors: `Internal` if it has none.
pub fn step_of(path: &str) -> Result<i64> {
    path.rsplit_once('-').and_then(|(_, n)| n.parse().ok()).ok_or_else(|| internal(format!("checkpoint {path} has no step number")))
}
