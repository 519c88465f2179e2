//! A block of a table: entries in key order, each storing only how its key differs from the one before.
//!
//! Every few entries a *restart point* stores a whole key; a search bisects the restart points and then
//! walks at most one interval.

use crate::coding::{Cursor, put_varint};
use ferroflow_tensor::error::{Result, data_loss};

/// Collects the entries of one block.
pub struct BlockBuilder {
    restart_interval: usize,
    contents: Vec<u8>,
    restarts: Vec<u32>,
    since_restart: usize,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    /// A builder that stores a whole key every `restart_interval` entries.
    pub fn new(restart_interval: usize) -> BlockBuilder {
        BlockBuilder { restart_interval, contents: Vec::new(), restarts: vec![0], since_restart: 0, last_key: Vec::new() }
    }

    /// Appends an entry; keys must come in ascending order, which the table's builder checks.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut shared = 0;
        if self.since_restart < self.restart_interval {
            shared = common_prefix(&self.last_key, key);
        } else {
            self.restarts.push(self.contents.len() as u32);
            self.since_restart = 0;
        }
        put_varint(&mut self.contents, shared as u64);
        put_varint(&mut self.contents, (key.len() - shared) as u64);
        put_varint(&mut self.contents, value.len() as u64);
        self.contents.extend_from_slice(&key[shared..]);
        self.contents.extend_from_slice(value);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        self.since_restart += 1;
    }

    /// Bytes that the block would have now, without trailer.
    pub fn len(&self) -> usize {
        self.contents.len() + 4 * self.restarts.len() + 4
    }

    /// Whether no entry was added.
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// The key added last.
    pub fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    /// The block's contents; the builder starts anew.
    pub fn finish(&mut self) -> Vec<u8> {
        let fresh = BlockBuilder::new(self.restart_interval);
        let full = std::mem::replace(self, fresh);
        let mut contents = full.contents;
        for restart in &full.restarts {
            contents.extend_from_slice(&restart.to_le_bytes());
        }
        contents.extend_from_slice(&(full.restarts.len() as u32).to_le_bytes());
        contents
    }
}

/// How many leading bytes are equal.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// A block that was read.
#[derive(Debug)]
pub struct Block {
    contents: Vec<u8>,
    entries_len: usize,
}

impl Block {
    /// Wraps a block's contents.
    ///
    /// Errors: `DataLoss` if the restart points do not fit.
    pub fn new(contents: Vec<u8>) -> Result<Block> {
        let (rest, count) = contents.split_last_chunk::<4>().ok_or_else(|| data_loss("a block is too short"))?;
        let count = u32::from_le_bytes(*count) as usize;
        let entries_len = count
            .checked_mul(4)
            .and_then(|n| rest.len().checked_sub(n))
            .ok_or_else(|| data_loss(format!("a block of {} bytes cannot have {count} restart points", contents.len())))?;
        if count == 0 && entries_len > 0 {
            return Err(data_loss("a block with entries has no restart point"));
        }
        Ok(Block { contents, entries_len })
    }

