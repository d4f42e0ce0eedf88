//! The few primitives that the tools need from the host of a project's texts: the disk ([`disk`]), or an IDE whose
//! documents take precedence over it.
//!
//! Paths come confined, edits come placed, and texts for models are made elsewhere. An implementor may wait for its
//! answer: tools run on threads of their own.

mod disk;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::cancel::CancelFlag;
use crate::confine::Confined;
use crate::edit::Replacement;
use crate::failure::io_failure;
use crate::line_ends;
use crate::outcome::ToolFailure;
use crate::place::Place;
use crate::shared_file::Names;
use crate::text_file::{Format, Seen, TextFile, check_is_file, stamp};

pub use crate::text_file::LineEnd;
pub(crate) use disk::Disk;

/// Who holds the texts of a project's files.
pub trait Primitives: Send + Sync {
    /// A file's text with all that is unsaved.
    ///
    /// # Errors
    /// What there is is not text, or cannot be read.
    fn text(&self, target: &Target<'_>) -> Result<Text, ToolFailure>;

    /// The same for a text that is to be changed; none if there is no file.
    ///
    /// # Errors
    /// As [`Self::text`], or the file is not to be written.
    fn text_to_change(&self, target: &Target<'_>) -> Result<Option<Text>, ToolFailure>;

    /// Puts a new text in place of `old`, as a whole or not at all.
    ///
    /// # Errors
    /// Somebody else changed it meanwhile, or it was refused.
    fn apply(
        &self,
        target: &Target<'_>,
        old: Option<&Text>,
        new: &NewText,
    ) -> Result<Applied, NotApplied>;

    /// Deletes a file, a link or a folder with all that is in it.
    ///
    /// # Errors
    /// It was refused.
    fn delete(&self, target: &Target<'_>) -> Result<(), ToolFailure>;

    /// Moves what is at `from`; an existing `to` is replaced only if `overwrite` says so.
    ///
    /// # Errors
    /// It was refused.
    fn rename(&self, from: &Target<'_>, to: &Confined, overwrite: bool) -> Result<(), ToolFailure>;

    /// Texts that are not on the disk, of a file or of all in a folder, by their absolute paths.
    ///
    /// # Errors
    /// The host gives no answer.
    fn unsaved(&self, _: &Target<'_>) -> Result<HashMap<PathBuf, String>, ToolFailure> {
        Ok(HashMap::new())
    }

    /// Which of some folders, absolute, the project leaves out beside what ignore files exclude. Asked where
    /// [`Self::has_documents`] says so, for the walk of a folder.
    ///
    /// # Errors
    /// The host gives no answer.
    fn left_out(&self, _: &Target<'_>, _: &[PathBuf]) -> Result<HashSet<PathBuf>, ToolFailure> {
        Ok(HashSet::new())
    }

    /// What an IDE knows of the project beyond its files, each a line.
    ///
    /// # Errors
    /// The host gives no answer.
    fn about_project(&self, _: &Target<'_>) -> Result<Vec<String>, ToolFailure> {
        Ok(Vec::new())
    }

    /// Where a path leads that a call names: the path itself and what it points to if it is a link, so that calls on either
    /// take turns. What cannot be resolved is left out: the call will be refused.
    fn led_to(&self, place: &Place, given: &str) -> Vec<PathBuf> {
        place.locate(given)
    }

    /// Whether an IDE holds the texts: they have one kind of line end, LF, wherever they are kept with another, and
    /// folders may be left out.
    fn has_documents(&self) -> bool {
        false
    }
}

/// A path of a project and whose call it is for.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub(crate) place: &'a Place,
    pub(crate) confined: &'a Confined,
    pub(crate) session: u64,
    pub(crate) cancel: &'a CancelFlag,
}

impl Target<'_> {
    /// The project's folder, canonical.
    pub fn project(&self) -> &Path {
        self.place.root()
    }

    /// Its content roots elsewhere, canonical.
    pub fn further_roots(&self) -> Vec<PathBuf> {
        let roots = self.place.confinement().further();
        roots.map(Path::to_owned).collect()
    }

    /// The path, absolute and without links.
    pub fn path(&self) -> &Path {
        &self.confined.absolute
    }

    /// The path as a model reads it.
    pub fn shown(&self) -> &str {
        &self.confined.relative
    }

    /// The session whose agent asks; 0 for none.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Whether something is there now.
    pub fn exists(&self) -> bool {
        self.path().symlink_metadata().is_ok()
    }

    /// Whether it may be read as text: neither a folder nor a device.
    ///
    /// # Errors
    /// It may not, or nothing is there.
    pub fn check_is_file(&self) -> Result<(), ToolFailure> {
        let found = self
            .place
            .hold(self.confined)
            .and_then(|entry| entry.found());
        let found = found.map_err(|error| io_failure("read", self.shown(), &error))?;
        check_is_file(self.confined, found.kind)
    }

    /// The names of the file that is there.
    pub fn names(&self) -> Names {
        Names::of(self.place.root_of(self.path()), self.confined)
    }

    /// The text on the disk where its lines end in more than one way.
    pub fn mixed_line_ends(&self) -> Option<String> {
        let (file, _) = TextFile::load(self.place, self.confined).ok()?;
        file.mixed_line_ends.then_some(file.text)
    }

    /// A document's text with the line ends of the text that it takes the place of, line by line.
    pub fn with_line_ends_of(before: &str, text: &str) -> String {
        let format = match TextFile::decode(before.as_bytes()) {
            Ok(file) => file.format,
            Err(_) => Format::NEW,
        };
        line_ends::kept(before, text, format)
    }

    /// Set when the call is no longer wanted.
    pub fn cancel(&self) -> &CancelFlag {
        self.cancel
    }
}

/// A file's text at one moment.
pub struct Text {
    pub(crate) file: TextFile,
    /// What a reader should know beyond the text; it is shown after the stamp.
    pub(crate) remarks: String,
    pub(crate) origin: Origin,
}

pub(crate) enum Origin {
    Disk {
        seen: Seen,
        metadata: std::fs::Metadata,
        /// Another program has it open with a text that is not on disk.
        is_unsaved: bool,
    },
    Document(Document),
}

/// A text as an IDE has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Shows whether the text is still the same.
    pub stamp: i64,
    /// The editor holds changes that are not on the disk.
    pub unsaved: bool,
    /// The disk has changed as well.
    pub conflict: bool,
    /// The name of its encoding.
    pub charset: String,
    /// It begins with a byte order mark.
    pub byte_order_mark: bool,
    /// What ends its lines on the disk.
    pub line_separator: LineEnd,
}

impl Text {
    /// Of a document, whose lines end in LF.
    pub fn of_document(text: String, document: Document) -> Self {
        let is_utf8 = document.charset == "UTF-8";
        let remarks = [
            (!is_utf8).then_some(document.charset.as_str()),
            (document.byte_order_mark && is_utf8).then_some("byte order mark"),
            document.line_separator.remark(),
            document
                .unsaved
                .then_some("with unsaved changes of the editor"),
        ];
        let remarks: Vec<&str> = remarks.into_iter().flatten().collect();
        Self {
            remarks: match remarks.is_empty() {
                true => String::new(),
                false => format!(" ({})", remarks.join("; ")),
            },
            file: TextFile {
                stamp: stamp(text.as_bytes()),
                text,
                format: Format::NEW,
                mixed_line_ends: false,
                seen: Seen::default(),
            },
            origin: Origin::Document(document),
        }
    }

