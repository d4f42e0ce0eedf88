//! Brace expansion: `{a,b}` and `{1..3}`, in time linear in the word and with a bound on the words.

use siderail_syntax::tree::{Part, Word};

const WORDS_LIMIT: usize = 64;
/// What all words together may hold.
const PIECES_LIMIT: usize = 1 << 16;
const DEPTH_LIMIT: usize = 8;
/// How many braces may stay open in one word.
const UNCLOSED_LIMIT: usize = 32;

/// A word cut into single letters of bare text and whole other parts.
#[derive(Clone, Debug)]
enum Piece<'w> {
    Letter(char),
    Part(&'w Part),
}

type Pieces<'w> = Vec<Piece<'w>>;

/// The words that a word becomes; `None` when they are too many.
pub(super) fn expand(word: &Word) -> Option<Vec<Word>> {
    let mut pieces = Vec::new();
    for part in &word.parts {
        match part {
            Part::Bare(text) => pieces.extend(text.chars().map(Piece::Letter)),
            other => pieces.push(Piece::Part(other)),
        }
    }
    let expanded = alternatives(&pieces, 0)?;
    Some(expanded.into_iter().map(|pieces| joined(&pieces)).collect())
}

fn joined(pieces: &[Piece<'_>]) -> Word {
    let mut word = Word::default();
    for piece in pieces {
        match (piece, word.parts.last_mut()) {
            (Piece::Letter(letter), Some(Part::Bare(text))) => text.push(*letter),
            (Piece::Letter(letter), _) => word.parts.push(Part::Bare((*letter).into())),
            (Piece::Part(part), _) => word.parts.push((*part).clone()),
        }
    }
    word
}

/// Every combination of the alternatives in a row of pieces.
fn alternatives<'w>(pieces: &[Piece<'w>], depth: usize) -> Option<Vec<Pieces<'w>>> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let mut words: Vec<Pieces<'w>> = vec![Vec::new()];
    let mut at = 0;
    for group in groups(pieces)? {
        let Some(choices) = choices(pieces, &group, depth)? else {
            continue;
        };
        words
            .iter_mut()
            .for_each(|word| word.extend_from_slice(&pieces[at..group.open]));
        let count = words.len() * choices.len();
        if count > WORDS_LIMIT || count * pieces.len() > PIECES_LIMIT {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| {
                choices
                    .iter()
                    .map(move |choice| [word.as_slice(), choice].concat())
            })
            .collect();
        at = group.close + 1;
    }
    words
        .iter_mut()
        .for_each(|word| word.extend_from_slice(&pieces[at..]));
    Some(words)
}

/// What a pair of braces may become; nothing where it stays as it is, `None` when it is too much.
fn choices<'w>(
    pieces: &[Piece<'w>],
    group: &Group,
    depth: usize,
) -> Option<Option<Vec<Pieces<'w>>>> {
    let inner = &pieces[group.open + 1..group.close];
    if group.commas.is_empty() {
        return if is_sequence(inner) {
            sequence(inner).map(Some)
        } else {
            Some(None)
        };
    }
    let mut choices = Vec::new();
    let mut from = group.open + 1;
    for end in group.commas.iter().copied().chain([group.close]) {
        choices.extend(alternatives(&pieces[from..end], depth + 1)?);
        from = end + 1;
    }
    Some(Some(choices))
}

/// An outermost pair of braces.
struct Group {
    open: usize,
    close: usize,
    /// The commas that belong to it; none in a sequence.
    commas: Vec<usize>,
}

/// The outermost pairs from left to right; `None` when too many braces are never closed.
fn groups(pieces: &[Piece<'_>]) -> Option<Vec<Group>> {
    let mut found = Vec::new();
    let mut n_unclosed = 0;
    let mut at = 0;
    while let Some(open) = pieces[at..]
        .iter()
        .position(|piece| piece.is('{'))
        .map(|open| at + open)
    {
        match group_at(pieces, open) {
            Some(group) => {
                at = group.close + 1;
                found.push(group);
            }
            None => {
                at = open + 1;
                n_unclosed += 1;
            }
        }
        if n_unclosed > UNCLOSED_LIMIT {
            return None;
        }
    }
    Some(found)
}

/// The pair that opens at an index. A brace closes it only behind a comma or a `..` of its own, as in bash.
fn group_at(pieces: &[Piece<'_>], open: usize) -> Option<Group> {
    let (mut level, mut closes) = (0_usize, false);
    let mut commas = Vec::new();
    for (index, piece) in pieces.iter().enumerate().skip(open + 1) {
        match piece {
            Piece::Letter('{') => level += 1,
            Piece::Letter('}') if level > 0 => level -= 1,
            Piece::Letter('}') if closes => {
                return Some(Group {
                    open,
                    close: index,
                    commas,
                });
            }
            Piece::Letter(',') if level == 0 => {
                commas.push(index);
                closes = true;
            }
            Piece::Letter('.') if level == 0 => {
                closes |= pieces.get(index + 1).is_some_and(|next| next.is('.'));
            }
            _ => {}
        }
    }
    None
}

impl Piece<'_> {
    fn is(&self, letter: char) -> bool {
        matches!(self, Self::Letter(own) if *own == letter)
    }
}

fn letters(pieces: &[Piece<'_>]) -> Option<String> {
    // The longest sequence that means anything is shorter.
    if pieces.len() > 40 {
        return None;
    }
    let letter = |piece: &Piece<'_>| match piece {
        Piece::Letter(letter) => Some(*letter),
        Piece::Part(_) => None,
    };
    pieces.iter().map(letter).collect()
}

fn is_sequence(pieces: &[Piece<'_>]) -> bool {
    letters(pieces).is_some_and(|text| bounds(&text).is_some())
}

/// First, last and step, and whether they are letters.
fn bounds(text: &str) -> Option<(i64, i64, i64, bool)> {
    let mut fields = text.split("..");
    let (first, last) = (fields.next()?, fields.next()?);
    let step = match fields.next() {
        Some(step) => step.parse::<i64>().ok()?.checked_abs()?.max(1),
        None => 1,
    };
    if fields.next().is_some() {
        return None;
    }
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        return Some((first, last, step, false));
    }
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    Some((letter(first)?, letter(last)?, step, true))
}

fn sequence<'w>(pieces: &[Piece<'w>]) -> Option<Vec<Pieces<'w>>> {
    let text = letters(pieces)?;
    let (first, last, step, are_letters) = bounds(&text)?;
    let count = usize::try_from(first.abs_diff(last)).ok()? / usize::try_from(step).ok()?;
    if count >= WORDS_LIMIT {
        return None;
    }
    let width = padding(&text);
    let sign = if first <= last { step } else { -step };
    let values = (0..=count).map(|index| {
        let value = first + sign * i64::try_from(index).unwrap_or(0);
        let letter = u8::try_from(value).map(|byte| char::from(byte).to_string());
        let text = if are_letters {
            letter.unwrap_or_default()
        } else {
            format!("{value:0width$}")
        };
        text.chars().map(Piece::Letter).collect()
    });
    Some(values.collect())
}

/// `{01..10}` keeps the width of its longer bound.
fn padding(text: &str) -> usize {
    let bounds = text.split("..").take(2);
    let padded = bounds.clone().any(|bound| {
        let digits = bound.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    });
    if padded {
        bounds.map(str::len).max().unwrap_or(0)
    } else {
        0
    }
}
