//! What an agent says of itself: version, capabilities, ways to log in; and what new sessions answer.
//!
//! Typed views of results (ACP schema 1.15), with the raw result beside them. `models` of Gemini, Qwen and Codex is in
//! no current schema and is read all the same.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::AcpError;
use crate::options::{ConfigOption, Models, Modes, read_config_options};
use crate::schema;
use crate::schema::{items, owned_text, supported, text, texts};

/// The protocol version that this client asks for, and the only one it speaks.
pub const PROTOCOL_VERSION: u16 = 1;

/// The result of `initialize`.
#[derive(Clone, Debug)]
pub struct InitializeResult {
    /// Name and version of the agent, if it gives them.
    pub agent: Option<AgentInfo>,
    /// What the agent can do.
    pub capabilities: AgentCapabilities,
    /// Ways to log in, in the agent's order.
    pub auth_methods: Vec<AuthMethod>,
    /// Whether `_session/steering` is advertised (Claude, Codex).
    pub steering: bool,
    /// The whole result.
    pub raw: Box<RawValue>,
}

/// Who the agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentInfo {
    /// For programs.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// Any text.
    pub version: String,
}

impl InitializeResult {
    /// Reads the result of `initialize` and checks the version.
    ///
    /// # Errors
    /// [`AcpError::Version`] when the agent speaks another version: the connection is of no use, close it with that
    /// message. [`AcpError::Result`] when the result is not an object or names no version.
    pub fn read(raw: &RawValue) -> Result<Self, AcpError> {
        let value = schema::value(raw);
        match value.get("protocolVersion") {
            Some(version) if version.as_f64() == Some(f64::from(PROTOCOL_VERSION)) => {}
            Some(version) => {
                return Err(AcpError::Version {
                    answered: version.to_string(),
                });
            }
            None => {
                return Err(AcpError::result(
                    "initialize",
                    "it names no protocolVersion",
                ));
            }
        }
        let agent = value
            .get("agentInfo")
            .filter(|info| info.is_object())
            .map(|info| AgentInfo {
                name: owned_text(info, "name"),
                title: text(info, "title").map(str::to_owned),
                version: owned_text(info, "version"),
            });
        let steering = schema::meta(&value).get("steering");
        Ok(Self {
            agent,
            capabilities: AgentCapabilities::read(
                value.get("agentCapabilities").unwrap_or(&Value::Null),
            ),
            auth_methods: AuthMethod::list(&value),
            steering: steering.is_some_and(|steering| supported(steering, &["supported"])),
            raw: raw.to_owned(),
        })
    }
}

/// How far an agent lets a client change its system prompt (unstable in schema 1.15; Claude, Codex).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SystemPromptSupport {
    /// Not at all.
    #[default]
    None,
    /// Text may be added.
    Append,
    /// Text may be added, or the whole replaced.
    Override,
}

/// What an agent can do. Every optional call is gated on one of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentCapabilities {
    /// `session/load`.
    pub load_session: bool,
    /// `session/resume`.
    pub resume: bool,
    /// `session/list`.
    pub list: bool,
    /// `session/delete`.
    pub delete: bool,
    /// `session/close`.
    pub close: bool,
    /// `session/fork` (unstable).
    pub fork: bool,
    /// `additionalDirectories` of a new session.
    pub additional_directories: bool,
    /// `systemPrompt` of a new session.
    pub system_prompt: SystemPromptSupport,
    /// Images in prompts.
    pub image: bool,
    /// Audio in prompts.
    pub audio: bool,
    /// Embedded resources in prompts.
    pub embedded_context: bool,
    /// MCP servers over HTTP.
    pub mcp_http: bool,
    /// MCP servers over SSE.
    pub mcp_sse: bool,
    /// `logout`.
    pub logout: bool,
    /// As sent; null when absent.
    pub raw: Value,
}

impl AgentCapabilities {
    /// Reads `agentCapabilities`; what is absent, null or `false` is not supported.
    pub fn read(value: &Value) -> Self {
        let has = |path: &[&str]| supported(value, path);
        let session = |name: &str| supported(value, &["sessionCapabilities", name]);
        Self {
            load_session: has(&["loadSession"]),
            resume: session("resume"),
            list: session("list"),
            delete: session("delete"),
            close: session("close"),
            fork: session("fork"),
            additional_directories: session("additionalDirectories"),
            system_prompt: if has(&["sessionCapabilities", "systemPrompt", "mode", "override"]) {
                SystemPromptSupport::Override
            } else if session("systemPrompt") {
                SystemPromptSupport::Append
            } else {
                SystemPromptSupport::None
            },
            image: has(&["promptCapabilities", "image"]),
            audio: has(&["promptCapabilities", "audio"]),
            embedded_context: has(&["promptCapabilities", "embeddedContext"]),
            mcp_http: has(&["mcpCapabilities", "http"]),
            mcp_sse: has(&["mcpCapabilities", "sse"]),
            logout: has(&["auth", "logout"]),
            raw: value.clone(),
        }
    }
}

