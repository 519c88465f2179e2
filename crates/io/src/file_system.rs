//! `FileSystem`: where checkpoints, event files and data live (TF: `FileSystem`, `Env`).
//!
//! Paths are strings, as in graphs and configuration. [`LocalFileSystem`] is the one of this machine; a store
//! elsewhere implements the same trait. Errors carry the path.

use crate::glob;
use ferroflow_tensor::error::{Error, Result, failed_precondition};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// A file that is read at given places, by several threads if need be.
pub trait RandomAccessFile: Send + Sync {
    /// Its length in bytes.
    fn len(&self) -> Result<u64>;

    /// Whether it has no bytes.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Fills `buf` from `offset` on. Errors: `DataLoss` if the file ends before.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()>;
}

/// A file that is written from its start to its end.
pub trait WritableFile: Write + Send {
    /// Waits until all that was written is on the disk.
    fn sync(&mut self) -> Result<()>;
}

/// What the file formats need of a file system.
pub trait FileSystem: Send + Sync {
    /// Opens a file to read.
    fn open(&self, path: &str) -> Result<Box<dyn RandomAccessFile>>;

    /// Creates a file that does not exist. Errors: `AlreadyExists` if it does.
    fn create_new(&self, path: &str) -> Result<Box<dyn WritableFile>>;

    /// Opens a file for writing from its beginning, without what it held; it is made if there is none. What stands there keeps its rights
    /// and links.
    fn create_or_truncate(&self, path: &str) -> Result<Box<dyn WritableFile>>;

    /// Renames a file, replacing one of the new name in one step. When it returns, the new name survives a crash of the system.
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Deletes a file.
    fn delete_file(&self, path: &str) -> Result<()>;

    /// Deletes an empty directory.
    fn delete_dir(&self, path: &str) -> Result<()>;

    /// Creates a directory in one that exists; that it is there already is no error.
    fn create_dir(&self, path: &str) -> Result<()>;

    /// Creates a directory and those above it, as far as they do not exist.
    fn create_dir_all(&self, path: &str) -> Result<()>;

    /// Whether there is a file or directory of this name.
    fn exists(&self, path: &str) -> Result<bool>;

    /// The names in a directory, sorted, without the path.
    fn list_dir(&self, path: &str) -> Result<Vec<String>>;

    /// The paths that match a pattern of `*`, `?`, `[…]` and `\`, none of which crosses a `/`; sorted.
    fn matching(&self, pattern: &str) -> Result<Vec<String>> {
        glob::matching(self, pattern)
    }

    /// All bytes of a file.
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let file = self.open(path)?;
        let len = usize::try_from(file.len()?).map_err(|_| failed_precondition(format!("{path}: too large to read at once")))?;
        let mut bytes = vec![0; len];
        file.read_at(0, &mut bytes)?;
        Ok(bytes)
    }
}

/// The part of a path before its last `/`; empty if there is none.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(i) => path.get(..i).unwrap_or_default(),
        None => "",
    }
}

/// The part of a path after its last `/`.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `dir/name`, or `name` if that is absolute.
pub fn join(dir: &str, name: &str) -> String {
    if name.starts_with('/') || dir.is_empty() {
        name.to_owned()
    } else if dir.ends_with('/') {
        format!("{dir}{name}")
    } else {
        format!("{dir}/{name}")
    }
}

/// Creates the directory that `path` is to lie in, but none above that: a mistyped path is an error instead of a tree that nobody
/// looks at.
pub fn create_last_parent(fs: &(impl FileSystem + ?Sized), path: &str) -> Result<()> {
    match parent(path) {
        "" => Ok(()),
        dir => fs.create_dir(dir),
    }
}

/// Creates the directory that `path` is to lie in, and those above it.
pub fn create_parent(fs: &(impl FileSystem + ?Sized), path: &str) -> Result<()> {
    match parent(path) {
        "" => Ok(()),
        dir => fs.create_dir_all(dir),
    }
}

/// Files of this machine. A leading `file://` of a path is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFileSystem;

impl LocalFileSystem {
    /// The local file system, ready to be shared.
    pub fn shared() -> Arc<dyn FileSystem> {
        Arc::new(LocalFileSystem)
    }
}

struct LocalFile {
    file: fs::File,
    path: String,
}

fn local(path: &str) -> &Path {
    let path = path.strip_prefix("file://").unwrap_or(path);
    Path::new(if path.is_empty() { "." } else { path })
}

fn at(path: &str) -> impl Fn(io::Error) -> Error + '_ {
    move |e| Error::from(e).context(path)
}

impl FileSystem for LocalFileSystem {
    fn open(&self, path: &str) -> Result<Box<dyn RandomAccessFile>> {
        let file = fs::File::open(local(path)).map_err(at(path))?;
        if file.metadata().map_err(at(path))?.is_dir() {
            return Err(failed_precondition(format!("{path}: is a directory")));
        }
        Ok(Box::new(LocalFile { file, path: path.to_owned() }))
    }

    fn create_new(&self, path: &str) -> Result<Box<dyn WritableFile>> {
        let file = fs::OpenOptions::new().write(true).create_new(true).open(local(path)).map_err(at(path))?;
        Ok(Box::new(LocalFile { file, path: path.to_owned() }))
    }

