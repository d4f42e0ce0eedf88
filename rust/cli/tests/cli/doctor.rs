//! `siderail doctor` against scripted agents in the shapes of real ones.

use serde_json::Value;

use crate::process::{Ended, Place};

/// The doctor on a scripted agent in this agent's shape.
fn examined(place: &Place, agent: &str, script: &str, more: &[&str]) -> Ended {
    let command = format!(
        "'{}' scripted-agent --shape {agent} --script-text '{script}[[prompt]]'",
        env!("CARGO_BIN_EXE_siderail")
    );
    let words = ["doctor", agent, "--agent-command", &command];
    place.run(&[&words[..], more].concat())
}

fn report(place: &Place, agent: &str, script: &str, more: &[&str]) -> (Option<i32>, Value) {
    let ended = examined(place, agent, script, &[more, &["--json"]].concat());
    let report = ended.lines().pop();
    (
        ended.code,
        report.unwrap_or_else(|| panic!("no report: {ended:?}")),
    )
}

/// State and text of what was found of one thing.
fn found<'a>(report: &'a Value, check: &str) -> (&'a str, &'a str) {
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|found| found["check"] == check);
    let found = found.unwrap_or_else(|| panic!("{check} was not looked at: {report}"));
    (
        found["state"].as_str().expect("a state"),
        found["text"].as_str().expect("a text"),
    )
}

fn check_well(agent: &str, hook: &str) {
    let place = Place::new();
    let (code, report) = report(&place, agent, "", &[]);
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(report["exit"], 0);
    for check in [
        "start",
        "version",
        "login",
        "tools",
        "hidden",
        "hook",
        "hook tried",
    ] {
        let (state, text) = found(&report, check);
        assert_eq!(state, "ok", "{agent}: {check}: {text}");
    }
    assert!(found(&report, "hook").1.contains(hook), "{report}");
    assert!(
        found(&report, "hook tried")
            .1
            .contains("denied with guidance"),
        "{report}"
    );
    assert_eq!(place.left_behind().len(), 0);
    assert_eq!(
        crate::process::entries(&place.project()).len(),
        0,
        "nothing is left in the project"
    );
}

#[test]
fn copilot_is_well_when_flags_bring_tools_and_hook() {
    check_well("copilot", "handed over at launch");
}

#[test]
fn claude_is_well_when_the_session_brings_tools_and_hook() {
    check_well("claude", "handed over at launch");
}

#[test]
fn codex_is_well_when_it_lists_the_hook_as_trusted() {
    check_well("codex", "lists it as trusted");
}

#[test]
fn every_hook_that_is_registered_denies_an_edit_in_its_agents_own_form() {
    for (agent, more) in [
        ("codex-zed", &[][..]),
        ("qwen", &[]),
        ("vibe", &[]),
        ("openhands", &[]),
        ("openhands", &["--consent", "openhands"]),
    ] {
        let place = Place::new();
        std::fs::create_dir(place.path("home/.vibe")).unwrap();
        let (_, report) = report(&place, agent, "", more);
        let (state, text) = found(&report, "hook tried");
        assert_eq!(state, "ok", "{agent}: {text}");
    }
}

#[test]
fn a_hook_that_codex_does_not_trust_is_a_problem_with_a_way_out() {
    let place = Place::new();
    let hash = "sha256:0000";
    // the user's own state for our key wins over ours
    let config = format!(
        "CODEX_CONFIG={{\"hooks\":{{\"state\":{{\"/<session-flags>/config.toml:pre_tool_use:0:0\":\
         {{\"trusted_hash\":\"{hash}\"}}}}}}}}"
    );
    let (code, report) = report(&place, "codex", "", &["--agent-env", &config]);
    assert_eq!(code, Some(4), "{report}");
    let (state, text) = found(&report, "hook");
    assert_eq!(state, "problem");
    assert!(text.contains("untrusted"), "{text}");
    let findings = report["findings"].as_array().unwrap();
    let hook = findings.iter().find(|found| found["check"] == "hook");
    assert!(hook.unwrap()["fix"].is_string(), "{report}");
}

#[test]
fn hooks_of_the_project_that_keep_ours_away_are_a_problem() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("project/.openhands")).expect("a folder");
    std::fs::write(place.path("project/.openhands/hooks.json"), "{}").expect("a file");
    let (_, report) = report(&place, "openhands", "", &[]);
    let (state, text) = found(&report, "hook");
    assert_eq!(state, "problem");
    assert!(text.contains("hooks.json instead"), "{text}");
    assert!(!place.path("home/.openhands").exists());
}

