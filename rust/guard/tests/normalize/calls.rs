//! Built-in tools and what their calls do, from hooks, requests and announcements.

use serde_json::{Value, json};
use siderail_guard::normalize::{self, IdentityRule, RequestView};
use siderail_guard::{ActionKind, Identity};

use crate::{builtin, hook, names, own, request};

#[test]
fn the_built_in_tools_of_every_agent_are_read_from_its_hook() {
    for row in include_str!("../tables/hooks.txt")
        .lines()
        .filter(|row| !row.starts_with('#'))
    {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [agent, tool, input, kind, command, paths] = cells[..] else {
            panic!("six cells: {row}");
        };
        let action = hook(agent, tool, serde_json::from_str(input).unwrap());
        let bare = tool.trim_start_matches("file_system.");
        assert_eq!(action.identity, builtin(bare), "{row}");
        assert_eq!(action.rule, IdentityRule::Name, "{row}");
        let got = action
            .command
            .as_deref()
            .unwrap_or("-")
            .replace('\n', "\\n");
        assert_eq!(
            (action.kind.as_str(), got.as_str()),
            (kind, command),
            "{row}"
        );
        let got = if action.paths.is_empty() {
            "-".to_owned()
        } else {
            action.paths.join(" ")
        };
        assert_eq!(got, paths, "{row}");
        assert!(!action.contradictory, "{row}");
    }
}

#[test]
fn an_empty_field_never_hides_what_the_announcement_told() {
    let action = request(
        "opencode",
        json!({"toolCallId": "1", "title": "", "kind": "read", "locations": [], "rawInput": {}}),
        Some(json!({"toolCallId": "1", "title": "read", "kind": "read",
                    "locations": [{"path": "/proj/b"}], "rawInput": {"filePath": "/proj/a"}})),
    );
    assert_eq!(action.paths, ["/proj/a", "/proj/b"]);
    assert_eq!(action.title, "read");
}

#[test]
fn a_request_that_names_no_call_means_the_last_open_one() {
    let open = json!({"toolCallId": "c9", "kind": "execute",
                      "title": "terminal: {\"command\": \"ls\"}: $ ls",
                      "rawInput": {"command": "ls", "kind": "TerminalAction"}});
    let request =
        json!({"toolCallId": "confirmation-s", "kind": "other", "title": "Confirm Agent Actions"});
    let view = RequestView {
        tool_call: &request,
        stored: None,
        last_open: Some(&open),
        meta: None,
        options: &Value::Null,
        cwd: "/proj",
    };
    let action = normalize::permission(&view, &names("openhands"));
    assert_eq!(action.identity, builtin("terminal"));
    assert_eq!(action.command.as_deref(), Some("ls"));
    // A request that says what it is about is about that, whatever else is open.
    let full = json!({"toolCallId": "c10", "kind": "execute", "rawInput": {"command": "pwd"}});
    let view = RequestView {
        tool_call: &full,
        ..view
    };
    assert_eq!(
        normalize::permission(&view, &names("codex-zed"))
            .command
            .as_deref(),
        Some("pwd")
    );
}

#[test]
fn a_request_without_announcement_is_read_from_its_options_and_its_own_words() {
    let options = json!([{"optionId": "a", "_meta": {"required_permissions": [
        {"scope": "command_pattern", "invocation_pattern": "./gradlew test"}]}}]);
    let call = json!({"toolCallId": "effect-1"});
    let view = RequestView {
        tool_call: &call,
        stored: None,
        last_open: None,
        meta: None,
        options: &options,
        cwd: "/proj",
    };
    let action = normalize::permission(&view, &names("vibe"));
    assert_eq!(action.command.as_deref(), Some("./gradlew test"));
    assert_eq!(action.kind, ActionKind::Execute);

    let zed = request(
        "codex-zed",
        json!({"toolCallId": "1", "title": "Approve Write file through the IDE", "rawInput": {
            "server_name": "intellij-code-tools", "id": "mcp_tool_call_approval_1", "request": {
                "message": "Allow the intellij-code-tools MCP server to run tool \
                            \"intellij_write_file\"?",
                "_meta": {"tool_params": {"path": "src/A.java"}}}}}),
        None,
    );
    assert_eq!(zed.identity, own("intellij_write_file"));
    assert_eq!(zed.rule, IdentityRule::ServerName);
    assert_eq!(zed.paths, ["/proj/src/A.java"]);
}

#[test]
fn a_call_without_name_or_kind_is_told_by_its_shape_or_not_at_all() {
    let command = request(
        "generic",
        json!({"toolCallId": "1", "rawInput": {"command": "ls"}}),
        None,
    );
    assert_eq!(
        (command.rule, command.kind),
        (IdentityRule::Shape, ActionKind::Execute)
    );
    let diff =
        json!({"toolCallId": "1", "content": [{"type": "diff", "path": "a", "newText": "x"}]});
    let diff = request("generic", diff, None);
    assert_eq!(
        (diff.rule, diff.kind),
        (IdentityRule::Shape, ActionKind::Edit)
    );
    let bare = request(
        "generic",
        json!({"toolCallId": "1", "title": "intellij_read_file"}),
        None,
    );
    assert_eq!(
        (bare.rule, bare.identity),
        (IdentityRule::BareTitle, own("intellij_read_file"))
    );
    let nothing = request(
        "generic",
        json!({"toolCallId": "1", "title": "Approve this"}),
        None,
    );
    assert_eq!(
        (nothing.rule, nothing.identity),
        (IdentityRule::None, Identity::Unknown)
    );
}

#[test]
fn an_announced_call_is_read_like_a_request() {
    let output =
        json!({"type": "content", "content": {"type": "text", "text": "{\"command\":\"x\"}"}});
    let update = json!({"toolCallId": "read_file__1", "title": "src/A.java", "kind": "read",
                        "status": "completed", "content": [output],
                        "locations": [{"path": "/proj/src/A.java"}]});
    let action = normalize::update(&update, "/proj", &names("gemini"));
    assert_eq!(action.identity, builtin("read_file"));
    assert_eq!(action.kind, ActionKind::Read);
    assert_eq!(action.command, None, "a tool's output is no command");
}
