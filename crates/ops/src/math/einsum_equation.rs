//! Equations of `Einsum`: which dimension of which operand bears which label (TF: `EinsumHelper`).

use crate::prelude::*;

/// A label: a letter, or a dimension that `...` stands for, counted from the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Label {
    Named(u8),
    Unnamed(usize),
}

/// The labels of one operand's dimensions as they are written.
#[derive(Clone, Debug)]
pub(super) struct Subscripts {
    letters: Vec<u8>,
    /// Where `...` stands among the letters.
    ellipsis: Option<usize>,
}

impl Subscripts {
    fn parse(text: &str) -> Result<Subscripts> {
        let (mut letters, mut ellipsis) = (Vec::new(), None);
        let mut rest = text.as_bytes();
        while let Some((&first, more)) = rest.split_first() {
            rest = match first {
                b'.' if rest.starts_with(b"...") && ellipsis.is_none() => {
                    ellipsis = Some(letters.len());
                    &rest[3..]
                }
                c if c.is_ascii_alphabetic() => {
                    letters.push(c);
                    more
                }
                other => return Err(invalid_argument(format!("Invalid character {:?} in einsum subscripts {text:?}", other as char))),
            };
        }
        Ok(Subscripts { letters, ellipsis })
    }

    /// The label of each of `rank` dimensions.
    ///
    /// Errors: `InvalidArgument` if there are more or fewer dimensions than labels.
    pub(super) fn labels(&self, rank: usize) -> Result<Vec<Label>> {
        let named = self.letters.len();
        if rank < named || (rank > named && self.ellipsis.is_none()) {
            return Err(invalid_argument(format!("Expected input to have rank {named} but got: {rank}")));
        }
        Ok(self.labels_of(rank - named))
    }

    /// The labels, where `...` stands for this many dimensions.
    pub(super) fn labels_of(&self, unnamed: usize) -> Vec<Label> {
        let mut all: Vec<Label> = self.letters.iter().map(|&c| Label::Named(c)).collect();
        if let Some(at) = self.ellipsis {
            all.splice(at..at, (0..unnamed).rev().map(Label::Unnamed));
        }
        all
    }

    /// How many dimensions `...` stands for in an operand of this rank.
    pub(super) fn unnamed(&self, rank: usize) -> usize {
        if self.ellipsis.is_some() { rank.saturating_sub(self.letters.len()) } else { 0 }
    }
}

/// An equation.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub(super) inputs: Vec<Subscripts>,
    pub(super) output: Subscripts,
}

impl Equation {
    /// The equation of a node with this many inputs.
    ///
    /// Errors: `InvalidArgument` for one that is malformed, or has other inputs.
    pub(super) fn parse(text: &str, inputs: usize) -> Result<Equation> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let Some((left, right)) = text.split_once("->") else {
            return Err(invalid_argument(format!("Expecting exactly one '->' in einsum equation: {text}")));
        };
        let parsed = left.split(',').map(Subscripts::parse).collect::<Result<Vec<_>>>()?;
        if parsed.len() != inputs {
            return Err(invalid_argument(format!("Expected {inputs} inputs in equation {text} but got: {}", parsed.len())));
        }
        if inputs > 2 {
            return Err(invalid_argument(format!("Expected 1 or 2 inputs in equation but got: {inputs}")));
        }
        let output = Subscripts::parse(right)?;
        if let Some(c) = output.letters.iter().find(|c| !parsed.iter().any(|s| s.letters.contains(c))) {
            return Err(invalid_argument(format!("Output subscripts contain the label {} appearing in no input", *c as char)));
        }
        Ok(Equation { inputs: parsed, output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_the_dimensions_without_a_letter() {
        let e = Equation::parse("a...b, bc -> a...c", 2).unwrap();
        let labels = e.inputs[0].labels(4).unwrap();
        assert_eq!(labels, [Label::Named(b'a'), Label::Unnamed(1), Label::Unnamed(0), Label::Named(b'b')]);
        assert!(e.inputs[1].labels(3).is_err());
    }

    #[test]
    fn malformed_equations_are_refused() {
        for (text, inputs) in [("ab,bc", 2), ("ab->ac", 1), ("a1->a", 1), ("a..->a", 1), ("a,b,c->abc", 3), ("a,b->ab", 1)] {
            assert!(Equation::parse(text, inputs).is_err(), "{text}");
        }
    }
}
