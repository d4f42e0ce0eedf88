//! Which conversation `chat --resume` means: one that is named, the newest, or the one that a person chooses.

use std::time::{SystemTime, UNIX_EPOCH};

use siderail_engine::history::{Archive, Listed, date};

use crate::exit::Failure;
use crate::menu;
use crate::style::{counted, one_line};
use crate::terminal::print_error;

/// Conversations that are offered.
const OFFERED: usize = 15;
/// Characters of a title.
const TITLE: usize = 50;
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Finds the conversation. With an empty name it is the newest where nobody can be asked.
///
/// # Errors
/// There is no conversation of that name, or none was chosen.
pub(super) fn find(archive: &Archive, which: &str, asks: bool) -> Result<Listed, Failure> {
    let unknown = |error: std::io::Error| {
        let hint = "`siderail history list` lists the saved conversations";
        Failure::usage(error.to_string(), hint)
    };
    if !which.is_empty() {
        return archive.find(which).map_err(unknown);
    }
    let mut all = archive.list().map_err(unknown)?;
    if all.is_empty() {
        let what = "no conversations are saved for this project";
        return Err(Failure::usage(what, "`siderail chat` starts one"));
    }
    if !asks || all.len() < 2 {
        return Ok(all.swap_remove(0));
    }
    let n_older = all.len().saturating_sub(OFFERED);
    all.truncate(OFFERED);
    let rows: Vec<String> = all.iter().map(row).collect();
    if n_older > 0 {
        print_error(&format!(
            "note: only the last {OFFERED} are offered; `siderail history list` lists the {n_older} before them, and \
             `--resume ID` resumes one\n"
        ));
    }
    let (question, not_done) = ("Resume which conversation?", "no conversation was chosen");
    let at = menu::choose(question, &rows, &[], Some(0), not_done)?;
    Ok(all.swap_remove(at))
}

fn row(one: &Listed) -> String {
    let prompts = counted(one.prompts as u64, "prompt", "prompts");
    format!(
        "{:<14} {}  ({}, {prompts})",
        ago(one.changed),
        one_line(&one.title, TITLE),
        one_line(&one.head.agent, TITLE)
    )
}

/// How long ago that was, of milliseconds since 1970; the date where it is longer than a week.
pub(crate) fn ago(at: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    match now.saturating_sub(at / 1_000) {
        0..MINUTE => "just now".to_owned(),
        seconds @ MINUTE..HOUR => format!("{} min ago", seconds / MINUTE),
        seconds @ HOUR..DAY => format!("{} h ago", seconds / HOUR),
        seconds if seconds < 7 * DAY => {
            format!("{} ago", counted(seconds / DAY, "day", "days"))
        }
        _ => date(at),
    }
}
