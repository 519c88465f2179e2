//! The gradient of every op of the families math and nn agrees with central differences.

use ferroflow_graph::op::Gradient;
use ferroflow_graph::{AttrValue, Graph, Operation, Output};
use ferroflow_ops::testing::{check_gradient, tensor};
use ferroflow_tensor::{DType, Tensor};
use std::collections::BTreeSet;

/// Arguments and attributes of one node.
struct Example {
    op: &'static str,
    inputs: Vec<Tensor>,
    attrs: Vec<(&'static str, AttrValue)>,
}

fn example(op: &'static str, inputs: impl IntoIterator<Item = Tensor>) -> Example {
    Example { op, inputs: inputs.into_iter().collect(), attrs: Vec::new() }
}

impl Example {
    fn attr(mut self, name: &'static str, value: impl Into<AttrValue>) -> Example {
        self.attrs.push((name, value.into()));
        self
    }

    fn check(&self) {
        let build = |graph: &Graph, inputs: &[Output]| -> Operation {
            let is_list = graph.registry().get(self.op).is_ok_and(|op| op.def.inputs[0].is_list());
            let mut node = graph.op(self.op);
            node = if is_list { node.input_list(inputs.to_vec()) } else { node.inputs(inputs.to_vec()) };
            for (name, value) in &self.attrs {
                node = node.attr(name, value.clone());
            }
            node.build()
        };
        println!("{} {:?}", self.op, self.attrs);
        check_gradient(&self.inputs, build);
    }
}

/// Distinct numbers between `low` and `high`, in no order (multiples of the golden ratio, modulo 1).
fn spread(dims: &[i64], low: f64, high: f64) -> Tensor {
    let n = dims.iter().product::<i64>();
    let values: Vec<f64> = (1..=n).map(|i| low + (high - low) * (i as f64 * 0.618_033_988_749_895).fract()).collect();
    tensor(dims, &values)
}

fn ints(values: &[i32]) -> Tensor {
    tensor(&[values.len() as i64], values)
}

fn functions() -> Vec<Example> {
    let ranges: &[(&str, f64, f64)] = &[
        ("Neg", -2.0, 2.0),
        ("Abs", -2.0, 2.1),
        ("Square", -2.0, 2.0),
        ("Sqrt", 0.5, 3.0),
        ("Rsqrt", 0.5, 3.0),
        ("Reciprocal", 0.5, 3.0),
        ("Inv", -3.0, -0.5),
        ("Exp", -2.0, 2.0),
        ("Expm1", -2.0, 2.0),
        ("Log", 0.5, 3.0),
        ("Log1p", -0.5, 3.0),
        ("Tanh", -2.0, 2.0),
        ("Sigmoid", -3.0, 3.0),
        ("Sin", -3.0, 3.0),
        ("Cos", -3.0, 3.0),
        ("Tan", -1.0, 1.0),
        ("Asin", -0.8, 0.8),
        ("Acos", -0.8, 0.8),
        ("Atan", -2.0, 2.0),
        ("Sinh", -2.0, 2.0),
        ("Cosh", -2.0, 2.0),
        ("Asinh", -2.0, 2.0),
        ("Acosh", 1.2, 3.0),
        ("Atanh", -0.8, 0.8),
        ("Erf", -1.5, 1.5),
        ("Erfc", -1.5, 1.5),
        ("Lgamma", 0.4, 3.0),
        ("Relu", -2.0, 2.1),
        ("Relu6", -2.0, 8.3),
        ("Elu", -2.0, 2.1),
        ("Selu", -2.0, 2.1),
        ("Softplus", -3.0, 3.0),
        ("Softsign", -3.0, 3.1),
        ("L2Loss", -2.0, 2.0),
        ("LeakyRelu", -2.0, 2.1),
        ("Softmax", -2.0, 2.0),
        ("LogSoftmax", -2.0, 2.0),
        ("Cast", -2.0, 2.0),
    ];
    let mut all: Vec<Example> = ranges.iter().map(|&(op, low, high)| example(op, [spread(&[2, 3], low, high)])).collect();
    for example in all.iter_mut().filter(|e| e.op == "Cast") {
        example.attrs.push(("DstT", DType::Double.into()));
    }
    all
}

fn pairs() -> Vec<Example> {
    let ranges: &[(&str, f64, f64)] = &[
        ("Add", -2.0, 2.0),
        ("AddV2", -2.0, 2.0),
        ("Sub", -2.0, 2.0),
        ("Mul", -2.0, 2.0),
        ("Div", 0.5, 2.0),
        ("RealDiv", 0.5, 2.0),
        ("DivNoNan", 0.5, 2.0),
        ("MulNoNan", 0.5, 2.0),
        ("Xdivy", 0.5, 2.0),
        ("Xlogy", 0.5, 2.0),
        ("Xlog1py", 0.5, 2.0),
        ("Maximum", -2.0, 2.0),
        ("Minimum", -2.0, 2.0),
        ("Pow", 0.5, 2.0),
        ("SquaredDifference", -2.0, 2.0),
        ("Atan2", 0.5, 2.0),
        ("FloorMod", 1.1, 1.9),
        ("Igamma", 0.5, 2.0),
        ("Igammac", 0.5, 2.0),
    ];
    let mut all = Vec::new();
    for &(op, low, high) in ranges {
        for (x, y) in [(&[2i64, 3][..], &[2i64, 3][..]), (&[2, 3], &[3]), (&[2, 1], &[1, 3]), (&[], &[2])] {
            // The second operand lies beside the first, so that none of their elements are equal.
            all.push(example(op, [spread(x, low, high), spread(y, low + 0.037, high + 0.031)]));
        }
    }
    let equal: &[(&str, f64, f64)] = &[
        ("TanhGrad", -0.9, 0.9),
        ("SigmoidGrad", 0.1, 0.9),
        ("SqrtGrad", 0.5, 2.0),
        ("RsqrtGrad", 0.5, 2.0),
        ("ReciprocalGrad", 0.5, 2.0),
        ("InvGrad", 0.5, 2.0),
        ("ReluGrad", -2.0, 2.1),
        ("Relu6Grad", -2.0, 8.3),
        ("EluGrad", -0.9, 2.1),
        ("SeluGrad", -1.5, 2.1),
        ("SoftplusGrad", -2.0, 2.0),
        ("LeakyReluGrad", -2.0, 2.1),
        ("Cross", -2.0, 2.0),
    ];
    all.extend(equal.iter().map(|&(op, low, high)| example(op, [spread(&[2, 3], low, high), spread(&[2, 3], low + 0.03, high + 0.03)])));
    all
}

fn reductions() -> Vec<Example> {
    let mut all = Vec::new();
    for op in ["Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"] {
        for (axes, keep_dims) in [(&[0i32][..], false), (&[-1], true), (&[0, 2], false), (&[2, 0, 1], true), (&[], false)] {
            all.push(example(op, [spread(&[2, 3, 2], 0.5, 2.0), ints(axes)]).attr("keep_dims", keep_dims));
        }
    }
    for op in ["Cumsum", "Cumprod"] {
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            let x = spread(&[3, 2], 0.5, 2.0);
            all.push(example(op, [x, Tensor::scalar(0i32)]).attr("exclusive", exclusive).attr("reverse", reverse));
        }
    }
    let x = || spread(&[4, 2], -2.0, 2.0);
    for op in ["SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin"] {
        all.push(example(op, [x(), ints(&[0, 0, 2, 2])]));
    }
    for op in ["UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin"] {
        all.push(example(op, [x(), ints(&[1, -1, 0, 1]), Tensor::scalar(2i32)]));
    }
    for op in ["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"] {
        all.push(example(op, [x(), ints(&[3, 0, 3]), ints(&[0, 0, 1])]));
    }
    for op in ["SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments", "SparseSegmentSqrtNWithNumSegments"] {
        all.push(example(op, [x(), ints(&[3, 0, 3]), ints(&[0, 0, 1]), Tensor::scalar(3i32)]));
    }
    all
}

