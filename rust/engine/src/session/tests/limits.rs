//! What is said when time is up, and what still counts of what was given up.

use siderail_guard::policy::Policy;

use super::super::Tag;
use super::super::lifecycle::tests::starting;
use super::*;
use crate::host::ToolFailure;

fn text_of(event: &Value) -> String {
    event["text"].as_str().expect("a text").to_owned()
}

fn written(file: &str) -> HostReply {
    HostReply::Tool(ToolOutcome {
        text: "wrote".to_owned(),
        files_written: vec![file.to_owned()],
        ..ToolOutcome::default()
    })
}

#[tokio::test]
async fn an_agent_that_never_finishes_its_handshake_is_told_by_the_request_that_it_left_unanswered()
{
    let mut stage = Stage::new().await;
    stage.session.lifecycle = starting(Instant::now());
    stage.session.wire.unanswered = Default::default();
    let params = json!({});
    stage
        .session
        .request("session/new", &params, Tag::NewSession, &mut stage.shared);
    stage.pass(Duration::from_secs(119));
    let text = text_of(&stage.one("ERROR"));
    assert!(
        text.contains("has not answered `session/new`, sent 119 s ago")
            || text.contains("sent 118 s ago"),
        "{text}"
    );
}

#[tokio::test]
async fn a_silent_turn_says_which_request_has_no_answer() {
    let mut stage = Stage::new().await;
    stage.pass(Duration::from_secs(301));
    let text = text_of(&stage.one("INACTIVITY_TIMEOUT"));
    assert!(
        text.contains("nothing came from the agent for 300 s"),
        "{text}"
    );
    assert!(text.contains("`session/prompt`"), "{text}");
}

#[tokio::test]
async fn a_run_whose_time_is_over_says_what_it_was_spent_on() {
    let mut stage = Stage::new().await;
    stage.call("intellij_write_file", protected()).await;
    stage.end(Some("timeout"));
    let error = stage.one("ERROR");
    assert_eq!(error["kind"], "timeout");
    let text = text_of(&error);
    assert!(text.contains("`session/prompt`"), "{text}");
    assert!(
        text.contains("a person is asked about intellij_write_file"),
        "{text}"
    );
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_named_and_one_that_never_began_says_so() {
    let mut stage = Stage::new().await;
    let write = json!({"path": "a.txt", "content": "x"});
    stage.call("intellij_write_file", write.clone()).await;
    stage.call("intellij_write_file", write).await;
    assert_eq!(stage.started().len(), 1, "the second one waits");
    stage.pass(Duration::from_secs(51));
    let results = [stage.result().await, stage.result().await];
    let count = |part: &str| results.iter().filter(|text| text.contains(part)).count();
    assert_eq!(
        count("intellij_write_file did not answer within 50 s"),
        1,
        "{results:?}"
    );
    assert_eq!(count("was not begun"), 1, "{results:?}");
}

#[tokio::test]
async fn a_call_that_waits_for_a_long_hook_is_told_which_call_it_waits_for() {
    let mut stage = Stage::new().await;
    stage.session.carried.options.answer = Some(true);
    let commit = |message: &str| json!({"message": message});
    stage.call("git_commit", commit("one")).await;
    stage.call("git_commit", commit("two")).await;
    stage.pass(Duration::from_secs(51));
    let results = [stage.result().await, stage.result().await];
    let has = |part: &str| results.iter().any(|text| text.contains(part));
    assert!(has("git_commit is still running"), "{results:?}");
    assert!(
        has("git_commit waited 50 s for git_commit, which is still running in this repository"),
        "{results:?}"
    );
    assert!(!has("same file"), "{results:?}");
}

/// Opening a pipe for reading waits until somebody writes.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_project_holds_up_no_write() {
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let threads = tokio::runtime::Runtime::new().expect("threads");
        threads.block_on(async {
            let mut stage = Stage::new().await;
            let made = std::process::Command::new("mkfifo")
                .arg(stage.session.root().join("pipe"))
                .status();
            assert!(made.expect("mkfifo").success());
            for path in ["pipe", "a.txt"] {
                let write = json!({"path": path, "content": "x"});
                stage.call("intellij_write_file", write).await;
            }
            stage.session.tell_changes(&mut stage.shared);
            let _ = done.send(stage.started().len());
        });
    });
    assert_eq!(
        ended.recv_timeout(LIMIT),
        Ok(2),
        "both calls went on to the host"
    );
}

