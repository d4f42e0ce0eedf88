//! What the model says or thinks while it says it: one item that grows, with its Markdown read as far as it has come.
//!
//! Keeps no text but the end that is still open.

use super::item::{Open, Patch};
use crate::{Block, BlockKind, Growing};

/// Bytes after which a message continues in an item of its own, once its blocks are read.
const LONGEST: usize = 200_000;
/// Bytes of open text that are read with every piece, however short that is.
const READ_ALWAYS: usize = 16 << 10;
/// Bytes of open text that are sent with every piece; what is longer, when it has grown by one part in so many.
const TOLD_ALWAYS: usize = 6 << 10;
const TOLD_AGAIN: usize = 16;

/// A message that may continue.
#[derive(Debug)]
pub(super) struct Speech {
    pub(super) id: u64,
    is_thought: bool,
    message_id: Option<String>,
    length: usize,
    /// None where nobody wants blocks.
    markdown: Option<Growing>,
    /// The open blocks as they were sent last, and the bytes that they are of.
    told: Vec<Block>,
    n_told: usize,
}

impl Speech {
    pub(super) fn new(
        id: u64,
        is_thought: bool,
        message_id: Option<&str>,
        reads_markdown: bool,
    ) -> Self {
        Self {
            id,
            is_thought,
            message_id: message_id.map(str::to_owned),
            length: 0,
            markdown: reads_markdown.then(Growing::default),
            told: Vec::new(),
            n_told: 0,
        }
    }

    /// Whether a piece belongs to it.
    pub(super) fn goes_on_with(&self, is_thought: bool, message_id: Option<&str>) -> bool {
        let is_same = message_id.is_none() || message_id == self.message_id.as_deref();
        let has_room = self.markdown.is_none() || self.length < LONGEST;
        self.is_thought == is_thought && is_same && has_room
    }

    /// Takes a piece.
    pub(super) fn push(&mut self, text: &str) -> Patch {
        self.length += text.len();
        let mut settled = Vec::new();
        let mut open = Open::Same;
        if let Some(markdown) = &mut self.markdown {
            if !markdown.push(text) && markdown.n_open() <= READ_ALWAYS {
                markdown.read();
            }
            settled = markdown.take_settled();
            let n_open = markdown.n_open();
            let is_worth_telling = n_open <= TOLD_ALWAYS
                || !settled.is_empty()
                || n_open >= self.n_told + self.n_told / TOLD_AGAIN;
            match grown_code(&self.told, markdown.open()) {
                Some("") => {}
                Some(more) => open = Open::More(more.to_owned()),
                None if !is_worth_telling => {}
                None => open = Open::Blocks(markdown.open().to_vec()),
            }
            if open != Open::Same {
                self.told = markdown.open().to_vec();
                self.n_told = n_open;
            }
        }
        Patch::Extend {
            id: self.id,
            text: text.to_owned(),
            settled,
            open,
            is_closed: false,
        }
    }

    /// Nothing more comes.
    pub(super) fn close(self) -> Patch {
        Patch::Extend {
            id: self.id,
            text: String::new(),
            settled: self.markdown.map(Growing::finish).unwrap_or_default(),
            open: Open::Blocks(Vec::new()),
            is_closed: true,
        }
    }
}

/// What has come behind the text of a block of code that is the last, where nothing else has changed.
fn grown_code<'a>(before: &[Block], now: &'a [Block]) -> Option<&'a str> {
    let (old, others) = before.split_last()?;
    let (new, same) = now.split_last()?;
    match (&old.kind, &new.kind) {
        (
            BlockKind::Code { info, text },
            BlockKind::Code {
                info: new_info,
                text: new_text,
            },
        ) if info == new_info && others == same => new_text.strip_prefix(text.as_str()),
        _ => None,
    }
}
