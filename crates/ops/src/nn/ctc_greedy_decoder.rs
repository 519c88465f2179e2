//! `CTCGreedyDecoder`: the likeliest class of each moment as a sequence.

use crate::prelude::*;
use ferroflow_tensor::Element;
use ferroflow_tensor::error::failed_precondition;
use num_traits::Float;

pub const OP: OpSpec = OpSpec {
    signature: "CTCGreedyDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T)",
    attrs: "merge_repeated: bool = false; blank_index: int = -1; T: type in {float, double} = float",
    doc: "For each sequence of the batch the likeliest classes without blanks (and, if `merge_repeated`, without repetitions) as a sparse matrix, and the negative sum of their scores.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

struct Decoded<T> {
    sequences: Vec<Vec<i64>>,
    scores: Vec<T>,
}

fn decode<T: Float + Element>(x: &Tensor, lengths: &[i32], blank: usize, merge: bool) -> Result<Decoded<T>> {
    let (batch, classes) = (x.dims()[1] as usize, x.dims()[2] as usize);
    let scores = x.as_slice::<T>()?;
    let mut decoded = Decoded { sequences: vec![vec![]; batch], scores: vec![T::zero(); batch] };
    for b in 0..batch {
        let mut before = None;
        for t in 0..lengths[b].max(0) as usize {
            let row = &scores[(t * batch + b) * classes..][..classes];
            let best = (1..classes).fold(0, |best, c| if row[c] > row[best] { c } else { best });
            decoded.scores[b] = decoded.scores[b] - row[best];
            if best != blank && !(merge && before == Some(best)) {
                decoded.sequences[b].push(best as i64);
            }
            before = Some(best);
        }
    }
    Ok(decoded)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, lengths) = (ctx.input(0)?, ctx.input(1)?);
    let &[time, batch, classes] = x.dims() else { return Err(invalid_argument(format!("inputs is not a 3-Tensor: {}", x.shape()))) };
    if x.num_elements() == 0 {
        return Err(invalid_argument("inputs must not be empty"));
    }
    if lengths.rank() != 1 {
        return Err(invalid_argument(format!("sequence_length is not a vector: {}", lengths.shape())));
    }
    if lengths.dims()[0] != batch {
        return Err(failed_precondition(format!(
            "sequence_length must be a vector of the batch's size {batch}, got shape {}",
            lengths.shape()
        )));
    }
    let lengths = lengths.as_slice::<i32>()?;
    if let Some(bad) = lengths.iter().find(|l| i64::from(**l) > time) {
        return Err(failed_precondition(format!("sequence_length must be at most {time}, got {bad}")));
    }
    let given = ctx.node.attrs.int("blank_index")?;
    let blank = if given < 0 { given.saturating_add(classes) } else { given };
    if !(0..classes).contains(&blank) {
        return Err(invalid_argument(format!("blank_index must be in [-{classes}, {classes}), got {given}")));
    }
    let merge = ctx.node.attrs.bool("merge_repeated")?;
    let (sequences, scores) = if x.dtype() == DType::Float {
        let d = decode::<f32>(x, lengths, blank as usize, merge)?;
        (d.sequences, Tensor::from_slice(Shape::new(&[batch, 1])?, &d.scores)?)
    } else {
        let d = decode::<f64>(x, lengths, blank as usize, merge)?;
        (d.sequences, Tensor::from_slice(Shape::new(&[batch, 1])?, &d.scores)?)
    };
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for (b, sequence) in sequences.iter().enumerate() {
        indices.extend((0..sequence.len()).flat_map(|t| [b as i64, t as i64]));
        values.extend_from_slice(sequence);
    }
    let longest = sequences.iter().map(Vec::len).max().unwrap_or(0);
    let outputs = [
        crate::sparse::coo::matrix(values.len(), 2, &indices)?,
        Tensor::vector(&values)?,
        Tensor::vector(&[batch, longest as i64])?,
        scores,
    ];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 3)?;
    c.with_rank(1, 1)?;
    crate::sparse::coo::set_sparse_shape(c, 0, Some(2));
    c.set_output(3, PartialShape::new(&[x.dim(1), Some(1)]));
    Ok(())
}
