//! `BiasAdd`: adding one number to each channel.

use super::bias::{bias_add, bias_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BiasAdd(value: T, bias: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"",
    doc: "output = value + bias, one bias for each channel: the last dimension of value, or the second for NCHW.",
    shape: bias_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(bias_add).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (dy, format) = (grads.dense(0), op.with_attrs(|a| a.bytes("data_format").cloned())?);
    let db = op.graph().op("BiasAddGrad").input(&dy).attr("data_format", format).output();
    Ok(vec![Some(dy.into()), Some(db.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_last_or_second() {
        let run = |format: &str, bias: &[f32]| {
            let value = tensor(&[1, 2, 3], &[0f32, 1.0, 2.0, 3.0, 4.0, 5.0]);
            OpTester::new(&OP).input(value).input(tensor(&[bias.len() as i64], bias)).attr("data_format", format).run_one()
        };
        assert_eq!(run("NHWC", &[10.0, 20.0, 30.0]).unwrap().as_slice::<f32>().unwrap(), [10.0, 21.0, 32.0, 13.0, 24.0, 35.0]);
        assert_eq!(run("NCHW", &[10.0, 20.0]).unwrap().as_slice::<f32>().unwrap(), [10.0, 11.0, 12.0, 23.0, 24.0, 25.0]);
        let e = run("NHWC", &[1.0]).unwrap_err();
        assert_eq!(e.bare_message(), "Must provide as many biases as the last dimension of the input tensor: [1] vs. [1,2,3]");
    }
}
