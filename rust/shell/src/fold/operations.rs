//! What the operations of `${…}` make of a value that is known: a text in, a text out, or nothing where the result
//! is unknown.
//!
//! It knows no variables and no state.

use crate::ir::Arg;
use crate::patterns;
use siderail_syntax::tree::{Operation, Parameter, Part, Word};

/// A value after an operation, where both are known.
pub(super) fn changed(parameter: &Parameter, value: &Arg, argument: &Arg) -> Option<String> {
    if value.unknown.is_some() || argument.unknown.is_some() {
        return None;
    }
    let (text, argument) = (value.text.as_str(), argument.text.as_str());
    match parameter.operation {
        Operation::Upper => Some(text.to_uppercase()),
        Operation::Lower => Some(text.to_lowercase()),
        Operation::StripFront => stripped(text, argument, End::Front, Length::Shortest),
        Operation::StripLongestFront => stripped(text, argument, End::Front, Length::Longest),
        Operation::StripBack => stripped(text, argument, End::Back, Length::Shortest),
        Operation::StripLongestBack => stripped(text, argument, End::Back, Length::Longest),
        Operation::ReplaceFirst if may_be_anchored(&parameter.argument, argument) => None,
        Operation::ReplaceFirst
        | Operation::ReplaceAll
        | Operation::ReplaceFront
        | Operation::ReplaceBack => replaced(parameter.operation, text, argument),
        Operation::Slice => slice(text, argument),
        _ => None,
    }
}

/// Whether the pattern of a replacement begins with a mark that comes out of a value: bash takes it as one.
fn may_be_anchored(word: &Word, text: &str) -> bool {
    let is_written = matches!(word.parts.first(), Some(Part::Bare(_) | Part::Quoted(_)));
    !is_written && text.starts_with(['#', '%'])
}

/// `pattern/replacement`, or a pattern that is taken away.
fn replaced(operation: Operation, text: &str, argument: &str) -> Option<String> {
    let (from, to) = argument.split_once('/').unwrap_or((argument, ""));
    // bash puts what has matched in the place of the sign.
    if to.contains('&') {
        return None;
    }
    let changed = match operation {
        Operation::ReplaceFront => match unmatched(text, from, End::Front, Length::Longest)? {
            Some(rest) => format!("{to}{rest}"),
            None => text.to_owned(),
        },
        Operation::ReplaceBack => match unmatched(text, from, End::Back, Length::Longest)? {
            Some(rest) => format!("{rest}{to}"),
            None => text.to_owned(),
        },
        _ if from.is_empty() || !is_constant(from) => return None,
        Operation::ReplaceAll => text.replace(from, to),
        _ => text.replacen(from, to, 1),
    };
    Some(changed)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Shortest,
    Longest,
}

/// A text without what matches a pattern at one end.
fn stripped(text: &str, pattern: &str, end: End, length: Length) -> Option<String> {
    let rest = unmatched(text, pattern, end, length)?;
    Some(rest.unwrap_or(text).to_owned())
}

/// Texts and patterns that are longer are not matched.
const MATCHED_LIMIT: usize = 256;

/// What a match at one end leaves of a text, if there is one; `None` where that is unknown.
fn unmatched<'t>(
    text: &'t str,
    pattern: &str,
    end: End,
    length: Length,
) -> Option<Option<&'t str>> {
    if is_constant(pattern) {
        return Some(match end {
            End::Front => text.strip_prefix(pattern),
            End::Back => text.strip_suffix(pattern),
        });
    }
    if text.len() > MATCHED_LIMIT || pattern.len() > MATCHED_LIMIT {
        return None;
    }
    let mut cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let cut = |at: usize| match end {
        End::Front => (&text[..at], &text[at..]),
        End::Back => (&text[at..], &text[..at]),
    };
    let fits = |at: &usize| patterns::matches(pattern, cut(*at).0);
    // From the front the first cut is the shortest match, from the back the last one.
    let found = match (end, length) {
        (End::Front, Length::Shortest) | (End::Back, Length::Longest) => cuts.find(fits),
        _ => {
            let cuts: Vec<usize> = cuts.collect();
            cuts.into_iter().rev().find(fits)
        }
    };
    Some(found.map(|at| cut(at).1))
}

/// Whether a pattern stands for nothing but itself.
fn is_constant(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '['])
}

fn slice(text: &str, argument: &str) -> Option<String> {
    let (offset, length) = match argument.split_once(':') {
        Some((offset, length)) => (offset, Some(length.trim().parse::<usize>().ok()?)),
        None => (argument, None),
    };
    let letters: Vec<char> = text.chars().collect();
    let offset = offset.trim().parse::<i64>().ok()?;
    let from = if offset < 0 {
        letters.len() as i64 + offset
    } else {
        offset
    };
    let from = usize::try_from(from).ok()?.min(letters.len());
    let to = length.map_or(letters.len(), |length| {
        from.saturating_add(length).min(letters.len())
    });
    Some(letters[from..to].iter().collect())
}
