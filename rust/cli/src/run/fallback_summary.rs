//! What a run knows by itself, for a summary when the engine gives none.
//!
//! It only adds up what events have said; the engine's own summary is better wherever there is one.

use std::time::Duration;

use super::plan_question::Changed;
use siderail_engine::event::{
    CountedOver, EVENT_VERSION, Escalation, Event, EventBody, GuidanceReceipt, Hidden,
    OwnToolStatus, PermissionDenied, Receipt, StopReason, Summary, ToolCallStatus, ToolCallView,
    ToolKind, TurnEnded,
};

/// The sum of the events so far.
#[derive(Default)]
pub(crate) struct FallbackSummary {
    summary: Summary,
    /// Files that the agent's own finished calls say they have changed.
    changed_by_agent: Vec<String>,
    seq: u64,
    t: f64,
    turn: u32,
    session: u64,
}

impl FallbackSummary {
    /// Nothing is known but the agent's name.
    pub(crate) fn of(agent: &str, session: u64) -> Self {
        let summary = Summary {
            agent: agent.to_owned(),
            ..Summary::default()
        };
        Self {
            summary,
            session,
            ..Self::default()
        }
    }

    /// The same under the agent's name, where it was learned late.
    pub(crate) fn named(mut self, agent: &str) -> Self {
        agent.clone_into(&mut self.summary.agent);
        self
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, event: &Event) {
        (self.seq, self.t, self.turn) = (event.seq, event.t, event.turn);
        let summary = &mut self.summary;
        match &event.body {
            EventBody::Hidden(Hidden { tools }) => summary.hidden.clone_from(tools),
            EventBody::TurnStarted(_) => summary.turns += 1,
            EventBody::TurnEnded(TurnEnded { stop_reason, .. }) => {
                summary.stop_reason.clone_from(stop_reason)
            }
            EventBody::PermissionDenied(PermissionDenied { tool, .. }) => {
                *summary.denials.entry(tool.clone()).or_default() += 1;
            }
            EventBody::GuidanceReceipt(GuidanceReceipt {
                channel, receipt, ..
            }) => {
                let counts = summary.guidance.entry(*channel).or_default();
                match receipt {
                    Receipt::Delivered => counts.delivered += 1,
                    Receipt::NoReceipt => counts.no_receipt += 1,
                    Receipt::Failed => counts.failed += 1,
                }
            }
            EventBody::GuidanceFollowed(_) => summary.followed += 1,
            EventBody::GuidanceIgnored(_) => summary.ignored += 1,
            EventBody::Escalation(Escalation { scope, .. }) => match scope {
                CountedOver::Turn => summary.escalations.turn += 1,
                CountedOver::Session => summary.escalations.session += 1,
            },
            EventBody::Unguarded(_) => summary.unguarded = true,
            EventBody::OwnTool(call) if call.status == OwnToolStatus::Completed => {
                for path in &call.paths {
                    if !summary.files_written.contains(path) {
                        summary.files_written.push(path.clone());
                    }
                }
            }
            EventBody::ToolCall(call) if call.status == ToolCallStatus::Completed && !call.own => {
                self.changed_by_agent.extend(changed_by(call));
            }
            _ => {}
        }
    }

