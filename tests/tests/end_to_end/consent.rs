//! Files of the user's: a home that is stood in for, a file that is changed with consent, hooks without an
//! engine.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_engine::command::Command;
use siderail_tests::client;
use siderail_tests::place::{Place, paths_below};
use siderail_tests::processes::kill_9;
use siderail_tests::stage::{LIMIT, SESSION};

use crate::play::{Play, siderail, summary};

const HOOKS: &str = "{ \"hooks\" : {\"PreToolUse\":[ ]},\n  \"mine\": true }\n";

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |path: std::path::PathBuf| {
        let bytes = std::fs::read(&path).unwrap_or_default();
        (path.display().to_string(), bytes)
    };
    paths_below(folder).into_iter().map(file).collect()
}

const DENIED_EDIT: &str = r#"
    really = true
    [[prompt]]
    step = [
      { create = "src/App.java", content = "x", expect = "denied" },
      { sleep = 0.2 },
    ]"#;

#[tokio::test]
async fn the_users_vibe_home_is_byte_for_byte_the_same() {
    for overridden in [false, true] {
        let mut before = BTreeMap::new();
        let home = if overridden {
            "elsewhere"
        } else {
            "home/.vibe"
        };
        let stage = Play::of("vibe", DENIED_EDIT)
            .answer(false)
            .with(|options, place| {
                place.write(&format!("{home}/config.toml"), "model = \"x\"\n");
                place.write(&format!("{home}/hooks.toml"), "# my own hooks\n");
                place.write(&format!("{home}/logs/yesterday.log"), "…");
                if overridden {
                    let path = place.path(home).display().to_string();
                    options.agent_env.insert("VIBE_HOME".to_owned(), path);
                }
                before = contents(&place.path(home));
            })
            .run()
            .await;
        assert_eq!(contents(&stage.place.path(home)), before);
        assert_eq!(
            summary(&stage)["denials"].as_object().unwrap().len(),
            1,
            "the hook was there"
        );
        assert_eq!(summary(&stage)["guidance"]["hook"]["delivered"], 1);
    }
}

#[tokio::test]
async fn a_consented_change_of_the_users_file_is_undone_at_the_end() {
    for users in [Some(HOOKS), None] {
        let mut stage = Play::of("openhands", DENIED_EDIT)
            .consents()
            .answer(false)
            .with(|_, place| {
                if let Some(text) = users {
                    place.write("home/.openhands/hooks.json", text);
                }
            })
            .start();
        stage.until("SESSION_STARTED").await;
        let during = stage.place.read("home/.openhands/hooks.json");
        assert!(during.contains("relay hook openhands"), "{during}");
        assert_eq!(during.contains("mine"), users.is_some(), "{during}");
        stage.play("go").await;
        stage.end().await;
        assert_eq!(
            summary(&stage)["guidance"]["hook"]["delivered"],
            1,
            "{}",
            stage.tail()
        );
        let after = std::fs::read_to_string(stage.place.path("home/.openhands/hooks.json")).ok();
        assert_eq!(after.as_deref(), users);
        assert_eq!(
            stage.place.path("home/.openhands").exists(),
            users.is_some()
        );
    }
}

#[tokio::test]
async fn a_file_of_the_users_that_cannot_be_put_back_is_told_ahead_of_the_summary() {
    let play = Play::of("openhands", DENIED_EDIT).consents();
    let mut stage = play.answer(false).start();
    stage.until("SESSION_STARTED").await;
    let hooks = stage.place.path("home/.openhands/hooks.json");
    std::fs::remove_file(&hooks).expect("it is there");
    std::fs::create_dir(&hooks).expect("a new folder");
    stage.play("go").await;
    stage.end().await;
    let told = stage.all("AGENT_LOG");
    let is_about_it =
        |text: &str| text.contains("hooks.json") && text.contains("untrust openhands");
    assert!(
        told.iter()
            .any(|log| is_about_it(log["text"].as_str().unwrap_or_default())),
        "{}",
        stage.tail()
    );
    summary(&stage);
}