/// A way to log in.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthMethod {
    /// To be sent with `authenticate`.
    pub id: String,
    /// For people.
    pub name: String,
    /// For people; empty when the agent gives none.
    pub description: String,
    /// What has to be done.
    pub kind: AuthKind,
    /// As sent.
    pub raw: Value,
}

/// What a way to log in asks of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthKind {
    /// Send `authenticate`; the agent does the rest.
    Agent,
    /// Run the agent's own program in a terminal with these on top, then connect anew. Never send `authenticate`.
    Terminal {
        /// Arguments to add (Qwen keeps them in `_meta`).
        args: Vec<String>,
        /// Variables to add.
        env: BTreeMap<String, String>,
    },
    /// Run this command in a terminal, then connect anew: the older `_meta.terminal-auth` (Copilot, Kimi).
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables to add.
        env: BTreeMap<String, String>,
    },
    /// Set these variables for the agent and start it anew (codex-zed).
    Environment {
        /// Names of the variables.
        vars: Vec<String>,
    },
    /// A type this client does not know.
    Unknown {
        /// The method's `type`.
        kind: String,
    },
}

impl AuthMethod {
    /// The methods under `authMethods`: of the result of `initialize`, or of the data of the error that wants a login
    /// (Kimi).
    pub fn list(holder: &Value) -> Vec<Self> {
        let methods = items(holder, "authMethods").iter();
        methods.filter_map(Self::read).collect()
    }

    /// Reads one of `authMethods`; `None` without an id.
    fn read(value: &Value) -> Option<Self> {
        let meta = schema::meta(value);
        let kind = match (
            meta.get("terminal-auth"),
            text(value, "type").or(text(meta, "type")),
        ) {
            (Some(command), _) if text(command, "command").is_some() => AuthKind::Command {
                command: owned_text(command, "command"),
                args: texts(command, "args"),
                env: variables(command),
            },
            (_, Some("terminal")) => {
                let holder = if value.get("args").is_some() {
                    value
                } else {
                    meta
                };
                AuthKind::Terminal {
                    args: texts(holder, "args"),
                    env: variables(holder),
                }
            }
            (_, Some("env_var")) => AuthKind::Environment {
                vars: items(value, "vars")
                    .iter()
                    .map(|variable| owned_text(variable, "name"))
                    .collect(),
            },
            (_, None | Some("agent")) => AuthKind::Agent,
            (_, Some(unknown)) => AuthKind::Unknown {
                kind: unknown.to_owned(),
            },
        };
        Some(Self {
            id: text(value, "id")?.to_owned(),
            name: owned_text(value, "name"),
            description: owned_text(value, "description"),
            kind,
            raw: value.clone(),
        })
    }
}

/// The variables under `env`, an object or a list of name and value.
fn variables(holder: &Value) -> BTreeMap<String, String> {
    match holder.get("env") {
        Some(Value::Object(members)) => {
            let pairs = members
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
            pairs.collect()
        }
        Some(Value::Array(entries)) => {
            let pairs = entries
                .iter()
                .map(|entry| (owned_text(entry, "name"), owned_text(entry, "value")));
            pairs.filter(|(name, _)| !name.is_empty()).collect()
        }
        _ => BTreeMap::new(),
    }
}

/// The result of `session/new`; also read from `session/load` and `session/resume` with [`Self::read_with_id`].
#[derive(Clone, Debug)]
pub struct NewSessionResult {
    /// The session's id.
    pub session_id: String,
    /// Modes, where the agent has them.
    pub modes: Option<Modes>,
    /// Config options; empty when the agent has none.
    pub config_options: Vec<ConfigOption>,
    /// Models by the older way, where the agent still has it.
    pub models: Option<Models>,
    /// The whole result.
    pub raw: Box<RawValue>,
}

impl NewSessionResult {
    /// Reads the result of `session/new`.
    ///
    /// # Errors
    /// [`AcpError::Result`] when there is no session id in it.
    pub fn read(raw: &RawValue) -> Result<Self, AcpError> {
        let value = schema::value(raw);
        match text(&value, "sessionId") {
            Some(session_id) => Ok(Self::of(session_id, &value, raw)),
            None => Err(AcpError::result("session/new", "it names no sessionId")),
        }
    }

    /// Reads the result of `session/load` or `session/resume`, which do not repeat the id.
    pub fn read_with_id(session_id: &str, raw: &RawValue) -> Self {
        Self::of(session_id, &schema::value(raw), raw)
    }

    fn of(session_id: &str, value: &Value, raw: &RawValue) -> Self {
        Self {
            session_id: session_id.to_owned(),
            modes: Modes::read(value),
            config_options: read_config_options(value),
            models: Models::read(value),
            raw: raw.to_owned(),
        }
    }
}
