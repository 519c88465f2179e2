//! Rows of tensors of any type: cutting a batch into elements and joining elements into a batch, padded where they differ.

use ferroflow_tensor::error::{invalid_argument, unimplemented};
use ferroflow_tensor::{DType, Result, Shape, Tensor};

/// Row `i` without its first dimension, as a tensor of its own memory.
///
/// Errors: `InvalidArgument` for a scalar or a row that does not exist; `ResourceExhausted` without memory.
pub(crate) fn row(batch: &Tensor, i: usize) -> Result<Tensor> {
    let row = batch.rows(i, 1)?;
    let shape = Shape::new(&batch.dims()[1..])?;
    // A shared row would keep the whole batch alive for as long as one element waits.
    row.deep_copy()?.reshaped(shape)
}

/// Elements of one shape below each other, with a new first dimension.
///
/// Errors: `InvalidArgument` if they differ in type or shape; `ResourceExhausted` without memory.
pub(super) fn stack(dtype: DType, element_shape: &Shape, elements: &[&Tensor]) -> Result<Tensor> {
    if let Some(other) = elements.iter().find(|t| t.dtype() != dtype || t.shape() != element_shape) {
        return Err(invalid_argument(format!(
            "elements of a batch must all be {dtype}{element_shape}, got {}{}",
            other.dtype(),
            other.shape()
        )));
    }
    let dims = [&[elements.len() as i64], element_shape.dims()].concat();
    join(dtype, Shape::new(&dims)?, elements)
}

/// The elements of all tensors, one tensor after the other, in the memory of one of this shape. The numbers of elements must add up.
///
/// Errors: `InvalidArgument` if types or numbers do not fit; `ResourceExhausted` without memory.
pub(crate) fn join(dtype: DType, shape: Shape, parts: &[&Tensor]) -> Result<Tensor> {
    let total: usize = parts.iter().map(|t| t.num_elements()).sum();
    if total != shape.num_elements() || parts.iter().any(|t| t.dtype() != dtype) {
        return Err(invalid_argument(format!("{total} elements cannot be joined to a {dtype} tensor of shape {shape}")));
    }
    match dtype {
        DType::String => {
            let mut strings = Vec::with_capacity(total);
            for part in parts {
                strings.extend_from_slice(part.as_strings()?);
            }
            Tensor::strings(shape, strings)
        }
        DType::Resource => {
            let mut handles = Vec::with_capacity(total);
            for part in parts {
                handles.extend_from_slice(part.as_resources()?);
            }
            Tensor::resources(shape, handles)
        }
        DType::Variant => {
            let mut variants = Vec::with_capacity(total);
            for part in parts {
                variants.extend_from_slice(part.as_variants()?);
            }
            Tensor::variants(shape, variants)
        }
        _ => {
            let mut out = Tensor::for_overwrite(dtype, shape)?;
            let mut rest = out.bytes_mut()?;
            for part in parts {
                let bytes = part.bytes()?;
                let (here, behind) = rest.split_at_mut(bytes.len());
                here.copy_from_slice(bytes);
                rest = behind;
            }
            Ok(out)
        }
    }
}

/// Elements of one rank below each other, each padded at its ends with zeros (or empty strings) to the largest dimensions.
///
/// Errors: `InvalidArgument` if types or ranks differ; `Unimplemented` for handles and variants; `ResourceExhausted` without memory.
pub(super) fn stack_padded(dtype: DType, least: &[i64], elements: &[&Tensor]) -> Result<Tensor> {
    let mut largest = least.to_vec();
    for t in elements {
        if t.rank() != largest.len() || t.dtype() != dtype {
            return Err(invalid_argument(format!("elements of a padded batch differ: {dtype} of rank {}, got {t:?}", largest.len())));
        }
        largest.iter_mut().zip(t.dims()).for_each(|(l, &d)| *l = (*l).max(d));
    }
    let shape = Shape::new(&[&[elements.len() as i64], &largest[..]].concat())?;
    if elements.iter().all(|t| t.dims() == largest) {
        return join(dtype, shape, elements);
    }
    let width: usize = largest.iter().product::<i64>() as usize;
    let mut out = Tensor::zeros(dtype, shape)?;
    for (i, element) in elements.iter().enumerate() {
        let starts = line_starts(element.dims(), &largest);
        let line = element.dims().last().map_or(1, |&d| d as usize);
        if line == 0 {
            continue;
        }
        match dtype {
            DType::String => {
                let (from, to) = (element.as_strings()?, out.make_mut_strings()?);
                for (start, source) in starts.iter().zip(from.chunks_exact(line)) {
                    to[i * width + start..][..line].clone_from_slice(source);
                }
            }
            _ if dtype.is_plain() => {
                let size = dtype.size();
                let (from, to) = (element.bytes()?, out.bytes_mut()?);
                for (start, source) in starts.iter().zip(from.chunks_exact(line * size)) {
                    to[(i * width + start) * size..][..line * size].copy_from_slice(source);
                }
            }
            _ => return Err(unimplemented(format!("elements of type {dtype} cannot be padded"))),
        }
    }
    Ok(out)
}

/// Where each innermost line of a tensor of shape `dims` starts inside one of shape `largest`.
fn line_starts(dims: &[i64], largest: &[i64]) -> Vec<usize> {
    let Some(outer) = dims.len().checked_sub(1) else { return vec![0] };
    let mut starts = vec![0usize];
    let mut stride: usize = largest.iter().product::<i64>() as usize;
    for axis in 0..outer {
        stride /= largest[axis].max(1) as usize;
        starts = starts.iter().flat_map(|&s| (0..dims[axis] as usize).map(move |i| s + i * stride)).collect();
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{strings, tensor};

    #[test]
    fn rows_come_back_as_they_were_stacked() {
        let (a, b) = (tensor(&[2], &[1f32, 2.0]), tensor(&[2], &[3f32, 4.0]));
        let batch = stack(DType::Float, a.shape(), &[&a, &b]).unwrap();
        assert_eq!((batch.dims(), batch.as_slice::<f32>().unwrap()), (&[2i64, 2][..], &[1f32, 2.0, 3.0, 4.0][..]));
        let second = row(&batch, 1).unwrap();
        assert_eq!((second.dims(), second.as_slice::<f32>().unwrap()), (&[2i64][..], &[3f32, 4.0][..]));
        assert!(row(&batch, 2).is_err() && row(&Tensor::scalar(1f32), 0).is_err());
        assert!(stack(DType::Float, a.shape(), &[&a, &tensor(&[1], &[0f32])]).is_err());
    }

    #[test]
    fn smaller_elements_are_padded_at_their_ends() {
        let (a, b) = (tensor(&[1, 2], &[1i32, 2]), tensor(&[2, 1], &[3i32, 4]));
        let batch = stack_padded(DType::Int32, &[0, 0], &[&a, &b]).unwrap();
        assert_eq!((batch.dims(), batch.as_slice::<i32>().unwrap()), (&[2i64, 2, 2][..], &[1i32, 2, 0, 0, 3, 0, 4, 0][..]));
        let words = stack_padded(DType::String, &[0], &[&strings(&[1], &["x"]), &strings(&[2], &["y", "z"])]).unwrap();
        assert_eq!(words.as_strings().unwrap().to_vec(), ["x", "", "y", "z"]);
        let empty = stack_padded(DType::Int32, &[0], &[&tensor(&[0], &[] as &[i32]), &tensor(&[1], &[7i32])]).unwrap();
        assert_eq!(empty.as_slice::<i32>().unwrap(), [0, 7]);
    }
}
