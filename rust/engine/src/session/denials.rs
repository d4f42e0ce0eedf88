//! Denials: announced and counted once, whoever saw the call first.

use std::time::{Duration, Instant};

use siderail_guard::decision::Decision;
use siderail_guard::denial::{Effects, Escalation};
use siderail_guard::{Action, Identity};

use super::Session;
use super::arbiter::Subject;
use super::ladder::Way;
use crate::delivery::Guidance;
use crate::engine::Shelf;
use crate::event::EventBody;

/// A denial seen by the hook and asked for again within this time is the same call.
const SAME_CALL: Duration = Duration::from_secs(5);

/// A denial of the last seconds, so that hook and permission request count once.
pub(crate) struct Denied {
    call_id: Option<String>,
    fingerprint: String,
    at: Instant,
}

impl Session {
    /// A denial that guidance explains. `way`: how its text goes out.
    pub(super) fn deny_with_guidance(
        &mut self,
        subject: &Subject,
        decision: &Decision,
        way: Way,
        shelf: &mut Shelf,
    ) -> String {
        let effects = self.tracker.on_denial(&subject.tool);
        let mut text = decision.guidance.clone().unwrap_or_default();
        let escalation = effects.escalation.as_ref().map(|e| &e.text);
        for more in [escalation, effects.nudge.as_ref()].into_iter().flatten() {
            text = format!("{text} {more}");
        }
        let channel = self.channel_of(way);
        let instead = decision.instead;
        let body = EventBody::PreRejectionGuidance {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            channel: channel.to_owned(),
            text: text.clone(),
            instead: instead.map(|tool| self.names.as_seen(tool)),
        };
        self.emit(body, shelf);
        self.denied_event(subject, "policy", decision.reason.id(), shelf);
        self.tracker_events(subject, effects, shelf);
        let guidance = Guidance {
            request_id: subject.request_id,
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            instead: instead.map(str::to_owned),
            // Some agents name the project's folder with every command: that is no path to follow.
            paths: subject
                .paths
                .iter()
                .filter(|path| *path != ".")
                .cloned()
                .collect(),
            channel: channel.to_owned(),
            text: text.clone(),
            turn: self.turn,
        };
        self.put_on(way, guidance, shelf);
        text
    }

    /// A denial by the person, or because nobody could be asked. `text` is what the model is to read, if
    /// anything; with the tracker's words it comes back for its way.
    pub(super) fn denied_by_person(
        &mut self,
        subject: &Subject,
        by: &str,
        text: Option<String>,
        way: Way,
        shelf: &mut Shelf,
    ) -> Option<String> {
        let effects = self.tracker.on_denial(&subject.tool);
        let escalation = effects.escalation.as_ref().map(|e| e.text.clone());
        let parts = [text, escalation, effects.nudge.clone()];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        self.denied_event(subject, by, &text, shelf);
        self.tracker_events(subject, effects, shelf);
        if text.is_empty() {
            return None;
        }
        let guidance = Guidance {
            request_id: subject.request_id,
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            instead: None,
            paths: subject.paths.clone(),
            channel: self.channel_of(way).to_owned(),
            text: text.clone(),
            turn: self.turn,
        };
        self.put_on(way, guidance, shelf);
        Some(text)
    }

    fn tracker_events(&self, subject: &Subject, effects: Effects, shelf: &mut Shelf) {
        if let Some(text) = effects.nudge {
            let denials = self.tracker.consecutive();
            self.emit(EventBody::Nudge { denials, text }, shelf);
        }
        if let Some(Escalation { denials, text, .. }) = effects.escalation {
            let tool = subject.tool.clone();
            self.emit(
                EventBody::Escalation {
                    tool,
                    denials,
                    text,
                },
                shelf,
            );
        }
    }

    pub(super) fn denied_event(
        &mut self,
        subject: &Subject,
        by: &str,
        text: &str,
        shelf: &mut Shelf,
    ) {
        *self.n_denials.entry(subject.tool.clone()).or_default() += 1;
        let body = EventBody::PermissionDenied {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            by: by.to_owned(),
            text: text.to_owned(),
            paths: subject.paths.clone(),
        };
        self.emit(body, shelf);
    }

    pub(super) fn ignored(&self, ignored: &[Guidance], shelf: &mut Shelf) {
        for guidance in ignored {
            let body = EventBody::GuidanceIgnored {
                request_id: guidance.request_id,
                tool: guidance.tool.clone(),
                kind: guidance.kind.clone(),
                channel: guidance.channel.clone(),
            };
            self.emit(body, shelf);
        }
    }

    pub(super) fn remember_denied(&mut self, action: &Action, call_id: Option<String>) {
        let at = Instant::now();
        self.denied
            .retain(|d| at.duration_since(d.at) < SAME_CALL || d.call_id.is_some());
        self.denied.push(Denied {
            call_id,
            fingerprint: fingerprint(action),
            at,
        });
    }

    /// True when the guard denied this call of the agent.
    pub(super) fn is_denied_call(&self, call_id: &str) -> bool {
        self.denied
            .iter()
            .any(|d| d.call_id.as_deref() == Some(call_id))
    }

    pub(super) fn was_denied(&self, call_id: Option<&str>, action: &Action) -> bool {
        let print = fingerprint(action);
        self.denied.iter().any(|d| match (&d.call_id, call_id) {
            (Some(a), Some(b)) => a == b,
            _ => d.fingerprint == print && d.at.elapsed() < SAME_CALL,
        })
    }
}

fn fingerprint(action: &Action) -> String {
    let what = match (&action.identity, &action.command) {
        (_, Some(command)) => command.clone(),
        (Identity::OwnTool(tool), None) => tool.clone(),
        (_, None) => action.kind.as_str().to_owned(),
    };
    let mut paths = action.paths.clone();
    paths.sort();
    paths.dedup();
    format!("{what} {}", paths.join(" "))
}
