//! A session's events as a conversation: items, and the patches by which a front end keeps its copy up to date.
//!
//! One event in, patches out. It keeps what later events may change, not what has been said: readers keep the list.
//! Pure; knows no terminal, no window and no wording. [`calls`] says which events belong to one call.

mod calls;
mod item;
mod item_words;
mod list;
mod proposed_change;
mod speech;
mod steps;
mod tail;
#[cfg(test)]
mod tests;
mod text;

use std::collections::VecDeque;

use siderail_event::{
    ChangedFile, ErrorKind, Event, EventBody, LogKind, PlanEntry, PlanProposed, PromptOrigin,
    ResumedBy, StopReason,
};

use calls::{Calls, Change, Now};
pub use item::{Call, Denial, Item, Open, Patch, Proposal, What};
pub use item_words::{CallStatus, ItemKind, PatchKind, PromptWay, ProposalState};
pub use list::{List, Listed};
use speech::Speech;
use tail::Tail;
use text::capped;

/// Lines beside the protocol that are kept, and the characters of one.
const LOG_LINES: usize = 40;
const LOG_LINE: usize = 400;
/// Characters of a proposed plan that are read.
const PROPOSAL: usize = 60_000;
/// Where the ids of a session's items begin: a session has the lower half for its own.
const SESSION_SHIFT: u32 = 32;

/// What is known of a session's conversation, as far as later events may change it.
#[derive(Debug)]
pub struct Conversation {
    next_id: u64,
    /// The engine's clock at the last event.
    time: f64,
    reads_markdown: bool,
    calls: Calls,
    speech: Option<Speech>,
    tail: Tail,
    plan: Option<(u64, Vec<PlanEntry>)>,
    /// The item of the files that the running prompt has changed.
    changes: Option<u64>,
    /// Proposed plans that wait, and their items.
    proposals: Vec<(u64, Proposal)>,
    past: Past,
    has_prompt: bool,
    is_unguarded: bool,
    log: VecDeque<String>,
    patches: Vec<Patch>,
}

/// An earlier conversation that is shown ahead of this one.
#[derive(Debug, Default)]
struct Past {
    is_reading: bool,
    has_begun: bool,
    /// The line below it.
    end: Option<Item>,
}

impl Conversation {
    /// The conversation of a session, by the engine's number of it.
    pub fn new(session: u64) -> Self {
        Self {
            next_id: (session << SESSION_SHIFT) + 1,
            time: 0.0,
            reads_markdown: false,
            calls: Calls::default(),
            speech: None,
            tail: Tail::default(),
            plan: None,
            changes: None,
            proposals: Vec::new(),
            past: Past::default(),
            has_prompt: false,
            is_unguarded: false,
            log: VecDeque::new(),
            patches: Vec::new(),
        }
    }

    /// The same, with what the model says as blocks, too.
    pub fn with_blocks(mut self) -> Self {
        self.reads_markdown = true;
        self
    }

    /// Takes an event of the session.
    pub fn event(&mut self, event: &Event) -> Vec<Patch> {
        self.time = event.t;
        self.body(&event.body)
    }

    /// Takes what happened, at the time of the last event.
    pub fn body(&mut self, body: &EventBody) -> Vec<Patch> {
        match body {
            EventBody::Restored(it) => self.restored(it.at, &it.entry),
            EventBody::Resumed(it) => self.resumed(it.by, it.omitted),
            body => self.happened(body),
        }
        std::mem::take(&mut self.patches)
    }

    fn happened(&mut self, body: &EventBody) {
        match body {
            EventBody::AgentMessage(it) => self.said(false, &it.text, it.message_id.as_deref()),
            EventBody::AgentThought(it) => self.said(true, &it.text, it.message_id.as_deref()),
            EventBody::Plan(plan) => self.plan(&plan.entries),
            EventBody::PlanProposed(plan) => self.proposed(plan),
            EventBody::PlanApproved(it) => self.plan_approved(it.request_id),
            EventBody::PlanRejected(it) => self.plan_rejected(it.request_id, &it.text),
            EventBody::Changes(changes) => self.changed_files(&changes.files),
            EventBody::Steered(it) if it.taken => self.prompt(&it.text, PromptWay::Steered),
            EventBody::TurnStarted(turn) => self.turn_started(turn.origin, &turn.text),
            EventBody::TurnEnded(end) => {
                let is_expected = end.continues || end.stop_reason == StopReason::EndTurn;
                self.turn_ended(body, is_expected);
                if !end.continues {
                    self.stop_plan();
                }
            }
            EventBody::AgentLog(log) if log.kind != LogKind::Notice => self.log(&log.text),
            EventBody::AgentLog(_)
            | EventBody::AgentNotice(_)
            | EventBody::PlanningStarted(_)
            | EventBody::Nudge(_)
            | EventBody::AutoRetry(_)
            | EventBody::RetryExhausted(_)
            | EventBody::InactivityTimeout(_) => self.notice(body, Vec::new()),
            EventBody::Unguarded(_) if !std::mem::replace(&mut self.is_unguarded, true) => {
                self.notice(body, Vec::new());
            }
            EventBody::Error(error) => {
                self.close_speech();
                let log = match error.kind {
                    ErrorKind::Closed | ErrorKind::Spawn | ErrorKind::Handshake => {
                        self.log.iter().cloned().collect()
                    }
                    _ => Vec::new(),
                };
                self.notice(body, log);
            }
            EventBody::Summary(_) => {
                self.close_speech();
                self.end_session();
            }
            body => {
                let asked = proposed_change::change(body).filter(|_| !self.past.is_reading);
                self.patches.extend(asked);
                let time = self.present_time();
                let next_id = &mut self.next_id;
                let changes = self.calls.event(body, Now { next_id, time });
                self.calls_changed(changes);
            }
        }
    }

