//! What follows a prompt turn that has ended: guidance that sends the agent on, the next step of a plan, or the next prompt
//! that waits. Plain data; it knows no session.

use crate::delivery::Continuation;
use crate::event::EventBody;
use crate::planning::{AfterTurn, Planning};
use crate::session::effect::Effect;
use crate::session::guidance::denials::Denials;
use crate::session::prompt_turn::ending::Ended;

/// What the end of a turn meets.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct TurnContext {
    /// The session stays open.
    pub(in crate::session) is_ready: bool,
    /// The agent has not gone on after what was denied.
    pub(in crate::session) reject_stands: bool,
    /// Its prompt is sent again after a login.
    pub(in crate::session) sent_again: bool,
}

/// What follows.
pub(in crate::session) struct Follows {
    /// Whether guidance is the next prompt.
    pub(in crate::session) continuation: Continuation,
    /// What becomes of a plan.
    pub(in crate::session) plan: AfterTurn,
    /// The steps of the work, where the turn has ended one.
    pub(in crate::session) steps: Option<Effect>,
    /// Whether the next turn belongs to the same task.
    pub(in crate::session) continues: bool,
}

impl Follows {
    /// What follows this turn.
    pub(in crate::session) fn new(
        ended: &Ended,
        context: TurnContext,
        denials: &mut Denials,
        planning: &mut Planning,
    ) -> Self {
        let TurnContext {
            is_ready,
            reject_stands,
            sent_again,
        } = context;
        let continuation = match is_ready && ended.may_continue(reject_stands) {
            true => denials.continuation(),
            false => Continuation::NotNeeded,
        };
        let is_due = matches!(continuation, Continuation::Due { .. });
        let mut plan = AfterTurn::Idle;
        if !is_due && !sent_again {
            match is_ready && ended.keeps_plan() {
                true => plan = planning.turn_ended(ended.is_well()),
                false => planning.over(),
            }
        }
        // The steps of the work end with its turn.
        let steps = (!sent_again).then(|| planning.finished()).flatten();
        let steps = steps.filter(|_| ended.is_well() && !is_due);
        let plan_continues = matches!(
            plan,
            AfterTurn::Propose | AfterTurn::Revise(_) | AfterTurn::Work
        );
        Self {
            continuation,
            plan,
            steps: steps.map(|entries| Effect::emit(EventBody::Plan { entries })),
            continues: sent_again || is_due || plan_continues,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::event::StopReason;
    use crate::session::guidance::channels::Way;
    use crate::session::guidance::tests::{decision, denials, moment, requested};
    use crate::session::prompt_turn::PromptTurn;
    use crate::session::prompt_turn::turn_denials::TurnDenials;

    const OPEN: TurnContext = TurnContext {
        is_ready: true,
        reject_stands: false,
        sent_again: false,
    };

    fn ended(cancelled: Option<StopReason>) -> Ended {
        let mut turn = PromptTurn {
            cancelling: cancelled,
            ..PromptTurn::default()
        };
        turn.end(StopReason::EndTurn, false)
    }

    /// Denials of which the model has not heard yet.
    fn unheard() -> Denials {
        let mut denials = denials();
        let mut turn = TurnDenials::default();
        let (asked, decision) = (requested(1), decision());
        let _ = denials.by_policy(&mut turn, &moment(1), &asked, &decision, Way::Waits);
        denials
    }

    fn drafting(text: &str) -> Planning {
        let mut planning = Planning::default();
        planning.begin();
        planning.message(text, true);
        planning
    }

    #[test]
    fn nothing_follows_a_turn_that_left_nothing_open() {
        let follows = Follows::new(&ended(None), OPEN, &mut denials(), &mut Planning::default());
        assert!(!follows.continues && follows.steps.is_none());
        assert_eq!(follows.plan, AfterTurn::Idle);
        assert!(matches!(follows.continuation, Continuation::NotNeeded));
    }

    #[test]
    fn a_rejection_that_ended_a_turn_sends_the_agent_on_with_the_reason() {
        let rejected = TurnContext {
            reject_stands: true,
            ..OPEN
        };
        let after = |context, why, planning: &mut Planning| {
            Follows::new(&ended(why), context, &mut unheard(), planning)
        };
        let mut planning = drafting("1. look");
        let follows = after(rejected, None, &mut planning);
        assert!(matches!(
            follows.continuation,
            Continuation::Due { attempt: 1, .. }
        ));
        assert!(follows.continues && follows.plan == AfterTurn::Idle);
        assert!(planning.is_drafting(), "the plan is still to come");
        let no_way = [
            after(OPEN, None, &mut Planning::default()),
            after(
                rejected,
                Some(StopReason::Cancelled),
                &mut Planning::default(),
            ),
            after(
                TurnContext {
                    is_ready: false,
                    ..rejected
                },
                None,
                &mut Planning::default(),
            ),
        ];
        for follows in no_way {
            assert!(matches!(follows.continuation, Continuation::NotNeeded));
            assert!(!follows.continues);
        }
    }

    #[test]
    fn a_plan_is_put_before_the_person_unless_the_turn_was_cancelled() {
        let after = |context, why| {
            let mut planning = drafting("1. look");
            let follows = Follows::new(&ended(why), context, &mut denials(), &mut planning);
            (follows.plan, follows.continues, planning.closes_writing())
        };
        assert_eq!(after(OPEN, None), (AfterTurn::Propose, true, true));
        let cancelled = after(OPEN, Some(StopReason::Cancelled));
        assert_eq!(cancelled, (AfterTurn::Idle, false, false), "it is over");
        let again = TurnContext {
            sent_again: true,
            ..OPEN
        };
        let kept = after(again, None);
        assert_eq!(
            kept,
            (AfterTurn::Idle, true, true),
            "its prompt comes again"
        );
    }
}
