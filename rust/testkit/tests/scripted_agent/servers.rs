//! What the scripted agent's own MCP client does when its server dies, at each step of its life.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, Start};

/// Far from the three minutes that a call may take.
const AT_ONCE: Duration = Duration::from_secs(60);

const GREETED: &str = r#"
read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
"#;
const LISTED: &str = r#"
read line; read line
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"late","inputSchema":{"type":"object"}}]}}'
"#;

/// An agent whose MCP server is this shell script, with a script that calls its tool twice.
fn agent_with(server: &str) -> Client {
    let script = "[[prompt]]\nstep = [{ call = 'late' }, { call = 'late' }]";
    let start = Start::new("copilot", script);
    let server = start.file("server.sh", server);
    let config = json!({"mcpServers": {"intellij-code-tools": {
        "type": "local", "command": "sh", "args": [server], "env": {}, "tools": ["*"],
    }}});
    let config = start.file("servers.json", &config.to_string());
    let mut client = start
        .args(&["--additional-mcp-config", &format!("@{config}")])
        .spawn();
    client.open();
    client
}

fn both_calls_fail_at_once(after_listing: &str) {
    let mut client = agent_with(&format!("{GREETED}{LISTED}{after_listing}"));
    let started = Instant::now();
    assert_eq!(client.prompt("go"), "end_turn");
    assert!(
        started.elapsed() < AT_ONCE,
        "{after_listing}: {:?}",
        started.elapsed()
    );
    let failures = client.shown("failure");
    let is_told = |text: &String| text.contains("ended") || text.contains("pipe");
    assert!(
        failures.len() == 2 && failures.iter().all(is_told),
        "{after_listing}: {failures:?}"
    );
}

#[test]
fn a_call_to_a_server_that_has_died_fails_at_once_whatever_was_closed_first() {
    // Between calls, with a pipe that still takes the request.
    both_calls_fail_at_once("exec 1>&-\ncat >/dev/null");
    // Between calls, altogether.
    both_calls_fail_at_once("exit 0");
    // In a call.
    both_calls_fail_at_once("read line; kill -9 $$");
    // In a call, in the middle of the answer.
    both_calls_fail_at_once("read line; printf '{\"jsonrpc\":\"2.0\",\"id\":3,'; kill -9 $$");
}

#[test]
fn a_call_to_a_server_whose_child_holds_its_pipes_open_fails_at_once() {
    both_calls_fail_at_once("exec 3<&0\nsleep 240 &\nexit 0");
    both_calls_fail_at_once("exec 3<&0\nsleep 240 &\nread line; kill -9 $$");
}

#[test]
fn an_agent_whose_server_dies_in_its_greeting_goes_on_without_its_tools() {
    for server in ["kill -9 $$", "read line; kill -9 $$", GREETED] {
        let started = Instant::now();
        let mut client = agent_with(server);
        assert_eq!(client.prompt("go"), "end_turn");
        assert!(started.elapsed() < AT_ONCE, "{server}");
        assert_eq!(client.shown("hidden").len(), 2, "{server}");
    }
}
