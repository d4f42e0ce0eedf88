//! The agent's process and the messages between it, a session and the host: what is open in either direction, and what
//! the agent printed beside them. It decides nothing.

pub(in crate::session) mod process;
pub(in crate::session) mod stray_output;

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;
use siderail_acp::connection::Connection;
use siderail_acp::process::{Grace, StderrTail};
use siderail_acp::requests;
use siderail_acp::transport::Outbound;
use tokio::sync::oneshot;

use crate::session::host_calls::HostCalls;
use crate::session::modes::Setting;
use crate::session::record::Record;
use crate::session::wire::stray_output::Noise;

/// What an answer to one of our requests is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Initialize,
    Authenticate,
    NewSession,
    /// `session/load` or `session/resume`.
    Restore,
    /// The mode that the agent was asked to take at the start.
    SetMode {
        setting: Setting,
        mode: String,
    },
    /// A person's change.
    Set(Setting),
    /// A change that the next prompt waits for.
    BeforePrompt {
        setting: Setting,
        /// It takes the agent into a mode for planning, or out of it.
        for_plan: bool,
    },
    Prompt,
    /// A page of the agent's own sessions.
    List,
    /// One of them is forgotten.
    Delete,
    /// The agent's session is closed, and nobody waits for the answer.
    Close,
    /// The agent's list of its hooks.
    HookListing,
    /// A steering message with guidance for this request.
    Steering(u64),
    /// A text of the user's for the running turn.
    Steer(String),
    /// A request of the client behind the host.
    Passed(u64),
    /// The same, for the one that opens the session.
    OpenPassed,
}

/// The live agent process, as far as the session deals with it.
pub(crate) struct Agent {
    /// Its input; dropping it closes the agent's stdin.
    pub(in crate::session) outbound: Outbound,
    /// Asks the task that owns the process to stop it.
    pub(in crate::session) stop: Option<oneshot::Sender<Grace>>,
    /// What it said on stderr.
    pub(in crate::session) stderr: StderrTail,
}

/// A request of ours that the agent has not answered.
pub(crate) struct Unanswered {
    pub(in crate::session) method: String,
    pub(in crate::session) since: Instant,
}

impl Unanswered {
    fn new(method: &str) -> Self {
        Self {
            method: method.to_owned(),
            since: Instant::now(),
        }
    }

    fn is_login(&self) -> bool {
        self.method == requests::AUTHENTICATE
    }
}

/// Everything between the two.
pub(in crate::session) struct Wire {
    /// The process, while it runs and was not asked to end.
    pub(in crate::session) agent: Option<Agent>,
    /// The requests in both directions.
    pub(in crate::session) connection: Connection<Tag>,
    /// Our requests that are not answered, by id, for texts about time limits.
    pub(in crate::session) unanswered: BTreeMap<u64, Unanswered>,
    /// Our calls at the host.
    pub(in crate::session) host_calls: HostCalls,
    /// What may be reported of them, and where they are recorded.
    pub(in crate::session) record: Record,
    /// When the agent last said anything, or last got something to work on.
    pub(in crate::session) heard: Instant,
    /// Lines of the agent that were no messages.
    pub(in crate::session) noise: Noise,
}

impl Wire {
    /// A request of ours, which waits for its answer from now on: its id and its line.
    pub(in crate::session) fn request(
        &mut self,
        method: &str,
        params: &Value,
        tag: Tag,
    ) -> (u64, Vec<u8>) {
        let (id, line) = self.connection.request(method, params, tag);
        self.unanswered.insert(id, Unanswered::new(method));
        (id, line)
    }

    /// Closes the agent's input and lets the task that owns the process end it.
    pub(in crate::session) fn stop_agent(&mut self) {
        if let Some(mut agent) = self.agent.take()
            && let Some(stop) = agent.stop.take()
        {
            drop(agent.outbound);
            // The task is gone when the process has ended by itself.
            let _ = stop.send(Grace::default());
        }
    }

    /// Whether the agent is at a login.
    pub(in crate::session) fn is_logging_in(&self) -> bool {
        self.unanswered.values().any(Unanswered::is_login)
    }

    /// Nobody waits for a login any more, and a late answer does not count: the line that says so to the agent.
    pub(in crate::session) fn abandon_login(&mut self) -> Option<Vec<u8>> {
        let mut all = self.unanswered.iter();
        let id = *all.find(|(_, open)| open.is_login())?.0;
        self.unanswered.remove(&id);
        Some(self.connection.abandon(id)?.1)
    }

    /// The same of all requests.
    pub(in crate::session) fn abandon_all(&mut self) -> Vec<Vec<u8>> {
        let all = std::mem::take(&mut self.unanswered).into_keys();
        all.filter_map(|id| Some(self.connection.abandon(id)?.1))
            .collect()
    }
}

impl Default for Wire {
    fn default() -> Self {
        Self {
            agent: None,
            connection: Connection::new(),
            unanswered: BTreeMap::new(),
            host_calls: HostCalls::default(),
            record: Record::default(),
            heard: Instant::now(),
            noise: Noise::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What a line says to the agent.
    fn told(line: &[u8]) -> (String, Value) {
        let line: Value = serde_json::from_slice(line).expect("JSON");
        let method = line["method"].as_str().expect("a method").to_owned();
        (method, line["params"]["requestId"].clone())
    }

    #[test]
    fn only_the_login_is_given_up_while_other_requests_wait() {
        let mut wire = Wire::default();
        let (opening, _) = wire.request(requests::NEW_SESSION, &json!({}), Tag::NewSession);
        assert!(!wire.is_logging_in() && wire.abandon_login().is_none());
        let (login, _) = wire.request(requests::AUTHENTICATE, &json!({}), Tag::Authenticate);
        assert!(wire.is_logging_in());
        let line = wire.abandon_login().expect("the agent is told");
        assert_eq!(told(&line), ("$/cancel_request".to_owned(), json!(login)));
        assert!(!wire.is_logging_in(), "it is given up once");
        let all = wire.abandon_all();
        assert_eq!(all.len(), 1);
        assert_eq!(told(&all[0]).1, json!(opening));
        assert!(wire.unanswered.is_empty() && wire.abandon_all().is_empty());
    }
}
