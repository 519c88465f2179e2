//! Compressed messages: gzip and deflate are understood, nothing is ever sent compressed (TF: `RPCOptions.compression_algorithm`).

use crate::segments::LARGEST_MESSAGE;
use bytes::Bytes;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{internal, resource_exhausted};
use std::io::Read;

/// How a peer compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Not at all.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 1950, which HTTP calls deflate.
    Deflate,
}

impl Encoding {
    /// The encoding of a `grpc-encoding` header, `None` if it is not known here.
    pub(crate) fn of_header(value: Option<&http::HeaderValue>) -> Option<Encoding> {
        match value.map(|v| v.as_bytes()) {
            None | Some(b"identity") => Some(Encoding::Identity),
            Some(b"gzip") => Some(Encoding::Gzip),
            Some(b"deflate") => Some(Encoding::Deflate),
            Some(_) => None,
        }
    }

    /// Expands a message that was marked as compressed.
    ///
    /// Errors: `Internal` for damaged data, or when no encoding was announced; `ResourceExhausted` if it becomes too large.
    pub(crate) fn expand(self, compressed: &[u8]) -> Result<Bytes> {
        let limit = LARGEST_MESSAGE as u64 + 1;
        let mut out = Vec::new();
        let read = match self {
            Encoding::Identity => return Err(internal("a message is marked as compressed, but no grpc-encoding was announced")),
            Encoding::Gzip => flate2::read::MultiGzDecoder::new(compressed).take(limit).read_to_end(&mut out),
            Encoding::Deflate => flate2::read::ZlibDecoder::new(compressed).take(limit).read_to_end(&mut out),
        };
        read.map_err(|e| internal(format!("a compressed message is damaged: {e}")))?;
        if out.len() > LARGEST_MESSAGE {
            return Err(resource_exhausted("a compressed message expands to more than 2 GiB"));
        }
        Ok(out.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn both_encodings_expand_and_damage_is_an_error() {
        let text = b"tensor".repeat(1000);
        let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::fast());
        zlib.write_all(&text).unwrap();
        let zlib = zlib.finish().unwrap();
        assert_eq!(Encoding::Gzip.expand(&gzip).unwrap(), text);
        assert_eq!(Encoding::Deflate.expand(&zlib).unwrap(), text);
        assert!(Encoding::Gzip.expand(&gzip[..gzip.len() / 2]).is_err());
        assert!(Encoding::Deflate.expand(&gzip).is_err());
        assert!(Encoding::Identity.expand(&text).is_err());
    }
}
