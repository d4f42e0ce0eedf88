//! What becomes of permission requests, without a session: what each answer means, allows, tells and sends.

use std::sync::Arc;

use siderail_acp::permission::{Outcome, PermissionOption, PermissionOptionKind};
use siderail_acp::wire::RequestId;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::{Action, normalize};

use super::Questions;
use super::action::Asked;
use super::answers::Meant;
use super::hooks::DeniedInHook;
use super::judge::Judged;
use super::judged_request::{Next, RequestContext};
use super::unasked::Unasked;
use crate::command::PermissionAnswer;
use crate::event::{ApprovedBy, DeniedBy, EventBody, PermissionDenied, PermissionRequest};
use crate::memory::Allowed;
use crate::planning::Planning;
use crate::session::effect::Effect;
use crate::session::guidance::decline::Decline;
use crate::session::guidance::tests::{
    decision, denials, edit, events, facts, moment, request, requested,
};
use crate::session::prompt_turn::PromptTurn;
use crate::session::prompt_turn::denied_calls::Seen;
use crate::session::question::{Ask, RequestedAction, Settled};

fn asked(verdict: Verdict) -> Asked {
    let decision = Decision {
        verdict,
        ..decision()
    };
    Asked::new(Arc::new(edit()), decision, Some("call 1".to_owned()), None)
}

fn context(planning: &Planning, hook_decides: bool) -> RequestContext<'_> {
    RequestContext {
        is_closing: false,
        hook_decides,
        plan: None,
        planning,
    }
}

fn selected(option: &str) -> Next {
    Next::Answered(Outcome::Selected(option.to_owned()))
}

#[test]
fn a_judged_request_is_carried_out_unless_the_turn_ends() {
    let (planning, options) = (Planning::default(), request().options);
    let next = |turn: &mut PromptTurn, is_closing| {
        let context = RequestContext {
            is_closing,
            ..context(&planning, false)
        };
        turn.judged(&options, &asked(Verdict::Ask), &context)
    };
    let mut turn = PromptTurn::default();
    assert_eq!(next(&mut turn, false), Next::Decided);
    assert!(turn.asked_calls.contains("call 1"));
    let cancelled = Next::Answered(Outcome::Cancelled);
    assert_eq!(next(&mut turn, true), cancelled);
    turn.running.cancelling = Some(crate::event::StopReason::Cancelled);
    assert_eq!(next(&mut turn, false), cancelled);
}

#[test]
fn what_was_denied_before_is_rejected_unless_the_hook_is_to_say_so_again() {
    let (planning, options) = (Planning::default(), request().options);
    let next = |seen_by, hook_decides| {
        let mut turn = PromptTurn::default();
        turn.denials.remember(&requested(1), seen_by, "use another");
        let (asked, context) = (asked(Verdict::Deny), context(&planning, hook_decides));
        let next = turn.judged(&options, &asked, &context);
        (next, turn.denials.reject_stands)
    };
    assert_eq!(next(Seen::Hook, true), (selected("yes"), false));
    assert_eq!(next(Seen::Hook, false), (selected("no"), true));
    assert_eq!(next(Seen::Request, true), (selected("no"), true));
    let new = |hook_decides| {
        let context = context(&planning, hook_decides);
        PromptTurn::default().judged(&options, &asked(Verdict::Deny), &context)
    };
    assert_eq!(new(true), selected("yes"), "the hook denies it");
    assert_eq!(new(false), Next::Decided);
}

#[test]
fn a_request_to_leave_the_planning_mode_presents_the_plan_that_it_shows() {
    let facts = facts("claude");
    let leave = |input: serde_json::Value| -> Action {
        let call = serde_json::json!({"kind": "switch_mode", "rawInput": input,
            "content": [{"type": "content", "content": {"type": "text", "text": "1. look"}}]});
        normalize::update(&call, "/p", &facts.agent_names(&[]))
    };
    let mut planning = Planning::default();
    let next = |action: Action, planning: &Planning| {
        let asked = Asked::new(Arc::new(action), decision(), None, None);
        PromptTurn::default().judged(&[], &asked, &context(planning, false))
    };
    let named = leave(serde_json::json!({"plan": "2. do"}));
    assert_eq!(next(named, &planning), Next::Plan("2. do".to_owned()));
    let shown = || leave(serde_json::json!({}));
    assert_eq!(next(shown(), &planning), Next::Decided, "no plan is wanted");
    planning.begin();
    assert_eq!(next(shown(), &planning), Next::Plan("1. look".to_owned()));
}

