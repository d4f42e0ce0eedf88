//! What the syntax tree is folded into: arguments with their unknown parts marked, and the streams that flow
//! between commands.
//!
//! An unknown part is one [`UNKNOWN`] character inside the text. No argument of a real command
//! can hold that character, so texts with unknown parts can be parsed again like any other.

use super::target::Target;
use ecow::EcoString;
use siderail_syntax::tree::Script;
use std::rc::Rc;

/// Stands for an unknown part of a text.
pub(super) const UNKNOWN: char = '\0';
/// The same as a text.
pub(super) const UNKNOWN_TEXT: &str = "\0";

/// How many items of a loop or a list are looked at one by one; the rest is one that may be any of them.
pub(super) const ITEMS_LIMIT: usize = 128;

/// Where unknown text comes from; the later ones are worse when the text is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A program that everybody lets set up their shell.
    Initialiser,
    /// A variable that the line does not set, or a value that depends on the run.
    Variable,
    /// A file outside of the project.
    Elsewhere,
    /// What some program prints.
    Program,
    /// A file of the project.
    ProjectFile,
    /// Decoded or decrypted text.
    Decoded,
    /// The network.
    Download,
}

/// Whether a word holds a live file name pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pattern {
    #[default]
    None,
    /// It is in the word itself, which so becomes the names that match.
    Live,
    /// The word is the variable of a loop over the names that match.
    Carried,
}

/// One argument of a command as the command will see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Arg {
    pub(super) text: EcoString,
    /// The origin of the unknown parts, if there are any.
    pub(super) unknown: Option<Origin>,
    pub(super) pattern: Pattern,
    /// Some of it was in quotes.
    pub(super) quoted: bool,
    /// What few arguments have.
    pub(super) more: Option<Box<More>>,
}

/// Streams and scripts that are used in place of a file or a text.
#[derive(Clone, Debug, Default)]
pub(super) struct More {
    stream: Option<Stream>,
    reader: Option<Rc<Script>>,
    block: Option<Rc<Script>>,
}

impl Arg {
    pub(super) fn new(text: impl Into<EcoString>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    pub(super) fn unknown(origin: Origin) -> Self {
        Self {
            text: UNKNOWN.into(),
            unknown: Some(origin),
            ..Self::default()
        }
    }

    /// One item that may be any of these: what all of them begin with is kept.
    pub(super) fn any_of(items: &[Self]) -> Self {
        let mut common = items.first().map_or("", |item| item.text.as_str());
        let mut origin = Origin::Variable;
        for item in items {
            let shared = common
                .char_indices()
                .zip(item.text.chars())
                .find(|((_, one), other)| one != other)
                .map_or(common.len().min(item.text.len()), |((at, _), _)| at);
            common = &common[..shared];
            origin = item.unknown.map_or(origin, |unknown| unknown.max(origin));
        }
        let text = format!("{common}{UNKNOWN}");
        Self {
            unknown: Some(origin),
            ..Self::new(text)
        }
    }

    /// Items of which no more are looked at than is worth it, and none is left out.
    pub(super) fn bounded(mut items: Vec<Self>) -> Vec<Self> {
        if items.len() > ITEMS_LIMIT {
            let rest = Self::any_of(&items[ITEMS_LIMIT..]);
            items.truncate(ITEMS_LIMIT);
            items.push(rest);
        }
        items
    }

    /// The text, if all of it is known and it is no pattern.
    pub(super) fn known(&self) -> Option<&str> {
        (self.unknown.is_none() && self.pattern == Pattern::None).then_some(self.text.as_str())
    }

    /// What can be read from it, for `<(…)`.
    pub(super) fn stream(&self) -> Option<&Stream> {
        self.more.as_ref()?.stream.as_ref()
    }

    /// What reads from it, for `>(…)`.
    pub(super) fn reader(&self) -> Option<&Rc<Script>> {
        self.more.as_ref()?.reader.as_ref()
    }

    /// A PowerShell script block.
    pub(super) fn block(&self) -> Option<&Rc<Script>> {
        self.more.as_ref()?.block.as_ref()
    }

    pub(super) fn set_stream(&mut self, stream: Stream) {
        self.more.get_or_insert_default().stream = Some(stream);
    }

    pub(super) fn set_reader(&mut self, reader: Rc<Script>) {
        self.more.get_or_insert_default().reader = Some(reader);
    }

    pub(super) fn set_block(&mut self, block: Rc<Script>) {
        self.more.get_or_insert_default().block = Some(block);
    }

    /// A text with parts that come from somewhere, if it has any.
    pub(super) fn partly(text: impl Into<EcoString>, unknown: Option<Origin>) -> Self {
        Self {
            unknown,
            ..Self::new(text)
        }
    }

    /// Another text, of which is known what is known of this one.
    pub(super) fn with_text(&self, text: &str) -> Self {
        Self {
            text: text.into(),
            unknown: self.unknown,
            pattern: self.pattern,
            quoted: self.quoted,
            more: self.more.clone(),
        }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Whether it is an option of one letter, or several of them, with this one.
    pub(super) fn has_letter(&self, letter: char) -> bool {
        let letters = self.text.strip_prefix('-');
        let letters = letters.filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.contains(letter))
    }

    /// `NAME=value`
    pub(super) fn assignment(&self) -> Option<(&str, &str)> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let (name, value) = self.text.split_once('=')?;
        (!name.is_empty() && name.bytes().all(is_part)).then_some((name, value))
    }

