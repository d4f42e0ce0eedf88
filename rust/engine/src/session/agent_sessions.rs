//! Sessions that the agent itself remembers (`session/list`, `session/delete`): plain data, told to whoever asked.
//! [`requests`] asks for them. Knows nothing of our own history.

mod requests;

use serde_json::Value;
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::wire::{RpcError, codes};
use tokio::sync::oneshot;

/// Pages that are asked for; an agent whose pages never end is not believed for ever.
const MOST_PAGES: usize = 100;

/// A session that the agent remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSession {
    /// The agent's id of it.
    pub id: String,
    /// The folder that it was about.
    pub cwd: String,
    /// The agent's title.
    pub title: Option<String>,
    /// When it last changed, as the agent writes it.
    pub updated_at: Option<String>,
}

/// What is wanted of the agent's own sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionsWish {
    /// Those about the project.
    List,
    /// One of them is to be forgotten, by its id.
    Delete(String),
}

/// The sessions that an agent has named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSessions {
    /// In the agent's order.
    pub found: Vec<AgentSession>,
    /// The agent has more of them than it was asked for.
    pub has_more: bool,
}

/// Why an agent names or forgets no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionsRefused {
    /// For people.
    pub text: String,
    /// The agent wants a login first.
    pub wants_login: bool,
}

impl From<&str> for SessionsRefused {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            wants_login: false,
        }
    }
}

impl From<&RpcError> for SessionsRefused {
    fn from(error: &RpcError) -> Self {
        Self {
            text: error.to_string(),
            wants_login: error.code == codes::AUTH_REQUIRED,
        }
    }
}

/// What came of it.
pub(crate) type SessionsReply = oneshot::Sender<Result<AgentSessions, SessionsRefused>>;

/// A question on its way.
pub(crate) struct Asking {
    told: AgentSessions,
    pages: usize,
    reply: SessionsReply,
}

impl Asking {
    fn new(reply: SessionsReply) -> Self {
        Self {
            told: AgentSessions::default(),
            pages: 0,
            reply,
        }
    }

    /// A page of the list, in which the session that is open here is left out. The cursor of the next page to ask for.
    fn page(&mut self, page: &Value, open_here: Option<&str>) -> Option<String> {
        let text = |of: &Value, name: &str| of[name].as_str().map(str::to_owned);
        let session = |of: &Value| {
            Some(AgentSession {
                id: text(of, "sessionId")?,
                cwd: text(of, "cwd").unwrap_or_default(),
                title: text(of, "title"),
                updated_at: text(of, "updatedAt"),
            })
        };
        let listed = page["sessions"].as_array().into_iter().flatten();
        let others = listed.filter_map(session);
        let others = others.filter(|one| open_here != Some(one.id.as_str()));
        self.told.found.extend(others);
        self.pages += 1;
        let next = text(page, "nextCursor");
        self.told.has_more = next.is_some();
        next.filter(|_| self.pages < MOST_PAGES)
    }

    /// Hands over what was told, or why it was not.
    fn end(self, outcome: Result<(), SessionsRefused>) {
        // Whoever asked may have given up.
        let _ = self.reply.send(outcome.map(|()| self.told));
    }
}

/// Why the agent is not asked at all. `can`: what it can do once it is ready.
fn refusal(
    wish: &SessionsWish,
    can: Option<&AgentCapabilities>,
    is_asked: bool,
) -> Option<&'static str> {
    let Some(can) = can else {
        return Some("the agent is not ready");
    };
    match wish {
        _ if is_asked => Some("another such request is still open"),
        SessionsWish::List if !can.list => Some("the agent cannot list sessions"),
        SessionsWish::Delete(_) if !can.delete => Some("the agent cannot delete sessions"),
        SessionsWish::List | SessionsWish::Delete(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sessions(ids: &[&str], next: Option<&str>) -> Value {
        let listed: Vec<Value> = ids.iter().map(|id| json!({"sessionId": id})).collect();
        json!({"sessions": listed, "nextCursor": next})
    }

    #[test]
    fn pages_are_put_together_without_the_session_that_is_open_here() {
        let (reply, mut told) = oneshot::channel();
        let mut asking = Asking::new(reply);
        let first = sessions(&["a", "here"], Some("2"));
        assert_eq!(asking.page(&first, Some("here")).as_deref(), Some("2"));
        assert_eq!(asking.page(&sessions(&["b"], None), Some("here")), None);
        asking.end(Ok(()));
        let told = told.try_recv().expect("an answer").expect("a list");
        let ids: Vec<&str> = told.found.iter().map(|one| one.id.as_str()).collect();
        assert!(ids == ["a", "b"] && !told.has_more, "{ids:?}");
    }

    #[test]
    fn a_list_that_never_ends_is_cut_and_says_so() {
        let (reply, mut told) = oneshot::channel();
        let mut asking = Asking::new(reply);
        let page = sessions(&[], Some("again"));
        let asked = (1..=MOST_PAGES).filter(|_| asking.page(&page, None).is_some());
        assert_eq!(asked.count(), MOST_PAGES - 1);
        asking.end(Ok(()));
        assert!(
            told.try_recv()
                .expect("an answer")
                .expect("a list")
                .has_more
        );
    }

    #[test]
    fn an_agent_is_asked_only_for_what_it_can_do_and_one_thing_at_a_time() {
        let can = AgentCapabilities {
            list: true,
            ..AgentCapabilities::default()
        };
        let delete = SessionsWish::Delete("a".to_owned());
        assert_eq!(refusal(&SessionsWish::List, Some(&can), false), None);
        let refused = [
            refusal(&delete, Some(&can), false),
            refusal(&SessionsWish::List, Some(&can), true),
            refusal(&SessionsWish::List, None, false),
        ];
        assert!(refused.iter().all(Option::is_some), "{refused:?}");
    }
}
