//! The dataset of `Cache` with a file name: elements kept in a checkpoint (TF: `CacheDatasetOp::FileDataset`).
//!
//! The files are TensorFlow's: component `j` of element `i` is the tensor of that name, both numbers padded with blanks.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use crate::io::arguments::file_system;
use ferroflow_io::{BundleReader, BundleWriter};
use ferroflow_tensor::{Code, Result};

/// How many digits the number of an element has.
const DIGITS: usize = 7;

/// The dataset.
pub(super) struct FileCache {
    input: DatasetHandle,
    path: String,
}

impl FileCache {
    /// Keeps the elements of `input` in files whose names begin with `path`.
    pub(super) fn new(input: DatasetHandle, path: String) -> FileCache {
        FileCache { input, path }
    }
}

impl Dataset for FileCache {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        let components = self.input.output_types().len();
        Ok(Box::new(FileCacheIterator { input: self.input.clone(), path: self.path.clone(), components, next: 0, mode: Mode::NotBegun }))
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

enum Mode {
    /// Which of the others it is to be is seen with the first request.
    NotBegun,
    Write(AnyIterator, Box<BundleWriter>),
    Read(Box<BundleReader>),
    Over,
}

struct FileCacheIterator {
    input: DatasetHandle,
    path: String,
    components: usize,
    /// The number of the next element.
    next: usize,
    mode: Mode,
}

impl FileCacheIterator {
    fn name(&self, component: usize) -> String {
        let digits = self.components.saturating_sub(1).to_string().len();
        format!("{:>DIGITS$}_{component:>digits$}", self.next)
    }

    fn begin(&mut self, ctx: &IteratorContext) -> Result<()> {
        self.mode = match BundleReader::open(&file_system(), &self.path) {
            Ok(reader) => Mode::Read(Box::new(reader)),
            Err(e) if e.code() == Code::NotFound => {
                Mode::Write(self.input.iterator(ctx)?, Box::new(BundleWriter::create(&file_system(), &self.path)?))
            }
            Err(e) => return Err(e),
        };
        Ok(())
    }
}

impl DatasetIterator for FileCacheIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            if let Mode::NotBegun = self.mode {
                self.begin(ctx)?;
            }
            let names: Vec<String> = (0..self.components).map(|j| self.name(j)).collect();
            match &mut self.mode {
                Mode::Write(input, writer) => {
                    if let Some(element) = input.next(ctx).await? {
                        names.iter().zip(&element).try_for_each(|(name, t)| writer.add(name, t))?;
                        self.next += 1;
                        return Ok(Some(element));
                    }
                    if let Mode::Write(_, writer) = std::mem::replace(&mut self.mode, Mode::Over) {
                        writer.finish()?;
                    }
                    Ok(None)
                }
                Mode::Read(reader) => {
                    let is_there = names.first().map_or(Ok(false), |name| reader.entry(name).map(|e| e.is_some()))?;
                    if !is_there {
                        self.mode = Mode::Over;
                        return Ok(None);
                    }
                    let element = names.iter().map(|name| reader.read(name)).collect::<Result<Element>>()?;
                    self.next += 1;
                    Ok(Some(element))
                }
                Mode::NotBegun | Mode::Over => Ok(None),
            }
        })
    }
}