fn options() -> Vec<PermissionOption> {
    let kinds = [
        ("once", PermissionOptionKind::AllowOnce),
        ("always", PermissionOptionKind::AllowAlways),
        ("no", PermissionOptionKind::RejectOnce),
    ];
    let option = |(id, kind): (&str, PermissionOptionKind)| PermissionOption {
        id: id.to_owned(),
        name: id.to_owned(),
        kind,
    };
    kinds.map(option).into()
}

#[test]
fn an_option_of_the_agents_is_sent_as_chosen_but_for_a_lasting_yes_that_was_not_offered() {
    let meant = |id: &str, may_be_remembered| {
        let id = id.to_owned();
        let settled = Settled::ByPerson(PermissionAnswer::Option { id });
        settled.meant(&options(), may_be_remembered)
    };
    let yes = |option: Option<&str>| Meant::Yes {
        by: ApprovedBy::User,
        option: option.map(str::to_owned),
        for_good: false,
    };
    let no = |option: Option<&str>| Meant::No {
        decline: Decline::Person(String::new()),
        option: option.map(str::to_owned),
    };
    assert_eq!(meant("always", true), yes(Some("always")));
    assert_eq!(meant("always", false), yes(None), "for this once");
    assert_eq!(meant("once", false), yes(Some("once")));
    assert_eq!(meant("no", false), no(Some("no")));
    assert_eq!(meant("unheard of", true), no(None));
}

#[test]
fn where_no_option_is_offered_only_a_yes_itself_allows_anything() {
    let by_person = |answer| Settled::ByPerson(answer).meant(&[], true);
    let yes = |by, for_good| Meant::Yes {
        by,
        option: None,
        for_good,
    };
    assert_eq!(
        by_person(PermissionAnswer::Allow),
        yes(ApprovedBy::User, false)
    );
    assert_eq!(
        by_person(PermissionAnswer::Always),
        yes(ApprovedBy::User, true)
    );
    let id = "allow".to_owned();
    let named = by_person(PermissionAnswer::Option { id });
    let (decline, option) = (Decline::Person(String::new()), None);
    assert_eq!(named, Meant::No { decline, option });
    let by_setting = |allows| Settled::BySetting { allows }.meant(&[], true);
    assert_eq!(by_setting(true), yes(ApprovedBy::Setting, false));
    let decline = Decline::Setting;
    assert_eq!(
        by_setting(false),
        Meant::No {
            decline,
            option: None
        }
    );
}

#[test]
fn what_settles_a_question_beforehand_is_nobodys_word_for_a_client_without_a_person() {
    assert!(Settled::beforehand(None, true).is_none());
    let meant = |answer, is_plain| {
        let settled = Settled::beforehand(Some(answer), is_plain).expect("settled");
        settled.meant(&options(), true)
    };
    let no = |decline| Meant::No {
        decline,
        option: None,
    };
    assert_eq!(meant(false, false), no(Decline::Setting));
    assert_eq!(meant(false, true), no(Decline::Nobody));
    let Meant::Yes { by, for_good, .. } = meant(true, true) else {
        panic!("a yes");
    };
    assert_eq!((by, for_good), (ApprovedBy::Setting, false));
}

#[test]
fn a_yes_counts_for_the_turn_and_only_where_the_agent_can_be_told_it() {
    let (mut turn, mut request, asked) = (PromptTurn::default(), request(), requested(1));
    let [told, answered] = turn.allow(&request, &asked, ApprovedBy::User, None);
    assert!(matches!(
        events(vec![told])[0],
        EventBody::PermissionApproved(_)
    ));
    assert!(
        matches!(answered, Effect::Permission(_, Outcome::Selected(option)) if option == "yes")
    );
    assert_eq!(
        turn.running.approved_paths,
        [asked.inside[0].clone()].into()
    );
    request.options.clear();
    let mut turn = PromptTurn::default();
    let [told, answered] = turn.allow(&request, &asked, ApprovedBy::User, None);
    let [EventBody::PermissionDenied(PermissionDenied { by, .. })] = events(vec![told])[..] else {
        panic!("closed");
    };
    assert_eq!(by, DeniedBy::Cancel);
    assert!(matches!(
        answered,
        Effect::Permission(_, Outcome::Cancelled)
    ));
    assert!(turn.running.approved_paths.is_empty());
}

