//! Reads a bundle (TF: `BundleReader`, the body of `RestoreV2`).

use super::entry::{BundleEntry, HEADER_KEY, decode_header};
use super::region::Region;
use super::slice::{ShapeAndSlice, TensorSlice};
use super::{data_file_name, index_file_name, payload};
use crate::file_system::{FileSystem, RandomAccessFile};
use crate::table::Table;
use ferroflow_tensor::error::{Code, Error, Result, data_loss, invalid_argument, not_found};
use ferroflow_tensor::{DType, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// An open checkpoint. Its index is read as needed, its data files are opened when the first tensor in them is read.
pub struct BundleReader {
    fs: Arc<dyn FileSystem>,
    prefix: String,
    index: Table,
    num_shards: u32,
    shards: Mutex<HashMap<u32, Arc<dyn RandomAccessFile>>>,
}

/// A stored tensor that meets a requested region.
struct Piece {
    region: Region,
    common: Region,
    entry: BundleEntry,
}

impl BundleReader {
    /// Opens the checkpoint of a prefix.
    ///
    /// Errors: `NotFound` `Unsuccessful TensorSliceReader constructor: Failed to find any matching files for <prefix>`;
    /// `DataLoss` if the index is damaged; `Unimplemented` for a format that this build cannot read.
    pub fn open(fs: &Arc<dyn FileSystem>, prefix: &str) -> Result<BundleReader> {
        let path = index_file_name(prefix);
        let file = fs.open(&path).map_err(|e| match e.code() {
            Code::NotFound => {
                not_found(format!("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}"))
            }
            _ => e,
        })?;
        let open = || {
            let index = Table::open(file)?;
            let header = index.get(HEADER_KEY)?.ok_or_else(|| data_loss("the bundle has no header"))?;
            let num_shards = decode_header(header)?;
            Ok((index, num_shards))
        };
        let (index, num_shards) = open().map_err(|e: Error| e.context(&path))?;
        Ok(BundleReader { fs: Arc::clone(fs), prefix: prefix.to_owned(), index, num_shards, shards: Mutex::default() })
    }

    /// The checkpoint's prefix.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The number of data files.
    pub fn num_shards(&self) -> u32 {
        self.num_shards
    }

    /// Opens all data files, after which the checkpoint can be read even if someone deletes it.
    ///
    /// Errors: `NotFound` if one is missing.
    pub fn open_data(&self) -> Result<()> {
        (0..self.num_shards).try_for_each(|shard| self.shard(shard).map(drop))
    }

    /// What the checkpoint says of a tensor; `None` if it has none of this name.
    ///
    /// Errors: `DataLoss` if the index is damaged.
    pub fn entry(&self, name: impl AsRef<[u8]>) -> Result<Option<BundleEntry>> {
        let name = name.as_ref();
        if name == HEADER_KEY {
            return Ok(None);
        }
        let entry = self.index.get(name).and_then(|value| value.map(BundleEntry::decode).transpose());
        entry.map_err(|e| e.context(index_file_name(&self.prefix)))
    }

    /// All tensors by name, in the order of their names' bytes; a tensor stored in slices counts once.
    ///
    /// Errors: `DataLoss` if the index is damaged.
    pub fn entries(&self) -> Result<Vec<(String, BundleEntry)>> {
        let mut entries = Vec::new();
        self.for_each_entry(|key, entry| {
            if key.first() != Some(&0) {
                entries.push((String::from_utf8_lossy(key).into_owned(), entry));
            }
            Ok(())
        })?;
        Ok(entries)
    }

    /// All entries by key, those of slices included.
    pub(super) fn for_each_entry(&self, mut f: impl FnMut(&[u8], BundleEntry) -> Result<()>) -> Result<()> {
        let in_index = |e: Error| e.context(index_file_name(&self.prefix));
        for step in self.index.iter() {
            let (key, value) = step.map_err(in_index)?;
            if key != HEADER_KEY {
                f(&key, BundleEntry::decode(value).map_err(in_index)?)?;
            }
        }
        Ok(())
    }

    /// Reads a whole tensor, put together from its slices if need be.
    ///
    /// Errors: `NotFound` `Key <name> not found in checkpoint`; `DataLoss` if it is damaged.
    pub fn read(&self, name: &str) -> Result<Tensor> {
        let entry = self.found(name)?;
        self.read_part(name, &entry, &TensorSlice::full(entry.shape.rank()))
    }

    /// Reads a part of a tensor, from the whole or from whatever stored slices cover it.
    ///
    /// Errors: as [`BundleReader::read`]; `InvalidArgument` if the full shape is another, or the slices do not cover the part.
    pub fn read_slice(&self, name: &str, part: &ShapeAndSlice) -> Result<Tensor> {
        let entry = self.found(name)?;
        if part.full_shape != entry.shape {
            return Err(invalid_argument(format!(
                "tensor_name = {name}; shape in shape_and_slice spec {} does not match the shape stored in checkpoint: {}",
                part.full_shape, entry.shape
            )));
        }
        self.read_part(name, &entry, &part.slice)
    }

    /// Reads what one element of a `RestoreV2` asks for: `spec` is empty for the whole tensor.
    ///
    /// Errors: as [`BundleReader::read_slice`]; `InvalidArgument` if the tensor is not of type `dtype` or `spec` is malformed.
    pub fn restore(&self, name: &str, spec: &str, dtype: DType) -> Result<Tensor> {
        let entry = self.found(name)?;
        if entry.dtype != dtype {
            return Err(invalid_argument(format!(
                "tensor_name = {name}; expected dtype {dtype} does not equal original dtype {}",
                entry.dtype
            )));
        }
        match ShapeAndSlice::parse(spec)? {
            None => self.read(name),
            Some(part) => self.read_slice(name, &part),
        }
    }

    fn found(&self, name: &str) -> Result<BundleEntry> {
        self.entry(name)?.ok_or_else(|| not_found(format!("Key {name} not found in checkpoint")))
    }

    fn read_part(&self, name: &str, entry: &BundleEntry, slice: &TensorSlice) -> Result<Tensor> {
        let whole = Region::whole(&entry.shape);
        let wanted = slice.region(&entry.shape)?;
        if entry.slices.is_empty() {
            let tensor = self.read_entry(name, entry)?;
            return if wanted == whole { Ok(tensor) } else { cut(&tensor, &whole, &wanted) };
        }
        let pieces = self.pieces(name, entry, &wanted)?;
        // Slices that overlap are refused, so the counts agree only if nothing is missing.
        let covered = pieces.iter().map(|p| p.common.num_elements()).fold(0, usize::saturating_add);
        if covered != wanted.num_elements() {
            return Err(invalid_argument(format!(
                "Does not have sufficient slices for partitioned tensor {name} to restore in slice_spec: {slice}"
            )));
        }
        if let [piece] = pieces.as_slice()
            && piece.region == wanted
        {
            return self.read_entry(name, &piece.entry);
        }
        let mut out = Tensor::zeros(entry.dtype, wanted.shape()?)?;
        for piece in &pieces {
            let tensor = self.read_entry(name, &piece.entry)?;
            piece.common.copy(&piece.region, &tensor, &wanted, &mut out)?;
        }
        Ok(out)
    }

    /// The stored slices that have a part of a region, checked before memory is taken for it.
    fn pieces(&self, name: &str, entry: &BundleEntry, wanted: &Region) -> Result<Vec<Piece>> {
        let damaged = |e: Error| data_loss(format!("tensor_name = {name}; {}", e.message()));
        let mut pieces = Vec::new();
        for slice in &entry.slices {
            let region = slice.region(&entry.shape).map_err(damaged)?;
            let Some(common) = region.intersect(wanted) else { continue };
            let entry = self.slice_entry(name, entry, slice, &region)?;
            let exact = region == *wanted;
            let piece = Piece { region, common, entry };
            if exact {
                return Ok(vec![piece]);
            }
            pieces.push(piece);
        }
        let regions: Vec<Region> = pieces.iter().map(|p| p.common.clone()).collect();
        if Region::find_overlap(&regions).is_some() {
            return Err(data_loss(format!("tensor_name = {name}; its stored slices overlap")));
        }
        Ok(pieces)
    }

    fn slice_entry(&self, name: &str, full: &BundleEntry, slice: &TensorSlice, region: &Region) -> Result<BundleEntry> {
        let wrong = |what: &str| data_loss(format!("tensor_name = {name}; its slice {slice} {what}"));
        let entry = self.entry(slice.key(name.as_bytes()))?.ok_or_else(|| wrong("is not in the checkpoint"))?;
        if entry.dtype != full.dtype || entry.shape != region.shape()? || !entry.slices.is_empty() {
            return Err(wrong("is stored as another type or shape"));
        }
        payload::check_range(&*self.shard(entry.shard_id)?, &entry).map_err(|e| e.context(format!("tensor_name = {name}")))?;
        if full.dtype.is_plain() && entry.size / full.dtype.size() as u64 != region.num_elements() as u64 {
            return Err(wrong("has another number of bytes"));
        }
        Ok(entry)
    }

    fn read_entry(&self, name: &str, entry: &BundleEntry) -> Result<Tensor> {
        let file = self.shard(entry.shard_id)?;
        payload::read(&*file, entry).map_err(|e| {
            let path = data_file_name(&self.prefix, entry.shard_id, self.num_shards);
            e.context(format!("tensor_name = {name}; {path}"))
        })
    }

    fn shard(&self, shard: u32) -> Result<Arc<dyn RandomAccessFile>> {
        if shard >= self.num_shards {
            return Err(data_loss(format!("checkpoint {}: an entry names data file {shard} of {}", self.prefix, self.num_shards)));
        }
        if let Some(file) = self.shards.lock().get(&shard) {
            return Ok(Arc::clone(file));
        }
        let file: Arc<dyn RandomAccessFile> = self.fs.open(&data_file_name(&self.prefix, shard, self.num_shards))?.into();
        Ok(Arc::clone(self.shards.lock().entry(shard).or_insert(file)))
    }
}

fn cut(tensor: &Tensor, whole: &Region, wanted: &Region) -> Result<Tensor> {
    let mut out = Tensor::zeros(tensor.dtype(), wanted.shape()?)?;
    wanted.copy(whole, tensor, wanted, &mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::BundleWriter;
    use crate::file_system::LocalFileSystem;
    use ferroflow_tensor::Shape;

    struct Checkpoint {
        _dir: tempfile::TempDir,
        fs: Arc<dyn FileSystem>,
        prefix: String,
    }

    fn part(spec: &str) -> ShapeAndSlice {
        ShapeAndSlice::parse(spec).unwrap().unwrap()
    }

    /// `w` [2,3] floats, `s` two strings, and `p` [10,2] ints in three slices.
    fn checkpoint() -> Checkpoint {
        let dir = tempfile::tempdir().unwrap();
        let prefix = format!("{}/m", dir.path().to_str().unwrap());
        let fs = LocalFileSystem::shared();
        let mut writer = BundleWriter::create(&fs, &prefix).unwrap();
        writer.add("w", &Tensor::from_slice(Shape::new(&[2, 3]).unwrap(), &[0f32, 1., 2., 3., 4., 5.]).unwrap()).unwrap();
        writer.add("s", &Tensor::strings(Shape::new(&[2]).unwrap(), vec!["ab".into(), "".into()]).unwrap()).unwrap();
        for (start, len) in [(0, 4), (4, 3), (7, 3)] {
            let rows: Vec<i32> = (start * 2..(start + len) * 2).collect();
            let t = Tensor::from_slice(Shape::new(&[i64::from(len), 2]).unwrap(), &rows).unwrap();
            writer.add_slice("p", &part(&format!("10 2 {start},{len}:-")), &t).unwrap();
        }
        writer.finish().unwrap();
        Checkpoint { _dir: dir, fs, prefix }
    }

    fn ints(t: &Tensor) -> Vec<i32> {
        t.as_slice::<i32>().unwrap().to_vec()
    }

    #[test]
    fn whole_tensors_come_back_and_are_listed() {
        let c = checkpoint();
        let reader = BundleReader::open(&c.fs, &c.prefix).unwrap();
        let names: Vec<String> = reader.entries().unwrap().into_iter().map(|(n, e)| format!("{n} {} {}", e.dtype, e.shape)).collect();
        assert_eq!(names, ["p int32 [10,2]", "s string [2]", "w float [2,3]"]);
        assert_eq!(reader.read("w").unwrap().as_slice::<f32>().unwrap(), [0., 1., 2., 3., 4., 5.]);
        assert_eq!(reader.read("s").unwrap().as_strings().unwrap(), ["ab", ""]);
        assert_eq!(ints(&reader.read("p").unwrap()), (0..20).collect::<Vec<i32>>());
    }

    #[test]
    fn any_part_is_read_from_the_whole_or_from_slices() {
        let c = checkpoint();
        let reader = BundleReader::open(&c.fs, &c.prefix).unwrap();
        assert_eq!(ints(&reader.restore("p", "10 2 4,3:-", DType::Int32).unwrap()), (8..14).collect::<Vec<i32>>());
        assert_eq!(ints(&reader.restore("p", "10 2 3,5:1,1", DType::Int32).unwrap()), [7, 9, 11, 13, 15]);
        assert_eq!(ints(&reader.restore("p", "10 2 -:-", DType::Int32).unwrap()).len(), 20);
        let w = reader.restore("w", "2 3 -:1,2", DType::Float).unwrap();
        assert_eq!((w.dims(), w.as_slice::<f32>().unwrap()), (&[2i64, 2][..], &[1f32, 2., 4., 5.][..]));
        assert_eq!(reader.restore("s", "2 0,1", DType::String).unwrap().as_strings().unwrap(), ["ab"]);
    }

    #[test]
    fn errors_have_the_texts_that_clients_know() {
        let c = checkpoint();
        let reader = BundleReader::open(&c.fs, &c.prefix).unwrap();
        let text = |r: Result<Tensor>| {
            let e = r.unwrap_err();
            (e.code(), e.message())
        };
        assert_eq!(text(reader.read("nokey")), (Code::NotFound, "Key nokey not found in checkpoint".to_owned()));
        assert_eq!(text(reader.read("")).0, Code::NotFound);
        assert_eq!(
            text(reader.restore("w", "", DType::Int32)),
            (Code::InvalidArgument, "tensor_name = w; expected dtype int32 does not equal original dtype float".to_owned())
        );
        assert_eq!(
            text(reader.restore("w", "3 3 0,1:-", DType::Float)),
            (
                Code::InvalidArgument,
                "tensor_name = w; shape in shape_and_slice spec [3,3] does not match the shape stored in checkpoint: [2,3]".to_owned()
            )
        );
        let missing = BundleReader::open(&c.fs, "no/where").err().unwrap();
        assert_eq!(missing.code(), Code::NotFound);
        assert_eq!(missing.message(), "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for no/where");
    }

    #[test]
    fn slices_that_do_not_cover_the_request_are_refused() {
        let c = checkpoint();
        let prefix = format!("{}2", c.prefix);
        let mut writer = BundleWriter::create(&c.fs, &prefix).unwrap();
        writer.add_slice("p", &part("4 0,1"), &Tensor::vector(&[1i32]).unwrap()).unwrap();
        writer.add_slice("p", &part("4 2,2"), &Tensor::vector(&[3i32, 4]).unwrap()).unwrap();
        writer.finish().unwrap();
        let reader = BundleReader::open(&c.fs, &prefix).unwrap();
        assert_eq!(ints(&reader.restore("p", "4 3,1", DType::Int32).unwrap()), [4]);
        assert_eq!(reader.read("p").unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn an_open_checkpoint_outlives_its_deletion() {
        let c = checkpoint();
        let reader = BundleReader::open(&c.fs, &c.prefix).unwrap();
        reader.open_data().unwrap();
        for path in c.fs.matching(&format!("{}*", c.prefix)).unwrap() {
            c.fs.delete_file(&path).unwrap();
        }
        assert_eq!(ints(&reader.read("p").unwrap()).len(), 20);
    }

    #[test]
    fn several_threads_share_a_reader() {
        let c = checkpoint();
        let reader = BundleReader::open(&c.fs, &c.prefix).unwrap();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| ints(&reader.read("p").unwrap()).len())).collect();
            assert!(threads.into_iter().all(|t| t.join().unwrap() == 20));
        });
    }

    #[test]
    fn a_missing_data_file_is_named() {
        let c = checkpoint();
        c.fs.delete_file(&data_file_name(&c.prefix, 0, 1)).unwrap();
        let e = BundleReader::open(&c.fs, &c.prefix).unwrap().read("w").unwrap_err();
        assert_eq!(e.code(), Code::NotFound);
        assert!(e.message().contains("m.data-00000-of-00001"), "{e}");
    }
}