    fn said(&mut self, is_thought: bool, text: &str, message_id: Option<&str>) {
        if text.is_empty() {
            return;
        }
        let goes_on = |speech: &Speech| speech.goes_on_with(is_thought, message_id);
        if !self.speech.as_ref().is_some_and(goes_on) {
            self.close_speech();
            let id = self.append(What::Speech { is_thought });
            self.speech = Some(Speech::new(id, is_thought, message_id, self.reads_markdown));
        }
        if let Some(speech) = &mut self.speech {
            self.patches.push(speech.push(text));
        }
    }

    fn close_speech(&mut self) {
        if let Some(speech) = self.speech.take() {
            self.patches.push(speech.close());
        }
    }

    fn prompt(&mut self, text: &str, way: PromptWay) {
        self.close_speech();
        self.append(What::Prompt {
            text: text.to_owned(),
            way,
        });
    }

    fn turn_started(&mut self, origin: PromptOrigin, text: &str) {
        self.close_speech();
        self.forget_calls();
        let way = match origin {
            PromptOrigin::User => PromptWay::User,
            PromptOrigin::Continuation => PromptWay::Continuation,
            PromptOrigin::Plan => PromptWay::Plan,
        };
        if way == PromptWay::User {
            self.plan = None;
            self.has_prompt |= !self.past.is_reading;
            self.changes = None;
        }
        self.prompt(text, way);
    }

    fn turn_ended(&mut self, body: &EventBody, is_expected: bool) {
        self.close_speech();
        self.end_calls();
        if !is_expected {
            self.notice(body, Vec::new());
        }
    }

    fn plan(&mut self, entries: &[PlanEntry]) {
        let what = What::Plan {
            entries: entries.to_vec(),
        };
        let id = match &self.plan {
            Some((id, _)) => {
                let id = *id;
                self.replace(id, what);
                id
            }
            None => {
                self.close_speech();
                self.append(what)
            }
        };
        self.plan = Some((id, entries.to_vec()));
    }

    fn stop_plan(&mut self) {
        let steps = self.plan.as_ref().map(|(_, steps)| steps.as_slice());
        if let Some(stopped) = steps.and_then(steps::stopped) {
            self.plan(&stopped);
        }
    }

    fn proposed(&mut self, plan: &PlanProposed) {
        self.close_speech();
        let proposal = Proposal {
            request_id: plan.request_id,
            text: plan.text.clone(),
            blocks: match self.reads_markdown {
                true => crate::parse(&capped(&plan.text, PROPOSAL)),
                false => Vec::new(),
            },
            entries: plan.entries.clone(),
            state: ProposalState::Waiting,
        };
        let id = self.append(What::Proposal(proposal.clone()));
        self.proposals.push((id, proposal));
    }

    fn settle(&mut self, request_id: u64, state: ProposalState) -> Option<Vec<PlanEntry>> {
        let mut waiting = self.proposals.iter();
        let at = waiting.position(|(_, proposal)| proposal.request_id == request_id)?;
        let (id, mut proposal) = self.proposals.swap_remove(at);
        proposal.state = state;
        let entries = proposal.entries.clone();
        self.replace(id, What::Proposal(proposal));
        Some(entries)
    }

    /// The steps continue below the approval, where the work is.
    fn plan_approved(&mut self, request_id: u64) {
        let Some(proposed) = self.settle(request_id, ProposalState::Approved) else {
            return;
        };
        let steps = match self.plan.take() {
            Some((id, entries)) => {
                self.remove(id);
                entries
            }
            None => proposed,
        };
        if !steps.is_empty() {
            self.plan(&steps);
        }
    }

    fn plan_rejected(&mut self, request_id: u64, feedback: &str) {
        let is_blank = feedback.trim().is_empty();
        let state = match is_blank {
            true => ProposalState::TurnedDown,
            false => ProposalState::SentBack,
        };
        if self.settle(request_id, state).is_some() && !is_blank {
            self.prompt(feedback, PromptWay::Feedback);
        }
    }

