//! The kernels of the table ops, for both kinds of handles.

use super::lookup_table::{LookupTable, TableSpec};
use super::resource_handle::{self, object};
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{KernelConstruction, OpKernel, OpKernelContext};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::{invalid_argument, out_of_range};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor};
use std::sync::Arc;

/// The kernel of an op that makes a table.
///
/// Errors: `InvalidArgument` for a value shape that is not known; `Unimplemented` for types that cannot be keys or values.
pub(super) fn make(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    LookupTable::new("", spec(c.node)?)?;
    resource_handle::build(c, LookupTable::TYPE_NAME, |node, name| LookupTable::new(name, spec(node)?), check)
}

/// The kernel of an op that makes a table with keys set aside, which are its inputs.
///
/// Errors: as [`make`].
pub(super) fn make_dense(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    LookupTable::new("", spec(c.node)?)?;
    let set_aside = |table: &LookupTable, ctx: &OpKernelContext| {
        let keys = (0..ctx.num_inputs()).map(|i| ctx.input(i)).collect::<Result<Vec<_>>>()?;
        table.set_aside(&keys)
    };
    resource_handle::build_prepared(c, LookupTable::TYPE_NAME, |node, name| LookupTable::new(name, spec(node)?), check, set_aside)
}

fn spec(node: &NodeInfo) -> Result<TableSpec> {
    let attrs = &node.attrs;
    let value_shape = match attrs.contains("value_shape") {
        true => {
            let shape = attrs.shape("value_shape")?;
            shape.to_shape().ok_or_else(|| invalid_argument(format!("value_shape must be known, got {shape}")))?
        }
        false => Shape::scalar(),
    };
    Ok(TableSpec {
        key_dtype: attrs.dtype("key_dtype")?,
        value_dtype: attrs.dtype("value_dtype")?,
        value_shape,
        is_mutable: node.op_name().starts_with("Mutable"),
    })
}

fn check(table: &LookupTable, node: &NodeInfo) -> Result<()> {
    let (have, want) = (table.spec(), spec(node)?);
    if *have == want {
        return Ok(());
    }
    Err(invalid_argument(format!(
        "Conflicting key/value dtypes or shapes: table '{}' is {have:?}, node {} wants {want:?}",
        table.name(),
        node.name
    )))
}

fn table(ctx: &OpKernelContext) -> Result<Arc<LookupTable>> {
    object(ctx.resources(), ctx.value(0)?)
}

/// The kernel of `LookupTableFind`.
///
/// Errors: as [`LookupTable::find`].
pub(super) fn find(ctx: &mut OpKernelContext) -> Result<()> {
    let out = table(ctx)?.find(ctx.input(1)?, ctx.input(2)?)?;
    ctx.set_output(0, out);
    Ok(())
}

/// The kernel of `LookupTableInsert`.
///
/// Errors: as [`LookupTable::insert`].
pub(super) fn insert(ctx: &mut OpKernelContext) -> Result<()> {
    table(ctx)?.insert(ctx.input(1)?, ctx.input(2)?, false)
}

/// The kernel of `LookupTableImport`: the table holds these pairs and nothing else. A table that is set once is initialized by it.
///
/// Errors: as [`LookupTable::insert`] and [`LookupTable::initialize`].
pub(super) fn import(ctx: &mut OpKernelContext) -> Result<()> {
    let table = table(ctx)?;
    if table.spec().is_mutable { table.insert(ctx.input(1)?, ctx.input(2)?, true) } else { table.initialize(ctx.input(1)?, ctx.input(2)?) }
}

/// The kernel of `InitializeTable`.
///
/// Errors: as [`LookupTable::initialize`].
pub(super) fn initialize(ctx: &mut OpKernelContext) -> Result<()> {
    table(ctx)?.initialize(ctx.input(1)?, ctx.input(2)?)
}

/// The kernel of `LookupTableRemove`.
///
/// Errors: as [`LookupTable::remove`].
pub(super) fn remove(ctx: &mut OpKernelContext) -> Result<()> {
    table(ctx)?.remove(ctx.input(1)?)
}

