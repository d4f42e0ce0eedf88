//! Denials without a session: what each input gives, and what is counted.

use std::sync::Arc;

use siderail_acp::permission::{Outcome, PermissionRequest};
use siderail_acp::wire::RequestId;
use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::denial::DenialTracker;
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;
use siderail_guard::{Action, ActionKind, Tool, normalize};

use super::channels::{OpenWays, Way, carry_out};
use super::decline::Decline;
use super::denials::{Denials, Moment};
use crate::event::{
    DeniedBy, EventBody, GuidanceChannel, PermissionDenied, PreRejectionGuidance, Receipt,
    RequestChannel,
};
use crate::profile::{Profile, Profiles};
use crate::session::agent_facts::AgentFacts;
use crate::session::effect::Effect;
use crate::session::prompt_turn::denied_calls::Seen;
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::question::{Preview, RequestedAction};

fn profile(agent: &str) -> Profile {
    let none: [&std::path::Path; 0] = [];
    let profiles = Profiles::load(&none);
    profiles.get(agent, false).expect("a built-in agent")
}

pub(in crate::session) fn facts(agent: &str) -> AgentFacts {
    let profile = profile(agent);
    AgentFacts {
        names: NameForm::new("mcp__{server}__{tool}", "siderail"),
        policy: Policy::Redirect,
        hidden: Vec::new(),
        profile,
    }
}

/// With Claude Code, which steers nowhere and has no API.
pub(in crate::session) fn moment(turn: u32) -> Moment {
    Moment {
        facts: Arc::new(facts("claude")),
        turn,
        has_api: false,
        steers: false,
        sends_messages: false,
    }
}

pub(in crate::session) fn denials() -> Denials {
    Denials::new(DenialTracker::new(2, "/p"))
}

pub(in crate::session) fn requested(request_id: u64) -> RequestedAction {
    RequestedAction {
        request_id,
        tool_call_id: Some(format!("call {request_id}")),
        fingerprint: "edit a.rs".to_owned(),
        tool: "Edit".to_owned(),
        kind: ActionKind::Edit.into(),
        text: "edit a.rs".to_owned(),
        paths: vec!["a.rs".to_owned(), ".".to_owned()],
        inside: vec!["/p/a.rs".into()],
        channel: RequestChannel::Acp,
        writes: true,
        command: None,
        remember: None,
        shown: Preview::default(),
        own: Vec::new(),
    }
}

pub(in crate::session) fn decision() -> Decision {
    Decision {
        verdict: Verdict::Deny,
        reason: Reason::BuiltinReplaced,
        instead: Some(Tool::WriteFile),
        guidance: Some("use intellij_write_file".to_owned()),
        findings: Vec::new(),
        outside: Vec::new(),
        protected: Vec::new(),
        kind: ActionKind::Edit,
    }
}

pub(in crate::session) fn events(effects: Vec<Effect>) -> Vec<EventBody> {
    let body = |effect| match effect {
        Effect::Emit(body) => Some(*body),
        _ => None,
    };
    effects.into_iter().filter_map(body).collect()
}

#[test]
fn a_denial_is_explained_counted_and_told_of() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let moment = moment(1);
    let (text, effects) = denials.by_policy(
        &mut turn,
        &moment,
        &requested(1),
        &decision(),
        Way::Steering,
    );
    assert_eq!(text, "use intellij_write_file");
    let [explained, denied] = events(effects).try_into().expect("two events");
    let EventBody::PreRejectionGuidance(PreRejectionGuidance { channel, .. }) = explained else {
        panic!("{explained:?}");
    };
    assert_eq!(channel, GuidanceChannel::Steering);
    let EventBody::PermissionDenied(PermissionDenied { by, text, .. }) = denied else {
        panic!("{denied:?}");
    };
    assert_eq!(by, DeniedBy::Policy);
    assert_eq!(
        text,
        "by the policy `redirect`: intellij_write_file does this"
    );
    assert!(turn.reject_stands);
    assert_eq!(denials.by_tool()["Edit"], 1);
    let receipt = denials.receipt(1, Receipt::Delivered);
    assert_eq!(events(receipt.into_iter().collect()).len(), 1);
    assert!(denials.receipt(1, Receipt::Delivered).is_none(), "once");
}

#[test]
fn the_second_denial_nudges_and_escalates_but_not_without_a_turn() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let mut told = |number: u64, turn_number: u32| {
        let moment = moment(turn_number);
        let (asked, decision) = (requested(number), decision());
        let (text, effects) = denials.by_policy(&mut turn, &moment, &asked, &decision, Way::Waits);
        let count = |is: fn(&EventBody) -> bool, events: &[EventBody]| {
            events.iter().filter(|body| is(body)).count()
        };
        let events = events(effects);
        let nudges = count(|body| matches!(body, EventBody::Nudge(_)), &events);
        let steps = count(|body| matches!(body, EventBody::Escalation(_)), &events);
        (text.len(), nudges, steps)
    };
    let (plain, ..) = told(1, 0);
    assert_eq!(told(2, 0), (plain, 0, 0), "before the first turn");
    assert_eq!(told(3, 1), (plain, 0, 0));
    let (length, nudges, steps) = told(4, 1);
    assert!(length > plain, "the model reads it with the guidance");
    assert_eq!((nudges, steps), (1, 1));
}

