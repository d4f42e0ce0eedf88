//! What happens to a call at our server once its gate has judged it: whether it may run, and what is reported and
//! answered if it is denied. Plain data, and effects; it knows no session.

use siderail_guard::decision::{Decision, Verdict};

use crate::event::Receipt;
use crate::host::{ToolErrorCode, ToolFailure};
use crate::session::effect::Effect;
use crate::session::guidance::channels::Way;
use crate::session::guidance::decline::Decline;
use crate::session::guidance::denials::{Denials, Moment};
use crate::session::own_calls::call::{ArrivedCall, State, fail};
use crate::session::own_calls::outcome;
use crate::session::prompt_turn::expected::ExpectedCalls;
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::question::RequestedAction;

/// How an admitted call continues.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum LetIn {
    /// It is carried out.
    Runs,
    /// A person is asked about it.
    Asks,
    /// It fails whatever a person says, so nobody is asked.
    Fails(ToolFailure),
}

impl LetIn {
    /// How this call continues; `None` if it is denied. `expected`: the calls that a person has approved.
    pub(in crate::session) fn new(
        call: &ArrivedCall,
        verdict: Verdict,
        cannot_work: Option<ToolFailure>,
        expected: &mut ExpectedCalls,
    ) -> Option<Self> {
        match verdict {
            Verdict::Deny => None,
            Verdict::Allow => Some(Self::Runs),
            // One question is enough: this very call may have been shown when the agent asked.
            Verdict::Ask if expected.use_up_allowed(call.tool, &call.pending.arguments) => {
                Some(Self::Runs)
            }
            Verdict::Ask => Some(cannot_work.map_or(Self::Asks, Self::Fails)),
        }
    }

    /// How far it is then. `request_id`: the number of the question about it.
    pub(in crate::session) fn state(&self, request_id: u64) -> State {
        match self {
            Self::Asks => State::Asking(request_id),
            Self::Runs | Self::Fails(_) => State::Running,
        }
    }
}

/// Answers a call that its gate denies, once the denial is announced.
pub(in crate::session) fn denied(
    call: ArrivedCall,
    (requested, decision): (&RequestedAction, &Decision),
    denials: &mut Denials,
    turn: &mut TurnDenials,
    moment: &Moment,
) -> Vec<Effect> {
    let request_id = requested.request_id;
    let (text, mut effects) = denials.by_policy(turn, moment, requested, decision, Way::Result);
    let told = outcome::denied(request_id, call.tool, &text);
    let result = outcome::refused(ToolErrorCode::Denied, &text);
    effects.push(Effect::AnswerCall(call.pending, result));
    effects.extend(denials.receipt(request_id, Receipt::Delivered));
    effects.push(told);
    effects
}

/// A person says no to a call, or nobody could be asked: what it fails with.
pub(in crate::session) fn denied_by_person(
    no: &Decline,
    requested: &RequestedAction,
    denials: &mut Denials,
    turn: &mut TurnDenials,
    moment: &Moment,
) -> (ToolFailure, Vec<Effect>) {
    let said = (no, Some(no.for_model(&requested.tool)));
    let (text, effects) = denials.by_person(turn, moment, requested, said, Way::Result);
    let failed = fail(ToolErrorCode::Denied, text.unwrap_or_default());
    (failed, effects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use siderail_guard::Tool;
    use siderail_mcp::{CallKey, PendingCall};

    use crate::event::{EventBody, OwnToolStatus};
    use crate::session::guidance::tests::{decision, denials, events, moment, requested};
    use crate::session::question::OwnCalled;

    fn call() -> ArrivedCall {
        let tool = Tool::WriteFile;
        let key = CallKey::numbered(1);
        ArrivedCall {
            tool,
            conn: 7,
            pending: PendingCall::of_nobody(key, tool.name(), json!({"path": "a"})),
        }
    }

    #[test]
    fn a_person_is_asked_once_and_never_about_what_cannot_work() {
        let mut expected = ExpectedCalls::default();
        let failure = || Some(fail(ToolErrorCode::OutsideProject, "no".to_owned()));
        let mut let_in =
            |verdict, cannot_work| LetIn::new(&call(), verdict, cannot_work, &mut expected);
        assert_eq!(let_in(Verdict::Deny, None), None);
        assert_eq!(let_in(Verdict::Allow, None), Some(LetIn::Runs));
        assert_eq!(let_in(Verdict::Ask, None), Some(LetIn::Asks));
        let fails = let_in(Verdict::Ask, failure()).expect("it is let in");
        assert!(matches!(&fails, LetIn::Fails(failed) if failed.text == "no"));
        assert!(matches!(fails.state(5), State::Running));
        assert!(matches!(LetIn::Asks.state(5), State::Asking(5)));
        let allowed = OwnCalled {
            call: None,
            tool: Tool::WriteFile,
            arguments: json!({"path": "a"}),
        };
        expected.expect(&allowed, true);
        let mut let_in = || LetIn::new(&call(), Verdict::Ask, failure(), &mut expected);
        assert_eq!(let_in(), Some(LetIn::Runs), "somebody said yes to it");
        assert!(
            matches!(let_in(), Some(LetIn::Fails(_))),
            "a yes is for one call"
        );
    }

    #[test]
    fn a_denied_call_is_answered_with_its_reason_which_counts_as_delivered() {
        let (mut denials, mut turn) = (denials(), TurnDenials::default());
        let effects = denied(
            call(),
            (&requested(1), &decision()),
            &mut denials,
            &mut turn,
            &moment(1),
        );
        let answer = effects.iter().find_map(|effect| match effect {
            Effect::AnswerCall(call, result) => Some((call.key, result.clone())),
            _ => None,
        });
        let (key, result) = answer.expect("an answer");
        assert!(key == CallKey::numbered(1) && result.is_error);
        assert!(result.text.ends_with("use intellij_write_file"));
        let events = events(effects);
        let receipt = &events[events.len() - 2];
        assert!(
            matches!(receipt, EventBody::GuidanceReceipt(_)),
            "{receipt:?}"
        );
        let Some(EventBody::OwnTool(view)) = events.last() else {
            panic!("the call is told of last: {events:?}");
        };
        assert_eq!((view.call, view.status), (1, OwnToolStatus::Denied));
        assert!(
            denials.receipt(1, Receipt::Delivered).is_none(),
            "said once"
        );
    }

    #[test]
    fn a_persons_no_fails_the_call_with_what_the_person_said() {
        let (mut denials, mut turn) = (denials(), TurnDenials::default());
        let no = Decline::Person("not that file".to_owned());
        let (failed, effects) =
            denied_by_person(&no, &requested(1), &mut denials, &mut turn, &moment(1));
        assert_eq!(failed.code, ToolErrorCode::Denied);
        assert!(failed.text.contains("not that file"), "{}", failed.text);
        let told = events(effects);
        assert!(matches!(told[0], EventBody::PermissionDenied(_)));
    }
}
