//! Finds the one place that an edit means and replaces it; pure text.
//!
//! First the exact text. Only where that occurs nowhere, one tolerant step: the same text but for
//! line ends and trailing blanks, then the same lines under another common indent. A tolerant match
//! needs a non-blank line and exactly one place; nothing outside that place is touched. There is no
//! similarity search: what is merely similar is shown to the model, never edited.

mod nearest;
mod tolerant;

use std::ops::Range;

pub(super) use nearest::nearest_lines;

use super::text_file::Format;

/// Places that are looked for; more are as ambiguous.
const MOST_PLACES: usize = 1_000;
/// Places whose lines are told.
const MOST_LINES: usize = 10;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) replace_all: bool,
}

/// How an edit's place was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Exactly {
        places: usize,
    },
    /// Apart from line ends and trailing blanks.
    ApartFromBlanks,
    /// With another indent, in words.
    Reindented(String),
}

/// Why an edit was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    Nowhere,
    Ambiguous(Places),
    /// The new text stands at these lines already, from 1.
    AlreadyApplied(Range<usize>),
    /// It fits at this line with another indent, but the new text has less indent than would go.
    Unshiftable(usize),
}

/// Several places that fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) total: usize,
    /// The lines of the first ones, from 1.
    pub(super) lines: Vec<usize>,
}

/// Applies an edit to a text; answers the new text.
pub(super) fn apply(text: &str, format: Format, edit: &Edit) -> Result<(String, Found), Miss> {
    let new = format.with_line_ends(&edit.new);
    match replace_exact(text, format, &edit.old, &new, edit.replace_all) {
        Err(Miss::Nowhere) => {}
        Err(miss) => return Err(miss),
        Ok((text, places)) => return Ok((text, Found::Exactly { places })),
    }
    // As a reader of the file sees it, without knowing its line ends.
    let old = format.with_line_ends(&edit.old);
    match replace_exact(text, format, &old, &new, edit.replace_all) {
        Err(Miss::Nowhere) => {}
        Err(miss) => return Err(miss),
        Ok((text, _)) => return Ok((text, Found::ApartFromBlanks)),
    }
    match tolerant::find(text, format, edit) {
        Err(Miss::Nowhere) => Err(already_applied(text, format, &new).unwrap_or(Miss::Nowhere)),
        Err(miss) => Err(miss),
        Ok(place) => {
            let new = format.with_line_ends(&place.new);
            Ok((spliced(text, place.span, &new), place.found))
        }
    }
}

fn replace_exact(
    text: &str,
    format: Format,
    old: &str,
    new: &str,
    replace_all: bool,
) -> Result<(String, usize), Miss> {
    let found = places(text, old);
    match found.as_slice() {
        [] => Err(Miss::Nowhere),
        [place] => Ok((spliced(text, *place..place + old.len(), new), 1)),
        _ if replace_all => Ok((text.replace(old, new), text.matches(old).count())),
        several => Err(Miss::Ambiguous(Places::new(several, |place| {
            line_number(text, format, *place)
        }))),
    }
}

impl Places {
    fn new<T>(found: &[T], line: impl Fn(&T) -> usize) -> Self {
        Self {
            total: found.len(),
            lines: found.iter().take(MOST_LINES).map(line).collect(),
        }
    }
}

fn spliced(text: &str, span: Range<usize>, new: &str) -> String {
    let mut result = String::with_capacity(text.len() - span.len() + new.len());
    result.push_str(&text[..span.start]);
    result.push_str(new);
    result.push_str(&text[span.end..]);
    result
}

fn already_applied(text: &str, format: Format, new: &str) -> Option<Miss> {
    if new.trim().is_empty() {
        return None;
    }
    match places(text, new).as_slice() {
        [place] => {
            let last = place + new.trim_end().len();
            Some(Miss::AlreadyApplied(
                line_number(text, format, *place)..line_number(text, format, last) + 1,
            ))
        }
        _ => None,
    }
}

/// Where a piece stands in a text, overlapping places too.
fn places(text: &str, piece: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(piece)) {
        let place = from + found;
        places.push(place);
        if places.len() == MOST_PLACES {
            break;
        }
        from = place + text[place..].chars().next().map_or(1, char::len_utf8);
    }
    places
}

/// The line of a position, from 1.
fn line_number(text: &str, format: Format, position: usize) -> usize {
    1 + text[..position]
        .matches(format.line_end.last_char())
        .count()
}
