//! Denials: announced and counted once, whoever saw the call first.

use std::time::Instant;

use siderail_guard::decision::{Decision, Reason};
use siderail_guard::denial::{Effects, Escalation};
use siderail_guard::{Action, Identity, guidance};

use crate::delivery::Guidance;
use crate::event::{DeniedBy, EventBody};
use crate::session::Session;
use crate::session::guidance::denied_calls::{Before, Denied, Seen};
use crate::session::guidance::ways::Way;
use crate::session::permissions::question::RequestedAction;
use crate::shared::Shared;

/// A no where the policy leaves it open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) enum No {
    /// A person's, with a reason that may be empty.
    Person(String),
    /// That of a setting, which answers every question.
    Setting,
    /// Nobody is there to be asked.
    Nobody,
}

impl No {
    /// A no as the host hands it over.
    pub(in crate::session) fn told(reason: String, nobody: bool) -> Self {
        match nobody {
            true => Self::Nobody,
            false => Self::Person(reason),
        }
    }

    /// Who it is, for events.
    fn by(&self) -> DeniedBy {
        match self {
            Self::Person(_) => DeniedBy::User,
            Self::Setting => DeniedBy::Setting,
            Self::Nobody => DeniedBy::NoTerminal,
        }
    }

    /// True where there is nothing to say but no.
    pub(in crate::session) fn is_bare(&self) -> bool {
        matches!(self, Self::Person(reason) if reason.trim().is_empty())
    }

    /// Who said no and why, to stand behind "denied".
    fn for_people(&self) -> String {
        match self {
            Self::Person(reason) if reason.trim().is_empty() => {
                "by the user, without a reason".to_owned()
            }
            Self::Person(reason) => format!("by the user: {}", reason.trim()),
            Self::Setting => "because `answer` is `deny`; nobody was asked".to_owned(),
            Self::Nobody => "because nobody could be asked".to_owned(),
        }
    }

    /// The same for the model.
    pub(in crate::session) fn for_model(&self, tool: &str) -> String {
        match self {
            Self::Person(reason) => guidance::denied_by_person(tool, reason.trim()),
            Self::Setting => guidance::denied_by_setting(tool),
            Self::Nobody => guidance::nobody_to_ask(tool),
        }
    }
}

impl Session {
    /// A denial that guidance explains. `way`: how its text goes out.
    pub(in crate::session) fn deny_with_guidance(
        &mut self,
        requested: &RequestedAction,
        decision: &Decision,
        way: Way,
        shared: &mut Shared,
    ) -> String {
        let effects = self.count_denial(&requested.tool);
        let mut text = decision.guidance.clone().unwrap_or_default();
        let escalation = effects.escalation.as_ref().map(|e| &e.text);
        for more in [escalation, effects.nudge.as_ref()].into_iter().flatten() {
            text = format!("{text} {more}");
        }
        let channel = self.channel_of(way);
        let instead = decision.instead;
        let body = EventBody::PreRejectionGuidance {
            request_id: requested.request_id,
            tool_call_id: requested.tool_call_id.clone(),
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            channel,
            text: text.clone(),
            instead: instead.map(|tool| self.facts.names.as_seen(tool)),
        };
        self.emit(body, shared);
        let why = self.why_denied(decision);
        self.denied_event(requested, DeniedBy::Policy, &why, shared);
        self.tracker_events(requested, effects, shared);
        let guidance = Guidance {
            request_id: requested.request_id,
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            instead: instead.map(str::to_owned),
            // Some agents name the project's folder with every command: that is no path to follow.
            paths: requested
                .paths
                .iter()
                .filter(|path| *path != ".")
                .cloned()
                .collect(),
            channel,
            text: text.clone(),
            turn: self.carried.n_turns,
        };
        self.put_on(way, guidance, shared);
        text
    }

    /// A denial by the person, or because nobody could be asked. `text` is what the model is to read, if
    /// anything; with the tracker's words it comes back for its way.
    pub(in crate::session) fn denied_by_person(
        &mut self,
        requested: &RequestedAction,
        no: &No,
        text: Option<String>,
        way: Way,
        shared: &mut Shared,
    ) -> Option<String> {
        let effects = self.count_denial(&requested.tool);
        let escalation = effects.escalation.as_ref().map(|e| e.text.clone());
        let parts = [text, escalation, effects.nudge.clone()];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        self.denied_event(requested, no.by(), &no.for_people(), shared);
        self.tracker_events(requested, effects, shared);
        self.remember_denied(requested, Seen::Request, &text);
        if text.is_empty() {
            return None;
        }
        let guidance = Guidance {
            request_id: requested.request_id,
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            instead: None,
            paths: requested.paths.clone(),
            channel: self.channel_of(way),
            text: text.clone(),
            turn: self.carried.n_turns,
        };
        self.put_on(way, guidance, shared);
        Some(text)
    }

