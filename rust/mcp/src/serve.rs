//! Drives a [`Server`] over a byte stream: the relay's socket, or standard input and output.
//!
//! One task owns the protocol state, so there is no lock. It reads, writes and takes answers in
//! whatever order they come, and it stops reading while the client does not read: memory stays bounded
//! by what the client is owed. Calls go out as events; it never performs one.

use std::collections::HashMap;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use siderail_wire::{Line, LineSplitter};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use crate::call::{CallReply, PendingCall, Progress};
use crate::event::ListenerEvent;
use crate::result::CallResult;
use crate::server::{CallKey, Output, Server};

/// Bytes per read.
const CHUNK: usize = 64 * 1024;
/// Bytes waiting to be written beyond which nothing more is read.
const BACKLOG: usize = 4 * 1024 * 1024;
/// Progress reports waiting to be written; more are dropped.
const PROGRESS_QUEUE: usize = 64;
/// How long running calls may take to answer once the client has closed its side. Clients expect a
/// server to be gone within a few seconds of that.
const DRAIN: Duration = Duration::from_secs(2);

/// Where the events of a connection go, and how they name it.
#[derive(Clone, Debug)]
pub struct Route {
    /// The session that the connection belongs to; 0 for a plain MCP client.
    pub session: u64,
    /// The connection.
    pub conn: u64,
    /// The receiver that performs the calls. When it is gone, every call is answered with an error.
    pub events: mpsc::Sender<ListenerEvent>,
}

/// Serves one client until it closes its side and has its answers, or until its side breaks.
///
/// Running calls get two seconds after the client closed its side, then they are cancelled. The last
/// event is always [`ListenerEvent::Closed`].
pub async fn serve(
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    server: Server,
    route: Route,
) {
    serve_until(reader, writer, server, route, &[], None).await;
}

/// As [`serve`], with bytes that were read already, and ended early when `stop`'s sender is dropped.
pub(crate) async fn serve_until(
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    server: Server,
    route: Route,
    first_bytes: &[u8],
    stop: Option<watch::Receiver<()>>,
) {
    let (answers, answers_receiver) = mpsc::unbounded_channel();
    let (progress, progress_receiver) = mpsc::channel(PROGRESS_QUEUE);
    let lines = LineSplitter::new(server.limits().line_bytes);
    let mut connection = Connection {
        server,
        lines,
        route,
        running: HashMap::new(),
        answers,
        progress,
        backlog: Backlog::default(),
    };
    connection.take_bytes(first_bytes).await;
    let stop = async {
        match stop {
            // Nothing is ever sent: the only news is that the sender is gone.
            Some(mut stop) => while stop.changed().await.is_ok() {},
            None => pending().await,
        }
    };
    let ended = connection
        .exchange(
            reader,
            writer,
            Inbox {
                answers: answers_receiver,
                progress: progress_receiver,
            },
            stop,
        )
        .await;
    if let Err(error) = ended {
        tracing::debug!(conn = connection.route.conn, %error, "connection broke");
    }
    connection.close().await;
}

/// What handlers send to their connection.
struct Inbox {
    answers: mpsc::UnboundedReceiver<(CallKey, CallResult)>,
    progress: mpsc::Receiver<Progress>,
}

struct Connection {
    server: Server,
    lines: LineSplitter,
    route: Route,
    /// Handed-out calls, each with the flag by which its handler learns of a cancellation.
    running: HashMap<CallKey, Arc<AtomicBool>>,
    /// Cloned into every call.
    answers: mpsc::UnboundedSender<(CallKey, CallResult)>,
    progress: mpsc::Sender<Progress>,
    backlog: Backlog,
}

