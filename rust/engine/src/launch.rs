//! Turns a profile, the user's wishes and this session's socket into what is really started.
//!
//! Recipes are filled with the session's values and laid on top of each other: profile, delivery of our
//! server, hiding, hook. What the user gives with `agent_env` wins; JSON in a variable is merged, never
//! replaced. Files go into the session's own folder (0700, files 0600), never into the user's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use siderail_acp::requests::McpServer;

use crate::error::EngineError;
use crate::profile::{Delivery, Profile, Recipe};

/// Values that placeholders stand for.
pub(crate) struct Values<'a> {
    /// Name of our MCP server.
    pub(crate) server: &'a str,
    /// argv of the relay.
    pub(crate) relay: &'a [String],
    /// The session's own folder.
    pub(crate) folder: &'a Path,
    /// The engine's socket.
    pub(crate) socket: &'a str,
    /// The session's token.
    pub(crate) token: &'a str,
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
    pub(crate) hook: bool,
}

/// What the user asked for.
pub(crate) struct Wishes<'a> {
    pub(crate) command: Option<&'a [String]>,
    pub(crate) env: &'a BTreeMap<String, String>,
    pub(crate) hide: bool,
    pub(crate) hook: bool,
}

/// Fills the profile's recipes and writes their files.
///
/// # Errors
/// A file of the session's folder that cannot be written.
pub(crate) fn prepare(
    profile: &Profile,
    wishes: &Wishes<'_>,
    base_env: &BTreeMap<String, String>,
    values: &Values<'_>,
) -> Result<Launch, EngineError> {
    let filler = Filler::new(profile, values);
    let (program, mut args) = match wishes.command {
        Some([program, rest @ ..]) => (program.clone(), rest.to_vec()),
        _ => (profile.program.clone(), profile.args.clone()),
    };
    args.extend(profile.extra_args.iter().map(|a| filler.text(a)));

    let mut env = base_env.clone();
    env.extend(profile.env.clone());
    env.extend(wishes.env.clone());
    env.insert("SIDERAIL_SOCKET".to_owned(), values.socket.to_owned());
    env.insert("SIDERAIL_TOKEN".to_owned(), values.token.to_owned());

    let hide = wishes.hide && !profile.hide.tools.is_empty();
    let hook = profile.hook.as_ref().filter(|_| wishes.hook);
    let recipes = [
        Some(&profile.base),
        (profile.mcp.delivery == Delivery::Launch).then_some(&profile.mcp.recipe),
        hide.then_some(&profile.hide.recipe),
        hook.map(|h| &h.recipe),
    ];
    let mut session_meta = Value::Null;
    for recipe in recipes.into_iter().flatten() {
        apply(recipe, &filler, wishes.env, &mut args, &mut env);
        merge(&mut session_meta, filler.value(&recipe.session_meta));
        write_files(recipe, &filler, values.folder)?;
    }
    Ok(Launch {
        program,
        args,
        env,
        mcp_servers: mcp_servers(profile, values),
        session_meta,
        hidden: if hide {
            profile.hide.tools.clone()
        } else {
            Vec::new()
        },
        hook: hook.is_some(),
    })
}

fn apply(
    recipe: &Recipe,
    filler: &Filler,
    users: &BTreeMap<String, String>,
    args: &mut Vec<String>,
    env: &mut BTreeMap<String, String>,
) {
    args.extend(recipe.args.iter().map(|a| filler.text(a)));
    for (name, value) in &recipe.env {
        if !users.contains_key(name) {
            env.insert(name.clone(), filler.text(value));
        }
    }
    for (name, value) in &recipe.env_json {
        let mut merged: Value = env
            .get(name)
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or(Value::Null);
        merge(&mut merged, filler.value(value));
        env.insert(name.clone(), merged.to_string());
    }
}

/// Our stdio server as `session/new` wants it; none where launch flags announce it.
fn mcp_servers(profile: &Profile, values: &Values<'_>) -> Vec<McpServer> {
    if profile.mcp.delivery == Delivery::Launch {
        return Vec::new();
    }
    let env = [
        ("SIDERAIL_SOCKET", values.socket),
        ("SIDERAIL_TOKEN", values.token),
    ];
    vec![McpServer::Stdio {
        name: values.server.to_owned(),
        command: values.relay.first().cloned().unwrap_or_default(),
        args: values.relay.get(1..).unwrap_or_default().to_vec(),
        env: env
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
        write_private(&path, &text).map_err(|e| EngineError::Runtime {
            what: format!("the file {name}"),
            path: folder.to_owned(),
            why: e.to_string(),
        })?;
    }
    Ok(())
}

/// Writes a file that only this user can read.
fn write_private(path: &PathBuf, text: &str) -> std::io::Result<()> {
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

/// Lays `over` on `base`: objects member by member, anything else replaces.
pub(crate) fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                merge(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, over) => *base = over,
    }
}

