//! Text into a running turn, where the agent advertises it.
//!
//! A user's text is never kept here: what the agent did not take is told, and its sender has it still.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_acp::wire::RpcError;

use crate::event::EventBody;
use crate::session::effect::Effect;
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// The user's text for the running turn.
    pub(crate) fn steer_turn(&mut self, text: String, shared: &mut Shared) {
        let steers = self
            .lifecycle
            .handshake
            .initialized
            .as_ref()
            .is_some_and(|i| i.steering);
        if !steers || !self.is_prompting() || self.turn.cancelling.is_some() {
            let taken = false;
            return self.emit(EventBody::Steered { text, taken }, shared);
        }
        self.send_steering(&text.clone(), Tag::Steer(text), shared);
    }

    pub(in crate::session) fn send_steering(&mut self, text: &str, tag: Tag, shared: &mut Shared) {
        let Some(acp) = &self.lifecycle.handshake.acp else {
            return;
        };
        let params = json!({
            "sessionId": acp.id(),
            "prompt": [{"type": "text", "text": text}],
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        });
        self.request("_session/steering", &params, tag, shared);
    }
}

/// The agent has answered to a text of the user's.
pub(in crate::session) fn steered(
    text: String,
    outcome: &Result<Box<RawValue>, RpcError>,
) -> Effect {
    let taken = is_injected(outcome);
    Effect::emit(EventBody::Steered { text, taken })
}

/// Whether the agent says that the model reads the text in the running turn.
pub(in crate::session) fn is_injected(outcome: &Result<Box<RawValue>, RpcError>) -> bool {
    outcome.as_ref().is_ok_and(|result| {
        let result: Value = serde_json::from_str(result.get()).unwrap_or(Value::Null);
        matches!(
            result["outcome"].as_str(),
            Some("injected" | "startedNewTurn")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::to_raw_value;

    #[test]
    fn a_text_is_taken_only_where_the_agent_says_so() {
        let answer = |outcome: &str| Ok(to_raw_value(&json!({"outcome": outcome})).expect("JSON"));
        for taken in ["injected", "startedNewTurn"] {
            assert!(is_injected(&answer(taken)), "{taken}");
        }
        assert!(!is_injected(&answer("promptRequired")));
        assert!(!is_injected(&Err(RpcError::method_not_found(
            "_session/steering"
        ))));
        let Effect::Emit(told) = steered("stop".to_owned(), &answer("queued")) else {
            panic!("it is told");
        };
        let text = "stop".to_owned();
        assert_eq!(*told, EventBody::Steered { text, taken: false });
    }
}
