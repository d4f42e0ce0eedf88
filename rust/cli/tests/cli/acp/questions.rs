//! Questions to the person in the client: of `ask_user`, and why something was rejected.

use serde_json::{Value, json};

use super::client::Client;
use crate::process::Place;

const FORMS: &str = "elicitation/create";

fn asks(arguments: &str, expected: &str) -> String {
    format!(
        "[[prompt]]\nstep = [{{ call = \"ask_user\", arguments = {arguments}, \
         expect_result_contains = \"{expected}\" }}, {{ say = \"Done.\" }}]\n"
    )
}

fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

fn assert_expected(client: &Client) {
    let said = client.said();
    assert!(
        said.contains("Done.") && !said.contains("EXPECTATION FAILED"),
        "{said}"
    );
}

#[test]
fn a_client_with_forms_shows_the_questions_of_our_tool() {
    let cases = [
        (
            r#"{ question_type = "input", question = "Which name?" }"#,
            json!({"answer": "blue"}),
            "The user answered: blue",
            "string",
        ),
        (
            r#"{ question_type = "confirmation", question = "Sure?" }"#,
            json!({"answer": false}),
            "The user answered: no",
            "boolean",
        ),
        (
            r#"{ question_type = "choice", question = "Which?", options = ["a", "b"] }"#,
            json!({"answer": "c"}),
            "the person gave no answer",
            "string",
        ),
    ];
    for (arguments, content, expected, kind) in cases {
        let place = Place::new();
        let mut client = Client::scripted(&place, &asks(arguments, expected), &[]);
        let session = client.open_as(&place, forms());
        let id = client.begin(&session, "ask me");
        let asked = client.reply(FORMS, json!({"action": "accept", "content": content}));
        assert_eq!(asked["sessionId"], session, "{asked}");
        let field = &asked["requestedSchema"]["properties"]["answer"];
        assert_eq!(field["type"], kind, "{asked}");
        client.answer(id);
        assert_expected(&client);
    }
}

#[test]
fn without_forms_a_choice_is_a_permission_request_and_free_text_is_not_to_be_had() {
    let choice = r#"{ question_type = "choice", question = "Which?", options = ["a", "b"] }"#;
    let place = Place::new();
    let mut client = Client::scripted(&place, &asks(choice, "The user answered: b"), &[]);
    client.takes = None;
    let session = client.open(&place);
    let id = client.begin(&session, "ask me");
    let outcome = json!({"outcome": {"outcome": "selected", "optionId": "siderail_answer_1"}});
    let asked = client.reply("session/request_permission", outcome);
    let names: Vec<&str> = asked["options"]
        .as_array()
        .expect("options")
        .iter()
        .filter_map(|option| option["name"].as_str())
        .collect();
    assert_eq!(names, ["a", "b", "No answer"]);
    client.answer(id);
    assert_expected(&client);

    let text = r#"{ question_type = "input", question = "Which name?" }"#;
    let place = Place::new();
    let mut client = Client::scripted(&place, &asks(text, "cannot take free text"), &[]);
    let session = client.open(&place);
    client.prompt(&session, "ask me");
    assert_expected(&client);
    assert_eq!(client.asked(), Vec::<Value>::new());
}

#[test]
fn the_reason_for_a_rejection_is_asked_by_a_form_and_reaches_the_model() {
    let place = Place::new();
    let runs = r#"{ command = "date > new.txt" }"#;
    let script = format!(
        "[[prompt]]\nstep = [{{ call = \"run_command\", arguments = {runs}, \
         expect_result_contains = \"not on a Monday\" }}, {{ say = \"Done.\" }}]\n"
    );
    let mut client = Client::scripted(&place, &script, &["--hide", "off"]);
    client.takes = Some("reject_once");
    let session = client.open_as(&place, forms());
    let id = client.begin(&session, "run it");
    let content = json!({"reason": "not on a Monday"});
    client.reply(FORMS, json!({"action": "accept", "content": content}));
    client.answer(id);
    assert_expected(&client);
    assert!(!place.project().join("new.txt").exists());
}

#[test]
fn a_rejection_stands_when_the_form_is_declined_and_none_is_shown_where_that_is_set() {
    let runs = "[[prompt]]\nstep = [{ shell = \"date > new.txt\", description = \"Time\" }]\n";
    for is_set in [false, true] {
        let place = Place::new();
        if is_set {
            place.config("reason_on_reject = \"none\"\n");
        }
        let mut client = Client::scripted(&place, runs, &["--hide", "off"]);
        client.takes = Some("reject_once");
        let session = client.open_as(&place, forms());
        let id = client.begin(&session, "run it");
        if !is_set {
            client.reply(FORMS, json!({"action": "decline"}));
        }
        client.answer(id);
        let shown = client.seen.iter().any(|message| message["method"] == FORMS);
        assert_eq!(shown, !is_set);
        assert!(!place.project().join("new.txt").exists());
    }
}

