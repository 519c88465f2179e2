//! `TensorArray`: tensors by index that live as long as their step; loops write one an iteration (TF: `TensorArray`).

use super::gradient_sum::add_to;
use ferroflow_graph::kernel::Resource;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Error, PartialShape, Result, Tensor};
use parking_lot::Mutex;

/// One place of an array.
#[derive(Default, Clone)]
struct Slot {
    value: Option<Tensor>,
    /// What is known of the shape, from the forward array, for an array of gradients.
    shape: PartialShape,
    is_written: bool,
    is_read: bool,
    is_cleared: bool,
}

/// How an array behaves.
#[derive(Clone)]
pub(super) struct ArraySpec {
    pub(super) dtype: DType,
    /// Whether writing behind the end makes it longer.
    pub(super) dynamic_size: bool,
    /// Whether an element is forgotten once it has been read.
    pub(super) clear_after_read: bool,
    /// Whether all elements have one shape.
    pub(super) identical_shapes: bool,
    /// Whether several writes to a place add up: an array of gradients.
    pub(super) adds_up: bool,
}

struct State {
    slots: Vec<Slot>,
    element_shape: PartialShape,
    dynamic_size: bool,
    is_closed: bool,
}

/// An array.
pub(super) struct TensorArray {
    name: String,
    spec: ArraySpec,
    state: Mutex<State>,
}

impl Resource for TensorArray {
    fn type_name(&self) -> &'static str {
        "TensorArray"
    }
}

/// More elements than this are refused: an index from a client must not use up the memory.
const MAX_SIZE: usize = 1 << 26;

impl TensorArray {
    /// An array of this many empty places.
    ///
    /// Errors: `InvalidArgument` for a size that is negative or too large.
    pub(super) fn new(name: impl Into<String>, spec: ArraySpec, element_shape: PartialShape, size: i32) -> Result<TensorArray> {
        let size = usize::try_from(size).ok().filter(|&n| n <= MAX_SIZE);
        let size = size.ok_or_else(|| invalid_argument("Size should be >= 0 and at most 67108864."))?;
        let dynamic_size = spec.dynamic_size;
        let state = State { slots: vec![Slot::default(); size], element_shape, dynamic_size, is_closed: false };
        Ok(TensorArray { name: name.into(), spec, state: Mutex::new(state) })
    }

    /// The array for the gradients of this one, of its size and shapes. This one cannot grow any more.
    ///
    /// Errors: `InvalidArgument` if it is closed.
    pub(super) fn gradient(&self, name: String, shape_to_prepend: &PartialShape) -> Result<TensorArray> {
        let mut state = self.state.lock();
        self.check_open(&state)?;
        state.dynamic_size = false;
        let whole = |s: &PartialShape| match (shape_to_prepend.dims(), s.dims()) {
            (Some(front), Some(dims)) => PartialShape::new(&[front, dims].concat()),
            _ => PartialShape::unknown(),
        };
        let shape_of = |slot: &Slot| slot.value.as_ref().map_or_else(|| slot.shape.clone(), |t| t.shape().into());
        let slots = state.slots.iter().map(|s| Slot { shape: whole(&shape_of(s)), ..Slot::default() }).collect();
        let spec =
            ArraySpec { dynamic_size: false, clear_after_read: false, identical_shapes: false, adds_up: true, dtype: self.spec.dtype };
        let element_shape = whole(&state.element_shape);
        Ok(TensorArray { name, spec, state: Mutex::new(State { slots, element_shape, dynamic_size: false, is_closed: false }) })
    }

    /// The type of its elements.
    pub(super) fn dtype(&self) -> DType {
        self.spec.dtype
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its length.
    ///
    /// Errors: `InvalidArgument` if it is closed.
    pub(super) fn size(&self) -> Result<usize> {
        let state = self.state.lock();
        self.check_open(&state)?;
        Ok(state.slots.len())
    }

    /// What is known of the shape of all elements.
    pub(super) fn element_shape(&self) -> PartialShape {
        self.state.lock().element_shape.clone()
    }

    /// Forgets the elements.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.slots = Vec::new();
        state.is_closed = true;
    }

