//! The end of a prompt turn: what the agent's answer says, and what may follow. Plain data; it knows no session.

use serde_json::value::RawValue;
use siderail_acp::prompt::{PromptResult, TurnUsage};
use siderail_acp::wire::{RpcError, codes};
use siderail_traffic::acp_words;

use crate::delivery::Guidance;
use crate::event::{EventBody, PromptOrigin, StopReason, TurnEnded};
use crate::session::effect::Effect;
use crate::session::prompt_turn::PromptTurn;
use crate::session::prompt_turn::prompt::{Prompt, Sent};

/// The agent's answer to a prompt.
pub(in crate::session) struct Answer {
    pub(in crate::session) stop_reason: StopReason,
    pub(in crate::session) error: Option<RpcError>,
    pub(in crate::session) usage: Option<TurnUsage>,
}

impl Answer {
    pub(in crate::session) fn read(outcome: Result<Box<RawValue>, RpcError>) -> Self {
        let (reason, error, usage) = match outcome {
            Ok(result) => {
                let result = PromptResult::read(&result);
                match acp_words::stop_reason(&result.stop_reason) {
                    StopReason::Unknown(word) if word.is_empty() => {
                        (StopReason::Error, Some(no_stop_reason()), result.usage)
                    }
                    reason => (reason, None, result.usage),
                }
            }
            Err(e) if e.code == codes::REQUEST_CANCELLED => (StopReason::Cancelled, None, None),
            Err(e) => (StopReason::Error, Some(e), None),
        };
        Self {
            stop_reason: reason,
            error,
            usage,
        }
    }

    pub(in crate::session) fn lacks_login(&self) -> bool {
        let error = self.error.as_ref();
        error.is_some_and(|error| error.code == codes::AUTH_REQUIRED)
    }
}

/// What stands for an answer to a prompt that says nothing of how the turn ended.
fn no_stop_reason() -> RpcError {
    RpcError::new(
        codes::INVALID_PARAMS,
        "the agent's answer to the prompt has no stopReason",
    )
}

/// A turn that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) struct Ended {
    /// Why it was cancelled, if it was.
    pub(in crate::session) cancelled: Option<StopReason>,
    pub(in crate::session) stop_reason: StopReason,
    has_failed: bool,
}

/// What an answer that wants a login meets.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::session) struct LoginContext {
    /// A person is there to be asked.
    pub(in crate::session) asks_person: bool,
    /// The plan of the prompt was turned down.
    pub(in crate::session) is_plan_dropped: bool,
    /// An ACP client is behind the host, which sees to logins itself.
    pub(in crate::session) has_client: bool,
}

impl PromptTurn {
    /// Whether a host that tidies does so before the turn ends, so that this belongs to what the turn has changed; not where
    /// guidance may send the agent on.
    pub(in crate::session) fn is_tidied(&self, has_changed: bool) -> bool {
        has_changed && !self.denials.reject_stands
    }

    /// Whether its prompt failed for want of a login. One that nobody wants any more needs none, nor one whose plan is
    /// turned down.
    pub(in crate::session) fn needs_login(&self, answer: &Answer, context: LoginContext) -> bool {
        let is_over = context.is_plan_dropped && context.asks_person;
        let is_unwanted = self.running.cancelling.is_some() || is_over;
        answer.lacks_login() && !is_unwanted && !context.has_client
    }

    /// The user cancels: no other plan is wanted any more.
    pub(in crate::session) fn cancelled_by_user(&mut self) {
        if self.running.cancelling == Some(StopReason::PlanRejected) {
            self.running.cancelling = Some(StopReason::Cancelled);
        }
    }

    /// It ends for this reason while its prompt is in no agent's hands.
    pub(in crate::session) fn ends_unsent(&mut self, why: StopReason) -> Effect {
        self.stop_reason = Some(why.clone());
        turn_ended(why, false, None)
    }

    /// Whether nobody knows what the agent would have done in a turn that ends for this reason. An agent may cancel its
    /// turn by itself after a no, with whatever it had begun beside it.
    pub(in crate::session) fn is_cut_off(&self, reason: &StopReason) -> bool {
        let gave_up = *reason == StopReason::Cancelled && self.denials.reject_stands;
        self.running.cancelling.is_some() || gave_up
    }

