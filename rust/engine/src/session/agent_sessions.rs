//! Lists and deletes sessions that the agent itself remembers (`session/list`, `session/delete`): requests to the agent
//! page by page, and the answer to the caller. Plain data; it knows no session and nothing of our own history.

use serde_json::{Value, json, value::RawValue};
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests;
use siderail_acp::wire::{RpcError, codes};
use tokio::sync::oneshot;

use crate::session::effect::Effect;
use crate::session::wire::Tag;

/// Pages that are asked for; an agent whose pages never end is not trusted for ever.
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

/// A request about the agent's own sessions.
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

/// The outcome of it.
pub(crate) type SessionsReply = oneshot::Sender<Result<AgentSessions, SessionsRefused>>;

/// The question for them, while one is on its way.
#[derive(Default)]
pub(in crate::session) struct SessionsQuestion(Option<Asking>);

impl SessionsQuestion {
    /// Somebody asks: what the agent is asked, if it is asked at all. `can`: what it can do, once it is ready; `cwd`: the
    /// project's folder.
    pub(in crate::session) fn ask(
        &mut self,
        wish: SessionsWish,
        reply: SessionsReply,
        can: Option<&AgentCapabilities>,
        cwd: &str,
    ) -> Option<Effect> {
        if let Some(why) = refusal(&wish, can, self.0.is_some()) {
            Asking::new(reply).end(Err(why.into()));
            return None;
        }
        self.0 = Some(Asking::new(reply));
        Some(match wish {
            SessionsWish::List => next_page(cwd, None),
            SessionsWish::Delete(id) => Effect::Request(
                requests::DELETE_SESSION,
                requests::session(&id),
                Tag::Delete,
            ),
        })
    }

    /// A page, or an error: the next page to ask for. `open_here`: the session that is not listed.
    pub(in crate::session) fn listed(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
        open_here: Option<&str>,
        cwd: &str,
    ) -> Option<Effect> {
        let page: Value = match outcome {
            Ok(page) => serde_json::from_str(page.get()).unwrap_or_default(),
            Err(error) => {
                self.end(Err(error.into()));
                return None;
            }
        };
        let next = self.0.as_mut()?.page(&page, open_here);
        if next.is_none() {
            self.end(Ok(()));
        }
        next.map(|cursor| next_page(cwd, Some(&cursor)))
    }

    /// The agent has forgotten a session, or not.
    pub(in crate::session) fn deleted(&mut self, outcome: &Result<Box<RawValue>, RpcError>) {
        self.end(outcome.as_ref().map(drop).map_err(Into::into));
    }

    fn end(&mut self, outcome: Result<(), SessionsRefused>) {
        if let Some(asking) = self.0.take() {
            asking.end(outcome);
        }
    }
}

fn next_page(cwd: &str, cursor: Option<&str>) -> Effect {
    let mut params = json!({"cwd": cwd});
    if let Some(cursor) = cursor {
        params["cursor"] = cursor.into();
    }
    Effect::Request(requests::LIST_SESSIONS, params, Tag::List)
}

/// A question on its way.
struct Asking {
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

    /// Hands over the list, or why there is none.
    fn end(self, outcome: Result<(), SessionsRefused>) {
        // The caller may have given up.
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

    /// What the agent is asked.
    fn asked(effect: Option<Effect>) -> Option<(&'static str, Value)> {
        match effect? {
            Effect::Request(method, params, _) => Some((method, params)),
            _ => panic!("it only asks the agent"),
        }
    }

    fn answer(page: &Value) -> Result<Box<RawValue>, RpcError> {
        Ok(serde_json::value::to_raw_value(page).expect("JSON"))
    }

    #[test]
    fn an_agent_is_asked_for_page_after_page_and_whoever_asked_is_told_once() {
        let can = AgentCapabilities {
            list: true,
            delete: true,
            ..AgentCapabilities::default()
        };
        let mut question = SessionsQuestion::default();
        let (reply, mut told) = oneshot::channel();
        let first = question.ask(SessionsWish::List, reply, Some(&can), "/p");
        let list = |params: Value| Some((requests::LIST_SESSIONS, params));
        assert_eq!(asked(first), list(json!({"cwd": "/p"})));
        let (second, mut refused) = oneshot::channel();
        let again = question.ask(SessionsWish::List, second, Some(&can), "/p");
        assert!(again.is_none() && refused.try_recv().expect("an answer").is_err());
        let next = question.listed(&answer(&sessions(&["a"], Some("2"))), None, "/p");
        assert_eq!(asked(next), list(json!({"cwd": "/p", "cursor": "2"})));
        assert!(told.try_recv().is_err(), "there is more");
        let last = question.listed(&answer(&sessions(&["b"], None)), None, "/p");
        assert!(last.is_none());
        let told = told.try_recv().expect("an answer").expect("a list");
        assert_eq!(told.found.len(), 2);
        let (reply, mut told) = oneshot::channel();
        let wish = SessionsWish::Delete("a".to_owned());
        let forget = asked(question.ask(wish, reply, Some(&can), "/p"));
        assert_eq!(forget.expect("it can").0, requests::DELETE_SESSION);
        question.deleted(&Err(RpcError::new(codes::AUTH_REQUIRED, "log in")));
        let refused = told.try_recv().expect("an answer").expect_err("an error");
        assert!(refused.wants_login);
    }

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
