//! The first line of a connection: which role, on whose behalf.

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt};

/// A hello line is at most a few hundred bytes.
const CAP: usize = 4096;

/// A hello line of version 1. Unknown members are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Hello {
    v: u32,
    pub(super) role: Role,
    #[serde(default)]
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) event: Option<String>,
    pub(super) token: String,
    #[serde(default)]
    pub(super) pid: Option<u32>,
    /// Bytes of the payload behind it, from where a connection cannot be half-closed (Windows).
    #[serde(default)]
    pub(super) payload: Option<usize>,
}

/// What the rest of the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    /// MCP messages, both ways.
    Mcp,
    /// One payload, one answer.
    Hook,
}

/// Reads the hello line and whatever came right behind it. `None` for anything else.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<(Hello, Vec<u8>)> {
    let mut bytes = Vec::with_capacity(CAP);
    let line_end = loop {
        let from = bytes.len();
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(at) = bytes[from..].iter().position(|byte| *byte == b'\n') {
            break from + at;
        }
        if bytes.len() >= CAP {
            return None;
        }
    };
    let rest = bytes.split_off(line_end + 1);
    let hello: Hello = serde_json::from_slice(&bytes).ok()?;
    (hello.v == 1).then_some((hello, rest))
}
