//! Edits of the agent's own: what an answer to its question allows, and for how long.

use siderail_guard::policy::Policy;

use super::*;

impl Stage {
    /// The agent answers the prompt.
    fn turn_ends(&mut self) {
        let acp = self.session.lifecycle.peers.acp.as_ref();
        let prompt = acp.and_then(|acp| acp.running_prompt());
        let result = json!({"stopReason": "end_turn"});
        self.agent_says(&json!({"jsonrpc": "2.0", "id": prompt, "result": result}));
        assert!(!self.session.is_prompting());
    }

    /// The agent asks whether it may edit this file, and a person answers.
    fn edit_answered(&mut self, call: &str, path: &str, answer: PermissionAnswer) {
        self.agent_says(&json!({
            "jsonrpc": "2.0", "id": call, "method": "session/request_permission",
            "params": {
                "sessionId": "s",
                "toolCall": {
                    "toolCallId": call, "kind": "edit", "title": "edit",
                    "rawInput": {"path": path}, "locations": [{"path": path}],
                },
                "options": [
                    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "n", "name": "No", "kind": "reject_once"},
                ],
            },
        }));
        let request = self.all("PERMISSION_REQUEST").pop().expect("a question");
        self.person(&request, answer);
    }

    /// The agent writes this file through us; whether the host does it.
    fn writes(&mut self, id: &str, path: &str) -> bool {
        let n_started = self.host.started.lock().len();
        self.agent_says(&json!({
            "jsonrpc": "2.0", "id": id, "method": "fs/write_text_file",
            "params": {"sessionId": "s", "path": path, "content": "x"},
        }));
        let call = self
            .host
            .started
            .lock()
            .get(n_started)
            .map(|call| call.call);
        if let Some(call) = call {
            self.host_replies(call, HostReply::Written { diff: None });
        }
        call.is_some()
    }
}

#[tokio::test]
async fn a_yes_of_a_turn_that_has_ended_allows_no_write() {
    let mut stage = Stage::new().await;
    Arc::make_mut(&mut stage.session.agent_facts).policy = Policy::Ask;
    let path = stage.session.root().join("a.txt").display().to_string();
    stage.edit_answered("c1", &path, PermissionAnswer::Allow);
    assert!(stage.writes("f1", &path) && stage.writes("f2", &path));
    stage.turn_ends();
    assert!(!stage.writes("f3", &path), "nobody was asked about it");
    let denied = stage.one("PERMISSION_DENIED");
    assert!(
        denied["text"].to_string().contains("nobody was asked"),
        "{denied}"
    );
    assert_eq!(stage.session.wire.connection.open_requests().count(), 0);
    // Some agents continue in the background, and ask.
    stage.edit_answered("c2", &path, PermissionAnswer::Allow);
    assert!(stage.writes("f4", &path));
}

#[tokio::test]
async fn a_file_is_looked_at_before_its_edit_only_after_a_yes() {
    let no = || PermissionAnswer::Deny {
        reason: String::new(),
        nobody: false,
    };
    let option = |id: &str| PermissionAnswer::Option { id: id.to_owned() };
    for (answer, looks) in [
        (PermissionAnswer::Allow, true),
        (option("y"), true),
        (no(), false),
        (option("n"), false),
    ] {
        let mut stage = Stage::new().await;
        Arc::make_mut(&mut stage.session.agent_facts).policy = Policy::Ask;
        let path = stage.session.root().join("a.txt").display().to_string();
        let told = format!("{answer:?}");
        stage.edit_answered("c1", &path, answer);
        assert_eq!(!stage.session.carried.changes.is_empty(), looks, "{told}");
    }
}
