//! Turns a profile, the user's wishes and this session's socket into what is really started.
//!
//! Recipes are filled with the session's values and laid on top of each other: profile, delivery of our
//! server, hiding, hook. What the user gives with `agent_env` wins; JSON in a variable is merged, never
//! replaced. Files go into the session's own folder (0700, files 0600), never into the user's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use siderail_acp::requests::McpServer;

use crate::error::EngineError;
use crate::profile::{Delivery, Hook, Profile, Recipe};

mod fill;
mod overlay;

use fill::Filler;
pub(crate) use fill::shell_word;
pub(crate) use overlay::{Overlay, sweep as sweep_overlays};

/// Values that placeholders stand for.
pub(crate) struct Values<'a> {
    /// Name of our MCP server.
    pub(crate) server: &'a str,
    /// argv of the relay.
    pub(crate) relay: &'a [String],
    /// The session's own folder.
    pub(crate) folder: &'a Path,
    /// Where what outlives a crash is kept.
    pub(crate) state: &'a Path,
    /// The engine's socket.
    pub(crate) socket: &'a str,
    /// The session's token.
    pub(crate) token: &'a str,
    /// The user's home, as the agent sees it.
    pub(crate) home: &'a str,
    /// A free port for the agent's own API, for agents that have one.
    pub(crate) api_port: u16,
    /// The password for it.
    pub(crate) api_password: &'a str,
}

/// What to start, and what to say in `session/new`.
#[derive(Debug, Default)]
pub(crate) struct Launch {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) session_meta: Value,
    pub(crate) hidden: Vec<String>,
    pub(crate) hook: Option<LaunchedHook>,
    /// What stands in for a folder of the user's.
    pub(crate) overlay: Option<Overlay>,
    /// What is to be laid over a file of the user's, who agreed to it.
    pub(crate) consent: Option<(PathBuf, Value)>,
}

/// A registered hook, as far as it can be checked and tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaunchedHook {
    /// The constant command.
    pub(crate) command: String,
    /// By which the agent lists it, where it does.
    pub(crate) hash: Option<String>,
}

/// What the user asked for.
pub(crate) struct Wishes<'a> {
    pub(crate) command: Option<&'a [String]>,
    pub(crate) env: &'a BTreeMap<String, String>,
    pub(crate) hide: bool,
    pub(crate) hook: bool,
    /// The user agrees to changes of files of their own.
    pub(crate) consent: bool,
}

/// The environment that an agent sees, before recipes: the profile's over the engine's, the user's over both.
pub(crate) fn environment(
    profile: &Profile,
    users: &BTreeMap<String, String>,
    base: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut env = base.clone();
    env.extend(profile.env.clone());
    env.extend(users.clone());
    env
}

/// Fills the profile's recipes and writes their files. `env` is what [`environment`] says.
///
/// # Errors
/// A file of the session's folder that cannot be written, or a file or variable of the user's that a recipe
/// adds to and that cannot be read. Nothing of the user's is overwritten.
pub(crate) fn prepare(
    profile: &Profile,
    wishes: &Wishes<'_>,
    env: BTreeMap<String, String>,
    values: &Values<'_>,
) -> Result<Launch, EngineError> {
    let hidden = hidden(profile, wishes);
    let filler = Filler::new(profile, &hidden, values, codex_hooks(&env)?);
    let (program, args) = command(profile, wishes, &filler);
    let agreed = |hook: &&Hook| wishes.hook && (hook.consent.is_none() || wishes.consent);
    let hook = profile.hook.as_ref().filter(agreed);
    let consent = hook.and_then(|h| h.consent.as_ref());
    let api = profile.api.as_ref().filter(|_| wishes.hook);
    let mut filling = Filling {
        filler: &filler,
        folder: values.folder,
        users: wishes.env,
        args,
        env,
        env_json: BTreeMap::new(),
        session_meta: Value::Null,
    };
    filling.relay_variables(values);
    let announced = profile.mcp.delivery == Delivery::Launch;
    let recipes = [
        Some(&profile.base),
        announced.then_some(&profile.mcp.recipe),
        (!hidden.is_empty()).then_some(&profile.hide.recipe),
        hook.map(|h| &h.recipe),
        api.map(|a| &a.recipe),
    ];
    for recipe in recipes.into_iter().flatten() {
        filling.add(recipe)?;
    }
    filling.extend_json_variables()?;
    let overlay = match hook.and_then(|h| h.overlay.as_ref()) {
        Some(spec) => Some(Overlay::build(
            spec,
            &filler,
            values.state,
            &mut filling.env,
        )?),
        None => None,
    };
    Ok(Launch {
        program,
        args: filling.args,
        env: filling.env,
        mcp_servers: mcp_servers(profile, values),
        session_meta: filling.session_meta,
        hidden,
        hook: hook.map(|h| LaunchedHook {
            command: filler.text("{hook_command}"),
            hash: h.listing.as_ref().map(|l| filler.text(&l.hash)),
        }),
        overlay,
        consent: consent.map(|c| (PathBuf::from(filler.text(&c.path)), filler.value(&c.json))),
    })
}

