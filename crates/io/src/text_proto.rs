//! The little of protobuf's text format that the `checkpoint` file needs: a flat list of `name: value` fields.

use ferroflow_tensor::error::{Result, data_loss};
use std::fmt::Write;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A quoted string; adjacent ones are joined.
    String(Vec<u8>),
    /// A number.
    Number(f64),
    /// A word, such as `true`.
    Word(String),
}

/// Appends the line of a string field.
pub fn push_string(text: &mut String, name: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = write!(text, "{name}: \"");
    for c in value.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' => text.push_str("\\\""),
            '\'' => text.push_str("\\'"),
            '\\' => text.push_str("\\\\"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(text, "\\{:03o}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push_str("\"\n");
}

/// Appends the line of a number field.
pub fn push_number(text: &mut String, name: &str, value: f64) {
    let _ = writeln!(text, "{name}: {value:?}");
}

/// The fields in order.
///
/// Errors: `DataLoss` with the line of what is not understood.
pub fn parse(text: &[u8]) -> Result<Vec<(String, Value)>> {
    let mut p = Parser { rest: text, line: 1 };
    let mut fields = Vec::new();
    loop {
        p.skip_blank();
        if p.rest.is_empty() {
            return Ok(fields);
        }
        let name = p.word();
        p.skip_blank();
        if name.is_empty() || !p.eat(b':') {
            return Err(p.error("expected a field name and a colon"));
        }
        p.skip_blank();
        let value = p.value()?;
        fields.push((name, value));
        p.skip_blank();
        if !p.eat(b';') {
            p.eat(b',');
        }
    }
}

struct Parser<'a> {
    rest: &'a [u8],
    line: usize,
}

impl Parser<'_> {
    fn error(&self, what: &str) -> ferroflow_tensor::Error {
        data_loss(format!("line {}: {what}", self.line))
    }

    fn next(&mut self) -> Option<u8> {
        let (&c, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.line += usize::from(c == b'\n');
        Some(c)
    }

    fn eat(&mut self, c: u8) -> bool {
        let hit = self.rest.first() == Some(&c);
        if hit {
            self.next();
        }
        hit
    }

    /// Skips blanks and comments.
    fn skip_blank(&mut self) {
        while let Some(&c) = self.rest.first() {
            if c == b'#' {
                while self.next().is_some_and(|c| c != b'\n') {}
            } else if c.is_ascii_whitespace() {
                self.next();
            } else {
                return;
            }
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(&c) = self.rest.first() {
            if !(c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'+' | b'-')) {
                break;
            }
            word.push(c as char);
            self.next();
        }
        word
    }

    fn value(&mut self) -> Result<Value> {
        let mut string: Option<Vec<u8>> = None;
        while let Some(&quote @ (b'"' | b'\'')) = self.rest.first() {
            self.next();
            self.quoted(quote, string.get_or_insert_default())?;
            self.skip_blank();
        }
        if let Some(string) = string {
            return Ok(Value::String(string));
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.error("expected a value"));
        }
        Ok(word.parse().map_or(Value::Word(word), Value::Number))
    }

    fn quoted(&mut self, quote: u8, out: &mut Vec<u8>) -> Result<()> {
        loop {
            match self.next() {
                None | Some(b'\n') => return Err(self.error("a string has no end")),
                Some(c) if c == quote => return Ok(()),
                Some(b'\\') => {
                    let c = self.escaped()?;
                    out.push(c);
                }
                Some(c) => out.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Result<u8> {
        Ok(match self.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'v') => 11,
            Some(c @ (b'"' | b'\'' | b'\\' | b'?')) => c,
            Some(b'x' | b'X') => self.digits(16, 2, 0, 0)?,
            Some(c @ b'0'..=b'7') => self.digits(8, 2, u32::from(c - b'0'), 1)?,
            _ => return Err(self.error("unknown escape in a string")),
        })
    }

    /// Up to `most` further digits of a character's number; `count` were read before.
    fn digits(&mut self, radix: u32, most: usize, mut value: u32, mut count: usize) -> Result<u8> {
        for _ in 0..most {
            let Some(digit) = self.rest.first().and_then(|&c| (c as char).to_digit(radix)) else { break };
            value = value * radix + digit;
            count += 1;
            self.next();
        }
        match u8::try_from(value) {
            Ok(byte) if count > 0 => Ok(byte),
            _ => Err(self.error("bad character number in a string")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_with_odd_characters_come_back() {
        for value in ["", "plain", "a\"b'c\\d\ne\tf\r", "\u{1}\u{7f}", "größe/模型"] {
            let mut text = String::new();
            push_string(&mut text, "s", value);
            assert_eq!(text.lines().count(), 1);
            assert_eq!(parse(text.as_bytes()).unwrap(), [("s".to_owned(), Value::String(value.as_bytes().to_vec()))]);
        }
    }

    #[test]
    fn other_ways_of_writing_are_read() {
        let fields = parse(b"# note\na : 'x' \"y\\x41\\101\" ; b:1.5e3,c: true").unwrap();
        assert_eq!(fields[0].1, Value::String(b"xyAA".to_vec()));
        assert_eq!(fields[1].1, Value::Number(1500.0));
        assert_eq!(fields[2].1, Value::Word("true".to_owned()));
    }

    #[test]
    fn errors_name_the_line() {
        for text in [&b"a: 1\nb"[..], b"a: 1\nb: \"x", b"a: 1\nb: \"\\q\"", b"a: 1\nb: \"\\777\"", b"a: 1\nb: \"\\x\"", b"\n: 1"] {
            assert!(parse(text).unwrap_err().message().starts_with("line 2"), "{text:?}");
        }
    }
}
