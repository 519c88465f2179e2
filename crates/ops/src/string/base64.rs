//! Base64 with the letters that are safe in URLs (`-` and `_`), as TF's ops use it.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The text of some bytes; with `pad`, filled up with `=` to a multiple of 4.
pub(crate) fn encode(bytes: &[u8], pad: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0u32, |n, (i, &b)| n | (b as u32) << (16 - 8 * i));
        for i in 0..=chunk.len() {
            text.push(LETTERS[(bits >> (18 - 6 * i) & 63) as usize]);
        }
        if pad {
            text.extend(std::iter::repeat_n(b'=', 3 - chunk.len()));
        }
    }
    text
}

/// The bytes of a text, padded or not; `None` if it is no base64.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padded = text.iter().rev().take_while(|&&b| b == b'=').count();
    let letters = &text[..text.len() - padded];
    if padded > 2 || padded > 0 && !text.len().is_multiple_of(4) || letters.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for chunk in letters.chunks(4) {
        let mut bits = 0u32;
        for (i, &letter) in chunk.iter().enumerate() {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'-' => 62,
                b'_' => 63,
                _ => return None,
            };
            bits |= (value as u32) << (18 - 6 * i);
        }
        bytes.extend((0..chunk.len() - 1).map(|i| (bits >> (16 - 8 * i)) as u8));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for n in 0..20usize {
            let bytes: Vec<u8> = (0..n).map(|i| (i * 91 + 200) as u8).collect();
            for pad in [true, false] {
                assert_eq!(decode(&encode(&bytes, pad)).unwrap(), bytes);
            }
        }
        assert_eq!(encode(b"\xff", true), b"_w==");
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        for text in [&b"a"[..], b"ab=", b"ab+c", b"====", b"a===", b"YWJj="] {
            assert!(decode(text).is_none(), "{text:?}");
        }
    }
}
