//! What a session fills into an agent's recipes.

use std::path::Path;

/// Values that placeholders stand for.
pub struct Values<'a> {
    /// Name of our MCP server.
    pub server: &'a str,
    /// argv of the relay.
    pub relay: &'a [String],
    /// The session's own folder.
    pub folder: &'a Path,
    /// Where what outlives a crash is kept.
    pub state: &'a Path,
    /// The engine's socket.
    pub socket: &'a str,
    /// The session's token.
    pub token: &'a str,
    /// The user's home.
    pub home: &'a str,
    /// The project's folder.
    pub project: &'a Path,
    /// A free port for the agent's own API, for agents that have one.
    pub api_port: u16,
    /// The password for it.
    pub api_password: &'a str,
}

/// By which the relay finds the engine.
pub(super) fn relay_variables<'a>(values: &Values<'a>) -> [(&'static str, &'a str); 2] {
    [
        ("SIDERAIL_SOCKET", values.socket),
        ("SIDERAIL_TOKEN", values.token),
    ]
}
