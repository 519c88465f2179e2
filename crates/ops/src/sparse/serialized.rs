//! Sparse tensors as three serialised tensors each, and batches of sparse tensors put together again (TF: `serialize_sparse_op`).

use super::coo::{Coo, choose, elements, filled, matrix, set_sparse_shape};
use crate::prelude::*;
use bytes::Bytes;
use ferroflow_proto::{Message, TensorProto};
use ferroflow_tensor::Variant;

/// What TF calls a tensor inside a variant.
const TENSOR: &str = "tensorflow::Tensor";

/// A tensor as the bytes of its message.
///
/// Errors: `InvalidArgument` for a tensor that cannot leave the process.
pub(crate) fn to_bytes(t: &Tensor) -> Result<Bytes> {
    Ok(ferroflow_tensor::to_proto(t)?.encode_to_vec().into())
}

/// The tensor of a serialised message.
///
/// Errors: `InvalidArgument` for bytes that are none.
pub(crate) fn from_bytes(bytes: &Bytes) -> Result<Tensor> {
    let proto = TensorProto::decode(bytes.clone()).map_err(|_| invalid_argument("Could not parse a serialized tensor"))?;
    ferroflow_tensor::from_proto(&proto)
}

/// Tensors as elements of this type, string or variant.
///
/// Errors: `Unimplemented` for another type.
pub(crate) fn pack(dtype: DType, shape: Shape, parts: &[Tensor]) -> Result<Tensor> {
    match dtype {
        DType::String => Tensor::strings(shape, parts.iter().map(to_bytes).collect::<Result<_>>()?),
        DType::Variant => {
            let variant = |t: &Tensor| Variant::Encoded { type_name: TENSOR.to_owned(), metadata: Bytes::new(), tensors: vec![t.clone()] };
            Tensor::variants(shape, parts.iter().map(variant).collect())
        }
        other => Err(unsupported("SerializeSparse", other)),
    }
}

/// The tensors that [`pack`] put into elements.
///
/// Errors: `InvalidArgument` for elements that hold no tensor.
pub(super) fn unpack(t: &Tensor) -> Result<Vec<Tensor>> {
    match t.dtype() {
        DType::String => t.as_strings()?.iter().map(from_bytes).collect(),
        _ => {
            let tensor = |v: &Variant| match v {
                Variant::Encoded { type_name, tensors, .. } if type_name == TENSOR && tensors.len() == 1 => Ok(tensors[0].clone()),
                _ => Err(invalid_argument("Could not get a tensor from a variant")),
            };
            t.as_variants()?.iter().map(tensor).collect()
        }
    }
}

/// One sparse tensor of a batch.
pub(super) struct Member {
    pub(super) indices: Tensor,
    pub(super) values: Tensor,
    pub(super) shape: Tensor,
}

impl Member {
    /// The member of three tensors.
    ///
    /// Errors: `InvalidArgument` if they make no sparse tensor of this type.
    pub(super) fn new(parts: &[Tensor], dtype: DType) -> Result<Member> {
        let [indices, values, shape] = parts else { return Err(invalid_argument("a serialized sparse tensor has three parts")) };
        if indices.dtype() != DType::Int64 || shape.dtype() != DType::Int64 {
            return Err(invalid_argument("indices and shape of a serialized sparse tensor must be int64"));
        }
        if values.dtype() != dtype {
            return Err(invalid_argument(format!(
                "Requested SparseTensor of type {dtype} but the serialized values are of type {}",
                values.dtype()
            )));
        }
        Coo::of(indices, values, shape)?;
        Ok(Member { indices: indices.clone(), values: values.clone(), shape: shape.clone() })
    }
}

/// The rows of a sparse tensor, that is its parts along the first dimension, whose coordinates ascend there.
///
/// Errors: `InvalidArgument` if the tensor has no rows or its coordinates do not fit.
pub(super) fn rows(x: &Coo) -> Result<Vec<Member>> {
    if x.rank() < 2 {
        return Err(invalid_argument(format!("Rank of input SparseTensor should be > 1, but saw rank: {}", x.rank())));
    }
    let shape = Tensor::vector(&x.dims[1..])?;
    let n = x.dims[0] as usize;
    let mut members: Vec<Vec<usize>> = filled(n, vec![])?;
    for i in x.order() {
        match usize::try_from(x.at(i)[0]).ok().and_then(|r| members.get_mut(r)) {
            Some(row) => row.push(i),
            None => {
                return Err(invalid_argument(format!(
                    "Received unexpected column 0 value in input SparseTensor: {} not in [0, {n})",
                    x.at(i)[0]
                )));
            }
        }
    }
    let member = |which: Vec<usize>| {
        let indices: Vec<i64> = which.iter().flat_map(|&i| &x.at(i)[1..]).copied().collect();
        Ok(Member {
            indices: matrix(which.len(), x.rank() - 1, &indices)?,
            values: super::coo::pick(x.values, &which)?,
            shape: shape.clone(),
        })
    };
    members.into_iter().map(member).collect()
}

/// Sets the outputs to one sparse tensor of all members, with the dimensions `outer` in front of theirs. A shape that differs among
/// members becomes the largest in each dimension.
///
/// Errors: `InvalidArgument` if the members are of different ranks.
pub(super) fn set_batch(ctx: &mut OpKernelContext, members: &[Member], outer: &[i64], dtype: DType) -> Result<()> {
    let rank = members.first().map_or(0, |m| m.shape.num_elements());
    let mut dims = vec![0i64; rank];
    let (mut indices, mut which) = (Vec::new(), Vec::new());
    for (m, member) in members.iter().enumerate() {
        let x = Coo::of(&member.indices, &member.values, &member.shape)?;
        if x.rank() != rank {
            return Err(invalid_argument(format!(
                "Inconsistent rank across SparseTensors: rank prior to SparseTensor[{m}] was: {rank} but rank of SparseTensor[{m}] is: {}",
                x.rank()
            )));
        }
        dims.iter_mut().zip(x.dims.iter()).for_each(|(d, &own)| *d = own.max(*d));
        let mut at = vec![0i64; outer.len()];
        let mut rest = m as i64;
        for (a, &d) in at.iter_mut().zip(outer).rev() {
            *a = rest % d.max(1);
            rest /= d.max(1);
        }
        for i in 0..x.len() {
            indices.extend_from_slice(&at);
            indices.extend_from_slice(x.at(i));
            which.push((m, i));
        }
    }
    let shape = [outer, &dims].concat();
    elements(&shape)?;
    let none = Tensor::zeros(dtype, Shape::new(&[0])?)?;
    let sources: Vec<&Tensor> = members.iter().map(|m| &m.values).chain([&none]).collect();
    let outputs = [matrix(which.len(), shape.len(), &indices)?, choose(&sources, &which)?, Tensor::vector(&shape)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

/// The shape of a sparse tensor of unknown rank.
///
/// Errors: none.
pub(super) fn batch_shape(c: &mut ShapeContext) -> Result<()> {
    set_sparse_shape(c, 0, None);
    Ok(())
}
