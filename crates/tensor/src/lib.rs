//! The words of ferroflow: element types, shapes, tensors, device names and the error.
//!
//! Floor 0: nothing here knows of graphs or of the network. A [`Tensor`] is a dtype, a shape and a shared
//! buffer; dtype and device are run-time values, never type parameters.

mod buffer;
mod codec;
mod device;
mod dtype;
pub mod error;
mod handle;
mod memory;
mod philox;
mod pool;
mod shape;
mod tensor;

pub use buffer::Buffer;
pub use codec::{
    from_proto, handle_from_bytes, handle_to_bytes, partial_shape_from_proto, partial_shape_to_proto, shape_from_proto, shape_to_proto,
    to_proto,
};
pub use device::DeviceSpec;
pub use dtype::{DType, EdgeType, Element};
pub use error::{Code, Error, Result};
pub use handle::{ResourceHandle, Variant, VariantValue};
pub use philox::Philox;
pub use pool::trim_memory;
pub use shape::{MAX_DIMS, PartialShape, Shape};
pub use tensor::Tensor;
