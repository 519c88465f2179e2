//! `IteratorState`: where an iterator stands, as a checkpoint keeps it (TF: `IteratorStateVariant`).
//!
//! TensorFlow stores what each iterator of the pipeline holds, buffers included. Here it is the number of elements and what was left to
//! chance: whoever restores it walks there again. That takes the time of the elements before, but fits every pipeline, and a checkpoint
//! stays small. The two are of different types, so that neither system takes the other's for its own.

use super::seeds::Standing;
use bytes::Bytes;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor, Variant, VariantValue};
use std::any::Any;
use std::sync::Arc;

const TYPE_NAME: &str = "ferroflow::IteratorState";
/// What the numbers begin with.
const VERSION: u64 = 1;

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IteratorState {
    /// How many elements lie before it.
    pub(super) steps: u64,
    /// Where the generators of seeds stood, for each iterator that had some, in order.
    pub(super) standings: Vec<Standing>,
}

impl IteratorState {
    /// As a scalar variant tensor.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(super) fn into_tensor(self) -> Result<Tensor> {
        Tensor::variants(Shape::scalar(), vec![Variant::Value(Arc::new(self))])
    }

    /// The position in a scalar variant tensor.
    ///
    /// Errors: `InvalidArgument` if there is something else in it.
    pub(super) fn from_tensor(tensor: &Tensor) -> Result<IteratorState> {
        let other = |what: &str| invalid_argument(format!("expected the saved position of an iterator, got {what}"));
        match tensor.as_variants()? {
            [Variant::Value(value)] => value.as_any().downcast_ref::<IteratorState>().cloned().ok_or_else(|| other(value.type_name())),
            [Variant::Encoded { type_name, metadata, .. }] if type_name == TYPE_NAME => IteratorState::decode(metadata),
            [Variant::Encoded { type_name, .. }] => Err(other(type_name)),
            _ => Err(other(&format!("a variant of shape {}", tensor.shape()))),
        }
    }

    fn decode(bytes: &[u8]) -> Result<IteratorState> {
        let numbers: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        let damaged = || invalid_argument("the saved position of an iterator is damaged or of another version");
        let [VERSION, steps, standings @ ..] = &numbers[..] else { return Err(damaged()) };
        if !bytes.len().is_multiple_of(8) || !standings.len().is_multiple_of(3) {
            return Err(damaged());
        }
        let standing = |n: &[u64; 3]| Standing { origin: (n[0] as i64, n[1] as i64), given: n[2] };
        Ok(IteratorState { steps: *steps, standings: standings.as_chunks::<3>().0.iter().map(standing).collect() })
    }
}

impl VariantValue for IteratorState {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        let standings = self.standings.iter().flat_map(|s| [s.origin.0 as u64, s.origin.1 as u64, s.given]);
        let numbers = [VERSION, self.steps].into_iter().chain(standings);
        Some((numbers.flat_map(u64::to_le_bytes).collect::<Vec<u8>>().into(), vec![]))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_survives_the_way_into_a_file() {
        let state = IteratorState { steps: 7, standings: vec![Standing { origin: (-1, 5), given: 3 }] };
        let (metadata, tensors) = state.encode().unwrap();
        let stored = |metadata: Bytes| {
            let variant = Variant::Encoded { type_name: TYPE_NAME.to_owned(), metadata, tensors: tensors.clone() };
            IteratorState::from_tensor(&Tensor::variants(Shape::scalar(), vec![variant]).unwrap())
        };
        assert_eq!(stored(metadata.clone()).unwrap(), state);
        assert!(stored(metadata.slice(1..)).is_err());
        assert!(stored(metadata.slice(..24)).is_err());
        assert!(stored(Bytes::new()).is_err());
        assert_eq!(IteratorState::from_tensor(&state.clone().into_tensor().unwrap()).unwrap(), state);
    }
}
