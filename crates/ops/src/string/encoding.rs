//! Code points in strings of several encodings, with what is malformed in them (TF: `unicode_ops`, there by ICU).

use crate::prelude::*;

/// How bytes stand for code points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Utf8,
    /// Two bytes each, by the byte-order mark in front, else the higher byte first.
    Utf16,
    Utf16Be,
    Utf16Le,
    /// Four bytes each, by the byte-order mark in front, else the highest byte first.
    Utf32,
    Utf32Be,
    Utf32Le,
    Ascii,
    Latin1,
    /// One of those that the web knows: of East Asia, of Windows, of ISO 8859.
    Other(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// The encoding of this name; case, hyphens and underscores do not matter.
    ///
    /// Errors: `InvalidArgument` for others.
    pub(super) fn named(name: &str) -> Result<Encoding> {
        let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
        Ok(match plain.as_str() {
            "utf8" => Encoding::Utf8,
            "utf16" => Encoding::Utf16,
            "utf16be" => Encoding::Utf16Be,
            "utf16le" => Encoding::Utf16Le,
            "utf32" => Encoding::Utf32,
            "utf32be" => Encoding::Utf32Be,
            "utf32le" => Encoding::Utf32Le,
            "ascii" | "usascii" => Encoding::Ascii,
            "latin1" | "iso88591" => Encoding::Latin1,
            _ => {
                let label = name.replace('_', "-");
                let known = [name, &label].into_iter().find_map(|l| encoding_rs::Encoding::for_label_no_replacement(l.as_bytes()));
                // A browser's own encoding for bytes is nobody else's.
                let known = known.filter(|&e| e != encoding_rs::X_USER_DEFINED);
                known
                    .map(Encoding::Other)
                    .ok_or_else(|| invalid_argument(format!("Could not create converter for input encoding: {name}")))?
            }
        })
    }

    /// Calls `visit` with each code point, or none where the bytes stand for none, and where it begins.
    pub(super) fn decode(self, bytes: &[u8], mut visit: impl FnMut(Option<u32>, usize)) {
        match self {
            Encoding::Utf8 => decode_utf8(bytes, visit),
            Encoding::Ascii => bytes.iter().enumerate().for_each(|(i, &b)| visit(b.is_ascii().then_some(u32::from(b)), i)),
            Encoding::Latin1 => bytes.iter().enumerate().for_each(|(i, &b)| visit(Some(u32::from(b)), i)),
            Encoding::Utf16 => match bytes {
                [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes, |c, at| visit(c, at + 2)),
                [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes, |c, at| visit(c, at + 2)),
                all => decode_utf16(all, u16::from_be_bytes, visit),
            },
            Encoding::Utf16Be => decode_utf16(bytes, u16::from_be_bytes, visit),
            Encoding::Utf16Le => decode_utf16(bytes, u16::from_le_bytes, visit),
            Encoding::Utf32 => match bytes {
                [0xff, 0xfe, 0, 0, rest @ ..] => decode_utf32(rest, u32::from_le_bytes, |c, at| visit(c, at + 4)),
                [0, 0, 0xfe, 0xff, rest @ ..] => decode_utf32(rest, u32::from_be_bytes, |c, at| visit(c, at + 4)),
                all => decode_utf32(all, u32::from_be_bytes, visit),
            },
            Encoding::Utf32Be => decode_utf32(bytes, u32::from_be_bytes, visit),
            Encoding::Utf32Le => decode_utf32(bytes, u32::from_le_bytes, visit),
            Encoding::Other(encoding) => decode_other(encoding, bytes, visit),
        }
    }
}

/// Decodes byte by byte, because the decoder does not tell where a character begins.
fn decode_other(encoding: &'static encoding_rs::Encoding, bytes: &[u8], mut visit: impl FnMut(Option<u32>, usize)) {
    use encoding_rs::DecoderResult;
    let mut decoder = encoding.new_decoder_without_bom_handling();
    // More than a byte can become: what it completes, and itself.
    let mut text = [0u8; 32];
    let (mut start, mut at) = (0, 0);
    loop {
        let next = (at + 1).min(bytes.len());
        let is_last = next == bytes.len();
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(&bytes[at..next], &mut text, is_last);
        at += read;
        let chars = std::str::from_utf8(&text[..written]).unwrap_or_default();
        for (i, c) in chars.chars().enumerate() {
            visit(Some(u32::from(c)), start + i);
        }
        if !chars.is_empty() {
            start = at;
        }
        match result {
            DecoderResult::InputEmpty if is_last => return,
            DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
            DecoderResult::Malformed(_, after) => {
                visit(None, start);
                start = at - usize::from(after).min(at);
            }
        }
    }
}