/// The kernel of `LookupTableExport`.
///
/// Errors: `InvalidArgument` if the node's types are not the table's.
pub(super) fn export(ctx: &mut OpKernelContext) -> Result<()> {
    let table = table(ctx)?;
    let wanted = (ctx.node.attrs.dtype("Tkeys")?, ctx.node.attrs.dtype("Tvalues")?);
    if wanted != (table.spec().key_dtype, table.spec().value_dtype) {
        return Err(invalid_argument(format!("table '{}' is {:?}, not from {} to {}", table.name(), table.spec(), wanted.0, wanted.1)));
    }
    let (keys, values) = table.export()?;
    ctx.set_output(0, keys);
    ctx.set_output(1, values);
    Ok(())
}

/// The kernel of `LookupTableSize`.
///
/// Errors: `NotFound` for an unknown table.
pub(super) fn size(ctx: &mut OpKernelContext) -> Result<()> {
    let size = table(ctx)?.size();
    ctx.set_output(0, Tensor::scalar(size as i64));
    Ok(())
}

/// The kernel of `InitializeTableFromTextFile`: keys and values are the lines, their fields or their numbers.
///
/// Errors: `NotFound` for a missing file; `InvalidArgument` for a line without the field or a field that is no number.
pub(super) fn initialize_from_text_file(ctx: &mut OpKernelContext) -> Result<()> {
    let table = table(ctx)?;
    let attrs = &ctx.node.attrs;
    let file = ctx.input(1)?;
    let [file] = file.as_strings()? else {
        return Err(invalid_argument(format!("filename should be a single string, but got {}", file.shape())));
    };
    let path = std::str::from_utf8(file).map_err(|_| invalid_argument("filename is not UTF-8 text"))?;
    let text = std::fs::read(path).map_err(|e| ferroflow_tensor::Error::from(e).context(path))?;
    let delimiter = attrs.bytes("delimiter")?;
    let &[delimiter] = &delimiter[..] else {
        return Err(invalid_argument("delimiter should be only 1 char"));
    };
    let (key_index, value_index) = (attrs.int("key_index")?, attrs.int("value_index")?);
    let (vocab_size, offset) = (attrs.int("vocab_size")?, attrs.int("offset")?);
    let mut lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    if lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    if vocab_size >= 0 {
        let wanted = vocab_size as usize;
        if lines.len() < wanted {
            return Err(invalid_argument(format!("Invalid vocab_size in {path}: expected {wanted} but got {}", lines.len())));
        }
        lines.truncate(wanted);
    }
    let spec = table.spec();
    // Where a line has too few columns, the message counts up to the last that is used.
    let needed = key_index.max(value_index).saturating_add(1);
    if let Some((number, line)) = lines.iter().enumerate().find(|(_, l)| (columns(l, delimiter) as i64) < needed) {
        return Err(invalid_argument(format!(
            "Invalid number of columns in {path} line {number} ({}) : expected at least {needed} got {}",
            String::from_utf8_lossy(line),
            columns(line, delimiter)
        )));
    }
    let keys = fields(&lines, key_index, delimiter, spec.key_dtype, offset)?;
    let values = fields(&lines, value_index, delimiter, spec.value_dtype, offset)?;
    table.initialize(&keys, &values)
}

const WHOLE_LINE: i64 = -2;
const LINE_NUMBER: i64 = -1;

fn columns(line: &[u8], delimiter: u8) -> usize {
    line.split(|&b| b == delimiter).count()
}

