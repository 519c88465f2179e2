//! `+ - * /` and negation on outputs, with outputs and with numbers (TF: the overloaded operators of `tf.Tensor`).
//!
//! A number takes the type of the output beside it. Integers are divided as doubles, as TF's `/` does.

use super::number::{Number, scalar_of};
use super::{Graph, Output};
use ferroflow_tensor::DType;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::panic::Location;

/// One side of an operator.
pub enum Operand {
    /// An output.
    Output(Output),
    /// A number, to become a constant.
    Number(Number),
}

macro_rules! operands {
    ($($ty:ty, $v:ident => $operand:expr;)*) => {
        $(impl From<$ty> for Operand {
            fn from($v: $ty) -> Operand { $operand }
        })*
    };
}

operands! {
    Output, v => Operand::Output(v);
    &Output, v => Operand::Output(v.clone());
    f32, v => Operand::Number(v.into());
    f64, v => Operand::Number(v.into());
    i32, v => Operand::Number(v.into());
    i64, v => Operand::Number(v.into());
}

/// Builds `op` in a name scope of its own (`add/y`, `add`), at the source line of the operator's user.
fn binary(name: &str, op: &str, x: Operand, y: Operand, at: &'static Location<'static>) -> Output {
    let (graph, dtype) = match (&x, &y) {
        (Operand::Output(o), _) | (_, Operand::Output(o)) => (o.graph().clone(), o.dtype()),
        // The operators below have an output on one side at least.
        (Operand::Number(_), Operand::Number(_)) => unreachable!("an operator without an output"),
    };
    graph.named_scope(name, |scope| {
        let mut x = output_of(&graph, "x", x, dtype, at);
        let mut y = output_of(&graph, "y", y, dtype, at);
        if op == "RealDiv" && dtype.is_integer() {
            let wide = |o: Output| graph.op("Cast").at(at).input(o).attr("DstT", DType::Double).output();
            (x, y) = (wide(x), wide(y));
        }
        graph.op(op).at(at).name(scope).input(x).input(y).output()
    })
}

fn output_of(graph: &Graph, name: &str, operand: Operand, dtype: DType, at: &'static Location<'static>) -> Output {
    match operand {
        Operand::Output(o) => o,
        Operand::Number(n) => {
            let constant = graph.op("Const").at(at).name(name).attr("dtype", dtype);
            match scalar_of(dtype, n) {
                Ok(t) => constant.attr("value", t).output(),
                Err(e) => constant.fail(e).output(0),
            }
        }
    }
}

// One implementation for all right sides, and one per kind of number for left sides: with more, the compiler could not tell the
// type of `x + 1` and `1.0 - x`.
macro_rules! operators {
    ($($trait:ident $method:ident $name:literal $op:literal;)*) => {$(
        operators!(@right $trait $method $name $op: Output, &Output);
        operators!(@left $trait $method $name $op: f64, i64);
    )*};
    (@right $trait:ident $method:ident $name:literal $op:literal: $($x:ty),*) => {$(
        impl<T: Into<Operand>> $trait<T> for $x {
            type Output = Output;
            #[track_caller]
            fn $method(self, y: T) -> Output {
                binary($name, $op, self.into(), y.into(), Location::caller())
            }
        }
    )*};
    (@left $trait:ident $method:ident $name:literal $op:literal: $($x:ty),*) => {$(
        impl $trait<&Output> for $x {
            type Output = Output;
            #[track_caller]
            fn $method(self, y: &Output) -> Output {
                binary($name, $op, self.into(), y.into(), Location::caller())
            }
        }
        impl $trait<Output> for $x {
            type Output = Output;
            #[track_caller]
            fn $method(self, y: Output) -> Output {
                binary($name, $op, self.into(), y.into(), Location::caller())
            }
        }
    )*};
}

operators! {
    Add add "add" "AddV2";
    Sub sub "sub" "Sub";
    Mul mul "mul" "Mul";
    Div div "truediv" "RealDiv";
}

impl Neg for &Output {
    type Output = Output;
    #[track_caller]
    fn neg(self) -> Output {
        self.graph().op("Neg").input(self).output()
    }
}

impl Neg for Output {
    type Output = Output;
    #[track_caller]
    fn neg(self) -> Output {
        -&self
    }
}
