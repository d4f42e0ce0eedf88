//! The ACP client behind a host that is an agent itself, and what is open between it and the agent. Plain data;
//! [`requests_to_agent`] rewrites the client's requests.

pub(in crate::session) mod requests_to_agent;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, value::RawValue};
use siderail_acp::initialize::NewSessionResult;
use siderail_acp::wire::{RequestId, RpcError, codes};

use crate::acp_client::{AcpClient, Outcome, PassedReply, PassedRequest};
use crate::session::modes::setting::Setting;

/// A client, and what is open between it and the agent.
pub(crate) struct Client {
    pub(in crate::session) said: Arc<AcpClient>,
    /// The agent may be asked to open the session.
    may_open: bool,
    /// The request that opens the session, until it can be made.
    waiting: Option<PassedRequest>,
    /// The same, once it has been made: the session that it names, and where the answer goes.
    opening: Option<(Option<String>, PassedReply)>,
    /// Other requests of the client, with what they set.
    open: BTreeMap<u64, (PassedReply, Option<Setting>)>,
    last: u64,
    /// Requests of the agent that the client is to answer.
    pub(in crate::session) asked: HashSet<RequestId>,
}

/// The outcome of the request that opens the session.
#[derive(Debug)]
pub(in crate::session) enum Opened {
    Session(NewSessionResult),
    /// The agent says that it is open, but not how; the error that the client has been answered.
    Unclear(String),
    /// The client may ask again.
    Refused,
}

impl Client {
    pub(in crate::session) fn new(said: Arc<AcpClient>) -> Self {
        Self {
            said,
            may_open: false,
            waiting: None,
            opening: None,
            open: BTreeMap::new(),
            last: 0,
            asked: HashSet::new(),
        }
    }

    /// Our `initialize`, with what the client said.
    pub(in crate::session) fn hello(&self, ours: &Value) -> Value {
        self.said.hello(ours)
    }

    /// The client wants a session opened, which can be done once in a process. True when the agent may be asked now.
    pub(in crate::session) fn wants_session(
        &mut self,
        request: PassedRequest,
        is_open: bool,
    ) -> bool {
        if is_open || self.opening.is_some() || self.waiting.is_some() {
            let error = RpcError::new(
                codes::INTERNAL_ERROR,
                "another session is open in this process",
            );
            request.reply.answer(Err(error));
            return false;
        }
        self.waiting = Some(request);
        self.may_open
    }

    /// The agent may be asked to open the session: what the client wants, if it wants one already.
    pub(in crate::session) fn wish_to_open(&mut self) -> Option<PassedRequest> {
        self.may_open = true;
        self.waiting.take()
    }

    /// The agent is asked to open the session. `named`: the one that it opens again.
    pub(in crate::session) fn opens(&mut self, named: Option<String>, reply: PassedReply) {
        self.opening = Some((named, reply));
    }

    /// Whether what the agent says now is a conversation that it replays for the client.
    pub(in crate::session) fn loads(&self) -> bool {
        matches!(self.opening, Some((Some(_), _)))
    }

    /// The agent's answer to the request that opens the session.
    pub(in crate::session) fn opened(&mut self, outcome: Outcome) -> Option<Opened> {
        let (named, reply) = self.opening.take()?;
        let opened = match (&outcome, named) {
            (Ok(result), Some(id)) => Ok(NewSessionResult::read_with_id(&id, result)),
            (Ok(result), None) => NewSessionResult::read(result),
            (Err(_), _) => {
                reply.answer(outcome);
                return Some(Opened::Refused);
            }
        };
        Some(match opened {
            Ok(opened) => {
                reply.answer(outcome);
                Opened::Session(opened)
            }
            Err(error) => {
                let text = error.to_string();
                reply.answer(Err(RpcError::new(codes::INTERNAL_ERROR, text.as_str())));
                Opened::Unclear(text)
            }
        })
    }

    /// Another request of the client goes to the agent. Its number.
    pub(in crate::session) fn pass(&mut self, reply: PassedReply, sets: Option<Setting>) -> u64 {
        self.last += 1;
        self.open.insert(self.last, (reply, sets));
        self.last
    }

