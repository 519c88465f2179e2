//! Initializers: first values of variables (TF: `tf.initializers`).

use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::{DType, Shape, Tensor};

/// How a variable gets its first value.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// All zeros, false or empty strings.
    Zeros,
    /// All ones.
    Ones,
    /// All this number, converted to the variable's type.
    Constant(f64),
    /// These elements.
    Value(Tensor),
    /// Uniform in `[min, max)`.
    RandomUniform {
        /// Least value.
        min: f64,
        /// Bound of the values.
        max: f64,
        /// Seed of the op; `None` follows the graph's seed.
        seed: Option<i64>,
    },
    /// Normal around 0, cut at two standard deviations.
    TruncatedNormal {
        /// Standard deviation.
        stddev: f64,
        /// Seed of the op; `None` follows the graph's seed.
        seed: Option<i64>,
    },
    /// Uniform in ±√(6 / (fan in + fan out)) (TF: `glorot_uniform_initializer`, what `dense` uses).
    GlorotUniform {
        /// Seed of the op; `None` follows the graph's seed.
        seed: Option<i64>,
    },
    /// Normal with variance 2 / fan in, cut at two standard deviations (TF: `he_normal`).
    HeNormal {
        /// Seed of the op; `None` follows the graph's seed.
        seed: Option<i64>,
    },
}

impl Initializer {
    /// Glorot's uniform initializer with the graph's seed.
    pub fn glorot() -> Initializer {
        Initializer::GlorotUniform { seed: None }
    }

    /// Builds the value. An error becomes the graph's.
    pub(crate) fn build(&self, g: &Graph, dtype: DType, shape: &Shape) -> Output {
        let (fan_in, fan_out) = fans(shape);
        match self {
            Initializer::Zeros => fill(g, dtype, shape, 0.0),
            Initializer::Ones => fill(g, dtype, shape, 1.0),
            Initializer::Constant(c) => fill(g, dtype, shape, *c),
            Initializer::Value(t) => g.constant_tensor(t.clone()),
            Initializer::RandomUniform { min, max, seed } => {
                let unit = random(g, "RandomUniform", dtype, shape, *seed);
                let width = g.constant_of_type(dtype, max - min);
                let min = g.constant_of_type(dtype, *min);
                &(&unit * &width) + &min
            }
            Initializer::TruncatedNormal { stddev, seed } => {
                let unit = random(g, "TruncatedNormal", dtype, shape, *seed);
                &unit * &g.constant_of_type(dtype, *stddev)
            }
            Initializer::GlorotUniform { seed } => {
                let limit = (6.0 / (fan_in + fan_out).max(1.0)).sqrt();
                Initializer::RandomUniform { min: -limit, max: limit, seed: *seed }.build(g, dtype, shape)
            }
            Initializer::HeNormal { seed } => {
                // The cut makes the variance smaller; this is the deviation of a unit normal cut at 2.
                const CUT_STDDEV: f64 = 0.879_625_661_034_239_8;
                let stddev = (2.0 / fan_in.max(1.0)).sqrt() / CUT_STDDEV;
                Initializer::TruncatedNormal { stddev, seed: *seed }.build(g, dtype, shape)
            }
        }
    }
}

fn dims(g: &Graph, shape: &Shape) -> Output {
    g.constant_vector(&shape.dims().iter().map(|&d| d as i32).collect::<Vec<i32>>())
}

fn fill(g: &Graph, dtype: DType, shape: &Shape, value: f64) -> Output {
    g.op("Fill").input(dims(g, shape)).input(g.constant_of_type(dtype, value)).output()
}

fn random(g: &Graph, op: &str, dtype: DType, shape: &Shape, seed: Option<i64>) -> Output {
    let mut b = g.op(op).input(dims(g, shape)).attr("dtype", dtype);
    if let Some(seed) = seed {
        b = b.attr("seed", seed);
    }
    b.output()
}

/// Inputs and outputs of a unit: the last two dimensions, times the rest (a convolution's window).
fn fans(shape: &Shape) -> (f64, f64) {
    let d: Vec<f64> = shape.dims().iter().map(|&d| d as f64).collect();
    match d.as_slice() {
        [] => (1.0, 1.0),
        [n] => (*n, *n),
        [window @ .., i, o] => {
            let area: f64 = window.iter().product();
            (area * i, area * o)
        }
    }
}
