//! Tool calls: brings together what the agent announces, the permission flow, and what our own server reports.
//!
//! [`matching`] says which call an event is about. Knows no list and no order of items: it says which calls are new,
//! have changed, or took another's place.

mod known_calls;
mod matching;

use siderail_event::{
    EventBody, GuidanceChannel, OwnToolStatus, OwnToolView, PermissionApproved, PermissionDenied,
    PermissionRequest, ToolCallStatus, ToolCallView,
};
use siderail_guard::Tool;

use super::item::{Call, Denial};
use super::item_words::CallStatus;
use super::text::{DIFF, TEXT, TITLE, capped, shortened};
use known_calls::{Known, KnownCalls};
use matching::Asked;

/// What an input has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A call that was not known.
    New(u64),
    /// More is known of it.
    Changed(u64),
    /// One call took the place of another, which had been denied.
    Joined { denied: u64, instead: u64 },
}

/// The calls that may still get events.
#[derive(Debug, Default)]
pub(super) struct Calls {
    known: KnownCalls,
    /// Guidance ahead of its denial.
    guidance: Vec<Guidance>,
    /// Denied calls whose replacement is known to come, and its tool.
    awaited: Vec<(String, u64)>,
    changes: Vec<Change>,
}

#[derive(Debug)]
struct Guidance {
    request_id: u64,
    text: String,
    channel: GuidanceChannel,
    instead: Option<String>,
}

/// What names new calls, and the time.
pub(super) struct Now<'a> {
    pub(super) next_id: &'a mut u64,
    /// The engine's clock; none for what happened long ago.
    pub(super) time: Option<f64>,
}

impl Calls {
    /// What is known of a call.
    pub(super) fn call(&self, id: u64) -> Option<&Call> {
        Some(&self.known.get(id)?.call)
    }

    /// Whether it is of an earlier conversation.
    pub(super) fn is_past(&self, id: u64) -> bool {
        self.known.get(id).is_some_and(|known| known.is_past)
    }

    /// Whether it looked at something and nothing is to be said of it but that.
    pub(super) fn is_quiet_look(&self, id: u64) -> bool {
        let Some(known) = self.known.get(id) else {
            return false;
        };
        let call = &known.call;
        let is_plain = call.denial.is_none() && call.diff.is_none() && call.diffs.is_empty();
        let looks = call.kind.action().looks() || call.tool_of_ours().is_some_and(Tool::only_looks);
        call.status == CallStatus::Done
            && is_plain
            && call.command.is_none()
            && !known.took_a_place
            && looks
    }

    /// Takes an event; what it changes is returned in order. Events that say nothing of calls change nothing.
    pub(super) fn event(&mut self, body: &EventBody, mut now: Now<'_>) -> Vec<Change> {
        match body {
            EventBody::ToolCall(call) => self.tool_call(call, &mut now),
            EventBody::OwnTool(call) => self.own_tool(call, &mut now),
            EventBody::PermissionRequest(request) => self.requested(request, now.time),
            EventBody::PreRejectionGuidance(it) => self.guidance.push(Guidance {
                request_id: it.request_id,
                text: capped(&it.text, TEXT),
                channel: it.channel,
                instead: it.instead.clone(),
            }),
            EventBody::PermissionDenied(denied) => self.denied(denied, &mut now),
            EventBody::PermissionApproved(approved) => self.approved(approved, now.time),
            EventBody::GuidanceReceipt(it) => self.denial(it.request_id, |denial| {
                denial.receipt = Some(it.receipt);
                denial.channel = Some(it.channel);
            }),
            EventBody::GuidanceFollowed(it) => self.followed(it.request_id, &it.tool),
            EventBody::GuidanceIgnored(it) => {
                self.denial(it.request_id, |denial| denial.is_followed = Some(false));
            }
            _ => {}
        }
        std::mem::take(&mut self.changes)
    }

    /// Calls that are open at the end of a turn count as cancelled, unless the agent still says how they ended.
    pub(super) fn end_turn(&mut self, time: Option<f64>) -> Vec<Change> {
        for id in self.known.open() {
            if let Some(known) = self.known.get_mut(id) {
                known.call.status = CallStatus::Cancelled;
                self.changed(id, time);
            }
        }
        self.guidance.clear();
        self.awaited.clear();
        std::mem::take(&mut self.changes)
    }

    /// Another turn begins. Calls that will get no more events are forgotten, except those that are needed.
    pub(super) fn begin_turn(&mut self, is_needed: impl Fn(u64) -> bool) {
        self.known.begin_turn(is_needed);
    }

    /// The session is over, or another begins: the numbers of requests mean nothing any more.
    pub(super) fn forget_requests(&mut self) {
        self.known.forget_requests();
    }

