//! What an agent's pre-tool hook is answered about a denied call. Plain data; it knows no session.

use siderail_guard::Action;

use crate::session::effect::Effect;
use crate::session::guidance::channels::Way;
use crate::session::guidance::denials::{Denials, Moment};
use crate::session::permissions::judge::Judged;
use crate::session::prompt_turn::PromptTurn;
use crate::session::prompt_turn::denied_calls::Seen;

/// The reason with which a call is denied in the hook, and the denial that it is for: none where that was counted before.
pub(in crate::session) struct DeniedInHook {
    pub(in crate::session) text: String,
    pub(in crate::session) request_id: Option<u64>,
}

impl DeniedInHook {
    /// The guard denies a call that the hook is asked about. `call_id`: the agent's id, where it is named; `number` gives
    /// one for a denial that is new.
    pub(in crate::session) fn new(
        (call_id, action, judged): (Option<&str>, &Action, Judged),
        number: impl FnOnce() -> u64,
        turn: &mut PromptTurn,
        denials: &mut Denials,
        moment: &Moment,
    ) -> (Self, Vec<Effect>) {
        let Judged {
            decision,
            mut requested,
        } = judged;
        let turn = &mut turn.denials;
        if let Some(before) = turn.before(call_id, action, Seen::Hook) {
            let text = match before.text.as_str() {
                "" => decision.guidance.unwrap_or_default(),
                _ => before.text,
            };
            let request_id = None;
            return (Self { text, request_id }, Vec::new());
        }
        requested.request_id = number();
        let mut effects = vec![Effect::emit(requested.request_event(&[], false))];
        // The receipt follows when the relay has read the answer.
        let (text, denied) = denials.by_policy(turn, moment, &requested, &decision, Way::Hook);
        effects.extend(denied);
        turn.remember(&requested, Seen::Hook, &text);
        let request_id = Some(requested.request_id);
        (Self { text, request_id }, effects)
    }
}
