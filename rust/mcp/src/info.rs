//! What the server says about itself.

/// How the server introduces itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// The server's name, part of the tool names that models see.
    pub name: String,
    /// The version of the program that embeds the server.
    pub version: String,
    /// What the model should know about the tools as a whole; at most 2 000 characters.
    pub instructions: String,
}
