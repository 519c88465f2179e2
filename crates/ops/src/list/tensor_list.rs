//! `TensorList`: a list of tensors as the value of a variant (TF: `TensorList`).
//!
//! A list has value semantics: an op that changes one works on its own copy. Only the references to the tensors are copied, and not
//! even those if nobody else holds the list, as in a loop that adds one element per iteration.

use super::variants::{check_depth, depth, sum, zeros_like};
use crate::parallel::Pool;
use bytes::Bytes;
use ferroflow_io::{Cursor, put_varint};
use ferroflow_proto::{Message, TensorShapeProto};
use ferroflow_tensor::error::{invalid_argument, resource_exhausted};
use ferroflow_tensor::{
    DType, PartialShape, Result, Shape, Tensor, Variant, VariantValue, partial_shape_from_proto, partial_shape_to_proto,
};
use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

const TYPE_NAME: &str = "tensorflow::TensorList";

/// Elements that one list may have; a few bytes of a message can ask for any number.
const MOST_ELEMENTS: usize = 1 << 24;

/// A list of tensors of one type.
#[derive(Clone, Debug)]
pub(super) struct TensorList {
    pub element_dtype: DType,
    /// What is known of every element's shape.
    pub element_shape: PartialShape,
    /// How many elements it may get; none for any number.
    pub max_num_elements: Option<usize>,
    /// The elements; none for one that is not set.
    pub tensors: Vec<Option<Tensor>>,
}

impl TensorList {
    pub fn new(element_dtype: DType, element_shape: PartialShape) -> TensorList {
        TensorList { element_dtype, element_shape, max_num_elements: None, tensors: Vec::new() }
    }