#[test]
fn a_form_is_closed_when_its_turn_is_cancelled() {
    let place = Place::new();
    let text = r#"{ question_type = "input", question = "Which name?" }"#;
    let mut client = Client::scripted(&place, &asks(text, ""), &[]);
    let session = client.open_as(&place, forms());
    let id = client.begin(&session, "ask me");
    let asked = client.until(|message| message["method"] == FORMS);
    client.notify("session/cancel", json!({"sessionId": session}));
    let answer = client.answer(id);
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    let closes = |message: &Value| {
        message["method"] == "$/cancel_request" && message["params"]["requestId"] == asked["id"]
    };
    if !client.seen.iter().any(closes) {
        client.until(closes);
    }
}

/// The model plans, and writes once it may.
const PLANS: &str = "[[prompt]]\nstep = [{ say = \"1. Write a.txt\" }]\n\
                     [[prompt]]\nstep = [{ say = \"1. Write b.txt\" }]\n\
                     [[prompt]]\nstep = [{ call = \"intellij_write_file\", \
                     arguments = { path = \"b.txt\", content = \"b\" } }, { say = \"Written.\" }]\n";

#[test]
fn a_plan_is_a_form_whose_feedback_the_model_reads() {
    let place = Place::new();
    let trace = place.path("trace.jsonl");
    let more = ["--plan", "--trace", trace.to_str().expect("text")];
    let mut client = Client::scripted(&place, PLANS, &more);
    let session = client.open_as(&place, forms());
    let id = client.begin(&session, "write");
    let content = json!({"decision": "Reject", "feedback": "rather b.txt"});
    let asked = client.reply(FORMS, json!({"action": "accept", "content": content}));
    let message = asked["message"].as_str().expect("a message");
    assert!(message.contains("1. Write a.txt"), "{asked}");
    let content = json!({"decision": "Approve", "feedback": ""});
    let asked = client.reply(FORMS, json!({"action": "accept", "content": content}));
    let message = asked["message"].as_str().expect("a message");
    assert!(message.contains("1. Write b.txt"), "{asked}");
    client.answer(id);
    let written = std::fs::read_to_string(place.project().join("b.txt"));
    assert_eq!(written.ok().as_deref(), Some("b"), "{}", client.said());
    client.close();
    let traffic = std::fs::read_to_string(trace).expect("a trace");
    assert!(traffic.contains("rather b.txt"), "the model reads it");
}

#[test]
fn without_forms_a_plan_is_a_permission_request_with_two_answers() {
    for (takes, is_written) in [("allow_once", true), ("reject_once", false)] {
        let place = Place::new();
        let plans = PLANS.replacen("[[prompt]]\nstep = [{ say = \"1. Write a.txt\" }]\n", "", 1);
        let mut client = Client::scripted(&place, &plans, &["--plan"]);
        client.takes = Some(takes);
        let session = client.open(&place);
        client.prompt(&session, "write");
        let asked = client.asked();
        assert_eq!(asked.len(), 1, "{asked:#?}");
        let names: Vec<&Value> = asked[0]["options"]
            .as_array()
            .expect("options")
            .iter()
            .map(|option| &option["name"])
            .collect();
        assert_eq!(names, ["Approve", "Reject"]);
        assert!(asked[0]["toolCall"].to_string().contains("1. Write b.txt"));
        assert_eq!(
            place.project().join("b.txt").exists(),
            is_written,
            "{takes}"
        );
        // The next prompt is an ordinary one.
        if !is_written {
            client.prompt(&session, "and now?");
            assert_eq!(client.asked().len(), 1);
        }
    }
}

#[test]
fn a_form_about_a_plan_that_is_not_filled_approves_nothing() {
    for answer in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept", "content": {"decision": "approve?"}}),
        json!("Approve"),
    ] {
        let place = Place::new();
        let plans = PLANS.replacen("[[prompt]]\nstep = [{ say = \"1. Write a.txt\" }]\n", "", 1);
        let mut client = Client::scripted(&place, &plans, &["--plan"]);
        let session = client.open_as(&place, forms());
        let id = client.begin(&session, "write");
        client.reply(FORMS, answer.clone());
        client.answer(id);
        assert!(!place.project().join("b.txt").exists(), "{answer}");
    }
}