#[tokio::test]
async fn a_write_that_lands_after_its_call_was_cancelled_is_counted_and_shown() {
    let mut stage = Stage::new().await;
    let write = json!({"path": "a.txt", "content": "x"});
    stage.call("intellij_write_file", write).await;
    let (_, call) = stage.started().remove(0);
    stage.session.cancel(&mut stage.shared);
    stage.host_replies(call, written("a.txt"));
    stage.end(None);
    assert_eq!(stage.one("SUMMARY")["files_written"], json!(["a.txt"]));
    let last = stage.all("OWN_TOOL").pop().expect("events of the call");
    assert_eq!(
        (&last["status"], &last["paths"]),
        (&"completed".into(), &json!(["a.txt"]))
    );
}

#[tokio::test]
async fn the_summary_waits_for_writes_that_were_given_up_and_not_for_ever() {
    for answers in [true, false] {
        let mut stage = Stage::new().await;
        let write = json!({"path": "a.txt", "content": "x"});
        stage.call("intellij_write_file", write).await;
        let (_, call) = stage.started().remove(0);
        stage.end(None);
        assert!(stage.all("SUMMARY").is_empty(), "the host has not answered");
        let expected = if answers {
            stage.host_replies(call, written("a.txt"));
            json!(["a.txt"])
        } else {
            stage.pass(Duration::from_secs(3));
            json!([])
        };
        assert_eq!(stage.one("SUMMARY")["files_written"], expected);
    }
}

#[tokio::test]
async fn a_write_of_the_agents_that_lands_while_the_session_ends_is_counted() {
    let mut stage = Stage::new().await;
    let path = stage.session.root().join("a.txt").display().to_string();
    stage.session.carried.options.answer = Some(true);
    Arc::make_mut(&mut stage.session.agent_facts).policy = Policy::Ask;
    stage.agent_says(&json!({
        "jsonrpc": "2.0", "id": "f1", "method": "fs/write_text_file",
        "params": {"sessionId": "s", "path": path, "content": "x"},
    }));
    let call = stage.host.started.lock()[0].call;
    stage.end(None);
    let reply = HostReply::Written { diff: None };
    stage.host_replies(call, reply);
    assert_eq!(stage.one("SUMMARY")["files_written"], json!(["a.txt"]));
}

#[tokio::test]
async fn a_call_that_was_given_up_and_failed_has_written_nothing() {
    let mut stage = Stage::new().await;
    let write = json!({"path": "a.txt", "content": "x"});
    stage.call("intellij_write_file", write).await;
    let (_, call) = stage.started().remove(0);
    stage.end(None);
    let failed = ToolFailure {
        code: crate::host::ToolErrorCode::Cancelled,
        text: "cancelled".to_owned(),
    };
    stage.host_replies(call, HostReply::Failed(failed));
    assert_eq!(stage.one("SUMMARY")["files_written"], json!([]));
}

/// What such a message said is missing from then on, so a person has to know.
#[tokio::test]
async fn a_message_that_is_too_long_to_be_read_is_told_to_the_person() {
    let mut stage = Stage::new().await;
    let inbound = siderail_acp::transport::Inbound::TooLong { bytes: 900 << 20 };
    let session = NUMBER;
    let input = super::super::Input::Agent { session, inbound };
    stage.session.input(input, &mut stage.shared);
    let told = stage.one("AGENT_LOG");
    assert_eq!(told["kind"], "notice", "{told}");
    let text = told["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("900 MB") && text.contains("missing"),
        "{text}"
    );
}
