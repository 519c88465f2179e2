//! The gradient of `Einsum`, of one or two operands: products of the incoming gradient and the other operand (TF: `_EinsumGrad`).

use super::backward::{apply, conj};
use crate::array::dims::shape_of;
use crate::prelude::*;

/// An operand's subscripts: letters before and behind `...`.
struct Operand {
    text: String,
    before: Vec<char>,
    behind: Vec<char>,
    has_ellipsis: bool,
}

impl Operand {
    fn of(text: &str) -> Operand {
        let (before, behind) = text.split_once("...").unwrap_or((text, ""));
        let (before, behind) = (before.chars().collect(), behind.chars().collect());
        Operand { text: text.to_owned(), before, behind, has_ellipsis: text.contains("...") }
    }

    /// Its letters, each once.
    fn letters(&self) -> Vec<char> {
        let mut all: Vec<char> = Vec::new();
        for &c in self.before.iter().chain(&self.behind) {
            if !all.contains(&c) {
                all.push(c);
            }
        }
        all
    }

    fn has(&self, letter: char) -> bool {
        self.before.contains(&letter) || self.behind.contains(&letter)
    }

    /// The size of a letter's dimension, as a vector of one, of the shape of such an operand.
    fn size(&self, shape: &Output, letter: char) -> Output {
        let place = self.before.iter().position(|c| *c == letter).map(|p| p as i32);
        // Behind `...` it is counted from the end.
        let place = place.or_else(|| self.behind.iter().position(|c| *c == letter).map(|p| p as i32 - self.behind.len() as i32));
        part(shape, place.unwrap_or(0), place.map(|p| p + 1).filter(|p| *p != 0))
    }

    /// The sizes of the dimensions that `...` stands for.
    fn unnamed(&self, shape: &Output) -> Output {
        part(shape, self.before.len() as i32, Some(-(self.behind.len() as i32)).filter(|n| *n != 0))
    }
}

/// The elements of a vector from `begin` to `end`.
fn part(x: &Output, begin: i32, end: Option<i32>) -> Output {
    let graph = x.graph();
    let bounds = [&[begin], &[end.unwrap_or(0)], &[1]].map(|b| graph.constant_vector(b));
    graph.op("StridedSlice").input(x).inputs(bounds).attr("end_mask", i64::from(end.is_none())).output()
}

fn einsum(equation: String, inputs: &[&Output]) -> Output {
    let graph = inputs[0].graph();
    graph.op("Einsum").input_list(inputs.iter().map(|&x| x.clone()).collect::<Vec<_>>()).attr("equation", equation).output()
}

fn joined(parts: Vec<Output>) -> Output {
    let graph = parts[0].graph().clone();
    graph.op("ConcatV2").input_list(parts).input(graph.constant(0i32)).output()
}

/// The gradient of one operand `x`, given that of the result and the other operand.
fn of_operand(x: &Output, own: &Operand, dy: &Output, result: &Operand, other: Option<(&Output, &Operand)>) -> Output {
    let is_kept = |c: &char| result.has(*c) || other.is_some_and(|(_, o)| o.has(*c));
    let (kept, summed): (Vec<char>, Vec<char>) = own.letters().into_iter().partition(is_kept);
    let dots = if own.has_ellipsis { "..." } else { "" };
    let text = |letters: &[char]| letters.iter().collect::<String>();
    let mut grad = match other {
        Some((y, of)) => einsum(format!("{},{}->{dots}{}", result.text, of.text, text(&kept)), &[dy, &conj(y)]),
        None => einsum(format!("{}->{dots}{}", result.text, text(&kept)), &[dy]),
    };
    let shape = shape_of(x);
    let letters = [&kept[..], &summed].concat();
    if !summed.is_empty() {
        // What was summed over gets the same gradient everywhere.
        let mut dims = vec![shape_of(&grad)];
        dims.extend(summed.iter().map(|&c| own.size(&shape, c)));
        let minus_one = x.graph().constant(-1i32);
        for _ in &summed {
            grad = apply("ExpandDims", &[&grad, &minus_one]);
        }
        grad = apply("BroadcastTo", &[&grad, &joined(dims)]);
    }
    if own.has_ellipsis && other.is_some_and(|(_, o)| o.has_ellipsis) {
        // Where dimensions of `...` were repeated for the other operand, their gradients add up.
        let mut dims = vec![own.unnamed(&shape)];
        dims.extend(letters.iter().map(|&c| own.size(&shape, c)));
        let wanted = joined(dims);
        let axes = x.graph().op("BroadcastGradientArgs").inputs([wanted.clone(), shape_of(&grad)]).build();
        grad = apply("Reshape", &[&apply("Sum", &[&grad, &axes.output(0)]), &wanted]);
    }
    let have = format!("{dots}{}", text(&letters));
    if have == own.text { grad } else { einsum(format!("{have}->{}", own.text), &[&grad]) }
}

