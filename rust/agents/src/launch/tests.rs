//! Launches of built-in profiles, with and without what the user has set.

use serde_json::json;

use super::*;
use crate::profile::Profiles;

/// OpenHands with this home and project, and what its user agrees to.
#[cfg(unix)]
fn openhands(place: &Path, consent: bool, users: &[(&str, &str)]) -> Result<Launch, AgentError> {
    let profiles = Profiles::load(&[] as &[&Path]);
    let profile = profiles.get("openhands", false).unwrap();
    let relay = ["/opt/siderail".to_owned(), "relay".to_owned()];
    let home = place.join("home").display().to_string();
    let values = Values {
        server: "s",
        relay: &relay,
        folder: place,
        state: &place.join("state"),
        socket: "",
        token: "",
        home: &home,
        project: &place.join("project"),
        api_port: 0,
        api_password: "",
    };
    let mut env: BTreeMap<String, String> = [("HOME".to_owned(), home.clone())].into();
    env.extend(
        users
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
    );
    let none = BTreeMap::new();
    let wishes = Wishes {
        command: None,
        env: &none,
        hide: true,
        hook: true,
        consent,
    };
    prepare(&profile, &wishes, env, &values)
}

/// A place with these files.
#[cfg(unix)]
fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for folder in ["home", "project", "state"] {
        std::fs::create_dir(place.path().join(folder)).unwrap();
    }
    for (name, text) in files {
        let file = place.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    place
}

