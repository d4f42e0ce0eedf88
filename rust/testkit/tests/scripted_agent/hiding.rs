//! Hidden tools: what the agents' own lists take away is not there for the model.

use serde_json::{Value, json};

use crate::client::{Client, Start};

const STEPS: &str = r#"
[[prompt]]
step = [
  { create = "src/New.java", content = "x" },
  { shell = "./gradlew test" },
  { call = "intellij_write_file" },
]
"#;

fn run(start: Start, meta: Value) -> Client {
    let mut client = start.spawn();
    client.open_with(meta);
    client.prompt("go");
    client
}

/// What the model reads of each hidden tool names the tool; ours is always called.
fn check(client: &Client, hidden: &[&str]) {
    let shown = client.shown("hidden");
    assert_eq!(shown.len(), hidden.len(), "{shown:?}");
    for (text, name) in shown.iter().zip(hidden) {
        assert!(
            text.contains(&format!("Tool '{name}' does not exist")),
            "{text}"
        );
    }
    assert!(
        client
            .shown("result")
            .iter()
            .any(|text| text.contains("CALLED intellij_write_file"))
    );
}

#[test]
fn copilot_by_flags() {
    let start = || Start::new("copilot", STEPS).with_copilot_server();
    check(
        &run(
            start().args(&["--excluded-tools=bash,edit,create"]),
            json!({}),
        ),
        &["create", "bash"],
    );
    let only = start().args(&["--available-tools", "intellij-code-tools"]);
    check(&run(only, json!({})), &["create", "bash"]);
    check(&run(start(), json!({})), &[]);
}

#[test]
fn claude_by_the_session_request() {
    let options = |options: Value| json!({"claudeCode": {"options": options}});
    let hidden = options(json!({"disallowedTools": ["Bash", "Write"]}));
    check(
        &run(Start::new("claude", STEPS), hidden),
        &["Write", "Bash"],
    );
    check(
        &run(Start::new("claude", STEPS), options(json!({"tools": []}))),
        &["Write", "Bash"],
    );
    let meta = json!({"claudeCode": {"disableBuiltInTools": true}});
    check(&run(Start::new("claude", STEPS), meta), &["Write", "Bash"]);
}

#[test]
fn codex_by_its_features() {
    let features = r#"{"features": {"shell_tool": false, "unified_exec": false}}"#;
    let start = Start::new("codex", STEPS).env("CODEX_CONFIG", features);
    check(&run(start, json!({})), &["exec_command", "exec_command"]);
    let flags = [
        "-c",
        "features.shell_tool=false",
        "-c",
        "features.unified_exec=false",
    ];
    check(
        &run(Start::new("codex-zed", STEPS).args(&flags), json!({})),
        &["exec_command"],
    );
}

#[test]
fn gemini_by_a_policy_and_by_settings() {
    let start = Start::new("gemini", STEPS);
    let policy = "[[rule]]\ntoolName = [\"write_file\", \"run_shell_command\"]\n\
        decision = \"deny\"\npriority = 900\n\
        [[rule]]\ntoolName = \"replace\"\nargsPattern = \"x\"\ndecision = \"deny\"\n";
    let file = start.file("policy.toml", policy);
    let hidden = ["write_file", "run_shell_command"];
    check(&run(start.args(&["--policy", &file]), json!({})), &hidden);
    let start = Start::new("gemini", STEPS);
    let settings = json!({"tools": {"exclude": hidden}}).to_string();
    let file = start.file("settings.json", &settings);
    check(
        &run(
            start.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &file),
            json!({}),
        ),
        &hidden,
    );
}

#[test]
fn qwen_by_a_flag_and_by_defaults() {
    let hidden = ["write_file", "run_shell_command"];
    let start = Start::new("qwen", STEPS);
    check(
        &run(
            start.args(&["--exclude-tools", &hidden.join(",")]),
            json!({}),
        ),
        &hidden,
    );
    let start = Start::new("qwen", STEPS);
    let defaults = r#"{"permissions": {"deny": ["Bash", "WriteFile"]}}"#;
    let file = start.file("defaults.json", defaults);
    check(
        &run(
            start.env("QWEN_CODE_SYSTEM_DEFAULTS_PATH", &file),
            json!({}),
        ),
        &hidden,
    );
}

#[test]
fn opencode_by_permission_and_by_tools() {
    let denied = r#"{"permission": {"edit": "deny"}, "tools": {"bash": false}}"#;
    let start = Start::new("opencode", STEPS).env("OPENCODE_CONFIG_CONTENT", denied);
    check(&run(start, json!({})), &["write", "bash"]);
}

#[test]
fn fast_agent_loses_only_its_shell() {
    check(
        &run(
            Start::new("fast-agent", STEPS).args(&["--no-shell"]),
            json!({}),
        ),
        &["execute"],
    );
}
