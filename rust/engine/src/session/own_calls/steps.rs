//! The steps of a call at our server: it begins, is answered, is given up, ends. What each step reports, answers and
//! releases is decided here; [`outcome`] has the results of a call, [`table`] its state. It knows no session.
//!
//! [table]: crate::session::own_calls::table

use std::time::Instant;

use siderail_guard::guidance::NameForm;
use siderail_mcp::PendingCall;

use crate::event::{DeniedBy, Receipt};
use crate::host::{FileBefore, HostReply, HostRequest, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::effect::Effect;
use crate::session::guidance::denials::Denials;
use crate::session::own_calls::call::{Answer, EngineCall, fail};
use crate::session::own_calls::outcome;
use crate::session::own_calls::table::{CallTable, GivenUp};
use crate::tools::runs_in_engine;

/// Why calls are given up before they have ended.
pub(in crate::session) const WITHDRAWN: &str = "the agent withdrew the call";
pub(in crate::session) const TURN_CANCELLED: &str = "the turn was cancelled";

/// Who carries a call out.
pub(in crate::session) enum Work {
    Host(HostRequest),
    Engine(EngineCall),
}

/// What the answer to a call is.
pub(in crate::session) enum Replied {
    /// Its end.
    Ended(Result<ToolOutcome, ToolFailure>),
    /// The final status of one that was given up before; these count all the same.
    TooLate(Vec<Effect>),
}

/// A call that has ended.
pub(in crate::session) struct EndedCall {
    /// What is reported, and what is answered if somebody waits.
    pub(in crate::session) effects: Vec<Effect>,
    /// The calls that may run now.
    pub(in crate::session) next: Vec<u64>,
}

/// What the end of a call meets.
pub(in crate::session) struct CallContext<'a> {
    pub(in crate::session) denials: &'a mut Denials,
    /// Number of the prompt turn.
    pub(in crate::session) turn: u32,
    /// The agent's names of our tools.
    pub(in crate::session) names: &'a NameForm,
    pub(in crate::session) now: Instant,
}

impl CallTable {
    /// The handler of a call begins: what is reported, and who carries it out. `None` if it is not open any more.
    pub(in crate::session) fn begin(&self, number: u64) -> Option<(Effect, Work)> {
        let own = self.get(number)?;
        let told = outcome::started(number, own.tool, &own.arguments);
        let (tool, arguments) = (own.tool, own.arguments.clone());
        let work = match runs_in_engine(tool) {
            true => Work::Engine(EngineCall {
                number,
                tool,
                arguments,
                cancel: own.cancel.clone(),
            }),
            false => Work::Host(HostRequest::Tool { tool, arguments }),
        };
        Some((told, work))
    }

    /// The host, or a tool that runs here, has answered a call.
    pub(in crate::session) fn replied(&mut self, number: u64, reply: HostReply) -> Replied {
        match self.given_up_replied(number) {
            Some(tool) => Replied::TooLate(outcome::given_up(number, tool, &reply)),
            None => Replied::Ended(outcome::of(reply)),
        }
    }

    /// A call ends; none if it has ended before.
    pub(in crate::session) fn done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        context: CallContext,
    ) -> Option<EndedCall> {
        let CallContext {
            denials,
            turn,
            names,
            now,
        } = context;
        let own = self.take(number)?;
        let counted = denials.own_call_ended(turn, own.tool, &own.arguments, &outcome);
        let (told, result) = outcome::ended(number, own.tool, outcome, names);
        let mut effects: Vec<Effect> = counted.into_iter().chain(told).collect();
        let answer = Answer {
            result,
            tells_of: own.denied,
        };
        let (waiting, next) = self.end(number, own, answer, now);
        if let Some((call, answer)) = waiting {
            effects.extend(answered(call, answer, denials));
        }
        Some(EndedCall { effects, next })
    }

    /// A call is given up for this reason, before anybody has answered it.
    pub(in crate::session) fn abort(&mut self, number: u64, why: &str) -> Option<GivenUp> {
        let effects = self.give_up(number, DeniedBy::Cancel, why)?;
        let failed = fail(ToolErrorCode::Cancelled, why.to_owned());
        Some(GivenUp { effects, failed })
    }
}

/// Answers a call. Ladder step 6: guidance that had no other way goes ahead of the result.
pub(in crate::session) fn answered(
    call: PendingCall,
    answer: Answer,
    denials: &mut Denials,
) -> Vec<Effect> {
    let (notices, receipts) = denials.ahead_of_result();
    let result = outcome::behind(&notices, answer.result);
    let mut effects = vec![Effect::AnswerCall(call, result)];
    effects.extend(receipts);
    let told = answer.tells_of;
    effects.extend(told.and_then(|denial| denials.receipt(denial, Receipt::Delivered)));
    effects
}

