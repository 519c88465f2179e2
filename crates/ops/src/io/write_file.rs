//! `WriteFile`: bytes into a file.

use super::arguments::{file_system, text};
use crate::prelude::*;
use ferroflow_io::file_system::create_parent;

pub const OP: OpSpec = OpSpec {
    signature: "WriteFile(filename: string, contents: string) -> ()",
    flags: "stateful",
    doc: "Writes the scalar `contents` to the file, replacing what it held; folders above it are made as needed.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let path = text(ctx, 0, "filename")?;
    match ctx.input(1)?.as_strings()? {
        [contents] if ctx.input(1)?.shape().is_scalar() => write(&path, contents),
        _ => Err(invalid_argument(format!("Contents tensor must be scalar, but had shape: {}", ctx.input(1)?.shape()))),
    }
}

/// Writes into what stands there, be it a link, a pipe or a device, as TF does.
fn write(path: &str, contents: &[u8]) -> Result<()> {
    let fs = file_system();
    create_parent(&*fs, path)?;
    let mut file = fs.create_or_truncate(path)?;
    file.write_all(contents).and_then(|()| file.flush()).map_err(|e| ferroflow_tensor::Error::from(e).context(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::read_file;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/file").display().to_string();
        let read = || OpTester::new(&read_file::OP).input(path.as_str()).run_one();
        assert_eq!(read().unwrap_err().code(), Code::NotFound);
        for contents in ["one", "2"] {
            OpTester::new(&OP).input(path.as_str()).input(contents).run().unwrap();
            assert_eq!(read().unwrap().as_strings().unwrap(), [contents]);
        }
        let link = dir.path().join("link").display().to_string();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        OpTester::new(&OP).input(link.as_str()).input("through").run().unwrap();
        assert_eq!(read().unwrap().as_strings().unwrap(), ["through"]);
        assert_eq!(OpTester::new(&OP).input(path.as_str()).input(strings(&[0], &[])).run().unwrap_err().code(), Code::InvalidArgument);
    }
}
