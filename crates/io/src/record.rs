//! TFRecord files: the framing of event files and of training data (TF: `RecordWriter`, `RecordReader`).
//!
//! A record is its length (u64), the masked crc of those 8 bytes, the data, and the masked crc of the data.
//! There is no file header. The last record may be cut because someone is still writing it; by default the
//! reader calls that "the end so far", and asking again later goes on where it stopped.

use crate::crc::masked_crc32c;
use ferroflow_tensor::error::{Error, Result, data_loss};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::{self, Read, Write};

const HEADER_LEN: usize = 12;
const FOOTER_LEN: usize = 4;
/// Most bytes asked of the stream at once.
const READ_LEN: usize = 1 << 20;

/// How the whole file is compressed (TF: `TFRecordOptions.compression_type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// One zlib stream.
    Zlib,
    /// One or more gzip members.
    Gzip,
}

/// Writes records to a byte stream.
pub struct RecordWriter<W: Write> {
    out: Encoder<W>,
}

enum Encoder<W: Write> {
    Plain(W),
    Zlib(ZlibEncoder<W>),
    Gzip(GzEncoder<W>),
}

impl<W: Write> RecordWriter<W> {
    /// Writes to `out`, uncompressed. Give it a buffered stream: a record is three small writes.
    pub fn new(out: W) -> RecordWriter<W> {
        RecordWriter { out: Encoder::Plain(out) }
    }

    /// Writes to `out`, the whole stream compressed.
    pub fn with_compression(out: W, compression: Compression) -> RecordWriter<W> {
        let level = flate2::Compression::default();
        let out = match compression {
            Compression::None => Encoder::Plain(out),
            Compression::Zlib => Encoder::Zlib(ZlibEncoder::new(out, level)),
            Compression::Gzip => Encoder::Gzip(GzEncoder::new(out, level)),
        };
        RecordWriter { out }
    }

    /// Appends one record.
    ///
    /// Errors: those of the stream (`ResourceExhausted` when the disk is full).
    pub fn write(&mut self, data: &[u8]) -> Result<()> {
        let mut header = [0; HEADER_LEN];
        let (length, crc) = header.split_at_mut(8);
        length.copy_from_slice(&(data.len() as u64).to_le_bytes());
        crc.copy_from_slice(&masked_crc32c(length).to_le_bytes());
        let out = self.stream();
        out.write_all(&header)?;
        out.write_all(data)?;
        out.write_all(&masked_crc32c(data).to_le_bytes())?;
        Ok(())
    }

    /// Passes on what is buffered, so that a reader can see all records so far.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.stream().flush()?)
    }

    /// Ends the compressed stream, flushes and gives the stream back.
    pub fn finish(self) -> Result<W> {
        let mut out = match self.out {
            Encoder::Plain(w) => w,
            Encoder::Zlib(e) => e.finish()?,
            Encoder::Gzip(e) => e.finish()?,
        };
        out.flush()?;
        Ok(out)
    }

    /// The stream that records go to, if it is not compressed.
    pub fn get_ref(&self) -> Option<&W> {
        match &self.out {
            Encoder::Plain(w) => Some(w),
            _ => None,
        }
    }

    /// Like [`RecordWriter::get_ref`], to change it.
    pub fn get_mut(&mut self) -> Option<&mut W> {
        match &mut self.out {
            Encoder::Plain(w) => Some(w),
            _ => None,
        }
    }

    fn stream(&mut self) -> &mut dyn Write {
        match &mut self.out {
            Encoder::Plain(w) => w,
            Encoder::Zlib(e) => e,
            Encoder::Gzip(e) => e,
        }
    }
}

/// Reads records from a byte stream.
pub struct RecordReader<R: Read> {
    input: Decoder<R>,
    /// The bytes of a record that is not complete yet.
    pending: Vec<u8>,
    /// Where the current record starts, in the uncompressed stream.
    offset: u64,
    cut_is_error: bool,
}

enum Decoder<R: Read> {
    Plain(R),
    Zlib(Box<ZlibDecoder<R>>),
    Gzip(Box<MultiGzDecoder<R>>),
}

impl<R: Read> RecordReader<R> {
    /// Reads from `input`, uncompressed. Give it a buffered stream for small records.
    pub fn new(input: R) -> RecordReader<R> {
        RecordReader::with_compression(input, Compression::None)
    }

