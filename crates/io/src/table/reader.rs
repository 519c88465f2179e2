//! Reads a table (TF: `Table`). Every number in the file is checked against the file's length before it is
//! used, and every block against its checksum, so that damage shows as `DataLoss`.

use super::block::{Block, BlockIter};
use super::format::{BLOCK_TRAILER_LEN, BlockHandle, FOOTER_LEN, Footer, open_block};
use crate::coding::Cursor;
use crate::file_system::RandomAccessFile;
use ferroflow_tensor::error::{Result, data_loss};
use std::sync::OnceLock;

/// An open table. Blocks are read when they are first needed, and kept.
pub struct Table {
    file: Box<dyn RandomAccessFile>,
    blocks: Vec<DataBlock>,
}

struct DataBlock {
    /// Not before the block's last key, and before the next block's first.
    limit_key: Vec<u8>,
    handle: BlockHandle,
    block: OnceLock<Block>,
}

impl Table {
    /// Opens a table: reads its footer and index.
    ///
    /// Errors: `DataLoss` if the file is no table or damaged; those of the file.
    pub fn open(file: Box<dyn RandomAccessFile>) -> Result<Table> {
        let len = file.len()?;
        let blocks_end = len.checked_sub(FOOTER_LEN as u64).ok_or_else(|| data_loss("file is too short to be an sstable"))?;
        let mut footer = [0; FOOTER_LEN];
        file.read_at(blocks_end, &mut footer)?;
        let footer = Footer::decode(&footer)?;
        footer.metaindex.end(blocks_end)?;
        let index = read_block(&*file, footer.index, blocks_end)?;
        let mut blocks = Vec::new();
        let mut entries = index.iter();
        let mut end_before = 0;
        while let Some(value) = entries.advance()? {
            let handle = BlockHandle::decode(&mut Cursor::new(value))?;
            let end = handle.end(blocks_end)?;
            // Blocks that overlap would let a small file fill the memory.
            if handle.offset < end_before {
                return Err(data_loss(format!("the block at {} overlaps the one before it", handle.offset)));
            }
            end_before = end;
            blocks.push(DataBlock { limit_key: entries.key().to_vec(), handle, block: OnceLock::new() });
        }
        Ok(Table { file, blocks })
    }

    /// The value of `key`.
    ///
    /// Errors: `DataLoss` if the block that would hold it is damaged.
    pub fn get(&self, key: &[u8]) -> Result<Option<&[u8]>> {
        let i = self.blocks.partition_point(|b| b.limit_key.as_slice() < key);
        match self.blocks.get(i) {
            Some(slot) => self.load(slot)?.get(key),
            None => Ok(None),
        }
    }

    /// All entries, in order.
    pub fn iter(&self) -> TableIter<'_> {
        TableIter { table: self, next_block: 0, entries: None, last_key: None }
    }

    fn load<'a>(&self, slot: &'a DataBlock) -> Result<&'a Block> {
        if let Some(block) = slot.block.get() {
            return Ok(block);
        }
        let block = read_block(&*self.file, slot.handle, u64::MAX)?;
        Ok(slot.block.get_or_init(|| block))
    }
}

fn read_block(file: &dyn RandomAccessFile, handle: BlockHandle, limit: u64) -> Result<Block> {
    handle.end(limit)?;
    let len = usize::try_from(handle.size)
        .ok()
        .and_then(|n| n.checked_add(BLOCK_TRAILER_LEN))
        .ok_or_else(|| data_loss(format!("a block of {} bytes does not fit the memory", handle.size)))?;
    let mut raw = vec![0; len];
    file.read_at(handle.offset, &mut raw)?;
    let at = |e: ferroflow_tensor::Error| e.context(format!("block at {}", handle.offset));
    Block::new(open_block(raw).map_err(at)?).map_err(at)
}

/// Walks all entries of a table; a step gives key and value. Ends after the first error.
pub struct TableIter<'a> {
    table: &'a Table,
    next_block: usize,
    entries: Option<BlockIter<'a>>,
    last_key: Option<Vec<u8>>,
}

impl<'a> TableIter<'a> {
    fn step(&mut self) -> Result<Option<(Vec<u8>, &'a [u8])>> {
        loop {
            if let Some(entries) = &mut self.entries
                && let Some(value) = entries.advance()?
            {
                let key = entries.key().to_vec();
                if self.last_key.as_ref().is_some_and(|last| *last >= key) {
                    return Err(data_loss("the keys of the table are not in ascending order"));
                }
                self.last_key = Some(key.clone());
                return Ok(Some((key, value)));
            }
            let Some(slot) = self.table.blocks.get(self.next_block) else { return Ok(None) };
            self.next_block += 1;
            self.entries = Some(self.table.load(slot)?.iter());
        }
    }
}

impl<'a> Iterator for TableIter<'a> {
    type Item = Result<(Vec<u8>, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.entries = None;
            self.next_block = usize::MAX;
        }
        step.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TableBuilder;
    use ferroflow_tensor::error::Code;

    fn table(entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
        let mut builder = TableBuilder::new(Vec::new());
        for (k, v) in entries {
            builder.add(k, v).unwrap();
        }
        builder.finish().unwrap()
    }

    fn numbered(n: usize, value_len: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
        (0..n).map(|i| (format!("key{i:06}").into_bytes(), vec![i as u8; value_len])).collect()
    }

    #[test]
    fn a_table_of_many_blocks_gives_back_all_entries_and_finds_each() {
        let entries = numbered(3000, 300);
        let bytes = table(&entries);
        let table = Table::open(Box::new(bytes)).unwrap();
        assert!(table.blocks.len() > 2);
        let all: Vec<(Vec<u8>, Vec<u8>)> = table.iter().map(|e| e.map(|(k, v)| (k, v.to_vec())).unwrap()).collect();
        assert_eq!(all, entries);
        for (k, v) in &entries {
            assert_eq!(table.get(k).unwrap(), Some(v.as_slice()));
            assert_eq!(table.get(&[k.as_slice(), b"x"].concat()).unwrap(), None);
        }
        assert_eq!(table.get(b"").unwrap(), None);
        assert_eq!(table.get(b"zzz").unwrap(), None);
    }

    #[test]
    fn an_empty_table_has_nothing() {
        let table = Table::open(Box::new(table(&[]))).unwrap();
        assert!(table.iter().next().is_none());
        assert!(table.get(b"").unwrap().is_none());
    }

    #[test]
    fn each_flipped_bit_and_each_cut_gives_an_error_or_the_same_entries() {
        let entries = numbered(20, 5);
        let good = table(&entries);
        let check = |bytes: Vec<u8>| {
            let read =
                Table::open(Box::new(bytes)).and_then(|t| t.iter().map(|e| e.map(|(k, v)| (k, v.to_vec()))).collect::<Result<Vec<_>>>());
            match read {
                Ok(read) => assert_eq!(read, entries),
                Err(e) => assert_eq!(e.code(), Code::DataLoss),
            }
        };
        for i in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[i] ^= 1 << bit;
                check(bad);
            }
            check(good[..i].to_vec());
        }
    }

    #[test]
    fn an_error_ends_the_iteration() {
        let mut bytes = table(&numbered(3000, 300));
        bytes[10] ^= 1;
        let table = Table::open(Box::new(bytes)).unwrap();
        let mut entries = table.iter();
        assert!(entries.next().unwrap().is_err());
        assert!(entries.next().is_none());
    }
}
