//! Texts of files that another program has open: an editor's unsaved text wins over the disk, and a new text goes to the
//! editor.
//!
//! Only plain UTF-8 files pass: of all others an editor's text says too little about their bytes.

use std::path::Path;

use crate::cancel::CancelFlag;
use crate::confine::Confined;
use crate::outcome::{ToolErrorCode, ToolFailure};
use crate::text_file::{Charset, Format, TextFile};

/// A program that has files open. Methods may block.
pub trait OpenTexts: Send + Sync {
    /// The text of a file as that program has it; none: what is on disk counts.
    fn read(&self, session: u64, path: &Path) -> Option<String>;
    /// Puts a whole text in place.
    fn write(&self, session: u64, path: &Path, text: &str, cancel: &CancelFlag) -> Put;
}

/// The outcome of a text that was to be put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// It is there.
    Done,
    /// No program takes it: it belongs on disk.
    ToDisk,
    /// It was refused, and why.
    Refused(String),
    /// Nobody wanted it any more before the program answered, which may have put it in place all the same.
    Cancelled,
}

/// No program has anything open.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingOpen;

impl OpenTexts for NothingOpen {
    fn read(&self, _: u64, _: &Path) -> Option<String> {
        None
    }

    fn write(&self, _: u64, _: &Path, _: &str, _: &CancelFlag) -> Put {
        Put::ToDisk
    }
}

/// The open texts, as a session's calls see them.
#[derive(Clone, Copy)]
pub(crate) struct Opened<'a> {
    pub(crate) texts: &'a dyn OpenTexts,
    pub(crate) session: u64,
}

impl Opened<'_> {
    /// The file with the text that is open in place of the disk's; true: they differ.
    pub(crate) fn over(&self, confined: &Confined, file: &mut TextFile) -> bool {
        if !is_plain(file.format) {
            return false;
        }
        let Some(text) = self.texts.read(self.session, &confined.absolute) else {
            return false;
        };
        // Editors keep the kind of line ends apart from the text.
        let ends_alike = |text: &str| file.format.with_line_ends(text);
        if text == file.text || ends_alike(&text) == ends_alike(&file.text) {
            return false;
        }
        let text = match file.mixed_line_ends {
            true => text,
            false => ends_alike(&text),
        };
        match TextFile::decode(text.as_bytes()) {
            Ok(open) => {
                file.text = open.text;
                file.stamp = open.stamp;
                true
            }
            Err(_) => false,
        }
    }

    /// Puts a text into the program that has the file open, or would have. True: it is there.
    ///
    /// What is unsaved there must not be lost below a text on disk: then a refusal is a failure.
    pub(crate) fn put(
        &self,
        confined: &Confined,
        old: Option<&TextFile>,
        is_unsaved: bool,
        text: &str,
        cancel: &CancelFlag,
    ) -> Result<bool, ToolFailure> {
        let has_folder = confined.absolute.parent().is_some_and(Path::is_dir);
        if !has_folder || !old.is_none_or(|old| is_plain(old.format)) {
            return Ok(false);
        }
        let path = &confined.absolute;
        match self.texts.write(self.session, path, text, cancel) {
            Put::Done => Ok(true),
            Put::Cancelled => Err(unanswered(confined)),
            Put::ToDisk | Put::Refused(_) if !is_unsaved => Ok(false),
            Put::ToDisk => Err(unsaved(confined, "it does not answer")),
            Put::Refused(why) => Err(unsaved(confined, &why)),
        }
    }
}

fn is_plain(format: Format) -> bool {
    format.charset == Charset::Utf8 && !format.byte_order_mark
}

fn unanswered(confined: &Confined) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::Cancelled,
        format!(
            "the call was cancelled before the user's editor answered; whether {} has the new text is not known: read it \
             before you change it again",
            confined.relative
        ),
    )
}

fn unsaved(confined: &Confined, why: &str) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::NotApplicable,
        format!(
            "{} has unsaved changes in the user's editor, which did not accept the new text: {why}; nothing was \
             written. Ask the user to save or close the file",
            confined.relative
        ),
    )
}
