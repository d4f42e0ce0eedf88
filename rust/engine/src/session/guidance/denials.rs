//! Denials: announced and counted once, whichever channel reported the call first; the reason is put on the best way to
//! the model, and followed up.
//!
//! Whether something is denied is decided in [`crate::session::permissions`]. Inputs give [`Effect`]s; this outlives the
//! agent's process, and knows no session and no process.

use std::collections::BTreeMap;
use std::sync::Arc;

use siderail_guard::Tool;
use siderail_guard::decision::{Decision, Reason};
use siderail_guard::denial::{DenialTracker, Effects, Escalation};
use siderail_guard::guidance;

use crate::delivery::{Continuation, Delivery, Guidance};
use crate::event::{
    self, DeniedBy, EventBody, GuidanceChannel, GuidanceFollowed, GuidanceIgnored, GuidanceReceipt,
    Nudge, PreRejectionGuidance, Receipt, ReceiptCounts,
};
use crate::session::agent_facts::AgentFacts;
use crate::session::effect::Effect;
use crate::session::guidance::channels::Way;
use crate::session::guidance::decline::Decline;
use crate::session::prompt_turn::denied_calls::Seen;
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::question::RequestedAction;

/// What a denial meets when it happens.
pub(in crate::session) struct Moment {
    /// The agent, and the policy for it.
    pub(in crate::session) facts: Arc<AgentFacts>,
    /// Number of the prompt turn; 0 before the first.
    pub(in crate::session) turn: u32,
    /// The agent's own API is at hand.
    pub(in crate::session) has_api: bool,
    /// The agent advertises `_session/steering`.
    pub(in crate::session) steers: bool,
    /// A reason that waits goes as a notification, too (ladder step 7).
    pub(in crate::session) sends_messages: bool,
}

/// All denials of a session.
pub(in crate::session) struct Denials {
    pub(in crate::session) tracker: DenialTracker,
    pub(in crate::session) delivery: Delivery,
    by_tool: BTreeMap<String, u32>,
    /// An action that was allowed only to be refused ran without coming to us: it is rejected from now on.
    pub(in crate::session) refusal_failed: bool,
}

impl Denials {
    /// None yet.
    pub(in crate::session) fn new(tracker: DenialTracker) -> Self {
        Self {
            tracker,
            delivery: Delivery::default(),
            by_tool: BTreeMap::new(),
            refusal_failed: false,
        }
    }

    /// A denial that guidance explains; `way`: how its text goes out. The text.
    pub(in crate::session) fn by_policy(
        &mut self,
        turn: &mut TurnDenials,
        moment: &Moment,
        requested: &RequestedAction,
        decision: &Decision,
        way: Way,
    ) -> (String, Vec<Effect>) {
        let counted = self.count(moment.turn, &requested.tool);
        let mut text = decision.guidance.clone().unwrap_or_default();
        let escalation = counted.escalation.as_ref().map(|e| &e.text);
        for more in [escalation, counted.nudge.as_ref()].into_iter().flatten() {
            text = format!("{text} {more}");
        }
        let (names, instead) = (&moment.facts.names, decision.instead);
        let channel = way.channel(&moment.facts.profile);
        let mut effects = vec![Effect::emit(EventBody::PreRejectionGuidance(
            PreRejectionGuidance {
                request_id: requested.request_id,
                tool_call_id: requested.tool_call_id.clone(),
                tool: requested.tool.clone(),
                kind: requested.kind.clone(),
                channel,
                text: text.clone(),
                instead: instead.map(|tool| names.as_seen(tool)),
            },
        ))];
        let why = moment.facts.by_policy(&why_denied(decision));
        effects.push(self.announce(requested, DeniedBy::Policy, &why));
        effects.extend(self.counted(requested, counted));
        let guidance = Guidance {
            request_id: requested.request_id,
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            instead,
            // Some agents name the project's folder with every command: that is not a path to follow.
            paths: (requested.paths.iter().filter(|path| *path != "."))
                .cloned()
                .collect(),
            channel,
            text: text.clone(),
            turn: moment.turn,
        };
        effects.extend(self.put_on(way, guidance, turn));
        (text, effects)
    }

