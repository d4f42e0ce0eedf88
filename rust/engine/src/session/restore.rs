//! Resumes an earlier conversation: in which way, and what of it is shown.
//!
//! Three ways, the best first: `session/resume`, if the agent knows the conversation and sends nothing of it;
//! `session/load`, if it sends it again; a new session, if it supports neither. What is sent again happened long ago:
//! it is shown as such, and neither judged nor counted. Plain data, without a file, an agent or a clock; what is asked
//! of the agent, and what it replays, is in [`reopening`].

pub(in crate::session) mod reopening;
#[cfg(test)]
mod tests;

use siderail_acp::initialize::AgentCapabilities;

use crate::event::{
    AgentMessage, EventBody, PromptOrigin, Restored, Resumed, ResumedBy, TurnStarted,
};
use crate::history::{Conversation, Entry, Head};
use crate::session::effect::Effect;

/// Entries that are shown of a kept conversation, the last ones.
const SHOWN: usize = 2_000;

/// An earlier conversation that is resumed, if there is one, until the first new prompt.
#[derive(Default)]
pub(in crate::session) struct Restore(Option<Restoring>);

struct Restoring {
    head: Head,
    entries: Vec<Entry>,
    way: ResumedBy,
    /// A message that the agent is replaying: whether it is a prompt, and its text so far.
    telling: Option<(bool, String)>,
    n_shown: u64,
    /// A person has it before them already.
    is_seen: bool,
}

/// How the agent's session is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) enum Reopening {
    /// By `session/resume`, with this id.
    Resume(String),
    /// By `session/load`, with this id.
    Load(String),
    /// As a new one.
    Anew,
}

impl Restore {
    /// Resumes a conversation in the best way that an agent has.
    pub(in crate::session) fn begin(
        &mut self,
        kept: Conversation,
        agent: &str,
        can: &AgentCapabilities,
        is_seen: bool,
    ) -> (Reopening, Vec<Effect>) {
        let head = kept.listed.head;
        let id = head.agent_session.clone();
        let why_anew = match head.agent == agent {
            true => "this agent cannot resume earlier sessions".to_owned(),
            false => format!("the conversation was with {}", head.agent),
        };
        let (reopening, way) = match head.agent == agent {
            true if can.resume => (Reopening::Resume(id), ResumedBy::Resume),
            true if can.load_session => (Reopening::Load(id), ResumedBy::Load),
            _ => (Reopening::Anew, ResumedBy::History),
        };
        self.0 = Some(Restoring {
            head,
            entries: kept.entries,
            way,
            telling: None,
            n_shown: 0,
            is_seen,
        });
        let mut effects = Vec::from_iter(damage(kept.damaged));
        if reopening == Reopening::Anew {
            effects.push(self.unknown(&why_anew));
        }
        (reopening, effects)
    }

    /// Whether there is one.
    pub(in crate::session) fn is_under_way(&self) -> bool {
        self.0.is_some()
    }

    /// The agent's id of its session.
    pub(in crate::session) fn agent_session(&self) -> Option<&str> {
        Some(&self.0.as_ref()?.head.agent_session)
    }

    /// The agent does not know it after all, for this reason: a new session follows.
    pub(in crate::session) fn unknown(&mut self, why: &str) -> Effect {
        if let Some(restoring) = &mut self.0 {
            restoring.way = ResumedBy::History;
        }
        Effect::Notice(format!(
            "{why}; a new session was started, and the model does not know the earlier conversation"
        ))
    }

    /// The agent replays a piece of a message; it may be the first of another one.
    pub(in crate::session) fn message_told(
        &mut self,
        is_prompt: bool,
        begins: bool,
        text: &str,
    ) -> Option<Effect> {
        let before = if begins { self.message() } else { None };
        if let Some(restoring) = &mut self.0 {
            let telling = &mut restoring.telling;
            let (_, told) = telling.get_or_insert_with(|| (is_prompt, String::new()));
            told.push_str(text);
        }
        before
    }

    /// The agent replays something else.
    pub(in crate::session) fn told(&mut self, body: EventBody) -> Vec<Effect> {
        let before = self.message();
        before.into_iter().chain(self.show(None, body)).collect()
    }

    /// The session is ready, and what the agent replayed ahead of that is reported. Shows what was kept if it replayed
    /// nothing.
    pub(in crate::session) fn ready(&mut self) -> Vec<Effect> {
        let mut effects = Vec::from_iter(self.message());
        let Some(restoring) = &mut self.0 else {
            return effects;
        };
        let mut n_omitted = 0;
        if restoring.n_shown == 0 {
            let mut entries = std::mem::take(&mut restoring.entries);
            entries.retain(|entry| is_shown(&entry.body));
            n_omitted = entries.len().saturating_sub(SHOWN);
            for entry in entries.into_iter().skip(n_omitted) {
                effects.extend(self.show(Some(entry.at), entry.body));
            }
        }
        // What nobody keeps has no name to resume by.
        let named = self.0.as_ref().filter(|kept| !kept.head.id.is_empty());
        effects.extend(named.map(|kept| {
            Effect::emit(EventBody::Resumed(Resumed {
                id: kept.head.id.clone(),
                by: kept.way,
                entries: kept.n_shown,
                omitted: n_omitted as u64,
            }))
        }));
        effects
    }

    /// A person has seen what there is of it.
    pub(in crate::session) fn seen(&mut self) {
        if let Some(restoring) = &mut self.0 {
            restoring.is_seen = true;
        }
    }

    /// From now on everything happens anew.
    pub(in crate::session) fn end(&mut self) -> Option<Effect> {
        let last = self.message();
        self.0 = None;
        last
    }

    /// Shows the message as far as it has come.
    fn message(&mut self) -> Option<Effect> {
        let (is_prompt, text) = self.0.as_mut()?.telling.take()?;
        let origin = PromptOrigin::User;
        let body = match is_prompt {
            true => EventBody::TurnStarted(TurnStarted { origin, text }),
            false => EventBody::AgentMessage(AgentMessage {
                text,
                message_id: None,
            }),
        };
        self.show(None, body)
    }

    fn show(&mut self, at: Option<u64>, body: EventBody) -> Option<Effect> {
        let restoring = self.0.as_mut()?;
        restoring.n_shown += 1;
        let entry = Box::new(body);
        (!restoring.is_seen).then(|| Effect::emit(EventBody::Restored(Restored { at, entry })))
    }
}

/// What is said of lines that cannot be read.
fn damage(n_lines: usize) -> Option<Effect> {
    let lines = match n_lines {
        0 => return None,
        1 => "a line of this conversation's history is damaged and cannot be read".to_owned(),
        n => format!("{n} lines of this conversation's history are damaged and cannot be read"),
    };
    Some(Effect::Notice(format!(
        "{lines}; a crash may have cut it off, and everything else is there"
    )))
}

/// What of a kept conversation belongs to what a person sees again.
fn is_shown(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::TurnStarted(_)
            | EventBody::AgentMessage(_)
            | EventBody::Steered(_)
            | EventBody::ToolCall(_)
            | EventBody::OwnTool(_)
            | EventBody::PermissionRequest(_)
            | EventBody::PreRejectionGuidance(_)
            | EventBody::PermissionDenied(_)
            | EventBody::PermissionApproved(_)
            | EventBody::Plan(_)
            | EventBody::TurnEnded(_)
    )
}
