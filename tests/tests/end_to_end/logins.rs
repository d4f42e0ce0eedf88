//! An agent that wants a login while a person is there: the session waits, and what failed is tried again.

use siderail_engine::command::Command;
use siderail_tests::stage::{SESSION, Stage, scripted_agent};

use crate::play::{Play, siderail, summary, traffic};

const HELLO: &str = "[[prompt]]\nstep = [{ say = 'hello' }]";
/// The login has run out by the first prompt.
const RUN_OUT: &str = "[[prompt]]\nstep = [{ fail = 'Session expired', code = -32000 }]\n\
                       [[prompt]]\nstep = [{ say = 'hello' }]";

fn login(stage: &Stage, method: &str) {
    stage.send(Command::Login {
        session: SESSION,
        method: method.to_owned(),
    });
}

fn said(stage: &Stage) -> String {
    let said = stage.all("AGENT_MESSAGE").into_iter();
    said.filter_map(|event| event["text"].as_str()).collect()
}

fn asked(stage: &Stage, method: &str) -> usize {
    let sent = traffic(stage);
    sent.iter()
        .filter(|line| line["msg"]["method"] == method)
        .count()
}

#[tokio::test]
async fn a_login_that_the_agent_carries_out_opens_the_session_and_sends_the_prompt_that_waits() {
    let mut stage = Play::of("openhands", HELLO).logged_out().start();
    stage.prompt("go");
    let error = stage.until("ERROR").await;
    assert_eq!(error["kind"], "login");
    let needed = stage.until("LOGIN_NEEDED").await;
    assert_eq!(needed["methods"][0]["id"], "oauth", "{needed}");
    assert_eq!(needed["methods"][0]["kind"], "agent", "{needed}");
    login(&stage, "nothing of the kind");
    let error = stage.until("ERROR").await;
    assert!(error["text"].to_string().contains("no login"), "{error}");
    stage.until("LOGIN_NEEDED").await;
    login(&stage, "oauth");
    stage.until("TURN_ENDED").await;
    assert_eq!(said(&stage), "hello");
    stage.end().await;
    assert_eq!(asked(&stage, "initialize"), 1, "the same process goes on");
    assert_eq!(summary(&stage)["turns"], 1);
}

#[tokio::test]
async fn after_a_login_in_a_terminal_the_agent_is_started_anew_in_the_same_session() {
    let mut stage = Play::of("copilot", HELLO).logged_out().start();
    stage.prompt("go");
    let needed = stage.until("LOGIN_NEEDED").await;
    let method = &needed["methods"][0];
    assert_eq!(method["kind"], "terminal", "{needed}");
    assert_eq!(method["command"][1], "login", "{needed}");
    let id = method["id"].as_str().expect("an id").to_owned();
    login(&stage, &id);
    stage.until("LOGIN_NEEDED").await;
    stage.place.write("login", "");
    login(&stage, &id);
    stage.until("SESSION_STARTED").await;
    stage.until("TURN_ENDED").await;
    assert_eq!(said(&stage), "hello");
    stage.end().await;
    assert_eq!(stage.all("SUMMARY").len(), 1, "{}", stage.tail());
    assert_eq!(stage.all("SESSION_STARTED").len(), 1, "{}", stage.tail());
    assert_eq!(summary(&stage)["stop_reason"], "end_turn");
}

#[tokio::test]
async fn a_prompt_that_fails_for_want_of_a_login_is_sent_again_after_it_ahead_of_those_that_wait() {
    let script = format!("{RUN_OUT}\n[[prompt]]\nstep = [{{ say = ' again' }}]");
    let mut stage = Play::of("openhands", &script).start();
    stage.prompt("go");
    stage.prompt("and on");
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(ended["continues"], true, "the prompt is not done: {ended}");
    stage.until("LOGIN_NEEDED").await;
    login(&stage, "oauth");
    stage.until("TURN_ENDED").await;
    stage.until("TURN_ENDED").await;
    assert_eq!(said(&stage), "hello again");
    let sent: Vec<_> = stage.all("TURN_STARTED").into_iter().collect();
    let sent: Vec<_> = sent.iter().map(|event| event["text"].clone()).collect();
    assert_eq!(sent, ["go", "go", "and on"]);
    stage.end().await;
}

#[tokio::test]
async fn a_prompt_that_needs_a_login_in_a_terminal_goes_on_in_the_new_process_and_nothing_is_shown_twice()
 {
    let mut stage = Play::of("copilot", RUN_OUT)
        .with(|options, place| {
            let file = |name: &str, text: &str| {
                place.write(name, text);
                place.path(name).display().to_string()
            };
            let scripts = [
                file(
                    "old.toml",
                    "[[prompt]]\nstep = [{ say = 'first' }]\n[[prompt]]\nstep = [{ fail = 'expired', code = -32000 }]",
                ),
                file("new.toml", HELLO),
            ];
            let start = |script: &str| {
                let words = scripted_agent(siderail(), &["--shape", "copilot", "--script", script]);
                format!("exec '{}' \"$@\"", words.join("' '"))
            };
            let login = place.path("login").display().to_string();
            let wrapper = format!(
                "if test -e '{login}'; then {}; else {}; fi",
                start(&scripts[1]),
                start(&scripts[0])
            );
            place.write_program("agent", &wrapper);
            options.agent_command = Some(vec![place.path("agent").display().to_string()]);
        })
        .start_as_it_is();
    stage.play("one").await;
    stage.prompt("two");
    let needed = stage.until("LOGIN_NEEDED").await;
    stage.place.write("login", "");
    let id = needed["methods"][0]["id"].as_str().expect("an id");
    login(&stage, id);
    stage.until("TURN_STARTED").await;
    stage.until("TURN_ENDED").await;
    assert_eq!(said(&stage), "firsthello");
    assert!(stage.all("RESTORED").is_empty(), "{}", stage.tail());
    stage.end().await;
    assert_eq!(summary(&stage)["turns"], 3, "the count goes on");
    let kept = siderail_engine::history::Archive::of_project(
        &stage.place.path("state"),
        &stage.place.project(),
    );
    assert_eq!(kept.list().expect("the history").len(), 1);
}

#[tokio::test]
async fn a_person_who_does_not_want_to_log_in_gives_the_prompt_up_or_the_session() {
    let mut stage = Play::of("openhands", RUN_OUT).start();
    stage.prompt("go");
    stage.until("LOGIN_NEEDED").await;
    stage.send(Command::Cancel { session: SESSION });
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(ended["stop_reason"], "cancelled", "{ended}");
    assert_eq!(stage.play("again").await["stop_reason"], "end_turn");
    stage.end().await;

    let mut stage = Play::of("copilot", HELLO).logged_out().start();
    stage.until("LOGIN_NEEDED").await;
    stage.end().await;
    assert_eq!(summary(&stage)["stop_reason"], "not_started");
}
