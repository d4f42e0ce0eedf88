//! Questions of an agent alone: what the person is asked, what the agent is answered, and whom the handshake waits for.

use super::*;
use crate::form::ANSWERED;
use crate::host::ToolOutcome;
use serde_json::value::to_raw_value;

fn id(number: u64) -> RequestId {
    RequestId::from_u64(number)
}

fn elicitation(params: &Value) -> Elicitation {
    Elicitation::read(&to_raw_value(params).expect("JSON"))
}

/// A form of two numbers.
fn numbers() -> Elicitation {
    let properties = json!({"a": {"type": "integer"}, "b": {"type": "integer"}});
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": properties});
    elicitation(&json!({"mode": "form", "message": "Two numbers", "requestedSchema": schema}))
}

fn page(name: &str) -> Elicitation {
    let url = "https://example.org/login";
    elicitation(&json!({"mode": "url", "message": "Log in", "elicitationId": name, "url": url}))
}

fn said(text: &str) -> HostReply {
    HostReply::Tool(ToolOutcome {
        text: format!("{ANSWERED}{text}\n"),
        ..ToolOutcome::default()
    })
}

/// The effects in words.
fn words(effects: Vec<Effect>) -> Vec<String> {
    let word = |effect| match effect {
        Effect::Notice(text) => text,
        Effect::SuspendHandshake => "handshake waits".to_owned(),
        Effect::AwaitHandshake => "handshake goes on".to_owned(),
        Effect::Call(call, _, Waiting::Question) => format!("asks {call}"),
        Effect::CancelCall(call) => format!("closes {call}"),
        Effect::Answer(_, answer) => answer.to_string(),
        _ => panic!("not of a question"),
    };
    effects.into_iter().map(word).collect()
}

#[test]
fn a_form_is_asked_field_by_field_and_answered_once() {
    let mut all = Elicitations::default();
    let asks = all.asked(id(1), numbers(), || 7);
    assert_eq!(words(asks), ["handshake waits", "asks 7"]);
    assert!(!all.is_empty());
    let asks = all.replied(7, &said("1"), || 8);
    assert_eq!(words(asks), ["handshake waits", "asks 8"]);
    let answers = all.replied(8, &said("2"), || panic!("nothing else is asked"));
    let answer = r#"{"action":"accept","content":{"a":1,"b":2}}"#;
    assert_eq!(words(answers), ["handshake goes on", answer]);
    assert!(all.is_empty() && all.replied(8, &said("2"), || 9).is_empty());
}

#[test]
fn the_handshake_waits_for_the_last_of_several_questions() {
    let mut all = Elicitations::default();
    all.asked(id(1), page("x"), || 7);
    all.asked(id(2), page("y"), || 8);
    assert_eq!(
        words(all.replied(7, &said("yes"), || 9)),
        [r#"{"action":"accept"}"#]
    );
    let last = all.replied(8, &said("no"), || 9);
    assert_eq!(
        words(last),
        ["handshake goes on", r#"{"action":"decline"}"#]
    );
}

#[test]
fn a_page_that_the_agent_knows_to_be_dealt_with_is_asked_about_no_more() {
    let mut all = Elicitations::default();
    all.asked(id(1), page("x"), || 7);
    assert!(all.completed("y").is_empty(), "another one");
    let done = words(all.completed("x"));
    assert_eq!(
        done,
        ["closes 7", "handshake goes on", r#"{"action":"accept"}"#]
    );
    assert!(all.completed("x").is_empty());
}

#[test]
fn what_cannot_be_shown_is_declined_with_a_notice() {
    let mut all = Elicitations::default();
    let kind = elicitation(&json!({"mode": "dance", "message": "Tango?"}));
    let told = words(all.asked(id(1), kind, || panic!("nobody is asked")));
    assert!(
        told[0].contains("is declined") && told[0].ends_with("(it says: Tango?)"),
        "{told:?}"
    );
    assert_eq!(told[1..], ["handshake goes on", r#"{"action":"decline"}"#]);
}

#[test]
fn answers_that_never_fit_cancel_the_question_and_say_why() {
    let mut all = Elicitations::default();
    all.asked(id(1), numbers(), || 0);
    for call in 0..2 {
        let asks = words(all.replied(call, &said("many"), || call + 1));
        assert_eq!(asks[1], format!("asks {}", call + 1));
    }
    let told = words(all.replied(2, &said("many"), || panic!("it is over")));
    assert!(
        told[0].contains("too many answers that did not fit"),
        "{told:?}"
    );
    assert_eq!(told[2], r#"{"action":"cancel"}"#);
}

#[test]
fn a_question_that_is_taken_back_is_closed_and_its_answer_counts_for_nothing() {
    let mut all = Elicitations::default();
    all.asked(id(1), page("x"), || 7);
    all.asked(id(2), page("y"), || 8);
    assert_eq!(words(all.withdraw(Some(&id(2)))), ["closes 8"]);
    assert!(all.replied(8, &said("yes"), || 9).is_empty());
    let last = words(all.withdraw(Some(&id(1))));
    assert_eq!(last, ["closes 7", "handshake goes on"]);
    assert!(words(all.withdraw(Some(&id(1)))).is_empty());
    all.asked(id(3), page("z"), || 9);
    assert_eq!(words(all.withdraw(None)), ["closes 9"]);
    assert!(all.is_empty());
}

#[test]
fn an_address_that_was_dealt_with_is_found_by_the_agents_name_of_it() {
    let named = |params: &Value| url_in(Some(&to_raw_value(params).expect("JSON")));
    assert_eq!(
        named(&json!({"elicitationId": "login"})).as_deref(),
        Some("login")
    );
    assert_eq!(named(&json!({"elicitationId": 1})), None);
    assert_eq!(named(&json!([])), None);
    assert_eq!(url_in(None), None);
}

#[test]
fn a_person_is_asked_only_while_the_turn_goes_on_and_the_host_can_show_it() {
    let mut all = Elicitations::default();
    let mut requested = |is_stopping, can_ask| {
        let asking = Asking {
            is_stopping,
            can_ask,
        };
        all.requested(id(1), numbers(), asking, || 7)
    };
    for can_ask in [true, false] {
        let cancelled = requested(true, can_ask);
        assert!(matches!(cancelled[..], [Effect::AnswerCancelled(_)]));
    }
    let declined = words(requested(false, false));
    assert_eq!(declined, ["handshake goes on", r#"{"action":"decline"}"#]);
    assert_eq!(words(requested(false, true)), ["handshake waits", "asks 7"]);
}
