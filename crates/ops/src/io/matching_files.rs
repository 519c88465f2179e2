//! `MatchingFiles`: the files that patterns match.

use super::arguments::file_system;
use crate::prelude::*;
use bytes::Bytes;

pub const OP: OpSpec = OpSpec {
    signature: "MatchingFiles(pattern: string) -> (filenames: string)",
    doc: "The paths that match the pattern, or one of a vector of patterns, of `*`, `?` and `[…]`; sorted.",
    shape,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let patterns = ctx.input(0)?;
    if patterns.rank() > 1 {
        return Err(invalid_argument(format!("Input patterns tensor must be scalar or vector, but had shape: {}", patterns.shape())));
    }
    let fs = file_system();
    let mut paths = Vec::new();
    for pattern in patterns.as_strings()? {
        let pattern = std::str::from_utf8(pattern).map_err(|_| invalid_argument("a pattern is not valid UTF-8"))?;
        paths.extend(fs.matching(pattern)?);
    }
    paths.sort_unstable();
    paths.dedup();
    let n = paths.len();
    let y = Tensor::strings(Shape::from_lens(&[n])?, paths.into_iter().map(Bytes::from).collect())?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.set_output(0, PartialShape::of_rank(1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_sorted_and_appear_once() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a.txt", "c.bin"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let at = |name: &str| dir.path().join(name).display().to_string();
        let y = OpTester::new(&OP).input(strings(&[2], &[&at("*.txt"), &at("a*")])).run_one().unwrap();
        assert_eq!(y.as_strings().unwrap(), [at("a.txt"), at("b.txt")]);
    }
}
