//! `intellij_write_file`, and whole texts that agents write over ACP.

use std::borrow::Cow;

use serde_json::Value;

use siderail_catalog::Tool;

use crate::arguments::Arguments;
use crate::call::{Call, Handler};
use crate::confine::Confined;
use crate::diff;
use crate::edit::{self, Edit, Found, Replacement};
use crate::failure::cancelled;
use crate::line_ends;
use crate::outcome::{MOST_DIFF, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::primitives::{Applied, NewText, NotApplied, Tidy};
use crate::text_file::{Format, TextFile, stamp};
use crate::write_failure::{missed, stale};

/// How often a write starts over because somebody else changed the file meanwhile.
const ATTEMPTS: usize = 5;
/// How many problems that an edit has caused are reported.
const MOST_PROBLEMS: usize = 10;

pub(crate) const HANDLERS: &[Handler] = &[
    Handler {
        tool: Tool::WriteFile,
        ordered_by: &["path"],
        run: write_file,
    },
    Handler {
        tool: Tool::FormatCode,
        ordered_by: &["path"],
        run: |call, arguments| tidy_file(call, arguments, false),
    },
    Handler {
        tool: Tool::OptimizeImports,
        ordered_by: &["path"],
        run: |call, arguments| tidy_file(call, arguments, true),
    },
];

/// A change that is asked for.
pub(crate) struct Asked<'a> {
    pub(crate) change: Change<'a>,
    /// The stamp of the text that it is meant for.
    pub(crate) expected: Option<&'a str>,
    pub(crate) tidy: Tidy,
}

/// What is to become of a file.
#[derive(Clone)]
pub(crate) enum Change<'a> {
    Content(Cow<'a, str>),
    Edits(Vec<Edit>),
    /// The text stays, and is tidied.
    None,
}

/// Writes or edits a file for a model.
fn write_file(call: &Call<'_>, arguments: Arguments<'_>) -> Result<ToolOutcome, ToolFailure> {
    let given = arguments.required_text("path")?;
    let confined = call.place.inside(given)?;
    if given.ends_with('/') && !confined.exists {
        return Err(ToolFailure::invalid(format!(
            "`{given}` names a folder, not a file"
        )));
    }
    let change = Change::from_arguments(arguments)?;
    let expected = arguments.text("expected_stamp")?;
    if !confined.exists && matches!(&change, Change::Edits(edits) if !is_creation(edits)) {
        // For the nearest names.
        call.place.existing(&confined.relative)?;
    }
    let tidy = Tidy::AsSet;
    let asked = Asked {
        change,
        expected,
        tidy,
    };
    write(call, &confined, &asked)
}

/// `format_code`, which formats some lines or all, and `optimize_imports`.
fn tidy_file(
    call: &Call<'_>,
    arguments: Arguments<'_>,
    imports: bool,
) -> Result<ToolOutcome, ToolFailure> {
    let confined = call.place.existing(arguments.required_text("path")?)?;
    let (first, last) = (arguments.line("start_line")?, arguments.line("end_line")?);
    let is_part = first.is_some() || last.is_some();
    let lines = is_part.then(|| (first.unwrap_or(1), last.unwrap_or(usize::MAX)));
    let asked = Asked {
        change: Change::None,
        expected: None,
        tidy: Tidy::Now {
            imports,
            format: (!imports).then_some(lines),
        },
    };
    write(call, &confined, &asked)
}

/// Changes a file as a whole or not at all.
pub(crate) fn write(
    call: &Call<'_>,
    confined: &Confined,
    asked: &Asked<'_>,
) -> Result<ToolOutcome, ToolFailure> {
    let target = call.target(confined);
    for _ in 0..ATTEMPTS {
        if call.cancel.is_cancelled() {
            return Err(cancelled());
        }
        let old = call.primitives.text_to_change(&target)?;
        let file = old.as_ref().map(|old| &old.file);
        if let Some(expected) = asked.expected
            && file.is_none_or(|file| file.stamp != expected)
        {
            return Err(stale(confined, expected, file, call.recent));
        }
        let in_document = old.is_some() && call.primitives.has_documents();
        let change = match in_document {
            true => &asked.change.unified(),
            false => &asked.change,
        };
        let (new, notes) = change.apply(confined, file, asked.tidy)?;
        let is_tidied = matches!(asked.tidy, Tidy::Now { .. });
        if !is_tidied && file.is_some_and(|file| file.stamp == stamp(&new.bytes)) {
            return Ok(unchanged(confined, &new.bytes, ""));
        }
        match call.primitives.apply(&target, old.as_ref(), &new) {
            Ok(applied) => {
                let whole = matches!(asked.change, Change::Content(_));
                let replaced = file.filter(|_| whole).map(replaced_whole);
                return Ok(written(
                    call,
                    confined,
                    file,
                    &new,
                    &applied,
                    &(replaced.unwrap_or_default() + &notes),
                ));
            }
            Err(NotApplied::Changed) => {}
            Err(NotApplied::Failed(failure)) => return Err(failure),
        }
    }
    Err(ToolFailure::new(
        ToolErrorCode::Stale,
        format!(
            "{} keeps being changed by another program; nothing was written, try again later",
            confined.relative
        ),
    ))
}

