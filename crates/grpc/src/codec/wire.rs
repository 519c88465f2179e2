//! The protobuf wire form: fields of a message in order, varints.

use bytes::{BufMut, BytesMut};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Error, Result};
use std::ops::Range;

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Varint(u64),
    /// Eight bytes, little-endian.
    Fixed64(u64),
    /// Four bytes, little-endian.
    Fixed32(u32),
    /// Where the bytes are.
    Bytes(Range<usize>),
}

/// Reads the fields of the message that lies at `range` of `memory`, which may end before the message does.
pub(super) fn fields(memory: &[u8], range: Range<usize>) -> Fields<'_> {
    Fields { memory, at: range.start, end: range.end }
}

/// The fields of a message, until its end or the first malformed one.
pub(super) struct Fields<'a> {
    memory: &'a [u8],
    at: usize,
    end: usize,
}

impl Fields<'_> {
    /// Where the next field begins.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let end = self.at + N;
        let bytes = self.memory.get(self.at..end.min(self.end)).and_then(|b| b.try_into().ok()).ok_or_else(cut_off)?;
        self.at = end;
        Ok(bytes)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let [byte] = self.take()?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(internal("a message holds a number of more than 64 bits"))
    }

    fn field(&mut self) -> Result<(u32, Field)> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|n| (1..1 << 29).contains(n));
        let number = number.ok_or_else(|| internal("a message holds a field without a valid number"))?;
        let value = match tag & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.take()?)),
            2 => {
                let len = usize::try_from(self.varint()?).map_err(|_| cut_off())?;
                let end = self.at.checked_add(len).filter(|&e| e <= self.end).ok_or_else(cut_off)?;
                let range = self.at..end;
                self.at = end;
                Field::Bytes(range)
            }
            5 => Field::Fixed32(u32::from_le_bytes(self.take()?)),
            other => return Err(internal(format!("a message holds a field of wire type {other}"))),
        };
        Ok((number, value))
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<(u32, Field)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.at = self.end;
        }
        Some(field)
    }
}

fn cut_off() -> Error {
    internal("a message ends in the middle of a field")
}

/// How many bytes a varint takes.
pub(super) fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// Writes a varint.
pub(super) fn put_varint(out: &mut BytesMut, mut value: u64) {
    while value >= 0x80 {
        out.put_u8(value as u8 | 0x80);
        value >>= 7;
    }
    out.put_u8(value as u8);
}

/// Writes the number and wire type of a field.
pub(super) fn put_tag(out: &mut BytesMut, number: u32, wire_type: u8) {
    put_varint(out, u64::from(number) << 3 | u64::from(wire_type));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_all_lengths_are_read_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut out = BytesMut::new();
                put_tag(&mut out, 3, 0);
                put_varint(&mut out, value);
                assert_eq!(out.len(), 1 + varint_len(value));
                let all: Vec<_> = fields(&out, 0..out.len()).map(|f| f.unwrap()).collect();
                assert_eq!(all, [(3, Field::Varint(value))]);
            }
        }
    }

    #[test]
    fn malformed_fields_are_errors_and_end_the_walk() {
        for bad in [&[0x08][..], &[0x08, 0xff], &[0x0a, 0x05, 1], &[0x0d, 1, 2], &[0x09, 1], &[0x00, 1], &[0x0b], &[0x0f], &[0xff; 12]] {
            let all: Vec<_> = fields(bad, 0..bad.len()).collect();
            assert!(all.len() == 1 && all[0].is_err(), "{bad:?}");
        }
        let huge = [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert!(fields(&huge, 0..huge.len()).all(|f| f.is_err()));
    }
}
