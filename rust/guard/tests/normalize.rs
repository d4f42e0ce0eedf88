//! Hook payloads of every agent, odd and hostile calls: what the guard makes of them.

use proptest::prelude::*;
use serde_json::{Value, json};
use siderail_guard::normalize::{self, AgentNames, IdentityRule, RequestView};
use siderail_guard::{Action, ActionKind, Identity};

const OWN_TOOLS: [&str; 5] = [
    "intellij_read_file",
    "intellij_write_file",
    "run_tests",
    "run_command",
    "git_status",
];

const AGENTS: [&str; 11] = [
    "copilot",
    "claude",
    "codex",
    "codex-zed",
    "gemini",
    "qwen",
    "opencode",
    "vibe",
    "openhands",
    "fast-agent",
    "generic",
];

fn names(agent: &str) -> AgentNames<'_> {
    AgentNames {
        agent,
        server: "intellij-code-tools",
        own_tools: &OWN_TOOLS,
        title_is_command: matches!(agent, "gemini" | "generic"),
    }
}

fn hook(agent: &str, tool: &str, input: Value) -> Action {
    normalize::hook(tool, &input, "/proj", &names(agent))
}

fn request(agent: &str, tool_call: Value, stored: Option<Value>) -> Action {
    let view = RequestView {
        tool_call: &tool_call,
        stored: stored.as_ref(),
        last_open: None,
        meta: None,
        options: &Value::Null,
        cwd: "/proj",
    };
    normalize::permission(&view, &names(agent))
}

fn own(tool: &str) -> Identity {
    Identity::OwnTool(tool.to_owned())
}

fn builtin(tool: &str) -> Identity {
    Identity::Builtin(tool.to_owned())
}

