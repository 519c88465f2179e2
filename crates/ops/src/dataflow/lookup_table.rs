//! `LookupTable`: values by key (TF: `LookupInterface`, `HashTable`, `MutableHashTable…`). Values lie in one column, not in a tensor each.

use crate::control::value_text::element;
use bytes::Bytes;
use ferroflow_graph::kernel::Resource;
use ferroflow_tensor::error::{failed_precondition, invalid_argument, unimplemented};
use ferroflow_tensor::{DType, Result, Shape, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::OnceLock;

/// A key, by its contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Text(Bytes),
    /// The bits of a plain element.
    Plain([u8; 8]),
}

/// Values of one type, `width` of them for each key.
enum Column {
    Plain(Vec<u8>),
    Strings(Vec<Bytes>),
}

/// What a table is made of; two nodes that share it must agree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableSpec {
    pub(crate) key_dtype: DType,
    pub(crate) value_dtype: DType,
    /// The shape of one value.
    pub(crate) value_shape: Shape,
    /// Whether keys may be inserted at any time, or the whole is set once.
    pub(crate) is_mutable: bool,
}

struct State {
    index: HashMap<Key, usize>,
    /// The key of each row of the column.
    keys: Vec<Key>,
    column: Column,
    is_initialized: bool,
}

/// A table.
pub(crate) struct LookupTable {
    name: String,
    spec: TableSpec,
    /// Keys that nobody may use: the empty one and the deleted one.
    set_aside: OnceLock<Vec<Key>>,
    state: Mutex<State>,
}

impl Resource for LookupTable {
    fn type_name(&self) -> &'static str {
        if self.spec.is_mutable { "MutableHashTable" } else { "HashTable" }
    }
}

impl LookupTable {
    /// What TF calls the type of a table's resource handle.
    pub(crate) const TYPE_NAME: &str = "N10tensorflow6lookup15LookupInterfaceE";

    /// An empty table.
    ///
    /// Errors: `Unimplemented` for types that cannot be keys or values.
    pub(super) fn new(name: impl Into<String>, spec: TableSpec) -> Result<LookupTable> {
        let can_be = |dtype: DType| dtype == DType::String || dtype.is_plain() && dtype.size() <= 8;
        let value_ok = spec.value_dtype == DType::String || spec.value_dtype.is_plain();
        if !can_be(spec.key_dtype) || !value_ok {
            return Err(unimplemented(format!("tables from {} to {} are not supported", spec.key_dtype, spec.value_dtype)));
        }
        let column = if spec.value_dtype == DType::String { Column::Strings(vec![]) } else { Column::Plain(vec![]) };
        let is_initialized = spec.is_mutable;
        let state = State { index: HashMap::new(), keys: Vec::new(), column, is_initialized };
        Ok(LookupTable { name: name.into(), spec, set_aside: OnceLock::new(), state: Mutex::new(state) })
    }

    /// Sets keys aside, the empty one and the deleted one; only the first call does.
    ///
    /// Errors: `InvalidArgument` for what is no key of this table, and for equal ones.
    pub(super) fn set_aside(&self, keys: &[&Tensor]) -> Result<()> {
        if self.set_aside.get().is_some() {
            return Ok(());
        }
        let mut found = Vec::new();
        for key in keys {
            match &self.keys_of(key)?[..] {
                [one] if !found.contains(one) => found.push(one.clone()),
                [_] => return Err(invalid_argument("Empty and deleted keys cannot be equal")),
                _ => return Err(unimplemented(format!("keys of shape {} cannot be set aside, only single ones", key.shape()))),
            }
        }
        self.set_aside.get_or_init(|| found);
        Ok(())
    }