fn decode_utf8(bytes: &[u8], mut visit: impl FnMut(Option<u32>, usize)) {
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for (i, c) in chunk.valid().char_indices() {
            visit(Some(u32::from(c)), at + i);
        }
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            visit(None, at);
            at += chunk.invalid().len();
        }
    }
}

fn decode_utf16(bytes: &[u8], word: fn([u8; 2]) -> u16, mut visit: impl FnMut(Option<u32>, usize)) {
    let (words, rest) = bytes.as_chunks::<2>();
    let mut i = 0;
    while i < words.len() {
        let high = word(words[i]);
        let low = words.get(i + 1).map(|w| word(*w));
        match (high, low) {
            (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                visit(Some(0x1_0000 + ((u32::from(high) & 0x3ff) << 10) + (u32::from(low) & 0x3ff)), 2 * i);
                i += 1;
            }
            (0xd800..=0xdbff, None) => {
                // What is left of a pair is one malformed character, whether it ends in the middle of a word or not.
                visit(None, 2 * i);
                return;
            }
            (0xd800..=0xdfff, _) => visit(None, 2 * i),
            (c, _) => visit(Some(u32::from(c)), 2 * i),
        }
        i += 1;
    }
    if !rest.is_empty() {
        visit(None, 2 * i);
    }
}

fn decode_utf32(bytes: &[u8], word: fn([u8; 4]) -> u32, mut visit: impl FnMut(Option<u32>, usize)) {
    let (words, rest) = bytes.as_chunks::<4>();
    for (i, w) in words.iter().enumerate() {
        visit(char::from_u32(word(*w)).map(u32::from), 4 * i);
    }
    if !rest.is_empty() {
        visit(None, 4 * words.len());
    }
}

/// What becomes of malformed characters.
#[derive(Clone, Copy)]
enum Policy {
    Strict,
    Replace,
    Ignore,
}

/// What a node's attributes say about malformed characters and control characters.
pub(super) struct Errors {
    policy: Policy,
    replacement: char,
    replaces_controls: bool,
}

impl Errors {
    /// What the attributes say.
    ///
    /// Errors: `InvalidArgument` for a policy that there is not, or a replacement that is no code point.
    pub(super) fn of(attrs: &AttrMap) -> Result<Errors> {
        let policy = match attrs.str("errors")? {
            "strict" => Policy::Strict,
            "replace" => Policy::Replace,
            "ignore" => Policy::Ignore,
            other => return Err(invalid_argument(format!("errors policy must be one of 'strict', 'replace', or 'ignore', not {other}"))),
        };
        let given = attrs.int("replacement_char")?;
        let replacement = u32::try_from(given).ok().and_then(char::from_u32);
        let replacement =
            replacement.ok_or_else(|| invalid_argument(format!("replacement_char out of unicode codepoint range: {given}")))?;
        let replaces_controls = attrs.contains("replace_control_characters") && attrs.bool("replace_control_characters")?;
        Ok(Errors { policy, replacement, replaces_controls })
    }

    /// The code point that stands for one that was read, if any does.
    ///
    /// Errors: `InvalidArgument` for malformed characters that are not allowed.
    pub(super) fn settle(&self, found: Option<u32>) -> Result<Option<char>> {
        match (found.and_then(char::from_u32), self.policy) {
            (Some(c), _) if self.replaces_controls && u32::from(c) < 0x20 => Ok(Some(self.replacement)),
            (Some(c), _) => Ok(Some(c)),
            (None, Policy::Replace) => Ok(Some(self.replacement)),
            (None, Policy::Ignore) => Ok(None),
            (None, Policy::Strict) => Err(invalid_argument("Invalid formatting on input string")),
        }
    }
}

/// Appends a code point in the encoding that attribute `output_encoding` names.
///
/// Errors: `InvalidArgument` for others.
pub(super) fn encoder(attrs: &AttrMap) -> Result<fn(char, &mut Vec<u8>)> {
    Ok(match attrs.str("output_encoding")? {
        "UTF-8" => |c, out| out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        "UTF-16-BE" => |c, out| out.extend(c.encode_utf16(&mut [0; 2]).iter().flat_map(|w| w.to_be_bytes())),
        "UTF-32-BE" => |c, out| out.extend(u32::from(c).to_be_bytes()),
        other => return Err(invalid_argument(format!("Invalid output encoding {other}"))),
    })
}
