//! Tracks guidance: which texts still wait for a way to the model, and whether the model followed them.
//!
//! Plain data with inputs and outputs. It sends nothing and knows no agent; the session does the sending
//! and reports back. A guidance text is *open* from its denial until the model follows or ignores it.

use std::collections::BTreeMap;

use siderail_guard::Tool;

use crate::event::{ActionWord, GuidanceChannel, Receipt, ReceiptCounts};

/// Continuation prompts for one user prompt.
pub(crate) const MAX_CONTINUATIONS: u32 = 3;

/// A guidance text after its denial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guidance {
    /// The denied request.
    pub(crate) request_id: u64,
    /// The denied tool.
    pub(crate) tool: String,
    /// What was denied: `edit`, `read_file` …
    pub(crate) kind: ActionWord,
    /// Our tool that the text names.
    pub(crate) instead: Option<Tool>,
    /// Project-relative paths of the action.
    pub(crate) paths: Vec<String>,
    /// The channel that carried or is to carry it.
    pub(crate) channel: GuidanceChannel,
    /// The text.
    pub(crate) text: String,
    /// The prompt turn of the denial.
    pub(crate) turn: u32,
}

/// Bookkeeping of a session's guidance.
#[derive(Default)]
pub(crate) struct Delivery {
    /// Not yet followed or ignored, oldest first.
    open: Vec<Guidance>,
    /// Not yet before the model, oldest first.
    waiting: Vec<Guidance>,
    /// Words for the model that no denial waits for; they go with the next notice.
    notes: Vec<String>,
    /// Sent by a channel that has not said yet whether it arrived, by request number.
    unconfirmed: BTreeMap<u64, Guidance>,
    /// Receipts per channel, for the summary.
    counts: BTreeMap<GuidanceChannel, ReceiptCounts>,
    followed: u32,
    ignored: u32,
    /// Continuations since the last user prompt.
    continuations: u32,
}

impl Delivery {
    /// Guidance that went out by a channel whose receipt is still to come; earlier open guidance of that
    /// kind counts as ignored.
    pub(crate) fn sent(&mut self, guidance: Guidance) -> Vec<Guidance> {
        self.unconfirmed
            .insert(guidance.request_id, guidance.clone());
        self.opened(guidance)
    }

    /// A way failed: the text waits for another one.
    pub(crate) fn requeue(&mut self, mut guidance: Guidance, channel: GuidanceChannel) {
        guidance.channel = channel;
        self.waiting.push(guidance);
    }

    /// The channel's receipt for what was sent; the guidance, if it was awaited.
    pub(crate) fn receipt(&mut self, request_id: u64, receipt: Receipt) -> Option<Guidance> {
        let guidance = self.unconfirmed.remove(&request_id)?;
        self.count(guidance.channel, receipt);
        Some(guidance)
    }

    /// Guidance that waits for a notice or a continuation.
    pub(crate) fn waits(&mut self, guidance: Guidance) -> Vec<Guidance> {
        self.waiting.push(guidance.clone());
        self.opened(guidance)
    }

    fn opened(&mut self, guidance: Guidance) -> Vec<Guidance> {
        if guidance.instead.is_none() {
            return Vec::new();
        }
        let ignored = self.settle(|open| open.kind == guidance.kind);
        self.open.push(guidance);
        ignored
    }

    /// A call arrived at our server: the guidance that it follows, if any.
    pub(crate) fn own_call(&mut self, tool: Tool, path: Option<&str>) -> Option<Guidance> {
        let at = self.open.iter().position(|open| {
            open.instead == Some(tool)
                && (open.paths.is_empty()
                    || path.is_none_or(|p| open.paths.iter().any(|q| same_path(p, q))))
        })?;
        self.followed += 1;
        Some(self.open.remove(at))
    }

    /// A prompt turn ended: guidance of an earlier turn that was not followed is ignored now.
    pub(crate) fn turn_ended(&mut self, turn: u32) -> Vec<Guidance> {
        self.settle(|open| open.turn < turn)
    }

    /// The session ends: whatever is open was ignored, whatever waits never arrived.
    pub(crate) fn ended(&mut self) -> (Vec<Guidance>, Vec<Guidance>) {
        let waiting = std::mem::take(&mut self.waiting);
        for guidance in &waiting {
            self.count(guidance.channel, Receipt::Failed);
        }
        for (_, guidance) in std::mem::take(&mut self.unconfirmed) {
            self.count(guidance.channel, Receipt::NoReceipt);
        }
        (self.settle(|_| true), waiting)
    }

