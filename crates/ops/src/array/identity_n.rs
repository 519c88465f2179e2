//! `IdentityN`: its inputs.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IdentityN(input: T) -> (output: T)",
    attrs: "T: list(type) >= 1",
    doc: "The same tensors.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    (0..ctx.num_inputs()).try_for_each(|i| ctx.pass_on(i, i))
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    for i in 0..c.num_inputs() {
        let (s, h) = (c.input(i), c.input_handle(i));
        c.set_output(i, s);
        c.set_output_handle(i, h);
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok((0..op.num_inputs()).map(|i| grads.get(i).cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_of_several_types_pass_through() {
        let y = OpTester::new(&OP).input_list([tensor(&[1], &[1f32]), strings(&[2], &["a", "b"])]).run().unwrap();
        assert_eq!(y[0].as_slice::<f32>().unwrap(), [1.0]);
        assert_eq!(y[1].as_strings().unwrap(), ["a", "b"]);
        assert!(OpTester::new(&OP).input_list([]).run().is_err());
    }
}
