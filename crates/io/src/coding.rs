//! Reading and writing of the small numbers that the file formats are made of: varints and little-endian words.
//!
//! [`Cursor`] never reads past the end and never panics: everything here may come from a damaged file.

use ferroflow_tensor::error::{Result, data_loss};

/// Appends `v` as a varint: seven bits a byte, lowest first, the top bit says that more follow.
pub fn put_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// A position in bytes that came from a file.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub fn new(data: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: data }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether all was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `n` bytes.
    ///
    /// Errors: `DataLoss` if there are fewer.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, tail) =
            self.rest.split_at_checked(n).ok_or_else(|| data_loss(format!("needs {n} bytes, only {} are left", self.rest.len())))?;
        self.rest = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, tail) =
            self.rest.split_first_chunk::<N>().ok_or_else(|| data_loss(format!("needs {N} bytes, only {} are left", self.rest.len())))?;
        self.rest = tail;
        Ok(*head)
    }

    /// The next byte. Errors: `DataLoss` at the end.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// A little-endian u32. Errors: `DataLoss` at the end.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A varint of at most 64 bits.
    ///
    /// Errors: `DataLoss` if it is cut or does not fit.
    pub fn varint(&mut self) -> Result<u64> {
        let mut v = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            v |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(v);
            }
        }
        Err(data_loss("a varint is longer than 64 bits"))
    }

    /// A varint that is a length in memory. Errors: `DataLoss` if it is cut or exceeds 32 bits.
    pub fn varint32(&mut self) -> Result<usize> {
        let v = self.varint()?;
        u32::try_from(v).map(|v| v as usize).map_err(|_| data_loss(format!("{v} does not fit 32 bits")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    #[test]
    fn varints_come_back() {
        for v in [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 63, u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, v);
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(cursor.varint().unwrap(), v);
            assert!(cursor.is_empty());
        }
    }

    #[test]
    fn cut_and_overlong_varints_are_errors() {
        for bytes in [&[][..], &[0x80], &[0xff; 9], &[0xff; 11], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]] {
            assert_eq!(Cursor::new(bytes).varint().unwrap_err().code(), Code::DataLoss);
        }
    }

    #[test]
    fn reading_past_the_end_is_an_error_and_moves_nothing() {
        let mut cursor = Cursor::new(&[1, 2, 3]);
        assert!(cursor.u32().is_err());
        assert!(cursor.take(4).is_err());
        assert_eq!(cursor.take(3).unwrap(), [1, 2, 3]);
    }
}