#[test]
fn the_built_in_tools_of_every_agent_are_read_from_its_hook() {
    for row in include_str!("tables/hooks.txt")
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
fn own_tools_are_known_by_the_name_that_each_agents_hook_gives() {
    for (agent, tool) in [
        ("copilot", "intellij-code-tools-intellij_write_file"),
        ("claude", "mcp__intellij-code-tools__intellij_write_file"),
        ("codex", "mcp__intellij_code_tools__intellij_write_file"),
        ("codex-zed", "mcp__intellij_code_tools__intellij_write_file"),
        ("gemini", "mcp_intellij-code-tools_intellij_write_file"),
        ("qwen", "mcp__intellij-code-tools__intellij_write_file"),
        ("opencode", "intellij-code-tools_intellij_write_file"),
        ("vibe", "mcp_intellij_code_tools.intellij_write_file"),
        ("openhands", "intellij_write_file"),
        ("fast-agent", "intellij-code-tools__intellij_write_file"),
        ("generic", "intellij_write_file"),
    ] {
        let action = hook(agent, tool, json!({"path": "src/A.java", "content": "x"}));
        assert_eq!(action.identity, own("intellij_write_file"), "{agent}");
        assert_eq!(
            (action.command, action.contradictory),
            (None, false),
            "{agent}"
        );
        assert_eq!(action.paths, ["/proj/src/A.java"], "{agent}");
    }
}

#[test]
fn a_bare_own_name_is_ours_in_openhands_and_a_built_in_tool_elsewhere() {
    let input = json!({"command": "uname"});
    let ours = hook("openhands", "run_command", input.clone());
    assert_eq!((ours.identity, ours.command), (own("run_command"), None));
    let theirs = hook("generic", "run_command", input);
    assert_eq!(theirs.identity, builtin("run_command"));
    assert_eq!(theirs.command.as_deref(), Some("uname"));
}

#[test]
fn a_command_is_an_argument_of_run_command_and_of_no_other_own_tool() {
    let run = hook(
        "claude",
        "mcp__intellij-code-tools__run_command",
        json!({"command": "uname -s"}),
    );
    assert_eq!(run.identity, own("run_command"));
    assert_eq!((&run.command, run.contradictory), (&None, false));
    assert_eq!(run.arguments()["command"], "uname -s");
    let forged = hook(
        "claude",
        "mcp__intellij-code-tools__intellij_read_file",
        json!({"path": "a", "command": "rm -rf src"}),
    );
    assert!(forged.contradictory);
    assert_eq!(forged.command.as_deref(), Some("rm -rf src"));
}

#[test]
fn a_shell_call_that_its_model_titled_like_an_own_tool_is_contradictory() {
    // Copilot's title of a command is the model's description of it.
    let title = "intellij-code-tools-run_command";
    let shell = request(
        "copilot",
        json!({"toolCallId": "1", "title": title, "kind": "execute",
               "rawInput": {"command": "rm -rf src", "commands": ["rm -rf src"]}}),
        Some(json!({"toolCallId": "1", "title": title, "kind": "execute",
                    "rawInput": {"command": "rm -rf src", "description": title, "mode": "sync"}})),
    );
    assert!(shell.contradictory, "{shell:?}");
    assert_eq!(shell.command.as_deref(), Some("rm -rf src"));

    let own_call = request(
        "copilot",
        json!({"toolCallId": "1", "title": "Run a command", "kind": "other",
               "rawInput": {"command": "uname"}}),
        Some(json!({"toolCallId": "1", "title": title, "kind": "execute",
                   "rawInput": {"command": "uname"}})),
    );
    assert_eq!(own_call.identity, own("run_command"));
    assert_eq!((own_call.command, own_call.contradictory), (None, false));

    // Where the title is the command, a program may be called like one of our tools.
    let same = request(
        "opencode",
        json!({"toolCallId": "1", "title": "intellij-code-tools_run_command", "kind": "execute",
               "rawInput": {"command": "intellij-code-tools_run_command"}}),
        None,
    );
    assert!(same.contradictory);
    let only_title = request(
        "generic",
        json!({"toolCallId": "1", "title": "intellij-code-tools/run_tests", "kind": "execute"}),
        None,
    );
    assert!(only_title.contradictory);
}

#[test]
fn arguments_that_look_like_an_agents_own_fields_are_only_arguments() {
    for agent in AGENTS {
        let forged = hook(
            agent,
            "Bash",
            json!({"command": "rm -rf src", "server": "intellij-code-tools", "tool": "run_tests",
                   "server_name": "intellij-code-tools", "kind": "MCPToolAction", "data": {},
                   "arguments": {}, "name": "run_tests", "toolName": "run_tests"}),
        );
        assert_eq!(forged.identity, builtin("Bash"), "{agent}");
        assert_eq!(forged.command.as_deref(), Some("rm -rf src"), "{agent}");
    }
    let asked = request(
        "claude",
        json!({"toolCallId": "1", "name": "Bash", "kind": "execute", "rawInput": {
            "command": "rm -rf src", "server": "intellij-code-tools", "tool": "run_tests"}}),
        None,
    );
    assert_eq!(asked.identity, builtin("Bash"));
}

#[test]
fn an_own_name_beside_a_diff_or_another_name_is_contradictory() {
    let diff = request(
        "opencode",
        json!({"toolCallId": "1", "kind": "edit",
               "title": "intellij-code-tools_intellij_write_file",
               "content": [{"type": "diff", "path": "/proj/a", "newText": "x"}]}),
        None,
    );
    assert!(diff.contradictory);
    let two_names = request(
        "claude",
        json!({"toolCallId": "1", "name": "mcp__intellij-code-tools__run_tests",
               "_meta": {"claudeCode": {"toolName": "Bash"}}}),
        None,
    );
    assert!(two_names.contradictory);
    let two_titles = request(
        "opencode",
        json!({"toolCallId": "1", "title": "intellij-code-tools_run_tests"}),
        Some(json!({"toolCallId": "1", "title": "bash", "rawInput": {"cwd": "/proj"}})),
    );
    assert!(two_titles.contradictory);
}

#[test]
fn an_own_tool_without_arguments_is_ours_where_titles_are_the_agents_own() {
    let call = json!({"toolCallId": "1", "title": "intellij-code-tools/run_tests", "kind": "execute",
                      "rawInput": {}});
    let names = AgentNames {
        title_is_command: true,
        ..names("fast-agent")
    };
    let action = normalize::update(&call, "/proj", &names);
    assert_eq!(
        (action.identity, action.contradictory),
        (own("run_tests"), false)
    );
}

#[test]
fn a_field_beats_a_title_that_names_an_own_tool() {
    let action = request(
        "claude",
        json!({"toolCallId": "1", "name": "Bash", "title": "mcp__intellij-code-tools__run_tests",
               "kind": "execute", "rawInput": {"command": "mcp__intellij-code-tools__run_tests"}}),
        None,
    );
    assert_eq!(action.identity, builtin("Bash"));
    let gemini = request(
        "gemini",
        json!({"toolCallId": "run_shell_command__1", "kind": "execute",
               "title": "intellij-code-tools_run_tests"}),
        None,
    );
    assert_eq!(gemini.identity, builtin("run_shell_command"));
    assert_eq!(
        gemini.command.as_deref(),
        Some("intellij-code-tools_run_tests")
    );
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
fn tools_of_other_servers_are_never_taken_for_ours_or_for_built_in_ones() {
    for (agent, tool, server, name) in [
        ("claude", "mcp__github__run_tests", "github", "run_tests"),
        ("vibe", "mcp_github.run_tests", "github", "run_tests"),
        ("fast-agent", "github/think", "github", "think"),
    ] {
        let action = hook(agent, tool, json!({}));
        let want = Identity::OtherMcp {
            server: server.to_owned(),
            tool: name.to_owned(),
        };
        assert_eq!(action.identity, want, "{agent}");
    }
    let openhands = request(
        "openhands",
        json!({"toolCallId": "1", "title": "create_issue: {\"a\": 1}", "kind": "other",
               "rawInput": {"data": {"a": 1}, "kind": "MCPToolAction"}}),
        None,
    );
    assert_eq!(openhands.identity.label(), "create_issue");
    assert!(matches!(openhands.identity, Identity::OtherMcp { .. }));
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

/// JSON of the shapes that calls have, with the field names that the rules look at.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(
            &[
                "execute",
                "edit",
                "other",
                "bash",
                "intellij-code-tools",
                "run_tests",
                "run_command",
                "intellij-code-tools-run_tests",
                "mcp__intellij-code-tools__run_command",
                "MCPToolAction",
                "mcp_intellij-code-tools_run_tests__1",
                "rm -rf src",
                "[\"ls\"]",
                "{\"command\":\"ls\"}",
            ][..]
        )
        .prop_map(Value::from),
    ];
    let key = prop::sample::select(
        &[
            "toolCallId",
            "title",
            "name",
            "kind",
            "status",
            "rawInput",
            "command",
            "cmd",
            "commands",
            "script",
            "path",
            "paths",
            "locations",
            "content",
            "type",
            "_meta",
            "toolName",
            "claudeCode",
            "server",
            "tool",
            "server_name",
            "arguments",
            "data",
            "request",
            "changes",
            "description",
            "options",
            "cwd",
            "text",
        ][..],
    );
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|fields| {
                Value::Object(
                    fields
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_json_makes_the_normaliser_panic_and_no_own_tool_carries_a_command(
        call in any_json(),
        stored in prop::option::of(any_json()),
        open in prop::option::of(any_json()),
        meta in prop::option::of(any_json()),
        options in any_json(),
        agent in prop::sample::select(&AGENTS[..]),
    ) {
        let names = names(agent);
        let view = RequestView {
            tool_call: &call,
            stored: stored.as_ref(),
            last_open: open.as_ref(),
            meta: meta.as_ref(),
            options: &options,
            cwd: "/proj",
        };
        for action in [
            normalize::permission(&view, &names),
            normalize::update(&call, "/proj", &names),
            normalize::hook("mcp__intellij-code-tools__run_tests", &call, "/proj", &names),
        ] {
            if action.identity.is_own() && action.command.is_some() {
                prop_assert!(action.contradictory, "{action:?}");
            }
        }
    }

    #[test]
    fn a_command_beside_an_own_title_is_never_simply_own(
        command in "[a-z]{1,8}( [a-z/.-]{1,8}){0,3}",
        agent in prop::sample::select(&AGENTS[..]),
        tool in prop::sample::select(&["intellij_read_file", "run_tests", "git_status"][..]),
        key in prop::sample::select(&["command", "cmd", "script"][..]),
    ) {
        let title = format!("intellij-code-tools-{tool}");
        let call = json!({"toolCallId": "1", "title": title, "kind": "execute",
                          "rawInput": {key: command}});
        let action = request(agent, call, None);
        prop_assert!(action.contradictory || !action.identity.is_own(), "{action:?}");
    }
}
