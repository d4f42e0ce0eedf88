//! What the model says or thinks while it says it: one item that grows, with its Markdown read as far as it has come.
//!
//! Keeps no text but the end that is still open.

use super::item::Patch;
use crate::Growing;

/// Bytes after which a message goes on in an item of its own.
const LONGEST: usize = 200_000;
/// Bytes of open text that are read with every piece, however short that is.
const READ_ALWAYS: usize = 16 << 10;

/// A message that may go on.
#[derive(Debug)]
pub(super) struct Speech {
    pub(super) id: u64,
    is_thought: bool,
    message_id: Option<String>,
    length: usize,
    /// None where nobody wants blocks.
    markdown: Option<Growing>,
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
        }
    }

    /// Whether a piece belongs to it.
    pub(super) fn goes_on_with(&self, is_thought: bool, message_id: Option<&str>) -> bool {
        let is_same = message_id.is_none() || message_id == self.message_id.as_deref();
        self.is_thought == is_thought && is_same && self.length < LONGEST
    }

    /// Takes a piece.
    pub(super) fn push(&mut self, text: &str) -> Patch {
        self.length += text.len();
        let (settled, open) = match &mut self.markdown {
            None => (Vec::new(), Vec::new()),
            Some(markdown) => {
                if !markdown.push(text) && markdown.n_open() <= READ_ALWAYS {
                    markdown.read();
                }
                (markdown.take_settled(), markdown.open().to_vec())
            }
        };
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
            open: Vec::new(),
            is_closed: true,
        }
    }
}
