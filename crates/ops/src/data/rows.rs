//! `Rows`: the rows of tensors that have equally many, one after the other, as elements.

use super::dataset::Element;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor};

/// Components whose rows are elements. Rows of plain memory share it with their component.
pub(super) struct Rows {
    components: Element,
    next: usize,
    len: usize,
}

impl Rows {
    /// Stands before the first row.
    ///
    /// Errors: `InvalidArgument` for scalars or different numbers of rows.
    pub(super) fn new(components: Element) -> Result<Rows> {
        let mut rows = components.iter().map(|t| t.dims().first().copied());
        let len = match rows.next() {
            Some(Some(first)) if rows.all(|n| n == Some(first)) => usize::try_from(first).unwrap_or(0),
            _ if components.iter().any(|t| t.rank() == 0) => {
                return Err(invalid_argument("All components must be at least 1-dimensional"));
            }
            _ => return Err(invalid_argument("All components must have the same size in the 0th dimension")),
        };
        Ok(Rows { components, next: 0, len })
    }

    fn row(&self, i: usize) -> Result<Element> {
        let row = |t: &Tensor| t.rows(i, 1)?.reshaped(Shape::new(t.dims().get(1..).unwrap_or_default())?);
        self.components.iter().map(row).collect()
    }
}

impl Iterator for Rows {
    type Item = Result<Element>;

    fn next(&mut self) -> Option<Result<Element>> {
        if self.next >= self.len {
            return None;
        }
        self.next += 1;
        Some(self.row(self.next - 1))
    }
}
