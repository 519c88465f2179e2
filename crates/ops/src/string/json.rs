//! A JSON value whose objects keep the order of their entries, and repeated ones.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

pub(super) enum Json {
    Null,
    Bool,
    Int(i64),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The text with what TensorFlow's parser allows beyond JSON made JSON: names without quotes, single quotes, commas before a bracket.
pub(super) fn strict(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' => {
                out.push('"');
                while let Some(inner) = chars.next() {
                    match inner {
                        _ if inner == c => break,
                        '\\' if chars.peek() == Some(&'\'') => out.extend(chars.next()),
                        '\\' => {
                            out.push('\\');
                            out.extend(chars.next());
                        }
                        '"' => out.push_str("\\\""),
                        other => out.push(other),
                    }
                }
                out.push('"');
            }
            ']' | '}' => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(c);
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut word = String::from(c);
                while let Some(&next) = chars.peek().filter(|n| n.is_ascii_alphanumeric() || **n == '_') {
                    word.push(next);
                    chars.next();
                }
                // The values of JSON that look like names, and exponents of numbers, stay what they are.
                let is_exponent = out.ends_with(|p: char| p.is_ascii_digit() || p == '.');
                if is_exponent || matches!(word.as_str(), "null" | "true" | "false") {
                    out.push_str(&word);
                } else {
                    out.push('"');
                    out.push_str(&word);
                    out.push('"');
                }
            }
            other => out.push(other),
        }
    }
    out
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Bool)
    }

    fn visit_i64<E>(self, n: i64) -> Result<Json, E> {
        Ok(Json::Int(n))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Json, E> {
        Ok(i64::try_from(n).map_or(Json::Number(n as f64), Json::Int))
    }

    fn visit_f64<E>(self, n: f64) -> Result<Json, E> {
        Ok(Json::Number(n))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = seq.next_element()? {
            all.push(one);
        }
        Ok(Json::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(entry) = map.next_entry()? {
            all.push(entry);
        }
        Ok(Json::Object(all))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::strict;

    #[test]
    fn what_is_allowed_beyond_json_becomes_json() {
        for (given, wanted) in [
            ("{a: 1, 'b': 'x\"y\\'z',}", r#"{"a": 1, "b": "x\"y'z"}"#),
            (r#"{"a": [1, 2e5, ], "b": "c, }"}"#, r#"{"a": [1, 2e5], "b": "c, }"}"#),
            (r#"{"a": null, "b\"": true}"#, r#"{"a": null, "b\"": true}"#),
            ("", ""),
        ] {
            assert_eq!(strict(given), wanted);
        }
    }
}