    /// Nothing of it is known.
    pub(super) fn is_all_unknown(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|character| character == UNKNOWN)
    }

    pub(super) fn push_unknown(&mut self, origin: Origin) {
        if !self.text.ends_with(UNKNOWN) {
            self.text.push(UNKNOWN);
        }
        self.unknown = self.unknown.max(Some(origin));
    }

    /// Appends another argument's text and what is known of it.
    pub(super) fn join(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.unknown = self.unknown.max(other.unknown);
        self.quoted |= other.quoted;
        if self.pattern == Pattern::None {
            self.pattern = other.pattern;
        }
        if let Some(other) = &other.more {
            let more = self.more.get_or_insert_default();
            if other.stream.is_some() {
                more.stream.clone_from(&other.stream);
            }
            if other.reader.is_some() {
                more.reader.clone_from(&other.reader);
            }
            if other.block.is_some() {
                more.block.clone_from(&other.block);
            }
        }
    }

    /// The rest behind a prefix, with what is known of the whole.
    pub(super) fn strip_prefix(&self, prefix: &str) -> Option<Self> {
        let rest = self.text.strip_prefix(prefix)?;
        Some(self.with_text(rest))
    }
}

/// What a command reads or prints.
#[derive(Clone, Debug)]
pub(super) enum Stream {
    /// Whatever the whole line is connected to.
    Inherited,
    Empty,
    File(Rc<Target>),
    Text(Text),
}

/// Text that flows through a pipe.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// Shared by all who hold it.
    pub(super) text: EcoString,
    /// The origin of its unknown parts.
    pub(super) unknown: Option<Origin>,
    /// Printed by a command that only prints what the line gives it: saving it is writing a file.
    pub(super) supplied: bool,
    /// The names of files, which cmdlets of PowerShell take for the files themselves.
    pub(super) names_files: bool,
}

impl Text {
    pub(super) fn new(text: impl Into<EcoString>, unknown: Option<Origin>) -> Self {
        Self {
            text: text.into(),
            unknown,
            supplied: false,
            names_files: false,
        }
    }
}

impl Stream {
    /// Constant text that the line itself holds.
    pub(super) fn supplied(text: impl Into<EcoString>, unknown: Option<Origin>) -> Self {
        Self::Text(Text {
            supplied: true,
            ..Text::new(text, unknown)
        })
    }

