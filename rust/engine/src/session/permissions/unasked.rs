//! What an agent does through the client without having asked: decided like any other action, with nobody to ask.

use serde_json::Value;
use siderail_guard::Action;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::normalize;

use crate::event::{ApprovedBy, DeniedBy, Receipt, RequestChannel};
use crate::session::Session;
use crate::session::guidance::ways::Way;
use crate::session::permissions::judge::{Judge, Judged};
use crate::shared::Shared;

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

impl Session {
    /// The reason for the model, if a read may not be that our own tool would ask about.
    pub(in crate::session) fn settle_read(
        &mut self,
        judged: Judged,
        shared: &mut Shared,
    ) -> Option<String> {
        let mut refused = self.settle_unasked(judged, Unasked::Read, shared)?;
        if shared.offered.contains(&"intellij_read_file") {
            refused.push_str(", or call intellij_read_file, which asks");
        }
        Some(refused)
    }

    /// The reason for the model, if this may not be.
    pub(in crate::session) fn settle_unasked(
        &mut self,
        judged: Judged,
        what: Unasked,
        shared: &mut Shared,
    ) -> Option<String> {
        let Judged {
            decision,
            mut requested,
        } = judged;
        requested.request_id = shared.request_number();
        self.announce_request(&requested, &[], false, shared);
        match (decision.verdict, self.carried.options.answer) {
            (Verdict::Allow, _) => {
                self.approved(&requested, ApprovedBy::Policy, shared);
                None
            }
            (Verdict::Ask, Some(true)) => {
                self.approved(&requested, ApprovedBy::Setting, shared);
                None
            }
            (Verdict::Deny, _) => {
                let text = self.deny_with_guidance(&requested, &decision, Way::Refusal, shared);
                self.receipt(requested.request_id, Receipt::Delivered, shared);
                Some(text)
            }
            (Verdict::Ask, _) => {
                let text = what.refusal();
                let why = self.facts.by_policy(text);
                let by = DeniedBy::Policy;
                let denied = self.carried.denials.announce(&requested, by, &why);
                self.apply([denied], shared);
                Some(format!("{text}; ask for permission first"))
            }
        }
    }
}
