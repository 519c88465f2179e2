//! `RefSelect`: one of several references to variables.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefSelect(index: int32, inputs: Ref(N * T)) -> (output: Ref(T))",
    attrs: "T: type; N: int >= 1",
    doc: "The reference `inputs[index]`.",
    shape,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let index = ctx.input(0)?;
    if !index.shape().is_scalar() {
        return Err(invalid_argument(format!("Index must be a scalar, but it has shape {}", index.shape())));
    }
    let (index, n) = (index.to_scalar::<i32>()?, ctx.num_inputs() - 1);
    match usize::try_from(index).ok().filter(|&i| i < n) {
        Some(i) => ctx.pass_on(i + 1, 0),
        None => Err(invalid_argument(format!("Index must be in the range [0, {n}) but got {index}"))),
    }
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(0, 0)?;
    let mut s = c.input(1);
    for i in 2..c.num_inputs() {
        s = s.widen(&c.input(i));
    }
    c.set_output(0, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestNode, bare_step};
    use ferroflow_graph::NodeInfo;
    use ferroflow_graph::kernel::Variable;
    use std::sync::Arc;

    #[test]
    fn the_reference_itself_is_passed_on() {
        let mut attrs = AttrMap::new();
        attrs.insert("T", DType::Float);
        attrs.insert("N", 2i64);
        let node = NodeInfo::new("select", crate::registry().get("RefSelect").unwrap().clone(), attrs).unwrap();
        let node = TestNode::new(Arc::new(node), bare_step(1)).unwrap();
        let variables = [0, 1].map(|i| Arc::new(Variable::new(format!("v{i}"), DType::Float)));
        let run = |index: i32| {
            let inputs = [Value::Tensor(Tensor::scalar(index))].into_iter().chain(variables.iter().cloned().map(Value::Ref));
            node.run(inputs.collect())
        };
        assert!(matches!(&run(1).unwrap()[0], Some(Value::Ref(v)) if Arc::ptr_eq(v, &variables[1])));
        assert_eq!(run(2).err().unwrap().code(), Code::InvalidArgument);
        assert_eq!(run(-1).err().unwrap().code(), Code::InvalidArgument);
    }
}
