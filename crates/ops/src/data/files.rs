//! The datasets of `TFRecordDataset`, `TextLineDataset` and `FixedLengthRecordDataset`: the pieces of files, as strings.
//!
//! What is wrong with a file is the error of one request; the next goes on with the next file.

use super::dataset::{AnyIterator, Dataset, DatasetIterator, Next, UNKNOWN};
use super::iterator_context::IteratorContext;
use super::lines::{FixedReader, LineReader};
use crate::io::arguments::file_system;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_io::{Compression, RecordReader, Sequential, decompressed};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};
use std::io::{BufReader, Read};
use std::sync::Arc;

/// How much of a file is read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// What the pieces of a file are.
pub(super) enum Format {
    /// TFRecords, from these offsets on if there are any.
    Records { compression: Compression, offsets: Vec<i64> },
    /// Lines of text.
    Lines { compression: Compression },
    /// Pieces of one length.
    Fixed { compression: Compression, header: usize, record: usize, footer: usize },
}

struct Source {
    files: Vec<String>,
    format: Format,
}

/// The dataset.
pub(super) struct FileDataset(Arc<Source>);

impl FileDataset {
    /// The pieces of these files.
    pub(super) fn new(files: Vec<String>, format: Format) -> FileDataset {
        FileDataset(Arc::new(Source { files, format }))
    }
}

/// The names in a scalar or vector input.
///
/// Errors: `InvalidArgument` for another rank, or names that are no UTF-8.
pub(super) fn filenames(ctx: &OpKernelContext, i: usize) -> Result<Vec<String>> {
    let names = ctx.input(i)?;
    if names.rank() > 1 {
        return Err(invalid_argument("`filenames` must be a scalar or a vector."));
    }
    let text = |name: &bytes::Bytes| String::from_utf8(name.to_vec()).map_err(|_| invalid_argument("a file name is not valid UTF-8"));
    names.as_strings()?.iter().map(text).collect()
}

/// The compression that a scalar input names.
///
/// Errors: `InvalidArgument` for an unknown one.
pub(super) fn compression(ctx: &OpKernelContext, i: usize) -> Result<Compression> {
    match crate::io::arguments::text(ctx, i, "compression_type")?.as_str() {
        "" => Ok(Compression::None),
        "ZLIB" => Ok(Compression::Zlib),
        "GZIP" => Ok(Compression::Gzip),
        _ => Err(invalid_argument("Unsupported compression_type.")),
    }
}

impl Dataset for FileDataset {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(FileIterator { source: self.0.clone(), file: 0, reader: None }))
    }

    fn cardinality(&self) -> i64 {
        if self.0.files.is_empty() { 0 } else { UNKNOWN }
    }
}

enum Reader {
    Records(RecordReader<BufReader<Sequential>>),
    Lines(LineReader),
    Fixed(FixedReader),
}

struct FileIterator {
    source: Arc<Source>,
    file: usize,
    reader: Option<Reader>,
}

impl Source {
    fn open(&self, file: usize) -> Result<Option<Reader>> {
        let Some(path) = self.files.get(file) else { return Ok(None) };
        let opened = file_system().open(path)?;
        let stored = opened.len()?;
        let mut input = BufReader::with_capacity(BUFFER_BYTES, Sequential::new(opened));
        let stream = |input, compression| BufReader::with_capacity(BUFFER_BYTES, decompressed(input, compression));
        Ok(Some(match &self.format {
            Format::Records { compression, offsets } => {
                if let Some(&offset) = offsets.get(file) {
                    let offset = u64::try_from(offset).map_err(|_| invalid_argument(format!("byte offset {offset} is negative")))?;
                    if *compression != Compression::None && offset > 0 {
                        return Err(invalid_argument("byte_offsets need files that are not compressed"));
                    }
                    std::io::copy(&mut input.by_ref().take(offset), &mut std::io::sink())?;
                }
                Reader::Records(RecordReader::with_compression(input, *compression).cut_is_error())
            }
            Format::Lines { compression } => Reader::Lines(LineReader::new(stream(input, *compression))),
            Format::Fixed { compression, header, record, footer } => {
                if *compression == Compression::None {
                    check_length(path, stored, [*header, *record, *footer])?;
                }
                Reader::Fixed(FixedReader::new(stream(input, *compression), *header, *record, *footer)?)
            }
        }))
    }
}

/// A file of whole records between header and footer.
fn check_length(path: &str, length: u64, [header, record, footer]: [usize; 3]) -> Result<()> {
    let body = i128::from(length) - header as i128 - footer as i128;
    if body < 0 || body % record.max(1) as i128 != 0 {
        return Err(invalid_argument(format!(
            "Excluding the header ({header} bytes) and footer ({footer} bytes), input file \"{path}\" has body length {body} bytes, which is \
             not an exact multiple of the record length ({record} bytes)."
        )));
    }
    Ok(())
}

impl FileIterator {
    fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                none => match self.source.open(self.file)? {
                    Some(reader) => none.insert(reader),
                    None => return Ok(None),
                },
            };
            let piece = match reader {
                Reader::Records(records) => records.next_record(),
                Reader::Lines(lines) => lines.next_line(),
                Reader::Fixed(pieces) => pieces.next_piece(),
            };
            match piece {
                Ok(Some(piece)) => return Ok(Some(piece)),
                Ok(None) => {}
                Err(e) => {
                    let path = self.source.files.get(self.file).cloned().unwrap_or_default();
                    self.reader = None;
                    self.file += 1;
                    return Err(e.context(path));
                }
            }
            self.reader = None;
            self.file += 1;
        }
    }
}

impl DatasetIterator for FileIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        let piece = self.piece().map(|piece| piece.map(|bytes| vec![Tensor::string(bytes)]));
        Box::pin(std::future::ready(piece))
    }
}
