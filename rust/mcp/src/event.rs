//! Events on the connections of a [`Listener`](crate::Listener), which the engine reads.

use crate::call::PendingCall;
use crate::hook::HookReply;
use crate::server::CallKey;

/// What a connection reports to the engine, in order.
#[derive(Debug)]
pub enum ListenerEvent {
    /// Somebody with the session's token connected. May be a probe that soon leaves.
    Connected {
        /// Whose token it was.
        session: u64,
        /// Names the connection from here on.
        conn: u64,
        /// The agent's name as the relay got it, or empty.
        agent: String,
        /// The relay's process.
        pid: Option<u32>,
    },
    /// The client asked for the tools, or called one, for the first time: the agent has our server.
    Started {
        /// The session.
        session: u64,
        /// The connection.
        conn: u64,
    },
    /// A tool is called.
    Call {
        /// The session.
        session: u64,
        /// The connection.
        conn: u64,
        /// To be answered.
        call: PendingCall,
    },
    /// A call was answered without anybody performing it: its tool is unknown, its arguments are wrong, or too
    /// many run.
    Refused {
        /// The session.
        session: u64,
        /// The connection.
        conn: u64,
        /// The tool that the client named.
        tool: String,
    },
    /// A call is no longer wanted. It may have been answered in the meantime.
    Cancelled {
        /// The session.
        session: u64,
        /// The connection.
        conn: u64,
        /// The call's key.
        key: CallKey,
    },
    /// An agent's own pre-tool hook asks.
    Hook {
        /// Whose token it was.
        session: u64,
        /// The agent's name as given in the hook's command.
        agent: String,
        /// The hook's name, where the command gives one.
        event: Option<String>,
        /// What the agent wrote to the hook, usually JSON.
        payload: Vec<u8>,
        /// To be answered within two seconds.
        reply: HookReply,
    },
    /// The connection is over; its open calls were reported as cancelled before.
    Closed {
        /// The session.
        session: u64,
        /// The connection.
        conn: u64,
    },
}
