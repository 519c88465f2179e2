//! What surrounds the blocks of a table: handles (offset and size), block trailers and the footer.

use crate::coding::{Cursor, put_varint};
use crate::crc;
use ferroflow_tensor::error::{Result, data_loss};

/// Type byte and masked crc after each block's contents.
pub const BLOCK_TRAILER_LEN: usize = 5;
/// Length of the footer, the last bytes of the file.
pub const FOOTER_LEN: usize = 48;
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
const UNCOMPRESSED: u8 = 0;
const SNAPPY: u8 = 1;

/// Where a block is. `size` counts its contents without the trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHandle {
    pub offset: u64,
    pub size: u64,
}

impl BlockHandle {
    pub fn encode(self, out: &mut Vec<u8>) {
        put_varint(out, self.offset);
        put_varint(out, self.size);
    }

    pub fn decode(cursor: &mut Cursor<'_>) -> Result<BlockHandle> {
        Ok(BlockHandle { offset: cursor.varint()?, size: cursor.varint()? })
    }

    /// Where the block and its trailer end, if that is not past `limit`.
    pub fn end(self, limit: u64) -> Result<u64> {
        self.offset
            .checked_add(self.size)
            .and_then(|end| end.checked_add(BLOCK_TRAILER_LEN as u64))
            .filter(|&end| end <= limit)
            .ok_or_else(|| data_loss(format!("block of {} bytes at {} lies outside the table's {limit} bytes", self.size, self.offset)))
    }
}

/// The end of the file: where metaindex and index are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    pub metaindex: BlockHandle,
    pub index: BlockHandle,
}

impl Footer {
    pub fn encode(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FOOTER_LEN);
        self.metaindex.encode(&mut out);
        self.index.encode(&mut out);
        out.resize(FOOTER_LEN - 8, 0);
        out.extend_from_slice(&MAGIC.to_le_bytes());
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Footer> {
        let (handles, magic) = bytes.split_last_chunk::<8>().ok_or_else(|| data_loss("the footer is incomplete"))?;
        if u64::from_le_bytes(*magic) != MAGIC {
            return Err(data_loss("not an sstable (bad magic number)"));
        }
        let mut cursor = Cursor::new(handles);
        Ok(Footer { metaindex: BlockHandle::decode(&mut cursor)?, index: BlockHandle::decode(&mut cursor)? })
    }
}

/// The trailer of an uncompressed block.
pub fn trailer(contents: &[u8]) -> [u8; BLOCK_TRAILER_LEN] {
    let crc = crc::mask(crc::extend(crc::crc32c(contents), &[UNCOMPRESSED]));
    let [a, b, c, d] = crc.to_le_bytes();
    [UNCOMPRESSED, a, b, c, d]
}

/// Checks a block as it lies in the file, trailer included, and returns its contents, uncompressed.
pub fn open_block(mut raw: Vec<u8>) -> Result<Vec<u8>> {
    let (checked, crc) = raw.split_last_chunk::<4>().ok_or_else(|| data_loss("a block is shorter than its trailer"))?;
    if crc::masked_crc32c(checked) != u32::from_le_bytes(*crc) {
        return Err(data_loss("block checksum mismatch"));
    }
    let (&kind, contents) = checked.split_last().ok_or_else(|| data_loss("a block is shorter than its trailer"))?;
    match kind {
        UNCOMPRESSED => {
            raw.truncate(raw.len().saturating_sub(BLOCK_TRAILER_LEN));
            Ok(raw)
        }
        SNAPPY => {
            let len = snap::raw::decompress_len(contents).map_err(|e| data_loss(format!("corrupted compressed block: {e}")))?;
            // Three bytes of snappy copy at most 64; a larger claim is damage, refused before it is allocated.
            if len / 22 > contents.len() {
                return Err(data_loss(format!("a compressed block of {} bytes claims to hold {len}", contents.len())));
            }
            snap::raw::Decoder::new().decompress_vec(contents).map_err(|e| data_loss(format!("corrupted compressed block: {e}")))
        }
        other => Err(data_loss(format!("unknown block type {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    #[test]
    fn the_footer_has_the_known_magic_and_comes_back() {
        let footer = Footer { metaindex: BlockHandle { offset: 300, size: 8 }, index: BlockHandle { offset: 313, size: 20 } };
        let bytes = footer.encode();
        assert_eq!(bytes.len(), 48);
        assert_eq!(bytes[40..], [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]);
        assert_eq!(Footer::decode(&bytes).unwrap(), footer);
    }

    #[test]
    fn a_handle_past_the_file_is_an_error_even_if_its_end_overflows() {
        for (offset, size) in [(0, 96), (u64::MAX, 1), (1, u64::MAX)] {
            assert_eq!(BlockHandle { offset, size }.end(100).unwrap_err().code(), Code::DataLoss);
        }
        assert_eq!(BlockHandle { offset: 0, size: 95 }.end(100).unwrap(), 100);
    }

    #[test]
    fn a_snappy_block_is_uncompressed_and_a_bomb_is_refused() {
        let seal = |mut contents: Vec<u8>| {
            contents.push(SNAPPY);
            let crc = crc::masked_crc32c(&contents);
            contents.extend(crc.to_le_bytes());
            contents
        };
        let plain = vec![9; 100_000];
        let packed = snap::raw::Encoder::new().compress_vec(&plain).unwrap();
        assert_eq!(open_block(seal(packed)).unwrap(), plain);
        let mut bomb = Vec::new();
        put_varint(&mut bomb, u64::from(u32::MAX));
        bomb.push(0);
        assert_eq!(open_block(seal(bomb)).unwrap_err().code(), Code::DataLoss);
    }

    #[test]
    fn a_block_of_unknown_type_or_wrong_checksum_is_an_error() {
        let mut block = b"contents".to_vec();
        block.extend(trailer(b"contents"));
        assert_eq!(open_block(block.clone()).unwrap(), b"contents");
        for i in 0..block.len() {
            let mut bad = block.clone();
            bad[i] ^= 1;
            assert_eq!(open_block(bad).unwrap_err().code(), Code::DataLoss);
        }
        let mut odd = b"contents\x07".to_vec();
        odd.extend(crc::masked_crc32c(b"contents\x07").to_le_bytes());
        assert!(open_block(odd).unwrap_err().message().contains("type 7"));
        assert!(open_block(Vec::new()).is_err());
    }
}
