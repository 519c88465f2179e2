//! `SaveV2`: tensors into a checkpoint.

use super::arguments::{file_system, text, texts};
use crate::prelude::*;
use ferroflow_io::{BundleWriter, ShapeAndSlice};

pub const OP: OpSpec = OpSpec {
    signature: "SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> ()",
    attrs: "dtypes: list(type) >= 1",
    flags: "stateful",
    doc: "Writes `tensors` under `tensor_names` to the checkpoint of `prefix`. A non-empty element of `shape_and_slices` says which part of \
          a larger tensor the tensor is, such as `10 2 0,4:-`. Nothing appears unless all is written.",
    shape: shape::none,
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let prefix = text(ctx, 0, "prefix")?;
    let (names, slices) = (texts(ctx, 1, "tensor_names")?, texts(ctx, 2, "shape_and_slices")?);
    const FIXED: usize = 3;
    let n = ctx.num_inputs() - FIXED;
    for (what, len) in [("tensor_names", names.len()), ("shape_and_slices", slices.len())] {
        if len != n {
            return Err(invalid_argument(format!("Got {len} elements of {what} but {n} tensors to save")));
        }
    }
    // Everything is checked before anything is written.
    let parts = slices.iter().map(|s| ShapeAndSlice::parse(s)).collect::<Result<Vec<_>>>()?;
    let mut writer = BundleWriter::create(&file_system(), &prefix)?;
    for (i, (name, part)) in names.iter().zip(&parts).enumerate() {
        ctx.step.check_cancelled()?;
        let t = ctx.input(FIXED + i)?;
        match part {
            None => writer.add(name, t)?,
            Some(part) => writer.add_slice(name, part, t)?,
        }
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::super::restore_v2;
    use super::*;

    fn save(prefix: &str, names: &[&str], slices: &[&str], tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let vector = |v: &[&str]| strings(&[v.len() as i64], v);
        OpTester::new(&OP).input(prefix).input(vector(names)).input(vector(slices)).input_list(tensors).run()
    }

    fn restore(prefix: &str, names: &[&str], slices: &[&str], types: &[DType]) -> Result<Vec<Tensor>> {
        let vector = |v: &[&str]| strings(&[v.len() as i64], v);
        OpTester::new(&restore_v2::OP).input(prefix).input(vector(names)).input(vector(slices)).attr("dtypes", types).run()
    }

    #[test]
    fn what_is_saved_is_restored() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join("new/model").display().to_string();
        let w = tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
        save(&prefix, &["w", "s", "p"], &["", "", "4 1 2,2:-"], vec![w, strings(&[1], &["text"]), tensor(&[2, 1], &[7i64, 8])]).unwrap();
        let types = [DType::Float, DType::String, DType::Int64];
        let y = restore(&prefix, &["w", "s", "p"], &["", "", "4 1 3,1:-"], &types).unwrap();
        assert_eq!(y[0].as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(y[1].as_strings().unwrap(), ["text"]);
        assert_eq!((y[2].dims(), y[2].as_slice::<i64>().unwrap()), (&[1i64, 1][..], &[8][..]));
    }

    #[test]
    fn what_cannot_be_restored_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join("model").display().to_string();
        let e = restore(&prefix, &["w"], &[""], &[DType::Float]).unwrap_err();
        assert_eq!(e.code(), Code::NotFound);
        assert!(e.message().contains("Failed to find any matching files for"), "{e}");
        save(&prefix, &["w"], &[""], vec![tensor(&[2], &[1f32, 2.0])]).unwrap();
        let e = restore(&prefix, &["nokey"], &[""], &[DType::Float]).unwrap_err();
        assert_eq!((e.code(), e.bare_message()), (Code::NotFound, "Key nokey not found in checkpoint"));
        let e = restore(&prefix, &["w"], &[""], &[DType::Int32]).unwrap_err();
        assert_eq!(e.bare_message(), "tensor_name = w; expected dtype int32 does not equal original dtype float");
        assert_eq!(restore(&prefix, &["w"], &[], &[DType::Float]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_refused_save_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join("model").display().to_string();
        let one = || tensor(&[1], &[1f32]);
        for (names, slices, tensors) in [
            (&["v"][..], &[][..], vec![one(), one(), one()]),
            (&["v", "v"], &["", ""], vec![one(), one()]),
            (&["v"], &["2 0,9"], vec![one()]),
            (&["v"], &["1 x"], vec![one()]),
            (&[""], &[""], vec![one()]),
        ] {
            assert_eq!(save(&prefix, names, slices, tensors).unwrap_err().code(), Code::InvalidArgument, "{names:?} {slices:?}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
