//! What a reader makes of one piece of work: lines, records, pieces of one length, the whole file, or the name itself.

use super::arguments::file_system;
use crate::data::lines::LineReader;
use bytes::Bytes;
use ferroflow_graph::NodeInfo;
use ferroflow_io::{Compression, RecordReader, Sequential, decompressed};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::io::{BufReader, Read};

const BUFFER_BYTES: usize = 256 << 10;

/// What a reader reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReaderKind {
    Lines { skip: u64 },
    Records { compression: Compression },
    Fixed { header: usize, record: usize, footer: usize, hop: usize, compression: Compression },
    WholeFile,
    Identity,
}

fn compression(name: &str) -> Result<Compression> {
    match name {
        "" => Ok(Compression::None),
        "ZLIB" => Ok(Compression::Zlib),
        "GZIP" => Ok(Compression::Gzip),
        other => Err(invalid_argument(format!("unknown compression '{other}'"))),
    }
}

impl ReaderKind {
    /// What a node that makes a reader asks for.
    ///
    /// Errors: `InvalidArgument` for sizes that are negative, and unknown compressions.
    pub(super) fn of(node: &NodeInfo) -> Result<ReaderKind> {
        let attrs = &node.attrs;
        let size = |name: &str, least: i64| {
            let n = attrs.int(name)?;
            if n < least || n > 1 << 40 {
                return Err(invalid_argument(format!("{name} must be >= {least} and fit but is {n}")));
            }
            Ok(n as usize)
        };
        Ok(match node.op_name().trim_end_matches("V2") {
            "TextLineReader" => ReaderKind::Lines { skip: size("skip_header_lines", 0)? as u64 },
            "TFRecordReader" => ReaderKind::Records { compression: compression(attrs.str("compression_type")?)? },
            "FixedLengthRecordReader" => ReaderKind::Fixed {
                header: size("header_bytes", 0)?,
                record: size("record_bytes", 1)?,
                footer: size("footer_bytes", 0)?,
                hop: size("hop_bytes", 0)?,
                compression: if attrs.contains("encoding") { compression(attrs.str("encoding")?)? } else { Compression::None },
            },
            "WholeFileReader" => ReaderKind::WholeFile,
            _ => ReaderKind::Identity,
        })
    }

    /// Whether the state of such a reader can be written down: it lies between pieces of work only.
    pub(super) fn has_state(&self) -> bool {
        matches!(self, ReaderKind::WholeFile | ReaderKind::Identity)
    }
}

/// A piece of work in progress.
pub(super) enum Source {
    Lines { reader: LineReader, number: u64 },
    Records(Box<RecordReader<BufReader<Sequential>>>),
    Fixed { input: BufReader<Box<dyn Read + Send>>, ahead: Vec<u8>, number: u64, record: usize, footer: usize, hop: usize },
    WholeFile,
    Identity,
}

fn path(work: &Bytes) -> Result<&str> {
    std::str::from_utf8(work).map_err(|_| invalid_argument("a file name is not valid UTF-8"))
}

fn stream(work: &Bytes) -> Result<BufReader<Sequential>> {
    Ok(BufReader::with_capacity(BUFFER_BYTES, Sequential::new(file_system().open(path(work)?)?)))
}

impl Source {
    /// Starts on a piece of work.
    ///
    /// Errors: `NotFound` and others for a file that cannot be opened.
    pub(super) fn open(kind: &ReaderKind, work: &Bytes) -> Result<Source> {
        let plain = |compression| -> Result<BufReader<Box<dyn Read + Send>>> {
            Ok(BufReader::with_capacity(BUFFER_BYTES, decompressed(stream(work)?, compression)))
        };
        Ok(match *kind {
            ReaderKind::Lines { skip } => {
                let mut reader = LineReader::new(plain(Compression::None)?);
                for _ in 0..skip {
                    if reader.next_line()?.is_none() {
                        break;
                    }
                }
                Source::Lines { reader, number: skip }
            }
            ReaderKind::Records { compression } => {
                Source::Records(Box::new(RecordReader::with_compression(stream(work)?, compression).cut_is_error()))
            }
            ReaderKind::Fixed { header, record, footer, hop, compression } => {
                let mut input = plain(compression)?;
                std::io::copy(&mut input.by_ref().take(header as u64), &mut std::io::sink())?;
                let hop = if hop == 0 { record } else { hop };
                Source::Fixed { input, ahead: Vec::new(), number: 0, record, footer, hop }
            }
            ReaderKind::WholeFile => Source::WholeFile,
            ReaderKind::Identity => Source::Identity,
        })
    }

    /// Whether the work is done after a single piece, so that nobody need ask for another.
    pub(super) fn is_of_one_piece(&self) -> bool {
        matches!(self, Source::WholeFile | Source::Identity)
    }

    /// The next key and value, or nothing at the end.
    ///
    /// Errors: `DataLoss` for a damaged file; what reading returns.
    pub(super) fn next(&mut self, work: &Bytes) -> Result<Option<(Bytes, Bytes)>> {
        let key = |number: u64| Bytes::from([&work[..], format!(":{number}").as_bytes()].concat());
        Ok(match self {
            Source::Lines { reader, number } => {
                let Some(line) = reader.next_line()? else { return Ok(None) };
                *number += 1;
                Some((key(*number), line.into()))
            }
            Source::Records(reader) => {
                let offset = reader.offset();
                reader.next_record()?.map(|record| (key(offset), record.into()))
            }
            Source::Fixed { input, ahead, number, record, footer, hop } => {
                let wanted = (*record + *footer).saturating_sub(ahead.len());
                input.by_ref().take(wanted as u64).read_to_end(ahead)?;
                if ahead.len() < *record + *footer {
                    return Ok(None);
                }
                let value = Bytes::copy_from_slice(&ahead[..*record]);
                let passed = ahead.drain(..(*hop).min(ahead.len())).len();
                std::io::copy(&mut input.by_ref().take((*hop - passed) as u64), &mut std::io::sink())?;
                *number += 1;
                Some((key(*number - 1), value))
            }
            Source::WholeFile => Some((work.clone(), file_system().read(path(work)?)?.into())),
            Source::Identity => Some((work.clone(), work.clone())),
        })
    }
}
