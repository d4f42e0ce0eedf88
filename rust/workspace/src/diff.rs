//! Unified diffs with three lines of context, for the model and for the person.

use std::time::Duration;

use similar::TextDiff;

use crate::visible;

/// After this the rest is shown as replaced; only the diff is coarser then.
const LIMIT: Duration = Duration::from_millis(500);
/// Characters of a diff for the person.
const MOST_FOR_PEOPLE: usize = 200_000;
/// Texts above this are not compared.
const MOST_COMPARED: usize = 8 * 1024 * 1024;

/// The change of one file; an absent side does not exist. Line ends are not compared. Empty where
/// nothing differs, and for texts too large to compare.
pub(crate) fn unified(path: &str, old: Option<&str>, new: Option<&str>) -> String {
    // A line end in a name would make lines of its own.
    let path = visible::name(path);
    let name = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let unify = |text: Option<&str>| text.unwrap_or("").replace("\r\n", "\n").replace('\r', "\n");
    let (old_text, new_text) = (unify(old), unify(new));
    if old_text.len() + new_text.len() > MOST_COMPARED {
        return String::new();
    }
    TextDiff::configure()
        .timeout(LIMIT)
        .diff_lines(&old_text, &new_text)
        .unified_diff()
        .context_radius(3)
        .header(&name("a", old), &name("b", new))
        .to_string()
}

/// A diff as it is kept for the person.
pub(crate) fn for_people(diff: &str) -> Option<String> {
    (!diff.is_empty()).then(|| cut(diff, MOST_FOR_PEOPLE))
}

/// At most `most` bytes of whole lines, with a word about the rest.
pub(crate) fn cut(diff: &str, most: usize) -> String {
    if diff.len() <= most {
        return diff.to_owned();
    }
    let end = diff.floor_char_boundary(most);
    let end = diff[..end].rfind('\n').map_or(end, |newline| newline + 1);
    let n_left = diff[end..].lines().count();
    format!("{}[{n_left} more lines of the diff]\n", &diff[..end])
}