#[cfg(unix)]
#[test]
fn openhands_sees_a_home_with_our_hook_in_its_folder() {
    let place = place(&[
        ("home/.gitconfig", "[user]"),
        ("home/.openhands/mcp.json", "{}"),
    ]);
    let real = place.path().join("home");
    let launch = openhands(place.path(), false, &[]).unwrap();
    assert!(launch.consent.is_none() && launch.hook.is_some());
    assert_eq!(launch.home.as_deref(), real.to_str(), "for what `~` means");
    let seen = PathBuf::from(&launch.env["HOME"]);
    let read = |name: &str| std::fs::read_to_string(seen.join(name)).unwrap();
    assert_eq!(read(".gitconfig"), "[user]");
    assert_eq!(read(".openhands/mcp.json"), "{}");
    let hooks: Value = serde_json::from_str(&read(".openhands/hooks.json")).unwrap();
    let ours = &hooks["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
    assert_eq!(
        ours,
        "/opt/siderail relay hook openhands --no-decision allow"
    );
    let kept = real.join(".openhands").display().to_string();
    assert_eq!(launch.env["OPENHANDS_PERSISTENCE_DIR"], kept);
    drop(launch);
    assert!(!seen.exists() && !real.join(".bashrc").exists());
    let own = [("OPENHANDS_PERSISTENCE_DIR", "/elsewhere")];
    let launch = openhands(place.path(), false, &own).unwrap();
    assert_eq!(launch.env["OPENHANDS_PERSISTENCE_DIR"], "/elsewhere");
}

/// OpenHands reads `hooks` where there is one, else the top level, and takes no two spellings of one event.
#[cfg(unix)]
#[test]
fn our_hook_goes_where_the_users_own_hooks_are() {
    for (users, at) in [
        ("", "/hooks/PreToolUse/0"),
        ("{}", "/hooks/PreToolUse/0"),
        (r#"{"hooks": {"Stop": []}}"#, "/hooks/PreToolUse/0"),
        (
            r#"{"hooks": {"pre_tool_use": [1]}}"#,
            "/hooks/pre_tool_use/1",
        ),
        (r#"{"PostToolUse": [1]}"#, "/PreToolUse/0"),
        (r#"{"pre_tool_use": [1]}"#, "/pre_tool_use/1"),
    ] {
        let place = place(&[("home/.openhands/hooks.json", users)]);
        for consent in [false, true] {
            let launch = openhands(place.path(), consent, &[]).unwrap();
            let hooks = match &launch.consent {
                Some((_, ours)) => crate::consent::laid_over(Some(users), ours).unwrap(),
                None => {
                    let home = Path::new(&launch.env["HOME"]);
                    std::fs::read_to_string(home.join(".openhands/hooks.json")).unwrap()
                }
            };
            assert_eq!(launch.consent.is_some(), consent);
            assert_eq!(launch.overlay.is_some(), !consent);
            let hooks: Value = serde_json::from_str(&hooks).unwrap();
            let ours = hooks.pointer(at).map(|ours| &ours["matcher"]);
            assert_eq!(ours, Some(&json!("*")), "{users}: {hooks}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_projects_own_hooks_leave_openhands_without_ours() {
    let place = place(&[("project/.openhands/hooks.json", "{}")]);
    for consent in [false, true] {
        let launch = openhands(place.path(), consent, &[]).unwrap();
        assert!(launch.hook.is_none() && launch.overlay.is_none() && launch.consent.is_none());
        let why = launch.hook_off.unwrap();
        assert!(why.contains("project/.openhands/hooks.json"), "{why}");
    }
}

fn launch(agent: &str, env: &[(&str, &str)], folder: &Path) -> Launch {
    launched(agent, env, &[], folder, true).unwrap()
}

fn launched(
    agent: &str,
    env: &[(&str, &str)],
    base: &[(&str, &str)],
    folder: &Path,
    hide: bool,
) -> Result<Launch, AgentError> {
    let profile = Profiles::load(&[] as &[&Path]).get(agent, false).unwrap();
    let relay = ["/opt/side rail/siderail".to_owned(), "relay".to_owned()];
    let variables = |given: &[(&str, &str)]| -> BTreeMap<String, String> {
        let owned = given
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        owned.collect()
    };
    let env = variables(env);
    let values = Values {
        server: "intellij-code-tools",
        relay: &relay,
        folder,
        state: folder,
        socket: "/run/s",
        token: "t0k",
        home: "/home/me",
        project: Path::new("/home/me/project"),
        api_port: 4242,
        api_password: "pw",
    };
    let wishes = Wishes {
        command: None,
        env: &env,
        hide,
        hook: true,
        consent: true,
    };
    let env = environment(&profile, &env, &variables(base));
    prepare(&profile, &wishes, env, &values)
}

#[test]
fn a_users_codex_config_is_extended_and_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let own = r#"{"model":"mine","features":{"web":true},
        "hooks":{"PreToolUse":[{"matcher":"mine"}]}}"#;
    let launch = launch("codex", &[("CODEX_CONFIG", own)], dir.path());
    let config: Value = serde_json::from_str(&launch.env["CODEX_CONFIG"]).unwrap();
    assert_eq!(config["model"], "mine");
    assert_eq!(config["features"]["web"], true);
    assert_eq!(config["features"]["shell_tool"], false);
    assert_eq!(config["hooks"]["PreToolUse"][0]["matcher"], "mine");
    let hook = &config["hooks"]["PreToolUse"][1]["hooks"][0]["command"];
    // On Windows a path with blanks goes by its short name, which one that is not there has none of.
    let expected = match cfg!(windows) {
        true => "& \"/opt/side rail/siderail\" relay hook codex",
        false => "'/opt/side rail/siderail' relay hook codex",
    };
    assert_eq!(hook, &Value::from(expected));
    let state = config["hooks"]["state"].as_object().unwrap();
    assert!(state.contains_key(&format!("{CODEX_FLAGS}:pre_tool_use:1:0")));
    assert!(
        state
            .values()
            .all(|s| s["trusted_hash"].as_str().unwrap().len() == 71)
    );
}

#[test]
fn copilot_gets_its_server_and_hook_by_files_that_only_the_user_can_read() {
    let dir = tempfile::tempdir().unwrap();
    let launch = launch("copilot", &[], dir.path());
    assert!(launch.mcp_servers.is_empty());
    let mcp = dir.path().join("mcp.json");
    let text: Value = serde_json::from_str(&std::fs::read_to_string(&mcp).unwrap()).unwrap();
    let server = &text["mcpServers"]["intellij-code-tools"];
    assert_eq!(server["args"], json!(["relay"]));
    assert_eq!(server["env"]["SIDERAIL_TOKEN"], "t0k");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            std::fs::metadata(&mcp).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    let hook = std::fs::read_to_string(dir.path().join("plugin/hooks.json")).unwrap();
    assert!(hook.contains("relay hook copilot"), "{hook}");
    assert!(
        launch
            .args
            .iter()
            .any(|a| a.starts_with("--excluded-tools=bash,"))
    );
}

#[test]
fn nothing_is_hidden_against_the_word_of_the_users_own_command() {
    let profile = Profiles::load(&[] as &[&Path])
        .get("fast-agent", true)
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let check = |command: &[&str], hides: bool| {
        let command: Vec<String> = command.iter().map(|w| (*w).to_owned()).collect();
        let env = BTreeMap::new();
        let wishes = Wishes {
            command: Some(&command),
            env: &env,
            hide: true,
            hook: true,
            consent: false,
        };
        let values = Values {
            server: "s",
            relay: &[],
            folder: dir.path(),
            state: dir.path(),
            socket: "",
            token: "",
            home: "",
            project: Path::new(""),
            api_port: 0,
            api_password: "",
        };
        let launch = prepare(&profile, &wishes, env.clone(), &values).unwrap();
        assert_eq!(launch.args.iter().any(|arg| arg == "--no-shell"), hides);
        assert_eq!(!launch.hidden.is_empty(), hides);
    };
    check(&["fast-agent", "acp"], true);
    check(&["fast-agent", "acp", "-x", "--home", "h"], false);
    check(&["fast-agent", "acp", "--shell"], false);
}

#[test]
fn the_users_own_environment_wins_over_the_profile() {
    let dir = tempfile::tempdir().unwrap();
    let launch = launch("claude", &[("ENABLE_TOOL_SEARCH", "true")], dir.path());
    assert_eq!(launch.env["ENABLE_TOOL_SEARCH"], "true");
    let options = &launch.session_meta["claudeCode"]["options"];
    assert!(
        options["disallowedTools"]
            .as_array()
            .unwrap()
            .contains(&json!("Bash"))
    );
    assert_eq!(
        options["settings"]["hooks"]["PreToolUse"][0]["matcher"],
        "*"
    );
}

#[test]
fn what_no_reason_could_reach_stays_hidden_when_hiding_is_off() {
    let dir = tempfile::tempdir().unwrap();
    let gemini = launched("gemini", &[], &[], dir.path(), false).unwrap();
    assert_eq!(gemini.hidden, ["run_shell_command"]);
    let policy = std::fs::read_to_string(dir.path().join("policy.toml")).unwrap();
    assert!(policy.contains(r#"["run_shell_command"]"#), "{policy}");
    let claude = launched("claude", &[], &[], dir.path(), false).unwrap();
    assert!(claude.hidden.is_empty());
    assert!(claude.session_meta["claudeCode"]["options"]["disallowedTools"].is_null());
}

#[test]
fn the_hook_is_trusted_by_its_place_behind_those_of_the_persons_own_environment() {
    let dir = tempfile::tempdir().unwrap();
    let own = r#"{"hooks":{"PreToolUse":[{"matcher":"a"},{"matcher":"b"}]}}"#;
    let base = [("CODEX_CONFIG", own)];
    let launch = launched("codex", &[], &base, dir.path(), true).unwrap();
    let config: Value = serde_json::from_str(&launch.env["CODEX_CONFIG"]).unwrap();
    assert_eq!(config["hooks"]["PreToolUse"].as_array().unwrap().len(), 3);
    let state = config["hooks"]["state"].as_object().unwrap();
    let key = format!("{CODEX_FLAGS}:pre_tool_use:2:0");
    assert!(state.contains_key(&key), "{state:?}");
}

#[test]
fn settings_of_the_users_that_cannot_be_read_are_an_error_and_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |agent: &str, name: &str, value: &str| {
        let result = launched(agent, &[(name, value)], &[], dir.path(), true);
        let error = result.map(|launch| launch.env).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        error
    };
    assert!(refused("codex", "CODEX_CONFIG", "{oops").contains("not valid JSON"));
    assert!(refused("codex", "CODEX_CONFIG", "[1]").contains("not a JSON object"));
    refused("opencode", "OPENCODE_CONFIG_CONTENT", "{,}");
    let file = dir.path().join("qwen.json");
    std::fs::write(&file, "{ \"a\": }").unwrap();
    let name = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
    let error = refused("qwen", name, &file.display().to_string());
    assert!(error.contains("qwen.json"), "{error}");
    refused("qwen", name, &dir.path().display().to_string());
    // A variable of another agent's is none of its business.
    let others = [("CODEX_CONFIG", "{oops")];
    assert!(launched("claude", &[], &others, dir.path(), true).is_ok());
    let missing = dir.path().join("none.json").display().to_string();
    assert!(launched("qwen", &[(name, &missing)], &[], dir.path(), true).is_ok());
}

#[test]
fn no_agent_gets_the_token_where_lists_of_processes_show_it() {
    for profile in Profiles::load(&[] as &[&Path]).iter() {
        let name = &profile.name;
        for hide in [true, false] {
            let dir = tempfile::tempdir().unwrap();
            let launch = launched(name, &[], &[], dir.path(), hide).unwrap();
            // Adapters hand servers and `_meta` on to their agents as arguments.
            let told = format!(
                "{} {:?} {:?} {}",
                launch.program, launch.args, launch.mcp_servers, launch.session_meta
            );
            for secret in ["t0k", "\"pw\""] {
                assert!(!told.contains(secret), "{name}: {told}");
            }
            assert_eq!(launch.env["SIDERAIL_TOKEN"], "t0k");
            if launch.mcp_servers.is_empty() {
                continue;
            }
            let file = dir.path().join("token");
            // Written by `Debug` where it is an argument.
            let path = file.display().to_string();
            let is_told = told.contains(&path) || told.contains(&path.escape_debug().to_string());
            assert!(is_told, "{name}: {told}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "t0k");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = std::fs::metadata(&file).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
    }
}

/// As Codex names the place of settings from its command line.
const CODEX_FLAGS: &str = if cfg!(windows) {
    r"C:\<session-flags>\config.toml"
} else {
    "/<session-flags>/config.toml"
};

#[test]
fn the_older_adapters_hook_is_trusted_by_a_line_that_is_toml_on_every_system() {
    let dir = tempfile::tempdir().unwrap();
    let launch = launched("codex-zed", &[], &[], dir.path(), true).unwrap();
    let line = launch
        .args
        .iter()
        .find(|word| word.starts_with("hooks.state="));
    let table: toml::Table = toml::from_str(line.unwrap()).unwrap();
    let key = format!("{CODEX_FLAGS}:pre_tool_use:0:0");
    assert!(table["hooks"]["state"].get(&key).is_some(), "{table:?}");
}