/// The gradients of all operands.
///
/// Errors: `Unimplemented` for more than two operands.
pub(super) fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let equation: String = op.with_attrs(|a| -> Result<_> { Ok(a.str("equation")?.replace(' ', "")) })?;
    let (left, right) = equation.split_once("->").ok_or_else(|| invalid_argument(format!("Expecting '->' in {equation}")))?;
    let (operands, result): (Vec<Operand>, Operand) = (left.split(',').map(Operand::of).collect(), Operand::of(right));
    let dy = grads.dense(0);
    match &operands[..] {
        [one] => Ok(vec![Some(of_operand(&op.input(0), one, &dy, &result, None).into())]),
        [first, second] => {
            let (x, y) = (op.input(0), op.input(1));
            let dx = of_operand(&x, first, &dy, &result, Some((&y, second)));
            let dy = of_operand(&y, second, &dy, &result, Some((&x, first)));
            Ok(vec![Some(dx.into()), Some(dy.into())])
        }
        _ => Err(unimplemented("the gradient of Einsum is defined for one or two operands")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_differences() {
        let x = |dims: &[i64], seed: i64| {
            let n = dims.iter().product::<i64>();
            tensor(dims, &(0..n).map(|i| ((i + seed) as f64 * 0.618).fract() - 0.4).collect::<Vec<_>>())
        };
        let check = |equation: &str, dims: &[&[i64]]| {
            let inputs: Vec<Tensor> = dims.iter().enumerate().map(|(i, d)| x(d, 5 * i as i64)).collect();
            println!("{equation}");
            check_gradient(&inputs, |graph, inputs| graph.op("Einsum").input_list(inputs.to_vec()).attr("equation", equation).build());
        };
        for equation in ["ab->ba", "ab->a", "ab->", "aa->a", "aa->", "a->aa", "ab->ab"] {
            check(equation, if equation.starts_with("a-") { &[&[3]] } else { &[&[3, 3]] });
        }
        check("abb->a", &[&[2, 3, 3]]);
        check("a...b->b...", &[&[2, 3, 2]]);
        check("ab,bc->ac", &[&[2, 3], &[3, 2]]);
        check("ab,cb->", &[&[2, 3], &[2, 3]]);
        check("abc,b->c", &[&[2, 3, 2], &[3]]);
        check("ab,ab->a", &[&[2, 3], &[2, 3]]);
        check("aab,b->a", &[&[2, 2, 3], &[3]]);
        check("...ab,...bc->...ac", &[&[2, 2, 3], &[2, 3, 2]]);
        check("...ab,...bc->...ac", &[&[1, 2, 3], &[2, 3, 2]]);
        check("...ab,bc->ac...", &[&[2, 2, 3], &[3, 2]]);
        check("a...,...b->...ab", &[&[2, 3], &[1, 2]]);
        check("...a,...a->...", &[&[2, 3], &[3]]);
    }
}
