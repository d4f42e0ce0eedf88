//! Text into a running turn, where the agent advertises it.
//!
//! A user's text is never kept here: what the agent did not take is reported, and its sender still has it. It knows no session.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_acp::wire::RpcError;

use crate::event::{EventBody, Steered};
use crate::session::effect::Effect;
use crate::session::prompt_turn::PromptTurn;

impl PromptTurn {
    /// Whether a text may be put into it. `steers`: the agent advertises that; `runs`: its prompt is in the agent's hands.
    pub(in crate::session) fn takes_steering(&self, steers: bool, runs: bool) -> bool {
        steers && runs && self.running.cancelling.is_none()
    }
}

/// The method by which an agent takes it; in no schema.
pub(in crate::session) const METHOD: &str = "_session/steering";

/// The request.
pub(in crate::session) fn params(session_id: &str, text: &str) -> Value {
    json!({
        "sessionId": session_id,
        "prompt": [{"type": "text", "text": text}],
        "_meta": {"steering": {"idleBehavior": "promptRequired"}},
    })
}

/// Tells that a text of the user's was not sent.
pub(in crate::session) fn not_sent(text: String) -> Effect {
    let taken = false;
    Effect::emit(EventBody::Steered(Steered { text, taken }))
}

/// The agent has answered to a text of the user's.
pub(in crate::session) fn steered(
    text: String,
    outcome: &Result<Box<RawValue>, RpcError>,
) -> Effect {
    let taken = is_injected(outcome);
    Effect::emit(EventBody::Steered(Steered { text, taken }))
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
        assert!(!is_injected(&Err(RpcError::method_not_found(METHOD))));
        let Effect::Emit(told) = steered("stop".to_owned(), &answer("queued")) else {
            panic!("it is told");
        };
        let text = "stop".to_owned();
        assert_eq!(*told, EventBody::Steered(Steered { text, taken: false }));
    }

    #[test]
    fn a_turn_takes_a_text_while_it_runs_and_is_not_cancelled() {
        let mut turn = PromptTurn::default();
        assert!(turn.takes_steering(true, true));
        assert!(!turn.takes_steering(false, true) && !turn.takes_steering(true, false));
        turn.running.cancelling = Some(crate::event::StopReason::Cancelled);
        assert!(!turn.takes_steering(true, true));
    }

    #[test]
    fn a_text_for_a_turn_that_is_over_comes_back_and_starts_no_other() {
        let idle = &params("s", "stop")["_meta"]["steering"]["idleBehavior"];
        assert_eq!(idle, "promptRequired");
        let Effect::Emit(told) = not_sent("stop".to_owned()) else {
            panic!("it is told");
        };
        let text = "stop".to_owned();
        assert_eq!(*told, EventBody::Steered(Steered { text, taken: false }));
    }
}
