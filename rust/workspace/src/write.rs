//! `intellij_write_file`, and whole texts that agents write over ACP.

use std::fs::Metadata;
use std::io;

use crate::confine::Confined;
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use serde_json::Value;

use crate::arguments::Arguments;
use crate::atomic_file::{Before, NotReplaced, replace};
use crate::cancel::CancelFlag;
use crate::diff;
use crate::edit::{self, Edit, Found};
use crate::failure::{cancelled, io_failure};
use crate::line_ends;
use crate::open_texts::Opened;
use crate::place::Place;
use crate::recent::RecentTexts;
use crate::shared_file::{self, Names};
use crate::text_file::{Format, TextFile, stamp};
use crate::write_failure::{missed, stale};

/// Bytes of the diff in the answer.
const MOST_DIFF: usize = 9_000;
/// How often a write starts over because somebody else changed the file meanwhile.
const ATTEMPTS: usize = 5;

/// A change that is asked for.
pub(crate) struct Asked<'a> {
    pub(crate) change: Change<'a>,
    /// The stamp of the text that it is meant for.
    pub(crate) expected: Option<&'a str>,
}

/// What is to become of a file.
pub(crate) enum Change<'a> {
    Content(&'a str),
    Edits(Vec<Edit>),
}

/// Writes or edits a file for a model.
pub(crate) fn write_file(
    place: &Place,
    arguments: Arguments<'_>,
    recent: &RecentTexts,
    opened: Opened<'_>,
    cancel: &CancelFlag,
) -> Result<ToolOutcome, ToolFailure> {
    let given = arguments.required_text("path")?;
    let confined = place.inside(given)?;
    if given.ends_with('/') && !confined.exists {
        return Err(ToolFailure::invalid(format!(
            "`{given}` names a folder, not a file"
        )));
    }
    let change = Change::from_arguments(arguments)?;
    let expected = arguments.text("expected_stamp")?;
    if !confined.exists && matches!(&change, Change::Edits(edits) if !is_creation(edits)) {
        // For the nearest names.
        place.existing(&confined.relative)?;
    }
    let asked = Asked { change, expected };
    write(place, &confined, &asked, recent, opened, cancel)
}