    /// The turn ends, as the agent says for this reason, and with it what was allowed in it.
    pub(in crate::session) fn end(&mut self, reason: StopReason, has_failed: bool) -> Ended {
        let cancelled = std::mem::take(&mut self.running).cancelling;
        let stop_reason = cancelled.clone().unwrap_or(reason);
        self.stop_reason = Some(stop_reason.clone());
        Ended {
            cancelled,
            stop_reason,
            has_failed,
        }
    }
}

impl Ended {
    /// True for a turn that the agent itself brought to its end.
    pub(in crate::session) fn is_well(&self) -> bool {
        use StopReason as R;
        let is_own = matches!(
            self.stop_reason,
            R::EndTurn | R::MaxTokens | R::MaxTurnRequests
        );
        is_own && !self.has_failed
    }

    /// Whether every question is closed with it, and calls are ended; else the agent's own requests alone.
    pub(in crate::session) fn closes_all(&self, is_closing: bool) -> bool {
        self.cancelled.is_some() || is_closing
    }

    /// Whether guidance may send the agent on. What it went on after by itself is no reason to.
    pub(in crate::session) fn may_continue(&self, rejection_ended_it: bool) -> bool {
        self.cancelled.is_none() && !self.has_failed && rejection_ended_it
    }

    /// Whether a plan that the turn was to bring, or that was turned down in it, still matters.
    pub(in crate::session) fn keeps_plan(&self) -> bool {
        matches!(self.cancelled, None | Some(StopReason::PlanRejected))
    }
}

/// Tells that a turn has ended. `continues`: the next one belongs to the same task.
pub(in crate::session) fn turn_ended(
    stop_reason: StopReason,
    continues: bool,
    text: Option<String>,
) -> Effect {
    Effect::emit(EventBody::TurnEnded(TurnEnded {
        stop_reason,
        continues,
        text,
    }))
}

