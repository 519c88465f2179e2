//! `MergeV2Checkpoints`: the checkpoints of several tasks made one.

use super::arguments::{file_system, text, texts};
use crate::prelude::*;
use ferroflow_io::{MergeOptions, merge_bundles};

pub const OP: OpSpec = OpSpec {
    signature: "MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string) -> ()",
    attrs: "delete_old_dirs: bool = true; allow_missing_files: bool = false",
    flags: "stateful",
    doc: "Merges the checkpoints of these prefixes into that of `destination_prefix`: their data files are renamed, their indexes joined, and \
          with `delete_old_dirs` the folders that are left empty removed.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (prefixes, destination) = (texts(ctx, 0, "checkpoint_prefixes")?, text(ctx, 1, "destination_prefix")?);
    let attrs = &ctx.node.attrs;
    let options = MergeOptions { delete_old_dirs: attrs.bool("delete_old_dirs")?, allow_missing_files: attrs.bool("allow_missing_files")? };
    merge_bundles(&file_system(), &prefixes, &destination, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_io::{BundleReader, BundleWriter};

    #[test]
    fn parts_become_one_checkpoint() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        let fs = file_system();
        for (i, name) in ["a", "b"].iter().enumerate() {
            let mut w = BundleWriter::create(&fs, &at(&format!("m_temp/part-0000{i}-of-00002"))).unwrap();
            w.add(name, &Tensor::scalar(i as i32)).unwrap();
            w.finish().unwrap();
        }
        let prefixes = strings(&[2], &[&at("m_temp/part-00000-of-00002"), &at("m_temp/part-00001-of-00002")]);
        OpTester::new(&OP).input(prefixes.clone()).input(at("m").as_str()).run().unwrap();
        let reader = BundleReader::open(&fs, &at("m")).unwrap();
        assert_eq!(reader.read("b").unwrap().to_scalar::<i32>().unwrap(), 1);
        assert!(!dir.path().join("m_temp").exists());
        assert_eq!(OpTester::new(&OP).input(prefixes).input(at("m").as_str()).run().unwrap_err().code(), Code::NotFound);
    }
}
