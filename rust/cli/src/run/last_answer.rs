//! The agent's answer of a run: its last message, without what it said on the way to it. Plain data.

use siderail_engine::event::EventBody;

use crate::style::harmless;

/// The text that the agent has said since it last did something.
#[derive(Debug, Default)]
pub(super) struct LastAnswer {
    text: String,
    message: Option<String>,
    /// What is said next begins anew.
    is_over: bool,
}

impl LastAnswer {
    /// Takes an event; true where it is part of an answer.
    pub(super) fn takes(&mut self, body: &EventBody) -> bool {
        match body {
            EventBody::AgentMessage { text, message_id } => {
                if std::mem::take(&mut self.is_over) {
                    self.text.clear();
                } else if self.message != *message_id && !self.text.is_empty() {
                    self.text.push_str("\n\n");
                }
                self.message.clone_from(message_id);
                self.text.push_str(text);
                true
            }
            EventBody::ToolCall(_) | EventBody::OwnTool(_) | EventBody::TurnStarted { .. } => {
                self.is_over = true;
                false
            }
            _ => false,
        }
    }

    /// The answer with a line end, or nothing.
    pub(super) fn text(&self) -> String {
        match harmless(self.text.trim()).as_ref() {
            "" => String::new(),
            text => format!("{text}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_what_was_said_after_the_last_thing_that_was_done() {
        let mut answer = LastAnswer::default();
        let message = |id: &str, text: &str| serde_json::json!({ "event": "AGENT_MESSAGE", "message_id": id, "text": text });
        let turn = serde_json::json!({ "event": "TURN_STARTED", "origin": "user", "text": "go" });
        let said = [
            message("1", "I look."),
            turn,
            message("2", "It is "),
            message("2", "four."),
            message("3", "\u{1b}[2JDone."),
        ];
        for event in said {
            answer.takes(&serde_json::from_value(event).unwrap());
        }
        assert_eq!(answer.text(), "It is four.\n\n␛[2JDone.\n");
        assert_eq!(LastAnswer::default().text(), "");
    }
}
