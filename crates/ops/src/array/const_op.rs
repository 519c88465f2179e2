//! `Const`: a tensor that is part of the graph.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Const() -> (output: dtype)",
    attrs: "value: tensor; dtype: type",
    doc: "The tensor `value`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build).inline()],
    ..WORDS
};

struct Const(Tensor);

impl OpKernel for Const {
    fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        ctx.set_output(0, self.0.clone());
        Ok(())
    }
}

fn value(attrs: &AttrMap) -> Result<&Tensor> {
    let (value, dtype) = (attrs.tensor("value")?, attrs.dtype("dtype")?);
    if value.dtype() != dtype {
        return Err(invalid_argument(format!("Type mismatch between value ({}) and dtype ({dtype})", value.dtype())));
    }
    Ok(value)
}

fn build(c: &KernelConstruction) -> Result<Box<dyn OpKernel>> {
    Ok(Box::new(Const(value(&c.node.attrs)?.clone())))
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = value(&c.node().attrs)?.shape();
    c.set_output(0, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_shared_and_its_type_checked() {
        let t = tensor(&[2], &[1f32, 2.0]);
        let y = OpTester::new(&OP).attr("value", t.clone()).attr("dtype", DType::Float).run_one().unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap().as_ptr(), t.as_slice::<f32>().unwrap().as_ptr());
        let e = OpTester::new(&OP).attr("value", t).attr("dtype", DType::Int32).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }
}