fn choices_and_products() -> Vec<Example> {
    let x = |dims: &[i64]| spread(dims, -2.0, 2.0);
    let which = |dims: &[i64]| tensor(dims, &(0..dims.iter().product::<i64>()).map(|i| i % 3 == 0).collect::<Vec<_>>());
    let mut all = vec![
        example("Select", [which(&[2, 3]), x(&[2, 3]), x(&[2, 3])]),
        example("Select", [which(&[2]), x(&[2, 3]), x(&[2, 3])]),
        example("SelectV2", [which(&[2, 1]), x(&[3]), x(&[2, 3])]),
        example("ClipByValue", [spread(&[2, 3], -2.0, 2.0), Tensor::scalar(-1.03f64), Tensor::scalar(1.04f64)]),
        example("AddN", [x(&[2, 3]), spread(&[2, 3], 0.0, 1.0), x(&[2, 3])]),
        example("AccumulateNV2", [x(&[2]), x(&[2])]).attr("shape", ferroflow_tensor::PartialShape::unknown()),
        example("BiasAdd", [x(&[2, 2, 3]), x(&[3])]),
        example("BiasAdd", [x(&[2, 2, 3]), x(&[2])]).attr("data_format", "NCHW"),
        example("BiasAddV1", [x(&[2, 3]), x(&[3])]),
        example("BiasAddGrad", [x(&[2, 2, 3])]),
        example("BiasAddGrad", [x(&[2, 2, 3])]).attr("data_format", "NCHW"),
        example("SoftmaxCrossEntropyWithLogits", [x(&[2, 3]), tensor(&[2, 3], &[0.2, 0.5, 0.3, 0.6, 0.1, 0.3])]),
        example("SoftmaxCrossEntropyWithLogits", [x(&[2, 3]), tensor(&[1, 3], &[0.2, 0.5, 0.3])]),
        example("SparseSoftmaxCrossEntropyWithLogits", [x(&[2, 3]), ints(&[2, 0])]),
        example("TopK", [x(&[2, 4])]).attr("k", 2i64),
        example("TopKV2", [x(&[2, 4]), Tensor::scalar(3i32)]),
    ];
    for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
        let a = if ta { x(&[3, 2]) } else { x(&[2, 3]) };
        let b = if tb { x(&[4, 3]) } else { x(&[3, 4]) };
        all.push(example("MatMul", [a, b]).attr("transpose_a", ta).attr("transpose_b", tb));
        let batch = |n: &[i64], rows: i64, cols: i64, turned: bool| x(&[n, &if turned { [cols, rows] } else { [rows, cols] }].concat());
        for (op, bx, by) in [("BatchMatMul", &[2i64][..], &[2i64][..]), ("BatchMatMulV2", &[2, 1], &[3]), ("BatchMatMulV3", &[2], &[2])] {
            let node = example(op, [batch(bx, 2, 3, ta), batch(by, 3, 2, tb)]).attr("adj_x", ta).attr("adj_y", tb);
            all.push(if op == "BatchMatMulV3" { node.attr("Tout", DType::Double) } else { node });
        }
    }
    all
}