fn unchanged(confined: &Confined, bytes: &[u8], notes: &str) -> ToolOutcome {
    let (path, stamp) = (&confined.relative, stamp(bytes));
    ToolOutcome {
        text: format!("{path} has this text already, nothing to write; stamp {stamp}\n{notes}"),
        ..ToolOutcome::default()
    }
}

/// What is said of a text that is in place now.
fn written(
    call: &Call<'_>,
    confined: &Confined,
    old: Option<&TextFile>,
    new: &NewText,
    applied: &Applied,
    notes: &str,
) -> ToolOutcome {
    let path = &confined.relative;
    // A text that was tidied meanwhile is a document's.
    let stamp = match applied.text == new.text {
        true => stamp(&new.bytes),
        false => stamp(applied.text.as_bytes()),
    };
    call.recent.keep(&confined.absolute, &stamp, &applied.text);
    let notes = applied.notes.iter().fold(notes.to_owned(), |all, note| {
        format!("{all}Note: {note}.\n")
    });
    if old.is_some_and(|old| old.text == applied.text) {
        return unchanged(confined, applied.text.as_bytes(), &notes);
    }
    let diff = diff::unified(path, old.map(|old| old.text.as_str()), Some(&applied.text));
    let n_lines = applied.text.lines().count();
    let text = match old {
        None => format!("created {path}, {n_lines} lines, stamp {stamp}\n{notes}"),
        Some(_) => format!(
            "wrote {path}, {n_lines} lines, stamp {stamp}\n{notes}{}",
            diff::cut(&diff, MOST_DIFF)
        ),
    };
    ToolOutcome {
        text: text + &problems(&applied.problems),
        files_written: vec![path.clone()],
        diff: diff::for_people(&diff),
        ..ToolOutcome::default()
    }
}

fn problems(all: &[String]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let shown: String = all
        .iter()
        .take(MOST_PROBLEMS)
        .map(|problem| format!("{problem}\n"))
        .collect();
    let more = match all.len().saturating_sub(MOST_PROBLEMS) {
        0 => String::new(),
        n_more => format!("and {n_more} more\n"),
    };
    format!("New problems:\n{shown}{more}")
}

/// The new text in the bytes of its file.
fn new_text(
    confined: &Confined,
    text: String,
    format: Format,
    steps: Option<Vec<Vec<Replacement>>>,
    tidy: Tidy,
) -> Result<NewText, ToolFailure> {
    match format.encode(&text) {
        Ok(bytes) => Ok(NewText {
            text,
            steps,
            byte_order_mark: format.byte_order_mark,
            tidy,
            bytes,
        }),
        Err(letter) => Err(ToolFailure::invalid(format!(
            "{} is in windows-1252, which has no `{letter}`; use other characters, or delete \
             the file and write it again as UTF-8",
            confined.relative
        ))),
    }
}

impl<'a> Change<'a> {
    fn from_arguments(arguments: Arguments<'a>) -> Result<Self, ToolFailure> {
        let n_ways = ["content", "old_text", "edits"]
            .into_iter()
            .filter(|name| arguments.has(name))
            .count();
        if n_ways != 1 {
            return Err(ToolFailure::invalid(
                "give exactly one of `content`, `old_text` with `new_text`, or `edits`",
            ));
        }
        if let Some(content) = arguments.text("content")? {
            return Ok(Self::Content(content.into()));
        }
        let edits = match arguments.list("edits")? {
            None => vec![one_edit(arguments)?],
            Some([]) => return Err(ToolFailure::invalid("`edits` is empty")),
            Some(edits) => edits
                .iter()
                .enumerate()
                .map(|(index, edit)| list_edit(index, edit))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self::Edits(edits))
    }

