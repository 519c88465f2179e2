//! Files that appear whole or not at all: written under an unguessable temporary name, then renamed.
//!
//! The temporary file lies in the directory of the final one (a rename must not cross file systems), is
//! created exclusively, and has the permissions that the process's umask gives. What is not published is deleted.

use crate::file_system::{FileSystem, WritableFile, create_last_parent};
use ferroflow_tensor::error::{Code, Result};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

const BUFFER_LEN: usize = 256 << 10;
const NAME_ATTEMPTS: usize = 8;

/// A file being written that gets its name when it is complete.
pub struct AtomicFile {
    fs: Arc<dyn FileSystem>,
    out: BufWriter<Box<dyn WritableFile>>,
    temporary: String,
    path: String,
    published: bool,
}

impl AtomicFile {
    /// Starts a file that is to become `path`; its directory is created if need be, but none above it.
    ///
    /// Errors: those of the file system.
    pub fn create(fs: Arc<dyn FileSystem>, path: &str) -> Result<AtomicFile> {
        create_last_parent(&*fs, path)?;
        let mut attempts = 1;
        let (temporary, file) = loop {
            let name = format!("{path}.tempstate{}", rand::random::<u64>());
            match fs.create_new(&name) {
                Ok(file) => break (name, file),
                Err(e) if e.code() == Code::AlreadyExists && attempts < NAME_ATTEMPTS => attempts += 1,
                Err(e) => return Err(e),
            }
        };
        Ok(AtomicFile { fs, out: BufWriter::with_capacity(BUFFER_LEN, file), temporary, path: path.to_owned(), published: false })
    }

    /// Brings all that was written to the disk.
    ///
    /// Errors: `ResourceExhausted` if the disk is full.
    pub fn sync(&mut self) -> Result<()> {
        self.out.flush().map_err(|e| ferroflow_tensor::Error::from(e).context(&self.path))?;
        self.out.get_mut().sync()
    }

    /// Gives the file its name, replacing what had it. Call [`AtomicFile::sync`] first.
    pub fn publish(mut self) -> Result<()> {
        self.fs.rename(&self.temporary, &self.path)?;
        self.published = true;
        Ok(())
    }

    /// [`AtomicFile::sync`] and [`AtomicFile::publish`].
    pub fn commit(mut self) -> Result<()> {
        self.sync()?;
        self.publish()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.out.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.published {
            // Nothing more can be done about a file that cannot be deleted; its name says that it is a leftover.
            let _ = self.fs.delete_file(&self.temporary);
        }
    }
}

/// Writes a whole file in one step: afterwards it has either the old or the new contents.
pub fn write_atomically(fs: &Arc<dyn FileSystem>, path: &str, contents: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(Arc::clone(fs), path)?;
    file.write_all(contents).map_err(|e| ferroflow_tensor::Error::from(e).context(path))?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::{LocalFileSystem, join};

    #[test]
    fn a_committed_file_replaces_the_old_one_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().join("new").to_str().unwrap().to_owned();
        let fs = LocalFileSystem::shared();
        let path = join(&base, "f");
        let too_deep = write_atomically(&fs, &join(&base, "deeper/f"), b"").unwrap_err();
        assert_eq!(too_deep.code(), Code::NotFound, "{too_deep}");
        assert!(!fs.exists(&base).unwrap());
        write_atomically(&fs, &path, b"old").unwrap();
        let mut file = AtomicFile::create(Arc::clone(&fs), &path).unwrap();
        file.write_all(b"new").unwrap();
        file.sync().unwrap();
        assert_eq!(fs.read(&path).unwrap(), b"old");
        file.publish().unwrap();
        assert_eq!(fs.read(&path).unwrap(), b"new");
        assert_eq!(fs.list_dir(&base).unwrap(), ["f"]);
    }

    #[test]
    fn a_dropped_file_never_existed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_str().unwrap();
        let fs = LocalFileSystem::shared();
        let mut file = AtomicFile::create(Arc::clone(&fs), &join(base, "f")).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs.list_dir(base).unwrap().len(), 1);
        drop(file);
        assert!(fs.list_dir(base).unwrap().is_empty());
    }
}
