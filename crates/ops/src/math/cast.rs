//! `Cast`: conversion between element types.

use crate::prelude::*;
use ferroflow_math::cast;

pub const OP: OpSpec = OpSpec {
    signature: "Cast(x: SrcT) -> (y: DstT)",
    attrs: "SrcT: type; DstT: type; Truncate: bool = false",
    doc: "y = x in type DstT: floats are cut off towards zero, bool means not 0, complex numbers lose their imaginary part.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("SrcT", NUMERIC_AND_BOOL).on("DstT", NUMERIC_AND_BOOL)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (from, to) = (x.dtype(), ctx.node.attrs.dtype("DstT")?);
    if from == to {
        return ctx.pass_on(0, 0);
    }
    let mut y = Tensor::for_overwrite(to, x.shape().clone())?;
    with_numeric_or_bool!(from => S, {
        with_numeric_or_bool!(to => D, {
            cast::<S, D>(x.as_slice()?, y.as_mut_slice()?);
        }, else { return Err(unsupported("Cast", to)) });
    }, else { return Err(unsupported("Cast", from)) });
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (from, to) = (op.input(0).dtype(), op.output(0).dtype());
    let smooth = |t: DType| t.is_floating() || t.is_complex();
    if !smooth(from) || !smooth(to) {
        return Ok(vec![None]);
    }
    let dy = grads.dense(0);
    Ok(vec![Some(op.graph().op("Cast").input(dy).attr("DstT", from).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_cut_off_and_bools_are_0_or_1() {
        let y = OpTester::new(&OP).input(tensor(&[2], &[1.9f32, -1.9])).attr("DstT", DType::Int32).run_one().unwrap();
        assert_eq!(y.as_slice::<i32>().unwrap(), [1, -1]);
        let y = OpTester::new(&OP).input(tensor(&[2], &[true, false])).attr("DstT", DType::Float).run_one().unwrap();
        assert_eq!(y.as_slice::<f32>().unwrap(), [1.0, 0.0]);
    }

    #[test]
    fn strings_have_no_number() {
        assert!(OpTester::new(&OP).input("1").attr("DstT", DType::Int32).run_one().is_err());
    }
}
