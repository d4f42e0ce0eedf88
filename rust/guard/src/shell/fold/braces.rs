//! Brace expansion: `{a,b}` and `{1..3}`, in time linear in the word and with a bound on the words.

use crate::shell::syntax::{Part, Word};

const WORDS_LIMIT: usize = 64;
/// What all words together may hold.
const PIECES_LIMIT: usize = 1 << 16;
const DEPTH_LIMIT: usize = 8;

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
            (Piece::Letter(letter), _) => word.parts.push(Part::Bare(letter.to_string())),
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
    let groups = groups(pieces);
    let mut words: Vec<Pieces<'w>> = vec![Vec::new()];
    let mut at = 0;
    for group in groups {
        words
            .iter_mut()
            .for_each(|word| word.extend_from_slice(&pieces[at..group.open]));
        let choices = choices(pieces, &group, depth)?;
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

fn choices<'w>(pieces: &[Piece<'w>], group: &Group, depth: usize) -> Option<Vec<Pieces<'w>>> {
    if group.commas.is_empty() {
        return sequence(&pieces[group.open + 1..group.close]);
    }
    let mut choices = Vec::new();
    let mut from = group.open + 1;
    for end in group.commas.iter().copied().chain([group.close]) {
        choices.extend(alternatives(&pieces[from..end], depth + 1)?);
        from = end + 1;
    }
    Some(choices)
}

/// An outermost pair of braces that expands.
struct Group {
    open: usize,
    close: usize,
    /// The commas that belong to it; none in a sequence.
    commas: Vec<usize>,
}

/// The outermost expanding pairs, found in one pass with a stack.
fn groups(pieces: &[Piece<'_>]) -> Vec<Group> {
    let mut open: Vec<Group> = Vec::new();
    let mut found: Vec<Group> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Letter('{') => open.push(Group {
                open: index,
                close: 0,
                commas: Vec::new(),
            }),
            Piece::Letter(',') => {
                if let Some(group) = open.last_mut() {
                    group.commas.push(index);
                }
            }
            Piece::Letter('}') => {
                let Some(mut group) = open.pop() else {
                    continue;
                };
                group.close = index;
                let inner = &pieces[group.open + 1..index];
                if !group.commas.is_empty() || is_sequence(inner) {
                    // It takes the place of those found inside of it.
                    while found.last().is_some_and(|last| last.open > group.open) {
                        found.pop();
                    }
                    found.push(group);
                }
            }
            _ => {}
        }
    }
    found
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
    let (first, last, step, are_letters) = bounds(&letters(pieces)?)?;
    let count = usize::try_from(first.abs_diff(last)).ok()? / usize::try_from(step).ok()?;
    if count >= WORDS_LIMIT {
        return None;
    }
    let sign = if first <= last { step } else { -step };
    let values = (0..=count).map(|index| {
        let value = first + sign * i64::try_from(index).unwrap_or(0);
        let letter = u8::try_from(value).map(|byte| char::from(byte).to_string());
        let text = if are_letters {
            letter.unwrap_or_default()
        } else {
            value.to_string()
        };
        text.chars().map(Piece::Letter).collect()
    });
    Some(values.collect())
}