    /// A denial by the person, or because nobody could be asked. `text` is what the model is to read, if
    /// anything; with the tracker's words it comes back for its way.
    pub(in crate::session) fn by_person(
        &mut self,
        turn: &mut TurnDenials,
        moment: &Moment,
        requested: &RequestedAction,
        (no, text): (&Decline, Option<String>),
        way: Way,
    ) -> (Option<String>, Vec<Effect>) {
        let counted = self.count(moment.turn, &requested.tool);
        let escalation = counted.escalation.as_ref().map(|e| e.text.clone());
        let parts = [text, escalation, counted.nudge.clone()];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let mut effects = vec![self.announce(requested, no.by(), &no.for_people())];
        effects.extend(self.counted(requested, counted));
        turn.remember(requested, Seen::Request, &text);
        if text.is_empty() {
            return (None, effects);
        }
        let guidance = Guidance {
            request_id: requested.request_id,
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            instead: None,
            paths: requested.paths.clone(),
            channel: way.channel(&moment.facts.profile),
            text: text.clone(),
            turn: moment.turn,
        };
        effects.extend(self.put_on(way, guidance, turn));
        (Some(text), effects)
    }

    /// Announces and counts a denial.
    pub(in crate::session) fn announce(
        &mut self,
        requested: &RequestedAction,
        by: DeniedBy,
        text: &str,
    ) -> Effect {
        *self.by_tool.entry(requested.tool.clone()).or_default() += 1;
        Effect::emit(requested.denied_event(by, text))
    }

    /// Denials are counted in turns: before the first one, and for a client without turns, nothing adds up.
    fn count(&mut self, turn: u32, tool: &str) -> Effects {
        match turn {
            0 => Effects::default(),
            _ => self.tracker.on_denial(tool),
        }
    }

    /// Says what the count led to.
    fn counted(&self, requested: &RequestedAction, counted: Effects) -> Vec<Effect> {
        let denials = self.tracker.consecutive();
        let nudge = counted.nudge;
        let nudge = nudge.map(|text| Effect::emit(EventBody::Nudge(Nudge { denials, text })));
        let escalation = counted.escalation.map(|escalation| {
            let Escalation {
                scope,
                denials,
                text,
                ..
            } = escalation;
            Effect::emit(EventBody::Escalation(event::Escalation {
                tool: requested.tool.clone(),
                scope: scope.into(),
                denials,
                text,
            }))
        });
        nudge.into_iter().chain(escalation).collect()
    }

    /// A program was refused access, as its last words say. Without a turn nothing adds up.
    pub(in crate::session) fn access_failed(
        &mut self,
        turn: u32,
        output: &str,
        command: Option<&str>,
    ) -> Option<Effect> {
        if turn == 0 {
            return None;
        }
        let text = self.tracker.on_failure(output, command).nudge?;
        let denials = self.tracker.consecutive();
        self.delivery.note(text.clone());
        Some(Effect::emit(EventBody::Nudge(Nudge { denials, text })))
    }

    /// Registers guidance as sent, or as waiting.
    fn put_on(&mut self, way: Way, guidance: Guidance, turn: &mut TurnDenials) -> Vec<Effect> {
        if matches!(way, Way::Waits | Way::Api | Way::Steering) {
            turn.reject_stands = true;
        }
        let ignored = match way {
            Way::Waits => self.delivery.waits(guidance),
            _ => self.delivery.sent(guidance),
        };
        tell_ignored(&ignored)
    }

    /// A channel's receipt for guidance that went out by it, where one is awaited.
    pub(in crate::session) fn receipt(
        &mut self,
        request_id: u64,
        receipt: Receipt,
    ) -> Option<Effect> {
        let guidance = self.delivery.receipt(request_id, receipt)?;
        Some(tell_receipt(&guidance, receipt))
    }

    /// A way's receipt. What it did not carry waits for the next own result or prompt, in this channel.
    pub(in crate::session) fn way_ended(
        &mut self,
        request_id: u64,
        delivered: bool,
        waiting: GuidanceChannel,
    ) -> Option<Effect> {
        if delivered {
            return self.receipt(request_id, Receipt::Delivered);
        }
        let guidance = self.delivery.receipt(request_id, Receipt::Failed)?;
        let effect = tell_receipt(&guidance, Receipt::Failed);
        self.delivery.requeue(guidance, waiting);
        Some(effect)
    }

    /// The reason went as a notification, too (ladder step 7): few agents read it, so that it still waits.
    pub(in crate::session) fn sent_as_message(&mut self, request_id: u64, tool: String) -> Effect {
        let channel = GuidanceChannel::Message;
        self.delivery.sent_besides(channel);
        Effect::emit(EventBody::GuidanceReceipt(GuidanceReceipt {
            request_id,
            tool,
            channel,
            receipt: Receipt::NoReceipt,
            text: String::new(),
        }))
    }

