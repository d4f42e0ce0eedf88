//! What a model reads when its edit does not fit the file: enough to correct the edit without
//! reading the file again.

use crate::confine::Confined;
use crate::outcome::{ToolErrorCode, ToolFailure};
use siderail_catalog::Tool::ReadFile;

use crate::diff;
use crate::edit::{Edit, Miss, Places, nearest_lines};
use crate::recent::RecentTexts;
use crate::text_file::{Format, TextFile, lines};

/// Bytes of a diff in a failure.
const MOST_DIFF: usize = 1_500;
/// Characters of a shown line.
const LINE: usize = 160;

/// The failure of an edit whose place was not found. `which` names the edit in a list.
pub(crate) fn missed(
    confined: &Confined,
    which: &str,
    text: &str,
    format: Format,
    edit: &Edit,
    miss: &Miss,
) -> ToolFailure {
    let path = &confined.relative;
    match miss {
        Miss::Ambiguous(places) => ToolFailure::new(
            ToolErrorCode::AmbiguousMatch,
            format!(
                "{which}old_text fits {} places of {path}, at lines {}; add context that only the \
                 meant place has, or set replace_all. Nothing was written.",
                places.total,
                line_list(places)
            ),
        ),
        Miss::AlreadyApplied(range) => ToolFailure::new(
            ToolErrorCode::TextNotFound,
            format!(
                "{which}already applied: old_text is not in {path}, and new_text is at {}. \
                 Nothing was written.",
                match range.end - range.start {
                    1 => format!("line {}", range.start),
                    _ => format!("lines {}-{}", range.start, range.end - 1),
                }
            ),
        ),
        Miss::Unshiftable(line) => ToolFailure::new(
            ToolErrorCode::TextNotFound,
            format!(
                "{which}old_text fits {path} only at line {line} with less indent, and new_text \
                 has lines without that much indent; give both with the indent of the file. \
                 Nothing was written."
            ),
        ),
        Miss::Nowhere => ToolFailure::new(
            ToolErrorCode::TextNotFound,
            format!(
                "{which}old_text is not in {path}. Nothing was written. {}",
                nearest(text, format, edit)
            ),
        ),
    }
}

fn line_list(places: &Places) -> String {
    let lines: Vec<String> = places.lines.iter().map(usize::to_string).collect();
    let more = if places.total > places.lines.len() {
        " and more"
    } else {
        ""
    };
    format!("{}{more}", lines.join(", "))
}

fn nearest(text: &str, format: Format, edit: &Edit) -> String {
    let lines: Vec<&str> = lines(text, format.line_end).collect();
    let Some(range) = nearest_lines(&lines, &edit.old) else {
        return "No lines are like it; read the file and copy the text to replace.".to_owned();
    };
    let mut answer = format!(
        "The nearest lines are {}-{}; copy what is to be replaced:\n",
        range.start + 1,
        range.end
    );
    for index in range {
        let line: String = lines[index].chars().take(LINE).collect();
        answer.push_str(&format!("{}\t{line}\n", index + 1));
    }
    answer
}

/// The failure of a change that is meant for an older text.
pub(crate) fn stale(
    confined: &Confined,
    expected: &str,
    now: Option<&TextFile>,
    recent: &RecentTexts,
) -> ToolFailure {
    let path = &confined.relative;
    let Some(now) = now else {
        return ToolFailure::new(
            ToolErrorCode::Stale,
            format!("{path} no longer exists; leave out expected_stamp to create it"),
        );
    };
    let changed = match recent.text(&confined.absolute, expected) {
        Some(old) => {
            let diff = diff::unified(path, Some(&old), Some(&now.text));
            format!("what changed since:\n{}", diff::cut(&diff, MOST_DIFF))
        }
        None => format!(
            "the older text is not known here; read it again: {ReadFile} {}",
            serde_json::json!({"path": path})
        ),
    };
    ToolFailure::new(
        ToolErrorCode::Stale,
        format!(
            "{path} is not what it was at stamp {expected}; nothing was written. It has now stamp \
             {}; {changed}",
            now.stamp
        ),
    )
}
