//! The primitives of the file tools, done by an IDE: each is a question to it.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use siderail_engine::host::{
    DocumentReply, DocumentRequest, HostReply, Piece, TidyHow, TidyWish, ToolErrorCode, ToolFailure,
};
use siderail_workspace::confine::Confined;
use siderail_workspace::imports;
use siderail_workspace::primitives::{
    Applied, Document, NewText, NotApplied, Primitives, Target, Text, Tidy,
};
use siderail_workspace::{Names, Replacement};

use super::asking::{Asking, tellable};

/// What a model reads about a file whose lines end in more than one way.
const MIXED: &str = "its line ends are mixed: lines that were not edited keep theirs, until somebody saves the file from \
                     an editor";

pub(super) struct IdeFiles(pub(super) Arc<Asking>);

impl Primitives for IdeFiles {
    fn text(&self, target: &Target<'_>) -> Result<Text, ToolFailure> {
        target.check_is_file()?;
        let path = path_of(target)?;
        match self.0.ask(target, DocumentRequest::ReadDocument { path })? {
            HostReply::Documents(DocumentReply::Document(read)) => Ok(Text::of_document(
                read.text,
                Document {
                    stamp: read.stamp,
                    unsaved: read.unsaved,
                    conflict: read.conflict,
                    charset: read.charset,
                    byte_order_mark: read.byte_order_mark,
                    line_separator: read.line_separator,
                },
            )),
            other => Err(unfit(&other)),
        }
    }

    fn text_to_change(&self, target: &Target<'_>) -> Result<Option<Text>, ToolFailure> {
        if !target.exists() {
            return Ok(None);
        }
        let text = self.text(target)?;
        match text.document().is_some_and(|document| document.conflict) {
            false => Ok(Some(text)),
            true => Err(ToolFailure::new(
                ToolErrorCode::Stale,
                format!(
                    "{} has changed on the disk while the editor holds unsaved changes of it; nothing was written. Ask \
                     the person which of the two is to stay",
                    target.shown()
                ),
            )),
        }
    }

    fn apply(
        &self,
        target: &Target<'_>,
        old: Option<&Text>,
        new: &NewText,
    ) -> Result<Applied, NotApplied> {
        let names = old.map_or(Names::One, |_| target.names());
        let mixed = old.and_then(|_| target.mixed_line_ends());
        let request = apply_request(path_of(target)?, old, new, &names);
        let written = match self.0.ask(target, request) {
            Err(failure) if failure.code == ToolErrorCode::Stale => {
                return Err(NotApplied::Changed);
            }
            Err(failure) => return Err(failure.into()),
            Ok(HostReply::Documents(DocumentReply::Applied(written))) => written,
            Ok(other) => return Err(unfit(&other).into()),
        };
        let mut notes = written.notes;
        let is_changed = old.is_none_or(|old| old.text() != written.text);
        if written.saved && is_changed {
            notes.extend(names_note(&names, written.unlinked));
            notes.extend(mixed.map(|before| {
                let text = Target::with_line_ends_of(&before, &written.text);
                self.put_line_ends(target, written.stamp, text)
            }));
        }
        Ok(Applied {
            text: written.text,
            notes,
            problems: written.problems,
        })
    }

    fn delete(&self, target: &Target<'_>) -> Result<(), ToolFailure> {
        let path = path_of(target)?;
        self.done(target, DocumentRequest::DeletePath { path })
    }

    fn rename(&self, from: &Target<'_>, to: &Confined, overwrite: bool) -> Result<(), ToolFailure> {
        let request = DocumentRequest::MovePath {
            path: path_of(from)?,
            to: tellable(&to.absolute, &to.relative)?.into(),
            overwrite,
        };
        self.done(from, request)
    }

    fn unsaved(&self, target: &Target<'_>) -> Result<HashMap<PathBuf, String>, ToolFailure> {
        let path = path_of(target)?;
        match self.0.ask(target, DocumentRequest::UnsavedTexts { path })? {
            HostReply::Documents(DocumentReply::Unsaved { texts }) => Ok(texts
                .into_iter()
                .map(|unsaved| (unsaved.path, unsaved.text))
                .collect()),
            other => Err(unfit(&other)),
        }
    }