#[test]
fn a_bare_no_of_a_person_has_no_text_until_the_count_has_something_to_say() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let moment = moment(1);
    let bare = Decline::Person(String::new());
    let (text, effects) =
        denials.by_person(&mut turn, &moment, &requested(1), (&bare, None), Way::Waits);
    assert_eq!(text, None);
    assert_eq!(events(effects).len(), 1);
    assert!(!turn.reject_stands, "nothing waits for the model");
    assert!(turn.holds("call 1"));
    let (text, effects) =
        denials.by_person(&mut turn, &moment, &requested(2), (&bare, None), Way::Waits);
    assert!(text.is_some());
    assert_eq!(events(effects).len(), 3, "denied, nudge, escalation");
    assert!(turn.reject_stands);
}

#[test]
fn what_a_way_did_not_carry_goes_ahead_of_the_next_own_result() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let moment = moment(1);
    denials.by_policy(
        &mut turn,
        &moment,
        &requested(1),
        &decision(),
        Way::Steering,
    );
    let failed = denials.way_ended(1, false, GuidanceChannel::Notice);
    assert!(failed.is_some());
    let (notices, receipts) = denials.ahead_of_result();
    assert_eq!(notices.len(), 1);
    assert!(
        notices[0].contains("use intellij_write_file"),
        "{notices:?}"
    );
    assert_eq!(events(receipts).len(), 1);
    assert!(denials.ahead_of_result().0.is_empty(), "told once");
}

#[test]
fn a_denied_request_is_answered_by_its_best_way_and_known_again() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let (action, decision, asked) = (edit(), decision(), requested(1));
    let denied = (&action, &decision);
    let mut steering = moment(1);
    steering.steers = true;
    let effects = denials.deny_request(&mut turn, &steering, &request(), denied, &asked);
    let Some([Effect::Permission(_, outcome), Effect::Steer(1, text)]) = effects.last_chunk()
    else {
        panic!("rejected, then steered");
    };
    assert_eq!(*outcome, Outcome::Selected("no".to_owned()));
    assert!(text.contains("use intellij_write_file"), "{text}");
    let before = turn.before(Some("call 1"), &action, Seen::Hook);
    assert_eq!(before.expect("known").text, "use intellij_write_file");
}

#[test]
fn the_agents_own_no_is_sent_as_it_was_chosen_and_a_reason_of_a_person_by_the_best_way() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let mut steering = moment(1);
    steering.steers = true;
    let bare = Decline::Person(String::new());
    let chosen = (&bare, Some("never".to_owned()));
    let effects = denials.deny_for_person(&mut turn, &steering, &request(), &requested(1), chosen);
    let [Effect::Emit(_), Effect::Permission(_, outcome)] = effects.as_slice() else {
        panic!("told and answered");
    };
    assert_eq!(*outcome, Outcome::Selected("never".to_owned()));
    let reason = (&Decline::Person("not now".to_owned()), None);
    let effects = denials.deny_for_person(&mut turn, &steering, &request(), &requested(2), reason);
    assert!(matches!(effects.last(), Some(Effect::Steer(2, text)) if text.contains("not now")));
}

#[test]
fn a_call_past_a_refusal_closes_that_way() {
    let (mut denials, mut turn) = (denials(), TurnDenials::default());
    let profile = profile("gemini");
    let request = request();
    let asked = requested(1);
    let text = "use intellij_write_file".to_owned();
    let effects = carry_out(
        &request,
        false,
        Way::Refusal,
        &asked,
        text,
        false,
        &mut turn,
    );
    let [Effect::Permission(_, Outcome::Selected(option))] = effects.as_slice() else {
        panic!("one answer");
    };
    assert_eq!(option, "yes", "allowed, to be refused at the file");
    assert!(!denials.ran(&mut turn, "another").0);
    assert!(denials.ran(&mut turn, "call 1").0);
    assert!(denials.refusal_failed);
    let ways = |refuses| OpenWays {
        profile: &profile,
        api: false,
        steers: false,
        refuses,
    };
    assert_eq!(ways(true).of(&edit()), Way::Refusal);
    assert_eq!(ways(!denials.refusal_failed).of(&edit()), Way::Waits);
}

#[test]
fn a_rejection_takes_the_best_way_that_is_open() {
    let profile = profile("claude");
    let ways = |api, steers| {
        let open = OpenWays {
            profile: &profile,
            api,
            steers,
            refuses: true,
        };
        open.of_rejection()
    };
    assert_eq!(ways(true, true), Way::Api);
    assert_eq!(ways(false, false), Way::Waits);
    assert_eq!(ways(false, true), Way::Steering);
}

pub(in crate::session) fn edit() -> Action {
    let call = serde_json::json!({"kind": "edit", "locations": [{"path": "/p/a.rs"}]});
    normalize::update(&call, "/p", &facts("gemini").agent_names(&[]))
}

pub(in crate::session) fn request() -> PermissionRequest {
    let params = serde_json::json!({
        "sessionId": "s",
        "toolCall": {"toolCallId": "call 1"},
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    });
    let raw = serde_json::value::to_raw_value(&params).expect("JSON");
    PermissionRequest::read(RequestId::from_u64(7), &raw).expect("a request")
}
