//! Regular expressions as TF's ops take them (RE2's syntax).

use crate::prelude::*;
use regex::bytes::{Captures, Regex, RegexBuilder};

/// Most memory that one compiled pattern may take: patterns come from clients.
const LARGEST: usize = 1 << 22;

fn compile(pattern: &[u8], wrap: impl Fn(&str) -> String) -> Result<Regex> {
    let text = String::from_utf8_lossy(pattern).into_owned();
    let invalid = |e: regex::Error| {
        let cause = e.to_string();
        let cause = cause.lines().rev().find_map(|l| l.strip_prefix("error: ")).unwrap_or("too large").to_owned();
        invalid_argument(format!("Invalid pattern: {text}, error: {cause}"))
    };
    // Alone first, so that unbalanced brackets do not pair with those of the wrapping.
    RegexBuilder::new(&text).size_limit(LARGEST).build().map_err(invalid)?;
    RegexBuilder::new(&wrap(&text)).size_limit(LARGEST).build().map_err(invalid)
}

/// A pattern that must match all of a string.
///
/// Errors: `InvalidArgument` `Invalid pattern: …`.
pub(crate) fn full_match(pattern: &[u8]) -> Result<Regex> {
    compile(pattern, |p| format!(r"\A(?:{p})\z"))
}

/// What replaces what a pattern finds.
pub(crate) struct Replacement {
    pattern: Regex,
    /// Literal bytes, each followed by the number of a group (except perhaps the last).
    parts: Vec<(Vec<u8>, Option<usize>)>,
    all: bool,
}

impl Replacement {
    /// `rewrite` may name groups as `\1`; `\0` is the whole match and `\\` a backslash.
    ///
    /// Errors: `InvalidArgument` for a malformed pattern or rewrite.
    pub(crate) fn new(pattern: &[u8], rewrite: &[u8], all: bool) -> Result<Replacement> {
        let pattern = compile(pattern, str::to_owned)?;
        let bad = |why: String| invalid_argument(format!("Invalid rewrite: {}, error: {why}", rewrite.escape_ascii()));
        let mut parts = vec![(Vec::new(), None)];
        let mut bytes = rewrite.iter();
        while let Some(&b) = bytes.next() {
            let next = if b == b'\\' { bytes.next().copied() } else { None };
            let last = parts.len() - 1;
            match (b, next) {
                (b'\\', Some(b'\\')) => parts[last].0.push(b'\\'),
                (b'\\', Some(d)) if d.is_ascii_digit() => {
                    let group = (d - b'0') as usize;
                    if group >= pattern.captures_len() {
                        return Err(bad(format!("group {group} is not in the pattern")));
                    }
                    parts[last].1 = Some(group);
                    parts.push((Vec::new(), None));
                }
                (b'\\', _) => return Err(bad("a backslash must precede a digit or a backslash".to_owned())),
                (b, _) => parts[last].0.push(b),
            }
        }
        Ok(Replacement { pattern, parts, all })
    }

    /// The string with the first match, or all of them, replaced.
    pub(crate) fn apply(&self, s: &[u8]) -> Vec<u8> {
        let rewrite = |c: &Captures| {
            let mut out = Vec::new();
            for (literal, group) in &self.parts {
                out.extend_from_slice(literal);
                out.extend_from_slice(group.and_then(|g| c.get(g)).map_or(&[][..], |m| m.as_bytes()));
            }
            out
        };
        self.pattern.replacen(s, if self.all { 0 } else { 1 }, rewrite).into_owned()
    }
}

/// Sets output 0 to whether each string of input 0 matches.
///
/// Errors: none of its own.
pub(crate) fn match_each(ctx: &mut OpKernelContext, pattern: &Regex) -> Result<()> {
    let x = ctx.input(0)?;
    let found: Vec<bool> = x.as_strings()?.iter().map(|s| pattern.is_match(s)).collect();
    let y = Tensor::from_slice(x.shape().clone(), &found)?;
    ctx.set_output(0, y);
    Ok(())
}

/// The string of a scalar input.
///
/// Errors: `InvalidArgument` `Pattern must be scalar, but received [2]`.
pub(crate) fn scalar<'a>(ctx: &'a OpKernelContext, i: usize, name: &str) -> Result<&'a [u8]> {
    let t = ctx.input(i)?;
    match t.as_strings()? {
        [s] if t.shape().is_scalar() => Ok(s),
        _ => Err(invalid_argument(format!("{name} must be scalar, but received {}", t.shape()))),
    }
}