fn images() -> Vec<Example> {
    let x = |dims: &[i64]| spread(dims, -2.0, 2.0);
    let slides = |e: Example, stride: i64, padding: &'static str| e.attr("strides", vec![1, stride, stride, 1]).attr("padding", padding);
    let mut all = Vec::new();
    for (stride, padding, out) in [(1, "VALID", 3), (2, "SAME", 2), (1, "SAME", 4)] {
        let (image, filter, dy) = ([1, 4, 4, 2], [2, 2, 2, 1], [1, out, out, 1]);
        all.push(slides(example("Conv2D", [x(&image), x(&filter)]), stride, padding));
        let sizes = |dims: [i64; 4]| ints(&dims.map(|d| d as i32));
        all.push(slides(example("Conv2DBackpropInput", [sizes(image), x(&filter), x(&dy)]), stride, padding));
        all.push(slides(example("Conv2DBackpropFilter", [x(&image), sizes(filter), x(&dy)]), stride, padding));
        all.push(slides(example("DepthwiseConv2dNative", [x(&image), x(&[2, 2, 2, 2])]), stride, padding));
        let window = vec![1i64, 2, 2, 1];
        all.push(slides(example("MaxPool", [x(&image)]).attr("ksize", window.clone()), stride, padding));
        all.push(slides(example("AvgPool", [x(&image)]).attr("ksize", window.clone()), stride, padding));
        let (size, strides) = (sizes([1, 2, 2, 1]), sizes([1, stride, stride, 1]));
        all.push(example("MaxPoolV2", [x(&image), size, strides]).attr("padding", padding));
        all.push(slides(example("Dilation2D", [x(&image), x(&[2, 2, 2])]).attr("rates", vec![1i64; 4]), stride, padding));
        let grad = x(&[1, out, out, 2]);
        all.push(slides(example("AvgPoolGrad", [sizes(image), grad]).attr("ksize", window), stride, padding));
    }
    for (stride, padding, out) in [(1i64, "VALID", 2i64), (2, "SAME", 2), (1, "SAME", 3)] {
        let volume = [1, 3, 3, 3, 2];
        let slides = |e: Example| e.attr("strides", vec![1, stride, stride, stride, 1]).attr("padding", padding);
        let pool = |e: Example| slides(e).attr("ksize", vec![1i64, 2, 2, 2, 1]);
        all.push(slides(example("Conv3D", [x(&volume), x(&[2, 2, 2, 2, 1])])));
        all.push(pool(example("AvgPool3D", [x(&volume)])));
        all.push(pool(example("AvgPool3DGrad", [ints(&volume.map(|d| d as i32)), x(&[1, out, out, out, 2])])));
    }
    for op in ["FractionalMaxPool", "FractionalAvgPool"] {
        for overlapping in [false, true] {
            let node = example(op, [x(&[1, 5, 6, 2])]).attr("pooling_ratio", vec![1f32, 1.5, 1.4, 1.0]).attr("overlapping", overlapping);
            all.push(node.attr("deterministic", true).attr("seed", 3i64));
        }
    }
    let vector = |low, high| spread(&[2], low, high);
    for scaled in [false, true] {
        let inputs = [x(&[1, 2, 3, 2]), vector(-1.0, 1.0), vector(0.5, 2.0), vector(-0.5, 1.0), vector(0.5, 1.5)];
        let node = example("BatchNormWithGlobalNormalization", inputs).attr("variance_epsilon", 0.01f32);
        all.push(node.attr("scale_after_normalization", scaled));
    }
    all.push(
        example("Conv2D", [x(&[1, 4, 4, 1]), x(&[2, 2, 1, 2])])
            .attr("strides", vec![1i64; 4])
            .attr("dilations", vec![1i64, 2, 1, 1])
            .attr("padding", "EXPLICIT")
            .attr("explicit_paddings", vec![0i64, 0, 1, 0, 0, 2, 0, 0]),
    );
    all
}

