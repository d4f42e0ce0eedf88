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
        assert_eq!((action.kind.acp(), got.as_str()), (kind, command), "{row}");
        let got = if action.paths.is_empty() {
            "-".to_owned()
        } else {
            action.paths.join(" ")
        };
        assert_eq!(got, paths, "{row}");
        assert!(!action.contradictory, "{row}");
        assert!(action.unread.is_empty(), "{row}: {:?}", action.unread);
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

#[test]
fn words_of_a_model_never_tell_for_certain_what_runs() {
    let title_alone = json!({"toolCallId": "1", "title": "make all", "kind": "execute"});
    let action = request("generic", title_alone.clone(), None);
    assert_eq!(action.command.as_deref(), Some("make all"));
    assert_eq!(action.unread, ["title"]);
    assert!(request("gemini", title_alone, None).is_told_whole());

    // A title beside an input that says something else does not count.
    for raw_input in [
        json!({"input": "rm -rf src"}),
        json!({"command": {"cmd": "rm -rf src"}}),
        json!("rm -rf src # in words"),
        json!(["rm", {"flags": "-rf"}]),
    ] {
        let call = json!({"toolCallId": "1", "title": "nice", "kind": "execute",
                          "rawInput": raw_input});
        let action = request("gemini", call, None);
        assert_ne!(action.command.as_deref(), Some("nice"), "{raw_input}");
        assert_eq!(action.kind, ActionKind::Execute, "{raw_input}");
    }
    let argv = json!({"toolCallId": "1", "title": "nice", "kind": "other",
                      "rawInput": {"argv": ["rm", "-rf", "/"]}});
    let action = request("generic", argv, None);
    assert_eq!(action.command.as_deref(), Some("rm -rf /"));
    assert_eq!(action.kind, ActionKind::Execute);
}

#[test]
fn a_command_that_calls_itself_or_shows_something_else_is_not_understood() {
    let diff = json!([{"type": "diff", "path": "a", "newText": "x"}]);
    for (call, want) in [
        (json!({"kind": "delete"}), "kind"),
        (json!({"kind": "move"}), "kind"),
        (json!({"kind": "execute", "content": diff}), "content"),
    ] {
        let mut call = call;
        call["toolCallId"] = json!("1");
        call["rawInput"] = json!({"command": "make all"});
        assert_eq!(
            request("generic", call.clone(), None).unread,
            [want],
            "{call}"
        );
    }
    let unknown = json!({"toolCallId": "1", "title": "nice", "kind": "other",
                         "rawInput": {"input": "rm -rf src", "path": "a"}});
    assert_eq!(request("generic", unknown, None).unread, ["input"]);
}

#[test]
fn a_command_starts_where_its_fields_or_its_agents_words_say() {
    let text = json!([{"type": "content", "content": {"type": "text",
                       "text": "[current working directory /proj/sub] (tests)"}}]);
    let call = json!({"toolCallId": "run_shell_command__1", "title": "make", "kind": "execute",
                      "content": text});
    assert_eq!(
        request("gemini", call, None).run_folder("/proj"),
        "/proj/sub"
    );
    for key in [
        "cwd",
        "workdir",
        "working_dir",
        "working_directory",
        "directory",
        "dir_path",
    ] {
        let action = hook(
            "qwen",
            "run_shell_command",
            json!({"command": "make", key: "sub"}),
        );
        assert_eq!(action.run_folder("/proj"), "/proj/sub", "{key}");
        assert_eq!(action.unread, [""; 0], "{key}");
    }
}
