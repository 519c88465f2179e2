//! `VariableShape`: the shape of a resource variable's value.

use super::variable_access::variable;
use crate::types::INDEX;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference::ShapeContext;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "VariableShape(input: resource) -> (output: out_type)",
    attrs: "out_type: type in {int32, int64} = int32",
    flags: "stateful",
    doc: "The dimensions as a vector of out_type.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("out_type", INDEX).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let out_type = ctx.node.attrs.dtype("out_type")?;
    let out = variable(ctx, 0)?.update(|value| match out_type {
        DType::Int64 => Tensor::vector(value.dims()),
        _ => {
            let small: Option<Vec<i32>> = value.dims().iter().map(|&d| i32::try_from(d).ok()).collect();
            Tensor::vector(&small.ok_or_else(|| invalid_argument(format!("a dimension of {} does not fit {out_type}", value.shape())))?)
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = c.input_handle(0).and_then(|(_, shape)| shape.rank());
    c.set_output(0, PartialShape::new(&[rank.map(|r| r as i64)]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::variable_access::tests::handle;
    use crate::testing::{OpTester, bare_step, tensor};
    use ferroflow_tensor::Code;

    #[test]
    fn it_is_the_shape_of_the_value() {
        let step = bare_step(1);
        let v = handle(&step, "v", Some(tensor(&[2, 3], &[0f32; 6])));
        let ask = |v, dtype| OpTester::new(&OP).input(v).attr("out_type", dtype).step(&step).run_one();
        assert_eq!(ask(v.clone(), DType::Int32).unwrap().as_slice::<i32>().unwrap(), [2, 3]);
        assert_eq!(ask(v, DType::Int64).unwrap().as_slice::<i64>().unwrap(), [2, 3]);
        assert_eq!(ask(handle(&step, "w", None), DType::Int32).unwrap_err().code(), Code::NotFound);
    }
}
