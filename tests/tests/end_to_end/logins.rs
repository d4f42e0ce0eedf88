//! An agent that wants a login while a person is there: the session waits, and what failed is tried again.

use siderail_engine::command::Command;
use siderail_tests::place::APP;
use siderail_tests::stage::{SESSION, Stage, scripted_agent};

use crate::play::{Play, answer, kept_its_script, no, siderail, summary, traffic};

const HELLO: &str = "[[prompt]]\nstep = [{ say = 'hello' }]";
/// The login has run out by the first prompt.
const RUN_OUT: &str = "[[prompt]]\nstep = [{ fail = 'Session expired', code = -32000 }]\n\
                       [[prompt]]\nstep = [{ say = 'hello' }]";

fn login(stage: &Stage, method: &str) {
    stage.send(Command::Login {
        session: SESSION,
        method: Some(method.to_owned()),
        env: [].into(),
    });
}

fn said(stage: &Stage) -> String {
    let said = stage.all("AGENT_MESSAGE").into_iter();
    said.filter_map(|event| event["text"].as_str()).collect()
}

/// Copilot's shape, whose login is a command: one script before it, another in the process after it. That one answers
/// nothing while there is a file `hold`.
fn in_two_processes(before: &str, after: &str) -> Play {
    Play::of("copilot", "").with(|options, place| {
        let start = |name: &str, script: &str| {
            place.write(name, script);
            let script = place.path(name).display().to_string();
            let words = scripted_agent(siderail(), &["--shape", "copilot", "--script", &script]);
            format!("exec '{}' \"$@\"", words.join("' '"))
        };
        let (old, new) = (start("old.toml", before), start("new.toml", after));
        let login = place.path("login").display().to_string();
        let is_in = format!("test -e '{login}' || test -n \"$ENTERED\"");
        let hold = place.path("hold").display().to_string();
        let held = format!("while test -e '{hold}'; do sleep 0.02; done");
        let wrapper = format!("if {is_in}; then {held}; {new}; else {old}; fi");
        place.write_program("agent", &wrapper);
        options.agent_command = Some(vec![place.path("agent").display().to_string()]);
    })
}

/// The person logs in by the first way that the agent has named.
async fn log_in(stage: &mut Stage) {
    let needed = stage.until("LOGIN_NEEDED").await;
    stage.place.write("login", "");
    let id = needed["methods"][0]["id"].as_str().expect("an id");
    login(stage, id);
}

fn asked(stage: &Stage, method: &str) -> usize {
    let sent = traffic(stage);
    sent.iter()
        .filter(|line| line["msg"]["method"] == method)
        .count()
}

