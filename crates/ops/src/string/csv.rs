//! Lines of comma-separated values: how they are cut into fields (TF: `DecodeCSVOp`).

use crate::prelude::*;
use num_traits::AsPrimitive;
use std::str::FromStr;

/// What separates fields, and which of them are wanted.
pub(crate) struct Format<'a> {
    delimiter: u8,
    quotes: bool,
    missing: &'a [u8],
    /// Numbers of the wanted columns, ascending; all if empty.
    selected: &'a [i64],
}

impl Format<'_> {
    /// The format that a node of this many columns asks for.
    ///
    /// Errors: `InvalidArgument` for a delimiter that is not one byte, and selected columns that do not ascend.
    pub(super) fn of(attrs: &AttrMap, columns: usize) -> Result<Format<'_>> {
        let [delimiter] = *attrs.str("field_delim")?.as_bytes() else {
            return Err(invalid_argument("field_delim should be only 1 char"));
        };
        let selected = attrs.ints("select_cols")?;
        if !selected.is_empty() && (selected.len() != columns || selected[0] < 0 || selected.windows(2).any(|w| w[0] >= w[1])) {
            return Err(invalid_argument("select_cols should be strictly increasing indices, one for each column"));
        }
        Ok(Format { delimiter, quotes: attrs.bool("use_quote_delim")?, missing: attrs.str("na_value")?.as_bytes(), selected })
    }

    /// The format with this delimiter, of all columns.
    pub(crate) fn with(delimiter: u8, quotes: bool, missing: &[u8]) -> Format<'_> {
        Format { delimiter, quotes, missing, selected: &[] }
    }

    /// The field, unless its value is missing.
    pub(crate) fn present(&self, field: Vec<u8>) -> Option<Vec<u8>> {
        (!field.is_empty() && field != self.missing).then_some(field)
    }

    /// The wanted fields of a record.
    ///
    /// Errors: `InvalidArgument` for quotes that are out of place.
    pub(crate) fn fields(&self, record: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut fields = Vec::new();
        let mut number = 0i64;
        let mut at = 0;
        if record.is_empty() {
            return Ok(fields);
        }
        loop {
            let is_wanted = self.selected.is_empty() || self.selected.contains(&number);
            if at < record.len() && matches!(record[at], b'\n' | b'\r') {
                at += 1;
                if at >= record.len() {
                    return Ok(fields);
                }
                continue;
            }
            let mut field = Vec::new();
            if self.quotes && record.get(at) == Some(&b'"') {
                at = self.quoted(record, at + 1, &mut field)?;
            } else {
                while let Some(&b) = record.get(at).filter(|b| **b != self.delimiter) {
                    if self.quotes && b == b'"' || matches!(b, b'\n' | b'\r') {
                        return Err(invalid_argument("Unquoted fields cannot have quotes/CRLFs inside"));
                    }
                    field.push(b);
                    at += 1;
                }
            }
            if is_wanted {
                fields.push(field);
            }
            number += 1;
            match record.get(at) {
                // A delimiter at the end begins one more, empty, field.
                Some(_) => at += 1,
                None => return Ok(fields),
            }
        }
    }

    /// The rest of a quoted field; where its delimiter, or the end, is.
    fn quoted(&self, record: &[u8], mut at: usize, field: &mut Vec<u8>) -> Result<usize> {
        loop {
            match (record.get(at), record.get(at + 1)) {
                (None, _) => return Err(invalid_argument("Quoted field has to end with quote followed by delim or end")),
                (Some(b'"'), None) => return Ok(at + 1),
                (Some(b'"'), Some(b'"')) => {
                    field.push(b'"');
                    at += 2;
                }
                (Some(b'"'), Some(&b)) if b == self.delimiter => return Ok(at + 1),
                (Some(b'"'), Some(_)) => return Err(invalid_argument("Quote inside a string has to be escaped by another quote")),
                (Some(&b), _) => {
                    field.push(b);
                    at += 1;
                }
            }
        }
    }
}

/// The number that a field says, blanks around it left aside. Floating-point numbers may be hexadecimal integers, as in C.
pub(super) fn number<T: FromStr + Copy + 'static>(text: &[u8]) -> Option<T>
where
    f64: AsPrimitive<T>,
{
    let text = std::str::from_utf8(text).ok()?.trim_matches(|c: char| c.is_ascii_whitespace());
    let is_float = T::from_str("0.5").is_ok();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if is_float => u64::from_str_radix(digits, 16).ok().map(|n| (n as f64).as_()),
        _ => text.parse().ok(),
    }
}
