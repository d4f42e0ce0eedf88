//! Sessions that end badly: what is said, that it is said last, and that nothing stays.

use siderail_tests::place::paths_below;
use siderail_tests::processes::{MARK, left_after, new_mark};
use siderail_tests::stage::LIMIT;

use crate::play::{Play, at_once, summary};

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_told_with_its_end_and_last_words() {
    let ends = [
        ("exit=3", "(exited with code 3)"),
        ("kill", "(killed by signal 9)"),
        ("abort", "(killed by signal 6)"),
    ];
    at_once(ends, |(fault, end)| async move {
        let script = format!(
            "[[prompt]]\nstep = [{{ spawn_grandchild = true }}, {{ fault = '{fault}' }}, {{ sleep = 60 }}]"
        );
        let mark = new_mark();
        let value = mark.clone();
        let mut stage = Play::of("claude", &script)
            .with(|options, _| {
                options.agent_env.insert(MARK.to_owned(), value);
            })
            .start();
        stage.prompt("go");
        let error = stage.until("ERROR").await;
        let text = error["text"].as_str().unwrap();
        assert!(text.contains(end), "{fault}: {text}");
        assert!(
            text.contains("scripted agent: grandchild"),
            "{fault}: its last words: {text}"
        );
        let end = stage.summary().await;
        assert_eq!(end["stop_reason"], "error", "{fault}");
        assert_eq!(
            stage.all("TURN_ENDED").len(),
            1,
            "{fault}: the turn ended too"
        );
        let left = left_after(&mark, LIMIT);
        assert!(left.is_empty(), "{fault}: {left:?}");
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_wants_a_login_or_speaks_another_protocol_is_told_apart() {
    at_once(
        [
            ("auth_required", "login", "log"),
            ("version=7", "protocol", "7"),
            ("exit=5@1", "closed", "5"),
        ],
        |(faults, kind, words)| async move {
            let mut stage = Play::of("copilot", "[[prompt]]\nstep = [{ say = 'x' }]")
                .faults(faults)
                .start();
            let error = stage.until("ERROR").await;
            assert_eq!(error["kind"], kind, "{faults}: {error}");
            assert!(error.to_string().contains(words), "{faults}: {error}");
            if kind == "login" {
                // A person may log in, so the session waits.
                stage.until("LOGIN_NEEDED").await;
                stage.end().await;
            } else {
                stage.summary().await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn a_prompt_that_fails_ends_its_turn_and_the_next_one_works() {
    let script = "[[prompt]]\nstep = [{ fail = 'model overloaded', code = -32603 }]\n[[prompt]]\nstep = [{ say = 'hello' }]";
    at_once(["qwen", "copilot"], |shape| async move {
        let mut stage = Play::of(shape, script).start();
        let failed = stage.play("one").await;
        assert_eq!(failed["stop_reason"], "error", "{shape}");
        assert!(
            failed["text"]
                .as_str()
                .unwrap()
                .contains("model overloaded"),
            "{shape}"
        );
        assert_eq!(
            stage.play("two").await["stop_reason"],
            "end_turn",
            "{shape}"
        );
        stage.end().await;
        assert_eq!(summary(&stage)["stop_reason"], "end_turn", "{shape}");
    })
    .await;
}

#[tokio::test]
async fn everything_hostile_that_does_not_end_the_agent_is_survived() {
    const HOSTILE: &str = include_str!("../../../rust/testkit/scripts/hostile.toml");
    at_once(["claude", "gemini", "codex-zed"], |shape| async move {
        let stage = Play::of(shape, HOSTILE)
            .policy("ask")
            .answer(true)
            .run()
            .await;
        let said: String = stage
            .all("AGENT_MESSAGE")
            .iter()
            .filter_map(|event| event["text"].as_str())
            .collect();
        assert!(
            said.contains("grüße, 世界"),
            "{shape}: text cut anywhere comes whole"
        );
        assert!(said.ends_with("Done."), "{shape}");
        assert_eq!(summary(&stage)["stop_reason"], "end_turn", "{shape}");
    })
    .await;
}

#[tokio::test]
async fn a_session_leaves_no_file_of_its_own() {
    let stage = Play::of("copilot", "[[prompt]]\nstep = [{ call = 'intellij_read_file', arguments = { path = 'src/App.java' } }]")
        .run()
        .await;
    let left = paths_below(&stage.place.path("run"));
    let of_session = |path: &&std::path::PathBuf| path.to_string_lossy().contains("session-");
    assert_eq!(left.iter().filter(of_session).count(), 0, "{left:?}");
}