    /// The files of one prompt are reported once, below what its last turn said.
    fn changed_files(&mut self, files: &[ChangedFile]) {
        self.close_speech();
        if let Some(id) = self.changes.take() {
            self.remove(id);
        }
        let files = files.to_vec();
        let id = self.append(What::Changes { files });
        self.changes = (!self.past.is_reading).then_some(id);
    }

    fn notice(&mut self, body: &EventBody, log: Vec<String>) {
        let event = Box::new(body.clone());
        self.append(What::Notice { event, log });
    }

    fn log(&mut self, line: &str) {
        self.log.push_back(line.chars().take(LOG_LINE).collect());
        if self.log.len() > LOG_LINES {
            self.log.pop_front();
        }
    }

    /// Calls that are open will not end any more, as far as is known.
    fn end_calls(&mut self) {
        let changes = self.calls.end_turn(self.present_time());
        self.calls_changed(changes);
    }

    /// The engine's clock; none for what happened in an earlier conversation.
    fn present_time(&self) -> Option<f64> {
        (!self.past.is_reading).then_some(self.time)
    }

    fn forget_calls(&mut self) {
        let tail = &self.tail;
        self.calls.begin_turn(|id| tail.contains(id));
    }

    /// Nothing that comes belongs to a call of before.
    fn end_session(&mut self) {
        self.end_calls();
        self.calls.forget_requests();
        self.forget_calls();
    }

    fn calls_changed(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::New(id) => {
                    self.close_speech();
                    self.fold_looks();
                    self.tail.push(id);
                    self.patches.extend(self.call(id).map(Patch::Append));
                }
                Change::Changed(id) => self.patches.extend(self.call(id).map(Patch::Replace)),
                Change::Joined { denied, instead } => {
                    self.tail.remove(denied);
                    self.patches.push(Patch::Fold {
                        into: instead,
                        ids: vec![denied],
                    });
                }
            }
        }
    }

    fn call(&self, id: u64) -> Option<Item> {
        let call = self.calls.call(id)?.clone();
        Some(Item {
            id,
            is_past: self.calls.is_past(id),
            what: What::Call(Box::new(call)),
        })
    }

    /// Makes one item of calls in a row that only looked at something, once something else comes below them.
    fn fold_looks(&mut self) {
        let (calls, is_past) = (&self.calls, self.past.is_reading);
        let is_quiet = |id| calls.is_quiet_look(id) && calls.is_past(id) == is_past;
        let Some(ids) = self.tail.take_looks(is_quiet) else {
            return;
        };
        let into = self.tail.group().unwrap_or_else(|| {
            let id = self.new_id();
            self.put(id, What::Calls);
            self.tail.begin_group(id);
            id
        });
        self.patches.push(Patch::Fold { into, ids });
    }

    fn restored(&mut self, at: Option<u64>, entry: &EventBody) {
        self.past.is_reading = true;
        self.close_speech();
        if !std::mem::replace(&mut self.past.has_begun, true) {
            self.append(What::PastBegins { at });
        }
        match entry {
            // One inside of another says nothing more, and must not nest without end.
            EventBody::Restored(_) | EventBody::Resumed(_) => {}
            entry => self.happened(entry),
        }
        self.close_speech();
        // An agent may report more after its session is open: the present begins below all of it.
        if let Some(end) = self.past.end.clone() {
            self.remove(end.id);
            self.fold_looks();
            self.tail.end();
            self.patches.push(Patch::Append(end));
        }
        self.past.is_reading = false;
    }

    fn resumed(&mut self, by: ResumedBy, omitted: u64) {
        self.end_session();
        self.plan = None;
        // The agent was started anew amid a conversation that it remembers.
        if self.has_prompt && by != ResumedBy::History {
            return;
        }
        self.close_speech();
        self.past.is_reading = true;
        if let Some(end) = self.past.end.take() {
            self.remove(end.id);
        }
        if omitted > 0 && self.past.has_begun {
            self.append(What::PastOmitted { entries: omitted });
        }
        let what = What::PastEnds { by };
        let id = self.append(what.clone());
        self.past.end = Some(Item {
            id,
            is_past: true,
            what,
        });
        self.past.is_reading = false;
    }

    fn append(&mut self, what: What) -> u64 {
        self.fold_looks();
        self.tail.end();
        let id = self.new_id();
        self.put(id, what);
        id
    }

    fn new_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    fn put(&mut self, id: u64, what: What) {
        self.patches.push(Patch::Append(self.item(id, what)));
    }

    fn replace(&mut self, id: u64, what: What) {
        self.patches.push(Patch::Replace(self.item(id, what)));
    }

    fn item(&self, id: u64, what: What) -> Item {
        Item {
            id,
            is_past: self.past.is_reading,
            what,
        }
    }

    fn remove(&mut self, id: u64) {
        self.patches.push(Patch::Remove { id });
    }
}

#[cfg(test)]
impl Conversation {
    /// So many calls are kept.
    fn n_kept(&self) -> usize {
        self.calls.n_kept()
    }
}
