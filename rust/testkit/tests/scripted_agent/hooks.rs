//! The agents' pre-tool hooks: found where each agent looks, run with its payload, and denied with its words.

use serde_json::{Value, json};
use siderail_testkit::hook::definition_hash;

use crate::client::{Client, Start};

const STEPS: &str = r#"
[[prompt]]
step = [
  { create = "src/App.java", content = "gone" },
  { shell = "cat src/App.java" },
  { call = "intellij_write_file", arguments = { path = "a" } },
]
"#;

/// A hook that keeps its payloads, and denies all but our own tools.
fn hook(start: &Start, answer: &str) -> String {
    let script = format!(
        "#!/bin/sh\npayload=$(cat)\nprintf '%s\\n' \"$payload\" >> \"$HOOK_LOG\"\n\
         case \"$payload\" in *intellij_write_file*) echo '{{}}';; *) echo '{answer}';; esac\n"
    );
    format!("sh {}", start.file("hook.sh", &script))
}

fn claude_answer() -> String {
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "USE THE IDE",
        "decision": {"behavior": "deny", "message": "USE THE IDE"}}})
    .to_string()
}

fn run(start: Start, meta: Value) -> Client {
    let log = start.path("hook.jsonl");
    let mut client = start.env("HOOK_LOG", &log).spawn();
    client.open_with(meta);
    assert_eq!(client.prompt("go"), "end_turn");
    client
}