#[tokio::test]
async fn without_consent_no_file_of_the_users_is_touched() {
    let mut before = BTreeMap::new();
    let mut stage = Play::of("openhands", DENIED_EDIT)
        .answer(false)
        .with(|_, place| {
            place.write("home/.openhands/hooks.json", HOOKS);
            place.write("home/.openhands/conversations/1.json", "{}");
            place.write("home/.bashrc", "# mine\n");
            before = contents(&place.path("home"));
        })
        .start();
    stage.until("SESSION_STARTED").await;
    assert_eq!(contents(&stage.place.path("home")), before);
    stage.play("go").await;
    stage.send(Command::EndSession {
        session: SESSION,
        why: None,
    });
    let end = stage.summary().await;
    assert_eq!(end["guidance"]["hook"]["delivered"], 1, "{}", stage.tail());
    assert_eq!(contents(&stage.place.path("home")), before);
}

#[tokio::test]
async fn a_projects_hooks_that_an_agent_reads_instead_of_ours_are_told() {
    let play = Play::of("openhands", DENIED_EDIT).without_hook();
    let stage = play.answer(false).run().await;
    let is_told = stage.all("AGENT_LOG").iter().any(|log| {
        let text = log["text"].as_str().unwrap_or_default();
        text.contains("project/.openhands/hooks.json instead")
    });
    assert!(is_told, "{}", stage.tail());
    let end = summary(&stage);
    assert_eq!(end["guidance"]["hook"]["delivered"], Value::Null);
    assert_eq!(end["denials"].as_object().unwrap().len(), 1);
    assert_eq!(
        end["unguarded"], false,
        "rejected, not let through to a hook"
    );
}

#[test]
fn what_a_killed_client_left_in_the_users_file_is_undone_at_the_next_start() {
    let place = Place::new();
    place.write("home/.openhands/hooks.json", HOOKS);
    place.write("script.toml", "[[prompt]]\nstep = [{ sleep = 60 }]");
    place.write("next.toml", "[[prompt]]\nstep = [{ say = 'hello' }]");
    let run = |shape: &str, script: &str| {
        let agent = client::agent_command(siderail(), shape, &place.path(script));
        let words = [
            "run",
            "--agent",
            shape,
            "--consent",
            "openhands",
            "--json",
            "--agent-command",
            &agent,
            "go",
        ];
        let mut command = client::siderail(siderail(), &place, &words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let mut killed = run("openhands", "script.toml");
    let end = Instant::now() + LIMIT;
    while !place
        .read("home/.openhands/hooks.json")
        .contains("relay hook")
    {
        assert!(Instant::now() < end, "the hook was never registered");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill_9(killed.id().cast_signed());
    client::wait(&mut killed, LIMIT);
    assert!(
        place
            .read("home/.openhands/hooks.json")
            .contains("relay hook"),
        "left behind"
    );
    let code = client::wait(&mut run("copilot", "next.toml"), LIMIT);
    assert_eq!(code, Some(0));
    assert_eq!(place.read("home/.openhands/hooks.json"), HOOKS);
}

#[test]
fn a_hook_without_an_engine_decides_nothing_within_two_seconds() {
    let place = Place::new();
    // Somebody listens and never answers.
    let dumb = std::os::unix::net::UnixListener::bind(place.path("run/dumb")).unwrap();
    let agents = [
        "copilot",
        "claude",
        "codex",
        "codex-zed",
        "qwen",
        "vibe",
        "openhands",
    ];
    std::thread::scope(|scope| {
        for agent in agents {
            for socket in ["run/dumb", "run/nobody"] {
                let place = &place;
                scope.spawn(move || decides_nothing(place, agent, socket));
            }
        }
    });
    drop(dumb);
}

/// Runs the hook of an agent as the agent would.
fn decides_nothing(place: &Place, agent: &str, socket: &str) {
    let mut command = client::siderail(siderail(), place, &["relay", "hook", agent]);
    command
        .env("SIDERAIL_SOCKET", place.path(socket))
        .env("SIDERAIL_TOKEN", "00")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().expect("the hook starts");
    let payload =
        br#"{"tool_name":"write","toolName":"write","tool_input":{},"hook_event_name":"PreToolUse"}"#;
    let mut stdin = child.stdin.take().expect("a piped input");
    stdin.write_all(payload).expect("the hook reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the hook ends");
    let took = started.elapsed();
    assert_eq!(output.status.code(), Some(0), "{agent} {socket}");
    // Two seconds, and what a busy machine adds.
    assert!(took < Duration::from_secs(4), "{agent} {socket}: {took:?}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(
        !answer.to_string().contains("deny"),
        "{agent} {socket}: {answer}"
    );
}