    fn new_call(&mut self, now: &mut Now<'_>) -> u64 {
        let id = *now.next_id;
        *now.next_id += 1;
        let known = Known {
            began: now.time,
            is_recent: true,
            is_past: now.time.is_none(),
            ..Known::default()
        };
        self.known.add(id, known);
        self.changes.push(Change::New(id));
        id
    }

    fn changed(&mut self, id: u64, time: Option<f64>) {
        let Some(known) = self.known.get_mut(id) else {
            return;
        };
        if !known.call.status.is_open() && known.call.seconds.is_none() {
            let took = known.began.zip(time).map(|(began, now)| now - began);
            known.call.seconds = took.map(|took| took.max(0.0) as u64);
        }
        if !self.changes.contains(&Change::New(id)) {
            self.changes.push(Change::Changed(id));
        }
    }

    fn tool_call(&mut self, told: &ToolCallView, now: &mut Now<'_>) {
        let found = matching::announced(&self.known, told);
        let id = found.unwrap_or_else(|| self.new_call(now));
        let Some(known) = self.known.get_mut(id) else {
            return;
        };
        known.name(&told.tool_call_id);
        known.is_recent = true;
        let is_at_server = known.own_call.is_some();
        let call = &mut known.call;
        if call.tool.is_empty() || !is_at_server {
            call.tool.clone_from(&told.tool);
        }
        call.kind = (&told.kind).into();
        if !call.is_described {
            call.title = capped(&told.title, TITLE);
            let command = told.command.as_deref();
            call.command = command
                .map(|command| capped(command, TEXT))
                .or(call.command.take());
        }
        // An agent says less about a call that came to nothing than the request that was denied.
        if !told.paths.is_empty() || !is_at_server && call.denial.is_none() {
            call.paths.clone_from(&told.paths);
        }
        call.is_own |= told.own;
        call.diffs = told.diffs.iter().map(shortened).collect();
        if !told.text.is_empty() && call.diff.is_none() {
            call.output = capped(&told.text, TEXT);
        }
        call.status = status(&told.status, call);
        self.changed(id, now.time);
    }

    fn own_tool(&mut self, told: &OwnToolView, now: &mut Now<'_>) {
        let found = matching::at_server(&self.known, told);
        let id = found.unwrap_or_else(|| {
            let id = self.new_call(now);
            let kind = told.tool.known().map(Tool::kind);
            if let (Some(known), Some(kind)) = (self.known.get_mut(id), kind) {
                known.call.kind = kind.into();
            }
            id
        });
        let at = self
            .awaited
            .iter()
            .position(|(tool, _)| tool == told.tool.as_str());
        let denied = at.map(|at| self.awaited.swap_remove(at).1);
        let Some(known) = self.known.get_mut(id) else {
            return;
        };
        known.is_recent = true;
        known.own_call = Some(told.call);
        let call = &mut known.call;
        told.tool.as_str().clone_into(&mut call.tool);
        call.is_own = true;
        call.is_at_server = true;
        call.status = match told.status {
            OwnToolStatus::Started => CallStatus::Running,
            OwnToolStatus::Completed => CallStatus::Done,
            OwnToolStatus::Failed => CallStatus::Failed,
            OwnToolStatus::Denied => CallStatus::Denied,
            OwnToolStatus::Cancelled => CallStatus::Cancelled,
        };
        if told.status == OwnToolStatus::Started {
            call.title = capped(&told.text, TITLE);
            call.is_described = true;
        } else {
            call.output = capped(&told.text, TEXT);
        }
        if !told.paths.is_empty() {
            call.paths.clone_from(&told.paths);
        }
        if let Some(diff) = &told.diff {
            call.diff = Some(capped(diff, DIFF));
        }
        self.changed(id, now.time);
        if let Some(denied) = denied {
            self.join(denied, id);
        }
    }

    fn requested(&mut self, request: &PermissionRequest, time: Option<f64>) {
        let asked = Asked::from(request);
        let Some(id) = self.asked_about(&asked) else {
            return;
        };
        let Some(known) = self.known.get_mut(id) else {
            return;
        };
        if asked.is_own {
            // At our own gate it is known what the call is about, whatever the agent called it.
            match known.call.tool_of_ours() {
                Some(Tool::RunCommand) => known.call.command = Some(capped(asked.text, TEXT)),
                _ => known.call.title = capped(asked.text, TITLE),
            }
            known.call.is_described = true;
        }
        if request.asks {
            known.call.status = CallStatus::Asking;
        }
        self.changed(id, time);
    }