/// Takes out what files were before the host changed them, as it reports afterwards.
pub(in crate::session) fn changed_before(reply: &mut HostReply) -> Vec<FileBefore> {
    match reply {
        HostReply::Tool(outcome) => std::mem::take(&mut outcome.before),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use siderail_guard::Tool;
    use siderail_mcp::{CallKey, CallResult};

    use crate::event::EventBody;
    use crate::session::guidance::channels::Way;
    use crate::session::guidance::tests::{decision, denials, events, moment, requested};
    use crate::session::own_calls::call::{ArrivedCall, State};
    use crate::session::prompt_turn::turn_denials::TurnDenials;

    fn arrived(number: u64, tool: Tool) -> ArrivedCall {
        let key = CallKey::numbered(number);
        ArrivedCall {
            tool,
            conn: 7,
            pending: PendingCall::of_nobody(key, tool.name(), json!({"path": "a"})),
        }
    }

    /// A table with one call of this tool, as far as this.
    fn table(tool: Tool, state: State) -> CallTable {
        let mut table = CallTable::default();
        table.admit(1, arrived(1, tool), state, Vec::new(), Instant::now());
        table
    }

    fn end(
        table: &mut CallTable,
        outcome: Result<ToolOutcome, ToolFailure>,
        denials: &mut Denials,
    ) -> Option<EndedCall> {
        let names = NameForm::new("ide-{tool}", "ide");
        let context = CallContext {
            denials,
            turn: 1,
            names: &names,
            now: Instant::now(),
        };
        table.done(1, outcome, context)
    }

    fn answer_in(effects: &[Effect]) -> Option<&CallResult> {
        effects.iter().find_map(|effect| match effect {
            Effect::AnswerCall(_, result) => Some(result),
            _ => None,
        })
    }

    #[test]
    fn a_call_is_carried_out_by_the_host_or_here() {
        let work = |tool: Tool| {
            let table = table(tool, State::Running);
            let (told, work) = table.begin(1).expect("it is open");
            assert!(matches!(told, Effect::Emit(_)));
            assert!(table.begin(2).is_none());
            work
        };
        assert!(matches!(work(Tool::RunCommand), Work::Engine(call) if call.number == 1));
        let Work::Host(HostRequest::Tool { tool, arguments }) = work(Tool::WriteFile) else {
            panic!("the host writes files");
        };
        assert_eq!((tool, arguments), (Tool::WriteFile, json!({"path": "a"})));
    }

    #[test]
    fn a_call_ends_once_with_an_answer_behind_what_the_model_has_to_read() {
        let mut denials = denials();
        let mut turn = TurnDenials::default();
        let (asked, decision) = (requested(9), decision());
        let _ = denials.by_policy(&mut turn, &moment(1), &asked, &decision, Way::Waits);
        let mut table = table(Tool::ReadFile, State::Running);
        let done = ToolOutcome {
            text: "text".to_owned(),
            ..ToolOutcome::default()
        };
        let ended = end(&mut table, Ok(done), &mut denials).expect("it was open");
        let result = answer_in(&ended.effects).expect("somebody waits");
        assert!(
            result.text.contains("use intellij_write_file"),
            "{}",
            result.text
        );
        assert!(result.text.ends_with("\n\ntext") && !result.is_error);
        let receipts = events(ended.effects);
        assert!(matches!(
            receipts.last(),
            Some(EventBody::GuidanceReceipt(_))
        ));
        let again = Ok(ToolOutcome::default());
        assert!(end(&mut table, again, &mut denials).is_none());
    }

    #[test]
    fn a_denied_calls_answer_is_the_receipt_of_the_reason() {
        let mut denials = denials();
        let mut turn = TurnDenials::default();
        let (asked, decision) = (requested(9), decision());
        let _ = denials.by_policy(&mut turn, &moment(1), &asked, &decision, Way::Result);
        let mut table = table(Tool::WriteFile, State::Asking(9));
        table.denied(1, 9);
        let failed = Err(fail(ToolErrorCode::Denied, "no".to_owned()));
        let ended = end(&mut table, failed, &mut denials).expect("it was open");
        let told = events(ended.effects);
        assert!(matches!(told.last(), Some(EventBody::GuidanceReceipt(_))));
    }

    #[test]
    fn what_the_host_says_of_a_call_that_was_given_up_ends_nothing() {
        let mut table = table(Tool::MoveFile, State::Running);
        let given_up = table.abort(1, WITHDRAWN).expect("it is open");
        assert_eq!(
            given_up.failed,
            fail(ToolErrorCode::Cancelled, WITHDRAWN.to_owned())
        );
        assert!(matches!(given_up.effects[..], [Effect::StopCall(1)]));
        let done = || HostReply::Tool(ToolOutcome::default());
        assert!(matches!(table.replied(1, done()), Replied::TooLate(_)));
        assert!(
            matches!(table.replied(1, done()), Replied::Ended(Ok(_))),
            "once"
        );
        assert!(table.abort(2, WITHDRAWN).is_none());
    }

    #[test]
    fn what_files_were_before_is_taken_out_of_an_answer() {
        let before = FileBefore {
            path: "a".to_owned(),
            existed: false,
            text: None,
        };
        let mut reply = HostReply::Tool(ToolOutcome {
            before: vec![before],
            ..ToolOutcome::default()
        });
        assert_eq!(changed_before(&mut reply).len(), 1);
        assert!(changed_before(&mut reply).is_empty());
        assert!(changed_before(&mut HostReply::Done).is_empty());
    }
}