/// The field of every line as a tensor.
fn fields(lines: &[&[u8]], index: i64, delimiter: u8, dtype: DType, offset: i64) -> Result<Tensor> {
    let text = |number: usize, line: &[u8]| -> Result<Vec<u8>> {
        match index {
            WHOLE_LINE => Ok(line.strip_suffix(b"\r").unwrap_or(line).to_vec()),
            _ => {
                let field = usize::try_from(index).ok().and_then(|i| line.split(|&b| b == delimiter).nth(i));
                let field = field.ok_or_else(|| invalid_argument(format!("line {number} has no column {index}")))?;
                Ok(field.strip_suffix(b"\r").unwrap_or(field).to_vec())
            }
        }
    };
    if index == LINE_NUMBER {
        if dtype != DType::Int64 {
            return Err(invalid_argument(format!("line numbers are int64, the table holds {dtype}")));
        }
        let numbers: Option<Vec<i64>> = (0..lines.len() as i64).map(|n| n.checked_add(offset)).collect();
        return Tensor::vector(&numbers.ok_or_else(|| out_of_range("offset is too large"))?);
    }
    let texts = lines.iter().enumerate().map(|(n, line)| text(n, line)).collect::<Result<Vec<_>>>()?;
    fn numbers<T: std::str::FromStr + ferroflow_tensor::Element>(texts: &[Vec<u8>], dtype: DType) -> Result<Tensor> {
        let number = |(line, text): (usize, &Vec<u8>)| {
            let text = String::from_utf8_lossy(text);
            text.trim().parse().map_err(|_| invalid_argument(format!("Field {text} in line {line} is not a valid {dtype}.")))
        };
        Tensor::vector(&texts.iter().enumerate().map(number).collect::<Result<Vec<T>>>()?)
    }
    let shape = Shape::from_lens(&[texts.len()])?;
    match dtype {
        DType::String => Tensor::strings(shape, texts.into_iter().map(Into::into).collect()),
        DType::Int64 => numbers::<i64>(&texts, dtype),
        DType::Int32 => numbers::<i32>(&texts, dtype),
        DType::Float => numbers::<f32>(&texts, dtype),
        DType::Double => numbers::<f64>(&texts, dtype),
        other => Err(invalid_argument(format!("fields of a text file cannot be {other}"))),
    }
}

/// The results of `LookupTableFind`: at least as many dimensions as the keys have; exactly theirs if values are scalars.
///
/// Errors: none.
pub(super) fn found_shape(c: &mut ShapeContext) -> Result<()> {
    let (keys, default) = (c.input(1), c.input(2));
    if let (Some(k), Some(d)) = (keys.dims(), default.dims()) {
        c.set_output(0, PartialShape::new(&[k, d].concat()));
    }
    Ok(())
}

