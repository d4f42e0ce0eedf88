//! The agent's answer of a run: its last message, without what it said on the way to it. Plain data.

use siderail_engine::event::{AgentMessage, EventBody};

use crate::style::harmless;

/// The text that the agent has said since it last did something.
#[derive(Debug, Default)]
pub(super) struct LastAnswer {
    text: String,
    message: Option<String>,
    /// What is said next begins anew.
    is_over: bool,
    /// What is said next is another message.
    is_apart: bool,
}

impl LastAnswer {
    /// Takes an event; what is to be shown beside the answer. What was said is shown there when something is done next,
    /// since the answer will be something else, unless nothing more is said.
    pub(super) fn takes(&mut self, body: &EventBody) -> Vec<EventBody> {
        let mut shown = Vec::new();
        match body {
            EventBody::AgentMessage(AgentMessage { text, message_id }) => {
                let is_other = std::mem::take(&mut self.is_apart) || self.message != *message_id;
                if std::mem::take(&mut self.is_over) {
                    self.text.clear();
                } else if is_other && !self.text.is_empty() {
                    self.text.push_str("\n\n");
                }
                self.message.clone_from(message_id);
                self.text.push_str(text);
                return shown;
            }
            EventBody::AgentThought(_) => self.is_apart = true,
            EventBody::ToolCall(_) | EventBody::OwnTool(_) | EventBody::TurnStarted(_)
                if !std::mem::replace(&mut self.is_over, true) =>
            {
                shown.push(EventBody::AgentMessage(AgentMessage {
                    text: self.text.clone(),
                    message_id: None,
                }));
            }
            _ => {}
        }
        shown.push(body.clone());
        shown
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
        let thought = serde_json::json!({ "event": "AGENT_THOUGHT", "text": "Hm." });
        let said = [
            message("1", "I "),
            message("1", "look."),
            turn.clone(),
            turn,
            message("2", "It is "),
            message("2", "four."),
            thought,
            message("2", "Yes."),
            message("3", "\u{1b}[2JDone."),
        ];
        let shown = said.map(|event| answer.takes(&serde_json::from_value(event).unwrap()));
        assert_eq!(answer.text(), "It is four.\n\nYes.\n\n␛[2JDone.\n");
        let beside: Vec<EventBody> = shown.into_iter().flatten().collect();
        let [
            EventBody::AgentMessage(AgentMessage { text, .. }),
            _,
            _,
            EventBody::AgentThought(_),
        ] = &beside[..]
        else {
            panic!("{beside:?}");
        };
        assert_eq!(text, "I look.", "it is no answer, and not lost");
        assert_eq!(LastAnswer::default().text(), "");
    }
}
