//! Times the main loops on one thread: `cargo run --release -p ferroflow-math --example gemm_bench`.

use ferroflow_math::{
    Axes, BinaryOp, Broadcast, Inline, MatrixRef, ReduceOp, UnaryOp, Update, apply_update, binary, matmul, reduce, softmax, transpose,
    unary,
};
use std::time::Instant;

/// The best of the runs that fit in a third of a second, in nanoseconds.
fn best(mut f: impl FnMut()) -> f64 {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed().as_secs_f64() < 0.33 {
        let run = Instant::now();
        f();
        best = best.min(run.elapsed().as_secs_f64());
    }
    best * 1e9
}

fn main() {
    for (m, k, n) in [(32, 784, 500), (32, 500, 10), (784, 32, 500), (1, 784, 500), (128, 784, 256), (1024, 1024, 1024)] {
        let (a, b, mut c) = (vec![0.5f32; m * k], vec![0.25f32; k * n], vec![0.0f32; m * n]);
        let ns = best(|| matmul(&Inline, MatrixRef::new(&a, m, k), MatrixRef::new(&b, k, n), &mut c, false));
        println!("matmul {m}x{k}x{n}: {ns:.0} ns, {:.1} GFLOP/s", 2.0 * (m * k * n) as f64 / ns);
    }
    let n = 1 << 15;
    let x: Vec<f32> = (0..n).map(|i| i as f32 / n as f32 * 4.0 - 2.0).collect();
    let mut y = vec![0.0f32; n];
    let per = |name: &str, ns: f64| println!("{name}: {:.3} ns an element", ns / n as f64);
    for op in [UnaryOp::Neg, UnaryOp::Exp, UnaryOp::Log, UnaryOp::Log1p, UnaryOp::Tanh, UnaryOp::Sigmoid, UnaryOp::Softplus, UnaryOp::Round]
    {
        per(&format!("{op:?}"), best(|| assert!(unary(&Inline, op, &x, &mut y).is_ok())));
    }
    for (left, right) in
        [(vec![n], vec![n]), (vec![n / 512, 512], vec![512]), (vec![n / 16, 16], vec![16]), (vec![n / 16, 16], vec![n / 16, 1])]
    {
        let Some(plan) = Broadcast::new(&left, &right) else { continue };
        let right_data = vec![1.0f32; plan.right_len()];
        per(&format!("Add {left:?} {right:?}"), best(|| assert!(binary(&Inline, BinaryOp::Add, &plan, &x, &right_data, &mut y).is_ok())));
    }
    for (shape, reduced) in [(vec![n], vec![true]), (vec![n / 512, 512], vec![true, false]), (vec![n / 16, 16], vec![false, true])] {
        let axes = Axes::new(&shape, &reduced);
        let mut out = vec![0.0f32; axes.out_len()];
        per(&format!("Sum {shape:?} {reduced:?}"), best(|| assert!(reduce(&Inline, ReduceOp::Sum, &x, &axes, &mut out).is_ok())));
    }
    for classes in [8, 512] {
        per(&format!("softmax of {classes}"), best(|| softmax(&Inline, &x, &mut y, classes)));
    }
    per("transpose 128x256", best(|| transpose(&Inline, &x, &[128, n / 128], &[1, 0], &mut y)));
    let (mut var, mut m, mut v) = (x.clone(), vec![0.0; n], vec![0.0; n]);
    let adam =
        Update::Adam { beta1_power: 0.9, beta2_power: 0.999, lr: 0.001, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, use_nesterov: false };
    per("Adam", best(|| apply_update(&Inline, &adam, &mut var, &mut [&mut m, &mut v], &x)));
}