/// The results of `LookupTableExport`.
///
/// Errors: none.
pub(super) fn exported_shape(c: &mut ShapeContext) -> Result<()> {
    c.set_output(0, PartialShape::of_rank(1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OpTester, bare_step, strings, tensor};
    use ferroflow_graph::kernel::StepContext;
    use ferroflow_tensor::Code;

    fn make(op: &str, step: &Arc<StepContext>, key: DType, value: DType) -> OpTester {
        OpTester::named(op).attr("key_dtype", key).attr("value_dtype", value).attr("shared_name", "t").step(step)
    }

    fn op(name: &str, step: &Arc<StepContext>, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        inputs.iter().fold(OpTester::named(name).step(step), |t, &i| t.input(i.clone())).run()
    }

    #[test]
    fn a_mutable_table_can_be_filled_searched_and_emptied() {
        let step = bare_step(1);
        let t = make("MutableHashTableV2", &step, DType::String, DType::Int64).run_one().unwrap();
        op("LookupTableInsertV2", &step, &[&t, &strings(&[3], &["a", "b", "a"]), &tensor(&[3], &[1i64, 2, 3])]).unwrap();
        let find = |keys: Tensor| op("LookupTableFindV2", &step, &[&t, &keys, &Tensor::scalar(-1i64)]).unwrap().remove(0);
        let found = find(strings(&[1, 3], &["a", "b", "c"]));
        assert_eq!((found.dims(), found.as_slice::<i64>().unwrap()), (&[1i64, 3][..], &[3i64, 2, -1][..]));
        op("LookupTableRemoveV2", &step, &[&t, &strings(&[2], &["a", "x"])]).unwrap();
        assert_eq!(find(strings(&[2], &["a", "b"])).as_slice::<i64>().unwrap(), [-1, 2]);
        assert_eq!(op("LookupTableSizeV2", &step, &[&t]).unwrap()[0].to_scalar::<i64>().unwrap(), 1);
        op("LookupTableImportV2", &step, &[&t, &strings(&[1], &["z"]), &tensor(&[1], &[9i64])]).unwrap();
        let export = OpTester::named("LookupTableExportV2").input(t.clone()).attr("Tkeys", DType::String).attr("Tvalues", DType::Int64);
        let out = export.step(&step).run().unwrap();
        assert_eq!((out[0].as_strings().unwrap()[0].as_ref(), out[1].as_slice::<i64>().unwrap()), (&b"z"[..], &[9i64][..]));
    }

    #[test]
    fn keys_that_are_set_aside_cannot_be_used() {
        let step = bare_step(1);
        let dense = |empty: i64, deleted: i64| {
            let node = OpTester::named("MutableDenseHashTableV2").step(&step).attr("shared_name", format!("{empty} {deleted}"));
            let node = node.attr("key_dtype", DType::Int64).attr("value_dtype", DType::Float);
            node.input(Tensor::scalar(empty)).input(Tensor::scalar(deleted)).run_one()
        };
        let t = dense(0, -1).unwrap();
        for (key, words) in
            [(0i64, "Using the empty_key as a table key is not allowed"), (-1, "Using the deleted_key as a table key is not allowed")]
        {
            let key = || tensor(&[2], &[3, key]);
            let op = |name: &str| OpTester::named(name).step(&step).input(t.clone()).input(key());
            let values = tensor(&[2], &[1f32, 2.0]);
            for refused in
                [op("LookupTableInsertV2").input(values), op("LookupTableFindV2").input(Tensor::scalar(0f32)), op("LookupTableRemoveV2")]
            {
                let e = refused.run().unwrap_err();
                assert_eq!((e.code(), e.bare_message()), (Code::InvalidArgument, words));
            }
        }
        assert_eq!(dense(4, 4).unwrap_err().bare_message(), "Empty and deleted keys cannot be equal");
    }

    #[test]
    fn a_dense_table_holds_tensors() {
        let step = bare_step(1);
        let dense = make("MutableDenseHashTableV2", &step, DType::Int64, DType::Float).attr("value_shape", PartialShape::new(&[Some(2)]));
        let t = dense.input(Tensor::scalar(0i64)).input(Tensor::scalar(-1i64)).run_one().unwrap();
        let values = tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
        op("LookupTableInsertV2", &step, &[&t, &tensor(&[2], &[7i64, 8]), &values]).unwrap();
        op("LookupTableRemoveV2", &step, &[&t, &tensor(&[1], &[7i64])]).unwrap();
        let found = op("LookupTableFindV2", &step, &[&t, &tensor(&[2], &[8i64, 7]), &tensor(&[2], &[-1f32, -2.0])]).unwrap();
        assert_eq!((found[0].dims(), found[0].as_slice::<f32>().unwrap()), (&[2i64, 2][..], &[3f32, 4.0, -1.0, -2.0][..]));
    }

    #[test]
    fn keys_of_any_length_are_told_apart_by_their_contents() {
        let step = bare_step(1);
        let t = make("MutableHashTableV2", &step, DType::String, DType::Int64).run_one().unwrap();
        let long: Vec<String> = [0usize, 1, 23, 24, 1_000_000].iter().map(|&n| "x".repeat(n)).collect();
        let keys = strings(&[5], &long.iter().map(String::as_str).collect::<Vec<_>>());
        op("LookupTableInsertV2", &step, &[&t, &keys, &tensor(&[5], &[0i64, 1, 2, 3, 4])]).unwrap();
        let found = op("LookupTableFindV2", &step, &[&t, &keys, &Tensor::scalar(-1i64)]).unwrap();
        assert_eq!(found[0].as_slice::<i64>().unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_table_is_used_only_after_it_was_set_and_set_once() {
        let step = bare_step(1);
        let t = make("HashTableV2", &step, DType::Int64, DType::String).run_one().unwrap();
        let (keys, values) = (tensor(&[2], &[5i64, 6]), strings(&[2], &["five", "six"]));
        let error = op("LookupTableFindV2", &step, &[&t, &keys, &Tensor::string("")]).unwrap_err();
        assert_eq!((error.code(), error.bare_message()), (Code::FailedPrecondition, "Table not initialized."));
        let repeated = op("InitializeTableV2", &step, &[&t, &tensor(&[2], &[5i64, 5]), &values]).unwrap_err();
        assert_eq!(repeated.code(), Code::FailedPrecondition);
        op("InitializeTableV2", &step, &[&t, &keys, &values]).unwrap();
        op("InitializeTableV2", &step, &[&t, &keys, &values]).unwrap();
        let error = op("InitializeTableV2", &step, &[&t, &tensor(&[1], &[1i64]), &strings(&[1], &["one"])]).unwrap_err();
        assert_eq!(error.code(), Code::FailedPrecondition);
        let found = op("LookupTableFindV2", &step, &[&t, &tensor(&[2], &[6i64, 7]), &Tensor::string("?")]).unwrap();
        assert_eq!(found[0].as_strings().unwrap().to_vec(), ["six", "?"]);
        assert_eq!(op("LookupTableInsertV2", &step, &[&t, &keys, &values]).unwrap_err().code(), Code::Unimplemented);
    }

    #[test]
    fn a_vocabulary_file_gives_each_line_its_number() {
        let step = bare_step(1);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.txt");
        std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
        let t = make("HashTableV2", &step, DType::String, DType::Int64).run_one().unwrap();
        let load = |path: &str, key: i64, vocab: i64| {
            let tester = OpTester::named("InitializeTableFromTextFileV2").input(t.clone()).input(Tensor::string(path.to_owned()));
            tester
                .attr("key_index", key)
                .attr("value_index", -1i64)
                .attr("vocab_size", vocab)
                .step(&step)
                .run()
                .map(|_| ())
                .map_err(|e| e.code())
        };
        let path = path.to_str().unwrap();
        assert_eq!(load("/nonexistent/words", -2, -1), Err(Code::NotFound));
        assert_eq!(load(path, -2, 9), Err(Code::InvalidArgument));
        assert_eq!(load(path, 5, -1), Err(Code::InvalidArgument));
        assert_eq!(load(path, -2, 2), Ok(()));
        let found = op("LookupTableFindV2", &step, &[&t, &strings(&[2], &["two", "three"]), &Tensor::scalar(-1i64)]).unwrap();
        assert_eq!(found[0].as_slice::<i64>().unwrap(), [1, -1]);
    }

    #[test]
    fn types_and_shapes_that_do_not_fit_are_refused() {
        let step = bare_step(1);
        let t = make("MutableHashTableOfTensorsV2", &step, DType::Int64, DType::Float).attr("value_shape", PartialShape::new(&[Some(2)]));
        let t = t.run_one().unwrap();
        let keys = tensor(&[1], &[5i64]);
        for values in [tensor(&[1], &[1f32]), tensor(&[1, 3], &[1f32; 3]), tensor(&[1, 2], &[1f64; 2])] {
            assert_eq!(op("LookupTableInsertV2", &step, &[&t, &keys, &values]).unwrap_err().code(), Code::InvalidArgument);
        }
        op("LookupTableInsertV2", &step, &[&t, &keys, &tensor(&[1, 2], &[1f32, 2.0])]).unwrap();
        let default = tensor(&[2], &[0f32, 0.0]);
        let found = op("LookupTableFindV2", &step, &[&t, &Tensor::scalar(5i64), &default]).unwrap();
        assert_eq!(found[0].as_slice::<f32>().unwrap(), [1.0, 2.0]);
        assert_eq!(op("LookupTableFindV2", &step, &[&t, &Tensor::scalar(5i32), &default]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(op("LookupTableFindV2", &step, &[&t, &keys, &Tensor::scalar(0f32)]).unwrap_err().code(), Code::InvalidArgument);
        let other = make("MutableHashTableV2", &step, DType::Int64, DType::Float).run();
        assert_eq!(other.unwrap_err().code(), Code::InvalidArgument);
    }
}