/// Changes a file as a whole or not at all.
pub(crate) fn write(
    place: &Place,
    confined: &Confined,
    asked: &Asked<'_>,
    recent: &RecentTexts,
    opened: Opened<'_>,
    cancel: &CancelFlag,
) -> Result<ToolOutcome, ToolFailure> {
    let Asked { change, expected } = asked;
    for _ in 0..ATTEMPTS {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let mut old = Old::load(place, confined)?;
        let is_unsaved = old
            .as_mut()
            .is_some_and(|old| opened.over(confined, &mut old.file));
        let file = old.as_ref().map(|old| &old.file);
        if let Some(expected) = expected
            && file.is_none_or(|file| file.stamp != *expected)
        {
            return Err(stale(confined, expected, file, recent));
        }
        let (new, notes) = change.apply(confined, file)?;
        if file.is_none_or(|file| file.stamp != stamp(&new.bytes))
            && opened.put(confined, file, is_unsaved, &new.text, cancel)?
        {
            return Ok(written(confined, old.as_ref(), &new, &notes, "", recent));
        }
        match put(place, confined, old.as_ref(), &new, &notes, recent) {
            Err(NotReplaced::Changed) => {}
            Err(NotReplaced::Failed(error)) => {
                return Err(io_failure("write", &confined.relative, &error));
            }
            Ok(outcome) => return Ok(outcome),
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

/// What stands at the path now.
struct Old {
    file: TextFile,
    metadata: Metadata,
}

impl Old {
    /// Reads it; none where there is nothing.
    fn load(place: &Place, confined: &Confined) -> Result<Option<Self>, ToolFailure> {
        let refused = |error: io::Error| io_failure("write", &confined.relative, &error);
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let entry = match place.hold(confined) {
            Err(error) if is_missing(&error) => return Ok(None),
            held => held.map_err(refused)?,
        };
        match entry.found() {
            Err(error) if is_missing(&error) => return Ok(None),
            found => found.map_err(refused)?,
        };
        let (file, metadata) = TextFile::load(place, confined)?;
        // Without any write bit a file is read-only even for those whom the system would let.
        if metadata.permissions().readonly() || !entry.is_writable() {
            return Err(ToolFailure::new(
                ToolErrorCode::ReadOnly,
                format!(
                    "{} is read-only; ask the person before changing that",
                    confined.relative
                ),
            ));
        }
        Ok(Some(Self { file, metadata }))
    }
}

/// Puts the new text in place of what stands there.
fn put(
    place: &Place,
    confined: &Confined,
    old: Option<&Old>,
    new: &NewText,
    notes: &str,
    recent: &RecentTexts,
) -> Result<ToolOutcome, NotReplaced> {
    let path = &confined.relative;
    let stamp = stamp(&new.bytes);
    if old.is_some_and(|old| old.file.stamp == stamp) {
        return Ok(ToolOutcome {
            text: format!("{path} has this text already, nothing to write; stamp {stamp}\n"),
            ..ToolOutcome::default()
        });
    }
    let before = old.map_or(Before::Nothing, |old| Before::File {
        seen: old.file.seen,
        metadata: &old.metadata,
    });
    let names = old.map_or(Names::One, |_| Names::of(confined));
    match (old, names) {
        (Some(old), Names::Inside(_)) => {
            let entry = place.hold(confined).map_err(NotReplaced::Failed)?;
            shared_file::overwrite(&entry, &new.bytes, old.file.seen)?;
        }
        _ => {
            let root = place.folder().map_err(NotReplaced::Failed)?;
            replace(&root, &place.below(&confined.absolute), &new.bytes, before)?;
        }
    }
    Ok(written(confined, old, new, notes, &names.note(), recent))
}

/// What is said of a text that is in place now.
fn written(
    confined: &Confined,
    old: Option<&Old>,
    new: &NewText,
    notes: &str,
    names: &str,
    recent: &RecentTexts,
) -> ToolOutcome {
    let path = &confined.relative;
    let stamp = stamp(&new.bytes);
    recent.keep(&confined.absolute, &stamp, &new.text);
    let old_text = old.map(|old| old.file.text.as_str());
    let diff = diff::unified(path, old_text, Some(&new.text));
    let n_lines = new.text.lines().count();
    let text = match old {
        None => format!("created {path}, {n_lines} lines, stamp {stamp}\n{notes}"),
        Some(_) => format!(
            "wrote {path}, {n_lines} lines, stamp {stamp}\n{notes}{names}{}",
            diff::cut(&diff, MOST_DIFF)
        ),
    };
    ToolOutcome {
        text,
        files_written: vec![path.clone()],
        diff: diff::for_people(&diff),
        ..ToolOutcome::default()
    }
}

/// What is to stand in the file.
struct NewText {
    text: String,
    bytes: Vec<u8>,
}

impl NewText {
    fn new(confined: &Confined, text: String, format: Format) -> Result<Self, ToolFailure> {
        match format.encode(&text) {
            Ok(bytes) => Ok(Self { text, bytes }),
            Err(letter) => Err(ToolFailure::invalid(format!(
                "{} is in windows-1252, which has no `{letter}`; use other characters, or delete \
                 the file and write it anew as UTF-8",
                confined.relative
            ))),
        }
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
            return Ok(Self::Content(content));
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

    /// The new text and notes for the model.
    fn apply(
        &self,
        confined: &Confined,
        old: Option<&TextFile>,
    ) -> Result<(NewText, String), ToolFailure> {
        let mut format = old.map_or(Format::NEW, |file| file.format);
        match self {
            Self::Content(content) => {
                let (text, has_mark) = match content.strip_prefix('\u{feff}') {
                    Some(text) => (text, true),
                    None => (*content, false),
                };
                let text = match old {
                    Some(old) => line_ends::kept(&old.text, text, format),
                    None => {
                        format.byte_order_mark = has_mark;
                        text.to_owned()
                    }
                };
                let notes = old.map_or(String::new(), replaced_whole);
                Ok((NewText::new(confined, text, format)?, notes))
            }
            Self::Edits(edits) => {
                let text = old.map_or("", |file| file.text.as_str());
                let (text, notes) = apply_all(confined, text, format, edits)?;
                Ok((NewText::new(confined, text, format)?, notes))
            }
        }
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

fn apply_all(
    confined: &Confined,
    text: &str,
    format: Format,
    edits: &[Edit],
) -> Result<(String, String), ToolFailure> {
    if is_creation(edits) && text.is_empty() {
        return Ok((format.with_line_ends(&edits[0].new), String::new()));
    }
    let mut text = text.to_owned();
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
        let (changed, found) = edit::apply(&text, format, edit)
            .map_err(|miss| missed(confined, &which, &text, format, edit, &miss))?;
        text = changed;
        notes.push_str(&note(&which, &found));
    }
    Ok((text, notes))
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
