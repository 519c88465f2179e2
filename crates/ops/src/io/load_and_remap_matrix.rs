//! `LoadAndRemapMatrix`: a matrix of a checkpoint with its rows and columns in another order.

use super::arguments::{file_system, text};
use crate::prelude::*;
use ferroflow_io::BundleReader;

pub const OP: OpSpec = OpSpec {
    signature: "LoadAndRemapMatrix(ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, initializing_values: float) -> (output_matrix: float)",
    attrs: "num_rows: int >= 0; num_cols: int >= 1; max_rows_in_memory: int = -1",
    flags: "stateful",
    doc: "output[i, j] = the old matrix at [row_remapping[i], col_remapping[j]] (all columns without col_remapping), or, where either is negative, the next of `initializing_values`.",
    shape,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

/// A remapping of this many places; each old place at most once.
fn remapping(ctx: &OpKernelContext, i: usize, name: &str, count: usize, old: usize) -> Result<Vec<Option<usize>>> {
    let t = ctx.input(i)?;
    if t.rank() != 1 || t.num_elements() != count {
        return Err(invalid_argument(format!("Size of {name} is {} instead of being equal to {count}", t.shape())));
    }
    let mut seen = crate::sparse::coo::filled(old, false)?;
    let mut all = Vec::with_capacity(count);
    for &place in t.as_slice::<i64>()? {
        if place >= 0 {
            let Some(taken) = usize::try_from(place).ok().and_then(|p| seen.get_mut(p)) else {
                return Err(invalid_argument(format!("{name} names {place}, the old matrix has only {old}")));
            };
            if std::mem::replace(taken, true) {
                return Err(unimplemented(format!("Old row {place} is mapped to multiple new rows.")));
            }
        }
        all.push(usize::try_from(place).ok());
    }
    Ok(all)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (rows, columns) = (attrs.count("num_rows")?, attrs.count("num_cols")?);
    let path = match ctx.input(0)?.as_strings()? {
        [path] => std::str::from_utf8(path).map_err(|_| invalid_argument("ckpt_path is not UTF-8 text"))?.to_owned(),
        other => return Err(invalid_argument(format!("The `ckpt_path` tensor must have exactly one element, got {}", other.len()))),
    };
    let name = text(ctx, 1, "old_tensor_name")?;
    let old = BundleReader::open(&file_system(), &path)?.restore(&name, "", DType::Float)?;
    let &[old_rows, old_columns] = old.dims() else {
        return Err(invalid_argument(format!("Old tensor must have shape [rows, columns], got {}", old.shape())));
    };
    let (old_rows, old_columns) = (old_rows as usize, old_columns as usize);
    let row_map = remapping(ctx, 2, "row_remapping", rows, old_rows)?;
    let column_map = if ctx.input(3)?.num_elements() > 0 {
        remapping(ctx, 3, "col_remapping", columns, old_columns)?
    } else if columns == old_columns {
        (0..columns).map(Some).collect()
    } else {
        return Err(invalid_argument(format!("without col_remapping there must be {old_columns} columns, not {columns}")));
    };
    let values = old.as_slice::<f32>()?;
    let mut fresh = ctx.slice::<f32>(4)?.iter();
    let shape = Shape::from_lens(&[rows, columns])?;
    let mut out = Vec::with_capacity(rows.saturating_mul(columns).min(values.len() + fresh.len()));
    for row in &row_map {
        for column in &column_map {
            let value = match (row, column) {
                (Some(r), Some(c)) => values[r * old_columns + c],
                _ => {
                    *fresh.next().ok_or_else(|| invalid_argument("there are fewer initializing_values than places without an old value"))?
                }
            };
            out.push(value);
        }
    }
    if fresh.len() > 0 {
        return Err(invalid_argument(format!("Not all initializing_values were used: {} are left", fresh.len())));
    }
    ctx.set_output(0, Tensor::from_slice(shape, &out)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(2, 1)?;
    c.with_rank(3, 1)?;
    let attrs = &c.node().attrs;
    let (rows, columns) = (attrs.int("num_rows")?, attrs.int("num_cols")?);
    c.set_output(0, PartialShape::new(&[Some(rows), Some(columns)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_come_from_their_old_places() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join("model").to_str().unwrap().to_owned();
        let saved = tensor(&[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let save = OpTester::named("SaveV2").input(prefix.as_str()).input(strings(&[1], &["w"])).input(strings(&[1], &[""]));
        save.input_list([saved]).run().unwrap();
        let run = |rows: &[i64], columns: &[i64], fresh: &[f32], n: i64| {
            let node = OpTester::new(&OP).input(prefix.as_str()).input("w").input(tensor(&[rows.len() as i64], rows));
            let node = node.input(tensor(&[columns.len() as i64], columns)).input(tensor(&[fresh.len() as i64], fresh));
            node.attr("num_rows", rows.len() as i64).attr("num_cols", n).run_one()
        };
        let out = run(&[1, -1, 0], &[2, -1], &[7.0, 8.0, 9.0, 10.0], 2).unwrap();
        assert_eq!(out.as_slice::<f32>().unwrap(), [6.0, 7.0, 8.0, 9.0, 3.0, 10.0]);
        assert_eq!(run(&[1], &[], &[], 3).unwrap().as_slice::<f32>().unwrap(), [4.0, 5.0, 6.0]);
        for (rows, columns, fresh, n) in [
            (&[2i64][..], &[][..], &[][..], 3i64),
            (&[0], &[5], &[], 1),
            (&[0], &[], &[1.0], 3),
            (&[-1], &[], &[1.0], 3),
            (&[0], &[], &[], 2),
        ] {
            assert_eq!(run(rows, columns, fresh, n).unwrap_err().code(), Code::InvalidArgument);
        }
    }
}
