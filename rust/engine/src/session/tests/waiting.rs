//! What a session waits for, and what it says of files that a call of ours names.

use super::*;

#[tokio::test]
async fn a_wait_that_the_agent_takes_back_does_not_hide_its_silence() {
    let mut stage = Stage::new().await;
    stage.session.carried.options.answer = Some(true);
    Arc::make_mut(&mut stage.session.agent_facts).policy = siderail_guard::Policy::Ask;
    let (program, words) = match cfg!(windows) {
        true => (
            r"C:\windows\system32\ping.exe",
            vec!["-n", "60", "127.0.0.1"],
        ),
        false => ("/bin/sleep", vec!["60"]),
    };
    stage.agent_says(&json!({
        "jsonrpc": "2.0", "id": "t1", "method": "terminal/create",
        "params": {"sessionId": "s", "command": program, "args": words},
    }));
    let opened = stage.session.terminals.names().pop();
    let terminal = opened.expect("the command runs");
    for id in ["w1", "w2"] {
        stage.agent_says(&json!({
            "jsonrpc": "2.0", "id": id, "method": "terminal/wait_for_exit",
            "params": {"sessionId": "s", "terminalId": terminal},
        }));
    }
    let take_back = |id: &str| json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}});
    stage.agent_says(&take_back("w1"));
    stage.pass(Duration::from_secs(301));
    let early = stage.all("INACTIVITY_TIMEOUT");
    assert!(early.is_empty(), "the other request still waits");
    stage.agent_says(&take_back("w2"));
    stage.pass(Duration::from_secs(301));
    stage.one("INACTIVITY_TIMEOUT");
}

#[tokio::test]
async fn a_question_about_a_call_of_ours_names_every_file_of_it() {
    let mut stage = Stage::new().await;
    let moved = json!({"path": "a.txt", "to": "sub/b.txt"});
    stage.call("move_file", moved).await;
    let request = stage.one("PERMISSION_REQUEST");
    assert_eq!(request["paths"], json!(["a.txt", "sub/b.txt"]));
    let no = PermissionAnswer::Deny {
        reason: String::new(),
        nobody: false,
    };
    stage.person(&request, no);
    let denied = stage.one("PERMISSION_DENIED");
    assert_eq!(denied["paths"], json!(["a.txt", "sub/b.txt"]));
}
