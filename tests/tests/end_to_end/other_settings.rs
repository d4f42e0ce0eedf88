//! A person wants another policy in the middle of a conversation: the agent is started anew, the conversation is not.

use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::guard::Policy;
use siderail_tests::stage::{SESSION, Stage};

use crate::play::{Play, answer, kept_its_script, no, summary, traffic};

/// Each process of the agent plays it from its beginning.
const EDIT: &str = r#"
    [[prompt]]
    step = [{ edit = "src/App.java", old = "int x = 1;", new = "int x = 2;", expect = "denied" }, { say = "done" }]"#;
const HELLO: &str = "[[prompt]]\nstep = [{ say = 'hello' }]";

/// Starts a session and keeps the options that it is restarted with.
fn open(play: Play) -> (Stage, SessionOptions) {
    let mut options = SessionOptions::default();
    let stage = play.start_keeping(&mut options);
    (stage, options)
}

fn restart(stage: &Stage, options: &SessionOptions, policy: Policy) {
    let mut options = options.clone();
    options.settings.policy = policy;
    stage.send(Command::RestartSession {
        session: SESSION,
        options: Box::new(options),
    });
}

fn asked(stage: &Stage, method: &str) -> usize {
    let sent = traffic(stage);
    sent.iter()
        .filter(|line| line["msg"]["method"] == method)
        .count()
}

fn conversations(stage: &Stage) -> usize {
    let archive = siderail_engine::history::Archive::of_project(
        &stage.place.path("state"),
        &stage.place.project(),
    );
    archive.list().expect("the history").len()
}

#[tokio::test]
async fn another_policy_is_in_force_for_the_next_prompt_of_the_same_conversation() {
    let (mut stage, options) = open(Play::of("copilot", EDIT));
    assert_eq!(stage.until("SESSION_STARTED").await["policy"], "redirect");
    stage.play("one").await;
    restart(&stage, &options, Policy::Ask);
    assert_eq!(stage.until("SESSION_STARTED").await["policy"], "ask");
    stage.prompt("two");
    let request = stage.until("PERMISSION_REQUEST").await;
    answer(&stage, &request, no("not now"));
    stage.until("TURN_ENDED").await;
    stage.end().await;
    kept_its_script(&stage);
    assert_eq!(asked(&stage, "session/load"), 1, "the agent knows it");
    assert_eq!(asked(&stage, "session/new"), 1);
    assert!(stage.all("RESTORED").is_empty(), "{}", stage.tail());
    assert_eq!(stage.all("SUMMARY").len(), 1, "{}", stage.tail());
    let n_turns = stage.all("TURN_STARTED").len();
    assert_eq!(summary(&stage)["turns"], n_turns, "the count goes on");
    assert_eq!(conversations(&stage), 1);
}

#[tokio::test]
async fn a_conversation_that_nobody_keeps_goes_on_too() {
    let unkept = |options: &mut SessionOptions, _: &_| options.settings.history = false;
    let (mut stage, options) = open(Play::of("copilot", HELLO).with(unkept));
    stage.play("one").await;
    restart(&stage, &options, Policy::Observe);
    stage.until("SESSION_STARTED").await;
    stage.play("two").await;
    stage.end().await;
    assert_eq!(asked(&stage, "session/load"), 1, "the agent knows it");
    assert_eq!(
        (conversations(&stage), asked(&stage, "session/new")),
        (0, 1)
    );
}

#[tokio::test]
async fn before_the_first_prompt_there_is_nothing_to_go_on_with() {
    let (mut stage, options) = open(Play::of("copilot", HELLO));
    stage.until("SESSION_STARTED").await;
    restart(&stage, &options, Policy::Ask);
    assert_eq!(stage.until("SESSION_STARTED").await["policy"], "ask");
    stage.play("one").await;
    stage.end().await;
    assert_eq!(asked(&stage, "session/load"), 0);
    assert_eq!(summary(&stage)["turns"], 1);
}

#[tokio::test]
async fn a_running_turn_and_another_agent_keep_a_session_as_it_is_and_it_says_why() {
    let (mut stage, options) = open(Play::of("copilot", "[[prompt]]\nstep = [{ sleep = 1 }]"));
    stage.prompt("one");
    stage.until("TURN_STARTED").await;
    restart(&stage, &options, Policy::Ask);
    stage.until("TURN_ENDED").await;
    let other = SessionOptions {
        agent: "claude".to_owned(),
        ..options
    };
    restart(&stage, &other, Policy::Ask);
    stage.end().await;
    assert_eq!(asked(&stage, "initialize"), 1, "{}", stage.tail());
    let told = stage.all("AGENT_LOG").into_iter();
    let told: String = told.map(ToString::to_string).collect();
    assert!(told.contains("not waiting for a prompt"), "{told}");
    assert!(told.contains("start another session"), "{told}");
}