/// What is started, ahead of what recipes add.
fn command(profile: &Profile, wishes: &Wishes<'_>, filler: &Filler) -> (String, Vec<String>) {
    let (program, mut args) = match wishes.command {
        Some([program, rest @ ..]) => (program.clone(), rest.to_vec()),
        _ => (profile.program.clone(), profile.args.clone()),
    };
    args.extend(profile.extra_args.iter().map(|a| filler.text(a)));
    (program, args)
}

/// Built-in tools that are hidden: none against the word of the user's own command.
fn hidden(profile: &Profile, wishes: &Wishes<'_>) -> Vec<String> {
    let unless = &profile.hide.unless_args;
    let mut own_words = wishes.command.unwrap_or_default().iter();
    let says_otherwise = own_words.any(|word| unless.contains(word));
    match (wishes.hide, wishes.hook) {
        _ if says_otherwise => Vec::new(),
        (true, _) => profile.hide.tools.clone(),
        (false, true) => profile.hide.always.clone(),
        (false, false) => Vec::new(),
    }
}

/// A launch that recipes are being laid into, one after the other.
struct Filling<'a> {
    filler: &'a Filler,
    /// The session's own folder.
    folder: &'a Path,
    /// What the user gave explicitly, which no recipe replaces.
    users: &'a BTreeMap<String, String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    env_json: BTreeMap<String, Value>,
    session_meta: Value,
}

impl Filling<'_> {
    fn relay_variables(&mut self, values: &Values<'_>) {
        for (name, value) in relay_variables(values) {
            self.env.insert(name.to_owned(), value.to_owned());
        }
    }

    fn add(&mut self, recipe: &Recipe) -> Result<(), EngineError> {
        let filler = self.filler;
        self.args.extend(recipe.args.iter().map(|a| filler.text(a)));
        for (name, value) in &recipe.env {
            if !self.users.contains_key(name) {
                self.env.insert(name.clone(), filler.text(value));
            }
        }
        for (name, value) in &recipe.env_json {
            let ours = self.env_json.entry(name.clone()).or_default();
            merge(ours, filler.value(value));
        }
        merge(&mut self.session_meta, filler.value(&recipe.session_meta));
        write_files(recipe, filler, self.folder)?;
        json_files(recipe, filler, self.folder, &mut self.env)
    }

    /// What the user's own JSON says is laid over ours.
    fn extend_json_variables(&mut self) -> Result<(), EngineError> {
        for (name, mut ours) in std::mem::take(&mut self.env_json) {
            if let Some(text) = self.env.get(&name) {
                merge(&mut ours, object(&format!("the variable {name}"), text)?);
            }
            self.env.insert(name, ours.to_string());
        }
        Ok(())
    }
}