#[test]
fn gradients_of_functions_agree_with_differences() {
    functions().iter().for_each(Example::check);
}

#[test]
fn gradients_of_functions_of_two_arguments_agree_with_differences() {
    pairs().iter().for_each(Example::check);
}

#[test]
fn gradients_of_reductions_agree_with_differences() {
    reductions().iter().for_each(Example::check);
}

#[test]
fn gradients_of_choices_and_products_agree_with_differences() {
    choices_and_products().iter().for_each(Example::check);
}

#[test]
fn gradients_of_images_agree_with_differences() {
    images().iter().for_each(Example::check);
}

#[test]
fn no_gradient_of_these_families_goes_unchecked() {
    /// Checked beside the op: some of their inputs, or of what they give, have no gradient.
    const ELSEWHERE: [&str; 7] = ["Betainc", "CTCLoss", "Einsum", "IRFFT", "IRFFT2D", "RFFT", "RFFT2D"];
    /// Without a kernel for double, which central differences need: complex ones, and those for float only.
    const NOT_DOUBLE: [&str; 22] = [
        "BlockLSTM",
        "BlockLSTMV2",
        "Angle",
        "FakeQuantWithMinMaxArgs",
        "FakeQuantWithMinMaxVars",
        "FakeQuantWithMinMaxVarsPerChannel",
        "Complex",
        "ComplexAbs",
        "Conj",
        "FFT",
        "FFT2D",
        "FFT3D",
        "IFFT",
        "IFFT2D",
        "IFFT3D",
        "Imag",
        "MaxPool3D",
        "Real",
        "SparseMatMul",
        "FusedBatchNorm",
        "FusedBatchNormV2",
        "FusedBatchNormV3",
    ];
    let all = [functions(), pairs(), reductions(), choices_and_products(), images()];
    let checked: BTreeSet<&str> = all.iter().flatten().map(|e| e.op).collect();
    for (family, ops) in ferroflow_ops::FAMILIES.iter().filter(|(family, _)| ["math", "nn"].contains(family)) {
        for spec in ops.iter().filter(|spec| matches!(spec.gradient, Gradient::Of(_))) {
            let name = spec.signature.split('(').next().unwrap_or_default();
            let is_known = checked.contains(name) || NOT_DOUBLE.contains(&name) || ELSEWHERE.contains(&name);
            assert!(is_known, "the gradient of {name} ({family}) is not checked");
        }
    }
}
