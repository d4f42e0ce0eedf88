//! The command that an agent is given for its hook, run as the agent runs it.

use crate::process::Place;

/// What the hook's command of a user's own profile prints when there is no engine.
fn unanswered(shape: &str) -> String {
    let place = Place::new();
    let profile = format!(
        "name = \"mine\"\ntitle = \"Mine\"\n[mcp]\ndelivery = \"session\"\nas_seen = \"{{tool}}\"\n\
         [base.env]\nHOOK = \"{{hook_command}}\"\n[hook]\nshape = \"{shape}\"\n"
    );
    let file = place.path("mine.toml");
    std::fs::write(&file, profile).expect("written");
    let agent = "sh -c 'echo {} | SIDERAIL_SOCKET=/nowhere sh -c \"$HOOK\" > answer'";
    let words = ["run", "--agent", "mine", "--agent-command", agent];
    let file = file.to_str().expect("text");
    let ended = place.run(&[&words[..], &["--agents-file", file, "hi"]].concat());
    let answer = std::fs::read_to_string(place.project().join("answer"));
    answer.unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[test]
fn a_profile_of_ones_own_goes_on_without_the_engine_as_its_hooks_shape_wants_it() {
    for shape in ["permission_decision", "pre_tool_use", "permission_request"] {
        assert_eq!(unanswered(shape), "{}\n", "{shape}");
    }
    assert_eq!(unanswered("decision"), "{\"decision\":\"allow\"}\n");
}

/// What the engine answers Copilot's hook about a call of a shell.
fn answered(tool: &str, command: &str) -> String {
    let place = Place::new();
    let call = serde_json::json!({
        "sessionId": "s", "timestamp": 0, "cwd": place.project(), "toolName": tool,
        "toolArgs": {"command": command},
    });
    std::fs::write(place.path("call"), call.to_string()).expect("written");
    let agent = format!(
        "sh -c '{} relay hook copilot < {} > answer'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("call").display()
    );
    let ended = place.run(&["run", "--agent", "copilot", "--agent-command", &agent, "hi"]);
    let answer = std::fs::read_to_string(place.project().join("answer"));
    answer.unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[test]
fn a_line_for_powershell_is_judged_as_powershell_reads_it() {
    let writes = "Set-Content -Path a.txt -Value 'x'";
    let answer = answered("powershell", writes);
    assert!(
        answer.contains("\"deny\"") && answer.contains("intellij_write_file"),
        "{answer}"
    );
    assert!(
        !answered("bash", writes).contains("deny"),
        "bash knows no such command"
    );
    assert!(answered("bash", "echo x > a.txt").contains("\"deny\""));
}
