//! Forms as agents send them, and what people answer.

use serde_json::value::to_raw_value;

use super::*;
use crate::host::{ToolFailure, ToolOutcome};

fn form(params: &Value) -> Result<Form, &'static str> {
    Form::new(Elicitation::read(&to_raw_value(params).expect("JSON")))
}

fn said(text: &str) -> HostReply {
    HostReply::Tool(ToolOutcome {
        text: format!("{text}\n"),
        ..ToolOutcome::default()
    })
}

fn answer(text: &str) -> HostReply {
    said(&format!("{ANSWERED}{text}"))
}

fn failed(code: ToolErrorCode) -> HostReply {
    HostReply::Failed(ToolFailure {
        code,
        text: String::new(),
    })
}

/// A form with every kind of field.
fn every_kind() -> Form {
    let schema = json!({"type": "object", "required": ["name", "n", "sure"], "properties": {
        "name": {"type": "string", "title": "Your name"},
        "n": {"type": "integer", "default": 3},
        "ratio": {"type": "number"},
        "sure": {"type": "boolean"},
        "colour": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]},
        "colour_custom": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
    }});
    form(&json!({"mode": "form", "message": "Tell me", "requestedSchema": schema}))
        .expect("it can be shown")
}

#[test]
fn each_field_is_a_question_of_its_kind_and_its_answer_has_the_fields_type() {
    let mut form = every_kind();
    let mut kinds = Vec::new();
    let mut next = form.next();
    for given in ["Ann", "7", "0.5", "yes", "Blue", "x, y"] {
        let Next::Ask(question) = &next else {
            panic!("{next:?}")
        };
        kinds.push(
            question["question_type"]
                .as_str()
                .expect("a word")
                .to_owned(),
        );
        next = form.answered(&answer(given));
    }
    assert_eq!(
        kinds,
        ["input", "input", "input", "confirmation", "choice", "input"]
    );
    let content = json!({"name": "Ann", "n": 7, "ratio": 0.5, "sure": true, "colour": "b", "tags": ["x", "y"]});
    assert_eq!(
        next,
        Next::Done(json!({"action": "accept", "content": content}))
    );
}

#[test]
fn what_is_optional_can_be_passed_over_and_then_another_answer_can_be_typed() {
    let mut form = every_kind();
    for given in ["Ann", "7", "1", "no"] {
        form.answered(&answer(given));
    }
    let Next::Ask(question) = form.answered(&said(PASSED_OVER)) else {
        panic!("the other answer is asked for")
    };
    assert_eq!(question["question"], "colour_custom");
    assert_eq!(question["optional"], true);
}

#[test]
fn a_wrong_answer_is_asked_again_and_not_for_ever() {
    let mut form = every_kind();
    form.answered(&answer("Ann"));
    let Next::Ask(again) = form.answered(&answer("many")) else {
        panic!("it is asked again")
    };
    assert_eq!(again["question"], "n\n`many` is not a whole number.");
    form.answered(&answer("more"));
    assert_eq!(form.answered(&answer("most")), Next::Done(cancel()));
}

#[test]
fn a_person_who_declines_and_one_who_cancels_are_told_apart() {
    assert_eq!(
        every_kind().answered(&failed(ToolErrorCode::NotApplicable)),
        Next::Done(decline())
    );
    assert_eq!(
        every_kind().answered(&failed(ToolErrorCode::Cancelled)),
        Next::Done(cancel())
    );
    let mut waiting = every_kind();
    let first = waiting.next();
    assert_eq!(
        waiting.answered(&said(STILL_WAITING)),
        first,
        "the same question joins the open one"
    );
}

#[test]
fn an_address_is_shown_whole_with_its_host_and_accepted_only_by_a_yes() {
    let url = "https://login.example.org@evil.test/a?b=c";
    let asked = json!({"mode": "url", "message": "Log in", "elicitationId": "1", "url": url});
    let mut shown = form(&asked).expect("it can be shown");
    let Next::Ask(question) = shown.next() else {
        panic!("it asks")
    };
    let text = question["question"].as_str().expect("a text");
    assert!(
        text.contains(url) && text.contains("on evil.test:"),
        "{text}"
    );
    assert_eq!(
        shown.clone().answered(&answer("yes")),
        Next::Done(json!({"action": "accept"}))
    );
    assert_eq!(shown.answered(&answer("no")), Next::Done(decline()));
    for url in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https://a b",
    ] {
        let asked = json!({"mode": "url", "message": "x", "elicitationId": "1", "url": url});
        assert_eq!(
            form(&asked),
            Err("its address cannot be shown safely"),
            "{url}"
        );
    }
}

#[test]
fn a_form_that_nobody_was_there_to_see_is_declined_and_one_that_was_passed_over_is_accepted() {
    let schema = json!({"type": "object", "properties": {"port": {"type": "integer"}}});
    let asked = json!({"mode": "form", "message": "x", "requestedSchema": schema});
    let form = form(&asked).expect("it can be shown");
    let nobody = said("Nobody can answer. Continue without an answer.");
    assert_eq!(form.clone().answered(&nobody), Next::Done(decline()));
    assert_eq!(
        form.clone().answered(&said(PASSED_OVER)),
        Next::Done(json!({"action": "accept", "content": {}}))
    );
}