    /// The list in a scalar. What came over the wire is decoded.
    ///
    /// Errors: `InvalidArgument` if there is none.
    pub fn of(t: &Tensor) -> Result<Cow<'_, TensorList>> {
        match t.as_variants()? {
            [variant] if t.rank() == 0 => TensorList::in_variant(variant),
            _ => Err(invalid_argument(format!("Input list must be a scalar saw: {}", t.shape()))),
        }
    }

    /// The list in a variant.
    ///
    /// Errors: `InvalidArgument` if there is none.
    pub fn in_variant(variant: &Variant) -> Result<Cow<'_, TensorList>> {
        let other = |name: &str| invalid_argument(format!("Input handle is not a list. Saw: '{name}'"));
        match variant {
            Variant::Empty => Err(other("")),
            Variant::Value(value) => value.as_any().downcast_ref::<TensorList>().map(Cow::Borrowed).ok_or_else(|| other(value.type_name())),
            Variant::Encoded { type_name, metadata, tensors } if type_name == TYPE_NAME => {
                TensorList::decode(metadata, tensors).map(Cow::Owned)
            }
            Variant::Encoded { type_name, .. } => Err(other(type_name)),
        }
    }

    /// The list in a scalar, moved out of it if nobody else holds it.
    ///
    /// Errors: `InvalidArgument` if there is none.
    pub fn taken(mut t: Tensor) -> Result<TensorList> {
        if t.rank() == 0
            && let [Variant::Value(value)] = t.make_mut_variants()?.as_mut_slice()
            && let Some(only) = Arc::get_mut(value)
            && let Some(list) = only.as_any_mut().downcast_mut::<TensorList>()
        {
            return Ok(std::mem::replace(list, TensorList::new(DType::Float, PartialShape::unknown())));
        }
        TensorList::of(&t).map(Cow::into_owned)
    }

    /// As the element of a variant tensor.
    ///
    /// Errors: `InvalidArgument` if lists nest too deeply; `ResourceExhausted` for too many elements.
    pub fn into_variant(self) -> Result<Variant> {
        check_depth(self.depth())?;
        check_length(self.tensors.len())?;
        Ok(Variant::Value(Arc::new(self)))
    }

    /// As a scalar.
    ///
    /// Errors: as [`TensorList::into_variant`].
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::variants(Shape::scalar(), vec![self.into_variant()?])
    }

    /// How deep variants lie in it.
    pub fn depth(&self) -> usize {
        if self.element_dtype != DType::Variant {
            return 1;
        }
        1 + self.tensors.iter().flatten().map(depth).max().unwrap_or(0)
    }

    /// Whether elements of this type are in it.
    ///
    /// Errors: `InvalidArgument` if not.
    pub fn check_dtype(&self, dtype: DType) -> Result<()> {
        if dtype == self.element_dtype {
            return Ok(());
        }
        Err(invalid_argument(format!("Invalid data types; op elements {dtype} but list elements {}", self.element_dtype)))
    }

    /// Makes it this long; new elements are not set.
    ///
    /// Errors: `ResourceExhausted` for too many.
    pub fn resize(&mut self, n: usize) -> Result<()> {
        check_length(n)?;
        self.tensors.resize(n, None);
        Ok(())
    }

    /// The shape that elements which are not set have: what the reader asks for, the list and its set elements say together.
    ///
    /// Errors: `InvalidArgument` if they contradict each other.
    pub fn common_shape(&self, asked: &PartialShape) -> Result<PartialShape> {
        let mut shape = asked.merge(&self.element_shape)?;
        if shape.to_shape().is_some() {
            return Ok(shape);
        }
        for t in self.tensors.iter().flatten() {
            shape = shape.merge(&t.shape().into())?;
        }
        Ok(shape)
    }

    /// Zeros like every element that is set.
    ///
    /// Errors: `InvalidArgument` for elements that have no zero; `ResourceExhausted` without memory.
    pub fn zeros_like(&self) -> Result<TensorList> {
        let zeros = |t: &Option<Tensor>| t.as_ref().map(zeros_like).transpose();
        Ok(TensorList { tensors: self.tensors.iter().map(zeros).collect::<Result<_>>()?, ..self.clone() })
    }

    /// The sums of the elements of two lists.
    ///
    /// Errors: `InvalidArgument` if they do not fit together.
    pub fn sum(&self, other: &TensorList, pool: &Pool) -> Result<TensorList> {
        if self.element_dtype != other.element_dtype {
            return Err(invalid_argument("Trying to add two lists of tensors of different dtypes."));
        }
        let (a, b) = (self.tensors.len(), other.tensors.len());
        if a != b {
            return Err(invalid_argument(format!(
                "Trying to add two lists of tensors with different lengths. One is {a} and the other is {b}"
            )));
        }
        let element_shape = self.element_shape.merge(&other.element_shape).map_err(|_| {
            invalid_argument(format!(
                "Trying to add two lists of tensors with incompatible element shapes. One is {} and the other is {}",
                self.element_shape, other.element_shape
            ))
        })?;
        let pairs = self.tensors.iter().zip(&other.tensors).map(|pair| match pair {
            (Some(a), Some(b)) => sum(a, b, pool).map(Some),
            (one, None) | (None, one) => Ok(one.clone()),
        });
        Ok(TensorList { element_shape, tensors: pairs.collect::<Result<_>>()?, ..self.clone() })
    }

    fn decode(metadata: &Bytes, tensors: &[Tensor]) -> Result<TensorList> {
        let malformed = || invalid_argument("a tensor list's metadata is malformed");
        let mut cursor = Cursor::new(metadata);
        let mut number = || cursor.varint().map_err(|_| malformed());
        let count = |n: u64| usize::try_from(n).ok().filter(|&n| n <= MOST_ELEMENTS).ok_or_else(malformed);
        let unset = count(number()?)?;
        let n = unset + tensors.len();
        check_length(n)?;
        let mut is_set = vec![true; n];
        for _ in 0..unset {
            let i = count(number()?)?;
            match is_set.get_mut(i) {
                Some(set) if *set => *set = false,
                _ => return Err(malformed()),
            }
        }
        let element_dtype = DType::from_proto_base(i32::try_from(number()?).map_err(|_| malformed())?)?;
        // Negative numbers, written as unsigned ones, mean no limit.
        let max_num_elements = usize::try_from(number()? as i64).ok();
        let shape = TensorShapeProto::decode(cursor.rest()).map_err(|_| malformed())?;
        let mut next = tensors.iter();
        let tensors = is_set.into_iter().map(|set| if set { next.next().cloned() } else { None }).collect();
        let list = TensorList { element_dtype, element_shape: partial_shape_from_proto(&shape)?, max_num_elements, tensors };
        let fits = |t: &Tensor| t.dtype() == element_dtype && list.element_shape.matches(t.shape());
        if list.tensors.iter().flatten().all(fits) { Ok(list) } else { Err(malformed()) }
    }
}

