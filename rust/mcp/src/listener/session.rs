//! The tokens of the agent sessions, which decide who may connect.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::server::ServerInfo;
use crate::tool::ToolDefinition;

/// What the connections of one session offer.
#[derive(Clone, Debug)]
pub struct SessionServer {
    /// How the server introduces itself.
    pub info: ServerInfo,
    /// The tools, fixed for the session.
    pub tools: Arc<[ToolDefinition]>,
}

/// The secret by which a connection belongs to a session: 32 random bytes in hex.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(pub String);

impl Token {
    fn new() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        Self(HEXLOWER.encode(&bytes))
    }

    /// The text that goes into an agent's environment.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not say how much of a guess was right.
    fn matches(&self, given: &str) -> bool {
        let (ours, given) = (self.0.as_bytes(), given.as_bytes());
        let difference = |sum, (a, b): (&u8, &u8)| black_box(sum | (a ^ b));
        ours.len() == given.len() && ours.iter().zip(given).fold(0, difference) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// A session that a token led to.
pub(super) struct Admission {
    pub(super) session: u64,
    pub(super) server: SessionServer,
    /// Ends when the session is revoked.
    pub(super) open: watch::Receiver<()>,
}

/// All sessions that may connect.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    /// A list, because every guess is compared with every token.
    entries: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    token: Token,
    session: u64,
    server: SessionServer,
    /// Dropping it closes the session's connections.
    open: watch::Sender<()>,
}

impl Sessions {
    pub(super) fn register(&self, session: u64, server: SessionServer) -> Token {
        let token = Token::new();
        let open = watch::Sender::new(());
        self.entries.lock().push(Entry {
            token: token.clone(),
            session,
            server,
            open,
        });
        token
    }

    pub(super) fn revoke(&self, session: u64) {
        self.entries.lock().retain(|entry| entry.session != session);
    }

    pub(super) fn revoke_all(&self) {
        self.entries.lock().clear();
    }

    pub(super) fn admit(&self, given: &str) -> Option<Admission> {
        let entries = self.entries.lock();
        // Not `find`: it would stop at the match, and so reveal where in the list that is.
        let matching = entries.iter().fold(None, |found, entry| {
            if entry.token.matches(given) {
                Some(entry)
            } else {
                found
            }
        });
        matching.map(|entry| Admission {
            session: entry.session,
            server: entry.server.clone(),
            open: entry.open.subscribe(),
        })
    }
}