    /// The agent's answer to it. What it has set, with what the agent says of that.
    pub(in crate::session) fn answered(
        &mut self,
        number: u64,
        outcome: Outcome,
    ) -> Option<(Setting, Box<RawValue>)> {
        let (reply, sets) = self.open.remove(&number)?;
        let result = outcome.as_ref().ok().cloned();
        reply.answer(outcome);
        sets.zip(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, value::to_raw_value};
    use std::sync::mpsc::{Receiver, channel};

    fn client() -> Client {
        Client::new(Arc::new(AcpClient::new(json!({}))))
    }

    fn reply() -> (PassedReply, Receiver<Outcome>) {
        let (answers, answered) = channel();
        let reply = PassedReply::new(move |outcome| {
            let _ = answers.send(outcome);
        });
        (reply, answered)
    }

    fn request() -> (PassedRequest, Receiver<Outcome>) {
        let (reply, answered) = reply();
        let method = "session/new".to_owned();
        let params = json!({});
        let request = PassedRequest {
            method,
            params,
            reply,
        };
        (request, answered)
    }

    fn result(value: &Value) -> Outcome {
        Ok(to_raw_value(value).expect("JSON"))
    }

    #[test]
    fn a_session_is_opened_once_and_when_the_agent_may_be_asked() {
        let mut client = client();
        let (first, _waits) = request();
        assert!(
            !client.wants_session(first, false),
            "the agent is not ready"
        );
        let (second, refused) = request();
        assert!(!client.wants_session(second, false));
        assert!(refused.try_recv().expect("an answer").is_err());
        assert!(client.wish_to_open().is_some() && client.wish_to_open().is_none());
        let (third, _waits) = request();
        assert!(client.wants_session(third, false), "the agent waits for it");
        let (late, refused) = request();
        client.waiting = None;
        assert!(!client.wants_session(late, true), "one is open");
        assert!(refused.try_recv().expect("an answer").is_err());
    }

    #[test]
    fn an_opening_is_answered_as_the_agent_answers_it_or_by_an_error_where_that_is_unclear() {
        let opened = |named: Option<&str>, outcome| {
            let mut client = client();
            let (reply, answered) = reply();
            client.opens(named.map(str::to_owned), reply);
            assert_eq!(client.loads(), named.is_some());
            let opened = client.opened(outcome).expect("it was under way");
            assert!(!client.loads() && client.opened(result(&json!({}))).is_none());
            (opened, answered.try_recv().expect("an answer").is_ok())
        };
        let (new, told) = opened(None, result(&json!({"sessionId": "s"})));
        assert!(told && matches!(new, Opened::Session(new) if new.session_id == "s"));
        let (loaded, told) = opened(Some("old"), result(&json!({})));
        assert!(told && matches!(loaded, Opened::Session(old) if old.session_id == "old"));
        let (unclear, told) = opened(None, result(&json!({})));
        assert!(!told && matches!(unclear, Opened::Unclear(_)));
        let (refused, told) = opened(None, Err(RpcError::method_not_found("session/new")));
        assert!(!told && matches!(refused, Opened::Refused));
    }

    #[test]
    fn what_a_request_sets_counts_once_the_agent_has_taken_it() {
        let mut client = client();
        let sets = || Some(Setting::Mode("plan".to_owned()));
        let (taken, answered) = reply();
        let (refused, _) = reply();
        let numbers = [client.pass(taken, sets()), client.pass(refused, sets())];
        assert_ne!(numbers[0], numbers[1]);
        let set = client.answered(numbers[0], result(&json!({})));
        assert_eq!(set.map(|(setting, _)| setting), sets());
        assert!(answered.try_recv().expect("an answer").is_ok());
        let no = Err(RpcError::method_not_found("session/set_mode"));
        assert!(client.answered(numbers[1], no).is_none());
        assert!(client.answered(numbers[1], result(&json!({}))).is_none());
    }
}