/// How many pre-tool hooks a `CODEX_CONFIG` of the user's has; ours comes after them.
fn codex_hooks(env: &BTreeMap<String, String>) -> Result<usize, EngineError> {
    const NAME: &str = "CODEX_CONFIG";
    let Some(text) = env.get(NAME) else {
        return Ok(0);
    };
    let config = object(&format!("the variable {NAME}"), text)?;
    let hooks = config
        .pointer("/hooks/PreToolUse")
        .and_then(Value::as_array);
    Ok(hooks.map_or(0, Vec::len))
}

/// The JSON object that a text of the user's is; empty text is none.
fn object(what: &str, text: &str) -> Result<Value, EngineError> {
    let failed = |why: String| EngineError::UsersOwn {
        what: what.to_owned(),
        why,
    };
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(Value::Object(members)),
        Ok(_) => Err(failed("it is no JSON object".to_owned())),
        Err(error) => Err(failed(format!("it is no valid JSON: {error}"))),
    }
}

/// By which the relay finds the engine.
fn relay_variables<'a>(values: &Values<'a>) -> [(&'static str, &'a str); 2] {
    [
        ("SIDERAIL_SOCKET", values.socket),
        ("SIDERAIL_TOKEN", values.token),
    ]
}

/// Our stdio server as `session/new` wants it; none where launch flags announce it.
fn mcp_servers(profile: &Profile, values: &Values<'_>) -> Vec<McpServer> {
    if profile.mcp.delivery == Delivery::Launch {
        return Vec::new();
    }
    vec![McpServer::Stdio {
        name: values.server.to_owned(),
        command: values.relay.first().cloned().unwrap_or_default(),
        args: values.relay.get(1..).unwrap_or_default().to_vec(),
        env: relay_variables(values)
            .into_iter()
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect(),
    }]
}

fn write_files(recipe: &Recipe, filler: &Filler, folder: &Path) -> Result<(), EngineError> {
    for (name, content) in &recipe.files {
        let path = folder.join(filler.text(name));
        let text = match filler.value(content) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        write_private(&path, &text).map_err(|e| not_written(name, folder, &e))?;
    }
    Ok(())
}

/// Settings files that a variable names: the user's own, if there is one, laid over ours, in a new file.
fn json_files(
    recipe: &Recipe,
    filler: &Filler,
    folder: &Path,
    env: &mut BTreeMap<String, String>,
) -> Result<(), EngineError> {
    for (name, value) in &recipe.json_files {
        let mut ours = filler.value(value);
        if let Some(path) = env.get(name).filter(|path| !path.is_empty()) {
            let what = format!("the file {path} (in the variable {name})");
            let text = users_text(&what, Path::new(path))?;
            merge(&mut ours, object(&what, &text)?);
        }
        let path = folder.join(format!("{name}.json"));
        write_private(&path, &ours.to_string()).map_err(|e| not_written(name, folder, &e))?;
        env.insert(name.clone(), path.display().to_string());
    }
    Ok(())
}

/// The text of a file of the user's; empty where there is none.
fn users_text(what: &str, path: &Path) -> Result<String, EngineError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| EngineError::UsersOwn {
            what: what.to_owned(),
            why: format!("it cannot be read: {error}"),
        }),
    }
}

fn not_written(name: &str, folder: &Path, error: &std::io::Error) -> EngineError {
    EngineError::Runtime {
        what: format!("the file {name}"),
        path: folder.to_owned(),
        why: error.to_string(),
    }
}

/// Writes a file that only this user can read.
pub(crate) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Lays `over` on `base`: objects member by member, lists one after the other, anything else replaces.
pub(crate) fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                merge(base.entry(key).or_insert(Value::Null), value);
            }
        }
        // What was there first stays first: `over` is the user's.
        (Value::Array(base), Value::Array(mut over)) => {
            over.append(base);
            *base = over;
        }
        (base, over) => *base = over,
    }
}

#[cfg(test)]
mod tests {
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
}
