//! An agent that tells its environment tells it to nobody: not to a reader of events, not to one of the trace.

use crate::process::{Ended, Place};

/// Variables of the user's, and a text of each that must not be found anywhere.
const OF_THE_USER: [(&str, &str); 4] = [
    ("ANTHROPIC_API_KEY", "sk-ant-0123456789"),
    ("DB_PASSWD", "correct-horse-battery"),
    ("GITHUB_PAT", "ghp_0123456789abcdef"),
    ("SESSION_COOKIE", "c00kie-c00kie"),
];

/// Runs a command as agent, in an environment with secrets. The command begins by keeping the session's token in
/// the file `token`.
fn run(place: &Place, command: &str, more: &[&str]) -> Ended {
    let keeps = format!("sh -c 'printf %s \"$SIDERAIL_TOKEN\" > token; {command}'");
    let words = [
        "run",
        "--agent",
        "mine",
        "--agent-command",
        &keeps,
        "--json",
    ];
    let mut siderail = place.siderail(&[&words[..], more, &["hi"]].concat());
    siderail.envs(OF_THE_USER);
    Ended::of(siderail.output().expect("the binary starts"))
}

fn check(place: &Place, told: &str, written: &str) {
    let token = std::fs::read_to_string(place.project().join("token")).expect("a file");
    assert_eq!(token.len(), 64, "the agent had its token");
    let secrets = OF_THE_USER
        .iter()
        .map(|(_, value)| *value)
        .chain([token.as_str()]);
    for secret in secrets {
        assert!(!told.contains(secret), "{secret} is told: {told}");
        assert!(!written.contains(secret), "{secret} is written: {written}");
    }
}

#[test]
fn an_agent_that_dies_with_its_environment_on_its_lips_gives_no_secret_away() {
    let place = Place::new();
    let trace = place.path("t.jsonl");
    let more = ["--trace", trace.to_str().expect("text")];
    let said = "env; env >&2; echo \"[$DB_PASSWD] $SIDERAIL_TOKEN\" >&2; exit 1";
    let ended = run(&place, said, &more);
    let lines = ended.lines();
    let error = lines.iter().find(|line| line["event"] == "ERROR");
    let error = error.expect("it died")["text"].to_string();
    assert!(error.contains("[[hidden]] [hidden]"), "{error}");
    assert!(error.contains("GITHUB_PAT="), "the rest is told: {error}");
    let written = std::fs::read_to_string(&trace).expect("a trace");
    assert!(written.contains("[[hidden]] [hidden]"), "{written}");
    check(&place, &format!("{}{}", ended.out, ended.err), &written);
}

#[test]
fn what_a_command_of_the_agents_puts_out_is_told_without_secrets() {
    let place = Place::new();
    let script = place.path("script.toml");
    let steps = "really = true\n[[prompt]]\nstep = [{ shell = \"env\", ask = false, expect = \"allowed\" }]\n";
    std::fs::write(&script, steps).expect("written");
    let agent = format!(
        "exec {} scripted-agent --shape copilot --script {}",
        env!("CARGO_BIN_EXE_siderail"),
        script.display()
    );
    let trace = place.path("t.jsonl");
    let ended = run(&place, &agent, &["--trace", trace.to_str().expect("text")]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let is_output = |line: &&serde_json::Value| line["event"] == "TOOL_CALL" && line["text"] != "";
    let lines = ended.lines();
    let call = lines.iter().rfind(is_output).expect("the command's output");
    let text = call["text"].as_str().expect("a text");
    for (name, _) in OF_THE_USER {
        assert!(text.contains(&format!("{name}=[hidden]")), "{text}");
    }
    let written = std::fs::read_to_string(&trace).expect("a trace");
    check(&place, &format!("{}{}", ended.out, ended.err), &written);
}
