//! What follows a prompt turn that has ended: guidance that makes the agent continue, the next step of a plan, or the
//! next prompt that waits. Plain data; it knows no session.

use crate::delivery::Continuation;
use crate::event::{EventBody, Plan};
use crate::planning::{AfterTurn, Planning};
use crate::session::effect::Effect;
use crate::session::guidance::denials::Denials;
use crate::session::prompt_turn::ending::Ended;

/// What the end of a turn meets.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct TurnContext {
    /// The session stays open.
    pub(in crate::session) is_ready: bool,
    /// The agent has not continued after what was denied.
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
        // The steps of the work end with its turn, and guidance continues it.
        let goes_on = sent_again || is_due;
        let steps = (!goes_on).then(|| planning.finished()).flatten();
        let steps = steps.filter(|_| ended.is_well());
        let plan_continues = matches!(
            plan,
            AfterTurn::Propose | AfterTurn::Revise(_) | AfterTurn::Work
        );
        Self {
            continuation,
            plan,
            steps: steps.map(|entries| Effect::emit(EventBody::Plan(Plan { entries }))),
            continues: sent_again || is_due || plan_continues,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::event::{PlanEntryStatus, StopReason};
    use crate::planning::{AfterAnswer, Presented};
    use crate::session::guidance::channels::Way;
    use crate::session::guidance::tests::{decision, denials, events, moment, requested};
    use crate::session::prompt_turn::PromptTurn;
    use crate::session::prompt_turn::turn_denials::TurnDenials;

    const OPEN: TurnContext = TurnContext {
        is_ready: true,
        reject_stands: false,
        sent_again: false,
    };

    fn ended(cancelled: Option<StopReason>) -> Ended {
        let mut turn = PromptTurn::default();
        turn.running.cancelling = cancelled;
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

    /// An approved plan of two steps, of which the work has reached the second.
    fn working() -> Planning {
        let mut planning = drafting("1. look\n2. do");
        planning.propose(Presented::AtTurnEnd, None);
        assert_eq!(planning.answer(true, ""), AfterAnswer::Work);
        planning.message("Step 2: do", true).expect("it has begun");
        planning
    }

    /// How far the reported steps are.
    fn told(follows: Follows) -> Option<Vec<PlanEntryStatus>> {
        let events = events(follows.steps.into_iter().collect());
        let [EventBody::Plan(Plan { entries })] = &events[..] else {
            assert!(events.is_empty());
            return None;
        };
        Some(entries.iter().map(|entry| entry.status.clone()).collect())
    }

    #[test]
    fn the_last_step_of_the_work_ends_with_its_turn_and_only_there() {
        let after = |context, why, denials: &mut Denials, planning: &mut Planning| {
            told(Follows::new(&ended(why), context, denials, planning))
        };
        let done = || Some(vec![PlanEntryStatus::Completed; 2]);
        let mut planning = working();
        assert_eq!(after(OPEN, None, &mut denials(), &mut planning), done());
        assert_eq!(
            after(OPEN, None, &mut denials(), &mut planning),
            None,
            "told"
        );
        let cancelled = Some(StopReason::Cancelled);
        assert_eq!(after(OPEN, cancelled, &mut denials(), &mut working()), None);
        let sent_again = TurnContext {
            sent_again: true,
            ..OPEN
        };
        let rejected = TurnContext {
            reject_stands: true,
            ..OPEN
        };
        for (context, mut denials) in [(sent_again, denials()), (rejected, unheard())] {
            let mut planning = working();
            assert_eq!(after(context, None, &mut denials, &mut planning), None);
            let goes_on = after(OPEN, None, &mut denials, &mut planning);
            assert_eq!(goes_on, done(), "the work went on");
        }
    }

    #[test]
    fn an_agent_that_was_sent_on_often_enough_is_left_and_its_plan_is_put_before_the_person() {
        let rejected = TurnContext {
            reject_stands: true,
            ..OPEN
        };
        let mut denials = denials();
        let deny = |denials: &mut Denials, number| {
            let mut turn = TurnDenials::default();
            let (asked, decision) = (requested(number), decision());
            let _ = denials.by_policy(&mut turn, &moment(1), &asked, &decision, Way::Waits);
        };
        let mut planning = drafting("1. look");
        for number in 1..=3 {
            deny(&mut denials, number);
            let follows = Follows::new(&ended(None), rejected, &mut denials, &mut planning);
            assert!(follows.continues);
        }
        deny(&mut denials, 4);
        let follows = Follows::new(&ended(None), rejected, &mut denials, &mut planning);
        assert_eq!(follows.continuation, Continuation::Exhausted(3));
        assert_eq!(
            (follows.plan, follows.continues),
            (AfterTurn::Propose, true)
        );
        let follows = Follows::new(
            &ended(None),
            rejected,
            &mut denials,
            &mut Planning::default(),
        );
        assert_eq!(follows.continuation, Continuation::Exhausted(3));
        assert!(!follows.continues, "nothing else sends the agent on");
    }
}