    /// The call that a permission request belongs to.
    fn asked_about(&mut self, asked: &Asked<'_>) -> Option<u64> {
        // Another run counts its requests from 1 again, and a saved conversation may be of several.
        let is_recent = |id: &u64| {
            self.known.get(*id).is_some_and(|known| {
                known.is_recent || !known.is_past && known.call.status.is_open()
            })
        };
        let known = self.known.of_request(asked.request_id).filter(is_recent);
        known.or_else(|| {
            let id = matching::asked_about(&self.known, asked)?;
            self.known.get_mut(id)?.ask(asked.request_id);
            Some(id)
        })
    }

    /// A denied request of a call that was never announced is a call by itself.
    fn denied(&mut self, denied: &PermissionDenied, now: &mut Now<'_>) {
        let asked = Asked::from(denied);
        let id = self.asked_about(&asked).unwrap_or_else(|| {
            let id = self.new_call(now);
            if let Some(known) = self.known.get_mut(id) {
                asked.tool.clone_into(&mut known.call.tool);
                known.call.kind.clone_from(asked.kind);
                asked.paths.clone_into(&mut known.call.paths);
                asked
                    .tool_call_id
                    .iter()
                    .for_each(|call_id| known.name(call_id));
                known.ask(asked.request_id);
            }
            id
        });
        let at = self
            .guidance
            .iter()
            .position(|guidance| guidance.request_id == asked.request_id);
        let guidance = at.map(|at| self.guidance.swap_remove(at));
        if let Some(known) = self.known.get_mut(id) {
            known.call.status = CallStatus::Denied;
            known.call.denial = Some(Denial {
                by: denied.by,
                reason: asked.text.to_owned(),
                channel: guidance.as_ref().map(|guidance| guidance.channel),
                instead: guidance
                    .as_ref()
                    .and_then(|guidance| guidance.instead.clone()),
                guidance: guidance.map(|guidance| guidance.text).unwrap_or_default(),
                receipt: None,
                is_followed: None,
            });
        }
        self.changed(id, now.time);
    }

    fn approved(&mut self, approved: &PermissionApproved, time: Option<f64>) {
        let Some(id) = self.asked_about(&Asked::from(approved)) else {
            return;
        };
        if let Some(known) = self.known.get_mut(id) {
            known.call.approved_by = Some(approved.by);
            // The time that a person took to decide does not count.
            if known.call.status == CallStatus::Asking {
                known.began = time;
            }
            if known.call.status.is_open() {
                known.call.status = CallStatus::Running;
            }
        }
        self.changed(id, time);
    }

    fn denial(&mut self, request_id: u64, change: impl FnOnce(&mut Denial)) {
        let Some(id) = self.known.of_request(request_id) else {
            return;
        };
        let known = self.known.get_mut(id);
        if let Some(denial) = known.and_then(|known| known.call.denial.as_mut()) {
            change(denial);
            self.changes.push(Change::Changed(id));
        }
    }

    /// The model has called the tool that guidance named: both are one from now on.
    fn followed(&mut self, request_id: u64, tool: &str) {
        self.denial(request_id, |denial| denial.is_followed = Some(true));
        let Some(denied) = self.known.of_request(request_id) else {
            return;
        };
        let may_join = |known: &Known| known.call.denial.is_some() && !known.is_replaced;
        if !self.known.get(denied).is_some_and(may_join) {
            return;
        }
        let is_it = |known: &Known| {
            known.call.is_own && known.call.tool == tool && known.call.status.is_open()
        };
        match self.known.last(is_it).filter(|id| *id > denied) {
            Some(instead) => self.join(denied, instead),
            None => self.awaited.push((tool.to_owned(), denied)),
        }
    }

    fn join(&mut self, denied: u64, instead: u64) {
        let is_taken = |known: &Known| known.took_a_place;
        let knows_both = self.known.get(denied).is_some() && denied != instead;
        if !knows_both || self.known.get(instead).is_none_or(is_taken) {
            return;
        }
        if let Some(known) = self.known.get_mut(denied) {
            known.is_replaced = true;
        }
        if let Some(known) = self.known.get_mut(instead) {
            known.took_a_place = true;
        }
        self.changes.push(Change::Joined { denied, instead });
    }
}

#[cfg(test)]
impl Calls {
    pub(super) fn n_kept(&self) -> usize {
        self.known.len()
    }
}

fn status(told: &ToolCallStatus, call: &Call) -> CallStatus {
    match told {
        _ if call.denial.is_some() => CallStatus::Denied,
        ToolCallStatus::Completed => CallStatus::Done,
        ToolCallStatus::Failed => CallStatus::Failed,
        ToolCallStatus::Cancelled => CallStatus::Cancelled,
        _ if call.status == CallStatus::Asking => CallStatus::Asking,
        ToolCallStatus::InProgress => CallStatus::Running,
        _ if call.status == CallStatus::Running => CallStatus::Running,
        _ => CallStatus::Pending,
    }
}