/// The prompt by which the agent hears of denials that have ended its turn.
pub(in crate::session) fn continuation(waiting: &[Guidance]) -> Prompt {
    let mut texts: Vec<&str> = waiting.iter().map(|g| g.text.as_str()).collect();
    texts.dedup();
    Prompt {
        text: siderail_guard::guidance::continuation(&texts.join(" ")),
        origin: PromptOrigin::Continuation,
        sent: Sent::default(),
        plan: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json, value::to_raw_value};

    fn answer(result: &Value) -> Answer {
        Answer::read(Ok(to_raw_value(result).expect("JSON")))
    }

    fn cancelled(why: Option<StopReason>) -> PromptTurn {
        let mut turn = PromptTurn::default();
        turn.running.cancelling = why;
        turn
    }

    #[test]
    fn an_answer_says_why_the_turn_ended_or_that_it_does_not() {
        let done = answer(&json!({"stopReason": "end_turn", "usage": {"totalTokens": 3}}));
        assert_eq!(
            (done.stop_reason.as_str(), done.error.is_none()),
            ("end_turn", true)
        );
        assert_eq!(done.usage.map(|usage| usage.total), Some(3));
        let silent = answer(&json!({}));
        let text = silent.error.expect("an error").to_string();
        assert!(
            silent.stop_reason == StopReason::Error && text.contains("no stopReason"),
            "{text}"
        );
        let refused = |code| Answer::read(Err(RpcError::new(code, "no")));
        let cancelled = refused(codes::REQUEST_CANCELLED);
        assert!(cancelled.stop_reason == StopReason::Cancelled && cancelled.error.is_none());
        assert!(refused(codes::AUTH_REQUIRED).lacks_login());
        let failed = refused(codes::INTERNAL_ERROR);
        assert!(failed.stop_reason == StopReason::Error && !failed.lacks_login());
    }

    #[test]
    fn a_login_is_needed_only_for_a_prompt_that_is_still_wanted() {
        let unlogged = Answer::read(Err(RpcError::new(codes::AUTH_REQUIRED, "no")));
        let context = LoginContext::default();
        let turn = PromptTurn::default();
        assert!(turn.needs_login(&unlogged, context));
        let well = answer(&json!({"stopReason": "end_turn"}));
        assert!(!turn.needs_login(&well, context));
        let dropped = |asks_person| LoginContext {
            is_plan_dropped: true,
            asks_person,
            ..context
        };
        assert!(!turn.needs_login(&unlogged, dropped(true)));
        assert!(
            turn.needs_login(&unlogged, dropped(false)),
            "nobody turned it down"
        );
        let has_client = true;
        assert!(!turn.needs_login(
            &unlogged,
            LoginContext {
                has_client,
                ..context
            }
        ));
        let turn = cancelled(Some(StopReason::Cancelled));
        assert!(!turn.needs_login(&unlogged, context));
    }

    #[test]
    fn a_host_tidies_what_a_turn_has_changed_unless_the_agent_may_be_sent_on() {
        let mut turn = PromptTurn::default();
        assert!(turn.is_tidied(true) && !turn.is_tidied(false));
        turn.denials.reject_stands = true;
        assert!(!turn.is_tidied(true));
    }

    #[test]
    fn a_cancel_by_the_user_wants_no_other_plan() {
        let after = |why: Option<StopReason>| {
            let mut turn = cancelled(why);
            turn.cancelled_by_user();
            turn.running.cancelling
        };
        assert_eq!(
            after(Some(StopReason::PlanRejected)),
            Some(StopReason::Cancelled)
        );
        assert_eq!(
            after(Some(StopReason::Inactivity)),
            Some(StopReason::Inactivity)
        );
        assert_eq!(after(None), None);
    }

    #[test]
    fn a_turn_that_was_never_sent_ends_for_its_reason_and_nothing_follows() {
        let mut turn = PromptTurn::default();
        let Effect::Emit(told) = turn.ends_unsent(StopReason::Cancelled) else {
            panic!("it is told");
        };
        let (stop_reason, continues, text) = (StopReason::Cancelled, false, None);
        let ended = EventBody::TurnEnded(TurnEnded {
            stop_reason,
            continues,
            text,
        });
        assert_eq!(
            (*told, turn.stop_reason),
            (ended, Some(StopReason::Cancelled))
        );
    }

    #[test]
    fn why_a_turn_was_cancelled_counts_more_than_what_the_agent_says() {
        let mut turn = cancelled(Some(StopReason::Inactivity));
        assert!(turn.is_cut_off(&StopReason::EndTurn));
        let ended = turn.end(StopReason::EndTurn, false);
        assert_eq!(
            (&ended.cancelled, &ended.stop_reason),
            (&Some(StopReason::Inactivity), &StopReason::Inactivity)
        );
        assert_eq!(turn.stop_reason, Some(StopReason::Inactivity));
        assert!(
            !turn.is_cut_off(&StopReason::EndTurn),
            "the next one is not cancelled"
        );
        assert!(!ended.is_well() && !ended.may_continue(true) && !ended.keeps_plan());
        assert!(ended.closes_all(false));
    }

    #[test]
    fn an_agent_that_gives_up_after_a_no_was_cut_off_and_may_be_sent_on() {
        let mut turn = PromptTurn::default();
        assert!(
            !turn.is_cut_off(&StopReason::Cancelled),
            "nothing was rejected"
        );
        turn.denials.reject_stands = true;
        assert!(turn.is_cut_off(&StopReason::Cancelled) && !turn.is_cut_off(&StopReason::EndTurn));
        let ended = turn.end(StopReason::Cancelled, false);
        assert!(ended.may_continue(true) && !ended.may_continue(false) && !ended.is_well());
        assert!(!ended.closes_all(false) && ended.closes_all(true));
    }

    #[test]
    fn a_turn_ends_well_by_the_agents_own_will_and_without_an_error() {
        let is_well =
            |reason: &str, failed| PromptTurn::default().end(reason.into(), failed).is_well();
        let well = ["end_turn", "max_tokens", "max_turn_requests"];
        assert!(well.iter().all(|reason| is_well(reason, false)));
        let not = ["refusal", "cancelled", "error", "unheard_of"];
        assert!(!not.iter().any(|reason| is_well(reason, false)));
        assert!(!is_well("end_turn", true));
    }

    #[test]
    fn a_plan_outlives_its_turn_unless_the_person_cancels() {
        let keeps = |why| cancelled(why).end(StopReason::EndTurn, false).keeps_plan();
        assert!(keeps(None) && keeps(Some(StopReason::PlanRejected)));
        assert!(!keeps(Some(StopReason::Cancelled)) && !keeps(Some(StopReason::Inactivity)));
    }
}