    /// A call ran: true where it was to be refused here and did not come to us. That way is closed for this session.
    pub(in crate::session) fn ran(
        &mut self,
        turn: &mut TurnDenials,
        call_id: &str,
    ) -> (bool, Option<Effect>) {
        let Some(request_id) = turn.refused.ran(call_id) else {
            return (false, None);
        };
        self.refusal_failed = true;
        (true, self.receipt(request_id, Receipt::Failed))
    }

    /// A new turn: what was to be refused and never came is over, without a receipt.
    pub(in crate::session) fn close_refusals(&mut self, turn: &mut TurnDenials) -> Vec<Effect> {
        let over = turn.refused.settle().into_iter();
        over.filter_map(|request_id| self.receipt(request_id, Receipt::NoReceipt))
            .collect()
    }

    /// The user sends a prompt: counts and continuations begin anew.
    pub(in crate::session) fn user_prompt(&mut self) {
        self.delivery.user_prompt();
        self.tracker.on_user_prompt();
        self.tracker.reset_turn();
    }

    /// A call arrived at our server: it may be what guidance asked for.
    pub(in crate::session) fn own_call(
        &mut self,
        tool: Tool,
        path: Option<&str>,
    ) -> Option<Effect> {
        let guidance = self.delivery.own_call(tool, path)?;
        Some(Effect::emit(EventBody::GuidanceFollowed(
            GuidanceFollowed {
                request_id: guidance.request_id,
                tool: tool.name().to_owned(),
                kind: guidance.kind,
                channel: guidance.channel,
            },
        )))
    }

    /// What precedes an own result (ladder step 6), and what to report once it went.
    pub(in crate::session) fn ahead_of_result(&mut self) -> (Vec<String>, Vec<Effect>) {
        let carried = self.delivery.take_notice();
        let mut notices = self.delivery.take_notes();
        notices.extend((carried.iter()).map(|carried| guidance::notice(&carried.text)));
        (notices, tell_receipts(&carried, Receipt::Delivered))
    }

    /// A prompt turn ended.
    pub(in crate::session) fn turn_ended(&mut self, turn: u32) -> Vec<Effect> {
        tell_ignored(&self.delivery.turn_ended(turn))
    }

    /// Whether the agent is to be sent on with what it has not heard.
    pub(in crate::session) fn continuation(&mut self) -> Continuation {
        self.delivery.continuation()
    }

    /// Guidance that found no way to the model comes too late: another task is on, or none.
    pub(in crate::session) fn drop_waiting(&mut self) -> Vec<Effect> {
        tell_receipts(&self.delivery.drop_waiting(), Receipt::Failed)
    }

    /// The session ends.
    pub(in crate::session) fn ended(&mut self) -> Vec<Effect> {
        let (ignored, _never_arrived) = self.delivery.ended();
        tell_ignored(&ignored)
    }

    /// How many denials there were of each tool.
    pub(in crate::session) fn by_tool(&self) -> &BTreeMap<String, u32> {
        &self.by_tool
    }

    /// Receipts per channel.
    pub(in crate::session) fn receipts(&self) -> BTreeMap<GuidanceChannel, ReceiptCounts> {
        self.delivery.counts()
    }
}

/// Reports what became of guidance that waited.
pub(in crate::session) fn tell_receipts(guidance: &[Guidance], receipt: Receipt) -> Vec<Effect> {
    let told = guidance.iter();
    told.map(|carried| tell_receipt(carried, receipt)).collect()
}

fn tell_receipt(guidance: &Guidance, receipt: Receipt) -> Effect {
    Effect::emit(EventBody::GuidanceReceipt(GuidanceReceipt {
        request_id: guidance.request_id,
        tool: guidance.tool.clone(),
        channel: guidance.channel,
        receipt,
        text: String::new(),
    }))
}

fn tell_ignored(ignored: &[Guidance]) -> Vec<Effect> {
    let told = ignored.iter().map(|guidance| {
        EventBody::GuidanceIgnored(GuidanceIgnored {
            request_id: guidance.request_id,
            tool: guidance.tool.clone(),
            kind: guidance.kind.clone(),
            channel: guidance.channel,
        })
    });
    told.map(Effect::emit).collect()
}

/// Why the policy denied it, for a person.
fn why_denied(decision: &Decision) -> String {
    match (decision.reason, decision.instead) {
        (Reason::ShellAbuse, Some(tool)) => format!("{tool} does what this command does"),
        (_, Some(tool)) => format!("{tool} does this"),
        (reason, None) => reason.id().replace('_', " "),
    }
}