    /// Text of which nothing is known but where it comes from.
    pub(super) fn printed(origin: Origin) -> Self {
        Self::Text(Text::new(UNKNOWN, Some(origin)))
    }

    /// What a program answers, as far as it is known.
    pub(super) fn answered(text: impl Into<EcoString>, unknown: Option<Origin>) -> Self {
        Self::Text(Text::new(text, unknown))
    }

    pub(super) fn is_supplied(&self) -> bool {
        matches!(self, Self::Text(text) if text.supplied)
    }

    pub(super) fn origin(&self) -> Option<Origin> {
        match self {
            Self::Inherited => Some(Origin::Variable),
            Self::Empty => None,
            Self::File(target) if target.is_inside() => Some(Origin::ProjectFile),
            Self::File(_) => Some(Origin::Elsewhere),
            Self::Text(text) => text.unknown,
        }
    }
}

/// Longer texts are not followed; an agent's line is far below it.
const FOLLOWED_TEXT_LIMIT: usize = 1 << 20;

/// What several commands print, one after the other.
#[derive(Debug, Default)]
pub(super) struct Collected {
    text: EcoString,
    unknown: Option<Origin>,
    supplied: bool,
    names_files: bool,
    inherited: bool,
    is_unread: bool,
}

impl Collected {
    /// What the whole line prints, which goes to nobody here.
    pub(super) fn unread() -> Self {
        Self {
            is_unread: true,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, stream: &Stream) {
        match stream {
            Stream::Empty => return,
            _ if self.is_unread => return,
            Stream::Inherited => self.inherited = true,
            Stream::Text(text) if self.text.len() + text.text.len() <= FOLLOWED_TEXT_LIMIT => {
                if self.text.is_empty() {
                    self.text = text.text.clone();
                } else {
                    self.text.push_str(&text.text);
                }
            }
            _ if self.text.ends_with(UNKNOWN) => {}
            _ => self.text.push(UNKNOWN),
        }
        self.unknown = self.unknown.max(stream.origin());
        self.supplied |= stream.is_supplied();
        self.names_files |= matches!(stream, Stream::Text(text) if text.names_files);
    }

    /// Adds text that begins a line of its own behind a file of which nothing is known.
    pub(super) fn add_lines(&mut self, stream: &Stream) {
        let is_untold = |text: &str| text.chars().all(|letter| letter == UNKNOWN);
        if let Stream::Text(text) = stream
            && !self.text.is_empty()
            && is_untold(&self.text)
            && !is_untold(&text.text)
        {
            self.text.push('\n');
        }
        self.add(stream);
    }

    pub(super) fn finish(self) -> Stream {
        if self.inherited {
            return Stream::Inherited;
        }
        if self.text.is_empty() && !self.supplied {
            return Stream::Empty;
        }
        let Self {
            text,
            unknown,
            supplied,
            names_files,
            ..
        } = self;
        Stream::Text(Text {
            text,
            unknown,
            supplied,
            names_files,
        })
    }
}

/// Where a command's output goes.
#[derive(Clone, Debug)]
pub(super) enum Sink {
    Inherited,
    /// Another command or a substitution takes it.
    Captured,
    Nowhere,
    File(Rc<Target>),
}

/// A descriptor beyond the first three.
#[derive(Clone, Debug)]
pub(super) enum Descriptor {
    In(Stream),
    Out(Sink),
}

/// What a command is connected to.
#[derive(Clone, Debug)]
pub(super) struct Io {
    pub(super) stdin: Stream,
    pub(super) stdout: Sink,
    pub(super) stderr: Sink,
    pub(super) others: Vec<(u8, Descriptor)>,
}

impl Default for Io {
    fn default() -> Self {
        Self {
            stdin: Stream::Inherited,
            stdout: Sink::Inherited,
            stderr: Sink::Inherited,
            others: Vec::new(),
        }
    }
}
