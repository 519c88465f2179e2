//! Binary functions against their definitions, their special cases, and every way to run them against each other.

use super::*;
use crate::parallel::Inline;
use crate::parallel::tests::Threads;
use crate::sample::Sample;

fn one<T: BinaryElement>(op: BinaryOp, x: T, y: T) -> Result<T, ArithmeticError> {
    let mut out = [T::default()];
    binary(&Inline, op, &Broadcast::same(1), &[x], &[y], &mut out).map(|()| out[0])
}

#[test]
fn floating_functions_agree_with_their_definition() {
    type Case = (BinaryOp, fn(f64, f64) -> f64);
    let cases: &[Case] = &[
        (BinaryOp::Add, |x, y| x + y),
        (BinaryOp::Atan2, f64::atan2),
        (BinaryOp::Div, |x, y| x / y),
        (BinaryOp::DivNoNan, |x, y| x / y),
        (BinaryOp::FloorDiv, |x, y| (x / y).floor()),
        (BinaryOp::FloorMod, |x, y| x - y * (x / y).floor()),
        (BinaryOp::Maximum, f64::max),
        (BinaryOp::Minimum, f64::min),
        (BinaryOp::Mod, |x, y| x - y * (x / y).trunc()),
        (BinaryOp::Mul, |x, y| x * y),
        (BinaryOp::SquaredDifference, |x, y| (x - y).powi(2)),
        (BinaryOp::Sub, |x, y| x - y),
        (BinaryOp::Xdivy, |x, y| x / y),
        (BinaryOp::EluGrad, |g, y| if y < 0.0 { g * (y + 1.0) } else { g }),
        (BinaryOp::ReluGrad, |g, y| if y > 0.0 { g } else { 0.0 }),
        (BinaryOp::SigmoidGrad, |y, g| g * y * (1.0 - y)),
        (BinaryOp::SoftplusGrad, |g, x| g / (1.0 + (-x).exp())),
        (BinaryOp::SoftsignGrad, |g, x| g / (1.0 + x.abs()).powi(2)),
        (BinaryOp::TanhGrad, |y, g| g * (1.0 - y * y)),
    ];
    let mut sample = Sample::new(11);
    for &(op, exact) in cases {
        let (x, y) = (sample.f64s(500), sample.f64s(500));
        let mut out = vec![0.0; 500];
        binary(&Inline, op, &Broadcast::same(500), &x, &y, &mut out).unwrap();
        for i in 0..500 {
            assert!((out[i] - exact(x[i], y[i])).abs() < 1e-11 * (1.0 + out[i].abs()), "{op:?} {} {}", x[i], y[i]);
            let single = one(op, x[i] as f32, y[i] as f32).unwrap();
            let expected = exact(f64::from(x[i] as f32), f64::from(y[i] as f32));
            assert!((f64::from(single) - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{op:?} {} {}", x[i], y[i]);
        }
    }
    for (op, x, y, expected) in [
        (BinaryOp::Pow, 2.0f32, -1.5, 0.353_553_4),
        (BinaryOp::Xlogy, 2.0, 3.0, 2.197_224_6),
        (BinaryOp::Xlog1py, 2.0, 2.0, 2.197_224_6),
        (BinaryOp::RsqrtGrad, 2.0, 3.0, -12.0),
        (BinaryOp::SqrtGrad, 2.0, 3.0, 0.75),
        (BinaryOp::InvGrad, 2.0, 3.0, -12.0),
        (BinaryOp::SeluGrad, 2.0, -1.0, 1.516_198_7),
        (BinaryOp::Relu6Grad, 2.0, 6.0, 0.0),
    ] {
        let got = one(op, x, y).unwrap();
        assert!((got - expected).abs() < 1e-6, "{op:?} {got}");
    }
}

#[test]
fn zeros_and_nan_follow_tensorflow() {
    assert_eq!(one(BinaryOp::DivNoNan, 1.0f32, 0.0), Ok(0.0));
    assert_eq!(one(BinaryOp::Div, 1.0f32, 0.0), Ok(f32::INFINITY));
    assert_eq!(one(BinaryOp::MulNoNan, f32::NAN, 0.0), Ok(0.0));
    assert_eq!(one(BinaryOp::Xlogy, 0.0f32, 0.0), Ok(0.0));
    assert_eq!(one(BinaryOp::Xdivy, 0.0f64, 0.0), Ok(0.0));
    for op in [BinaryOp::Maximum, BinaryOp::Minimum] {
        assert!(one(op, f32::NAN, 1.0).unwrap().is_nan());
        assert!(one(op, 1.0, f32::NAN).unwrap().is_nan());
    }
    assert_eq!(one(BinaryOp::Add, f16::from_f32(1.0), f16::from_f32(0.5)), Ok(f16::from_f32(1.5)));
    let i = Complex::new(0.0f32, 1.0);
    assert_eq!(one(BinaryOp::Mul, i, i), Ok(Complex::new(-1.0, 0.0)));
}

#[test]
fn integer_division_follows_python_or_c_by_name() {
    for (x, y, floor, modulo, trunc, rest) in [(7, 2, 3, 1, 3, 1), (-7, 2, -4, 1, -3, -1), (7, -2, -4, -1, -3, 1), (-7, -2, 3, -1, 3, -1)] {
        assert_eq!(one(BinaryOp::FloorDiv, x, y), Ok(floor));
        assert_eq!(one(BinaryOp::FloorMod, x, y), Ok(modulo));
        assert_eq!(one(BinaryOp::Div, x, y), Ok(trunc));
        assert_eq!(one(BinaryOp::Mod, x, y), Ok(rest));
        assert_eq!(one(BinaryOp::FloorMod, f64::from(x), f64::from(y)), Ok(f64::from(modulo)));
    }
    assert_eq!(one(BinaryOp::FloorMod, 250u8, 7), Ok(5));
    assert_eq!(one(BinaryOp::FloorDiv, i32::MIN, -1), Ok(i32::MIN));
    assert_eq!(one(BinaryOp::Mod, i64::MIN, -1), Ok(0));
}

#[test]
fn integers_refuse_zero_divisors_and_negative_powers_and_wrap_otherwise() {
    for op in [BinaryOp::Div, BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::Mod] {
        assert_eq!(one(op, 1i32, 0), Err(ArithmeticError::DivisionByZero));
        assert_eq!(one(op, 1u64, 0), Err(ArithmeticError::DivisionByZero));
        let in_place = binary_in_place(&Inline, op, &Broadcast::same(2), Side::Right, &mut [1i32, 0], &[1, 1]);
        assert_eq!(in_place, Err(ArithmeticError::DivisionByZero));
    }
    assert_eq!(one(BinaryOp::Pow, 2i32, -1), Err(ArithmeticError::NegativePower));
    assert_eq!(one(BinaryOp::Pow, -3i32, 3), Ok(-27));
    assert_eq!(one(BinaryOp::Pow, 2i8, 9), Ok(0));
    assert_eq!(one(BinaryOp::Pow, 200u8, 255), Ok(200u8.wrapping_pow(255)));
    assert_eq!(one(BinaryOp::Add, i32::MAX, 1), Ok(i32::MIN));
    assert_eq!(one(BinaryOp::Sub, 0u8, 1), Ok(255));
    assert_eq!(one(BinaryOp::LeftShift, 1i32, 40), Ok(0));
    assert_eq!(one(BinaryOp::RightShift, -8i32, 1), Ok(-4));
    assert_eq!(one(BinaryOp::RightShift, -8i32, -1), Ok(-1));
    assert_eq!(one(BinaryOp::BitwiseXor, 6u16, 3), Ok(5));
    assert_eq!(one(BinaryOp::Atan2, 1i32, 1), Err(ArithmeticError::Unsupported));
    assert_eq!(one(BinaryOp::BitwiseAnd, 1.0f32, 1.0), Err(ArithmeticError::Unsupported));
    // Nothing to divide: no error.
    binary(&Inline, BinaryOp::Div, &Broadcast::new(&[0], &[1]).unwrap(), &[], &[0i32], &mut []).unwrap();
}

#[test]
fn broadcast_in_place_and_threads_agree() {
    let mut sample = Sample::new(12);
    let shapes: [(&[usize], &[usize]); 6] =
        [(&[300, 70], &[70]), (&[300, 70], &[300, 1]), (&[70], &[300, 70]), (&[], &[300, 70]), (&[300, 70], &[]), (&[4, 1, 3], &[4, 5, 1])];
    for (left, right) in shapes {
        let plan = Broadcast::new(left, right).unwrap();
        let (x, y) = (sample.f32s(plan.left_len()), sample.f32s(plan.right_len()));
        let mut out = vec![0.0; plan.len()];
        binary(&Inline, BinaryOp::Sub, &plan, &x, &y, &mut out).unwrap();
        plan.for_each_run(0..plan.len(), |run| {
            for i in 0..run.len {
                let l = x[run.left + if run.left_moves { i } else { 0 }];
                let r = y[run.right + if run.right_moves { i } else { 0 }];
                assert_eq!(out[run.out + i], l - r);
            }
        });
        let mut threaded = vec![0.0; plan.len()];
        binary(&Threads(3), BinaryOp::Sub, &plan, &x, &y, &mut threaded).unwrap();
        assert_eq!(out, threaded);
        if x.len() == plan.len() {
            let mut in_place = x.clone();
            binary_in_place(&Threads(2), BinaryOp::Sub, &plan, Side::Left, &mut in_place, &y).unwrap();
            assert_eq!(out, in_place);
        }
        if y.len() == plan.len() {
            let mut in_place = y.clone();
            binary_in_place(&Threads(2), BinaryOp::Sub, &plan, Side::Right, &mut in_place, &x).unwrap();
            assert_eq!(out, in_place);
        }
    }
}

#[test]
fn one_element_is_computed_as_many_are() {
    fn check<T: BinaryElement + PartialEq + std::fmt::Debug>(x: T, y: T) {
        use BinaryOp::*;
        for op in [Add, Sub, Mul, Div, Maximum, FloorMod, SquaredDifference, Pow, ReluGrad] {
            let mut out = [T::default()];
            let many = T::apply(op, Operand::Slice(&[x]), Operand::Slice(&[y]), &mut out).map(|()| out[0]);
            assert_eq!(binary_of_one(op, x, y), many, "{op:?}");
        }
    }
    check(7.5f32, -2.0);
    check(-7.5f64, 2.0);
    check(half::bf16::from_f32(3.0), half::bf16::from_f32(0.5));
    check(-7i32, 2);
    check(i64::MIN, 3);
    check(200u8, 100);
    assert!(binary_of_one(BinaryOp::Div, 1i32, 0).is_err());
}
