//! Readers of lines and of pieces of one length (TF: `BufferedInputStream::ReadLine`, `FixedLengthRecordDatasetOp`).

use ferroflow_tensor::error::data_loss;
use ferroflow_tensor::{Error, Result};
use std::io::{BufRead, BufReader, ErrorKind, Read};

/// Bytes as they come out of a decoder.
pub(crate) type Stream = BufReader<Box<dyn Read + Send>>;

/// Damage of a compressed stream shows as an I/O error; it is damage of the file all the same.
fn stream_error(e: std::io::Error) -> Error {
    match e.kind() {
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => data_loss(e.to_string()),
        _ => Error::from(e),
    }
}

/// Reads lines.
pub(crate) struct LineReader(Stream);

impl LineReader {
    /// Stands before the first line.
    pub(crate) fn new(input: Stream) -> LineReader {
        LineReader(input)
    }

    /// The next line without its end and without carriage returns.
    ///
    /// Errors: what reading returns.
    pub(crate) fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        if self.0.read_until(b'\n', &mut line).map_err(stream_error)? == 0 {
            return Ok(None);
        }
        line.retain(|b| !matches!(b, b'\n' | b'\r'));
        Ok(Some(line))
    }
}

/// Reads pieces of one length, up to where only the footer is left.
pub(crate) struct FixedReader {
    input: Stream,
    /// Bytes read and not given out: at most a piece and the footer.
    ahead: Vec<u8>,
    record: usize,
    footer: usize,
}

impl FixedReader {
    /// Stands behind the header.
    ///
    /// Errors: what reading returns.
    pub(crate) fn new(mut input: Stream, header: usize, record: usize, footer: usize) -> Result<FixedReader> {
        std::io::copy(&mut input.by_ref().take(header as u64), &mut std::io::sink()).map_err(stream_error)?;
        Ok(FixedReader { input, ahead: Vec::new(), record, footer })
    }

    /// The next piece.
    ///
    /// Errors: `DataLoss` if the file ends within one; what reading returns.
    pub(crate) fn next_piece(&mut self) -> Result<Option<Vec<u8>>> {
        // Memory grows with bytes that exist only.
        let wanted = (self.record as u64).saturating_add(self.footer as u64).saturating_sub(self.ahead.len() as u64);
        self.input.by_ref().take(wanted).read_to_end(&mut self.ahead).map_err(stream_error)?;
        let available = self.ahead.len().saturating_sub(self.footer);
        if available >= self.record {
            let rest = self.ahead.split_off(self.record);
            return Ok(Some(std::mem::replace(&mut self.ahead, rest)));
        }
        if available > 0 {
            let record = self.record;
            return Err(data_loss(format!("the file ends {available} bytes behind the beginning of a record of {record} bytes")));
        }
        Ok(None)
    }
}