    fn left_out(
        &self,
        target: &Target<'_>,
        folders: &[PathBuf],
    ) -> Result<HashSet<PathBuf>, ToolFailure> {
        // It leaves out nothing whose name it cannot know.
        let known = folders.iter().filter(|folder| folder.to_str().is_some());
        let folders = known.cloned().collect();
        let request = DocumentRequest::LeftOut { folders };
        match self.0.ask(target, request)? {
            HostReply::Documents(DocumentReply::LeftOut { folders }) => {
                Ok(folders.into_iter().collect())
            }
            other => Err(unfit(&other)),
        }
    }

    fn about_project(&self, project: &Target<'_>) -> Result<Vec<String>, ToolFailure> {
        match self.0.ask(project, DocumentRequest::AboutProject)? {
            HostReply::Documents(DocumentReply::AboutProject { lines }) => Ok(lines),
            other => Err(unfit(&other)),
        }
    }

    fn has_documents(&self) -> bool {
        true
    }
}

impl IdeFiles {
    fn done(&self, target: &Target<'_>, request: DocumentRequest) -> Result<(), ToolFailure> {
        match self.0.ask(target, request)? {
            HostReply::Done => Ok(()),
            other => Err(unfit(&other)),
        }
    }

    /// The text is written by then, so that what fails here is reported and fails nothing.
    fn put_line_ends(&self, target: &Target<'_>, stamp: i64, text: String) -> String {
        let path = target.path().to_owned();
        match self.done(target, DocumentRequest::PutLineEnds { path, stamp, text }) {
            Ok(()) => MIXED.to_owned(),
            Err(failure) => format!(
                "its line ends were mixed and are alike now: they could not be restored ({})",
                failure.text
            ),
        }
    }
}

fn names_note(names: &Names, unlinked: Option<String>) -> Option<String> {
    match (names, unlinked) {
        (Names::Inside(others), Some(why)) => Some(format!(
            "the file had {} names in the project (hard links), and not all have the new text: {why}",
            others.len() + 1
        )),
        _ => names.note(),
    }
}

fn path_of(target: &Target<'_>) -> Result<PathBuf, ToolFailure> {
    Ok(tellable(target.path(), target.shown())?.into())
}

fn apply_request(
    path: PathBuf,
    old: Option<&Text>,
    new: &NewText,
    names: &Names,
) -> DocumentRequest {
    let steps = match (old, &new.steps) {
        (Some(old), Some(steps)) => Some(in_utf16(old.text(), steps)),
        _ => None,
    };
    let mark = if new.byte_order_mark { "\u{feff}" } else { "" };
    let stamp = old.and_then(Text::document).map(|document| document.stamp);
    DocumentRequest::ApplyText {
        path,
        stamp,
        text: steps.is_none().then(|| format!("{mark}{}", new.text)),
        steps,
        tidy: wish(new.tidy),
        separate: *names == Names::Outside,
        other_names: match names {
            Names::Inside(others) => others.clone(),
            Names::One | Names::Outside => Vec::new(),
        },
        new_imports: match new.tidy {
            Tidy::AsSet => imports::brought(old.map_or("", Text::text), &new.text),
            Tidy::Not | Tidy::Now { .. } => Vec::new(),
        },
    }
}

fn wish(tidy: Tidy) -> TidyWish {
    let not = TidyWish {
        how: TidyHow::Not,
        imports: false,
        format: false,
        lines: None,
    };
    match tidy {
        Tidy::Not => not,
        Tidy::AsSet => TidyWish {
            how: TidyHow::AsSet,
            ..not
        },
        Tidy::Now { imports, format } => TidyWish {
            how: TidyHow::Now,
            imports,
            format: format.is_some(),
            lines: format.flatten(),
        },
    }
}

/// Pieces by UTF-16 units.
fn in_utf16(text: &str, steps: &[Vec<Replacement>]) -> Vec<Vec<Piece>> {
    let mut text = text.to_owned();
    let mut converted = Vec::with_capacity(steps.len());
    for step in steps {
        let (mut counted, mut units) = (0, 0);
        let mut units_at = |position: usize| {
            units += text[counted..position].encode_utf16().count();
            counted = position;
            units
        };
        let pieces = step.iter().map(|piece| Piece {
            start: units_at(piece.span.start),
            end: units_at(piece.span.end),
            text: piece.text.clone(),
        });
        converted.push(pieces.collect());
        text = Replacement::all(&text, step);
    }
    converted
}

pub(super) fn unfit(reply: &HostReply) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::InternalError,
        format!("the IDE's answer does not match the request: {reply:?}"),
    )
}
