//! The kernels of the V1 checkpoint ops (TF: `SaveTensors`, `RestoreTensor`).

use super::arguments::{file_system, text, texts};
use crate::prelude::*;
use ferroflow_io::{ShapeAndSlice, TensorSliceReader, TensorSliceWriter};

/// Writes the inputs from the third, or with slices the fourth, on.
pub(super) fn save(ctx: &mut OpKernelContext, with_slices: bool) -> Result<()> {
    let (path, names) = (text(ctx, 0, "filename")?, texts(ctx, 1, "tensor_names")?);
    let first = if with_slices { 3 } else { 2 };
    let n = ctx.num_inputs().saturating_sub(first);
    let slices = if with_slices { texts(ctx, 2, "shapes_and_slices")? } else { vec![String::new(); n] };
    for (what, len) in [("tensor_names", names.len()), ("shapes_and_slices", slices.len())] {
        if len != n {
            return Err(invalid_argument(format!("Got {len} elements of {what} but {n} tensors to save")));
        }
    }
    let mut writer = TensorSliceWriter::new(&file_system(), &path);
    for (i, (name, slice)) in names.iter().zip(&slices).enumerate() {
        ctx.step.check_cancelled()?;
        writer.add(name, ShapeAndSlice::parse(slice)?.as_ref(), ctx.input(first + i)?)?;
    }
    writer.finish()
}

/// Reads one tensor.
pub(super) fn restore(ctx: &mut OpKernelContext, with_slice: bool) -> Result<()> {
    let (pattern, name) = (text(ctx, 0, "file_pattern")?, text(ctx, 1, "tensor_name")?);
    let slice = if with_slice { text(ctx, 2, "shape_and_slice")? } else { String::new() };
    let t = TensorSliceReader::open(&file_system(), &pattern)?.restore(&name, &slice, ctx.node.output_types[0].dtype)?;
    ctx.set_output(0, t);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{restore, restore_slice, restore_v2, save, save_slices};
    use super::*;

    #[test]
    fn what_is_saved_is_restored_also_by_the_ops_of_the_new_format() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("model").display().to_string();
        let names = |v: &[&str]| strings(&[v.len() as i64], v);
        let saving = OpTester::new(&save_slices::OP).input(path.as_str()).input(names(&["a", "b"])).input(names(&["", "4 2,2"]));
        saving.input_list(vec![tensor(&[3], &[1i32, 2, 3]), tensor(&[2], &[1.5f32, 2.5])]).run().unwrap();
        let read = |name: &str, dtype| OpTester::new(&restore::OP).input(path.as_str()).input(name).attr("dt", dtype).run_one();
        assert_eq!(read("a", DType::Int32).unwrap().as_slice::<i32>().unwrap(), [1, 2, 3]);
        assert_eq!(read("b", DType::Float).unwrap_err().code(), Code::InvalidArgument, "only a part is there");
        assert_eq!(read("c", DType::Float).unwrap_err().code(), Code::NotFound);
        let part = OpTester::new(&restore_slice::OP).input(path.as_str()).input("b").input("4 3,1").attr("dt", DType::Float).run_one();
        assert_eq!(part.unwrap().as_slice::<f32>().unwrap(), [2.5]);
        let new = OpTester::new(&restore_v2::OP).input(path.as_str()).input(names(&["a"])).input(names(&[""]));
        assert_eq!(new.attr("dtypes", &[DType::Int32][..]).run().unwrap()[0].as_slice::<i32>().unwrap(), [1, 2, 3]);
        let uneven = OpTester::new(&save::OP).input(path.as_str()).input(names(&["a", "b"])).input_list(vec![tensor(&[1], &[1i32])]);
        assert_eq!(uneven.run().unwrap_err().code(), Code::InvalidArgument);
    }
}
