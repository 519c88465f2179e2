//! What arithmetic can refuse. Callers turn it into `InvalidArgument` (or `Unimplemented`) and name the node.

use std::fmt;

/// Why a loop could not compute its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticError {
    /// An integer was to be divided by zero.
    DivisionByZero,
    /// An integer was to be raised to a negative power.
    NegativePower,
    /// The operation is not defined for this element type.
    Unsupported,
}

impl fmt::Display for ArithmeticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            // The first two are the words that TensorFlow's clients see.
            ArithmeticError::DivisionByZero => "Integer division by zero",
            ArithmeticError::NegativePower => "Integers to negative integer powers are not allowed",
            ArithmeticError::Unsupported => "the operation is not defined for this element type",
        })
    }
}

impl std::error::Error for ArithmeticError {}
