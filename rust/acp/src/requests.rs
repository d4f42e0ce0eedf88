//! What this client asks of an agent: method names and params (ACP schema 1.15).
//!
//! Params are built of the schema's own types, so that what is sent is what the schema says; optional parts go out
//! only where the agent's capabilities allow them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agent_client_protocol_schema::{ProtocolVersion, v1};
use serde_json::{Value, json};

use crate::initialize::{AgentCapabilities, SystemPromptSupport};

/// `initialize`: the first request.
pub const INITIALIZE: &str = "initialize";
/// `authenticate`: log in by one of the agent's methods.
pub const AUTHENTICATE: &str = "authenticate";
/// `session/new`: open a session.
pub const NEW_SESSION: &str = "session/new";
/// `session/load`: open an old session and have it sent again; gate [`AgentCapabilities::load_session`].
pub const LOAD_SESSION: &str = "session/load";
/// `session/resume`: open an old session without having it sent again; gate [`AgentCapabilities::resume`].
pub const RESUME_SESSION: &str = "session/resume";
/// `session/list`: name old sessions, a page at a time; gate [`AgentCapabilities::list`].
pub const LIST_SESSIONS: &str = "session/list";
/// `session/delete`; gate [`AgentCapabilities::delete`].
pub const DELETE_SESSION: &str = "session/delete";
/// `session/close`: cancel and free a session; gate [`AgentCapabilities::close`].
pub const CLOSE_SESSION: &str = "session/close";
/// `session/set_mode`; gate: the session has modes.
pub const SET_MODE: &str = "session/set_mode";
/// `session/set_config_option`; gate: the session has config options.
pub const SET_CONFIG_OPTION: &str = "session/set_config_option";
/// `session/set_model`: in no current schema; gate: the session named its models the older way.
pub const SET_MODEL: &str = "session/set_model";
/// `session/prompt`: start a turn; answered at its end.
pub const PROMPT: &str = "session/prompt";
/// `session/cancel` (notification): end the running turn.
pub const CANCEL: &str = "session/cancel";

/// What this client offers to agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ClientFeatures {
    /// `fs/read_text_file` is answered.
    pub read_files: bool,
    /// `fs/write_text_file` is answered.
    pub write_files: bool,
    /// All five `terminal/*` methods are answered.
    pub terminal: bool,
    /// Forms can be shown.
    pub elicitation_form: bool,
    /// URLs can be shown.
    pub elicitation_url: bool,
    /// Log-in commands can be run in a terminal.
    pub auth_terminal: bool,
}

/// The params of `initialize`.
pub fn initialize(name: &str, title: &str, version: &str, features: ClientFeatures) -> Value {
    let files = v1::FileSystemCapabilities::new()
        .read_text_file(features.read_files)
        .write_text_file(features.write_files);
    let session = v1::ClientSessionCapabilities::new()
        .config_options(
            v1::SessionConfigOptionsCapabilities::new()
                .boolean(v1::BooleanConfigOptionCapabilities::new()),
        )
        .notices(v1::NoticeCapabilities::default())
        .compaction(v1::CompactionCapabilities::default());
    let mut capabilities = v1::ClientCapabilities::new()
        .fs(files)
        .terminal(features.terminal)
        .session(session)
        .auth(v1::AuthCapabilities::new().terminal(features.auth_terminal));
    if features.elicitation_form || features.elicitation_url {
        let form = features
            .elicitation_form
            .then(v1::ElicitationFormCapabilities::new);
        let url = features
            .elicitation_url
            .then(v1::ElicitationUrlCapabilities::new);
        capabilities =
            capabilities.elicitation(v1::ElicitationCapabilities::new().form(form).url(url));
    }
    to_value(
        &v1::InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(capabilities)
            .client_info(v1::Implementation::new(name, version).title(title.to_owned())),
    )
}

/// The params of `authenticate`.
pub fn authenticate(method_id: &str) -> Value {
    to_value(&v1::AuthenticateRequest::new(method_id.to_owned()))
}