#[test]
fn an_agent_that_wants_a_login_says_how_and_ends_with_seven() {
    let place = Place::new();
    let ended = examined(&place, "copilot", "faults = \"auth_required\"\n", &[]);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    assert!(
        ended.out.contains("problem  login") && ended.out.contains("copilot login"),
        "{}",
        ended.out
    );
    assert!(
        ended.out.contains("1.0.102"),
        "what it said of itself is shown"
    );
}

#[test]
fn an_agent_that_does_not_start_ends_with_three_and_says_how_to_install_it() {
    let place = Place::new();
    let mut command = place.siderail(&["doctor", "claude"]);
    let ended = Ended::of(command.env("PATH", place.path("home")).output().unwrap());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.out.contains("  to install it: npm install"),
        "{}",
        ended.out
    );
    let mut command = place.siderail(&["doctor"]);
    let ended = Ended::of(command.env("PATH", place.path("home")).output().unwrap());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.err.contains("none of the known agents"), "{ended:?}");
    assert!(ended.out.contains("settings"), "where they are: {ended:?}");
}

#[test]
fn an_agent_that_never_takes_our_tools_has_a_problem() {
    let place = Place::new();
    let profile = "name = \"deaf\"\ntitle = \"Deaf\"\n[mcp]\ndelivery = \"launch\"\n";
    std::fs::write(place.path("deaf.toml"), profile).unwrap();
    let command = format!(
        "'{}' scripted-agent --shape copilot --script-text '[[prompt]]'",
        env!("CARGO_BIN_EXE_siderail")
    );
    let file = place.path("deaf.toml");
    let ended = place.run(&[
        "doctor",
        "deaf",
        "--agent-command",
        &command,
        "--agents-file",
        file.to_str().unwrap(),
        "--json",
    ]);
    let report = ended.lines().remove(0);
    assert_eq!(ended.code, Some(4), "{report}");
    let (state, text) = found(&report, "tools");
    assert_eq!(state, "problem");
    assert!(text.contains("did not start it"), "{text}");
}

#[test]
fn without_a_name_all_that_are_installed_are_looked_at_in_short() {
    let place = Place::new();
    let bin = place.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for (name, shape) in [("copilot", "copilot"), ("claude-agent-acp", "claude")] {
        let script = format!(
            "#!/bin/sh\nexec '{}' scripted-agent --shape {shape} --script-text '[[prompt]]' \"$@\"\n",
            env!("CARGO_BIN_EXE_siderail")
        );
        let file = bin.join(name);
        std::fs::write(&file, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&file, mode).unwrap();
    }
    let mut command = place.siderail(&["doctor"]);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let ended = Ended::of(command.env("PATH", path).output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (agents, places) = ended.out.split_once("\n\n").expect("two parts");
    let lines: Vec<&str> = agents.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ended.out);
    assert!(places.starts_with("settings file "), "{}", ended.out);
    assert!(lines[0].starts_with("claude") && lines[0].contains("ok"));
    assert!(lines[1].starts_with("copilot") && lines[1].contains("1.0.102"));
}

#[test]
fn a_command_without_an_agent_is_wrong_usage() {
    let ended = Place::new().run(&["doctor", "--agent-command", "x"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn a_consent_journal_that_cannot_be_read_is_a_problem_and_told_with_what_to_do() {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    let place = Place::new();
    let folder = place.path("home/.local/state/siderail/consent");
    let mut private = std::fs::DirBuilder::new();
    private
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .expect("a new folder");
    let mut journal = std::fs::File::options();
    let journal = journal.write(true).create_new(true).mode(0o600);
    let journal = journal.open(folder.join("openhands.0123456789abcdef.json"));
    std::io::Write::write_all(&mut journal.expect("a new file"), b"{ torn").expect("written");
    let (code, report) = report(&place, "openhands", "", &["--consent", "openhands"]);
    assert_eq!(code, Some(4), "{report}");
    let (state, text) = found(&report, "consent");
    assert_eq!(state, "problem", "{report}");
    assert!(text.contains("is damaged"), "{text}");
    let ended = place.run(&["agents", "untrust", "openhands"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(
        ended.err.contains("then remove the journal's"),
        "{}",
        ended.err
    );
    assert!(
        !ended.err.contains("its earlier text is kept"),
        "{}",
        ended.err
    );
}