impl Connection {
    async fn exchange(
        &mut self,
        mut reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
        mut inbox: Inbox,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        tokio::pin!(stop);
        let mut chunk = vec![0; CHUNK];
        let mut leave_at: Option<Instant> = None;
        let mut flushed = true;
        // Answers were taken and others are still to come: those that come at once share a write.
        let mut gathering = false;
        loop {
            let n_owed = self.backlog.len();
            if leave_at.is_some() && self.server.n_open() == 0 && n_owed == 0 && flushed {
                return writer.shutdown().await;
            }
            tokio::select! {
                biased;
                () = &mut stop => return Ok(()),
                () = sleep_until(leave_at.unwrap_or_else(Instant::now)), if leave_at.is_some() => {
                    return Ok(());
                }
                Some(report) = inbox.progress.recv() => self.report(&report),
                Some(answer) = inbox.answers.recv() => {
                    self.answers(answer, &mut inbox);
                    gathering = self.server.n_open() > 0;
                }
                // Lets the handlers on this thread run once.
                () = yield_now(), if gathering => gathering = false,
                written = write_some(&mut writer, self.backlog.rest()),
                    if !gathering && (n_owed > 0 || !flushed) =>
                {
                    let n_written = written?;
                    self.backlog.consume(n_written);
                    flushed = n_written == 0;
                }
                read = reader.read(&mut chunk), if leave_at.is_none() && n_owed < BACKLOG => {
                    match read? {
                        0 => {
                            leave_at = Some(Instant::now() + DRAIN);
                            if let Some(line) = self.lines.finish() {
                                self.take_line(line).await;
                            }
                        }
                        n_read => self.take_bytes(&chunk[..n_read]).await,
                    }
                }
            }
        }
    }

    async fn take_bytes(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
        while let Some(line) = self.lines.next_line() {
            self.take_line(line).await;
        }
    }

    async fn take_line(&mut self, line: Line) {
        let Route { session, conn, .. } = self.route;
        for output in self.server.handle_line(line) {
            match output {
                Output::Send(line) => self.backlog.push(&line),
                Output::Started => self.tell(ListenerEvent::Started { session, conn }).await,
                Output::Refused(tool) => {
                    self.tell(ListenerEvent::Refused {
                        session,
                        conn,
                        tool,
                    })
                    .await;
                }
                Output::Cancelled(key) => self.withdraw(key).await,
                Output::Call(request) => {
                    let cancelled = Arc::new(AtomicBool::new(false));
                    self.running.insert(request.key, Arc::clone(&cancelled));
                    let (answers, progress) = (self.answers.clone(), self.progress.clone());
                    let call = PendingCall::new(
                        request,
                        CallReply {
                            answers,
                            progress,
                            cancelled,
                        },
                    );
                    self.tell(ListenerEvent::Call {
                        session,
                        conn,
                        call,
                    })
                    .await;
                }
            }
        }
    }

    fn report(&mut self, report: &Progress) {
        let Progress {
            key,
            done,
            total,
            message,
        } = report;
        if let Some(line) = self.server.progress(*key, *done, *total, message) {
            self.backlog.push(&line);
        }
    }

    /// Takes an answer and those that are there already.
    fn answers(&mut self, first: (CallKey, CallResult), inbox: &mut Inbox) {
        let mut next = Some(first);
        while let Some((key, result)) = next {
            // A report that was made before its call's answer also goes out before it.
            while let Ok(report) = inbox.progress.try_recv() {
                self.report(&report);
            }
            self.running.remove(&key);
            if let Some(line) = self.server.complete(key, result) {
                self.backlog.push(&line);
            }
            next = inbox.answers.try_recv().ok();
        }
    }

    async fn withdraw(&mut self, key: CallKey) {
        let Route { session, conn, .. } = self.route;
        if let Some(cancelled) = self.running.remove(&key) {
            cancelled.store(true, Ordering::Relaxed);
        }
        self.tell(ListenerEvent::Cancelled { session, conn, key })
            .await;
    }

    async fn close(&mut self) {
        let Route { session, conn, .. } = self.route;
        for key in self.server.cancel_all() {
            self.withdraw(key).await;
        }
        self.tell(ListenerEvent::Closed { session, conn }).await;
    }

    /// Waits while the engine is behind. When it is gone, the event is dropped, and a call in it
    /// answers itself.
    async fn tell(&self, event: ListenerEvent) {
        let _ = self.route.events.send(event).await;
    }
}

/// Writes what can be written now, at least one byte; when there is nothing to write, flushes.
async fn write_some(writer: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() {
        return writer.flush().await.map(|()| 0);
    }
    match writer.write(bytes).await? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        n_written => Ok(n_written),
    }
}

/// Bytes owed to the client.
#[derive(Default)]
struct Backlog {
    bytes: Vec<u8>,
    n_written: usize,
}

impl Backlog {
    fn len(&self) -> usize {
        self.bytes.len() - self.n_written
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.n_written..]
    }

    fn push(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
    }

    fn consume(&mut self, n_written: usize) {
        self.n_written += n_written;
        if self.len() == 0 {
            self.bytes.clear();
            self.bytes.shrink_to(CHUNK);
            self.n_written = 0;
        }
    }
}
