//! Finds the one place that an edit means and replaces it; pure text.
//!
//! First the exact text. Only where that occurs nowhere, one tolerant step: the same text but for
//! line ends and trailing blanks, then the same lines under another common indent. A tolerant match
//! needs a non-blank line and exactly one place; nothing outside that place is touched. There is no
//! similarity search: what is merely similar is shown to the model, never edited.

mod nearest;
mod tolerant;

use std::ops::Range;

pub(crate) use nearest::nearest_lines;

use crate::line_ends;
use crate::text_file::Format;

/// Places that are looked for; more are as ambiguous.
const MOST_PLACES: usize = 1_000;
/// Places whose lines are reported.
const MOST_LINES: usize = 10;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) replace_all: bool,
}

/// How an edit's place was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
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
pub(crate) enum Miss {
    Nowhere,
    Ambiguous(Places),
    /// The new text is at these lines already, from 1.
    AlreadyApplied(Range<usize>),
    /// It fits at this line with another indent, but the new text has less indent than would go.
    Unshiftable(usize),
}

/// Several places that fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) total: usize,
    /// The lines of the first ones, from 1.
    pub(crate) lines: Vec<usize>,
}

/// A piece of a text, by bytes, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced.
    pub span: Range<usize>,
    /// The replacement.
    pub text: String,
}

impl Replacement {
    /// A text with pieces of it replaced, which do not overlap and come in their order.
    pub fn all(text: &str, pieces: &[Self]) -> String {
        let mut result = String::with_capacity(text.len());
        let mut kept = 0;
        for piece in pieces {
            result.push_str(&text[kept..piece.span.start]);
            result.push_str(&piece.text);
            kept = piece.span.end;
        }
        result.push_str(&text[kept..]);
        result
    }
}

/// Finds what an edit replaces in a text: pieces that do not overlap, in their order.
pub(crate) fn place(
    text: &str,
    format: Format,
    edit: &Edit,
) -> Result<(Vec<Replacement>, Found), Miss> {
    let kept = |old: &str| line_ends::kept(old, &edit.new, format);
    match replace_exact(text, format, &edit.old, &kept(&edit.old), edit.replace_all) {
        Err(Miss::Nowhere) => {}
        Err(miss) => return Err(miss),
        Ok(pieces) => {
            let places = pieces.len();
            return Ok((pieces, Found::Exactly { places }));
        }
    }
    // As a reader of the file sees it, without knowing its line ends.
    let old = format.with_line_ends(&edit.old);
    match replace_exact(text, format, &old, &kept(&old), edit.replace_all) {
        Err(Miss::Nowhere) => {}
        Err(miss) => return Err(miss),
        Ok(pieces) => return Ok((pieces, Found::ApartFromBlanks)),
    }
    match tolerant::find(text, format, edit) {
        Err(Miss::Nowhere) => {
            let new = format.with_line_ends(&edit.new);
            Err(already_applied(text, format, &new).unwrap_or(Miss::Nowhere))
        }
        Err(miss) => Err(miss),
        Ok(place) => {
            let text = line_ends::kept(&text[place.span.clone()], &place.new, format);
            let span = place.span;
            Ok((vec![Replacement { span, text }], place.found))
        }
    }
}

fn replace_exact(
    text: &str,
    format: Format,
    old: &str,
    new: &str,
    replace_all: bool,
) -> Result<Vec<Replacement>, Miss> {
    let piece = |start: usize| Replacement {
        span: start..start + old.len(),
        text: new.to_owned(),
    };
    let found = places(text, old);
    match found.as_slice() {
        [] => Err(Miss::Nowhere),
        [place] => Ok(vec![piece(*place)]),
        _ if replace_all => Ok(text
            .match_indices(old)
            .map(|(start, _)| piece(start))
            .collect()),
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

/// Where a piece occurs in a text, overlapping places too.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_file::TextFile;

    /// Small numbers that are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % sides as u64) as usize
        }

        fn text(&mut self, n_pieces: usize, pieces: &[&str]) -> String {
            (0..self.roll(n_pieces))
                .map(|_| pieces[self.roll(pieces.len())])
                .collect()
        }
    }

    /// What is left of a text when blanks and line ends do not count.
    fn bare(text: &str) -> String {
        text.chars()
            .filter(|letter| !letter.is_whitespace())
            .collect()
    }

    #[test]
    fn whatever_the_texts_only_one_place_that_says_the_same_is_replaced() {
        let pieces = [
            "a", "b", "é", " ", "\t", "\n", "\n", "\r\n", "\r", "  b\n", "a \n",
        ];
        let mut dice = Dice(88_172_645_463_325_252);
        let mut n_tolerant = 0;
        for _ in 0..60_000 {
            let text = dice.text(14, &pieces);
            let old = dice.text(6, &pieces);
            if old.is_empty() {
                continue;
            }
            let format = TextFile::decode(text.as_bytes()).expect("text").format;
            let edit = Edit {
                old: old.clone(),
                new: "§".to_owned(),
                replace_all: false,
            };
            let Ok((pieces, found)) = place(&text, format, &edit) else {
                continue;
            };
            let result = Replacement::all(&text, &pieces);
            let case = format!("{text:?} {old:?} {format:?} {result:?}");
            let (before, after) = result.split_once('§').expect(&case);
            assert!(!after.contains('§'), "{case}");
            // What the indent shift puts before the new text is part of the place.
            let kept = text.len() - after.len();
            assert!(text.ends_with(after), "{case}");
            let start = (0..=kept.min(before.len()))
                .rev()
                .filter(|start| {
                    before.is_char_boundary(*start) && text.starts_with(&before[..*start])
                })
                .find(|start| bare(&text[*start..kept]) == bare(&old))
                .expect(&case);
            assert!(bare(&before[start..]).is_empty(), "{case}");
            n_tolerant += usize::from(!matches!(found, Found::Exactly { .. }));
        }
        assert!(n_tolerant > 300, "{n_tolerant}");
    }
}
