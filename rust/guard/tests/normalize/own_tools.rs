//! Whose tool it is: ours, an agent's, another server's, or one that only looks like ours.

use serde_json::json;
use siderail_guard::Identity;
use siderail_guard::normalize::{self, AgentNames};

use crate::{AGENTS, builtin, hook, names, own, request};

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
fn members_that_one_agents_program_adds_are_taken_off_its_own_arguments_alone() {
    let input =
        json!({"data": {"a": 1, "summary": "s"}, "kind": "MCPToolAction", "security_risk": "LOW"});
    let of = |agent| hook(agent, "run_tests", input.clone()).own_arguments();
    assert_eq!(of("openhands"), json!({"a": 1}));
    assert_eq!(of("claude"), input, "they are its model's");
}

#[test]
fn a_tool_is_named_where_the_agents_profile_says_and_nowhere_else_in_meta() {
    let call = json!({"toolCallId": "1", "title": "Doing it",
                      "_meta": {"claudeCode": {"toolName": "Bash"}}});
    let named = request("claude", call.clone(), None).identity;
    assert_eq!(named, Identity::Builtin("Bash".to_owned()));
    let not_named = request("generic", call, None).identity;
    assert_eq!(not_named, Identity::Unknown);
}
