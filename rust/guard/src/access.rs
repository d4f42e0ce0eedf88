//! Distinguishes a program that was refused access from one that only mentions such a refusal.
//!
//! The output of a program that failed counts where its last lines have the form of a program's own error: `prog: path:
//! Permission denied`, `Error: EACCES: permission denied, open '…'`, `PermissionError: [Errno 13] …`. What a search
//! found, a test runner or a compiler reports, a comparison shows or a string holds does not: a model that works on
//! such code must not be warned that it left its sandbox. In doubt nothing is counted.

mod report;

use report::is_report;

use crate::shell::Dialect;

/// Lines from the end that may be a program's own last words. Stacks and closing remarks are not counted in.
const LAST_LINES: usize = 6;
/// Lines from the end that are looked at in all.
const MOST_LINES: usize = 80;
/// A program's error is a line; what is longer is data.
const LONGEST: usize = 600;

/// What a refusal of access is called, in lower case.
const REFUSALS: [&str; 4] = [
    "permission denied",
    "eacces",
    "operation not permitted",
    "not allowed",
];
/// Programs that find text, whose output therefore holds any words.
const FINDERS: [&str; 13] = [
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ripgrep",
    "ag",
    "ack",
    "ugrep",
    "ug",
    "findstr",
    "sls",
    "select-string",
];
/// What a message says of a text, a value or an expectation, and not of a failure of its own.
const LABELS: [&str; 14] = [
    "string",
    "text",
    "old_string",
    "new_string",
    "old_text",
    "new_text",
    "pattern",
    "query",
    "expected",
    "received",
    "actual",
    "got",
    "want",
    "left",
];
/// What may follow the words in the sentence of a program.
const AFTER: [&str; 21] = [
    "at",
    "in",
    "on",
    "to",
    "for",
    "while",
    "when",
    "by",
    "from",
    "with",
    "accessing",
    "opening",
    "reading",
    "writing",
    "creating",
    "trying",
    "executing",
    "running",
    "here",
    "outside",
    "inside",
];

/// The line by which a failed program or tool says that it was refused access, if there is one. `command`: the command
/// line that ran, where it is known; none for a tool that is not a shell.
pub fn refusal<'a>(output: &'a str, command: Option<&str>) -> Option<&'a str> {
    let lines: Vec<&str> = output
        .rsplit(['\n', '\r'])
        .filter(|line| !line.trim().is_empty())
        .take(MOST_LINES)
        .collect();
    if lines.iter().any(|line| is_report(line)) {
        return None;
    }
    let speakers = command.and_then(speakers);
    let mut n_own = 0;
    for line in &lines {
        let bare = bare(line);
        if is_refusal(&bare) && is_said_by(&bare, speakers.as_deref()) {
            return Some(line.trim());
        }
        n_own += usize::from(!is_aftermath(line));
        if n_own == LAST_LINES {
            break;
        }
    }
    None
}

/// The programs of a command that finds text: only their own complaints count, and not what was found. None for
/// any other command.
fn speakers(command: &str) -> Option<Vec<String>> {
    let words: Vec<String> = command
        .split(|c: char| "|;&()\n".contains(c))
        .flat_map(|part| part.split_whitespace().take(3))
        .map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word))
        .map(|word| word.to_ascii_lowercase())
        .filter(|word| !REFUSALS.iter().any(|refusal| word.contains(refusal)))
        .collect();
    words
        .iter()
        .any(|word| FINDERS.contains(&word.trim_end_matches(".exe")))
        .then_some(words)
}

/// Whether a line begins with the name of a program of the command, or of a shell.
fn is_said_by(line: &str, speakers: Option<&[String]>) -> bool {
    let Some(speakers) = speakers else {
        return true;
    };
    let Some((speaker, _)) = line.split_once(": ") else {
        return false;
    };
    let name = speaker
        .rsplit('/')
        .next()
        .unwrap_or(speaker)
        .to_ascii_lowercase();
    Dialect::from_name(&name) == Some(Dialect::Bash) || speakers.contains(&name)
}

/// A line without colours, without what npm puts ahead of each, and without the space around it.
fn bare(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                // A sequence ends with a letter.
                rest.by_ref().find(char::is_ascii_alphabetic);
            }
            c => text.push(c),
        }
    }
    let mut text = text.trim();
    for ahead in ["npm error", "npm ERR!", "<tool_use_error>"] {
        text = text.strip_prefix(ahead).unwrap_or(text).trim();
    }
    text.to_owned()
}

