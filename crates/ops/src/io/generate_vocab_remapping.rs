//! `GenerateVocabRemapping`: where the words of a new vocabulary stood in an old one.

use super::arguments::{file_system, text};
use crate::prelude::*;
use ferroflow_tensor::error::resource_exhausted;
use std::collections::HashMap;

pub const OP: OpSpec = OpSpec {
    signature: "GenerateVocabRemapping(new_vocab_file: string, old_vocab_file: string) -> (remapping: int64, num_present: int32)",
    attrs: "new_vocab_offset: int >= 0; num_new_vocab: int >= 0; old_vocab_size: int >= -1 = -1",
    doc: "For `num_new_vocab` lines of the new file from `new_vocab_offset` on, at which of the first `old_vocab_size` lines (-1: all) of the old file each stands, -1 for nowhere; and how many stand somewhere.",
    shape,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

/// The lines of a file.
fn lines(path: &str) -> Result<Vec<Vec<u8>>> {
    let bytes = file_system().read(path)?;
    let mut all: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec()).collect();
    if all.last().is_some_and(Vec::is_empty) {
        all.pop();
    }
    Ok(all)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (new, old) = (text(ctx, 0, "new_vocab_file")?, text(ctx, 1, "old_vocab_file")?);
    let attrs = &ctx.node.attrs;
    let (offset, count, old_size) = (attrs.count("new_vocab_offset")?, attrs.count("num_new_vocab")?, attrs.int("old_vocab_size")?);
    let (new, old) = (lines(&new)?, lines(&old)?);
    let known = usize::try_from(old_size).map_or(old.len(), |n| n.min(old.len()));
    let places: HashMap<&[u8], i64> = old[..known].iter().enumerate().rev().map(|(i, line)| (&line[..], i as i64)).collect();
    let end = offset.checked_add(count).filter(|&end| end <= new.len());
    let Some(end) = end else {
        return Err(invalid_argument(format!("the new vocabulary has {} lines, not {count} from {offset} on", new.len())));
    };
    let remapping: Vec<i64> = new[offset..end].iter().map(|line| places.get(&line[..]).copied().unwrap_or(-1)).collect();
    let present = remapping.iter().filter(|p| **p >= 0).count();
    let present = i32::try_from(present).map_err(|_| resource_exhausted("more words than an int32 counts"))?;
    ctx.set_output(0, Tensor::vector(&remapping)?);
    ctx.set_output(1, Tensor::scalar(present));
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 0)?;
    c.with_rank(1, 0)?;
    c.set_output(0, PartialShape::new(&[Some(c.node().attrs.int("num_new_vocab")?)]));
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stood() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (new, old) = (file("new", "a\nb\nc\nd\n"), file("old", "d\nb\na"));
        let run = |offset: i64, count: i64, size: i64| {
            let node = OpTester::new(&OP).input(new.as_str()).input(old.as_str());
            node.attr("new_vocab_offset", offset).attr("num_new_vocab", count).attr("old_vocab_size", size).run()
        };
        let out = run(1, 3, -1).unwrap();
        assert_eq!((out[0].as_slice::<i64>().unwrap(), out[1].to_scalar::<i32>().unwrap()), (&[1, -1, 0][..], 2));
        assert_eq!(run(0, 4, 1).unwrap()[0].as_slice::<i64>().unwrap(), [-1, -1, -1, 0]);
        assert_eq!(run(2, 3, -1).unwrap_err().code(), Code::InvalidArgument);
    }
}
