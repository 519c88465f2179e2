//! IDX files, the format of MNIST: a typed array of bytes with its dimensions in front, plain or gzipped.

use crate::data_set::{DataSet, Split};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{data_loss, invalid_argument, not_found};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// The contents of an IDX file of unsigned bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Idx {
    /// Its dimensions; the first counts the examples.
    pub dims: Vec<usize>,
    /// Its elements, row-major.
    pub bytes: Vec<u8>,
}

/// Unsigned bytes, the only element type of image and label files.
const UNSIGNED_BYTE: u8 = 0x08;
/// More than this in one file is taken for damage.
const LARGEST: usize = 1 << 34;

/// Reads an IDX file; one whose name ends with `.gz` is unpacked.
///
/// Errors: `NotFound`, `DataLoss` for a damaged or cut file, `InvalidArgument` for element types other than unsigned bytes.
pub fn read_idx(path: &Path) -> Result<Idx> {
    let named = |e: std::io::Error| ferroflow_tensor::Error::from(e).context(path.display());
    let file = BufReader::new(File::open(path).map_err(named)?);
    let idx = if path.extension().is_some_and(|e| e == "gz") { parse(flate2::read::MultiGzDecoder::new(file)) } else { parse(file) };
    idx.map_err(|e| e.context(path.display()))
}

fn parse(mut file: impl Read) -> Result<Idx> {
    let cut = |e: std::io::Error| data_loss(format!("the file is cut or damaged: {e}"));
    let mut magic = [0u8; 4];
    file.read_exact(&mut magic).map_err(cut)?;
    let [0, 0, kind, rank] = magic else { return Err(data_loss("no IDX file: it does not begin with two zero bytes")) };
    if kind != UNSIGNED_BYTE {
        return Err(invalid_argument(format!("IDX element type {kind:#04x} is not supported, only unsigned bytes (0x08)")));
    }
    let mut dims = Vec::with_capacity(rank as usize);
    let mut size = 1usize;
    for _ in 0..rank {
        let mut dim = [0u8; 4];
        file.read_exact(&mut dim).map_err(cut)?;
        let dim = u32::from_be_bytes(dim) as usize;
        size = size.checked_mul(dim).filter(|&s| s <= LARGEST).ok_or_else(|| data_loss("the dimensions are too large to be true"))?;
        dims.push(dim);
    }
    // Grows as data come, so that a lying header takes no memory.
    let mut bytes = Vec::new();
    file.take(size as u64 + 1).read_to_end(&mut bytes).map_err(cut)?;
    if bytes.len() != size {
        return Err(data_loss(format!("the file holds {} elements, its header says {size}", bytes.len())));
    }
    Ok(Idx { dims, bytes })
}

/// The images and labels for training and testing in a directory, under MNIST's names (`train-images-idx3-ubyte`, …, with or
/// without `.gz`). Pixels become 0 to 1, the number of classes is one more than the largest label.
///
/// Errors: `NotFound` naming the file that is missing; as [`read_idx`]; `InvalidArgument` if images and labels do not fit.
pub fn idx_directory(dir: &Path) -> Result<Split> {
    let train = load(dir, "train")?;
    let test = load(dir, "t10k")?;
    let classes = train.1.iter().chain(&test.1).max().map_or(1, |&m| m as usize + 1);
    let set = |(images, labels): (Idx, Vec<i64>)| {
        let width = images.dims.get(1..).unwrap_or_default().iter().product();
        DataSet::new(images.bytes.iter().map(|&b| f32::from(b) / 255.0).collect(), labels, width, classes)
    };
    let split = Split { train: set(train)?, test: set(test)? };
    if split.train.width() != split.test.width() {
        return Err(invalid_argument("training and test images differ in size"));
    }
    Ok(split)
}

fn load(dir: &Path, part: &str) -> Result<(Idx, Vec<i64>)> {
    let images = read_idx(&find(dir, &format!("{part}-images-idx3-ubyte"))?)?;
    let labels = read_idx(&find(dir, &format!("{part}-labels-idx1-ubyte"))?)?;
    let labels = labels.bytes.iter().map(|&b| i64::from(b)).collect();
    Ok((images, labels))
}

fn find(dir: &Path, name: &str) -> Result<PathBuf> {
    let plain = dir.join(name);
    let packed = dir.join(format!("{name}.gz"));
    [plain, packed]
        .into_iter()
        .find(|p| p.is_file())
        .ok_or_else(|| not_found(format!("{} holds neither {name} nor {name}.gz", dir.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::Code;
    use std::io::Write;

    fn file(dims: &[u32], bytes: &[u8]) -> Vec<u8> {
        let mut f = vec![0, 0, UNSIGNED_BYTE, dims.len() as u8];
        dims.iter().for_each(|d| f.extend(d.to_be_bytes()));
        f.extend(bytes);
        f
    }

    #[test]
    fn a_directory_of_packed_and_plain_files_is_read() {
        let dir = tempfile::tempdir().unwrap();
        for (part, n) in [("train", 3u32), ("t10k", 1)] {
            let images: Vec<u8> = (0..n * 4).map(|i| (i * 20) as u8).collect();
            let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gz.write_all(&file(&[n, 2, 2], &images)).unwrap();
            std::fs::write(dir.path().join(format!("{part}-images-idx3-ubyte.gz")), gz.finish().unwrap()).unwrap();
            let labels: Vec<u8> = (0..n as u8).collect();
            std::fs::write(dir.path().join(format!("{part}-labels-idx1-ubyte")), file(&[n], &labels)).unwrap();
        }
        let split = idx_directory(dir.path()).unwrap();
        assert_eq!((split.train.len(), split.test.len(), split.train.width(), split.train.classes()), (3, 1, 4, 3));
        std::fs::remove_file(dir.path().join("t10k-labels-idx1-ubyte")).unwrap();
        let e = idx_directory(dir.path()).unwrap_err();
        assert_eq!(e.code(), Code::NotFound);
        assert!(e.message().contains("t10k-labels-idx1-ubyte"));
    }

    #[test]
    fn damaged_files_are_refused() {
        let good = file(&[2, 2], &[1, 2, 3, 4]);
        assert!(parse(&good[..]).is_ok());
        for cut in 0..good.len() {
            assert_eq!(parse(&good[..cut]).unwrap_err().code(), Code::DataLoss, "{cut}");
        }
        assert!(parse(&file(&[u32::MAX, u32::MAX], &[])[..]).is_err());
        assert!(parse(&file(&[2], &[1, 2, 3])[..]).is_err());
        assert_eq!(parse(&[0, 0, 0x0d, 1, 0, 0, 0, 0][..]).unwrap_err().code(), Code::InvalidArgument);
    }
}
