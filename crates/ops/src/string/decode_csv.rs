//! `DecodeCSV`: fields of lines as columns.

use super::csv;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DecodeCSV(records: string, record_defaults: OUT_TYPE) -> (output: OUT_TYPE)",
    attrs: "OUT_TYPE: list(type) >= 1 in {float, double, int32, int64, string}; field_delim: string = \",\"; use_quote_delim: bool = true; na_value: string = \"\"; select_cols: list(int) = []",
    doc: "For each column the fields of all records, converted to the type of its default, which stands for empty fields.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

/// One column of the result.
pub(crate) fn column(fields: &[Option<Vec<u8>>], default: &Tensor, shape: Shape, number: usize) -> Result<Tensor> {
    let missing = |record: usize| invalid_argument(format!("Field {number} is required but missing in record {record}!"));
    fn numbers<T: ferroflow_tensor::Element + std::str::FromStr + Copy + 'static>(
        fields: &[Option<Vec<u8>>],
        default: &Tensor,
        shape: Shape,
        number: usize,
        missing: impl Fn(usize) -> ferroflow_tensor::Error,
    ) -> Result<Tensor>
    where
        f64: num_traits::AsPrimitive<T>,
    {
        let default = default.as_slice::<T>()?.first().copied();
        let mut values = Vec::with_capacity(fields.len());
        for (record, field) in fields.iter().enumerate() {
            values.push(match field {
                None => default.ok_or_else(|| missing(record))?,
                Some(text) => csv::number::<T>(text).ok_or_else(|| {
                    invalid_argument(format!(
                        "Field {number} in record {record} is not a valid {}: {}",
                        T::DTYPE,
                        String::from_utf8_lossy(text)
                    ))
                })?,
            });
        }
        Tensor::from_slice(shape, &values)
    }
    match default.dtype() {
        DType::Float => numbers::<f32>(fields, default, shape, number, missing),
        DType::Double => numbers::<f64>(fields, default, shape, number, missing),
        DType::Int32 => numbers::<i32>(fields, default, shape, number, missing),
        DType::Int64 => numbers::<i64>(fields, default, shape, number, missing),
        _ => {
            let default = default.as_strings()?.first();
            let text = |(record, field): (usize, &Option<Vec<u8>>)| match field {
                Some(text) => Ok(text.clone().into()),
                None => default.cloned().ok_or_else(|| missing(record)),
            };
            Tensor::strings(shape, fields.iter().enumerate().map(text).collect::<Result<_>>()?)
        }
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let records = ctx.input(0)?.clone();
    let columns = ctx.num_inputs() - 1;
    let format = csv::Format::of(&ctx.node.attrs, columns)?;
    for i in 0..columns {
        let default = ctx.input(i + 1)?;
        if default.rank() > 1 || default.num_elements() > 1 {
            return Err(invalid_argument(format!("There should only be 1 default per field but field {i} has {}", default.num_elements())));
        }
    }
    let mut table: Vec<Vec<Option<Vec<u8>>>> = vec![Vec::with_capacity(records.num_elements()); columns];
    for (r, record) in records.as_strings()?.iter().enumerate() {
        let fields = format.fields(record)?;
        if fields.len() != columns {
            return Err(invalid_argument(format!("Expect {columns} fields but have {} in record {r}", fields.len())));
        }
        table.iter_mut().zip(fields).for_each(|(column, field)| column.push(format.present(field)));
    }
    for (i, fields) in table.iter().enumerate() {
        let y = column(fields, ctx.input(i + 1)?, records.shape().clone(), i)?;
        ctx.set_output(i, y);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 1..c.num_inputs() {
        if c.input(i).rank().is_some_and(|r| r > 1) {
            return Err(invalid_argument("Shape must be at most rank 1"));
        }
    }
    let records = c.input(0);
    for i in 0..c.node().output_types.len() {
        c.set_output(i, records.clone());
    }
    Ok(())
}
