//! Notices when all that an agent answered is an error: some agents send it as a message and end the turn as if all were
//! well. What such a message begins with is in the agent's profile. Plain data.

use siderail_engine::event::{AgentMessage, EventBody};
use siderail_engine::{ErrorMessage, ErrorMessages};

/// As much of an answer as is looked at, in bytes.
const LOOKED_AT: usize = 4_000;

/// What the last turn came to.
#[derive(Debug, Default)]
pub(super) struct ErrorAnswer {
    words: ErrorMessages,
    text: String,
    /// The agent did something in the turn.
    acted: bool,
}

impl ErrorAnswer {
    pub(super) fn new(words: ErrorMessages) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// Takes an event.
    pub(super) fn event(&mut self, body: &EventBody) {
        match body {
            EventBody::TurnStarted(_) => {
                self.text.clear();
                self.acted = false;
            }
            EventBody::AgentMessage(AgentMessage { text, .. })
                if self.text.len() < LOOKED_AT && !self.words.is_note(text) =>
            {
                self.text.push_str(text);
            }
            EventBody::ToolCall(_) | EventBody::OwnTool(_) | EventBody::Plan(_) => {
                self.acted = true;
            }
            _ => {}
        }
    }

    /// The error that the last turn's answer was.
    pub(super) fn error(&self) -> Option<ErrorMessage> {
        self.words.kind_of(&self.text).filter(|_| !self.acted)
    }
}
