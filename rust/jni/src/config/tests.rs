//! What is given over the boundary, and what the settings say to it.

use siderail_engine::guard::Policy;

use super::*;
use serde_json::json;
use std::fs;

fn given(options: serde_json::Value) -> GivenOptions {
    let members = options.as_object().cloned().expect("an object");
    GivenOptions::parse(members).expect("options")
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
    let (settings, _) = SettingsFiles::read(&open);
    let options = settings.session(given(whole["options"].clone()));
    assert_eq!(options.agent, "claude");
    assert_eq!(
        options.agent_command.as_deref(),
        Some(&["claude-agent-acp".to_owned(), "--flag".to_owned()][..])
    );
    assert_eq!(options.agent_env["KEY"], "value");
    assert_eq!(
        (options.settings.policy, options.settings.hide),
        (Policy::Ask, false)
    );
    assert_eq!(options.settings.mode.of("claude"), Some("default"));
    assert_eq!(options.settings.consent, ["openhands"]);
    assert_eq!(options.settings.deny_threshold, 4);
    assert_eq!(options.settings.inactivity, Duration::from_secs(600));
    assert_eq!(options.resume.as_deref(), Some("3f2a91c0"));
    assert_eq!(options.trace, Some("/tmp/trace.jsonl".into()));
    assert_eq!(
        options.content_roots,
        [std::path::PathBuf::from("/home/me/module")]
    );
    assert_eq!(options.project, open.project);
}

#[test]
fn a_further_folder_that_is_no_content_root_is_only_told() {
    let members = serde_json::json!({"agent": "x", "additional_directories": ["/home/me/other"]});
    let given = GivenOptions::parse(members.as_object().expect("an object").clone());
    let files = SettingsFiles {
        project: "/p".into(),
        env: BTreeMap::new(),
    };
    let options = files.session(given.expect("options"));
    assert_eq!(
        options.additional_directories,
        [std::path::PathBuf::from("/home/me/other")]
    );
    assert!(options.content_roots.is_empty());
}

#[test]
fn a_restart_takes_the_options_of_a_start() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/boundary/command.restart_session.json"
    );
    let order = crate::orders::Order::parse(&fs::read(file).expect("the file"));
    let crate::orders::Order::Start {
        session,
        given,
        restarts,
    } = order.expect("a command")
    else {
        panic!("it has options");
    };
    let (_folder, open) = files("hide = false", "");
    let options = SettingsFiles::read(&open).0.session(*given);
    assert_eq!((session, restarts), (1, true));
    assert_eq!(
        (options.settings.policy, options.settings.hide),
        (Policy::Ask, false)
    );
}

#[test]
fn what_is_not_given_is_as_the_settings_say_and_a_project_only_tightens() {
    let (folder, open) = files("policy = \"yolo\"\nhide = false", "");
    let (settings, _) = SettingsFiles::read(&open);
    let of = |options| settings.session(given(options));
    let plain = of(json!({"agent": "claude"}));
    assert_eq!(
        (plain.settings.policy, plain.settings.hide),
        (Policy::Yolo, false)
    );
    let chosen = of(json!({"agent": "claude", "policy": "observe", "hide": true}));
    assert_eq!(
        (chosen.settings.policy, chosen.settings.hide),
        (Policy::Observe, true)
    );
    fs::write(
        folder.path().join(".siderail.toml"),
        "policy = \"redirect\"",
    )
    .expect("a file");
    let tightened = of(json!({"agent": "claude", "policy": "yolo"}));
    assert_eq!(
        tightened.settings.policy,
        Policy::Redirect,
        "read again for each session"
    );
}

#[test]
fn limits_set_in_the_embedder_win_over_the_users_file_and_a_project_only_tightens_them() {
    let user = "deny_threshold = 5\ninactivity_s = 100\ntools_off = [\"git_log\"]";
    let (folder, mut open) = files(user, "");
    let (settings, in_force) = SettingsFiles::read(&open);
    assert_eq!(in_force.tools_off, ["git_log"], "as the user's file says");
    let of = |options| {
        let options = settings.session(given(options));
        (
            options.settings.deny_threshold,
            options.settings.inactivity.as_secs(),
        )
    };
    let set = || json!({"agent": "claude", "deny_threshold": 9, "inactivity_s": 900});
    assert_eq!(of(json!({"agent": "claude"})), (5, 100));
    assert_eq!(of(set()), (9, 900));
    let project = folder.path().join(".siderail.toml");
    fs::write(&project, "deny_threshold = 3\ninactivity_s = 1200").expect("a file");
    assert_eq!(of(set()), (3, 900), "fewer tightens, longer does not");
    open.set.tools_off = Some(vec!["run_command".to_owned()]);
    let (_, in_force) = SettingsFiles::read(&open);
    assert_eq!(in_force.tools_off, ["run_command"]);
    open.env
        .insert("SIDERAIL_TOOLS_OFF".to_owned(), "git_show".to_owned());
    let (_, in_force) = SettingsFiles::read(&open);
    assert_eq!(in_force.tools_off, ["git_show"], "the environment wins");
}

#[test]
fn a_mistake_in_a_settings_file_stops_no_session_and_is_told_in_it() {
    let (folder, open) = files("policy = \"ask\"\nhide = 3", "consent = []");
    let (settings, in_force) = SettingsFiles::read(&open);
    assert_eq!((in_force.policy, in_force.hide), (Policy::Ask, true));
    let options = settings.session(given(json!({"agent": "claude"})));
    assert_eq!(options.settings.policy, Policy::Ask);
    let [own, projects] = options.notices.as_slice() else {
        panic!("{:?}", options.notices);
    };
    for part in [
        "config.toml:2:8: `hide` is 3; `on` is in force",
        "true or false",
    ] {
        assert!(own.contains(part), "{own}");
    }
    assert!(
        projects.contains(".siderail.toml:1:11: a project cannot set `consent`"),
        "{projects}"
    );
    drop(folder);
}

#[test]
fn what_an_embedder_cannot_mean_is_refused_at_once() {
    let refused = |options: serde_json::Value| {
        let members = options.as_object().cloned().expect("an object");
        GivenOptions::parse(members)
            .expect_err("refused")
            .to_string()
    };
    let why = refused(json!({"agent": "claude", "policy": "lax"}));
    assert!(
        why.contains("`policy` is \"lax\"") && why.contains("\"observe\""),
        "{why}"
    );
    assert!(refused(json!({"agent": "claude", "hid": true})).contains("`hid`"));
    assert!(refused(json!({"agent": "claude", "tools_off": []})).contains("`tools_off`"));
}

#[test]
fn a_tool_that_the_engine_does_not_know_is_not_offered() {
    let (_folder, open) = files("", "");
    assert_eq!(open.tools(), [Tool::ReadFile]);
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
