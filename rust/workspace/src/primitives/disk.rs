//! The primitives on the disk; a program that has a file open takes precedence ([`OpenTexts`]).

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use super::{Applied, NewText, NotApplied, Origin, Primitives, Target, Text};
use crate::atomic_file::{Before, NewFolders, NotReplaced, replace};
use crate::confine::{Confined, Kind};
use crate::failure::{io_failure, occupied};
use crate::open_texts::{NothingOpen, OpenTexts, Opened};
use crate::outcome::{ToolErrorCode, ToolFailure};
use crate::shared_file::{self, Names};
use crate::text_file::TextFile;

pub(crate) struct Disk {
    open: Arc<dyn OpenTexts>,
}

impl Default for Disk {
    fn default() -> Self {
        Self::under(Arc::new(NothingOpen))
    }
}

impl Disk {
    /// Below a program that has files open.
    pub(crate) fn under(open: Arc<dyn OpenTexts>) -> Self {
        Self { open }
    }

    fn opened(&self, target: &Target<'_>) -> Opened<'_> {
        Opened {
            texts: self.open.as_ref(),
            session: target.session,
        }
    }
}

impl Primitives for Disk {
    fn text(&self, target: &Target<'_>) -> Result<Text, ToolFailure> {
        let (mut file, metadata) = TextFile::load(target.place, target.confined)?;
        let seen = file.seen;
        let is_unsaved = self.opened(target).over(target.confined, &mut file);
        Ok(Text {
            remarks: file.remarks(),
            file,
            origin: Origin::Disk {
                seen,
                metadata,
                is_unsaved,
            },
        })
    }

    fn text_to_change(&self, target: &Target<'_>) -> Result<Option<Text>, ToolFailure> {
        let refused = |error: io::Error| io_failure("write", target.shown(), &error);
        let is_missing = |error: &io::Error| error.kind() == ErrorKind::NotFound;
        let entry = match target.place.hold(target.confined) {
            Err(error) if is_missing(&error) => return Ok(None),
            held => held.map_err(refused)?,
        };
        match entry.found() {
            Err(error) if is_missing(&error) => return Ok(None),
            found => found.map_err(refused)?,
        };
        let text = self.text(target)?;
        // Without any write bit a file is read-only even for those whom the system would let.
        let is_readonly = matches!(&text.origin, Origin::Disk { metadata, .. } if metadata.permissions().readonly());
        if is_readonly || !entry.is_writable() {
            return Err(ToolFailure::new(
                ToolErrorCode::ReadOnly,
                format!(
                    "{} is read-only; ask the user before changing that",
                    target.shown()
                ),
            ));
        }
        Ok(Some(text))
    }

    fn apply(
        &self,
        target: &Target<'_>,
        old: Option<&Text>,
        new: &NewText,
    ) -> Result<Applied, NotApplied> {
        let confined = target.confined;
        let file = old.map(|old| &old.file);
        let is_unsaved = old
            .is_some_and(|old| matches!(old.origin, Origin::Disk { is_unsaved, .. } if is_unsaved));
        let opened = self.opened(target);
        if opened.put(confined, file, is_unsaved, &new.text, target.cancel)? {
            return Ok(Applied {
                text: new.text.clone(),
                ..Applied::default()
            });
        }
        let before = match old.map(|old| &old.origin) {
            Some(Origin::Disk { seen, metadata, .. }) => Before::File {
                seen: *seen,
                metadata,
            },
            _ => Before::Nothing,
        };
        let names = old.map_or(Names::One, |_| {
            Names::of(target.place.root_of(&confined.absolute), confined)
        });
        put(target, before, &names, &new.bytes).map_err(|error| match error {
            NotReplaced::Changed => NotApplied::Changed,
            NotReplaced::Failed(error) => io_failure("write", target.shown(), &error).into(),
        })?;
        Ok(Applied {
            text: new.text.clone(),
            notes: names.note().into_iter().collect(),
            problems: Vec::new(),
        })
    }

    fn delete(&self, target: &Target<'_>) -> Result<(), ToolFailure> {
        let refused = |error: io::Error| io_failure("delete", target.shown(), &error);
        let entry = target.place.hold(target.confined).map_err(refused)?;
        match entry.found().map_err(refused)?.kind {
            Kind::Folder => entry.remove_all().map_err(refused),
            _ => entry.remove().map_err(refused),
        }
    }

    fn rename(&self, from: &Target<'_>, to: &Confined, overwrite: bool) -> Result<(), ToolFailure> {
        let place = from.place;
        let attempt = format!("move {} to", from.shown());
        let refused = |error: io::Error| match error.kind() {
            ErrorKind::AlreadyExists => occupied(&to.relative),
            _ => io_failure(&attempt, &to.relative, &error),
        };
        let held = place.hold(from.confined).map_err(refused)?;
        let (root, below) = place.folder_of(&to.absolute).map_err(refused)?;
        let folders =
            NewFolders::make(&root, below.parent().unwrap_or(Path::new(""))).map_err(refused)?;
        let target = root.entry(&below).map_err(refused)?;
        if overwrite {
            held.rename(&target).map_err(refused)?;
        } else {
            held.rename_onto_nothing(&target).map_err(refused)?;
        }
        folders.keep();
        Ok(())
    }
}

/// Replaces a file's contents by bytes.
fn put(
    target: &Target<'_>,
    before: Before<'_>,
    names: &Names,
    bytes: &[u8],
) -> Result<(), NotReplaced> {
    let place = target.place;
    match (before, names) {
        (Before::File { seen, .. }, Names::Inside(_)) => {
            let entry = place.hold(target.confined).map_err(NotReplaced::Failed)?;
            shared_file::overwrite(&entry, bytes, seen)
        }
        _ => {
            let (root, below) = place
                .folder_of(target.path())
                .map_err(NotReplaced::Failed)?;
            replace(&root, &below, bytes, before)
        }
    }
}
