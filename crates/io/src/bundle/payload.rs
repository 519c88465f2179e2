//! The bytes of a tensor in a data file, and their checksum.
//!
//! Plain types are their little-endian memory. Strings are their lengths as varints, a checksum of the lengths,
//! and their bytes; there the checksum of the entry runs over the lengths as fixed-width numbers instead of varints. Variants are messages.

use super::entry::BundleEntry;
use crate::coding::{Cursor, put_varint};
use crate::crc;
use crate::file_system::RandomAccessFile;
use bytes::Bytes;
use ferroflow_proto::Message;
use ferroflow_tensor::error::{Error, Result, data_loss, resource_exhausted, unimplemented};
use ferroflow_tensor::{DType, Shape, Tensor};
use std::io::Write;

/// Size and masked crc of a tensor that was written.
pub struct Written {
    pub size: u64,
    pub crc32c: u32,
}

/// Writes the elements of a tensor.
///
/// Errors: `Unimplemented` for resources; `InvalidArgument` for variants that cannot leave the process; those of the stream.
pub fn write(out: &mut impl Write, tensor: &Tensor) -> Result<Written> {
    match tensor.dtype() {
        DType::Resource => Err(unimplemented("a tensor of type resource cannot be saved in a checkpoint")),
        DType::Variant => write_variants(out, tensor),
        DType::String => write_strings(out, tensor.as_strings()?),
        _ => {
            let bytes = tensor.bytes()?;
            out.write_all(bytes)?;
            Ok(Written { size: bytes.len() as u64, crc32c: crc::masked_crc32c(bytes) })
        }
    }
}

fn write_strings(out: &mut impl Write, strings: &[Bytes]) -> Result<Written> {
    let mut head = Vec::new();
    let mut crc = 0;
    for s in strings {
        put_varint(&mut head, s.len() as u64);
        crc = extend_by_length(crc, s.len());
    }
    let lengths_crc = crc::mask(crc).to_le_bytes();
    head.extend_from_slice(&lengths_crc);
    crc = crc::extend(crc, &lengths_crc);
    out.write_all(&head)?;
    let mut size = head.len() as u64;
    for s in strings {
        out.write_all(s)?;
        crc = crc::extend(crc, s);
        size += s.len() as u64;
    }
    Ok(Written { size, crc32c: crc::mask(crc) })
}

/// Each variant is the length of its message as a varint, the message, and a checksum of all so far; there the checksums run over the
/// lengths as fixed-width numbers instead of varints.
fn write_variants(out: &mut impl Write, tensor: &Tensor) -> Result<Written> {
    let (mut crc, mut size) = (0, 0);
    for message in ferroflow_tensor::to_proto(tensor)?.variant_val {
        let message = message.encode_to_vec();
        let mut bytes = Vec::with_capacity(message.len() + 16);
        put_varint(&mut bytes, message.len() as u64);
        bytes.extend_from_slice(&message);
        crc = crc::extend(crc::extend(crc, &(message.len() as u64).to_le_bytes()), &message);
        let checksum = crc::mask(crc).to_le_bytes();
        bytes.extend_from_slice(&checksum);
        crc = crc::extend(crc, &checksum);
        out.write_all(&bytes)?;
        size += bytes.len() as u64;
    }
    Ok(Written { size, crc32c: crc::mask(crc) })
}

fn read_variants(file: &dyn RandomAccessFile, entry: &BundleEntry, shape: Shape, size: usize) -> Result<Tensor> {
    let n = shape.num_elements();
    // A length and a checksum take at least five bytes.
    if n > size / 5 {
        return Err(data_loss(format!("{size} bytes are stored for {n} variants")));
    }
    let bytes = Bytes::from(read_bytes(file, entry.offset, size)?);
    let cut = |e: Error| data_loss(format!("stored variants are damaged: {}", e.message()));
    let dim = ferroflow_proto::tensor_shape_proto::Dim { size: n as i64, ..Default::default() };
    let flat = ferroflow_proto::TensorShapeProto { dim: vec![dim], ..Default::default() };
    let dtype = DType::Variant.to_proto();
    let mut proto = ferroflow_proto::TensorProto { dtype, tensor_shape: Some(flat), ..Default::default() };
    let (mut crc, mut at) = (0, 0);
    for _ in 0..n {
        let mut cursor = Cursor::new(&bytes[at..]);
        let len = usize::try_from(cursor.varint().map_err(cut)?).map_err(|_| data_loss("a variant is longer than memory"))?;
        let start = size - cursor.rest().len();
        let end = start.checked_add(len).filter(|end| *end <= size).ok_or_else(|| data_loss("a variant is longer than what is stored"))?;
        let message = bytes.slice(start..end);
        let mut cursor = Cursor::new(&bytes[end..]);
        let stored = cursor.u32().map_err(cut)?;
        at = size - cursor.rest().len();
        crc = crc::extend(crc::extend(crc, &(len as u64).to_le_bytes()), &message);
        if crc::mask(crc) != stored {
            return Err(data_loss("the checksum of a variant does not match"));
        }
        crc = crc::extend(crc, &stored.to_le_bytes());
        let message = ferroflow_proto::VariantTensorDataProto::decode(message);
        proto.variant_val.push(message.map_err(|e| data_loss(format!("a stored variant is damaged: {e}")))?);
    }
    if at != size {
        return Err(data_loss(format!("{} bytes are stored behind the variants", size - at)));
    }
    check_crc(crc, entry)?;
    ferroflow_tensor::from_proto(&proto)?.reshaped(shape)
}