#[test]
fn a_form_without_a_field_that_can_be_shown_is_accepted_only_by_a_yes_to_its_message() {
    let schema = json!({"type": "object", "properties": {"o": {"type": "object"}}});
    let asked = json!({"mode": "form", "message": "Delete it all?", "requestedSchema": schema});
    let mut form = form(&asked).expect("it can be shown");
    assert_eq!(
        form.next(),
        Next::Ask(json!({"question_type": "confirmation", "question": "Delete it all?"}))
    );
    assert_eq!(form.clone().answered(&answer("no")), Next::Done(decline()));
    assert_eq!(
        form.answered(&answer("yes")),
        Next::Done(json!({"action": "accept", "content": {}}))
    );
}

#[test]
fn the_message_is_shown_with_the_first_field_that_can_be_shown() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "object"}, "b": {"type": "string"}}});
    let asked = json!({"mode": "form", "message": "Tell me", "requestedSchema": schema});
    let Next::Ask(question) = form(&asked).expect("it can be shown").next() else {
        panic!("it asks")
    };
    assert_eq!(question["question"], "Tell me\nb");
}

#[test]
fn what_cannot_be_shown_is_declined() {
    let schema =
        json!({"type": "object", "required": ["o"], "properties": {"o": {"type": "object"}}});
    for (asked, why) in [
        (
            json!({"mode": "form", "message": "x", "requestedSchema": schema}),
            "it requires a field",
        ),
        (
            json!({"mode": "hologram", "message": "x"}),
            "its kind is unknown",
        ),
    ] {
        let told = form(&asked).expect_err("it cannot be shown");
        assert!(told.starts_with(why), "{told}: {asked}");
    }
}

#[test]
fn an_answer_beyond_the_agents_limits_is_asked_again_and_not_sent() {
    let cases = [
        (
            json!({"type": "integer", "minimum": 1, "maximum": 10}),
            "11",
            "at most 10",
            "10",
        ),
        (
            json!({"type": "number", "minimum": 0.5}),
            "0.1",
            "at least 0.5",
            "0.5",
        ),
        (
            json!({"type": "string", "minLength": 2}),
            "a",
            "at least 2 characters",
            "ab",
        ),
        (
            json!({"type": "string", "maxLength": 2}),
            "äöü",
            "at most 2 characters",
            "äö",
        ),
        (
            json!({"type": "string", "pattern": "^[a-z]+$"}),
            "A1",
            "^[a-z]+$",
            "a",
        ),
        (
            json!({"type": "array", "maxItems": 1, "items": {"type": "string", "enum": ["x", "y"]}}),
            "x, y",
            "at most 1",
            "x",
        ),
        (
            json!({"type": "array", "minItems": 2, "items": {"type": "string", "enum": ["x", "y"]}}),
            "x, x",
            "at least 2",
            "x, y",
        ),
    ];
    for (property, wrong, complaint, right) in cases {
        let schema = json!({"type": "object", "required": ["v"], "properties": {"v": property}});
        let mut form = form(&json!({"mode": "form", "message": "m", "requestedSchema": schema}))
            .expect("it can be shown");
        form.next();
        let Next::Ask(again) = form.answered(&answer(wrong)) else {
            panic!("{wrong:?} was taken")
        };
        let question = again["question"].as_str().expect("a text");
        assert!(question.contains(complaint), "{question}");
        let Next::Done(done) = form.answered(&answer(right)) else {
            panic!("{right:?} was not taken")
        };
        assert_eq!(done["action"], "accept");
    }
    let odd =
        json!({"type": "object", "properties": {"v": {"type": "string", "pattern": "(?=x)"}}});
    let mut form = form(&json!({"mode": "form", "message": "m", "requestedSchema": odd}))
        .expect("it can be shown");
    form.next();
    let done = form.answered(&answer("y"));
    assert!(
        matches!(done, Next::Done(_)),
        "what cannot be read here is the agent's to check"
    );
}

#[test]
fn what_was_wrong_with_a_question_that_is_passed_over_is_not_said_of_the_next_one() {
    let text = |title: &str| json!({"type": "string", "title": title, "minLength": 5});
    let schema = json!({"type": "object", "properties": {"a": text("Alpha"), "b": text("Beta")}});
    let asked = json!({"mode": "form", "message": "Tell me", "requestedSchema": schema});
    let mut form = form(&asked).expect("it can be shown");
    form.next();
    for _ in 1..MOST_TRIES {
        form.answered(&answer("abc"));
    }
    let Next::Ask(question) = form.answered(&said(PASSED_OVER)) else {
        panic!("Beta is asked for")
    };
    assert_eq!(question["question"], "Beta");
    let again = form.answered(&answer("abc"));
    assert!(
        matches!(again, Next::Ask(_)),
        "its first wrong answer: {again:?}"
    );
}
