//! Ordered code: numbers and strings encoded so that the bytes sort as the values do (TF: `OrderedCode`).
//!
//! A checkpoint keys the data of a variable's slice by such an encoding of name and slice. Only the encoder
//! is needed: readers build the key of the slice that they look for.

/// Appends an unsigned number: the count of its significant bytes, then these, highest first.
pub fn put_number(out: &mut Vec<u8>, v: u64) {
    let bytes = v.to_be_bytes();
    let skip = (v.leading_zeros() / 8) as usize;
    out.push((bytes.len() - skip) as u8);
    out.extend_from_slice(&bytes[skip..]);
}

/// Appends a string; its end is marked, and the bytes that could be taken for the mark are escaped.
pub fn put_string(out: &mut Vec<u8>, s: &[u8]) {
    for &b in s {
        match b {
            0x00 => out.extend_from_slice(&[0x00, 0xff]),
            0xff => out.extend_from_slice(&[0xff, 0x00]),
            _ => out.push(b),
        }
    }
    out.extend_from_slice(&[0x00, 0x01]);
}

/// Appends a signed number: big-endian in as few bytes as hold it, with their count in the leading bits.
pub fn put_signed(out: &mut Vec<u8>, v: i64) {
    /// What the first two bytes are xored with, by the number of bytes.
    const HEADERS: [[u8; 2]; 10] =
        [[0x80, 0], [0xc0, 0], [0xe0, 0], [0xf0, 0], [0xf8, 0], [0xfc, 0], [0xfe, 0], [0xff, 0], [0xff, 0x80], [0xff, 0xc0]];
    let magnitude = if v < 0 { !v } else { v };
    let bits = (64 - magnitude.leading_zeros()) as usize;
    let len = bits / 7 + 1;
    let mut bytes = i128::from(v).to_be_bytes();
    let start = bytes.len() - len;
    let [h0, h1] = HEADERS[len - 1];
    bytes[start] ^= h0;
    if len > 1 {
        bytes[start + 1] ^= h1;
    }
    out.extend_from_slice(&bytes[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(v: i64) -> Vec<u8> {
        let mut out = Vec::new();
        put_signed(&mut out, v);
        out
    }

    #[test]
    fn numbers_carry_their_length() {
        let cases: [(u64, &[u8]); 4] =
            [(0, &[0]), (2, &[1, 2]), (256, &[2, 1, 0]), (u64::MAX, &[8, 255, 255, 255, 255, 255, 255, 255, 255])];
        for (v, want) in cases {
            let mut out = Vec::new();
            put_number(&mut out, v);
            assert_eq!(out, want);
        }
    }

    #[test]
    fn strings_escape_their_ends() {
        let mut out = Vec::new();
        put_string(&mut out, b"a\x00b\xff");
        assert_eq!(out, b"a\x00\xffb\xff\x00\x00\x01");
    }

    #[test]
    fn signed_numbers_match_recorded_bytes() {
        assert_eq!(signed(0), [0x80]);
        assert_eq!(signed(-1), [0x7f]);
        assert_eq!(signed(50), [0xb2]);
        assert_eq!(signed(-64), [0x40]);
        assert_eq!(signed(64), [0xc0, 0x40]);
        assert_eq!(signed(8000), [0xdf, 0x40]);
        assert_eq!(signed(35000), [0xe0, 0x88, 0xb8]);
    }

    #[test]
    fn signed_numbers_sort_as_their_bytes() {
        let mut values: Vec<i64> = (0..63).flat_map(|k| [1i64 << k, -(1i64 << k), (1i64 << k) - 1, -(1i64 << k) - 1]).collect();
        values.extend([i64::MIN, i64::MAX, 0]);
        values.sort_unstable();
        values.dedup();
        for pair in values.windows(2) {
            assert!(signed(pair[0]) < signed(pair[1]), "{pair:?}");
        }
    }
}