    /// All entries, in order.
    pub fn iter(&self) -> BlockIter<'_> {
        self.iter_from(0)
    }

    fn iter_from(&self, offset: usize) -> BlockIter<'_> {
        let entries = self.contents.get(..self.entries_len).unwrap_or_default();
        BlockIter { cursor: Cursor::new(entries.get(offset..).unwrap_or_default()), key: Vec::new(), first: true }
    }

    /// The value of `key`.
    ///
    /// Errors: `DataLoss` if the entries on the way are damaged.
    pub fn get(&self, key: &[u8]) -> Result<Option<&[u8]>> {
        let mut entries = self.iter_from(self.restart_before(key)?);
        while let Some(value) = entries.advance()? {
            match entries.key().cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(value)),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// Offset of the last restart point whose key is not after `key`, or of the first.
    fn restart_before(&self, key: &[u8]) -> Result<usize> {
        let table = self.contents.get(self.entries_len..self.contents.len().saturating_sub(4)).unwrap_or_default();
        let (restarts, _) = table.as_chunks::<4>();
        let offset_of = |i: usize| restarts.get(i).map_or(0, |r| u32::from_le_bytes(*r) as usize);
        let (mut low, mut high) = (0, restarts.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let offset = offset_of(middle);
            if offset >= self.entries_len {
                return Err(data_loss(format!("restart point {offset} lies outside the block's {} bytes", self.entries_len)));
            }
            let mut at = self.iter_from(offset);
            at.advance()?;
            if at.key() <= key {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(offset_of(low))
    }
}

/// Walks the entries of a block. After [`BlockIter::advance`] gave a value, [`BlockIter::key`] is its key.
#[derive(Clone)]
pub struct BlockIter<'a> {
    cursor: Cursor<'a>,
    key: Vec<u8>,
    first: bool,
}

impl<'a> BlockIter<'a> {
    /// Goes to the next entry and returns its value; `None` after the last.
    ///
    /// Errors: `DataLoss` if an entry does not fit the block or keys do not ascend.
    pub fn advance(&mut self) -> Result<Option<&'a [u8]>> {
        if self.cursor.is_empty() {
            return Ok(None);
        }
        let shared = self.cursor.varint32()?;
        let unshared = self.cursor.varint32()?;
        let value_len = self.cursor.varint32()?;
        let suffix = self.cursor.take(unshared)?;
        let value = self.cursor.take(value_len)?;
        let old_suffix = self.key.get(shared..).ok_or_else(|| data_loss("an entry shares more bytes than the key before it has"))?;
        if !self.first && suffix <= old_suffix {
            return Err(data_loss("the keys of a block are not in ascending order"));
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(suffix);
        self.first = false;
        Ok(Some(value))
    }

    /// The key of the entry that was reached.
    pub fn key(&self) -> &[u8] {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    fn build(entries: &[(&[u8], &[u8])], interval: usize) -> Vec<u8> {
        let mut builder = BlockBuilder::new(interval);
        for (k, v) in entries {
            builder.add(k, v);
        }
        assert_eq!(builder.len(), {
            let mut again = BlockBuilder::new(interval);
            entries.iter().for_each(|(k, v)| again.add(k, v));
            again.finish().len()
        });
        builder.finish()
    }

    #[test]
    fn an_empty_block_is_one_restart_point() {
        assert_eq!(build(&[], 16), [0, 0, 0, 0, 1, 0, 0, 0]);
        let block = Block::new(build(&[], 16)).unwrap();
        assert!(block.iter().advance().unwrap().is_none());
        assert!(block.get(b"a").unwrap().is_none());
    }

    #[test]
    fn keys_share_prefixes_between_restart_points() {
        let bytes = build(&[(b"bias", b"1"), (b"bid", b"2")], 16);
        assert_eq!(bytes, b"\x00\x04\x01bias1\x02\x01\x01d2\x00\x00\x00\x00\x01\x00\x00\x00");
        let bytes = build(&[(b"bias", b"1"), (b"bid", b"2")], 1);
        assert_eq!(bytes, b"\x00\x04\x01bias1\x00\x03\x01bid2\x00\x00\x00\x00\x08\x00\x00\x00\x02\x00\x00\x00");
    }

    #[test]
    fn each_key_is_found_and_no_other() {
        let keys: Vec<String> = (0..200).map(|i| format!("key{:04}", 2 * i)).collect();
        for interval in [1, 3, 16] {
            let mut builder = BlockBuilder::new(interval);
            for k in &keys {
                builder.add(k.as_bytes(), k.as_bytes());
            }
            let block = Block::new(builder.finish()).unwrap();
            for i in 0..401 {
                let k = format!("key{i:04}");
                let found = block.get(k.as_bytes()).unwrap();
                assert_eq!(found, (i % 2 == 0 && i < 400).then_some(k.as_bytes()));
            }
        }
    }

    #[test]
    fn damaged_blocks_give_errors_and_never_panic() {
        let good = build(&[(b"bias", b"1"), (b"bid", b"2"), (b"c", b"3")], 2);
        for i in 0..good.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[i] ^= flip;
                let Ok(block) = Block::new(bad) else { continue };
                let mut entries = block.iter();
                while let Ok(Some(_)) = entries.advance() {}
                for key in [&b"bias"[..], b"bid", b"c", b"", b"zz"] {
                    if let Err(e) = block.get(key) {
                        assert_eq!(e.code(), Code::DataLoss);
                    }
                }
            }
            assert!(Block::new(good[..i].to_vec()).is_err() || i >= 8);
        }
    }

    #[test]
    fn keys_that_do_not_ascend_are_data_loss() {
        let block = Block::new(build(&[(b"b", b""), (b"a", b"")], 16)).unwrap();
        let mut entries = block.iter();
        entries.advance().unwrap();
        assert_eq!(entries.advance().unwrap_err().code(), Code::DataLoss);
    }
}
