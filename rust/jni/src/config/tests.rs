//! What is given over the boundary, and what the settings say to it.

use super::*;
use serde_json::json;
use std::fs;

fn given(options: serde_json::Value) -> GivenOptions {
    serde_json::from_value(options).expect("options")
}

/// Settings files of a person and a project, in folders that last as long as what is returned.
fn files(user: &str, project: &str) -> (tempfile::TempDir, OpenConfig) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home");
    let config = if cfg!(target_os = "macos") {
        home.join("Library/Application Support/siderail")
    } else {
        home.join(".config/siderail")
    };
    fs::create_dir_all(&config).expect("a folder");
    fs::write(config.join("config.toml"), user).expect("a file");
    fs::write(folder.path().join(".siderail.toml"), project).expect("a file");
    let open = json!({
        "project": folder.path(), "relay": ["relay"], "runtime_dir": "/run", "env": {"HOME": home},
        "tools": ["intellij_read_file", "make_coffee"],
    });
    let bytes = serde_json::to_vec(&open).expect("JSON");
    let open = OpenConfig::parse(&bytes).expect("a configuration");
    (folder, open)
}

#[test]
fn the_file_of_start_session_gives_every_option_that_kotlin_has() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/boundary/command.start_session.json"
    );
    let text = fs::read_to_string(file).expect("the file");
    let whole: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let (_folder, open) = files("", "");
    let (settings, _) = SettingsFiles::read(&open).expect("settings");
    let options = settings.session(given(whole["options"].clone()));
    assert_eq!(options.agent, "claude");
    assert_eq!(
        options.agent_command.as_deref(),
        Some(&["claude-agent-acp".to_owned(), "--flag".to_owned()][..])
    );
    assert_eq!(options.agent_env["KEY"], "value");
    assert_eq!((options.policy.as_str(), options.hide), ("ask", false));
    assert_eq!(options.mode.as_deref(), Some("default"));
    assert_eq!(options.consent, ["openhands"]);
    assert_eq!(options.deny_threshold, Some(4));
    assert_eq!(options.inactivity_s, Some(600));
    assert_eq!(options.resume.as_deref(), Some("3f2a91c0"));
    assert_eq!(options.trace, Some("/tmp/trace.jsonl".into()));
    assert_eq!(options.project, open.project);
}

#[test]
fn what_is_not_given_is_as_the_settings_say_and_a_project_only_tightens() {
    let (folder, open) = files("policy = \"yolo\"\nhide = false", "");
    let (settings, _) = SettingsFiles::read(&open).expect("settings");
    let of = |options| settings.session(given(options));
    let plain = of(json!({"agent": "claude"}));
    assert_eq!((plain.policy.as_str(), plain.hide), ("yolo", false));
    let chosen = of(json!({"agent": "claude", "policy": "observe", "hide": true}));
    assert_eq!((chosen.policy.as_str(), chosen.hide), ("observe", true));
    fs::write(
        folder.path().join(".siderail.toml"),
        "policy = \"redirect\"",
    )
    .expect("a file");
    let tightened = of(json!({"agent": "claude", "policy": "yolo"}));
    assert_eq!(tightened.policy, "redirect", "read again for each session");
}

#[test]
fn limits_set_in_the_embedder_win_over_the_users_file_and_a_project_only_tightens_them() {
    let user = "deny_threshold = 5\ninactivity_s = 100\ntools_off = [\"git_log\"]";
    let (folder, mut open) = files(user, "");
    let (settings, in_force) = SettingsFiles::read(&open).expect("settings");
    assert_eq!(in_force.tools_off, ["git_log"], "as the user's file says");
    let of = |options| {
        let options = settings.session(given(options));
        (options.deny_threshold, options.inactivity_s)
    };
    let set = || json!({"agent": "claude", "deny_threshold": 9, "inactivity_s": 900});
    assert_eq!(of(json!({"agent": "claude"})), (Some(5), Some(100)));
    assert_eq!(of(set()), (Some(9), Some(900)));
    let project = folder.path().join(".siderail.toml");
    fs::write(&project, "deny_threshold = 3\ninactivity_s = 1200").expect("a file");
    assert_eq!(
        of(set()),
        (Some(3), Some(900)),
        "fewer tightens, longer does not"
    );
    open.tools_off = Some(vec!["run_command".to_owned()]);
    let (_, in_force) = SettingsFiles::read(&open).expect("settings");
    assert_eq!(in_force.tools_off, ["run_command"]);
    open.env
        .insert("SIDERAIL_TOOLS_OFF".to_owned(), "git_show".to_owned());
    let (_, in_force) = SettingsFiles::read(&open).expect("settings");
    assert_eq!(in_force.tools_off, ["git_show"], "the environment wins");
}

#[test]
fn a_settings_file_that_breaks_later_does_not_stop_a_session() {
    let (folder, open) = files("policy = \"ask\"", "");
    let (settings, _) = SettingsFiles::read(&open).expect("settings");
    let user = places::settings_folder(&open.env).expect("a folder");
    fs::write(user.join("config.toml"), "policy = ").expect("a file");
    let options = settings.session(given(json!({"agent": "claude"})));
    assert_eq!(options.policy, "ask");
    let error = SettingsFiles::read(&open).expect_err("opening says it");
    assert!(error.to_string().contains("config.toml"), "{error}");
    drop(folder);
}

#[test]
fn a_tool_that_the_engine_does_not_know_is_not_offered() {
    let (_folder, open) = files("", "");
    assert_eq!(open.tools(), ["intellij_read_file"]);
}

#[test]
fn a_configuration_with_something_unknown_or_impossible_is_refused() {
    for wrong in [
        "{}",
        r#"{"project":"/p","relay":[],"runtime_dir":"/r","env":{},"colour":"red"}"#,
        r#"{"project":"/p","relay":[],"runtime_dir":"/r","env":{},"call_limit_s":-1}"#,
        r#"{"project":"/p","relay":[],"runtime_dir":"/r","env":{},"call_limit_s":1e300}"#,
    ] {
        let refused = OpenConfig::parse(wrong.as_bytes());
        assert!(
            matches!(refused, Err(BridgeError::Invalid { .. })),
            "{wrong}"
        );
    }
}