/// Replaces `{name}`; a string that is exactly one placeholder of a list becomes that list.
struct Filler {
    texts: Vec<(&'static str, String)>,
    lists: Vec<(&'static str, Value)>,
}

impl Filler {
    fn new(profile: &Profile, values: &Values<'_>) -> Self {
        let hidden = &profile.hide.tools;
        let hook_command = hook_command(values.relay, &profile.name);
        let texts = vec![
            ("{server}", values.server.to_owned()),
            ("{server_}", values.server.replace('-', "_")),
            ("{folder}", values.folder.display().to_string()),
            ("{socket}", values.socket.to_owned()),
            ("{token}", values.token.to_owned()),
            (
                "{relay_program}",
                values.relay.first().cloned().unwrap_or_default(),
            ),
            ("{hidden_tools}", hidden.join(",")),
            ("{hidden_tools_json}", json!(hidden).to_string()),
            ("{hook_command_json}", json!(hook_command).to_string()),
            ("{codex_hook_hash}", codex_hook_hash(&hook_command)),
            ("{hook_command}", hook_command),
        ];
        let lists = vec![
            (
                "{relay_args}",
                json!(values.relay.get(1..).unwrap_or_default()),
            ),
            ("{hidden_tools_list}", json!(hidden)),
        ];
        Self { texts, lists }
    }

    fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, tail) = rest.split_at(at);
            out.push_str(before);
            match self.texts.iter().find(|(name, _)| tail.starts_with(name)) {
                Some((name, value)) => {
                    out.push_str(value);
                    rest = &tail[name.len()..];
                }
                None => {
                    out.push('{');
                    rest = &tail[1..];
                }
            }
        }
        out + rest
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.lists.iter().find(|(name, _)| name == text) {
                Some((_, list)) => list.clone(),
                None => Value::String(self.text(text)),
            },
            Value::Array(items) => items.iter().map(|v| self.value(v)).collect(),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(k, v)| (self.text(k), self.value(v)))
                    .collect::<Map<_, _>>(),
            ),
            other => other.clone(),
        }
    }
}

/// The constant command that an agent's hook runs: socket and token travel in the environment.
fn hook_command(relay: &[String], agent: &str) -> String {
    let mut words: Vec<String> = relay.iter().map(|w| shell_word(w)).collect();
    words.push("hook".to_owned());
    words.push(shell_word(agent));
    words.join(" ")
}

fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Codex trusts a hook by the SHA-256 of its definition as compact JSON with sorted members.
fn codex_hook_hash(command: &str) -> String {
    let definition = format!(
        r#"{{"event_name":"pre_tool_use","hooks":[{{"async":false,"command":{},"timeout":10,"type":"command"}}],"matcher":".*"}}"#,
        json!(command)
    );
    let digest = Sha256::digest(definition.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;

    fn launch(agent: &str, env: &[(&str, &str)], folder: &Path) -> Launch {
        let profile = Profiles::load(&[] as &[&Path])
            .unwrap()
            .get(agent, false)
            .unwrap();
        let relay = ["/opt/side rail/siderail".to_owned(), "relay".to_owned()];
        let env = env
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        let values = Values {
            server: "intellij-code-tools",
            relay: &relay,
            folder,
            socket: "/run/s",
            token: "t0k",
        };
        let wishes = Wishes {
            command: None,
            env: &env,
            hide: true,
            hook: true,
        };
        prepare(&profile, &wishes, &BTreeMap::new(), &values).unwrap()
    }

    #[test]
    fn a_users_codex_config_is_extended_and_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let own = r#"{"model":"mine","features":{"web":true}}"#;
        let launch = launch("codex", &[("CODEX_CONFIG", own)], dir.path());
        let config: Value = serde_json::from_str(&launch.env["CODEX_CONFIG"]).unwrap();
        assert_eq!(config["model"], "mine");
        assert_eq!(config["features"]["web"], true);
        assert_eq!(config["features"]["shell_tool"], false);
        let hook = &config["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
        assert_eq!(hook, "'/opt/side rail/siderail' relay hook codex");
        let state = config["hooks"]["state"].as_object().unwrap();
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
}