    /// The text; a document's lines end in LF.
    pub fn text(&self) -> &str {
        &self.file.text
    }

    /// What an IDE said of it; none for a text of the disk.
    pub fn document(&self) -> Option<&Document> {
        match &self.origin {
            Origin::Document(document) => Some(document),
            Origin::Disk { .. } => None,
        }
    }

    /// The text with the line ends that it has on the disk.
    pub(crate) fn as_on_disk(&self) -> String {
        match self.document().map(|document| document.line_separator) {
            None | Some(LineEnd::Lf) => self.file.text.clone(),
            Some(end) => self.file.text.replace('\n', end.as_str()),
        }
    }
}

/// The text that a file is to have.
pub struct NewText {
    /// The whole text.
    pub text: String,
    /// The pieces by which it differs from the old one, in steps: positions of a step count in the text that the steps
    /// before have left. None where the whole text was given.
    pub steps: Option<Vec<Vec<Replacement>>>,
    /// A new file's text is to begin with a byte order mark.
    pub byte_order_mark: bool,
    /// How it is tidied, if the host can do that.
    pub tidy: Tidy,
    pub(crate) bytes: Vec<u8>,
}

/// How a text that is written is tidied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tidy {
    /// As the person has set it.
    AsSet,
    /// Not at all: a change is reverted.
    Not,
    /// It is what was asked for.
    Now {
        /// Imports are optimised.
        imports: bool,
        /// It is formatted; where lines are given, from 1, only they are.
        format: Option<Option<(usize, usize)>>,
    },
}

/// A text that is in place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The text as it is in the file, tidied.
    pub text: String,
    /// What a model should know, each a line.
    pub notes: Vec<String>,
    /// Problems in it that were not there before, each a line.
    pub problems: Vec<String>,
}

/// Why a text was not put in place.
#[derive(Debug)]
pub enum NotApplied {
    /// Somebody else changed the old one meanwhile.
    Changed,
    /// For this reason.
    Failed(ToolFailure),
}

impl From<ToolFailure> for NotApplied {
    fn from(failure: ToolFailure) -> Self {
        Self::Failed(failure)
    }
}
