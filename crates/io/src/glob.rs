//! Matching of file names against shell patterns (TF: `Env::GetMatchingPaths`).

use crate::file_system::{FileSystem, join};
use ferroflow_tensor::error::{Code, Result};

/// The existing paths that match `pattern`, sorted. A directory that cannot be listed matches nothing below it.
pub fn matching(fs: &(impl FileSystem + ?Sized), pattern: &str) -> Result<Vec<String>> {
    let mut found = vec![if pattern.starts_with('/') { "/".to_owned() } else { String::new() }];
    for part in pattern.split('/').filter(|p| !p.is_empty()) {
        let mut next = Vec::new();
        for dir in found {
            if !is_pattern(part) {
                next.push(join(&dir, part));
                continue;
            }
            match fs.list_dir(&dir) {
                Ok(names) => next.extend(names.iter().filter(|n| matches(part, n)).map(|n| join(&dir, n))),
                Err(e) if e.code() == Code::PermissionDenied => return Err(e),
                Err(_) => {}
            }
        }
        found = next;
    }
    let mut existing = Vec::new();
    for path in found {
        if !path.is_empty() && fs.exists(&path)? {
            existing.push(path);
        }
    }
    existing.sort_unstable();
    Ok(existing)
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[', '\\'])
}

/// Whether a name matches a pattern without `/`: `*` any run, `?` any one, `[a-z]` and `[^a-z]` one of a set, `\` quotes.
pub fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to resume when a match fails: after the last star, which then takes one character more.
    let mut resume: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&'*') {
            resume = Some((p + 1, n));
            p += 1;
            continue;
        }
        let step = match name.get(n) {
            Some(&c) => match_one(pattern.get(p..).unwrap_or_default(), c),
            None if p == pattern.len() => return true,
            None => None,
        };
        match (step, resume) {
            (Some(len), _) => (p, n) = (p + len, n + 1),
            (None, Some((star, taken))) if taken < name.len() => {
                (p, n) = (star, taken + 1);
                resume = Some((star, taken + 1));
            }
            _ => return false,
        }
    }
}

/// How many pattern characters the first item takes, if it accepts `c`.
fn match_one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', quoted, ..] => (*quoted == c).then_some(2),
        ['[', rest @ ..] => {
            // A `]` that comes first is a member of the set.
            let negated = matches!(rest, ['^' | '!', ..]);
            let set = rest.get(usize::from(negated)..)?;
            let len = 1 + set.get(1..)?.iter().position(|&x| x == ']')?;
            let hit = in_set(set.get(..len)?, c);
            (hit != negated).then_some(1 + usize::from(negated) + len + 1)
        }
        [literal, ..] => (*literal == c).then_some(1),
        [] => None,
    }
}

fn in_set(mut set: &[char], c: char) -> bool {
    loop {
        match set {
            [low, '-', high, rest @ ..] => {
                if (low..=high).contains(&&c) {
                    return true;
                }
                set = rest;
            }
            [one, rest @ ..] => {
                if *one == c {
                    return true;
                }
                set = rest;
            }
            [] => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::LocalFileSystem;

    #[test]
    fn patterns_match_as_a_shell_does() {
        for (pattern, name) in [
            ("model-?????-of-00002", "model-00001-of-00002"),
            ("*.index", "model.ckpt-1.index"),
            ("*", ""),
            ("a*b*c", "axxbyybzc"),
            ("[a-c]x", "bx"),
            ("[^a-c]x", "dx"),
            ("[]]", "]"),
            ("\\*", "*"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("?", ""), ("a*b", "abc"), ("[a-c]", "d"), ("[^a]", "a"), ("[a", "a"), ("\\*", "x"), ("", "x"), ("\\", "x")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn only_existing_paths_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_str().unwrap();
        for name in ["d1/x.a", "d2/x.a", "d2/x.b"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, b"").unwrap();
        }
        let find = |p: &str| matching(&LocalFileSystem, &format!("{base}/{p}")).unwrap();
        assert_eq!(find("d*/*.a"), [format!("{base}/d1/x.a"), format!("{base}/d2/x.a")]);
        assert_eq!(find("d2/x.?").len(), 2);
        assert_eq!(find("d2/x.b").len(), 1);
        assert!(find("d3/*").is_empty());
        assert!(find("d2/none").is_empty());
    }
}
