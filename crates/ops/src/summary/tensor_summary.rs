//! `TensorSummary`: a tensor under the name of the node, for event files.

use crate::prelude::*;
use ferroflow_proto::summary::Value as SummaryValue;
use ferroflow_proto::summary::value::Value as Kind;
use ferroflow_proto::{Message, Summary};

pub const OP: OpSpec = OpSpec {
    signature: "TensorSummary(tensor: T) -> (summary: string)",
    attrs: "T: type; description: string = \"\"; labels: list(string) = []; display_name: string = \"\"",
    doc: "A serialized `Summary` with `tensor` under the node's name.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let value = Kind::Tensor(ferroflow_tensor::to_proto(ctx.input(0)?)?);
    let value = SummaryValue { node_name: ctx.node.name.to_string(), value: Some(value), ..SummaryValue::default() };
    let bytes = Summary { value: vec![value] }.encode_to_vec();
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_carries_the_nodes_name() {
        let y = OpTester::new(&OP).name("watched").input(tensor(&[1], &[5i32])).run_one().unwrap();
        let summary = Summary::decode(y.as_strings().unwrap()[0].clone()).unwrap();
        assert_eq!(summary.value[0].node_name, "watched");
        let Some(Kind::Tensor(t)) = &summary.value[0].value else { panic!("no tensor") };
        assert_eq!(ferroflow_tensor::from_proto(t).unwrap().as_slice::<i32>().unwrap(), [5]);
    }
}
