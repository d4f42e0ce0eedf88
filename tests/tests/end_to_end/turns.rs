//! Prompts, updates and questions in their order, also where an agent gets them out of it.

use std::time::Duration;

use serde_json::Value;
use siderail_engine::command::{Command, PermissionAnswer};
use siderail_tests::stage::SESSION;

use crate::play::{Play, answer, at_once, kept_its_script, shown_with, summary, traffic};

fn messages(events: &[&Value]) -> Vec<String> {
    let text = |event: &&Value| event["text"].as_str().unwrap_or_default().to_owned();
    events.iter().map(text).collect()
}

#[tokio::test]
async fn prompts_wait_for_the_running_turn() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ sleep = 0.2 }, { say = "one" }]
        [[prompt]]
        step = [{ say = "two" }]
        [[prompt]]
        step = [{ say = "three" }]"#;
    let mut stage = Play::of("fast-agent", SCRIPT).start();
    for text in ["first", "second", "third"] {
        stage.prompt(text);
    }
    for _ in 0..3 {
        stage.until("TURN_ENDED").await;
    }
    stage.end().await;
    let course: Vec<String> = stage
        .seen
        .iter()
        .filter_map(|event| match event["event"].as_str()? {
            "TURN_STARTED" => Some(format!("started {}", event["text"].as_str()?)),
            "AGENT_MESSAGE" => Some(event["text"].as_str()?.to_owned()),
            "TURN_ENDED" => Some("ended".to_owned()),
            _ => None,
        })
        .collect();
    let turn = |prompt: &str, said: &str| {
        [
            format!("started {prompt}"),
            said.to_owned(),
            "ended".to_owned(),
        ]
    };
    let expected = [
        turn("first", "one"),
        turn("second", "two"),
        turn("third", "three"),
    ]
    .concat();
    assert_eq!(course, expected);
}

#[tokio::test]
async fn updates_that_come_before_the_sessions_answer_keep_their_order() {
    at_once(["copilot", "claude", "openhands"], |shape| async move {
        let stage = Play::of(shape, "[[prompt]]\nstep = [{ say = 'hello' }]")
            .faults("early_updates=5")
            .run()
            .await;
        let said = messages(&stage.all("AGENT_MESSAGE"));
        let early = [
            "early 1", "early 2", "early 3", "early 4", "early 5", "hello",
        ];
        assert_eq!(said, early, "{shape}");
    })
    .await;
}

#[tokio::test]
async fn two_requests_for_one_call_are_both_answered_and_count_once() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        resume = true
        step = [{ create = "src/App.java", content = "x" }, { say = "Done." }]"#;
    at_once(["opencode", "claude", "gemini"], |shape| async move {
        let denied = Play::of(shape, SCRIPT)
            .faults("permission_copies=2")
            .answer(false)
            .run()
            .await;
        let n_denied = denied.all("PERMISSION_DENIED").len();
        assert_eq!(n_denied, 1, "{shape}: {}", denied.tail());
        let allowed = Play::of(shape, SCRIPT)
            .policy("ask")
            .faults("permission_copies=2")
            .answer(true);
        let allowed = allowed.run().await;
        assert_eq!(
            allowed.place.read("project/src/App.java"),
            "x",
            "{shape}: {}",
            allowed.tail()
        );
        assert_eq!(allowed.all("PERMISSION_APPROVED").len(), 2, "{shape}");
    })
    .await;
}

#[tokio::test]
async fn a_request_that_the_agent_takes_back_is_closed_and_answered() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { send = '{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"sessionId":"${session}","toolCall":{"toolCallId":"t1","title":"Edit x","kind":"edit","rawInput":{"path":"x"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}' },
          { sleep = 0.3 },
          { send = '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q1"}}' },
          { sleep = 0.3 },
        ]"#;
    let mut stage = Play::of("claude", SCRIPT).policy("ask").start();
    stage.prompt("go");
    let request = stage.until("PERMISSION_REQUEST").await;
    assert_eq!(request["asks"], true);
    let denied = stage.until("PERMISSION_DENIED").await;
    assert_eq!(
        (&denied["by"], &denied["request_id"]),
        (&"cancel".into(), &request["request_id"])
    );
    // An answer that comes too late changes nothing.
    answer(&stage, &request, PermissionAnswer::Allow);
    assert_eq!(stage.until("TURN_ENDED").await["stop_reason"], "end_turn");
    stage.end().await;
    let answers: Vec<Value> = traffic(&stage)
        .into_iter()
        .filter(|line| line["dir"] == "client->agent" && line["msg"]["id"] == "q1")
        .collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    // Not an error: some agents are wedged by one.
    assert_eq!(
        answers[0]["msg"]["result"]["outcome"]["outcome"],
        "cancelled"
    );
    assert!(stage.all("PERMISSION_APPROVED").is_empty());
}

