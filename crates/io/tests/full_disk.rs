//! A disk that becomes full: saving fails with `ResourceExhausted`, the old checkpoint stays, nothing is left over.

use ferroflow_io::checkpoint_state::CHECKPOINT_FILE;
use ferroflow_io::file_system::{RandomAccessFile, WritableFile, join};
use ferroflow_io::*;
use ferroflow_tensor::{Code, Result, Tensor};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The local file system with room for so many more bytes.
struct SmallDisk {
    room: Arc<AtomicUsize>,
}

struct SmallDiskFile {
    file: Box<dyn WritableFile>,
    room: Arc<AtomicUsize>,
}

impl Write for SmallDiskFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let room = self.room.load(SeqCst);
        if room == 0 && !buf.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n = self.file.write(&buf[..buf.len().min(room)])?;
        self.room.store(room - n, SeqCst);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl WritableFile for SmallDiskFile {
    fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }
}

impl FileSystem for SmallDisk {
    fn open(&self, path: &str) -> Result<Box<dyn RandomAccessFile>> {
        LocalFileSystem.open(path)
    }
    fn create_new(&self, path: &str) -> Result<Box<dyn WritableFile>> {
        Ok(Box::new(SmallDiskFile { file: LocalFileSystem.create_new(path)?, room: Arc::clone(&self.room) }))
    }
    fn create_or_truncate(&self, path: &str) -> Result<Box<dyn WritableFile>> {
        Ok(Box::new(SmallDiskFile { file: LocalFileSystem.create_or_truncate(path)?, room: Arc::clone(&self.room) }))
    }
    fn rename(&self, from: &str, to: &str) -> Result<()> {
        LocalFileSystem.rename(from, to)
    }
    fn delete_file(&self, path: &str) -> Result<()> {
        LocalFileSystem.delete_file(path)
    }
    fn delete_dir(&self, path: &str) -> Result<()> {
        LocalFileSystem.delete_dir(path)
    }
    fn create_dir(&self, path: &str) -> Result<()> {
        LocalFileSystem.create_dir(path)
    }

    fn create_dir_all(&self, path: &str) -> Result<()> {
        LocalFileSystem.create_dir_all(path)
    }
    fn exists(&self, path: &str) -> Result<bool> {
        LocalFileSystem.exists(path)
    }
    fn list_dir(&self, path: &str) -> Result<Vec<String>> {
        LocalFileSystem.list_dir(path)
    }
}

fn save(fs: &Arc<dyn FileSystem>, dir: &str, value: f32) -> Result<()> {
    let prefix = join(dir, "model");
    let mut writer = BundleWriter::create(fs, &prefix)?;
    writer.add("small", &Tensor::scalar(value))?;
    writer.add("big", &Tensor::vector(&vec![value; 100_000])?)?;
    writer.finish()?;
    CheckpointState::new(&prefix, &[]).write(fs, dir, CHECKPOINT_FILE, false)
}

#[test]
fn a_full_disk_is_resource_exhausted_and_keeps_the_old_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().to_str().unwrap();
    let room = Arc::new(AtomicUsize::new(usize::MAX));
    let fs: Arc<dyn FileSystem> = Arc::new(SmallDisk { room: Arc::clone(&room) });
    save(&fs, base, 1.0).unwrap();
    let files = fs.list_dir(base).unwrap();
    // Too little for the first tensor, for the second, and for the index.
    for bytes in [0, 3, 1000, 399_999, 400_004, 400_020] {
        room.store(bytes, SeqCst);
        let e = save(&fs, base, 2.0).unwrap_err();
        assert_eq!(e.code(), Code::ResourceExhausted, "{bytes}: {e}");
        assert_eq!(fs.list_dir(base).unwrap(), files);
        let latest = latest_checkpoint(&fs, base).unwrap().unwrap();
        let reader = BundleReader::open(&fs, &latest).unwrap();
        assert_eq!(reader.read("small").unwrap().to_scalar::<f32>().unwrap(), 1.0);
        assert!(reader.read("big").unwrap().as_slice::<f32>().unwrap().iter().all(|&x| x == 1.0));
    }
}

#[test]
fn an_event_writer_on_a_full_disk_reports_it() {
    let dir = tempfile::tempdir().unwrap();
    let room = Arc::new(AtomicUsize::new(100));
    let fs: Arc<dyn FileSystem> = Arc::new(SmallDisk { room });
    let mut writer = EventWriter::create(&fs, dir.path().to_str().unwrap(), "").unwrap();
    writer.add_graph(vec![0; 1000]).unwrap();
    assert_eq!(writer.flush().unwrap_err().code(), Code::ResourceExhausted);
}
