//! Slices: rectangular parts of a tensor, their text form in `SaveV2` and `RestoreV2`, and their keys in a bundle's index
//! (TF: `TensorSlice`, `ParseShapeAndSlice`, `EncodeTensorNameSlice`).

use super::region::Region;
use crate::ordered_code::{put_number, put_signed, put_string};
use ferroflow_proto::TensorSliceProto;
use ferroflow_proto::tensor_slice_proto::Extent as ExtentProto;
use ferroflow_proto::tensor_slice_proto::extent::HasLength;
use ferroflow_tensor::error::{Error, Result, invalid_argument};
use ferroflow_tensor::{MAX_DIMS, Shape};
use std::fmt;

/// The part of one dimension that a slice takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All of it.
    Full,
    /// `length` (at least 1) from `start` on.
    Range {
        /// The first index.
        start: i64,
        /// How many.
        length: i64,
    },
}

/// A rectangular part of a tensor; one extent per dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorSlice(Vec<Extent>);

impl TensorSlice {
    /// A slice of these extents.
    ///
    /// Errors: `InvalidArgument` if a start is negative, a length is not positive, or an end overflows.
    pub fn new(extents: Vec<Extent>) -> Result<TensorSlice> {
        if extents.len() > MAX_DIMS {
            return Err(invalid_argument(format!("a slice has {} dimensions, at most {MAX_DIMS} are allowed", extents.len())));
        }
        for extent in &extents {
            if let Extent::Range { start, length } = *extent
                && (start < 0 || length <= 0 || start.checked_add(length).is_none())
            {
                return Err(invalid_argument(format!(
                    "Expected non-negative start and positive length but got start = {start}, length = {length}"
                )));
            }
        }
        Ok(TensorSlice(extents))
    }

    /// All of a tensor of this rank.
    pub fn full(rank: usize) -> TensorSlice {
        TensorSlice(vec![Extent::Full; rank])
    }

    /// The text form: per dimension `start,length` or `-`, joined by `:`.
    ///
    /// Errors: `InvalidArgument` with the text.
    pub fn parse(text: &str) -> Result<TensorSlice> {
        let bad = || invalid_argument(format!("Expected a pair of numbers or '-' but got '{text}': string = {text}"));
        if text.is_empty() {
            return Ok(TensorSlice(Vec::new()));
        }
        let extent = |part: &str| match part {
            "-" => Ok(Extent::Full),
            _ => {
                let (start, length) = part.split_once(',').ok_or_else(bad)?;
                Ok(Extent::Range { start: start.parse().map_err(|_| bad())?, length: length.parse().map_err(|_| bad())? })
            }
        };
        let extents = text.split(':').map(extent).collect::<Result<Vec<_>>>()?;
        TensorSlice::new(extents).map_err(|e| invalid_argument(format!("{}: string = {text}", e.bare_message())))
    }

    /// The extents.
    pub fn extents(&self) -> &[Extent] {
        &self.0
    }

    /// Which elements of a tensor of shape `full` it takes.
    ///
    /// Errors: `InvalidArgument` if the ranks differ or the slice reaches out of the tensor.
    pub(crate) fn region(&self, full: &Shape) -> Result<Region> {
        let outside = || invalid_argument(format!("slice {self} does not fit a tensor of shape {full}"));
        if self.0.len() != full.rank() {
            return Err(outside());
        }
        let mut region = Region::whole(full);
        for (i, (extent, &dim)) in self.0.iter().zip(full.dims()).enumerate() {
            if let Extent::Range { start, length } = *extent {
                if start.checked_add(length).is_none_or(|end| end > dim) {
                    return Err(outside());
                }
                region.set(i, start, length);
            }
        }
        Ok(region)
    }

    /// The key of the data of this slice of `name`.
    pub(crate) fn key(&self, name: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        put_number(&mut key, 0);
        put_string(&mut key, name);
        put_number(&mut key, self.0.len() as u64);
        for extent in &self.0 {
            let (start, length) = match *extent {
                Extent::Full => (0, -1),
                Extent::Range { start, length } => (start, length),
            };
            put_signed(&mut key, start);
            put_signed(&mut key, length);
        }
        key
    }

    pub(crate) fn from_proto(proto: &TensorSliceProto) -> Result<TensorSlice> {
        let extent = |e: &ExtentProto| match e.has_length {
            None => Extent::Full,
            Some(HasLength::Length(length)) => Extent::Range { start: e.start, length },
        };
        TensorSlice::new(proto.extent.iter().map(extent).collect())
    }

    pub(crate) fn to_proto(&self) -> TensorSliceProto {
        let extent = |e: &Extent| match *e {
            Extent::Full => ExtentProto::default(),
            Extent::Range { start, length } => ExtentProto { start, has_length: Some(HasLength::Length(length)) },
        };
        TensorSliceProto { extent: self.0.iter().map(extent).collect() }
    }
}

