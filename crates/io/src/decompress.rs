//! Streams of compressed files as the bytes that were compressed (TF: `ZlibInputStream`).

use crate::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::io::Read;

/// The bytes of `input` before compression. Damage shows as an error of kind `InvalidInput` or `InvalidData`, a cut as `UnexpectedEof`.
pub fn decompressed(input: impl Read + Send + 'static, compression: Compression) -> Box<dyn Read + Send> {
    match compression {
        Compression::None => Box::new(input),
        Compression::Zlib => Box::new(ZlibDecoder::new(input)),
        Compression::Gzip => Box::new(MultiGzDecoder::new(input)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn a_gzip_file_of_several_members_is_one_stream() {
        let member = |text: &[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let file = [member(b"one "), member(b"two")].concat();
        let mut text = String::new();
        decompressed(std::io::Cursor::new(file.clone()), Compression::Gzip).read_to_string(&mut text).unwrap();
        assert_eq!(text, "one two");
        let cut = decompressed(std::io::Cursor::new(file[..file.len() - 3].to_vec()), Compression::Gzip).read_to_string(&mut text);
        assert!(cut.is_err());
    }
}
