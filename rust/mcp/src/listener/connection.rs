//! The first steps of a new connection: hello, admission, and then its role.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, split};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::hello::{self, Hello, Role};
use super::session::{Admission, Sessions};
use crate::event::ListenerEvent;
use crate::hook::HookReply;
use crate::serve::{Route, serve_until};
use crate::server::{Limits, Server};
use crate::socket::Stream;

/// A relay says hello in its first milliseconds.
const HELLO_LIMIT: Duration = Duration::from_secs(5);
/// A hook has its whole payload before it connects.
const PAYLOAD_LIMIT: Duration = Duration::from_secs(5);
/// The relay holds the same limit.
const PAYLOAD_CAP: usize = 16 * 1024 * 1024;

/// A connection that has shown a valid token.
pub(super) struct Guest {
    stream: Stream,
    hello: Hello,
    admission: Admission,
    /// What came right behind the hello line.
    rest: Vec<u8>,
}

/// What all connections of a listener share.
#[derive(Debug)]
pub(super) struct Door {
    limits: Limits,
    sessions: Arc<Sessions>,
    events: mpsc::Sender<ListenerEvent>,
    n_connections: AtomicU64,
}

impl Door {
    pub(super) fn new(
        limits: Limits,
        sessions: Arc<Sessions>,
        events: mpsc::Sender<ListenerEvent>,
    ) -> Self {
        Self {
            limits,
            sessions,
            events,
            n_connections: AtomicU64::new(0),
        }
    }

    /// Finds out who a new connection is. One that does not introduce itself properly, or in time, is closed.
    pub(super) async fn greet(&self, mut stream: Stream) -> Option<Guest> {
        let hello = timeout(HELLO_LIMIT, hello::read(&mut stream))
            .await
            .ok()
            .flatten();
        let Some((hello, rest)) = hello else {
            tracing::debug!("a connection without a hello line is closed");
            return None;
        };
        let Some(admission) = self.sessions.admit(&hello.token) else {
            tracing::debug!(
                agent = hello.agent,
                "a connection with an unknown token is closed"
            );
            return None;
        };
        Some(Guest {
            stream,
            hello,
            admission,
            rest,
        })
    }

    /// Serves a connection that has introduced itself, to its end.
    pub(super) async fn let_in(&self, guest: Guest) {
        let Guest {
            stream,
            hello,
            admission,
            rest,
        } = guest;
        match hello.role {
            Role::Mcp => self.serve_mcp(stream, hello, admission, &rest).await,
            Role::Hook => self.take_hook(stream, hello, admission, rest).await,
        }
    }

    async fn serve_mcp(&self, stream: Stream, hello: Hello, admission: Admission, rest: &[u8]) {
        let Admission {
            session,
            server,
            open,
        } = admission;
        let conn = 1 + self.n_connections.fetch_add(1, Ordering::Relaxed);
        let agent = hello.agent.unwrap_or_default();
        let connected = ListenerEvent::Connected {
            session,
            conn,
            agent,
            pid: hello.pid,
        };
        if self.events.send(connected).await.is_err() {
            return;
        }
        let server = Server::new(server.info, server.tools, self.limits.clone());
        let route = Route {
            session,
            conn,
            events: self.events.clone(),
        };
        let (reader, writer) = split(stream);
        serve_until(reader, writer, server, route, rest, Some(open)).await;
    }

    async fn take_hook(
        &self,
        mut stream: Stream,
        hello: Hello,
        admission: Admission,
        mut payload: Vec<u8>,
    ) {
        let session = admission.session;
        let most = hello.payload.unwrap_or(usize::MAX).min(PAYLOAD_CAP + 1);
        let whole = timeout(PAYLOAD_LIMIT, async {
            let mut rest = (&mut stream).take(most.saturating_sub(payload.len()) as u64);
            rest.read_to_end(&mut payload).await
        });
        let is_whole = matches!(whole.await, Ok(Ok(_)))
            && hello.payload.is_none_or(|length| payload.len() == length);
        if !is_whole || payload.len() > PAYLOAD_CAP {
            tracing::debug!(session, "a hook without a whole payload is closed");
            return;
        }
        let agent = hello.agent.unwrap_or_default();
        let (event, reply) = (hello.event, HookReply::new(stream));
        let event = ListenerEvent::Hook {
            session,
            agent,
            event,
            payload,
            reply,
        };
        let _ = self.events.send(event).await;
    }
}