    /// Refuses keys that are set aside.
    fn check_allowed(&self, keys: &[Key]) -> Result<()> {
        let set_aside = self.set_aside.get().map_or(&[][..], Vec::as_slice);
        match set_aside.iter().position(|key| keys.contains(key)) {
            None => Ok(()),
            Some(0) => Err(invalid_argument("Using the empty_key as a table key is not allowed")),
            Some(_) => Err(invalid_argument("Using the deleted_key as a table key is not allowed")),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What it is made of.
    pub(super) fn spec(&self) -> &TableSpec {
        &self.spec
    }

    /// How many keys it has.
    pub(super) fn size(&self) -> usize {
        self.state.lock().keys.len()
    }

    /// The values of these keys, `default` (one value) where there is none.
    ///
    /// Errors: `FailedPrecondition` `Table not initialized.`; `InvalidArgument` for other types or shapes.
    pub(super) fn find(&self, keys: &Tensor, default: &Tensor) -> Result<Tensor> {
        let state = self.state.lock();
        if !state.is_initialized {
            return Err(failed_precondition("Table not initialized."));
        }
        if default.dtype() != self.spec.value_dtype || default.shape() != &self.spec.value_shape {
            return Err(invalid_argument(format!(
                "Expected default value of type {} and shape {}, got {}{}",
                self.spec.value_dtype,
                self.spec.value_shape,
                default.dtype(),
                default.shape()
            )));
        }
        let wanted = self.keys_of(keys)?;
        self.check_allowed(&wanted)?;
        let rows: Vec<Option<usize>> = wanted.iter().map(|key| state.index.get(key).copied()).collect();
        let shape = Shape::new(&[keys.dims(), self.spec.value_shape.dims()].concat())?;
        let width = self.spec.value_shape.num_elements();
        match &state.column {
            Column::Strings(strings) => {
                let default = default.as_strings()?;
                let found = |row: &Option<usize>| row.map_or(default, |r| &strings[r * width..(r + 1) * width]).iter().cloned();
                Tensor::strings(shape, rows.iter().flat_map(found).collect())
            }
            Column::Plain(bytes) => {
                let width = width * self.spec.value_dtype.size();
                let mut out = Tensor::for_overwrite(self.spec.value_dtype, shape)?;
                if width > 0 {
                    let default = default.bytes()?;
                    for (to, row) in out.bytes_mut()?.chunks_exact_mut(width).zip(&rows) {
                        to.copy_from_slice(row.map_or(default, |r| &bytes[r * width..(r + 1) * width]));
                    }
                }
                Ok(out)
            }
        }
    }

    /// Sets the values of keys; later ones win. With `clear` the table holds nothing else afterwards.
    ///
    /// Errors: `InvalidArgument` for other types or shapes; `FailedPrecondition` for a table that is set once.
    pub(super) fn insert(&self, keys: &Tensor, values: &Tensor, clear: bool) -> Result<()> {
        if !self.spec.is_mutable {
            return Err(unimplemented(format!("table '{}' is set once, by InitializeTable", self.name)));
        }
        let mut state = self.state.lock();
        let (keys, values) = self.pairs(keys, values)?;
        self.check_allowed(&keys)?;
        if clear {
            state.clear();
        }
        for (i, key) in keys.into_iter().enumerate() {
            self.put(&mut state, key, &values, i)?;
        }
        Ok(())
    }

    /// Sets the whole of a table that is set once. Setting it again to the same size is nothing; to another one an error.
    ///
    /// Errors: `InvalidArgument` for other types or shapes; `FailedPrecondition` for keys that repeat with different values, or if the
    /// table is set already.
    pub(super) fn initialize(&self, keys: &Tensor, values: &Tensor) -> Result<()> {
        let mut state = self.state.lock();
        let given = keys;
        let (keys, values) = self.pairs(keys, values)?;
        if state.is_initialized && !self.spec.is_mutable {
            let distinct: std::collections::HashSet<&Key> = keys.iter().collect();
            return if distinct.len() == state.keys.len() {
                Ok(())
            } else {
                Err(failed_precondition("Table already initialized with different size."))
            };
        }
        for (i, key) in keys.into_iter().enumerate() {
            if let Some(&row) = state.index.get(&key)
                && !state.equals(row, &values, i, self.spec.value_shape.num_elements())?
            {
                let (_, known) = self.export_state(&state)?;
                state.clear();
                return Err(failed_precondition(format!(
                    "HashTable has different value for same key. Key {} has {} and trying to add value {}",
                    element(given, i),
                    element(&known, row),
                    element(&values, i)
                )));
            }
            self.put(&mut state, key, &values, i)?;
        }
        state.is_initialized = true;
        Ok(())
    }

    /// Removes keys; unknown ones are no error.
    ///
    /// Errors: `InvalidArgument` for keys of another type; `Unimplemented` for a table that is set once.
    pub(super) fn remove(&self, keys: &Tensor) -> Result<()> {
        if !self.spec.is_mutable {
            return Err(unimplemented(format!("table '{}' is set once, by InitializeTable", self.name)));
        }
        let mut state = self.state.lock();
        let width = self.spec.value_shape.num_elements();
        let unwanted = self.keys_of(keys)?;
        self.check_allowed(&unwanted)?;
        for key in unwanted {
            let Some(row) = state.index.remove(&key) else { continue };
            state.keys.swap_remove(row);
            let size = self.spec.value_dtype.size();
            match &mut state.column {
                Column::Strings(s) => swap_remove(s, row, width),
                Column::Plain(b) => swap_remove(b, row, width * size),
            }
            if let Some(moved) = state.keys.get(row).cloned() {
                state.index.insert(moved, row);
            }
        }
        Ok(())
    }

    /// All keys and their values, in no order.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(super) fn export(&self) -> Result<(Tensor, Tensor)> {
        self.export_state(&self.state.lock())
    }

    fn export_state(&self, state: &State) -> Result<(Tensor, Tensor)> {
        let n = state.keys.len();
        let shape = Shape::from_lens(&[n])?;
        let keys = if self.spec.key_dtype == DType::String {
            let text = |k: &Key| match k {
                Key::Text(text) => text.clone(),
                Key::Plain(_) => Bytes::new(),
            };
            Tensor::strings(shape, state.keys.iter().map(text).collect())?
        } else {
            let size = self.spec.key_dtype.size();
            let bits = |k: &Key| match k {
                Key::Plain(bits) => *bits,
                Key::Text(_) => [0; 8],
            };
            let bytes: Vec<u8> = state.keys.iter().flat_map(|k| bits(k).into_iter().take(size)).collect();
            Tensor::from_bytes(self.spec.key_dtype, shape, &bytes)?
        };
        let shape = Shape::new(&[&[n as i64], self.spec.value_shape.dims()].concat())?;
        let values = match &state.column {
            Column::Strings(s) => Tensor::strings(shape, s.clone())?,
            Column::Plain(b) => Tensor::from_bytes(self.spec.value_dtype, shape, b)?,
        };
        Ok((keys, values))
    }

    fn keys_of(&self, keys: &Tensor) -> Result<Vec<Key>> {
        if keys.dtype() != self.spec.key_dtype {
            return Err(invalid_argument(format!("Key must be type {} but got {}", self.spec.key_dtype, keys.dtype())));
        }
        if keys.dtype() == DType::String {
            return Ok(keys.as_strings()?.iter().map(|s| Key::Text(s.clone())).collect());
        }
        let size = keys.dtype().size();
        let plain = |element: &[u8]| {
            let mut bits = [0u8; 8];
            bits[..size].copy_from_slice(element);
            Key::Plain(bits)
        };
        Ok(keys.bytes()?.chunks_exact(size).map(plain).collect())
    }

    /// The keys, and the values as rows, one for each.
    fn pairs(&self, keys: &Tensor, values: &Tensor) -> Result<(Vec<Key>, Tensor)> {
        let expected = [keys.dims(), self.spec.value_shape.dims()].concat();
        if values.dtype() != self.spec.value_dtype || values.dims() != expected {
            return Err(invalid_argument(format!(
                "Expected values of type {} and shape {expected:?} for keys of shape {}, got {}{}",
                self.spec.value_dtype,
                keys.shape(),
                values.dtype(),
                values.shape()
            )));
        }
        Ok((self.keys_of(keys)?, values.clone()))
    }

    fn put(&self, state: &mut State, key: Key, values: &Tensor, i: usize) -> Result<()> {
        let width = self.spec.value_shape.num_elements();
        let (row, is_new) = match state.index.entry(key.clone()) {
            Entry::Occupied(e) => (*e.get(), false),
            Entry::Vacant(e) => (*e.insert(state.keys.len()), true),
        };
        if is_new {
            state.keys.push(key);
        }
        match &mut state.column {
            Column::Strings(s) => put_row(s, row, &values.as_strings()?[i * width..(i + 1) * width]),
            Column::Plain(b) => {
                let width = width * self.spec.value_dtype.size();
                put_row(b, row, &values.bytes()?[i * width..(i + 1) * width]);
            }
        }
        Ok(())
    }
}

impl State {
    fn clear(&mut self) {
        self.index.clear();
        self.keys.clear();
        match &mut self.column {
            Column::Strings(s) => s.clear(),
            Column::Plain(b) => b.clear(),
        }
    }

    /// Whether row `row` is row `i` of `values`.
    fn equals(&self, row: usize, values: &Tensor, i: usize, width: usize) -> Result<bool> {
        Ok(match &self.column {
            Column::Strings(s) => s[row * width..(row + 1) * width] == values.as_strings()?[i * width..(i + 1) * width],
            Column::Plain(b) => {
                let width = width * values.dtype().size();
                b[row * width..(row + 1) * width] == values.bytes()?[i * width..(i + 1) * width]
            }
        })
    }
}

fn put_row<T: Clone>(column: &mut Vec<T>, row: usize, values: &[T]) {
    let start = row * values.len();
    if start == column.len() {
        column.extend_from_slice(values);
    } else {
        column[start..start + values.len()].clone_from_slice(values);
    }
}

/// Removes a row; the last one takes its place.
fn swap_remove<T: Clone>(column: &mut Vec<T>, row: usize, width: usize) {
    let last = column.len() - width;
    for i in 0..width {
        column.swap(row * width + i, last + i);
    }
    column.truncate(last);
}
