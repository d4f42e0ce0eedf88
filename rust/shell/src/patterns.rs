//! Matching of file name patterns, in linear space and bounded time.

use std::borrow::Cow;

/// Whether a shell pattern (`*`, `?`, `[…]`, `\x`) matches all of a text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, t));
            p += 1;
            continue;
        }
        match (one(pattern, p, text[t]), retry) {
            (Fit::Behind(next), _) => {
                p = next;
                t += 1;
            }
            (Fit::No, Some((after, from))) => {
                retry = Some((after, from + 1));
                p = after;
                t = from + 1;
            }
            (Fit::No, None) | (Fit::Unclosed, _) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// A pattern in which `*` stands for each group, as `@(a|b)` and `!(a)` are: rather a match too many.
pub(super) fn without_groups(pattern: &str) -> Cow<'_, str> {
    let Some(mut at) = group(pattern) else {
        return pattern.into();
    };
    let mut without = String::with_capacity(pattern.len());
    let mut rest = pattern;
    loop {
        without.push_str(&rest[..at]);
        without.push('*');
        let mut open = 0_usize;
        let end = rest[at..].find(|c| {
            open += usize::from(c == '(');
            open -= usize::from(c == ')' && open > 0);
            c == ')' && open == 0
        });
        rest = end.map_or("", |end| &rest[at + end + 1..]);
        match group(rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    without.push_str(rest);
    without.into()
}

/// Where the first group begins.
fn group(pattern: &str) -> Option<usize> {
    let mut pairs = pattern.as_bytes().windows(2);
    pairs.position(|pair| pair[1] == b'(' && b"@+?*!".contains(&pair[0]))
}

/// How the piece of a pattern at some place fits a byte.
enum Fit {
    /// It does; the pattern continues here.
    Behind(usize),
    No,
    /// It is a class without its end, which fits nothing wherever it is tried.
    Unclosed,
}

impl Fit {
    fn behind(end: usize, fits: bool) -> Self {
        if fits { Self::Behind(end) } else { Self::No }
    }
}

fn one(pattern: &[u8], at: usize, byte: u8) -> Fit {
    match pattern.get(at) {
        None => Fit::No,
        Some(b'?') => Fit::Behind(at + 1),
        Some(b'[') => class(pattern, at, byte).unwrap_or(Fit::Unclosed),
        Some(b'\\') => Fit::behind(at + 2, pattern.get(at + 1) == Some(&byte)),
        Some(other) => Fit::behind(at + 1, *other == byte),
    }
}

/// None for a class without its end.
fn class(pattern: &[u8], at: usize, byte: u8) -> Option<Fit> {
    let mut p = at + 1;
    let negated = matches!(pattern.get(p), Some(b'!' | b'^'));
    p += usize::from(negated);
    let start = p;
    let mut found = false;
    loop {
        let first = *pattern.get(p)?;
        if let Some(behind) = named_class(pattern, p) {
            // `[[:alpha:]]`: rather a match too many, also where it is negated.
            return closed(pattern, behind).map(Fit::Behind);
        }
        if first == b']' && p > start {
            break;
        }
        let range = pattern.get(p + 1) == Some(&b'-');
        match pattern.get(p + 2) {
            Some(&last) if range && last != b']' => {
                found |= (first..=last).contains(&byte);
                p += 3;
            }
            _ => {
                found |= first == byte;
                p += 1;
            }
        }
    }
    Some(Fit::behind(p + 1, found != negated))
}

/// The position behind `[:name:]`.
fn named_class(pattern: &[u8], at: usize) -> Option<usize> {
    let name = pattern.get(at..)?.strip_prefix(b"[:")?;
    let length = name.iter().take_while(|byte| byte.is_ascii_alphabetic());
    let end = at + 2 + length.count();
    pattern.get(end..)?.starts_with(b":]").then_some(end + 2)
}

/// The position behind the end of a class.
fn closed(pattern: &[u8], at: usize) -> Option<usize> {
    let end = pattern.get(at..)?.iter().position(|byte| *byte == b']')?;
    Some(at + end + 1)
}
