//! The lines that look most like a text that was not found, to show them; never to edit them.

use std::collections::HashSet;
use std::ops::Range;

/// Lines that are shown at most.
const MOST_LINES: usize = 10;
/// Comparisons of lines before the search gives up.
const BUDGET: usize = 400_000;

/// The lines (from 0) of `text` most like `old`; none if nothing is alike.
pub(crate) fn nearest_lines(text: &[&str], old: &str) -> Option<Range<usize>> {
    let wanted: Vec<&str> = old
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take(MOST_LINES)
        .collect();
    let wanted_words: Vec<HashSet<&str>> = wanted.iter().map(|line| words(line)).collect();
    let n_lines = wanted.len().max(1);
    let starts = text.len().min(BUDGET / n_lines);
    let mut best = (0.0, 0);
    for start in 0..starts {
        let likeness: f64 = wanted
            .iter()
            .zip(&wanted_words)
            .zip(&text[start..])
            .map(|((line, words), found)| likeness(line, words, found.trim()))
            .sum();
        if likeness > best.0 {
            best = (likeness, start);
        }
    }
    // Below a third of one line it would be noise.
    (best.0 > 0.34).then(|| best.1..(best.1 + n_lines).min(text.len()))
}

/// 1 for the same line, less for the share of common words.
fn likeness(wanted: &str, wanted_words: &HashSet<&str>, found: &str) -> f64 {
    if wanted == found {
        return if wanted.is_empty() { 0.05 } else { 1.0 };
    }
    let found_words = words(found);
    let n_all = wanted_words.union(&found_words).count();
    if n_all == 0 {
        return 0.0;
    }
    let n_common = wanted_words.intersection(&found_words).count();
    0.9 * n_common as f64 / n_all as f64
}

fn words(line: &str) -> HashSet<&str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect()
}