    fn settle(&mut self, over: impl Fn(&Guidance) -> bool) -> Vec<Guidance> {
        let (ignored, open) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|g| over(g));
        self.open = open;
        let ignored: Vec<Guidance> = ignored;
        self.ignored += u32::try_from(ignored.len()).unwrap_or(u32::MAX);
        ignored
    }

    /// A word for the model that is worth no prompt of its own.
    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// The words that go with the next notice.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Everything that waits, for a notice ahead of an own tool's result; counted as carried by it.
    pub(crate) fn take_notice(&mut self) -> Vec<Guidance> {
        let mut taken = std::mem::take(&mut self.waiting);
        for guidance in &mut taken {
            guidance.channel = GuidanceChannel::Notice;
            self.count(GuidanceChannel::Notice, Receipt::Delivered);
        }
        taken
    }

    /// The task that waiting guidance belonged to is over: what never got to the model.
    pub(crate) fn drop_waiting(&mut self) -> Vec<Guidance> {
        self.notes.clear();
        let dropped = std::mem::take(&mut self.waiting);
        for guidance in &dropped {
            self.count(guidance.channel, Receipt::Failed);
        }
        dropped
    }

    /// A new user prompt: continuations start anew.
    pub(crate) fn user_prompt(&mut self) {
        self.continuations = 0;
    }

    /// The turn has ended; what a continuation prompt has to say, if one is due and still allowed.
    pub(crate) fn continuation(&mut self) -> Continuation {
        if self.waiting.is_empty() {
            return Continuation::NotNeeded;
        }
        if self.continuations >= MAX_CONTINUATIONS {
            return Continuation::Exhausted(self.continuations);
        }
        self.continuations += 1;
        let mut taken = std::mem::take(&mut self.waiting);
        for guidance in &mut taken {
            guidance.channel = GuidanceChannel::Continuation;
            self.count(GuidanceChannel::Continuation, Receipt::Delivered);
        }
        Continuation::Due {
            attempt: self.continuations,
            guidance: taken,
        }
    }

    /// A text that also went by a channel that never answers.
    pub(crate) fn sent_besides(&mut self, channel: GuidanceChannel) {
        self.count(channel, Receipt::NoReceipt);
    }

    /// Counts one receipt.
    fn count(&mut self, channel: GuidanceChannel, receipt: Receipt) {
        let counts = self.counts.entry(channel).or_default();
        match receipt {
            Receipt::Delivered => counts.delivered += 1,
            Receipt::NoReceipt => counts.no_receipt += 1,
            Receipt::Failed => counts.failed += 1,
        }
    }

    /// Receipts per channel.
    pub(crate) fn counts(&self) -> BTreeMap<GuidanceChannel, ReceiptCounts> {
        self.counts.clone()
    }

    /// Followed and ignored.
    pub(crate) fn outcome(&self) -> (u32, u32) {
        (self.followed, self.ignored)
    }
}

/// What step 5 of the ladder says after a turn.
#[derive(Debug, PartialEq)]
pub(crate) enum Continuation {
    /// Nothing waits.
    NotNeeded,
    /// Send this one.
    Due {
        /// Number since the user prompt.
        attempt: u32,
        /// What it has to say.
        guidance: Vec<Guidance>,
    },
    /// So many were sent already.
    Exhausted(u32),
}

fn same_path(a: &str, b: &str) -> bool {
    let clean = |p: &str| p.trim_start_matches("./").replace('\\', "/");
    let (a, b) = (clean(a), clean(b));
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(request_id: u64, turn: u32) -> Guidance {
        Guidance {
            request_id,
            tool: "edit".to_owned(),
            kind: "edit".into(),
            instead: Some(Tool::WriteFile),
            paths: vec!["src/A.java".to_owned()],
            channel: GuidanceChannel::Hook,
            text: "use it".to_owned(),
            turn,
        }
    }

    #[test]
    fn a_second_denial_of_the_kind_makes_the_first_guidance_ignored() {
        let mut d = Delivery::default();
        assert!(d.sent(edit(1, 1)).is_empty());
        assert_eq!(d.sent(edit(2, 1))[0].request_id, 1);
        assert_eq!(
            d.own_call(Tool::WriteFile, Some("src/A.java"))
                .unwrap()
                .request_id,
            2
        );
        assert_eq!(d.outcome(), (1, 1));
    }

    #[test]
    fn another_path_or_tool_is_not_following() {
        let mut d = Delivery::default();
        d.sent(edit(1, 1));
        assert!(d.own_call(Tool::ReadFile, Some("src/A.java")).is_none());
        assert!(d.own_call(Tool::WriteFile, Some("src/B.java")).is_none());
        assert!(d.turn_ended(1).is_empty(), "the next turn may still follow");
        assert_eq!(d.turn_ended(2).len(), 1);
    }

    #[test]
    fn waiting_guidance_goes_by_notice_or_by_at_most_three_continuations() {
        let mut d = Delivery::default();
        d.waits(edit(1, 1));
        assert_eq!(d.take_notice().len(), 1);
        assert_eq!(d.continuation(), Continuation::NotNeeded);
        for attempt in 1..=MAX_CONTINUATIONS {
            d.waits(edit(2, attempt));
            assert!(
                matches!(d.continuation(), Continuation::Due { attempt: a, .. } if a == attempt)
            );
        }
        d.waits(edit(9, 9));
        assert_eq!(d.continuation(), Continuation::Exhausted(3));
        d.user_prompt();
        assert!(matches!(
            d.continuation(),
            Continuation::Due { attempt: 1, .. }
        ));
        assert_eq!(d.counts()[&GuidanceChannel::Continuation].delivered, 4);
    }
}