    /// The same for a document, whose lines have one end.
    fn unified(&self) -> Change<'static> {
        match self {
            Self::Content(content) => Change::Content(with_newlines(content).into()),
            Self::Edits(edits) => Change::Edits(edits.iter().map(unified).collect()),
            Self::None => Change::None,
        }
    }

    /// The new text and notes for the model.
    fn apply(
        &self,
        confined: &Confined,
        old: Option<&TextFile>,
        tidy: Tidy,
    ) -> Result<(NewText, String), ToolFailure> {
        let mut format = old.map_or(Format::NEW, |file| file.format);
        let (text, steps, notes) = match self {
            Self::Content(content) => {
                let (text, has_mark) = match content.strip_prefix('\u{feff}') {
                    Some(text) => (text, true),
                    None => (&**content, false),
                };
                let text = match old {
                    Some(old) => line_ends::kept(&old.text, text, format),
                    None => {
                        format.byte_order_mark = has_mark;
                        text.to_owned()
                    }
                };
                (text, None, String::new())
            }
            Self::Edits(edits) => {
                let text = old.map_or("", |file| file.text.as_str());
                placed(confined, text, format, edits)?
            }
            Self::None => {
                let text = old.map_or("", |file| file.text.as_str());
                (text.to_owned(), None, String::new())
            }
        };
        Ok((new_text(confined, text, format, steps, tidy)?, notes))
    }
}

fn one_edit(arguments: Arguments<'_>) -> Result<Edit, ToolFailure> {
    Ok(Edit {
        old: arguments.required_text("old_text")?.to_owned(),
        new: arguments.required_text("new_text")?.to_owned(),
        replace_all: arguments.flag("replace_all")?,
    })
}

fn list_edit(index: usize, edit: &Value) -> Result<Edit, ToolFailure> {
    if !edit.is_object() {
        return Err(ToolFailure::invalid(format!(
            "`edits[{index}]` must be an object with old_text and new_text"
        )));
    }
    one_edit(Arguments::new(edit)).map_err(|mut failure| {
        failure.text = format!("in `edits[{index}]`: {}", failure.text);
        failure
    })
}

/// Replacing nothing by something is how some models create a file.
fn is_creation(edits: &[Edit]) -> bool {
    matches!(edits, [edit] if edit.old.is_empty())
}

fn unified(edit: &Edit) -> Edit {
    Edit {
        old: with_newlines(&edit.old),
        new: with_newlines(&edit.new),
        replace_all: edit.replace_all,
    }
}

fn with_newlines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The new text, the pieces that were replaced in steps, and notes for the model.
type Placed = (String, Option<Vec<Vec<Replacement>>>, String);

fn placed(
    confined: &Confined,
    text: &str,
    format: Format,
    edits: &[Edit],
) -> Result<Placed, ToolFailure> {
    if is_creation(edits) && text.is_empty() {
        return Ok((format.with_line_ends(&edits[0].new), None, String::new()));
    }
    let mut text = text.to_owned();
    let mut steps = Vec::new();
    let mut notes = String::new();
    for (index, edit) in edits.iter().enumerate() {
        let which = if edits.len() == 1 {
            String::new()
        } else {
            format!("edit {} of {}: ", index + 1, edits.len())
        };
        if edit.old.is_empty() {
            return Err(ToolFailure::invalid(format!(
                "{which}old_text is empty; name the text to replace, or pass content for the \
                 whole file"
            )));
        }
        if edit.old == edit.new {
            return Err(ToolFailure::invalid(format!(
                "{which}old_text and new_text are the same"
            )));
        }
        let (pieces, found) = edit::place(&text, format, edit)
            .map_err(|miss| missed(confined, &which, &text, format, edit, &miss))?;
        text = Replacement::all(&text, &pieces);
        steps.push(pieces);
        notes.push_str(&note(&which, &found));
    }
    Ok((text, Some(steps), notes))
}

/// Here is no undo: what was there is said, and the diff shows it.
fn replaced_whole(old: &TextFile) -> String {
    let n_lines = old.text.lines().count();
    format!(
        "Note: replaced the whole text, which had {n_lines} lines at stamp {}.\n",
        old.stamp
    )
}

/// A tolerant match is said, so that the model's next edit starts from what is really there.
fn note(which: &str, found: &Found) -> String {
    match found {
        Found::Exactly { places: 1 } => String::new(),
        Found::Exactly { places } => format!("Note: {which}{places} places replaced.\n"),
        Found::ApartFromBlanks => {
            format!("Note: {which}old_text matched apart from line ends or trailing blanks.\n")
        }
        Found::Reindented(shift) => format!(
            "Note: {which}old_text matched with another indent; new_text was shifted alike \
             ({shift}).\n"
        ),
    }
}
