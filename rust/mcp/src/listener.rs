//! The socket that relays connect to, and the tokens that assign them to an agent session.
//!
//! Every connection begins with a hello line that names a role and a token:
//! `{"v":1,"role":"mcp"|"hook","agent":NAME,"event":EVENT,"token":T,"pid":N}`. After it, an `mcp` connection speaks
//! MCP, and a `hook` connection carries one payload up to its half-close (or, if there is none, of the length that the
//! hello's `payload` gives) and one answer line back. A connection without a valid token is closed without an answer. A
//! token may be used again: agents start several processes and drop some of them. The listener performs no call and
//! answers no hook.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::sleep;

mod connection;
mod hello;
mod session;
mod unidentified;

use self::connection::Door;
use self::session::Sessions;
pub use self::session::{SessionServer, Token};
use self::unidentified::Strangers;
use crate::event::ListenerEvent;
use crate::server::Limits;
use crate::socket::{self, ListenError};

/// Events that may wait for the engine; connections wait beyond that.
const EVENT_QUEUE: usize = 256;
/// Connections with a valid token at the same time, hooks included. One agent session needs a handful.
const CONNECTIONS: usize = 256;

/// An open socket. Dropping it closes all connections and removes the socket, which may wait for the disk: not on a thread
/// that others need.
#[derive(Debug)]
pub struct Listener {
    /// What happens on all connections.
    pub events: mpsc::Receiver<ListenerEvent>,
    path: PathBuf,
    sessions: Arc<Sessions>,
    accepting: JoinHandle<()>,
}

impl Listener {
    /// Opens a socket of its own in `folder`, which is created with access for this user alone, and
    /// removes what engines that are gone left there. Has to run within a tokio runtime.
    pub fn bind(folder: &Path, limits: Limits) -> Result<Self, ListenError> {
        let (listener, path) = socket::open(folder)?;
        let (sender, events) = mpsc::channel(EVENT_QUEUE);
        let sessions = Arc::new(Sessions::default());
        let door = Arc::new(Door::new(limits, Arc::clone(&sessions), sender));
        let accepting = tokio::spawn(accept(listener, door));
        Ok(Self {
            events,
            path,
            sessions,
            accepting,
        })
    }

    /// The socket, for the environment of agents (`SIDERAIL_SOCKET`).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets an agent session in and returns its token (`SIDERAIL_TOKEN`). All its connections offer
    /// the same tools. Registering a session again adds a token.
    pub fn register(&self, session: u64, server: SessionServer) -> Token {
        self.sessions.register(session, server)
    }

    /// Makes a session's tokens worthless and closes its connections.
    pub fn revoke(&self, session: u64) {
        self.sessions.revoke(session);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
        self.sessions.revoke_all();
        socket::remove(&self.path);
    }
}

async fn accept(listener: socket::Listener, door: Arc<Door>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let strangers = Arc::new(Strangers::default());
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (door, places) = (Arc::clone(&door), Arc::clone(&places));
                let stranger = strangers.wait_for_hello();
                tokio::spawn(async move {
                    let Some(guest) = stranger.unless_dropped(door.greet(stream)).await else {
                        return;
                    };
                    match places.try_acquire_owned() {
                        Ok(_place) => door.let_in(guest).await,
                        Err(_) => tracing::warn!("too many connections; one is refused"),
                    }
                });
                // One that has its hello ready says it before the next may push it out.
                yield_now().await;
            }
            Err(error) => {
                // Out of descriptors, most likely: others may be closed meanwhile.
                tracing::warn!(%error, "cannot accept a connection");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}
