//! The agent's questions that a person has not answered: what to ask next, and what to answer the agent then. It knows
//! no session; [`crate::form`] says what a form asks and makes of the answers.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_acp::elicitation::{Elicitation, Wanted};
use siderail_acp::wire::RequestId;
use siderail_guard::Tool;

use crate::confine::on_one_line;
use crate::form::{Form, Next, decline};
use crate::host::{HostReply, HostRequest};
use crate::session::effect::Effect;
use crate::session::host_calls::Waiting;
use crate::values;

/// The questions, by the number of the host's call.
#[derive(Default)]
pub(in crate::session) struct Elicitations(BTreeMap<u64, Question>);

/// A question of the agent that waits for the person.
struct Question {
    id: RequestId,
    form: Form,
    /// The agent's name of an address that is to be opened.
    url_id: Option<String>,
}

/// Whether a person can be asked.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Asking {
    /// The turn or the session is to end.
    pub(in crate::session) is_stopping: bool,
    /// The host can show questions.
    pub(in crate::session) can_ask: bool,
}

impl Elicitations {
    /// Whether a person is asked nothing.
    pub(in crate::session) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The agent asks the person, as far as that can be. `call`: a number for a call of the host.
    pub(in crate::session) fn requested(
        &mut self,
        id: RequestId,
        asked: Elicitation,
        asking: Asking,
        call: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        match asking {
            Asking {
                is_stopping: true, ..
            } => vec![Effect::AnswerCancelled(id)],
            Asking { can_ask: true, .. } => self.asked(id, asked, call),
            Asking { .. } => self.declined(id),
        }
    }

    /// The agent asks the person. `call`: a number for a call of the host.
    fn asked(
        &mut self,
        id: RequestId,
        asked: Elicitation,
        call: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        let url_id = match &asked.wanted {
            Wanted::Url { id, .. } => Some(id.clone()),
            _ => None,
        };
        let message = values::shown_name(&asked.message);
        let mut form = match Form::new(asked) {
            Ok(form) => form,
            Err(why) => {
                // A page that nobody gets to see is not recommended, either.
                let text = match url_id {
                    Some(_) => format!("the agent's request to open a web page is declined: {why}"),
                    None => format!("the agent's question is declined: {why} (it says: {message})"),
                };
                let mut effects = vec![Effect::Notice(text)];
                effects.extend(self.declined(id));
                return effects;
            }
        };
        let next = form.next();
        self.goes_on(Question { id, form, url_id }, next, call)
    }

    /// A question that nobody is asked.
    fn declined(&self, id: RequestId) -> Vec<Effect> {
        self.done(id, decline())
    }

    /// The host's answer to a question; the next one of its form gets this number.
    pub(in crate::session) fn replied(
        &mut self,
        call: u64,
        reply: &HostReply,
        next_call: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        let Some(mut question) = self.0.remove(&call) else {
            return Vec::new();
        };
        let next = question.form.answered(reply);
        let complaint = question.form.given_up().map(|complaint| {
            let complaint = on_one_line(complaint);
            Effect::Notice(format!(
                "the agent's question is cancelled after too many answers that did not fit ({complaint}), and what \
                 was answered to it before is not sent"
            ))
        });
        let next = self.goes_on(question, next, next_call);
        complaint.into_iter().chain(next).collect()
    }

    /// What the person was to open has been dealt with; unknown ids are ignored.
    pub(in crate::session) fn completed(&mut self, url_id: &str) -> Vec<Effect> {
        let is_named = |question: &Question| question.url_id.as_deref() == Some(url_id);
        let named = self.0.iter().find(|(_, question)| is_named(question));
        let call = named.map(|(call, _)| *call);
        let Some((call, question)) = call.and_then(|call| self.0.remove_entry(&call)) else {
            return Vec::new();
        };
        let mut effects = vec![Effect::CancelCall(call)];
        effects.extend(self.done(question.id, json!({"action": "accept"})));
        effects
    }

    /// The agent takes a question back, or (none) all of them are over: the person is asked no more.
    pub(in crate::session) fn withdraw(&mut self, id: Option<&RequestId>) -> Vec<Effect> {
        let is_over = |question: &Question| id.is_none_or(|id| question.id == *id);
        let over = self.0.extract_if(.., |_, question| is_over(question));
        let mut effects: Vec<_> = over.map(|(call, _)| Effect::CancelCall(call)).collect();
        // Nobody but the agent is waited for any more.
        if id.is_some() && !effects.is_empty() && self.0.is_empty() {
            effects.push(Effect::AwaitHandshake);
        }
        effects
    }

    fn goes_on(
        &mut self,
        question: Question,
        next: Next,
        call: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        match next {
            Next::Done(answer) => self.done(question.id, answer),
            Next::Ask(arguments) => {
                let call = call();
                self.0.insert(call, question);
                let request = HostRequest::Tool {
                    tool: Tool::AskUser,
                    arguments,
                };
                let asks = Effect::Call(call, request, Waiting::Question);
                vec![Effect::SuspendHandshake, asks]
            }
        }
    }

    fn done(&self, id: RequestId, answer: Value) -> Vec<Effect> {
        let goes_on = self.0.is_empty().then_some(Effect::AwaitHandshake);
        goes_on
            .into_iter()
            .chain([Effect::Answer(id, answer)])
            .collect()
    }
}

/// The agent's name of the address that a person has dealt with, in its notification of that.
pub(in crate::session) fn url_in(params: Option<&RawValue>) -> Option<String> {
    let params: Value = serde_json::from_str(params?.get()).ok()?;
    params["elicitationId"].as_str().map(str::to_owned)
}