/// The agent has answered its first request of this kind.
fn is_answered(stage: &Stage, method: &str) -> bool {
    let sent = traffic(stage);
    let asked = sent.iter().find(|line| line["msg"]["method"] == method);
    let id = asked.map(|line| &line["msg"]["id"]);
    let mut answers = sent.iter().filter(|line| line["msg"]["result"].is_object());
    id.is_some_and(|id| answers.any(|line| line["msg"]["id"] == *id))
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
    const RUNS_OUT: &str = "[[prompt]]\nstep = [{ say = 'first' }]\n\
                            [[prompt]]\nstep = [{ fail = 'expired', code = -32000 }]";
    let mut stage = in_two_processes(RUNS_OUT, HELLO).start_as_it_is();
    stage.play("one").await;
    stage.prompt("two");
    log_in(&mut stage).await;
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
async fn what_a_person_enters_for_a_login_reaches_the_new_process_and_nothing_of_the_conversation_is_lost()
 {
    const RUNS_OUT: &str = "[[prompt]]\nstep = [{ say = 'first' }]\n\
                            [[prompt]]\nstep = [{ fail = 'expired', code = -32000 }]";
    let mut stage = in_two_processes(RUNS_OUT, HELLO).start_as_it_is();
    stage.play("one").await;
    stage.prompt("two");
    let needed = stage.until("LOGIN_NEEDED").await;
    stage.send(Command::Login {
        session: SESSION,
        method: needed["methods"][0]["id"].as_str().map(str::to_owned),
        env: [("ENTERED".to_owned(), "a-key".to_owned())].into(),
    });
    stage.until("TURN_STARTED").await;
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(said(&stage), "firsthello");
    assert_eq!(asked(&stage, "session/load"), 1, "the agent knows it");
    assert_eq!(summary(&stage)["turns"], 3, "the count goes on");
}

#[tokio::test]
async fn a_login_that_was_made_elsewhere_starts_the_agent_anew_also_while_it_waits_for_another() {
    const RUNS_OUT: &str = "[[prompt]]\nstep = [{ fail = 'expired', code = -32000 }]\n\
                            [[prompt]]\nstep = [{ say = 'hello' }]";
    let mut stage = Play::of("openhands", RUNS_OUT)
        .faults("late_answers=1000")
        .start();
    stage.prompt("go");
    stage.until("LOGIN_NEEDED").await;
    login(&stage, "oauth");
    stage.send(Command::Login {
        session: SESSION,
        method: None,
        env: [].into(),
    });
    while asked(&stage, "initialize") < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    stage.end().await;
    assert_eq!(stage.all("SUMMARY").len(), 1, "{}", stage.tail());
}

#[tokio::test]
async fn a_stop_while_the_agent_starts_anew_after_a_login_gives_the_prompt_up_and_says_so() {
    const RUNS_OUT: &str = "[[prompt]]\nstep = [{ fail = 'expired', code = -32000 }]";
    for is_starting in [false, true] {
        let mut stage = in_two_processes(RUNS_OUT, HELLO).start_as_it_is();
        stage.place.write("hold", "");
        stage.prompt("go");
        log_in(&mut stage).await;
        while is_starting && asked(&stage, "initialize") < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        stage.send(Command::Cancel { session: SESSION });
        let ended = stage.until("TURN_ENDED").await;
        assert_eq!(ended["stop_reason"], "cancelled", "{ended}");
        assert_eq!(ended["continues"], false, "{ended}");
        std::fs::remove_file(stage.place.path("hold")).expect("it is there");
        assert_eq!(stage.play("next").await["stop_reason"], "end_turn");
        stage.end().await;
        assert_eq!(said(&stage), "hello", "the next prompt alone was sent");
        assert_eq!(stage.all("TURN_STARTED").len(), 2, "{}", stage.tail());
    }
}

#[tokio::test]
async fn a_plan_that_is_turned_down_in_a_turn_that_wants_a_login_is_not_asked_about_again() {
    // An agent that continues after the no, as real ones may.
    let script = r#"
        [[prompt]]
        step = [
          { request = "session/request_permission", params = { sessionId = "${session}",
            toolCall = { toolCallId = "p1", title = "Plan", kind = "switch_mode", rawInput = { plan = "1. Set x" } },
            options = [{ optionId = "y", name = "Yes", kind = "allow_once" }, { optionId = "n", name = "No", kind = "reject_once" }] } },
          { fail = "Session expired", code = -32000 },
        ]
        [[prompt]]
        step = [{ say = "hello" }]"#;
    let mut stage = Play::of("openhands", script).start();
    stage.prompt_for_plan("go");
    let plan = stage.until("PLAN_PROPOSED").await;
    assert_eq!(plan["channel"], "acp", "{plan}");
    answer(&stage, &plan, no(""));
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(ended["continues"], false, "{ended}");
    assert_eq!(stage.play("next").await["stop_reason"], "end_turn");
    stage.end().await;
    assert_eq!(said(&stage), "hello");
    assert!(stage.all("LOGIN_NEEDED").is_empty(), "{}", stage.tail());
    assert_eq!(stage.all("PLAN_PROPOSED").len(), 1, "{}", stage.tail());
}

/// A plan, and what is sent back of it: the prompt that says so fails for want of a login.
const PLAN: &str = r#"
    really = true
    [[prompt]]
    step = [{ present = "1. Set x\n2. Stop" }]
    [[prompt]]
    match = "The plan is not approved"
    step = [{ fail = "Session expired", code = -32000 }]"#;
/// What comes of it after the login: the model tries to write first.
const OTHER_PLAN: &str = r#"
    really = true
    [[prompt]]
    match = "The plan is not approved"
    step = [
      { create = "src/App.java", content = "built in" },
      { call = "intellij_write_file", arguments = { path = "src/App.java", content = "ours" }, expect_result_contains = "plan" },
      { shell = "touch made" },
      { present = "1. Only x\n2. Nothing" },
    ]"#;

#[tokio::test]
async fn a_login_while_another_plan_is_made_opens_no_file_for_writing_and_the_plan_is_proposed() {
    let here = format!("{PLAN}\n{}", OTHER_PLAN.replace("really = true", ""));
    let plays = [
        Play::of("openhands", &here).start(),
        in_two_processes(PLAN, OTHER_PLAN).start_as_it_is(),
    ];
    for mut stage in plays {
        stage.prompt_for_plan("go");
        let plan = stage.until("PLAN_PROPOSED").await;
        answer(&stage, &plan, no("leave y alone"));
        log_in(&mut stage).await;
        let plan = stage.until("PLAN_PROPOSED").await;
        assert!(plan["text"].to_string().contains("Only x"), "{plan}");
        assert_eq!(stage.place.read("project/src/App.java"), APP, "not written");
        assert!(!stage.place.project().join("made").exists(), "no command");
        answer(&stage, &plan, no(""));
        stage.end().await;
        kept_its_script(&stage);
        assert_eq!(stage.all("PLANNING_STARTED").len(), 1, "{}", stage.tail());
    }
}

#[tokio::test]
async fn a_login_that_comes_through_after_it_was_given_up_opens_no_second_session() {
    let script = format!("{RUN_OUT}\n[[prompt]]\nstep = [{{ say = ' again' }}]");
    // Every answer takes a while, that to the login too.
    let mut stage = Play::of("openhands", &script)
        .faults("late_answers=1000")
        .start();
    stage.prompt("go");
    stage.until("LOGIN_NEEDED").await;
    login(&stage, "oauth");
    stage.send(Command::Cancel { session: SESSION });
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(ended["stop_reason"], "cancelled", "{ended}");
    while !is_answered(&stage, "authenticate") {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    for _ in 0..2 {
        assert_eq!(stage.play("next").await["stop_reason"], "end_turn");
    }
    stage.end().await;
    assert_eq!(said(&stage), "hello again");
    assert_eq!(asked(&stage, "session/new"), 1, "the context is kept");
    assert_eq!(asked(&stage, "authenticate"), 1);
}

#[tokio::test]
async fn a_turn_that_fails_after_its_cancel_waits_for_no_login_and_the_next_prompt_goes_out() {
    let script = format!(
        "[[prompt]]\nstep = [{{ say = 'at it' }}, {{ sleep = 600 }}, {{ fail = 'expired', code = -32000 }}]\n{HELLO}"
    );
    // Its agent continues after a cancel.
    let mut stage = Play::of("openhands", &script).start();
    stage.prompt("go");
    stage.until("AGENT_MESSAGE").await;
    stage.send(Command::Cancel { session: SESSION });
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(ended["stop_reason"], "cancelled", "{ended}");
    assert_eq!(stage.play("next").await["stop_reason"], "end_turn");
    assert!(stage.all("LOGIN_NEEDED").is_empty(), "{}", stage.tail());
    stage.end().await;
}

#[tokio::test]
async fn what_a_person_has_set_and_what_was_found_out_hold_in_the_process_after_a_login() {
    const AUTOPILOT: &str = "https://agentclientprotocol.com/protocol/session-modes#autopilot";
    const UNASKED: &str = r#"
        [[prompt]]
        step = [{ send = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"tool_call","toolCallId":"e1","title":"Edit x","kind":"edit","status":"completed","rawInput":{"path":"x"}}}}' }]
        [[prompt]]
        step = [{ fail = 'expired', code = -32000 }]"#;
    let mut stage = in_two_processes(UNASKED, HELLO).start_as_it_is();
    stage.play("one").await;
    assert_eq!(stage.all("UNGUARDED").len(), 1, "{:#?}", stage.seen);
    stage.send(Command::SetMode {
        session: SESSION,
        mode: AUTOPILOT.to_owned(),
    });
    stage.prompt("two");
    log_in(&mut stage).await;
    stage.until("TURN_STARTED").await;
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(summary(&stage)["unguarded"], true, "it stays so");
    let sent = traffic(&stage);
    let is_wish = |line: &&serde_json::Value| line["msg"]["params"]["modeId"] == AUTOPILOT;
    assert_eq!(sent.iter().filter(is_wish).count(), 2, "in both processes");
}

#[tokio::test]
async fn a_conversation_that_is_not_kept_goes_on_after_a_login_where_the_agent_knows_it() {
    let run_out = "[[prompt]]\nstep = [{ fail = 'expired', code = -32000 }]";
    let mut stage = in_two_processes(run_out, HELLO)
        .with(|options, _| options.settings.history = false)
        .start_as_it_is();
    stage.prompt("go");
    log_in(&mut stage).await;
    stage.until("TURN_STARTED").await;
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(said(&stage), "hello");
    assert_eq!(asked(&stage, "session/new"), 1, "{}", stage.tail());
    assert_eq!(asked(&stage, "session/load"), 1, "{}", stage.tail());
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