#[tokio::test]
async fn a_storm_of_questions_is_answered_to_the_last() {
    let script = "[[prompt]]\nstep = [{ fault = 'storm=200' }, { say = 'Done.' }]";
    at_once([true, false], |allow| async move {
        let stage = Play::of("claude", script)
            .policy("ask")
            .answer(allow)
            .run()
            .await;
        shown_with(&stage, "200 answers");
        assert_eq!(stage.all("PERMISSION_REQUEST").len(), 200);
    })
    .await;
}

#[tokio::test]
async fn a_silent_agent_loses_its_turn_and_not_its_session() {
    const SCRIPT: &str =
        "[[prompt]]\nstep = [{ sleep = 60 }]\n[[prompt]]\nstep = [{ say = 'awake' }]";
    let mut stage = Play::of("copilot", SCRIPT)
        .inactivity(Duration::from_secs(1))
        .start();
    stage.prompt("sleep");
    let silent = stage.until("INACTIVITY_TIMEOUT").await;
    assert_eq!(silent["seconds"], 1);
    let text = silent["text"].as_str().expect("a text");
    assert!(text.contains("`session/prompt`"), "{text}");
    assert_eq!(stage.until("TURN_ENDED").await["stop_reason"], "inactivity");
    let next = stage.play("wake up").await;
    assert_eq!(next["stop_reason"], "end_turn");
    stage.end().await;
    assert_eq!(messages(&stage.all("AGENT_MESSAGE")), ["awake"]);
}

#[tokio::test]
async fn a_session_number_in_use_is_told_and_the_session_that_has_it_goes_on() {
    const SCRIPT: &str = "[[prompt]]\nstep = [{ say = 'here' }]";
    let mut stage = Play::of("claude", SCRIPT).start();
    stage.until("SESSION_STARTED").await;
    stage.send(Command::StartSession {
        session: SESSION,
        options: Box::default(),
    });
    let error = stage.until("ERROR").await;
    assert_eq!(error["session"], 0, "{error}");
    let text = error["text"].as_str().expect("a text");
    assert!(text.contains("no session was started"), "{text}");
    let ended = stage.play("go").await;
    assert_eq!(ended["stop_reason"], "end_turn");
    stage.end().await;
}

#[tokio::test]
async fn an_agent_that_waits_for_a_person_is_not_silent() {
    const SCRIPT: &str = "really = true\n[[prompt]]\nstep = [{ create = 'src/App.java', content = 'x', expect = 'allowed' }]";
    let play = Play::of("claude", SCRIPT)
        .policy("ask")
        .inactivity(Duration::from_millis(500));
    let mut stage = play.start();
    stage.prompt("go");
    let request = stage.until("PERMISSION_REQUEST").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    answer(&stage, &request, PermissionAnswer::Allow);
    assert_eq!(stage.until("TURN_ENDED").await["stop_reason"], "end_turn");
    stage.end().await;
    kept_its_script(&stage);
    assert!(stage.all("INACTIVITY_TIMEOUT").is_empty());
    assert_eq!(summary(&stage)["stop_reason"], "end_turn");
}

#[tokio::test]
async fn what_the_host_tidies_at_a_turns_end_belongs_to_its_changes_and_is_taken_back_with_them() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ call = "intellij_write_file", arguments = { path = "src/App.java", content = "new\n" }, expect = "allowed" }]"#;
    let tidy = |project: &std::path::Path| {
        let file = project.join("src/App.java");
        let text = std::fs::read_to_string(&file).expect("the turn wrote it");
        std::fs::write(file, text + "tidied\n").expect("it can be written");
    };
    let mut stage = Play::of("fast-agent", SCRIPT).tidied_by(tidy).start();
    let before = stage.place.read("project/src/App.java");
    stage.play("go").await;
    let changes = stage.all("CHANGES");
    assert_eq!(changes.len(), 1, "{}", stage.tail());
    assert_eq!(changes[0]["files"][0]["new_text"], "new\ntidied\n");
    stage.send(Command::Revert {
        session: SESSION,
        path: "src/App.java".to_owned(),
    });
    let reverted = stage.until("REVERTED").await;
    assert_eq!(reverted["done"], true, "{reverted}");
    assert_eq!(stage.place.read("project/src/App.java"), before);
    stage.end().await;
}
