//! `RestoreV2`: tensors out of a checkpoint.

use super::arguments::{file_system, text, texts};
use crate::prelude::*;
use ferroflow_io::{BundleReader, ShapeAndSlice};

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
    let reader = BundleReader::open(&file_system(), &prefix)?;
    for (i, (name, slice)) in names.iter().zip(&slices).enumerate() {
        ctx.step.check_cancelled()?;
        let t = reader.restore(name, slice, ctx.node.output_types[i].dtype)?;
        ctx.set_output(i, t);
    }
    Ok(())
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
