//! `RestoreV2`: tensors out of a checkpoint.

use super::arguments::{file_system, text, texts};
use crate::prelude::*;
use ferroflow_io::{BundleReader, ShapeAndSlice, TensorSliceReader};
use ferroflow_tensor::{Code, Error};

pub const OP: OpSpec = OpSpec {
    signature: "RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes)",
    attrs: "dtypes: list(type) >= 1",
    flags: "stateful",
    doc: "The tensors of these names in the checkpoint of `prefix`, or the parts of them that `shape_and_slices` says.",
    shape,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let prefix = text(ctx, 0, "prefix")?;
    let (names, slices) = (texts(ctx, 1, "tensor_names")?, texts(ctx, 2, "shape_and_slices")?);
    let n = ctx.node.output_types.len();
    if names.len() != n || slices.len() != n {
        return Err(invalid_argument(format!("Got {n} dtypes but {} tensor_names and {} shape_and_slices", names.len(), slices.len())));
    }
    let reader = Checkpoint::open(&prefix)?;
    let mut problems = Vec::new();
    for (i, (name, slice)) in names.iter().zip(&slices).enumerate() {
        ctx.step.check_cancelled()?;
        match reader.restore(name, slice, ctx.node.output_types[i].dtype) {
            Ok(t) => ctx.set_output(i, t),
            Err(e) if matches!(e.code(), Code::NotFound | Code::InvalidArgument) => problems.push(e),
            Err(e) => return Err(e),
        }
    }
    all_at_once(problems)
}

/// A checkpoint of either format.
enum Checkpoint {
    Bundle(BundleReader),
    V1(TensorSliceReader),
}

impl Checkpoint {
    fn open(prefix: &str) -> Result<Checkpoint> {
        match BundleReader::open(&file_system(), prefix) {
            Err(e) if e.code() == Code::NotFound => Ok(Checkpoint::V1(TensorSliceReader::open(&file_system(), prefix)?)),
            bundle => bundle.map(Checkpoint::Bundle),
        }
    }

    fn restore(&self, name: &str, slice: &str, dtype: DType) -> Result<Tensor> {
        match self {
            Checkpoint::Bundle(reader) => reader.restore(name, slice, dtype),
            Checkpoint::V1(reader) => reader.restore(name, slice, dtype),
        }
    }
}

/// One error that tells of all tensors that cannot be restored: whoever restores a checkpoint of another model would otherwise learn of
/// them one by one.
fn all_at_once(problems: Vec<Error>) -> Result<()> {
    const MOST: usize = 20;
    let mut problems = problems.into_iter();
    let Some(first) = problems.next() else { return Ok(()) };
    let others: Vec<String> = problems.map(|e| e.message()).collect();
    if others.is_empty() {
        return Err(first);
    }
    let mut text =
        format!("{}; {} more tensors cannot be restored: {}", first.message(), others.len(), others[..others.len().min(MOST)].join("; "));
    if others.len() > MOST {
        text.push_str("; \u{2026}");
    }
    Err(Error::new(first.code(), text))
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 0)?;
    c.with_rank(1, 1)?;
    c.with_rank(2, 1)?;
    let Some(slices) = c.constant(2) else { return Ok(()) };
    for (i, slice) in slices.as_strings()?.iter().enumerate() {
        let Ok(text) = std::str::from_utf8(slice) else { continue };
        if let Some(part) = ShapeAndSlice::parse(text)? {
            c.set_output(i, part.slice_shape.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_a_part_is_known_from_its_text() {
        let g = crate::graph();
        let strings = |v: &str| g.constant_tensor(strings(&[1], &[v]));
        let prefix = g.constant_tensor(Tensor::string("p"));
        let op = g.op("RestoreV2").inputs([prefix, strings("w"), strings("4 3 0,2:-")]).attr("dtypes", vec![DType::Float]).build();
        g.check().unwrap();
        assert_eq!(op.output(0).shape(), PartialShape::new(&[Some(2), Some(3)]));
    }
}