    /// Denials are counted in turns: before the first one, and for a client without turns, nothing adds up.
    fn count_denial(&mut self, tool: &str) -> Effects {
        if self.carried.n_turns == 0 {
            return Effects::default();
        }
        self.carried.tracker.on_denial(tool)
    }

    /// Which policy denied it and why, for a person.
    fn why_denied(&self, decision: &Decision) -> String {
        let why = match (decision.reason, decision.instead) {
            (Reason::ShellAbuse, Some(tool)) => format!("{tool} does what this command does"),
            (_, Some(tool)) => format!("{tool} does this"),
            (reason, None) => reason.id().replace('_', " "),
        };
        self.by_policy(&why)
    }

    /// A reason of the policy in force, by its name.
    pub(in crate::session) fn by_policy(&self, why: &str) -> String {
        format!("by the policy `{}`: {why}", self.facts.policy.as_str())
    }

    fn tracker_events(&self, requested: &RequestedAction, effects: Effects, shared: &mut Shared) {
        if let Some(text) = effects.nudge {
            let denials = self.carried.tracker.consecutive();
            self.emit(EventBody::Nudge { denials, text }, shared);
        }
        if let Some(Escalation {
            scope,
            denials,
            text,
            ..
        }) = effects.escalation
        {
            let tool = requested.tool.clone();
            self.emit(
                EventBody::Escalation {
                    tool,
                    scope: scope.into(),
                    denials,
                    text,
                },
                shared,
            );
        }
    }

    /// Announces and counts a denial.
    pub(in crate::session) fn denied_event(
        &mut self,
        requested: &RequestedAction,
        by: DeniedBy,
        text: &str,
        shared: &mut Shared,
    ) {
        *self
            .carried
            .n_denials
            .entry(requested.tool.clone())
            .or_default() += 1;
        self.question_closed(requested, by, text, shared);
    }

    /// Announces that a question is closed without a yes. Nobody said no, so that it is no denial to count.
    pub(in crate::session) fn question_closed(
        &self,
        requested: &RequestedAction,
        by: DeniedBy,
        text: &str,
        shared: &mut Shared,
    ) {
        let body = EventBody::PermissionDenied {
            request_id: requested.request_id,
            tool_call_id: requested.tool_call_id.clone(),
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            by,
            text: text.to_owned(),
            paths: requested.paths.clone(),
        };
        self.emit(body, shared);
    }

    pub(in crate::session) fn ignored(&self, ignored: &[Guidance], shared: &mut Shared) {
        for guidance in ignored {
            let body = EventBody::GuidanceIgnored {
                request_id: guidance.request_id,
                tool: guidance.tool.clone(),
                kind: guidance.kind.clone(),
                channel: guidance.channel,
            };
            self.emit(body, shared);
        }
    }

    pub(in crate::session) fn remember_denied(
        &mut self,
        requested: &RequestedAction,
        seen_by: Seen,
        text: &str,
    ) {
        self.turn.denied.add(Denied {
            call_id: requested.tool_call_id.clone(),
            fingerprint: requested.fingerprint.clone(),
            seen_by,
            text: text.to_owned(),
            at: Instant::now(),
        });
    }

    /// The denial of this call, where it has been denied already.
    pub(in crate::session) fn denied_before(
        &mut self,
        call_id: Option<&str>,
        action: &Action,
        seen_by: Seen,
    ) -> Option<Before> {
        let (print, now) = (fingerprint(action), Instant::now());
        self.turn.denied.meet(call_id, &print, seen_by, now)
    }

    /// True when this call of the agent was denied.
    pub(in crate::session) fn is_denied_call(&self, call_id: &str) -> bool {
        self.turn.denied.holds(call_id)
    }

    /// True when the end of this call is that of a denied one, as far as can be told.
    pub(in crate::session) fn was_denied(&self, call_id: &str, action: &Action) -> bool {
        let (print, now) = (fingerprint(action), Instant::now());
        self.turn.denied.may_be(call_id, &print, now)
    }
}

/// What tells an action from others where no id does.
pub(in crate::session) fn fingerprint(action: &Action) -> String {
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