    /// Writes an element per index, all or none if they do not fit.
    ///
    /// Errors: `InvalidArgument` for an index, type or shape that does not fit, or a place that is written or read already.
    pub(super) fn write(&self, elements: Vec<(i64, Tensor)>) -> Result<()> {
        let mut state = self.state.lock();
        self.check_open(&state)?;
        let mut end = state.slots.len();
        let mut element_shape = state.element_shape.clone();
        for (index, value) in &elements {
            let at = usize::try_from(*index).ok().filter(|&i| i < MAX_SIZE);
            let at = at.ok_or_else(|| self.error(format!("Tried to write to index {index} but array size is: {}", state.slots.len())))?;
            if at >= state.slots.len() && !state.dynamic_size {
                let size = state.slots.len();
                return Err(self.error(format!("Tried to write to index {index} but array is not resizeable and size is: {size}")));
            }
            let refused = |why: String| self.error(format!("Could not write to TensorArray index {index} because {why}"));
            if value.dtype() != self.spec.dtype {
                return Err(refused(format!("the value dtype is {} but TensorArray dtype is {}.", value.dtype(), self.spec.dtype)));
            }
            if !element_shape.matches(value.shape()) {
                return Err(refused(format!(
                    "the value shape is {} which is incompatible with the TensorArray's inferred element shape: {element_shape} \
                     (consider setting infer_shape=False).",
                    value.shape()
                )));
            }
            if self.spec.identical_shapes {
                element_shape = value.shape().into();
            }
            if let Some(slot) = state.slots.get(at) {
                if slot.is_read {
                    return Err(refused("it has already been read.".to_owned()));
                }
                if slot.is_written && !self.spec.adds_up {
                    return Err(refused("it has already been written to.".to_owned()));
                }
                if let Some(old) = &slot.value
                    && old.shape() != value.shape()
                {
                    return Err(refused(format!("its shape is {} but the value to add has {}.", old.shape(), value.shape())));
                }
            }
            end = end.max(at + 1);
        }
        let repeats = |i: usize| !self.spec.adds_up && elements[..i].iter().any(|(index, _)| *index == elements[i].0);
        if elements.len() > 1 && !is_ascending(&elements) && (0..elements.len()).any(repeats) {
            return Err(self.error("Could not write several elements to one index".to_owned()));
        }
        state.slots.resize(end, Slot::default());
        state.element_shape = element_shape;
        for (index, value) in elements {
            let slot = &mut state.slots[index as usize];
            slot.is_written = true;
            match &mut slot.value {
                Some(sum) => add_to(sum, &value)?,
                None => slot.value = Some(value),
            }
        }
        Ok(())
    }

    /// Reads the elements at these indices. `expected` adds what the reader knows of the shape, for places never written: they read as
    /// zeros.
    ///
    /// Errors: `InvalidArgument` for an index outside, an element that was cleared, or one never written of unknown shape.
    pub(super) fn read(&self, indices: &[i64], expected: &PartialShape) -> Result<Vec<Tensor>> {
        let mut state = self.state.lock();
        self.check_open(&state)?;
        let state = &mut *state;
        let mut out = Vec::with_capacity(indices.len());
        for &index in indices {
            let size = state.slots.len();
            let slot = usize::try_from(index).ok().and_then(|i| state.slots.get_mut(i));
            let slot = slot.ok_or_else(|| self.error(format!("Tried to read from index {index} but array size is: {size}")))?;
            if slot.is_cleared {
                return Err(self.error(format!(
                    "Could not read index {index} twice because it was cleared after a previous read (perhaps try setting \
                     clear_after_read = false?)."
                )));
            }
            let value = match &slot.value {
                Some(value) => value.clone(),
                None => {
                    let known = state.element_shape.merge(&slot.shape)?.merge(expected)?;
                    let shape = known.to_shape().ok_or_else(|| {
                        self.error(format!(
                            "Could not read from TensorArray index {index}.  Furthermore, the element shape is not fully defined: \
                             {known}.  It is possible you are working with a resizeable TensorArray and stop_gradients is not allowing \
                             the gradients to be written.  If you set the full element_shape property on the forward TensorArray, the \
                             proper all-zeros tensor will be returned instead of incurring this error."
                        ))
                    })?;
                    Tensor::zeros(self.spec.dtype, shape)?
                }
            };
            slot.is_read = true;
            if self.spec.clear_after_read {
                slot.value = None;
                slot.is_cleared = true;
            }
            out.push(value);
        }
        Ok(out)
    }

    fn check_open(&self, state: &State) -> Result<()> {
        if state.is_closed { Err(self.error("has already been closed.".to_owned())) } else { Ok(()) }
    }

    fn error(&self, what: String) -> Error {
        invalid_argument(format!("TensorArray {}: {what}", self.name))
    }
}

fn is_ascending(elements: &[(i64, Tensor)]) -> bool {
    elements.windows(2).all(|pair| pair[0].0 < pair[1].0)
}