    /// Reads from `input`, which is compressed as a whole.
    pub fn with_compression(input: R, compression: Compression) -> RecordReader<R> {
        let input = match compression {
            Compression::None => Decoder::Plain(input),
            Compression::Zlib => Decoder::Zlib(Box::new(ZlibDecoder::new(input))),
            Compression::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(input))),
        };
        RecordReader { input, pending: Vec::new(), offset: 0, cut_is_error: false }
    }

    /// Treats a cut last record as `DataLoss` (for finished data files) instead of as the end so far.
    pub fn cut_is_error(mut self) -> RecordReader<R> {
        self.cut_is_error = true;
        self
    }

    /// Where the next record starts, in bytes of the uncompressed stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record, or `None` at the end so far.
    ///
    /// Errors: `DataLoss` with the record's offset if a checksum is wrong; what follows cannot be found then,
    /// so that each later call fails in the same way.
    pub fn next_record(&mut self) -> Result<Option<Vec<u8>>> {
        if !self.fill_to(HEADER_LEN)? {
            return self.cut();
        }
        let length = self.checked_length()?;
        // Header and footer are 16 bytes, so this cannot overflow once the length fits half of the address space.
        let total = HEADER_LEN + length + FOOTER_LEN;
        if !self.fill_to(total)? {
            return self.cut();
        }
        let footer = self.pending.split_off(HEADER_LEN + length);
        let data = self.pending.get(HEADER_LEN..).unwrap_or_default();
        if masked_crc32c(data).to_le_bytes() != footer[..] {
            self.pending.extend_from_slice(&footer);
            return Err(self.corrupted("the checksum of the data does not match"));
        }
        let mut record = std::mem::take(&mut self.pending);
        record.drain(..HEADER_LEN);
        self.offset = self.offset.saturating_add(total as u64);
        Ok(Some(record))
    }

    fn checked_length(&self) -> Result<usize> {
        let header: [u8; HEADER_LEN] = self.pending.first_chunk().copied().ok_or_else(|| self.corrupted("the header is incomplete"))?;
        let [l0, l1, l2, l3, l4, l5, l6, l7, crc @ ..] = header;
        let length = [l0, l1, l2, l3, l4, l5, l6, l7];
        if masked_crc32c(&length) != u32::from_le_bytes(crc) {
            return Err(self.corrupted("the checksum of the length does not match"));
        }
        let length = u64::from_le_bytes(length);
        usize::try_from(length)
            .ok()
            .filter(|&n| n <= isize::MAX as usize / 2)
            .ok_or_else(|| self.corrupted(&format!("the length {length} is impossible")))
    }

    /// Reads until `want` bytes are pending; false if the stream ends before. Memory grows only with bytes that exist.
    fn fill_to(&mut self, want: usize) -> Result<bool> {
        let input: &mut dyn Read = match &mut self.input {
            Decoder::Plain(r) => r,
            Decoder::Zlib(d) => d,
            Decoder::Gzip(d) => d,
        };
        let mut have = self.pending.len();
        while have < want {
            self.pending.resize(have + (want - have).min(READ_LEN), 0);
            let result = input.read(self.pending.get_mut(have..).unwrap_or_default());
            have += *result.as_ref().unwrap_or(&0);
            self.pending.truncate(have);
            match result {
                Ok(0) => return Ok(false),
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read_error(e, self.offset)),
            }
        }
        Ok(true)
    }

    fn cut(&self) -> Result<Option<Vec<u8>>> {
        if self.cut_is_error && !self.pending.is_empty() {
            return Err(data_loss(format!("truncated record at {}: only {} bytes of it exist", self.offset, self.pending.len())));
        }
        Ok(None)
    }

    fn corrupted(&self, why: &str) -> Error {
        data_loss(format!("corrupted record at {}: {why}", self.offset))
    }
}