    fn create_or_truncate(&self, path: &str) -> Result<Box<dyn WritableFile>> {
        let file = fs::File::create(local(path)).map_err(at(path))?;
        Ok(Box::new(LocalFile { file, path: path.to_owned() }))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        fs::rename(local(from), local(to)).map_err(|e| Error::from(e).context(format!("rename {from} to {to}")))?;
        let dir = parent(to);
        match fs::File::open(local(dir)).and_then(|d| d.sync_all()) {
            // Some file systems cannot sync a directory; then there is nothing to wait for.
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            result => result.map_err(at(dir)),
        }
    }

    fn delete_file(&self, path: &str) -> Result<()> {
        fs::remove_file(local(path)).map_err(at(path))
    }

    fn delete_dir(&self, path: &str) -> Result<()> {
        fs::remove_dir(local(path)).map_err(at(path))
    }

    fn create_dir(&self, path: &str) -> Result<()> {
        let path_of_dir = local(path);
        match fs::create_dir(path_of_dir) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists || path_of_dir.is_dir() => Ok(()),
            result => result.map_err(at(path)),
        }
    }

    fn create_dir_all(&self, path: &str) -> Result<()> {
        fs::create_dir_all(local(path)).map_err(at(path))
    }

    fn exists(&self, path: &str) -> Result<bool> {
        local(path).try_exists().map_err(at(path))
    }

    fn list_dir(&self, path: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(local(path)).map_err(at(path))? {
            // A name that is not UTF-8 cannot be a path here, and none of ours is.
            if let Ok(name) = entry.map_err(at(path))?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

impl RandomAccessFile for LocalFile {
    fn len(&self) -> Result<u64> {
        Ok(self.file.metadata().map_err(at(&self.path))?.len())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(buf, offset).map_err(at(&self.path))
    }
}

impl Write for LocalFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl WritableFile for LocalFile {
    fn sync(&mut self) -> Result<()> {
        self.file.sync_all().map_err(at(&self.path))
    }
}

/// Bytes in memory as a file to read.
impl RandomAccessFile for Vec<u8> {
    fn len(&self) -> Result<u64> {
        Ok(self.as_slice().len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let part = usize::try_from(offset).ok().and_then(|o| self.get(o..)?.get(..buf.len()));
        let part = part.ok_or_else(|| ferroflow_tensor::error::data_loss(format!("file ends before {offset} + {}", buf.len())))?;
        buf.copy_from_slice(part);
        Ok(())
    }
}

/// A [`RandomAccessFile`] read from its start as a stream. At its end it can be asked again: a file may have grown.
pub struct Sequential {
    file: Box<dyn RandomAccessFile>,
    offset: u64,
}

impl Sequential {
    /// Starts at the first byte.
    pub fn new(file: Box<dyn RandomAccessFile>) -> Sequential {
        Sequential { file, offset: 0 }
    }
}

impl io::Read for Sequential {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.file.len().map_err(io::Error::other)?.saturating_sub(self.offset);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let part = buf.get_mut(..n).unwrap_or_default();
        self.file.read_at(self.offset, part).map_err(io::Error::other)?;
        self.offset += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;
    use std::io::Read;

    fn dir() -> (tempfile::TempDir, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap().to_owned();
        (dir, path)
    }

    #[test]
    fn a_file_is_created_once_and_read_at_any_place() {
        let (_keep, dir) = dir();
        let fs = LocalFileSystem;
        let path = join(&dir, "a");
        fs.create_new(&path).unwrap().write_all(b"0123456789").unwrap();
        assert_eq!(fs.create_new(&path).err().unwrap().code(), Code::AlreadyExists);
        let file = fs.open(&path).unwrap();
        let mut buf = [0; 3];
        file.read_at(4, &mut buf).unwrap();
        assert_eq!(&buf, b"456");
        assert_eq!(file.read_at(8, &mut buf).unwrap_err().code(), Code::DataLoss);
        assert_eq!(fs.read(&path).unwrap(), b"0123456789");
        assert_eq!(fs.read(&format!("file://{path}")).unwrap().len(), 10);
    }

    #[test]
    fn what_does_not_exist_is_not_found_and_named() {
        let (_keep, dir) = dir();
        let path = join(&dir, "nothing");
        let e = LocalFileSystem.open(&path).err().unwrap();
        assert_eq!(e.code(), Code::NotFound);
        assert!(e.message().contains("nothing"), "{e}");
        assert_eq!(LocalFileSystem.open(&dir).err().unwrap().code(), Code::FailedPrecondition);
        assert!(!LocalFileSystem.exists(&path).unwrap());
    }

    #[test]
    fn a_stream_sees_what_is_appended_later() {
        let (_keep, dir) = dir();
        let path = join(&dir, "log");
        let mut out = LocalFileSystem.create_new(&path).unwrap();
        out.write_all(b"ab").unwrap();
        let mut stream = Sequential::new(LocalFileSystem.open(&path).unwrap());
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        out.write_all(b"cd").unwrap();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcd");
    }

    #[test]
    fn paths_are_taken_apart_and_joined() {
        assert_eq!((parent("a/b/c"), base_name("a/b/c")), ("a/b", "c"));
        assert_eq!((parent("c"), base_name("c")), ("", "c"));
        assert_eq!(parent("/c"), "/");
        assert_eq!(join("a", "b"), "a/b");
        assert_eq!(join("a/", "b"), "a/b");
        assert_eq!(join("", "b"), "b");
        assert_eq!(join("a", "/b"), "/b");
    }
}
