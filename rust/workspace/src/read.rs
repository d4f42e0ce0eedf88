//! `intellij_read_file`, and the plain text that agents ask for over ACP.

use siderail_catalog::Tool::{self, ReadFile};

use crate::confine::Confined;
use crate::outcome::{ToolFailure, ToolOutcome};

use crate::arguments::{Amount, Arguments};
use crate::call::{Call, Handler};
use crate::primitives::Text;

/// Characters of one line.
const LINE: usize = 2_000;
/// Characters of an answer, unless more are asked for.
pub const ANSWER: Amount = Amount {
    least: 1_000,
    most: 30_000,
    usual: 10_000,
};
/// What the head, the notes and the last line may take of an answer.
const RESERVE: usize = 400;

pub(crate) const HANDLERS: &[Handler] = &[Handler {
    tool: Tool::ReadFile,
    ordered_by: &["path"],
    run: read_file,
}];

/// Reads lines of a file for a model.
fn read_file(call: &Call<'_>, arguments: Arguments<'_>) -> Result<ToolOutcome, ToolFailure> {
    let confined = call.place.existing(arguments.required_text("path")?)?;
    let first = arguments.line("start_line")?.unwrap_or(1);
    let last = arguments.line("end_line")?;
    let room = arguments.amount("max_chars", ANSWER)?;
    let text = call.primitives.text(&call.target(&confined))?;
    let file = &text.file;
    call.recent
        .keep(&confined.absolute, &file.stamp, &file.text);
    Ok(ToolOutcome {
        text: answer(&confined, &text, first, last, room),
        ..ToolOutcome::default()
    })
}

fn answer(
    confined: &Confined,
    read: &Text,
    first: usize,
    last: Option<usize>,
    room: usize,
) -> String {
    let file = &read.file;
    let n_lines = file.lines().count();
    let start = first.min(n_lines.max(1));
    let wanted = last.unwrap_or(n_lines).clamp(start.min(n_lines), n_lines);
    let mut body = String::new();
    let mut n_used = RESERVE;
    let mut end = start - 1;
    for (index, line) in file.lines().enumerate().skip(start - 1) {
        if index >= wanted {
            break;
        }
        let line = numbered(index + 1, line);
        // The first line always goes out, or reading would never get past it.
        n_used += n_chars(&line);
        if !body.is_empty() && n_used > room {
            break;
        }
        body.push_str(&line);
        end = index + 1;
    }
    let shown = if n_lines == 0 {
        "0-0".to_owned()
    } else {
        format!("{start}-{end}")
    };
    let path = &confined.relative;
    let mut text = format!(
        "{path} lines {shown} of {n_lines}, stamp {}{}\n",
        file.stamp, read.remarks
    );
    if first > start {
        text.push_str(&format!(
            "Note: line {first} is behind the last line, {n_lines}.\n"
        ));
    }
    if n_lines == 0 {
        text.push_str("The file is empty.\n");
    }
    text.push_str(&body);
    if end < n_lines {
        text.push_str(&next_call(
            path,
            end + 1,
            last.filter(|last| end < *last),
            room,
        ));
    }
    text
}

fn numbered(number: usize, line: &str) -> String {
    let n_left = n_chars(line).saturating_sub(LINE);
    if n_left == 0 {
        return format!("{number}\t{line}\n");
    }
    let start: String = line.chars().take(LINE).collect();
    format!("{number}\t{start} [{n_left} more characters of this line]\n")
}

/// The call that continues where this answer ends.
fn next_call(path: &str, start: usize, last: Option<usize>, room: usize) -> String {
    let mut call = serde_json::json!({"path": path, "start_line": start});
    if let Some(last) = last {
        call["end_line"] = last.into();
    }
    if room != ANSWER.usual {
        call["max_chars"] = room.into();
    }
    format!("Next: {ReadFile} {call}\n")
}

fn n_chars(text: &str) -> usize {
    text.chars().count()
}

/// Text of a file for an agent: from a line on (from 1), a number of lines, line ends as they are.
pub(crate) fn plain_text(
    call: &Call<'_>,
    confined: &Confined,
    line: Option<u32>,
    limit: Option<u32>,
) -> Result<String, ToolFailure> {
    let read = call.primitives.text(&call.target(confined))?;
    let text = read.as_on_disk();
    if line.is_none() && limit.is_none() {
        return Ok(text);
    }
    let skipped = line.unwrap_or(1).max(1) as usize - 1;
    let taken = limit.map_or(usize::MAX, |limit| limit as usize);
    let line_end = match read.document() {
        Some(document) => document.line_separator,
        None => read.file.format.line_end,
    };
    let lines = text.split_inclusive(line_end.last_char());
    Ok(lines.skip(skipped).take(taken).collect())
}
