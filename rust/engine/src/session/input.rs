//! What other tasks send to the engine (the agent's process, commands, terminals, hooks, MCP connections), and which
//! part of a session takes it.

use std::io;

use serde_json::value::RawValue;
use siderail_acp::permission::Outcome;
use siderail_acp::process::{Exit, Grace, StderrTail};
use siderail_acp::transport::{Inbound, Outbound};
use siderail_acp::wire::{RequestId, RpcError};
use siderail_mcp::ListenerEvent;
use tokio::sync::oneshot;

use crate::command::SessionOptions;
use crate::confine::Confined;
use crate::event::EventBody;
use crate::history::Conversation;
use crate::host::{HostReply, HostRequest};

/// A running agent process, wired up.
pub(crate) struct Started {
    pub(in crate::session) outbound: Outbound,
    pub(in crate::session) stop: oneshot::Sender<Grace>,
    pub(in crate::session) stderr: StderrTail,
}

/// Why the agent's process could not be started.
pub(crate) struct StartFailure {
    pub(in crate::session) text: String,
}

/// What other tasks send to the engine.
pub(crate) enum Input {
    /// The agent's process was started, or could not be.
    Started {
        session: u64,
        started: Box<Result<Started, StartFailure>>,
    },
    /// A line of the agent.
    Agent { session: u64, inbound: Inbound },
    /// The agent's process ended.
    Exited { session: u64, exit: Exit },
    /// A command of ours ended.
    CommandDone {
        session: u64,
        call: u64,
        reply: HostReply,
    },
    /// A tool that runs in the engine wants something of the host.
    HostWork {
        session: u64,
        request: HostRequest,
        answer: oneshot::Sender<HostReply>,
    },
    /// The answer to a prompt, once the host has finished the turn.
    PromptAnswered {
        session: u64,
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A change was reverted, or why not.
    Reverted {
        session: u64,
        /// As given.
        path: String,
        /// Where that is, if it is known.
        file: Option<Confined>,
        outcome: Result<(), String>,
    },
    /// A plain MCP client wants a session without an agent.
    Plain {
        session: u64,
        options: Box<SessionOptions>,
    },
    /// The conversation that a session resumes, or why it cannot be read.
    Kept {
        session: u64,
        kept: Box<io::Result<Conversation>>,
    },
    /// What was asked about kept conversations.
    LookedUp { session: u64, body: Box<EventBody> },
    /// Something of a plain MCP client's own connection.
    Listener(ListenerEvent),
    /// The agent's own API took a rejection, or did not: now the request is answered.
    ApiAnswered {
        session: u64,
        request_id: u64,
        id: RequestId,
        outcome: Outcome,
        delivered: bool,
    },
    /// Something that a person should know.
    Notice { session: u64, text: String },
    /// A terminal's command put something out.
    TerminalOutput {
        session: u64,
        terminal: String,
        bytes: Vec<u8>,
    },
    /// A terminal's command ended.
    TerminalExited {
        session: u64,
        terminal: String,
        exit: Exit,
    },
    /// A hook's answer was read, or was not.
    HookAnswered {
        session: u64,
        request_id: u64,
        delivered: bool,
    },
}

impl Input {
    pub(crate) fn session(&self) -> u64 {
        match self {
            Self::Started { session, .. }
            | Self::Agent { session, .. }
            | Self::Exited { session, .. }
            | Self::Notice { session, .. }
            | Self::CommandDone { session, .. }
            | Self::HostWork { session, .. }
            | Self::PromptAnswered { session, .. }
            | Self::Reverted { session, .. }
            | Self::ApiAnswered { session, .. }
            | Self::TerminalOutput { session, .. }
            | Self::TerminalExited { session, .. }
            | Self::Plain { session, .. }
            | Self::Kept { session, .. }
            | Self::LookedUp { session, .. }
            | Self::HookAnswered { session, .. } => *session,
            Self::Listener(_) => 0,
        }
    }
}
