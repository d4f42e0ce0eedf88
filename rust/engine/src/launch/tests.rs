//! Launches of built-in profiles, with and without what the user has set.

use serde_json::json;

use super::*;
use crate::profile::Profiles;

fn launch(agent: &str, env: &[(&str, &str)], folder: &Path) -> Launch {
    launched(agent, env, &[], folder, true).unwrap()
}

fn launched(
    agent: &str,
    env: &[(&str, &str)],
    base: &[(&str, &str)],
    folder: &Path,
    hide: bool,
) -> Result<Launch, EngineError> {
    let profile = Profiles::load(&[] as &[&Path])
        .unwrap()
        .get(agent, false)
        .unwrap();
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
    assert_eq!(hook, "'/opt/side rail/siderail' relay hook codex");
    let state = config["hooks"]["state"].as_object().unwrap();
    assert!(state.contains_key("/<session-flags>/config.toml:pre_tool_use:1:0"));
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
        .unwrap()
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
    let key = "/<session-flags>/config.toml:pre_tool_use:2:0";
    assert!(state.contains_key(key), "{state:?}");
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
    assert!(refused("codex", "CODEX_CONFIG", "{oops").contains("no valid JSON"));
    assert!(refused("codex", "CODEX_CONFIG", "[1]").contains("no JSON object"));
    refused("opencode", "OPENCODE_CONFIG_CONTENT", "{,}");
    let file = dir.path().join("qwen.json");
    std::fs::write(&file, "{ \"a\": }").unwrap();
    let name = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
    let error = refused("qwen", name, &file.display().to_string());
    assert!(error.contains("qwen.json"), "{error}");
    refused("qwen", name, &dir.path().display().to_string());
    let missing = dir.path().join("none.json").display().to_string();
    assert!(launched("qwen", &[(name, &missing)], &[], dir.path(), true).is_ok());
}

#[test]
fn no_agent_gets_the_token_where_lists_of_processes_show_it() {
    for profile in Profiles::load(&[] as &[&Path]).unwrap().iter() {
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
            assert!(told.contains(&file.display().to_string()), "{name}: {told}");
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