    /// What has been changed so far, as far as events say.
    pub(crate) fn changed(&self) -> Changed {
        let mut files = self.summary.files_written.clone();
        for file in &self.changed_by_agent {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        Changed {
            files,
            unguarded: self.summary.unguarded,
        }
    }

    /// The summary that the engine has not given.
    pub(crate) fn summary(mut self, stop_reason: StopReason, elapsed: Duration) -> Event {
        let duration = (elapsed.as_secs_f64() * 1000.0).round() / 1000.0;
        let judged = self.summary.followed + self.summary.ignored;
        self.summary.stop_reason = stop_reason;
        self.summary.duration_s = duration;
        self.summary.redirect_rate =
            (judged > 0).then(|| f64::from(self.summary.followed) / f64::from(judged));
        Event {
            v: EVENT_VERSION,
            seq: self.seq + 1,
            t: self.t.max(duration),
            session: self.session,
            turn: self.turn,
            body: EventBody::Summary(self.summary),
        }
    }
}

/// The files that a call of the agent's own has changed, as far as it says.
fn changed_by(call: &ToolCallView) -> Vec<String> {
    let diffs = call.diffs.iter().map(|diff| diff.path.clone());
    let is_change = matches!(
        call.kind,
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move
    );
    let named = call.paths.iter().filter(|_| is_change).cloned();
    diffs.chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_agents_own_tools_changed_is_among_what_is_changed() {
        let mut fallback = FallbackSummary::of("claude", 1);
        let lines = [
            r#"{"v":1,"seq":1,"t":0.5,"session":1,"turn":1,"event":"TOOL_CALL","tool_call_id":"1","tool":"Edit","kind":"edit","status":"completed","title":"","paths":["a.rs"],"diffs":[{"path":"a.rs","old_text":"a","new_text":"b"}]}"#,
            r#"{"v":1,"seq":2,"t":0.5,"session":1,"turn":1,"event":"TOOL_CALL","tool_call_id":"2","tool":"Edit","kind":"edit","status":"failed","title":"","paths":["b.rs"]}"#,
            r#"{"v":1,"seq":3,"t":0.5,"session":1,"turn":1,"event":"TOOL_CALL","tool_call_id":"3","tool":"Read","kind":"read","status":"completed","title":"","paths":["c.rs"]}"#,
            r#"{"v":1,"seq":4,"t":0.6,"session":1,"turn":1,"event":"UNGUARDED","text":"x"}"#,
        ];
        for line in lines {
            fallback.event(&serde_json::from_str(line).unwrap());
        }
        let changed = fallback.changed();
        assert!(changed.unguarded);
        assert_eq!(changed.files, ["a.rs"]);
    }

    #[test]
    fn a_run_whose_engine_went_away_still_sums_up_what_was_seen() {
        let mut fallback = FallbackSummary::of("claude", 1);
        let lines = [
            r#"{"v":1,"seq":1,"t":0.5,"session":1,"turn":0,"event":"HIDDEN","tools":["Bash"]}"#,
            r#"{"v":1,"seq":2,"t":0.6,"session":1,"turn":1,"event":"TURN_STARTED","origin":"user","text":"x"}"#,
            r#"{"v":1,"seq":3,"t":0.7,"session":1,"turn":1,"event":"PERMISSION_DENIED","request_id":1,"tool_call_id":null,"tool":"Edit","kind":"edit","by":"policy","text":"","paths":[]}"#,
            r#"{"v":1,"seq":4,"t":0.8,"session":1,"turn":1,"event":"GUIDANCE_RECEIPT","request_id":1,"tool":"Edit","channel":"hook","receipt":"delivered"}"#,
            r#"{"v":1,"seq":5,"t":0.9,"session":1,"turn":1,"event":"GUIDANCE_FOLLOWED","request_id":1,"tool":"w","kind":"edit","channel":"hook"}"#,
            r#"{"v":1,"seq":6,"t":1.0,"session":1,"turn":1,"event":"OWN_TOOL","call":1,"tool":"w","status":"completed","text":"","paths":["a.rs"]}"#,
        ];
        for line in lines {
            fallback.event(&serde_json::from_str(line).unwrap());
        }
        let event = fallback.summary(StopReason::Timeout, Duration::from_millis(2500));
        assert_eq!((event.seq, event.t, event.turn), (7, 2.5, 1));
        let EventBody::Summary(summary) = event.body else {
            panic!("no summary")
        };
        assert_eq!(summary.stop_reason, StopReason::Timeout);
        assert_eq!(summary.denials["Edit"], 1);
        assert_eq!(
            summary.guidance[&siderail_engine::event::GuidanceChannel::Hook].delivered,
            1
        );
        assert_eq!((summary.turns, summary.redirect_rate), (1, Some(1.0)));
        assert_eq!(
            (summary.files_written, summary.hidden),
            (vec!["a.rs".to_owned()], vec!["Bash".to_owned()])
        );
    }
}
