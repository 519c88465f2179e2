//! The dataset of `CSVDataset`: a tensor per column of files of comma-separated values (TF: `CSVDatasetOp`).

use super::dataset::{AnyIterator, Dataset, DatasetIterator, Element, Next, UNKNOWN, emit};
use super::files::{compression, filenames};
use super::iterator_context::IteratorContext;
use super::lines::Stream;
use crate::io::arguments::{file_system, text};
use crate::prelude::*;
use crate::string::csv::Format;
use crate::string::decode_csv::column;
use ferroflow_io::{Compression, Sequential, decompressed};
use std::io::{BufRead, BufReader};
use std::sync::Arc;

/// How much of a file is read at once.
const BUFFER_BYTES: usize = 256 << 10;

struct Source {
    files: Vec<String>,
    compression: Compression,
    header: bool,
    delimiter: u8,
    quotes: bool,
    missing: Vec<u8>,
    /// Columns that are wanted, ascending; all that are not excluded if empty.
    selected: Vec<i64>,
    excluded: Vec<i64>,
    defaults: Vec<Tensor>,
}

struct CsvDataset(Arc<Source>);

/// The numbers of columns in a vector, which must ascend.
fn columns(t: &Tensor, name: &str) -> Result<Vec<i64>> {
    if t.rank() != 1 {
        return Err(invalid_argument(format!("`{name}` must be a vector.")));
    }
    let columns = t.as_slice::<i64>()?.to_vec();
    if columns.first().is_some_and(|c| *c < 0) {
        return Err(invalid_argument(format!("{name} should be non-negative indices")));
    }
    if columns.windows(2).any(|w| w[0] >= w[1]) {
        return Err(invalid_argument(format!("{name} should be strictly increasing indices")));
    }
    Ok(columns)
}

/// The kernel of both versions; the second one has the columns to leave out in its last input.
///
/// Errors: `InvalidArgument` for inputs that make no sense.
pub(super) fn compute(ctx: &mut OpKernelContext, excludes: bool) -> Result<()> {
    const FIRST_DEFAULT: usize = 8;
    let types = ctx.node.attrs.dtypes("output_types")?;
    let defaults = (FIRST_DEFAULT..FIRST_DEFAULT + types.len()).map(|i| ctx.input(i).cloned()).collect::<Result<Vec<_>>>()?;
    if defaults.iter().any(|d| d.rank() > 1) {
        return Err(invalid_argument("Each record default should be at most rank 1"));
    }
    if defaults.iter().any(|d| d.num_elements() > 1) {
        return Err(invalid_argument("There should only be 1 default per field."));
    }
    if let Some((i, d)) = defaults.iter().enumerate().find(|(i, d)| d.dtype() != types[*i]) {
        return Err(invalid_argument(format!("the default of column {i} is {}, not {}", d.dtype(), types[i])));
    }
    let [delimiter] = *text(ctx, 4, "field_delim")?.as_bytes() else {
        return Err(invalid_argument("field_delim should be only 1 char"));
    };
    let selected = columns(ctx.input(7)?, "select_cols")?;
    if !selected.is_empty() && selected.len() != types.len() {
        return Err(invalid_argument("select_cols should match output size"));
    }
    let excluded = if excludes { columns(ctx.input(FIRST_DEFAULT + types.len())?, "exclude_cols")? } else { vec![] };
    if !selected.is_empty() && !excluded.is_empty() {
        return Err(invalid_argument("Either select_cols or exclude_cols should be empty"));
    }
    let source = Source {
        files: filenames(ctx, 0)?,
        compression: compression(ctx, 1)?,
        header: ctx.scalar(3, "header")?,
        delimiter,
        quotes: ctx.scalar(5, "use_quote_delim")?,
        missing: text(ctx, 6, "na_value")?.into_bytes(),
        selected,
        excluded,
        defaults,
    };
    emit(ctx, &[], CsvDataset(Arc::new(source)))
}

impl Dataset for CsvDataset {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(CsvIterator { source: self.0.clone(), file: 0, reader: None }))
    }

    fn cardinality(&self) -> i64 {
        if self.0.files.is_empty() { 0 } else { UNKNOWN }
    }
}

impl Source {
    fn open(&self, file: usize) -> Result<Option<Stream>> {
        let Some(path) = self.files.get(file) else { return Ok(None) };
        let input = BufReader::with_capacity(BUFFER_BYTES, Sequential::new(file_system().open(path)?));
        let mut stream = BufReader::with_capacity(BUFFER_BYTES, decompressed(input, self.compression));
        if self.header && self.record(&mut stream)?.is_none() {
            return Err(invalid_argument("Can't read header of file"));
        }
        Ok(Some(stream))
    }

    /// The next record without its end; quoted fields may go over several lines.
    fn record(&self, stream: &mut Stream) -> Result<Option<Vec<u8>>> {
        let mut record = Vec::new();
        loop {
            let before = record.len();
            if stream.read_until(b'\n', &mut record)? == 0 {
                return Ok((before > 0).then_some(record));
            }
            let is_open = self.quotes && record.iter().filter(|b| **b == b'"').count() % 2 == 1;
            if is_open {
                continue;
            }
            if record.last() == Some(&b'\n') {
                record.pop();
                if record.last() == Some(&b'\r') {
                    record.pop();
                }
            }
            return Ok(Some(record));
        }
    }

    /// The fields of a record that are wanted, each converted.
    fn element(&self, record: &[u8]) -> Result<Element> {
        let format = Format::with(self.delimiter, self.quotes, &self.missing);
        let mut fields = format.fields(record)?;
        if fields.is_empty() {
            fields.push(vec![]);
        }
        let found = fields.len();
        let wanted: Vec<Vec<u8>> = if self.selected.is_empty() {
            let kept = fields.into_iter().enumerate().filter(|(i, _)| !self.excluded.contains(&(*i as i64)));
            kept.map(|(_, field)| field).collect()
        } else {
            let at = |c: &i64| usize::try_from(*c).ok().and_then(|c| fields.get(c).cloned());
            self.selected.iter().map_while(at).collect()
        };
        if wanted.len() != self.defaults.len() {
            return Err(invalid_argument(format!("Expect {} fields but have {} in record", self.defaults.len(), found.min(wanted.len()))));
        }
        let value = |(i, (field, default)): (usize, (Vec<u8>, &Tensor))| column(&[format.present(field)], default, Shape::scalar(), i);
        wanted.into_iter().zip(&self.defaults).enumerate().map(value).collect()
    }
}

struct CsvIterator {
    source: Arc<Source>,
    file: usize,
    reader: Option<Stream>,
}

impl CsvIterator {
    fn element(&mut self) -> Result<Option<Element>> {
        loop {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                none => match self.source.open(self.file) {
                    Ok(Some(reader)) => none.insert(reader),
                    Ok(None) => return Ok(None),
                    Err(e) => {
                        self.file += 1;
                        return Err(e);
                    }
                },
            };
            match self.source.record(reader) {
                Ok(Some(record)) => return self.source.element(&record).map(Some),
                end => {
                    self.reader = None;
                    self.file += 1;
                    end?;
                }
            }
        }
    }
}

impl DatasetIterator for CsvIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        let element = self.element();
        Box::pin(std::future::ready(element))
    }
}
