//! `RecordInput`: records of many files in random order, endlessly.

use super::record_yielder::{RecordYielder, Wanted};
use crate::prelude::*;
use ferroflow_io::Compression;
use parking_lot::Mutex;

pub const OP: OpSpec = OpSpec {
    signature: "RecordInput() -> (records: string)",
    attrs: "file_pattern: string; file_random_seed: int = 301; file_shuffle_shift_ratio: float = 0.0; file_buffer_size: int = 10000; file_parallelism: int = 16; batch_size: int = 32; compression_type: string = \"\"",
    flags: "stateful",
    doc: "The next `batch_size` records of the files that match, in an order that is shuffled anew in each epoch.",
    shape: |c| {
        let n = c.node().attrs.int("batch_size")?;
        c.set_output(0, PartialShape::new(&[Some(n)]));
        Ok(())
    },
    kernels: &[Kernel::built(build).heavy()],
    ..WORDS
};

struct RecordInput {
    yielder: Mutex<RecordYielder>,
    batch: usize,
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    let attrs = &c.node.attrs;
    let least_one = |name: &str| match attrs.count(name)? {
        0 => Err(invalid_argument(format!("{name} must be at least 1"))),
        n => Ok(n),
    };
    let compression = match attrs.str("compression_type")? {
        "" => Compression::None,
        "ZLIB" => Compression::Zlib,
        "GZIP" => Compression::Gzip,
        other => return Err(invalid_argument(format!("unknown compression '{other}'"))),
    };
    let wanted = Wanted {
        pattern: attrs.str("file_pattern")?.to_owned(),
        seed: attrs.int("file_random_seed")?,
        shift: f64::from(attrs.float("file_shuffle_shift_ratio")?),
        buffer: least_one("file_buffer_size")?,
        compression,
    };
    Ok(Box::new(RecordInput { yielder: Mutex::new(RecordYielder::new(wanted)), batch: least_one("batch_size")? }))
}

impl OpKernel for RecordInput {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let mut yielder = self.yielder.lock();
        let records = (0..self.batch).map(|_| yielder.next()).collect::<Result<Vec<_>>>()?;
        ctx.set_output(0, Tensor::strings(Shape::from_lens(&[self.batch])?, records)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_io::RecordWriter;
    use std::collections::BTreeSet;

    #[test]
    fn each_epoch_has_every_record_once() {
        let dir = tempfile::tempdir().unwrap();
        for file in 0..5 {
            let mut records = RecordWriter::new(Vec::new());
            (0..6).for_each(|r| records.write(format!("{file}.{r}").as_bytes()).unwrap());
            std::fs::write(dir.path().join(format!("f{file}")), records.finish().unwrap()).unwrap();
        }
        let pattern = dir.path().join("f*").display().to_string();
        let tester = || OpTester::new(&OP).attr("file_pattern", pattern.as_str()).attr("file_buffer_size", 7i64).attr("batch_size", 3i64);
        let (node, _) = tester().attr("file_shuffle_shift_ratio", 0.4f32).build().unwrap();
        let mut orders = BTreeSet::new();
        for _ in 0..3 {
            let mut order = Vec::new();
            for _ in 0..10 {
                let batch = node.run(vec![]).unwrap()[0].as_ref().unwrap().to_tensor().unwrap();
                order.extend(batch.as_strings().unwrap().to_vec());
            }
            assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 30);
            orders.insert(order);
        }
        assert_eq!(orders.len(), 3);
        std::fs::write(dir.path().join("f1"), "nonsense that is no record").unwrap();
        let (node, _) = tester().build().unwrap();
        let errors: BTreeSet<i32> = (0..10).filter_map(|_| node.run(vec![]).err()).map(|e| e.code() as i32).collect();
        assert_eq!(errors, BTreeSet::from([Code::DataLoss as i32]));
    }

    #[test]
    fn without_files_or_records_there_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let run =
            |name: &str| OpTester::new(&OP).attr("file_pattern", dir.path().join(name).display().to_string()).run_one().unwrap_err().code();
        assert_eq!(run("none*"), Code::NotFound);
        std::fs::write(dir.path().join("empty"), "").unwrap();
        assert_eq!(run("empty"), Code::NotFound);
    }
}
