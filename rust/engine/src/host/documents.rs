//! What the file tools, which run here, ask an IDE: few requests, most of them about the document of one path.
//!
//! Paths are absolute, without links and inside the project: in its folder, or in another of its content roots. Texts of
//! documents have lines that end in LF; positions in them count UTF-16 units, as the IDE's do.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use siderail_workspace::primitives::LineEnd;
use siderail_workspace::questions::QuestionKind;

/// A request about documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum DocumentRequest {
    /// The text of a file with all that is unsaved. Answered with [`DocumentReply::Document`].
    ReadDocument {
        /// The file, which was there a moment ago.
        path: PathBuf,
    },
    /// Write a text as one undo step, tidy it and save it. Answered with [`DocumentReply::Applied`]; one that is not what
    /// it was at `stamp` any more, or is there although `stamp` is null, fails as `STALE` and is tried again.
    ApplyText {
        /// The file.
        path: PathBuf,
        /// Of the document that the change is for; null for a file that is to be created, with its folders.
        stamp: Option<i64>,
        /// The whole new text, where no `steps` are given; a new file's may begin with a byte order mark.
        text: Option<String>,
        /// The pieces to replace: positions of a step count in the text that the steps before have left.
        steps: Option<Vec<Vec<Piece>>>,
        /// How it is tidied.
        tidy: TidyWish,
        /// The file has other names outside the project, which keep the old text: make it a file of its own first.
        separate: bool,
        /// Its other names in the project, which are to get the new text.
        other_names: Vec<PathBuf>,
        /// Import lines that the change brings in, without the blanks around them: with `as_set` they stay until the turn
        /// ends, used or not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        new_imports: Vec<String>,
    },
    /// Put a saved text on the disk with these line ends, if its document still is what it was. Answered with `Done`.
    PutLineEnds {
        /// The file.
        path: PathBuf,
        /// Of its document.
        stamp: i64,
        /// The same text with the line ends that it is to have.
        text: String,
    },
    /// Delete a file, a link or a folder with all that is in it, so that it can be undone. Answered with `Done`.
    DeletePath {
        /// What is deleted.
        path: PathBuf,
    },
    /// Move or rename, so that it can be undone. Answered with `Done`.
    MovePath {
        /// What is moved.
        path: PathBuf,
        /// Where to; folders that are missing are made.
        to: PathBuf,
        /// What is there is replaced.
        overwrite: bool,
    },
    /// Texts that are not on the disk. Answered with [`DocumentReply::Unsaved`].
    UnsavedTexts {
        /// A file, or the folder that they are in.
        path: PathBuf,
    },
    /// Which folders the project leaves out. Answered with [`DocumentReply::LeftOut`]; several may be asked at a time.
    LeftOut {
        /// Folders that are there.
        folders: Vec<PathBuf>,
    },
    /// What the IDE knows of the project beyond its files. Answered with [`DocumentReply::AboutProject`].
    AboutProject,
    /// Show the person a question of an agent until it is answered or withdrawn, however long that takes. Answered with
    /// [`DocumentReply::Answered`] or [`DocumentReply::Declined`]. It fails as `CANCELLED` where the person takes no
    /// questions of this turn any more, as `PROJECT_DISPOSED` where the project is closed, as `NOT_APPLICABLE` where there
    /// is nobody to ask, and otherwise where it cannot be shown.
    AskPerson {
        /// What kind of answer is wanted.
        kind: QuestionKind,
        /// The question. A model wrote it: it is shown as plain text.
        text: String,
        /// What to choose from; empty except for a choice.
        options: Vec<String>,
        /// The answer to offer first.
        default: Option<String>,
        /// False where the person may pass over it without a word.
        required: bool,
    },
}

/// The outcome of a request about documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum DocumentReply {
    /// A text.
    Document(OpenDocument),
    /// A text is in place.
    Applied(WrittenText),
    /// Texts that are not on the disk.
    Unsaved {
        /// They, each with its file.
        texts: Vec<UnsavedText>,
    },
    /// Folders that the project leaves out.
    LeftOut {
        /// Those of the request.
        folders: Vec<PathBuf>,
    },
    /// What the IDE knows of the project.
    AboutProject {
        /// In words, each a line.
        lines: Vec<String>,
    },
    /// The person has answered.
    Answered {
        /// In these words: `yes` or `no`, an option, a path, or a text.
        text: String,
    },
    /// The person does not want to answer.
    Declined {
        /// Why; may be empty.
        why: String,
    },
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDocument {
    /// Its text.
    pub text: String,
    /// Shows whether it is still this text.
    pub stamp: i64,
    /// The editor holds changes that are not on the disk.
    pub unsaved: bool,
    /// The disk has changed as well.
    pub conflict: bool,
    /// The name of the file's encoding.
    pub charset: String,
    /// The file begins with a byte order mark.
    pub byte_order_mark: bool,
    /// What ends its lines on the disk.
    pub line_separator: LineEnd,
}

/// A text that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenText {
    /// It as the document has it, tidied.
    pub text: String,
    /// Shows whether the document is still this text.
    pub stamp: i64,
    /// It is on the disk.
    pub saved: bool,
    /// Why its other names do not all have the new text, where they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlinked: Option<String>,
    /// What a model should know, without full stops.
    pub notes: Vec<String>,
    /// Problems that were not there before, as `line:column: severity: message`.
    pub problems: Vec<String>,
}

/// A text that is not on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsavedText {
    /// Its file.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

/// A piece of a text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The replacement.
    pub text: String,
}

/// How to tidy a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TidyWish {
    /// What decides how.
    pub how: TidyHow,
    /// With `now`: imports are optimised.
    pub imports: bool,
    /// With `now`: it is formatted.
    pub format: bool,
    /// With `now`: the only lines that are formatted, from 1, both counted.
    pub lines: Option<(usize, usize)>,
}

/// What decides how a text is tidied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TidyHow {
    /// The person's settings.
    AsSet,
    /// Nobody: it stays as it is.
    Not,
    /// The request: it was asked for, whatever the settings.
    Now,
}