fn payloads(client: &Client) -> Vec<Value> {
    let text = std::fs::read_to_string(client.dir.path().join("hook.jsonl")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a payload is JSON"))
        .collect()
}

/// Both built-in calls denied with these texts, our own tool called, nothing asked for the former.
fn check(client: &Client, texts: [&str; 2], tool_names: [&str; 2], name_member: &str) {
    assert_eq!(client.shown("hook"), texts);
    assert!(
        client
            .shown("result")
            .iter()
            .any(|text| text.contains("CALLED intellij_write_file"))
    );
    assert!(client.app().contains("x = 1"));
    let payloads = payloads(client);
    let names: Vec<&Value> = payloads
        .iter()
        .map(|payload| &payload[name_member])
        .collect();
    assert_eq!(
        names[..2],
        [&json!(tool_names[0]), &json!(tool_names[1])],
        "{payloads:#?}"
    );
}

#[test]
fn copilot_reads_them_from_a_plugin_folder() {
    let start = Start::new("copilot", STEPS).with_copilot_server();
    let answer = json!({"permissionDecision": "deny", "permissionDecisionReason": "USE THE IDE"});
    let command = hook(&start, &answer.to_string());
    let hooks = json!({"version": 1, "hooks": {"preToolUse": [
        {"type": "command", "bash": command, "powershell": "", "timeoutSec": 10}]}});
    start.file(
        "plugin/plugin.json",
        r#"{"name": "p", "version": "1", "hooks": "hooks.json"}"#,
    );
    start.file("plugin/hooks.json", &hooks.to_string());
    let flag = format!("--plugin-dir={}", start.path("plugin"));
    let client = run(start.args(&[&flag]), json!({}));
    let denied = "Denied by preToolUse hook: USE THE IDE";
    check(&client, [denied, denied], ["create", "bash"], "toolName");
    let payload = &payloads(&client)[1];
    assert_eq!(payload["toolArgs"]["command"], "cat src/App.java");
    assert_eq!(payload["sessionId"], client.session);
}

#[test]
fn claude_reads_them_from_the_session_request() {
    let start = Start::new("claude", STEPS);
    let command = hook(&start, &claude_answer());
    let hooks = json!({"PreToolUse": [{"matcher": "*", "hooks": [
        {"type": "command", "command": command, "timeout": 10}]}]});
    let meta = json!({"claudeCode": {"options": {"settings": {"hooks": hooks}}}});
    let client = run(start, meta);
    let denied = [
        "PreToolUse:Write hook error: USE THE IDE",
        "PreToolUse:Bash hook error: USE THE IDE",
    ];
    check(&client, denied, ["Write", "Bash"], "tool_name");
    let failed = client.updates("tool_call_update");
    let failed = failed
        .iter()
        .find(|update| update["status"] == "failed")
        .expect("a failed update");
    assert_eq!(
        failed["_meta"]["claudeCode"]["nonExecutionKind"],
        "permission-rule"
    );
}

const KEY: &str = "/<session-flags>/config.toml:pre_tool_use:0:0";

fn codex_config(command: &str, hash: &str) -> String {
    json!({"hooks": {
        "PreToolUse": [{"matcher": ".*", "hooks": [
            {"type": "command", "command": command, "timeout": 10}]}],
        "state": {KEY: {"trusted_hash": hash, "enabled": true}},
    }})
    .to_string()
}

#[test]
fn codex_runs_them_where_the_hash_of_the_definition_is_trusted() {
    let start = Start::new("codex", STEPS).env("INITIAL_AGENT_MODE", "read-only");
    let command = hook(&start, &claude_answer());
    let hash = definition_hash("pre_tool_use", ".*", &command, 10);
    let mut client = run(
        start.env("CODEX_CONFIG", &codex_config(&command, &hash)),
        json!({}),
    );
    let denied = [
        "Command blocked by PreToolUse hook: USE THE IDE. Command: src/App.java",
        "Command blocked by PreToolUse hook: USE THE IDE. Command: cat src/App.java",
    ];
    check(&client, denied, ["apply_patch", "Bash"], "tool_name");
    let listed = client.request("_codex/hooks/list", json!({"cwd": client.project()}));
    let listed = &listed["result"]["hooks"][0];
    assert_eq!(
        (&listed["trustStatus"], &listed["currentHash"]),
        (&json!("trusted"), &json!(hash))
    );
}

#[test]
fn codex_skips_them_silently_where_it_is_not() {
    let start = Start::new("codex", STEPS).env("INITIAL_AGENT_MODE", "read-only");
    let command = hook(&start, &claude_answer());
    let hash = definition_hash("pre_tool_use", ".*", "another command", 10);
    let mut client = run(
        start.env("CODEX_CONFIG", &codex_config(&command, &hash)),
        json!({}),
    );
    assert!(payloads(&client).is_empty());
    assert!(client.shown("hook").is_empty());
    let listed = client.request("_codex/hooks/list", json!({}));
    assert_eq!(listed["result"]["hooks"][0]["trustStatus"], "untrusted");
}

#[test]
fn codex_zed_takes_them_by_flags() {
    let start = Start::new("codex-zed", STEPS);
    let command = hook(&start, &claude_answer());
    let hash = definition_hash("pre_tool_use", ".*", &command, 10);
    let quoted = json!(command);
    let definition = format!(
        "hooks.PreToolUse=[{{matcher=\".*\",hooks=[{{type=\"command\",command={quoted},timeout=10}}]}}]"
    );
    let state = format!("hooks.state={{\"{KEY}\"={{trusted_hash=\"{hash}\",enabled=true}}}}");
    let flags = ["-c", "features.hooks=true", "-c", &definition, "-c", &state];
    let client = run(start.args(&flags), json!({}));
    let denied = [
        "Command blocked by PreToolUse hook: USE THE IDE. Command: src/App.java",
        "Command blocked by PreToolUse hook: USE THE IDE. Command: cat src/App.java",
    ];
    check(&client, denied, ["apply_patch", "Bash"], "tool_name");
}

#[test]
fn qwen_asks_its_permission_hook_instead_of_the_client() {
    let start = Start::new("qwen", STEPS);
    let command = hook(&start, &claude_answer());
    let group = json!([{"matcher": "*", "hooks": [
        {"type": "command", "command": command, "timeout": 10000, "name": "ours"}]}]);
    let defaults = json!({"hooks": {"PermissionRequest": group, "PreToolUse": group}});
    let file = start.file("defaults.json", &defaults.to_string());
    let log = start.path("hook.jsonl");
    let start = start
        .env("QWEN_CODE_SYSTEM_DEFAULTS_PATH", &file)
        .env("HOOK_LOG", &log);
    let mut client = start.spawn();
    client.open();
    client.set_mode("default");
    client.prompt("go");
    check(
        &client,
        ["USE THE IDE", "USE THE IDE"],
        ["write_file", "run_shell_command"],
        "tool_name",
    );
    // The command is not asked for, so only the hook ahead of every tool saw it.
    let events: Vec<Value> = payloads(&client)
        .iter()
        .map(|payload| payload["hook_event_name"].clone())
        .collect();
    assert_eq!(
        events,
        [
            "PermissionRequest",
            "PreToolUse",
            "PermissionRequest",
            "PreToolUse"
        ]
    );
    assert_eq!(client.seen_with("session/request_permission").len(), 1);
}

#[test]
fn vibe_reads_them_from_its_home_folder() {
    let start = Start::new("vibe", STEPS);
    let command = hook(&start, r#"{"decision": "deny", "reason": "USE THE IDE"}"#);
    let hooks = format!(
        "[[hooks]]\nname = \"ours\"\ntype = \"pre_tool\"\nmatch = \"*\"\nstrict = true\n\
         timeout = 20.0\ncommand = {}\n",
        json!(command)
    );
    start.file("vibe/hooks.toml", &hooks);
    let home = start.path("vibe");
    let client = run(start.env("VIBE_HOME", &home), json!({}));
    let names = ["file_system.write_file", "file_system.bash"];
    check(&client, ["USE THE IDE", "USE THE IDE"], names, "tool_name");
}

#[test]
fn openhands_reads_them_from_the_project_and_asks_the_client_first() {
    let start = Start::new("openhands", STEPS);
    let command = hook(&start, r#"{"decision": "deny", "reason": "USE THE IDE"}"#);
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
        {"type": "command", "command": command, "timeout": 10}]}]}});
    start.file("project/.openhands/hooks.json", &hooks.to_string());
    let client = run(start, json!({}));
    let denied = "Action rejected: USE THE IDE";
    check(
        &client,
        [denied, denied],
        ["file_editor", "terminal"],
        "tool_name",
    );
    assert_eq!(client.seen_with("session/request_permission").len(), 3);
}

