//! Prompts of a session: one turn at a time, and what the shape does with a prompt in between.

use std::sync::Arc;

use serde_json::{Value, json};
use siderail_wire::{RequestId, codes};

use super::Requests;
use crate::session::Session;
use crate::shape::SecondPrompt;
use crate::turn::Turn;

impl Requests {
    pub(super) fn prompt(self: &Arc<Self>, id: RequestId, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let Some(session) = self.session(session_id) else {
            let message = format!("unknown session {session_id}");
            let error = json!({"code": codes::INVALID_PARAMS, "message": message});
            return self.agent.peer.respond(&id, Err(&error));
        };
        let text = prompt_text(params);
        let mut state = session.state();
        if !state.running {
            state.running = true;
            state.queue.push_back((id, Some(text)));
            drop(state);
            let requests = Arc::clone(self);
            std::thread::spawn(move || requests.turns(&session));
            return;
        }
        match self.agent.shape.second_prompt {
            SecondPrompt::Queue => state.queue.push_back((id, Some(text))),
            SecondPrompt::CancelFirst => {
                state.queue.push_back((id, Some(text)));
                session.set_cancelled(true);
                drop(state);
                self.agent.peer.cancel(session_id, true);
            }
            SecondPrompt::Refuse => {
                drop(state);
                let message = "A turn is already running";
                let error =
                    json!({"code": codes::INTERNAL_ERROR, "message": message, "data": null});
                self.agent.peer.respond(&id, Err(&error));
            }
            SecondPrompt::Lost => {}
            SecondPrompt::Stored => {
                state.unread.push(("prompt", None, text));
                state.queue.push_back((id, None));
            }
        }
    }

    /// Runs the queued prompts of a session, one after the other.
    fn turns(self: &Arc<Self>, session: &Arc<Session>) {
        let mut more = true;
        while more {
            let (id, text, number) = {
                let mut state = session.state();
                let Some((id, text)) = state.queue.pop_front() else {
                    return;
                };
                session.set_cancelled(false);
                state.turns += u64::from(text.is_some());
                (id, text, state.turns)
            };
            let turn = Turn {
                agent: Arc::clone(&self.agent),
                session: Arc::clone(session),
                number,
            };
            more = match text {
                Some(text) => turn.run(&id, &text),
                None => turn.answer_without_model(&id),
            };
        }
    }

    pub(super) fn steer(&self, id: &RequestId, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let session = self.session(session_id);
        let outcome = match session.filter(|session| session.state().running) {
            Some(session) => {
                let late = !self.agent.peer.open_permissions(session_id).is_empty();
                session.state().steering.push((late, prompt_text(params)));
                "injected"
            }
            None => "promptRequired",
        };
        self.agent
            .peer
            .respond(id, Ok(&json!({"outcome": outcome})));
    }
}

/// The texts of a prompt's blocks, and the addresses of its links.
fn prompt_text(params: &Value) -> String {
    let block = |block: &Value| {
        let text = block["text"]
            .as_str()
            .or(block["resource"]["text"].as_str());
        text.or(block["uri"].as_str()).map(str::to_owned)
    };
    let blocks: Vec<String> = params["prompt"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(block)
        .collect();
    blocks.join("\n")
}