fn extend_by_length(crc: u32, len: usize) -> u32 {
    match u32::try_from(len) {
        Ok(len) => crc::extend(crc, &len.to_le_bytes()),
        Err(_) => crc::extend(crc, &(len as u64).to_le_bytes()),
    }
}

/// Reads the tensor of an entry from its data file.
///
/// Errors: `DataLoss` if the entry does not fit its shape or the file, or a checksum is wrong.
pub fn read(file: &dyn RandomAccessFile, entry: &BundleEntry) -> Result<Tensor> {
    check_range(file, entry)?;
    let size = usize::try_from(entry.size).map_err(|_| resource_exhausted(format!("a tensor of {} bytes", entry.size)))?;
    let (dtype, shape) = (entry.dtype, entry.shape.clone());
    if dtype == DType::String {
        return read_strings(file, entry, shape, size);
    }
    if dtype == DType::Variant {
        return read_variants(file, entry, shape, size);
    }
    if !dtype.is_plain() {
        return Err(unimplemented(format!("a tensor of type {dtype} cannot be restored from a checkpoint")));
    }
    if shape.num_elements().checked_mul(dtype.size()) != Some(size) {
        return Err(data_loss(format!("{size} bytes are stored for a {dtype} tensor of shape {shape}")));
    }
    if dtype == DType::Bool {
        // Through a copy, which makes every byte a valid bool.
        let bytes = read_bytes(file, entry.offset, size)?;
        check_crc(crc::crc32c(&bytes), entry)?;
        return Tensor::from_bytes(dtype, shape, &bytes);
    }
    let mut tensor = Tensor::for_overwrite(dtype, shape)?;
    let bytes = tensor.bytes_mut()?;
    file.read_at(entry.offset, bytes)?;
    check_crc(crc::crc32c(bytes), entry)?;
    Ok(tensor)
}

/// Checks that the bytes of an entry are in its data file.
///
/// Errors: `DataLoss` if they are not.
pub fn check_range(file: &dyn RandomAccessFile, entry: &BundleEntry) -> Result<()> {
    let len = file.len()?;
    match entry.offset.checked_add(entry.size) {
        Some(end) if end <= len => Ok(()),
        _ => Err(data_loss(format!("the tensor's {} bytes at {} lie outside the data file's {len}", entry.size, entry.offset))),
    }
}

fn read_strings(file: &dyn RandomAccessFile, entry: &BundleEntry, shape: Shape, size: usize) -> Result<Tensor> {
    let n = shape.num_elements();
    // Each length takes at least a byte: a count that cannot be true is refused before memory is taken for it.
    if n > size {
        return Err(data_loss(format!("{size} bytes are stored for {n} strings")));
    }
    let bytes = Bytes::from(read_bytes(file, entry.offset, size)?);
    let cut = |e: Error| data_loss(format!("the strings' lengths are damaged: {}", e.message()));
    let mut cursor = Cursor::new(&bytes);
    let mut crc = 0;
    let mut lengths = Vec::with_capacity(n);
    for _ in 0..n {
        let len = usize::try_from(cursor.varint().map_err(cut)?).map_err(|_| data_loss("a string is longer than memory"))?;
        crc = extend_by_length(crc, len);
        lengths.push(len);
    }
    let stored = cursor.u32().map_err(cut)?;
    if crc::mask(crc) != stored {
        return Err(data_loss("the checksum of the strings' lengths does not match"));
    }
    let mut rest = bytes.slice(size - cursor.rest().len()..);
    crc = crc::extend(crc::extend(crc, &stored.to_le_bytes()), &rest);
    check_crc(crc, entry)?;
    let mut strings = Vec::with_capacity(n);
    for len in lengths {
        if len > rest.len() {
            return Err(data_loss("the strings are longer than what is stored"));
        }
        strings.push(rest.split_to(len));
    }
    if !rest.is_empty() {
        return Err(data_loss(format!("{} bytes are stored behind the strings", rest.len())));
    }
    Tensor::strings(shape, strings)
}

fn read_bytes(file: &dyn RandomAccessFile, offset: u64, size: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; size];
    file.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