/// The text form, such as `4,3:-`.
impl fmt::Display for TensorSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, extent) in self.0.iter().enumerate() {
            let colon = if i == 0 { "" } else { ":" };
            match extent {
                Extent::Full => write!(f, "{colon}-")?,
                Extent::Range { start, length } => write!(f, "{colon}{start},{length}")?,
            }
        }
        Ok(())
    }
}

/// What a `shape_and_slices` string of `SaveV2` and `RestoreV2` says, such as `10 2 4,3:-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeAndSlice {
    /// Shape of the whole tensor.
    pub full_shape: Shape,
    /// The part that is meant.
    pub slice: TensorSlice,
    /// Shape of the part.
    pub slice_shape: Shape,
}

impl ShapeAndSlice {
    /// A part of a tensor.
    ///
    /// Errors: `InvalidArgument` if the slice does not fit the shape.
    pub fn new(full_shape: Shape, slice: TensorSlice) -> Result<ShapeAndSlice> {
        let slice_shape = slice.region(&full_shape)?.shape()?;
        Ok(ShapeAndSlice { full_shape, slice, slice_shape })
    }

    /// Parses a spec; `None` for the empty string, which means the whole tensor.
    ///
    /// Errors: `InvalidArgument` with the spec.
    pub fn parse(spec: &str) -> Result<Option<ShapeAndSlice>> {
        if spec.is_empty() {
            return Ok(None);
        }
        let mut parts: Vec<&str> = spec.split(' ').collect();
        let slice = parts.pop().unwrap_or_default();
        if parts.is_empty() {
            return Err(invalid_argument(format!("Need least two elements in shape_and_slice specification: {spec}")));
        }
        let dim = |d: &&str| d.parse::<i64>().map_err(|_| invalid_argument(format!("Non numerical dimension in shape_and_slice: {spec}")));
        let in_spec = |e: Error| invalid_argument(format!("{} in shape_and_slice: {spec}", e.bare_message()));
        let full_shape = Shape::new(&parts.iter().map(dim).collect::<Result<Vec<_>>>()?).map_err(in_spec)?;
        let slice = TensorSlice::parse(slice).map_err(in_spec)?;
        ShapeAndSlice::new(full_shape, slice).map(Some).map_err(in_spec)
    }
}

/// The text of a spec.
impl fmt::Display for ShapeAndSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.full_shape.dims().iter().try_for_each(|d| write!(f, "{d} "))?;
        fmt::Display::fmt(&self.slice, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::Code;

    #[test]
    fn keys_match_recorded_bytes() {
        let key = |name: &[u8], slice: &str| TensorSlice::parse(slice).unwrap().key(name);
        assert_eq!(key(b"part", "4,3:0,2"), b"\x00part\x00\x01\x01\x02\x84\x83\x80\x82");
        assert_eq!(key(b"a", "0,35000:-"), b"\x00a\x00\x01\x01\x02\x80\xe0\x88\xb8\x80\x7f");
        assert_eq!(key(b"b\xff", "5,50:64,8000"), b"\x00b\xff\x00\x00\x01\x01\x02\x85\xb2\xc0\x40\xdf\x40");
    }

    #[test]
    fn specs_are_parsed() {
        let spec = ShapeAndSlice::parse("10 2 4,3:-").unwrap().unwrap();
        assert_eq!(spec.full_shape.dims(), [10, 2]);
        assert_eq!(spec.slice_shape.dims(), [3, 2]);
        assert_eq!(spec.to_string(), "10 2 4,3:-");
        assert_eq!(ShapeAndSlice::parse("").unwrap(), None);
        assert_eq!(ShapeAndSlice::parse("5 0,5").unwrap().unwrap().slice_shape.dims(), [5]);
    }

    #[test]
    fn specs_that_do_not_fit_are_refused_with_their_text() {
        for spec in [
            "2 0,9",
            "x 0,1",
            "10",
            "2 2 0,1",
            "2 0,1:0,1",
            "-2 0,1",
            "2 0,0",
            "2 -1,1",
            "2 1",
            "2 ",
            " 0,1",
            "2 0,9223372036854775807",
            "2 9223372036854775807,9",
            "2  0,1",
            "9223372036854775807 2 -:-",
        ] {
            let e = ShapeAndSlice::parse(spec).unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument, "{spec}");
            assert!(e.message().contains(spec), "{e}");
        }
    }

    #[test]
    fn slices_survive_their_message() {
        let slice = TensorSlice::parse("4,3:-:0,2").unwrap();
        assert_eq!(TensorSlice::from_proto(&slice.to_proto()).unwrap(), slice);
        assert!(TensorSlice::new(vec![Extent::Range { start: -1, length: 1 }]).is_err());
    }
}
