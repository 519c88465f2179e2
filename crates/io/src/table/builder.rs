//! Writes a table (TF: `TableBuilder`), uncompressed as checkpoints are.

use super::block::{BlockBuilder, common_prefix};
use super::format::{BLOCK_TRAILER_LEN, BlockHandle, Footer, trailer};
use ferroflow_tensor::error::{Result, internal};
use std::io::Write;

/// A data block is cut after the entry that makes it this long.
const BLOCK_SIZE: usize = 256 << 10;
const DATA_RESTART_INTERVAL: usize = 16;
const INDEX_RESTART_INTERVAL: usize = 1;

/// Writes a table to a byte stream. Keys must be added in ascending order.
pub struct TableBuilder<W: Write> {
    out: W,
    offset: u64,
    data: BlockBuilder,
    index: BlockBuilder,
    /// A finished block that the index does not list yet, and its last key: how short the index key may be
    /// depends on the key that comes next.
    unlisted: Option<(Vec<u8>, BlockHandle)>,
    empty: bool,
}

impl<W: Write> TableBuilder<W> {
    /// Writes to `out`. Give it a buffered stream or memory.
    pub fn new(out: W) -> TableBuilder<W> {
        TableBuilder {
            out,
            offset: 0,
            data: BlockBuilder::new(DATA_RESTART_INTERVAL),
            index: BlockBuilder::new(INDEX_RESTART_INTERVAL),
            unlisted: None,
            empty: true,
        }
    }

    /// Appends an entry.
    ///
    /// Errors: `Internal` if `key` is not after the last one; those of the stream.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let last = self.unlisted.as_ref().map_or(self.data.last_key(), |(last, _)| last);
        if !self.empty && key <= last {
            return Err(internal("the keys of a table must be added in ascending order"));
        }
        self.empty = false;
        if let Some((last, handle)) = self.unlisted.take() {
            self.list(&separator(&last, key), handle);
        }
        self.data.add(key, value);
        if self.data.len() >= BLOCK_SIZE {
            self.end_data_block()?;
        }
        Ok(())
    }

    /// Writes what is left, the index and the footer, flushes, and gives the stream back.
    pub fn finish(mut self) -> Result<W> {
        if !self.data.is_empty() {
            self.end_data_block()?;
        }
        let metaindex = self.write_block(&BlockBuilder::new(DATA_RESTART_INTERVAL).finish())?;
        if let Some((last, handle)) = self.unlisted.take() {
            self.list(&successor(&last), handle);
        }
        let contents = self.index.finish();
        let index = self.write_block(&contents)?;
        self.out.write_all(&Footer { metaindex, index }.encode())?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn end_data_block(&mut self) -> Result<()> {
        let last = self.data.last_key().to_vec();
        let contents = self.data.finish();
        let handle = self.write_block(&contents)?;
        self.unlisted = Some((last, handle));
        Ok(())
    }

    fn list(&mut self, key: &[u8], handle: BlockHandle) {
        let mut value = Vec::new();
        handle.encode(&mut value);
        self.index.add(key, &value);
    }

    fn write_block(&mut self, contents: &[u8]) -> Result<BlockHandle> {
        self.out.write_all(contents)?;
        self.out.write_all(&trailer(contents))?;
        let handle = BlockHandle { offset: self.offset, size: contents.len() as u64 };
        self.offset += (contents.len() + BLOCK_TRAILER_LEN) as u64;
        Ok(handle)
    }
}

/// A short key that is at least `last` and before `next`.
fn separator(last: &[u8], next: &[u8]) -> Vec<u8> {
    let shared = common_prefix(last, next);
    match (last.get(shared), next.get(shared)) {
        (Some(&a), Some(&b)) if a < 0xff && a + 1 < b => {
            let mut key = last[..shared].to_vec();
            key.push(a + 1);
            key
        }
        _ => last.to_vec(),
    }
}

/// A short key that is at least `last`.
fn successor(last: &[u8]) -> Vec<u8> {
    match last.iter().position(|&b| b != 0xff) {
        Some(i) => {
            let mut key = last[..i].to_vec();
            key.push(last[i] + 1);
            key
        }
        None => last.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    #[test]
    fn separators_are_short_and_between() {
        assert_eq!(separator(b"abcd", b"abzz"), b"abd");
        assert_eq!(separator(b"abc", b"abd"), b"abc");
        assert_eq!(separator(b"ab", b"abc"), b"ab");
        assert_eq!(separator(b"a\xff", b"b"), b"a\xff");
        assert_eq!(successor(b"w"), b"x");
        assert_eq!(successor(b"\xff\xfeq"), b"\xff\xff");
        assert_eq!(successor(b"\xff\xff"), b"\xff\xff");
        assert_eq!(successor(b""), b"");
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        let mut builder = TableBuilder::new(Vec::new());
        builder.add(b"", b"header").unwrap();
        builder.add(b"b", b"").unwrap();
        for key in [&b"b"[..], b"a", b""] {
            assert_eq!(builder.add(key, b"").unwrap_err().code(), Code::Internal);
        }
    }

    #[test]
    fn a_small_table_has_the_exact_layout() {
        let mut builder = TableBuilder::new(Vec::new());
        builder.add(b"", b"h").unwrap();
        builder.add(b"w", b"v").unwrap();
        let bytes = builder.finish().unwrap();
        let data = b"\x00\x00\x01h\x00\x01\x01wv\x00\x00\x00\x00\x01\x00\x00\x00";
        assert_eq!(&bytes[..17], data);
        assert_eq!(bytes[17], 0);
        // metaindex: one restart point; index: key "x", handle (0, 17).
        assert_eq!(bytes[22..30], [0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(&bytes[35..49], b"\x00\x01\x02x\x00\x11\x00\x00\x00\x00\x01\x00\x00\x00");
        assert_eq!(bytes.len(), 54 + 48);
        assert_eq!(bytes[54..58], [22, 8, 35, 14]);
    }
}