fn check_crc(crc: u32, entry: &BundleEntry) -> Result<()> {
    let calculated = crc::mask(crc);
    if calculated != entry.crc32c {
        return Err(data_loss(format!(
            "Checksum does not match: stored {:#010x} vs. calculated on the restored bytes {:#010x}",
            crc::unmask(entry.crc32c),
            crc
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    fn stored(tensor: &Tensor) -> (Vec<u8>, BundleEntry) {
        let mut bytes = Vec::new();
        let written = write(&mut bytes, tensor).unwrap();
        assert_eq!(written.size, bytes.len() as u64);
        let entry = BundleEntry {
            dtype: tensor.dtype(),
            shape: tensor.shape().clone(),
            slices: Vec::new(),
            shard_id: 0,
            offset: 0,
            size: written.size,
            crc32c: written.crc32c,
        };
        (bytes, entry)
    }

    #[test]
    fn plain_tensors_are_their_memory() {
        let t = Tensor::vector(&[1.0f32, -2.0]).unwrap();
        let (bytes, entry) = stored(&t);
        assert_eq!(bytes, [0, 0, 128, 63, 0, 0, 0, 192]);
        assert_eq!(entry.crc32c, crc::masked_crc32c(&bytes));
        assert_eq!(read(&bytes, &entry).unwrap().as_slice::<f32>().unwrap(), [1.0, -2.0]);
    }

    #[test]
    fn bools_are_normalised() {
        let (mut bytes, mut entry) = stored(&Tensor::vector(&[true, false]).unwrap());
        bytes[0] = 7;
        entry.crc32c = crc::masked_crc32c(&bytes);
        assert_eq!(read(&bytes, &entry).unwrap().as_slice::<bool>().unwrap(), [true, false]);
    }

    #[test]
    fn strings_come_back_and_their_checksum_is_not_that_of_the_bytes() {
        let long = vec![b'x'; 300];
        let strings: Vec<Bytes> = vec!["".into(), "ab".into(), long.into(), "\0".into()];
        let t = Tensor::strings(Shape::new(&[2, 2]).unwrap(), strings.clone()).unwrap();
        let (bytes, entry) = stored(&t);
        assert_eq!(bytes[..5], [0, 2, 0xac, 2, 1]);
        assert_ne!(entry.crc32c, crc::masked_crc32c(&bytes));
        assert_eq!(read(&bytes, &entry).unwrap().as_strings().unwrap(), strings);
    }

    #[test]
    fn variants_come_back_as_messages_and_a_flipped_byte_is_data_loss() {
        let variant = |name: &str, tensors| ferroflow_tensor::Variant::Encoded { type_name: name.into(), metadata: "m".into(), tensors };
        let variants = vec![variant("a", vec![Tensor::vector(&[1.5f32]).unwrap()]), variant("b", vec![])];
        let (good, entry) = stored(&Tensor::variants(Shape::new(&[2]).unwrap(), variants).unwrap());
        let t = read(&good, &entry).unwrap();
        let names: Vec<&str> = t
            .as_variants()
            .unwrap()
            .iter()
            .map(|v| match v {
                ferroflow_tensor::Variant::Encoded { type_name, .. } => type_name.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!((names, t.dims()), (vec!["a", "b"], &[2i64][..]));
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 1;
            assert_eq!(read(&bad, &entry).unwrap_err().code(), Code::DataLoss, "byte {i}");
        }
        let many = BundleEntry { shape: Shape::new(&[1 << 60]).unwrap(), ..entry };
        assert_eq!(read(&good, &many).unwrap_err().code(), Code::DataLoss);
    }

    #[test]
    fn empty_tensors_take_no_bytes() {
        let (bytes, entry) = stored(&Tensor::zeros(DType::Float, Shape::new(&[0, 3]).unwrap()).unwrap());
        assert_eq!((bytes.len(), entry.crc32c), (0, crc::mask(0)));
        assert_eq!(read(&bytes, &entry).unwrap().dims(), [0, 3]);
    }

    #[test]
    fn entries_that_do_not_fit_are_data_loss_before_anything_is_allocated() {
        let (bytes, good) = stored(&Tensor::vector(&[1i64, 2]).unwrap());
        let huge = Shape::new(&[1 << 60]).unwrap();
        for entry in [
            BundleEntry { offset: 1, ..good.clone() },
            BundleEntry { offset: u64::MAX, ..good.clone() },
            BundleEntry { size: u64::MAX, ..good.clone() },
            BundleEntry { shape: huge.clone(), ..good.clone() },
            BundleEntry { shape: huge.clone(), dtype: DType::String, ..good.clone() },
            BundleEntry { shape: Shape::new(&[3]).unwrap(), ..good.clone() },
            BundleEntry { crc32c: 0, ..good.clone() },
            BundleEntry { dtype: DType::String, ..good.clone() },
        ] {
            assert_eq!(read(&bytes, &entry).unwrap_err().code(), Code::DataLoss, "{entry:?}");
        }
    }

    #[test]
    fn each_flipped_byte_of_strings_is_data_loss() {
        let (good, entry) = stored(&Tensor::strings(Shape::new(&[2]).unwrap(), vec!["ab".into(), "cde".into()]).unwrap());
        for i in 0..good.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[i] ^= flip;
                assert_eq!(read(&bad, &entry).unwrap_err().code(), Code::DataLoss);
            }
        }
    }
}
