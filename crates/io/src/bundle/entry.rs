//! What the index of a bundle says: the header under the empty key, and an entry per tensor. The edge where
//! proto messages become checked types.

use super::slice::TensorSlice;
use ferroflow_proto::bundle_header_proto::Endianness;
use ferroflow_proto::{BundleEntryProto, BundleHeaderProto, Message, VersionDef};
use ferroflow_tensor::error::{Result, data_loss, unimplemented};
use ferroflow_tensor::{DType, Shape};

/// Key of the header.
pub const HEADER_KEY: &[u8] = b"";
/// Version of the format that is written and understood (TF: `kTensorBundleVersion`).
const VERSION: i32 = 1;

/// A tensor of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct BundleEntry {
    /// Its element type.
    pub dtype: DType,
    /// Its full shape.
    pub shape: Shape,
    /// The slices it is stored in; empty if it is stored whole.
    pub slices: Vec<TensorSlice>,
    /// Number of its data file.
    pub(super) shard_id: u32,
    /// First byte in the data file.
    pub(super) offset: u64,
    /// Bytes in the data file.
    pub(super) size: u64,
    /// Masked crc of the bytes.
    pub(super) crc32c: u32,
}

impl BundleEntry {
    /// Bytes that the tensor takes in its data file; 0 for one that is stored in slices, whose slices count for themselves.
    pub fn stored_bytes(&self) -> u64 {
        self.size
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<BundleEntry> {
        let proto = BundleEntryProto::decode(bytes).map_err(|e| data_loss(format!("a bundle entry cannot be parsed: {e}")))?;
        let damaged = |e: ferroflow_tensor::Error| data_loss(format!("a bundle entry is damaged: {}", e.message()));
        let dims: Vec<i64> = proto.shape.iter().flat_map(|s| &s.dim).map(|d| d.size).collect();
        if proto.shape.as_ref().is_some_and(|s| s.unknown_rank) {
            return Err(data_loss("a bundle entry has a shape of unknown rank"));
        }
        let number = |n: i64, what: &str| u64::try_from(n).map_err(|_| data_loss(format!("a bundle entry has the {what} {n}")));
        let shape = Shape::new(&dims).map_err(damaged)?;
        let slices = proto.slices.iter().map(TensorSlice::from_proto).collect::<Result<Vec<_>>>().map_err(damaged)?;
        Ok(BundleEntry {
            dtype: DType::from_proto_base(proto.dtype).map_err(damaged)?,
            shape,
            slices,
            shard_id: u32::try_from(proto.shard_id).map_err(|_| data_loss(format!("a bundle entry has the shard {}", proto.shard_id)))?,
            offset: number(proto.offset, "offset")?,
            size: number(proto.size, "size")?,
            crc32c: proto.crc32c,
        })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        // Offsets and sizes were counted or decoded from i64s; TF's shards have at most i32::MAX numbers.
        let proto = BundleEntryProto {
            dtype: self.dtype.to_proto(),
            shape: Some(ferroflow_tensor::shape_to_proto(&self.shape)),
            shard_id: self.shard_id as i32,
            offset: self.offset as i64,
            size: self.size as i64,
            crc32c: self.crc32c,
            slices: self.slices.iter().map(TensorSlice::to_proto).collect(),
        };
        proto.encode_to_vec()
    }
}

/// The header of a bundle with this many data files.
pub fn encode_header(num_shards: u32) -> Vec<u8> {
    let header = BundleHeaderProto {
        num_shards: num_shards as i32,
        endianness: Endianness::Little.into(),
        version: Some(VersionDef { producer: VERSION, ..VersionDef::default() }),
    };
    header.encode_to_vec()
}

/// The number of data files that a header names, after checking that this build can read the bundle.
pub fn decode_header(bytes: &[u8]) -> Result<u32> {
    let header = BundleHeaderProto::decode(bytes).map_err(|e| data_loss(format!("the bundle header cannot be parsed: {e}")))?;
    if header.endianness != i32::from(Endianness::Little) {
        return Err(unimplemented("the checkpoint was written on a big-endian machine"));
    }
    let version = header.version.unwrap_or_default();
    if version.min_consumer > VERSION {
        return Err(unimplemented(format!("the checkpoint needs a reader of version {}; this one is {VERSION}", version.min_consumer)));
    }
    match u32::try_from(header.num_shards) {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(data_loss(format!("the bundle header names {} data files", header.num_shards))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    #[test]
    fn the_header_has_the_recorded_bytes() {
        assert_eq!(encode_header(1), [0x08, 0x01, 0x1a, 0x02, 0x08, 0x01]);
        assert_eq!(decode_header(&encode_header(7)).unwrap(), 7);
    }

    #[test]
    fn headers_that_cannot_be_read_are_refused() {
        for (bytes, code) in [
            (&[0x08, 0x00][..], Code::DataLoss),
            (&[], Code::DataLoss),
            (&[0xff], Code::DataLoss),
            (&[0x08, 0x01, 0x10, 0x01], Code::Unimplemented),
            (&[0x08, 0x01, 0x1a, 0x02, 0x10, 0x02], Code::Unimplemented),
        ] {
            assert_eq!(decode_header(bytes).unwrap_err().code(), code, "{bytes:?}");
        }
    }

    #[test]
    fn entries_come_back_and_damaged_numbers_are_refused() {
        let entry = BundleEntry {
            dtype: DType::Float,
            shape: Shape::new(&[2, 3]).unwrap(),
            slices: Vec::new(),
            shard_id: 1,
            offset: 8,
            size: 24,
            crc32c: 77,
        };
        assert_eq!(BundleEntry::decode(&entry.encode()).unwrap(), entry);
        for bad in [
            BundleEntryProto { dtype: 999, ..BundleEntryProto::default() },
            BundleEntryProto { dtype: 1, offset: -1, ..BundleEntryProto::default() },
            BundleEntryProto { dtype: 1, size: -1, ..BundleEntryProto::default() },
            BundleEntryProto { dtype: 1, shard_id: -1, ..BundleEntryProto::default() },
        ] {
            assert_eq!(BundleEntry::decode(&bad.encode_to_vec()).unwrap_err().code(), Code::DataLoss);
        }
    }
}