/// An MCP server for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpServer {
    /// A program that the agent starts.
    Stdio {
        /// The server's name.
        name: String,
        /// Absolute path of the program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables to add to the agent's environment.
        env: BTreeMap<String, String>,
    },
    /// A server on a URL; gate [`AgentCapabilities::mcp_http`], which Vibe does not advertise but supports.
    Http {
        /// The server's name.
        name: String,
        /// Where it is.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
    /// The same with answers as server-sent events; gate [`AgentCapabilities::mcp_sse`].
    Sse {
        /// The server's name.
        name: String,
        /// Where it is.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

fn header_list(headers: &BTreeMap<String, String>) -> Vec<v1::HttpHeader> {
    let header = |(name, value): (&String, &String)| v1::HttpHeader::new(name, value);
    headers.iter().map(header).collect()
}

impl McpServer {
    fn to_schema(&self) -> v1::McpServer {
        match self {
            Self::Stdio {
                name,
                command,
                args,
                env,
            } => {
                let env = env
                    .iter()
                    .map(|(name, value)| v1::EnvVariable::new(name, value));
                let server = v1::McpServerStdio::new(name, command).args(args.clone());
                v1::McpServer::Stdio(server.env(env.collect::<Vec<_>>()))
            }
            Self::Http { name, url, headers } => {
                v1::McpServer::Http(v1::McpServerHttp::new(name, url).headers(header_list(headers)))
            }
            Self::Sse { name, url, headers } => {
                v1::McpServer::Sse(v1::McpServerSse::new(name, url).headers(header_list(headers)))
            }
        }
    }
}

/// How a session is to be set up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSetup {
    /// The folder it works in; absolute, as text because the wire is text.
    pub cwd: String,
    /// MCP servers that the agent is to connect.
    pub mcp_servers: Vec<McpServer>,
    /// More folders; sent only where the agent takes them.
    pub additional_directories: Vec<String>,
    /// Text to add to the system prompt; sent only where the agent takes it.
    pub system_prompt: Option<String>,
    /// `_meta` of the request; null for none.
    pub meta: Value,
}

impl SessionSetup {
    /// The params of `session/new`.
    pub fn new_session(&self, capabilities: &AgentCapabilities) -> Value {
        let request = v1::NewSessionRequest::new(&self.cwd)
            .mcp_servers(self.servers())
            .additional_directories(self.directories(capabilities));
        self.finish(to_value(&request), capabilities)
    }

    /// The params of `session/load`.
    pub fn load_session(&self, session_id: &str, capabilities: &AgentCapabilities) -> Value {
        let request = v1::LoadSessionRequest::new(session_id.to_owned(), &self.cwd)
            .mcp_servers(self.servers())
            .additional_directories(self.directories(capabilities));
        self.finish(to_value(&request), capabilities)
    }

    /// The params of `session/resume`.
    pub fn resume_session(&self, session_id: &str, capabilities: &AgentCapabilities) -> Value {
        let request = v1::ResumeSessionRequest::new(session_id.to_owned(), &self.cwd)
            .mcp_servers(self.servers())
            .additional_directories(self.directories(capabilities));
        self.finish(to_value(&request), capabilities)
    }

    fn servers(&self) -> Vec<v1::McpServer> {
        self.mcp_servers.iter().map(McpServer::to_schema).collect()
    }

    fn directories(&self, capabilities: &AgentCapabilities) -> Vec<PathBuf> {
        let directories = self.additional_directories.iter().map(PathBuf::from);
        if capabilities.additional_directories {
            directories.collect()
        } else {
            Vec::new()
        }
    }

    /// Adds what is not in the stable schema.
    fn finish(&self, mut params: Value, capabilities: &AgentCapabilities) -> Value {
        if let Some(text) = &self.system_prompt
            && capabilities.system_prompt != SystemPromptSupport::None
        {
            params["systemPrompt"] =
                json!({"mode": "append", "content": [{"type": "text", "text": text}]});
        }
        if !self.meta.is_null() {
            params["_meta"] = self.meta.clone();
        }
        params
    }
}

/// The params of `session/delete`, `session/close` and `session/cancel`.
pub fn session(session_id: &str) -> Value {
    json!({"sessionId": session_id})
}

/// The params of `session/set_mode`.
pub fn set_mode(session_id: &str, mode_id: &str) -> Value {
    to_value(&v1::SetSessionModeRequest::new(
        session_id.to_owned(),
        mode_id.to_owned(),
    ))
}

/// The params of `session/set_config_option` for a select option.
pub fn set_config_option(session_id: &str, config_id: &str, value: &str) -> Value {
    json!({"sessionId": session_id, "configId": config_id, "value": value})
}

/// The params of `session/set_config_option` for a boolean option.
pub fn set_boolean_option(session_id: &str, config_id: &str, value: bool) -> Value {
    json!({"sessionId": session_id, "configId": config_id, "type": "boolean", "value": value})
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptBlock {
    /// Text, slash commands among it; every agent takes it.
    Text(String),
    /// The name of a file or page; every agent takes it.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// For people.
        name: String,
    },
    /// A file or page with its text. Becomes a link where the agent does not take it.
    Resource {
        /// Where it is.
        uri: String,
        /// For people.
        name: String,
        /// Its text.
        text: String,
        /// Its type, where known.
        mime_type: Option<String>,
    },
    /// An image, base64.
    Image {
        /// The bytes, base64.
        data: String,
        /// Its type.
        mime_type: String,
    },
    /// A sound, base64.
    Audio {
        /// The bytes, base64.
        data: String,
        /// Its type.
        mime_type: String,
    },
}

/// A prompt contains something that the agent does not accept and that nothing can replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the agent does not accept {0} in prompts; leave it out, or save it as a file and name the file"
)]
pub struct Unsupported(pub &'static str);

/// The params of `session/prompt`.
///
/// # Errors
/// [`Unsupported`] for an image or audio block that the agent does not take.
pub fn prompt(
    session_id: &str,
    blocks: &[PromptBlock],
    capabilities: &AgentCapabilities,
) -> Result<Value, Unsupported> {
    let blocks = blocks
        .iter()
        .map(|block| prompt_block(block, capabilities))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(to_value(&v1::PromptRequest::new(
        session_id.to_owned(),
        blocks,
    )))
}

/// One content block of a prompt.
///
/// # Errors
/// [`Unsupported`] for an image or audio block that the agent does not take.
pub fn prompt_content(
    block: &PromptBlock,
    capabilities: &AgentCapabilities,
) -> Result<Value, Unsupported> {
    prompt_block(block, capabilities).map(|block| to_value(&block))
}

fn prompt_block(
    block: &PromptBlock,
    capabilities: &AgentCapabilities,
) -> Result<v1::ContentBlock, Unsupported> {
    Ok(match block {
        PromptBlock::Text(text) => v1::ContentBlock::Text(v1::TextContent::new(text)),
        PromptBlock::Resource {
            uri,
            text,
            mime_type,
            ..
        } if capabilities.embedded_context => {
            let contents = v1::TextResourceContents::new(text, uri).mime_type(mime_type.clone());
            let resource = v1::EmbeddedResourceResource::TextResourceContents(contents);
            v1::ContentBlock::Resource(v1::EmbeddedResource::new(resource))
        }
        PromptBlock::ResourceLink { uri, name } | PromptBlock::Resource { uri, name, .. } => {
            v1::ContentBlock::ResourceLink(v1::ResourceLink::new(name, uri))
        }
        PromptBlock::Image { data, mime_type } if capabilities.image => {
            v1::ContentBlock::Image(v1::ImageContent::new(data, mime_type))
        }
        PromptBlock::Audio { data, mime_type } if capabilities.audio => {
            v1::ContentBlock::Audio(v1::AudioContent::new(data, mime_type))
        }
        PromptBlock::Image { .. } => return Err(Unsupported("images")),
        PromptBlock::Audio { .. } => return Err(Unsupported("audio")),
    })
}

fn to_value(params: &impl serde::Serialize) -> Value {
    serde_json::to_value(params).expect("params hold texts and numbers only")
}