/// A line of a stack, of a list of values or of closing remarks, which follows the error that it belongs to.
fn is_aftermath(line: &str) -> bool {
    let line = line.trim_end();
    let starts = [
        "npm error",
        "npm ERR!",
        "Node.js v",
        "goroutine ",
        "exit status",
        "make: ***",
        "```",
        "[",
    ];
    line.starts_with([' ', '\t', '}', ')', '<'])
        || starts.iter().any(|start| line.starts_with(start))
}

/// Whether a line is the error of a program that was refused access.
fn is_refusal(line: &str) -> bool {
    if line.len() > LONGEST || is_quoting(line) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    // Ruby and Rust say it as the debug form of their errors, behind a place in the source.
    if [
        "(errno::eacces)",
        "(errno::eperm)",
        "kind: permissiondenied,",
    ]
    .iter()
    .any(|own| lower.contains(own))
    {
        return true;
    }
    if is_place(&lower) || is_label(&lower) {
        return false;
    }
    REFUSALS.iter().any(|words| {
        lower.match_indices(words).any(|(at, _)| {
            let (before, after) = (&lower[..at], &lower[at + words.len()..]);
            match *words {
                "not allowed" => is_not_allowed(before, after),
                _ => is_before(before) && is_after(after),
            }
        })
    })
}

/// Whether a line shows somebody else's words: a difference, a source with its line's number, a comment, a value.
fn is_quoting(line: &str) -> bool {
    let mut chars = line.chars();
    let Some(first) = chars.next() else {
        return true;
    };
    let second = chars.next().unwrap_or(' ');
    match first {
        '+' | '>' | '|' | '#' | '*' | '"' | '\'' | '`' | '{' | '✗' | '✘' | '●' | '×' => true,
        '-' | '<' => !second.is_ascii_alphabetic(),
        '/' => second == '/',
        'E' => second == ' ',
        first => {
            first.is_ascii_digit() && {
                let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
                rest.starts_with('\t') || rest.trim_start().starts_with([':', '|', '-', '│'])
            }
        }
    }
}

/// Whether a line begins with a place in a file, as hits and the reports of compilers do: `a/b.rs:12:`, `a.txt:text`,
/// `a.ts(3,5)`.
fn is_place(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_path = |text: &str| text.contains(['.', '/', '\\']);
    let by_colon = first
        .split_once(':')
        .is_some_and(|(path, rest)| is_path(path) && !rest.is_empty() && !rest.starts_with("//"));
    let by_bracket = first.split_once('(').is_some_and(|(path, rest)| {
        is_path(path) && rest.starts_with(|c: char| c.is_ascii_digit())
    });
    by_colon || by_bracket
}

fn is_label(line: &str) -> bool {
    let label = line.split_once(':').map_or(line, |(label, _)| label).trim();
    LABELS.contains(&label) || line.starts_with("assert")
}

/// What precedes the words if a program says them about itself: nothing, or the end of its name, its path or its
/// error's number. A quotation mark makes a string of them.
fn is_before(before: &str) -> bool {
    let before = before.trim_end();
    if before.is_empty() || before.ends_with([':', '-', '(', ']', ',']) {
        return !before.ends_with("::");
    }
    let last = before.rsplit(|c: char| !c.is_alphanumeric()).next();
    matches!(last, Some("error" | "code" | "got" | "errno" | "with"))
}

/// What follows them: the line's end, a path, a place; no further sentence.
fn is_after(after: &str) -> bool {
    let Some(first) = after.chars().next() else {
        return true;
    };
    if !first.is_whitespace() {
        return !first.is_alphanumeric() && !"_\"'`?".contains(first);
    }
    let after = after.trim_start();
    match after.chars().next() {
        None => true,
        Some(first) if !first.is_alphanumeric() => true,
        Some(_) => {
            let word = after.split(|c: char| !c.is_alphanumeric()).next();
            word.is_some_and(|word| AFTER.contains(&word))
        }
    }
}

/// "not allowed" is also a compiler's and a linter's word: it counts with a path, a user, a tool or a call, said by a
/// program that gives its name or calls it an error.
fn is_not_allowed(before: &str, after: &str) -> bool {
    let is_string = before.ends_with(['"', '\'', '`']) || after.starts_with(['"', '\'', '`']);
    if is_string || after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return false;
    }
    let about = [
        "path",
        "file",
        "folder",
        "directory",
        "access",
        "user",
        "you",
        "operation",
        "command",
        "tool",
        "transport",
        "protocol",
        "permission",
        "read",
        "reading",
        "write",
        "writing",
        "this",
    ];
    let mut words = before.split(|c: char| !c.is_alphanumeric());
    before.trim_end().ends_with(':') || words.any(|word| about.contains(&word))
}
