//! The checksum of all of TF's own file formats: CRC-32C (Castagnoli), stored masked (TF: `crc32c::Mask`).
//!
//! Masking exists because a file that holds checksums is itself checksummed, and the crc of data that
//! contains its own crc degenerates.

const MASK_DELTA: u32 = 0xa282_ead8;

/// The crc of `data`.
pub fn crc32c(data: &[u8]) -> u32 {
    ::crc32c::crc32c(data)
}

/// The crc of what `crc` was computed over, followed by `data`; start with 0.
pub fn extend(crc: u32, data: &[u8]) -> u32 {
    ::crc32c::crc32c_append(crc, data)
}

/// The form in which a crc is stored.
pub fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// The crc of its stored form.
pub fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(MASK_DELTA).rotate_left(15)
}

/// `mask(crc32c(data))`.
pub fn masked_crc32c(data: &[u8]) -> u32 {
    mask(crc32c(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_checksums_come_out() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(b""), 0);
    }

    #[test]
    fn extending_equals_one_pass() {
        assert_eq!(extend(extend(0, b"hello "), b"world"), crc32c(b"hello world"));
    }

    #[test]
    fn masking_follows_the_formula_and_is_undone() {
        for crc in [0, 1, 0xe306_9283, u32::MAX] {
            let formula = ((u64::from(crc) << 17 | u64::from(crc) >> 15) + 0xa282_ead8) as u32;
            assert_eq!(mask(crc), formula);
            assert_eq!(unmask(formula), crc);
        }
    }
}