/// Damage of a compressed stream shows as an I/O error of the decoder; it is damage of the file all the same.
fn read_error(e: io::Error, offset: u64) -> Error {
    match e.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            data_loss(format!("corrupted record at {offset}: {e}"))
        }
        _ => Error::from(e).context(format!("record at {offset}")),
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Result<Vec<u8>>> {
        self.next_record().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    fn file(records: &[&[u8]], compression: Compression) -> Vec<u8> {
        let mut writer = RecordWriter::with_compression(Vec::new(), compression);
        for r in records {
            writer.write(r).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn one_record_has_the_exact_bytes() {
        // Length 3, its masked crc, "abc", its masked crc: computed from the format's definition.
        let bytes = file(&[b"abc"], Compression::None);
        assert_eq!(bytes.len(), 12 + 3 + 4);
        assert_eq!(bytes[..8], [3, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[8..12], crate::crc::mask(crate::crc::crc32c(&[3, 0, 0, 0, 0, 0, 0, 0])).to_le_bytes());
        assert_eq!(&bytes[12..15], b"abc");
        assert_eq!(bytes[15..], crate::crc::mask(crate::crc::crc32c(b"abc")).to_le_bytes());
    }

    #[test]
    fn records_come_back_with_each_compression() {
        let big = vec![7; 100_000];
        let records: [&[u8]; 4] = [b"", b"one", &big, b"\x00"];
        for compression in [Compression::None, Compression::Zlib, Compression::Gzip] {
            let bytes = file(&records, compression);
            let read: Vec<Vec<u8>> = RecordReader::with_compression(&bytes[..], compression).map(Result::unwrap).collect();
            assert_eq!(read, records);
        }
    }

    #[test]
    fn a_cut_last_record_is_the_end_so_far_and_reading_goes_on_when_it_is_completed() {
        /// Gives what exists so far, then more after each end.
        struct Growing<'a>(Vec<&'a [u8]>);
        impl Read for Growing<'_> {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let Some(part) = self.0.first_mut() else { return Ok(0) };
                let n = part.read(buf)?;
                if n == 0 && !buf.is_empty() {
                    self.0.remove(0);
                }
                Ok(n)
            }
        }
        let bytes = file(&[b"first", b"second"], Compression::None);
        for cut in 0..bytes.len() {
            let mut reader = RecordReader::new(Growing(vec![&bytes[..cut], &bytes[cut..]]));
            let mut seen = Vec::new();
            let mut ends = 0;
            while seen.len() < 2 {
                match reader.next_record().unwrap() {
                    Some(r) => seen.push(r),
                    None => ends += 1,
                }
                assert!(ends <= 1);
            }
            assert_eq!(seen, [&b"first"[..], b"second"]);
        }
    }

    #[test]
    fn a_cut_last_record_is_data_loss_when_asked_for() {
        let bytes = file(&[b"first", b"second"], Compression::None);
        let mut reader = RecordReader::new(&bytes[..bytes.len() - 1]).cut_is_error();
        assert_eq!(reader.next_record().unwrap().unwrap(), b"first");
        let e = reader.next_record().unwrap_err();
        assert_eq!(e.code(), Code::DataLoss);
        assert!(e.message().contains("truncated record at 21"), "{e}");
    }

    #[test]
    fn each_flipped_byte_is_reported_with_the_offset_of_its_record() {
        let good = file(&[b"first", b"second"], Compression::None);
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 0x10;
            let mut reader = RecordReader::new(&bad[..]);
            let error = loop {
                match reader.next_record() {
                    Ok(Some(_)) => continue,
                    Ok(None) => panic!("damage at {i} went unseen"),
                    Err(e) => break e,
                }
            };
            assert_eq!(error.code(), Code::DataLoss);
            assert!(error.message().contains(if i < 21 { "record at 0" } else { "record at 21" }), "{error}");
            assert_eq!(reader.next_record().unwrap_err().code(), Code::DataLoss);
        }
    }

    #[test]
    fn a_huge_length_with_a_right_checksum_neither_allocates_nor_overflows() {
        for length in [u64::MAX, 1 << 63, 1 << 40] {
            let mut bytes = length.to_le_bytes().to_vec();
            bytes.extend(masked_crc32c(&bytes).to_le_bytes());
            bytes.extend(b"little");
            let result = RecordReader::new(&bytes[..]).cut_is_error().next_record();
            assert_eq!(result.unwrap_err().code(), Code::DataLoss);
        }
    }

    #[test]
    fn a_damaged_compressed_file_gives_an_error() {
        for compression in [Compression::Zlib, Compression::Gzip] {
            let good = file(&[b"first", b"second"], compression);
            for end in 1..good.len() {
                let mut reader = RecordReader::with_compression(&good[..end], compression);
                let failed = loop {
                    match reader.next_record() {
                        Ok(Some(_)) => continue,
                        Ok(None) => break false,
                        Err(e) => break e.code() == Code::DataLoss,
                    }
                };
                assert!(failed, "cut at {end}");
            }
        }
    }
}
