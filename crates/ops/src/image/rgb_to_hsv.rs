//! `RGBToHSV`: colours as hue, saturation and value.

use super::color::{check_channels, map_pixels, pixels_shape, to_hsv};
use crate::math::backward::{apply, number};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RGBToHSV(images: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double} = float",
    doc: "Each pixel's red, green and blue in [0, 1] as hue, saturation and value.",
    shape: pixels_shape::<1>,
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    check_channels(x, 1)?;
    let y = map_pixels(ctx, x, to_hsv)?;
    ctx.set_output(0, y);
    Ok(())
}

/// Splits the last dimension of three.
fn channels(x: &Output) -> [Output; 3] {
    let axis = x.graph().constant(-1i32);
    let parts = x.graph().op("Split").inputs([axis, x.clone()]).attr("num_split", 3i64).build();
    [0, 1, 2].map(|i| parts.output(i))
}

/// With v, m the greatest and least channel, range = v - m and hue = n / (6 range) + a constant, where n is the difference of the two
/// channels that are not v's: every part depends on a channel only through v, m and n. Where channels are equal, the first counts.
fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let x = op.input(0);
    let [r, g, b] = &channels(&x);
    let [d_hue, d_saturation, d_value] = &channels(&grads.dense(0));
    let binary = |name: &'static str| move |a: &Output, b: &Output| apply(name, &[a, b]);
    let (add, sub, mul, div) = (binary("AddV2"), binary("Sub"), binary("Mul"), binary("DivNoNan"));
    let one = number(&x, 1.0);
    let v = binary("Maximum")(&binary("Maximum")(r, g), b);
    let m = binary("Minimum")(&binary("Minimum")(r, g), b);
    let range = sub(&v, &m);
    // 1 for the first channel that is equal to `to`, else 0.
    let which = |to: &Output| {
        let is = |c: &Output| x.graph().op("Cast").input(apply("Equal", &[c, to])).attr("DstT", x.dtype()).output();
        let first = is(r);
        let second = mul(&sub(&one, &first), &is(g));
        let third = sub(&sub(&one, &first), &second);
        [first, second, third]
    };
    let (greatest, least) = (which(&v), which(&m));
    let n = add(&add(&mul(&greatest[0], &sub(g, b)), &mul(&greatest[1], &sub(b, r))), &mul(&greatest[2], &sub(r, g)));
    let six_range = mul(&number(&x, 6.0), &range);
    let (over_range, over_square) = (div(&one, &six_range), div(&n, &mul(&six_range, &range)));
    let (saturation_by_v, saturation_by_m) = (div(&m, &mul(&v, &v)), div(&one, &v));
    let parts = (0..3).map(|c| {
        // n grows with the next channel after v's and falls with the one before.
        let by_n = sub(&greatest[(c + 2) % 3], &greatest[(c + 1) % 3]);
        let hue = sub(&mul(&by_n, &over_range), &mul(&over_square, &sub(&greatest[c], &least[c])));
        let saturation = sub(&mul(&greatest[c], &saturation_by_v), &mul(&least[c], &saturation_by_m));
        add(&add(&mul(d_hue, &hue), &mul(d_saturation, &saturation)), &mul(d_value, &greatest[c]))
    });
    let axis = x.graph().constant(-1i32);
    let dx = x.graph().op("ConcatV2").input_list(parts.collect::<Vec<_>>()).input(axis).output();
    Ok(vec![Some(dx.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let x = [0.2, 0.5, 0.9, 0.9, 0.3, 0.1, 0.4, 0.8, 0.1, 0.7, 0.2, 0.5, 0.3, 0.6, 0.5, 0.1, 0.2, 0.15];
        check_gradient(&[tensor(&[6, 3], &x)], |graph, inputs| graph.op("RGBToHSV").inputs(inputs.to_vec()).build());
    }
}