impl VariantValue for TensorList {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    /// As TensorFlow does: how many elements are not set and which, the type, the limit, the shape; then the elements that are set.
    fn encode(&self) -> Option<(Bytes, Vec<Tensor>)> {
        let unset: Vec<u64> = (0..self.tensors.len()).filter(|&i| self.tensors[i].is_none()).map(|i| i as u64).collect();
        let mut metadata = Vec::new();
        put_varint(&mut metadata, unset.len() as u64);
        unset.into_iter().for_each(|i| put_varint(&mut metadata, i));
        put_varint(&mut metadata, self.element_dtype.to_proto() as u64);
        put_varint(&mut metadata, self.max_num_elements.map_or(-1i64 as u64, |n| n as u64));
        metadata.extend(partial_shape_to_proto(&self.element_shape).encode_to_vec());
        Some((metadata.into(), self.tensors.iter().flatten().cloned().collect()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn check_length(n: usize) -> Result<()> {
    if n <= MOST_ELEMENTS {
        return Ok(());
    }
    Err(resource_exhausted(format!("a list of {n} elements, there may be {MOST_ELEMENTS}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tensor;

    #[test]
    fn a_list_crosses_the_wire_in_tensorflows_words() {
        let mut list = TensorList::new(DType::Int64, PartialShape::new(&[None, Some(2)]));
        list.tensors = vec![None, Some(tensor(&[1, 2], &[1i64, 1])), None];
        let (metadata, tensors) = list.encode().unwrap();
        // Recorded from TensorFlow 2.21's SerializeTensor.
        let recorded =
            b"\x02\x00\x02\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x02\x08\x02";
        assert_eq!(metadata, recorded[..]);
        let back = TensorList::decode(&metadata, &tensors).unwrap();
        assert_eq!((back.tensors.len(), back.element_dtype, back.max_num_elements), (3, DType::Int64, None));
        assert!(back.tensors[0].is_none() && back.tensors[1].is_some());
        assert_eq!(back.element_shape, list.element_shape);
    }

    #[test]
    fn lists_of_other_shapes_are_not_added() {
        let list = |dims: &[i64]| TensorList::new(DType::Float, PartialShape::from_numbers(dims).unwrap());
        let e = list(&[1, 2]).sum(&list(&[3, 4]), &crate::parallel::pool(&crate::testing::bare_step(1))).unwrap_err();
        let want = "Trying to add two lists of tensors with incompatible element shapes. One is [1,2] and the other is [3,4]";
        assert_eq!(e.bare_message(), want);
    }

    #[test]
    fn damaged_metadata_is_refused() {
        let list = TensorList { tensors: vec![None, None], ..TensorList::new(DType::Float, PartialShape::scalar()) };
        let (metadata, _) = list.encode().unwrap();
        for end in 0..4 {
            assert!(TensorList::decode(&metadata.slice(..end), &[]).is_err(), "{end}");
        }
        assert!(TensorList::decode(&metadata, &[Tensor::scalar(1i32)]).is_err());
        assert!(TensorList::decode(&Bytes::from_static(b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), &[]).is_err());
        assert!(TensorList::decode(&Bytes::from_static(b"\x01\x05\x01\x01"), &[]).is_err());
    }

    #[test]
    fn lists_do_not_nest_without_end() {
        let mut t = TensorList::new(DType::Float, PartialShape::scalar()).into_tensor().unwrap();
        let mut depth = 1;
        let error = loop {
            let outer = TensorList { tensors: vec![Some(t)], ..TensorList::new(DType::Variant, PartialShape::scalar()) };
            match outer.into_tensor() {
                Ok(deeper) => t = deeper,
                Err(e) => break e,
            }
            depth += 1;
        };
        assert_eq!((depth, error.code()), (super::super::variants::DEEPEST, ferroflow_tensor::Code::InvalidArgument));
    }
}
