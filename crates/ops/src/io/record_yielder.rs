//! Records of files in random order, epoch after epoch (TF: `RecordYielder`).
//!
//! An epoch's files are shuffled by the seed and the epoch's number. Records go through a buffer, and a random one leaves it; the next
//! epoch begins when it is empty, so that no record comes twice in one. TF fills the buffer from several threads; here whoever takes a
//! record fills it, which gives another order and the same guarantees.

use super::arguments::file_system;
use crate::random::philox_source::Words;
use bytes::Bytes;
use ferroflow_io::{Compression, RecordReader, Sequential};
use ferroflow_tensor::error::not_found;
use ferroflow_tensor::{Philox, Result};
use std::io::BufReader;

const BUFFER_BYTES: usize = 256 << 10;

/// Which records, and how they are shuffled.
pub(super) struct Wanted {
    pub(super) pattern: String,
    pub(super) seed: i64,
    /// By which share of the files each epoch's order is turned further.
    pub(super) shift: f64,
    /// From how many records one is chosen.
    pub(super) buffer: usize,
    pub(super) compression: Compression,
}

pub(super) struct RecordYielder {
    wanted: Wanted,
    epoch: i64,
    words: Words,
    /// What is left of the epoch's files, the next one last.
    files: Vec<String>,
    reader: Option<RecordReader<BufReader<Sequential>>>,
    buffer: Vec<Bytes>,
    /// Whether the epoch has had a record.
    has_any: bool,
}

impl RecordYielder {
    pub(super) fn new(wanted: Wanted) -> RecordYielder {
        let words = Words::new(Philox::new(wanted.seed, 0));
        RecordYielder { wanted, epoch: 0, words, files: Vec::new(), reader: None, buffer: Vec::new(), has_any: true }
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        let wide = u64::from(self.words.draw()) << 32 | u64::from(self.words.draw());
        (wide % n.max(1) as u64) as usize
    }

    fn start_epoch(&mut self) -> Result<()> {
        let mut files = file_system().matching(&self.wanted.pattern)?;
        if files.is_empty() {
            return Err(not_found(format!("Found no files at {}", self.wanted.pattern)));
        }
        if !self.has_any {
            return Err(not_found(format!("Found no records in the files at {}", self.wanted.pattern)));
        }
        files.sort_unstable();
        self.epoch += 1;
        self.words = Words::new(Philox::new(self.wanted.seed, self.epoch));
        for i in (1..files.len()).rev() {
            let j = self.below(i + 1);
            files.swap(i, j);
        }
        let turn = (self.wanted.shift * self.epoch as f64).rem_euclid(1.0) * files.len() as f64;
        let n = files.len();
        files.rotate_left(turn as usize % n);
        self.files = files;
        self.has_any = false;
        Ok(())
    }

    /// Reads a record of the epoch, or `None` at its end.
    fn read(&mut self) -> Result<Option<Bytes>> {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next_record() {
                    Ok(Some(record)) => return Ok(Some(record.into())),
                    Ok(None) => self.reader = None,
                    // The rest of such a file cannot be read.
                    Err(e) => {
                        self.reader = None;
                        return Err(e);
                    }
                }
            }
            let Some(file) = self.files.pop() else { return Ok(None) };
            let input = BufReader::with_capacity(BUFFER_BYTES, Sequential::new(file_system().open(&file)?));
            self.reader = Some(RecordReader::with_compression(input, self.wanted.compression).cut_is_error());
        }
    }

    /// The next record.
    ///
    /// Errors: `NotFound` without files or records; those of the files.
    pub(super) fn next(&mut self) -> Result<Bytes> {
        if self.buffer.is_empty() && self.reader.is_none() && self.files.is_empty() {
            self.start_epoch()?;
        }
        while self.buffer.len() < self.wanted.buffer {
            match self.read()? {
                Some(record) => {
                    self.has_any = true;
                    self.buffer.push(record);
                }
                None if self.buffer.is_empty() => self.start_epoch()?,
                None => break,
            }
        }
        let chosen = self.below(self.buffer.len());
        Ok(self.buffer.swap_remove(chosen))
    }
}
