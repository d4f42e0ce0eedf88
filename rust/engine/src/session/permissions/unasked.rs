//! What an agent does through the client without having asked: decided like any other action, with nobody to ask.

use serde_json::Value;
use siderail_guard::Action;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::normalize;

use crate::event::{ApprovedBy, DeniedBy, Receipt, RequestChannel};
use crate::session::effect::Effect;
use crate::session::guidance::channels::Way;
use crate::session::guidance::denials::{Denials, Moment};
use crate::session::permissions::judge::{Judge, Judged};
use crate::session::prompt_turn::PromptTurn;

/// What came without a permission request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Unasked {
    /// A file is to be written.
    Write,
    /// A protected file is to be read.
    Read,
    /// A command is to be run.
    Command,
}

impl Unasked {
    fn channel(self) -> RequestChannel {
        match self {
            Self::Write | Self::Read => RequestChannel::Fs,
            Self::Command => RequestChannel::Terminal,
        }
    }

    fn refusal(self) -> &'static str {
        match self {
            Self::Write => "a write that nobody was asked about is not performed",
            Self::Read => "a file in that place is read only after the user was asked",
            Self::Command => "a command that nobody was asked about is not run",
        }
    }
}

impl Judge {
    /// What came without a permission request. `call`: it in the form of a tool call.
    pub(in crate::session) fn unasked(&self, call: &Value, what: Unasked) -> Judged {
        self.action(&self.action_in(call), None, what.channel())
    }

    /// A read that our own tool would ask about, as its gate says.
    pub(in crate::session) fn unasked_read(&self, call: &Value, decision: Decision) -> Judged {
        let channel = Unasked::Read.channel();
        let requested = self.requested(&self.action_in(call), &decision, None, channel);
        Judged {
            decision,
            requested,
        }
    }

    fn action_in(&self, call: &Value) -> Action {
        let names = self.of.facts.agent_names(&self.of.offered);
        normalize::update(call, &self.of.root, &names)
    }
}

impl Unasked {
    /// What becomes of it. The reason for the model, if it may not be. `answer`: what settles every question.
    pub(in crate::session) fn settle(
        self,
        judged: &Judged,
        answer: Option<bool>,
        turn: &mut PromptTurn,
        denials: &mut Denials,
        moment: &Moment,
    ) -> (Option<String>, Vec<Effect>) {
        let Judged {
            decision,
            requested,
        } = judged;
        let mut effects = vec![Effect::emit(requested.request_event(&[], false))];
        let approved = match (decision.verdict, answer) {
            (Verdict::Allow, _) => Some(ApprovedBy::Policy),
            (Verdict::Ask, Some(true)) => Some(ApprovedBy::Setting),
            _ => None,
        };
        if let Some(by) = approved {
            effects.push(turn.approve(requested, by));
            return (None, effects);
        }
        if decision.verdict == Verdict::Deny {
            let (way, turn) = (Way::Refusal, &mut turn.denials);
            let (text, denied) = denials.by_policy(turn, moment, requested, decision, way);
            effects.extend(denied);
            effects.extend(denials.receipt(requested.request_id, Receipt::Delivered));
            return (Some(text), effects);
        }
        let text = self.refusal();
        let why = moment.facts.by_policy(text);
        effects.push(denials.announce(requested, DeniedBy::Policy, &why));
        (Some(format!("{text}; ask for permission first")), effects)
    }
}