#[test]
fn a_failing_hook_denies_in_copilot_and_nowhere_else() {
    let start = Start::new("copilot", STEPS).with_copilot_server();
    start.file(
        "plugin/plugin.json",
        r#"{"name": "p", "version": "1", "hooks": "hooks.json"}"#,
    );
    let hooks = json!({"version": 1, "hooks": {"preToolUse": [
        {"type": "command", "bash": "exit 1", "timeoutSec": 10}]}});
    start.file("plugin/hooks.json", &hooks.to_string());
    let flag = format!("--plugin-dir={}", start.path("plugin"));
    let client = run(start.args(&[&flag]), json!({}));
    assert_eq!(client.shown("hook").len(), 3);
    let hooks = json!({"PreToolUse": [{"matcher": "*", "hooks": [
        {"type": "command", "command": "exit 1", "timeout": 10}]}]});
    let meta = json!({"claudeCode": {"options": {"settings": {"hooks": hooks}}}});
    let client = run(Start::new("claude", STEPS), meta);
    assert!(client.shown("hook").is_empty());
}

#[test]
fn opencode_takes_a_reject_with_a_reason_by_http_and_goes_on() {
    use std::io::{Read, Write};
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = port.expect("a free port").port();
    let config = r#"{"permission": {"edit": "ask"}}"#;
    let start = Start::new("opencode", STEPS)
        .args(&["acp", "--port", &port.to_string()])
        .env("OPENCODE_CONFIG_CONTENT", config)
        .env("OPENCODE_SERVER_PASSWORD", "secret");
    let mut client = start.spawn();
    client.rule = crate::client::Rule::Silent;
    client.open();
    let http = |request: String, password: &str| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("a server");
        let head = format!("Host: x\r\nAuthorization: Basic {password}\r\n");
        let request = request.replacen("\r\n", &format!("\r\n{head}"), 1);
        stream
            .write_all(request.as_bytes())
            .expect("a server that reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    let asked = client.serve_until(|message| message["method"] == "session/request_permission");
    let call_id = asked["params"]["toolCall"]["toolCallId"]
        .as_str()
        .expect("an id")
        .to_owned();
    let list = "GET /permission?directory=x HTTP/1.1\r\n\r\n".to_owned();
    assert!(http(list.clone(), "d3Jvbmc=").starts_with("HTTP/1.1 401"));
    // opencode:secret
    let password = "b3BlbmNvZGU6c2VjcmV0";
    let listed = http(list, password);
    let body = listed.split("\r\n\r\n").nth(1).expect("a body");
    let listed: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(listed[0]["tool"]["callID"], call_id);
    let body = json!({"reply": "reject", "message": "USE THE IDE"}).to_string();
    let permission = listed[0]["id"].as_str().expect("an id");
    let reply = format!(
        "POST /permission/{permission}/reply HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert!(http(reply, password).starts_with("HTTP/1.1 200"));
    let chosen = json!({"outcome": {"outcome": "selected", "optionId": "reject"}});
    client.respond(&asked, "result", chosen);
    client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    let shown = client.shown("hook");
    assert!(
        shown[0].ends_with("with the following feedback: USE THE IDE"),
        "{shown:?}"
    );
    assert!(
        client
            .shown("result")
            .iter()
            .any(|text| text.contains("CALLED")),
        "the turn went on"
    );
}
