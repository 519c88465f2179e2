//! `CheckNumerics`: fails on NaN and infinities.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "CheckNumerics(tensor: T) -> (output: T)",
    attrs: "T: type in {bfloat16, half, float, double}; message: string",
    flags: "stateful",
    doc: "The same tensor; an error that starts with `message` if an element is NaN or infinite.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (nan, infinite) = with_float!(x.dtype() => T, {
        let values = x.as_slice::<T>()?;
        // Most tensors are fine: one pass decides, a second one finds out what is wrong.
        if values.iter().all(|v| v.is_finite()) {
            (false, false)
        } else {
            (values.iter().any(|v| v.is_nan()), values.iter().any(|v| v.is_infinite()))
        }
    }, else { return Err(unsupported("CheckNumerics", x.dtype())) });
    let found = match (nan, infinite) {
        (false, false) => return ctx.pass_on(0, 0),
        (true, false) => "NaN",
        (false, true) => "Inf",
        (true, true) => "Inf and NaN",
    };
    Err(invalid_argument(format!("{} : Tensor had {found} values", ctx.node.attrs.str("message")?)))
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let message = op.with_attrs(|a| a.str("message").map(str::to_owned))?;
    let message = format!("Not a number (NaN) or infinity (Inf) values detected in gradient. {message}");
    let g = op.graph().op("CheckNumerics").input(grads.dense(0)).attr("message", message).output();
    Ok(vec![Some(g.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_says_what_was_found() {
        let check = |x: &[f32]| OpTester::new(&OP).input(tensor(&[x.len() as i64], x)).attr("message", "m").run_one();
        assert_eq!(check(&[1.0, -0.0]).unwrap().as_slice::<f32>().unwrap(), [1.0, 0.0]);
        assert!(check(&[]).is_ok());
        assert_eq!(check(&[f32::NAN]).unwrap_err().bare_message(), "m : Tensor had NaN values");
        assert_eq!(check(&[f32::INFINITY]).unwrap_err().bare_message(), "m : Tensor had Inf values");
        assert_eq!(check(&[f32::NEG_INFINITY, f32::NAN]).unwrap_err().bare_message(), "m : Tensor had Inf and NaN values");
    }
}
