//! The agent's questions to the person (`elicitation/create`): put to the host one after the other, answered once.
//!
//! What a form asks and makes of the answers is in [`crate::form`]. A question may come before there is a session, as
//! those of a login do; the handshake waits for it.

use std::time::Instant;

use serde_json::{Value, json, value::RawValue};
use siderail_acp::elicitation::{Elicitation, Wanted};
use siderail_acp::wire::RequestId;

use crate::confine::on_one_line;
use crate::form::{Form, Next, decline};
use crate::host::{HostReply, HostRequest};
use crate::session::effect::Effect;
use crate::session::host_calls::Waiting;
use crate::session::permissions::question::OpenElicitation;
use crate::session::{STARTUP, Session};
use crate::shared::Shared;
use crate::values;

/// The tool by which hosts show questions.
const ASK: &str = "ask_user";

impl Session {
    /// Whether the host can show questions.
    pub(in crate::session) fn can_ask(shared: &Shared) -> bool {
        shared.offered.contains(&ASK)
    }

    /// The agent asks the person.
    pub(in crate::session) fn elicited(
        &mut self,
        id: RequestId,
        params: &RawValue,
        shared: &mut Shared,
    ) {
        if self.turn.cancelling.is_some() || self.is_closing() {
            let line = self.wire.connection.answer_cancelled(&id);
            return self.send_some(line, shared);
        }
        if !Self::can_ask(shared) {
            return self.elicitation_done(&id, &decline(), shared);
        }
        let asked = Elicitation::read(params);
        let url_id = match &asked.wanted {
            Wanted::Url { id, .. } => Some(id.clone()),
            _ => None,
        };
        let message = values::shown_name(&asked.message);
        match Form::new(asked) {
            Err(why) => {
                // A page that nobody gets to see is not recommended, either.
                let text = match url_id {
                    Some(_) => format!("the agent's request to open a web page is declined: {why}"),
                    None => format!("the agent's question is declined: {why} (it says: {message})"),
                };
                self.notice(&text, shared);
                self.elicitation_done(&id, &decline(), shared);
            }
            Ok(mut form) => {
                let next = form.next();
                let open = OpenElicitation { id, form, url_id };
                self.elicitation_goes_on(open, next, shared);
            }
        }
    }

    fn elicitation_goes_on(&mut self, open: OpenElicitation, next: Next, shared: &mut Shared) {
        match next {
            Next::Done(answer) => self.elicitation_done(&open.id, &answer, shared),
            Next::Ask(arguments) => {
                self.lifecycle.suspend_handshake();
                let request = HostRequest::Tool {
                    name: ASK.to_owned(),
                    arguments,
                };
                self.apply(
                    [Effect::Call(request, Box::new(Waiting::Question(open)))],
                    shared,
                );
            }
        }
    }

    fn elicitation_done(&mut self, id: &RequestId, answer: &Value, shared: &mut Shared) {
        self.wire.heard = Instant::now();
        if self.wire.host_calls.questions().next().is_none() {
            self.lifecycle.await_handshake(Instant::now() + STARTUP);
        }
        let line = self.wire.connection.answer(id, answer);
        self.send_some(line, shared);
    }

    /// The host's answer to a question.
    pub(in crate::session) fn elicitation_replied(
        &mut self,
        mut open: OpenElicitation,
        reply: &HostReply,
        shared: &mut Shared,
    ) {
        let next = open.form.answered(reply);
        if let Some(complaint) = open.form.given_up() {
            let complaint = on_one_line(complaint);
            let text = format!(
                "the agent's question is cancelled after too many answers that did not fit ({complaint}), and what \
                 was answered to it before is not sent"
            );
            self.notice(&text, shared);
        }
        self.elicitation_goes_on(open, next, shared);
    }

    /// What the person was to open has been dealt with; unknown ids are ignored.
    pub(in crate::session) fn elicitation_complete(
        &mut self,
        params: Option<&RawValue>,
        shared: &mut Shared,
    ) {
        let params: Value = params
            .and_then(|params| serde_json::from_str(params.get()).ok())
            .unwrap_or(Value::Null);
        let named = params["elicitationId"].as_str();
        let is_named = |open: &OpenElicitation| named.is_some() && open.url_id.as_deref() == named;
        let questions = self.wire.host_calls.questions();
        let named = questions.filter(|(_, open)| is_named(open));
        let Some(call) = named.map(|(call, _)| call).next() else {
            return;
        };
        if let Some(Waiting::Question(open)) = self.wire.host_calls.take(call) {
            shared.host.cancel(call);
            self.elicitation_done(&open.id, &json!({"action": "accept"}), shared);
        }
    }

    /// The agent takes a question back, or (none) all of them are over: the person is asked no more.
    pub(in crate::session) fn forget_elicitations(
        &mut self,
        id: Option<&RequestId>,
        shared: &mut Shared,
    ) {
        let over = self.wire.host_calls.forget_questions(id);
        self.apply(over.into_iter().map(Effect::CancelCall), shared);
    }
}
