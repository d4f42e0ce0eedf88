//! What an agent asks of the client besides permissions: files, terminals, questions (ACP schema 1.15).
//!
//! Requests are only read here; the owner of files and terminals answers them.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_wire::{RequestId, RpcError};

use crate::schema;
use crate::schema::{items, owned_text, text, texts};

/// Methods that an agent may call on a client.
pub mod methods {
    /// A permission is asked for.
    pub const REQUEST_PERMISSION: &str = "session/request_permission";
    /// A session changed (notification).
    pub const UPDATE: &str = "session/update";
    /// A text file is to be read.
    pub const READ_TEXT_FILE: &str = "fs/read_text_file";
    /// A text file is to be written.
    pub const WRITE_TEXT_FILE: &str = "fs/write_text_file";
    /// A command is to be started in a terminal.
    pub const CREATE_TERMINAL: &str = "terminal/create";
    /// The command in a terminal is to end; what it put out can still be read.
    pub const KILL_TERMINAL: &str = "terminal/kill";
    /// A terminal may be forgotten.
    pub const RELEASE_TERMINAL: &str = "terminal/release";
    /// What all terminal methods start with.
    pub const TERMINAL_PREFIX: &str = "terminal/";
    /// The user is asked a question.
    pub const CREATE_ELICITATION: &str = "elicitation/create";
    /// A request of the same side is no longer wanted (notification, both directions).
    pub const CANCEL_REQUEST: &str = "$/cancel_request";
}

/// An access to a file through the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsRequest {
    /// JSON-RPC id of the request.
    pub id: RequestId,
    /// The session it belongs to.
    pub session_id: String,
    /// The file, absolute by the protocol; agents do send relative ones.
    pub path: String,
    /// What is to be done with it.
    pub access: FsAccess,
    /// `_meta`, unwrapped; null when absent.
    pub meta: Value,
}

/// Reading or writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FsAccess {
    /// Answer `{"content": text}`.
    Read {
        /// First line, from 1.
        line: Option<u64>,
        /// How many lines.
        limit: Option<u64>,
    },
    /// Answer `{}`; the file and its folders are created when missing.
    Write {
        /// The file's whole new text.
        content: String,
    },
}

impl FsRequest {
    /// Reads the params of a `fs/*` request.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn read(id: RequestId, method: &str, params: &RawValue) -> Result<Self, RpcError> {
        let params = schema::read::<Value>(params).map_err(RpcError::invalid_params)?;
        let number = |key: &str| {
            params
                .get(key)
                .and_then(Value::as_f64)
                .map(|number| number as u64)
        };
        let access = if method == methods::WRITE_TEXT_FILE {
            FsAccess::Write {
                content: required(&params, "content")?,
            }
        } else {
            FsAccess::Read {
                line: number("line"),
                limit: number("limit"),
            }
        };
        Ok(Self {
            id,
            session_id: required(&params, "sessionId")?,
            path: required(&params, "path")?,
            access,
            meta: schema::meta(&params).clone(),
        })
    }
}

/// A `terminal/*` request, read from its method and params.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalRequest {
    /// Start a command; answer `{"terminalId": id}` at once.
    Create(CreateTerminal),
    /// Answer `{"output", "truncated", "exitStatus"?: {"exitCode", "signal"}}`.
    Output(TerminalRef),
    /// Answer `{"exitCode"?, "signal"?}` once the command has ended.
    WaitForExit(TerminalRef),
    /// End the command, keep the terminal; answer `{}`.
    Kill(TerminalRef),
    /// End the command and forget the terminal; answer `{}`.
    Release(TerminalRef),
}

/// The command of a new terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTerminal {
    /// The session it belongs to.
    pub session_id: String,
    /// A program or, from some agents, a whole shell line.
    pub command: String,
    /// Arguments; empty when `command` is a shell line.
    pub args: Vec<String>,
    /// Variables to add to the environment.
    pub env: BTreeMap<String, String>,
    /// Where to run it; the session's folder when absent.
    pub cwd: Option<String>,
    /// How many bytes of output to keep, cut from the start.
    pub output_byte_limit: Option<u64>,
}

/// A terminal that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalRef {
    /// The session it belongs to.
    pub session_id: String,
    /// The id that `terminal/create` gave.
    pub terminal_id: String,
}

impl TerminalRequest {
    /// Reads a `terminal/*` request.
    ///
    /// # Errors
    /// An error to answer with: method not found, or what is missing in the params.
    pub fn read(method: &str, params: &RawValue) -> Result<Self, RpcError> {
        let params = schema::read::<Value>(params).map_err(RpcError::invalid_params)?;
        let terminal = || {
            Ok(TerminalRef {
                session_id: required(&params, "sessionId")?,
                terminal_id: required(&params, "terminalId")?,
            })
        };
        match method {
            "terminal/create" => Ok(Self::Create(read_create(&params)?)),
            "terminal/output" => terminal().map(Self::Output),
            "terminal/wait_for_exit" => terminal().map(Self::WaitForExit),
            "terminal/kill" => terminal().map(Self::Kill),
            "terminal/release" => terminal().map(Self::Release),
            unknown => Err(RpcError::method_not_found(unknown)),
        }
    }

    /// The session it belongs to.
    pub fn session_id(&self) -> &str {
        match self {
            Self::Create(create) => &create.session_id,
            Self::Output(of) | Self::WaitForExit(of) | Self::Kill(of) | Self::Release(of) => {
                &of.session_id
            }
        }
    }
}

fn read_create(params: &Value) -> Result<CreateTerminal, RpcError> {
    let variables = items(params, "env").iter();
    Ok(CreateTerminal {
        session_id: required(params, "sessionId")?,
        command: required(params, "command")?,
        args: texts(params, "args"),
        env: variables
            .filter_map(|entry| Some((text(entry, "name")?.to_owned(), owned_text(entry, "value"))))
            .collect(),
        cwd: text(params, "cwd").map(str::to_owned),
        output_byte_limit: params.get("outputByteLimit").and_then(Value::as_u64),
    })
}

fn required(params: &Value, key: &str) -> Result<String, RpcError> {
    let missing = || RpcError::invalid_params(format_args!("{key} is missing"));
    text(params, key).map(str::to_owned).ok_or_else(missing)
}

/// The result that answers an elicitation whose question was closed without an answer.
pub fn cancelled_elicitation() -> Value {
    json!({"action": "cancel"})
}