#[test]
fn what_nobody_asked_about_is_done_only_where_the_policy_or_the_setting_says_so() {
    let settled = |verdict, answer| {
        let judged = Judged {
            decision: asked(verdict).decision,
            requested: requested(1),
        };
        let (mut turn, mut denials) = (PromptTurn::default(), denials());
        let (write, moment) = (Unasked::Write, moment(1));
        let (refused, effects) = write.settle(&judged, answer, &mut turn, &mut denials, &moment);
        let n_denied = denials.by_tool().values().sum::<u32>();
        (
            refused,
            n_denied,
            turn.running.approved_paths.len(),
            events(effects).len(),
        )
    };
    assert_eq!(settled(Verdict::Allow, Some(false)), (None, 0, 1, 2));
    assert_eq!(settled(Verdict::Ask, Some(true)), (None, 0, 1, 2));
    for answer in [None, Some(false)] {
        let (refused, n_denied, n_approved, _) = settled(Verdict::Ask, answer);
        assert!(
            refused
                .expect("a reason")
                .ends_with("ask for permission first")
        );
        assert_eq!((n_denied, n_approved), (1, 0));
    }
    let told = Some("use intellij_write_file".to_owned());
    let expected = (told, 1, 0, 4);
    assert_eq!(
        settled(Verdict::Deny, Some(true)),
        expected,
        "asked, explained, denied, received"
    );
}

#[test]
fn a_call_is_denied_in_the_hook_once_and_hears_the_same_reason_again() {
    let (mut turn, mut denials, moment) = (PromptTurn::default(), denials(), moment(1));
    let mut denied = |number: fn() -> u64| {
        let judged = Judged {
            decision: decision(),
            requested: requested(0),
        };
        let call = (Some("call 0"), &edit(), judged);
        let (denied, effects) = DeniedInHook::new(call, number, &mut turn, &mut denials, &moment);
        (denied.text, denied.request_id, events(effects).len())
    };
    let text = || "use intellij_write_file".to_owned();
    assert_eq!(
        denied(|| 7),
        (text(), Some(7), 3),
        "asked, explained, denied"
    );
    assert_eq!(denied(|| panic!("no other request")), (text(), None, 0));
}

fn open() -> Questions {
    let mut questions = Questions::default();
    questions.ask(Ask::Own {
        call: 1,
        requested: requested(1),
    });
    questions.ask(Ask::Acp {
        request: Box::new(request()),
        requested: requested(2),
    });
    questions.ask(Ask::Plan {
        request_id: 3,
        request: None,
    });
    questions
}

fn numbers(questions: &Questions) -> Vec<u64> {
    questions.asks.keys().copied().collect()
}

#[test]
fn every_question_is_closed_and_the_agents_own_are_answered() {
    let mut questions = open();
    assert_eq!(questions.close_requests().len(), 2, "closed and answered");
    assert_eq!(numbers(&questions), [1, 3]);
    let effects = open().close_all();
    let answered = effects.iter().filter(|effect| {
        matches!(effect, Effect::Permission(id, Outcome::Cancelled) if *id == request().id)
    });
    assert_eq!(answered.count(), 1);
    let is_over = |effect: &Effect| matches!(effect, Effect::PlanningOver);
    assert!(effects.iter().any(is_over));
    assert_eq!(events(effects).len(), 3);
}

#[test]
fn a_request_that_the_agent_takes_back_is_closed_without_an_answer() {
    let mut questions = open();
    assert!(questions.withdraw(&RequestId::from_u64(8)).is_empty());
    let effects = questions.withdraw(&request().id);
    assert!(matches!(effects.as_slice(), [Effect::Emit(_)]));
    assert_eq!(numbers(&questions), [1, 3]);
}

#[test]
fn a_lasting_option_is_offered_only_where_the_yes_may_be_remembered() {
    let offered = |remember: Option<Allowed>, asks| {
        let requested = RequestedAction {
            remember,
            ..requested(1)
        };
        let [EventBody::PermissionRequest(PermissionRequest { options, .. })] =
            &events(vec![Effect::emit(
                requested.request_event(&options(), asks),
            )])[..]
        else {
            panic!("announced");
        };
        let ids = options.iter().map(|option| option.id.clone());
        ids.collect::<Vec<_>>()
    };
    let remembered = || Some(Allowed::files("edit", vec!["/p/a.rs".to_owned()]));
    assert_eq!(offered(remembered(), true), ["once", "always", "no"]);
    assert_eq!(offered(None, true), ["once", "no"]);
    assert_eq!(offered(remembered(), false), [""; 0], "nobody is asked");
}
