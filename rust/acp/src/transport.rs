//! Between bytes and messages: a reader task and a writer task around a pair of pipes.
//!
//! The reader only splits, parses and queues; it runs no handler, so nothing an agent sends can wait for its own
//! answer. Both queues are bounded. When the inbound one is full the reader stops reading, so the agent waits and
//! nothing is lost; when the outbound one is full a line is refused and the caller learns of it.
//!
//! Messages arrive in the order in which they were written.

use std::sync::Arc;
use std::time::Duration;

use siderail_wire::{LineRef, LineSplitter, Message, ParseFailure, parse};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::timeout;

use crate::process::{ProcessTree, StderrTail};
pub use crate::tap::{Direction, Tap};
use crate::update::SessionUpdateMessage;

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// How much may still come after the end was announced; a flood must not put it off for ever.
const LAST_BYTES: usize = 16 << 20;

/// Bytes of chunks that are handed on together, and how many such batches may be on their way.
const BATCH: usize = 16 * 1024;
const BATCHES: usize = 64;

/// How many characters of a line that is not a message are shown.
const SHOWN_NOISE: usize = 200;

/// The limits of a transport.
#[derive(Clone)]
pub struct TransportConfig {
    /// Longest line that is kept, in bytes. A longer one is lost, not the connection.
    pub line_cap: usize,
    /// How many messages may wait, in each direction.
    pub queue: usize,
    /// Sees all lines.
    pub tap: Option<Tap>,
    /// Every message comes with its line ahead of it, as [`Inbound::Line`], or together with it, in [`Inbound::Chunks`].
    pub lines: bool,
}

impl Default for TransportConfig {
    fn default() -> Self {
        Self {
            line_cap: 256 << 20,
            queue: 1024,
            tap: None,
            lines: false,
        }
    }
}

/// What comes in.
#[derive(Debug)]
pub enum Inbound {
    /// The line of the message that comes next, where lines are wanted.
    Line(Box<[u8]>),
    /// Pieces of messages that came one after the other, with their lines, where lines are wanted.
    Chunks(Box<Chunks>),
    /// A message.
    Message(Message),
    /// A session update, which is nearly all that agents send. One that is unusual comes as a message.
    Update(Box<SessionUpdateMessage>),
    /// A line over the cap. Nothing of it is kept, and what it said is lost.
    TooLong {
        /// Its length.
        bytes: u64,
    },
    /// A line that is not a message: a banner, a stray print.
    Noise {
        /// How it starts, at most 200 characters.
        text: String,
        /// Why it is not a message.
        why: ParseFailure,
    },
    /// The other side said all it had to say. Comes once, last.
    Closed,
}

/// Session updates that are chunks of text, and nothing else, as they came one after the other. They are what an agent
/// sends most and fastest: handing them on one by one would cost more than reading them.
#[derive(Debug)]
pub struct Chunks {
    /// Their lines, each with a newline behind it.
    pub lines: Vec<u8>,
    /// What they say.
    pub updates: Vec<SessionUpdateMessage>,
    /// So many may be on their way; then the reader waits.
    _place: OwnedSemaphorePermit,
}

/// Two queues of messages.
#[derive(Debug)]
pub struct Transport {
    /// What comes in. Dropping it ends the reader.
    pub inbound: mpsc::Receiver<Inbound>,
    /// Where to send lines.
    pub outbound: Outbound,
}

/// Sends lines and ends the transport. Clones send into the same queue; when the last one is dropped the other side
/// sees the end of its input.
#[derive(Clone, Debug)]
pub struct Outbound {
    lines: mpsc::Sender<Vec<u8>>,
    close: Arc<watch::Sender<bool>>,
    end_after: Arc<watch::Sender<Option<Duration>>>,
}

/// A line was not queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The other side does not read: too many lines are waiting.
    #[error(
        "the agent does not read its input, and the queue of lines for it is full; stop the agent"
    )]
    Full,
    /// The other side is gone, or the transport was closed.
    #[error("the agent's input is closed; start the agent again")]
    Closed,
}

impl Outbound {
    /// Queues a line, newline included, as [`siderail_wire::message`] makes them. Never waits.
    ///
    /// # Errors
    /// [`SendError`]: the line was not and will not be sent.
    pub fn send(&self, line: Vec<u8>) -> Result<(), SendError> {
        self.lines.try_send(line).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => SendError::Full,
            mpsc::error::TrySendError::Closed(_) => SendError::Closed,
        })
    }

    /// Ends the other side's input once the queued lines are written. Further lines are refused.
    pub fn close(&self) {
        self.close.send_replace(true);
    }

    /// The other side's process has ended: what it wrote is still read, and [`Inbound::Closed`] follows once nothing
    /// came for `quiet`, even when a process that outlives it holds the pipe open.
    pub fn end_inbound(&self, quiet: Duration) {
        self.end_after.send_replace(Some(quiet));
    }
}

/// Starts reader and writer around a pair of byte streams. Needs a running tokio runtime.
pub fn over(
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    config: TransportConfig,
) -> Transport {
    let (lines, queued) = mpsc::channel(config.queue.max(1));
    let (deliver, inbound) = mpsc::channel(config.queue.max(1));
    let (close, closing) = watch::channel(false);
    let (end_after, ending) = watch::channel(None);
    tokio::spawn(write_all(writer, queued, closing, config.tap.clone()));
    tokio::spawn(read_all(reader, deliver, ending, config));
    let outbound = Outbound {
        lines,
        close: Arc::new(close),
        end_after: Arc::new(end_after),
    };
    Transport { inbound, outbound }
}

/// Starts a transport around a program's input and output and follows its error output, all of which must be pipes
/// that nobody has taken yet; `None` when they are not.
pub fn attach(tree: &mut ProcessTree, config: TransportConfig) -> Option<(Transport, StderrTail)> {
    let (stdin, stdout, stderr) = (tree.stdin.take()?, tree.stdout.take()?, tree.stderr.take()?);
    let tail = StderrTail::follow(stderr, config.tap.clone());
    Some((over(stdout, stdin, config), tail))
}

/// Two transports that are each other's other side, for tests and for agents that live in this process.
pub fn memory() -> (Transport, Transport) {
    let (here, there) = tokio::io::duplex(PIECE);
    let end = |stream| {
        let (reader, writer) = tokio::io::split(stream);
        over(reader, writer, TransportConfig::default())
    };
    (end(here), end(there))
}

async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut queued: mpsc::Receiver<Vec<u8>>,
    mut closing: watch::Receiver<bool>,
    tap: Option<Tap>,
) {
    loop {
        let line = tokio::select! {
            biased;
            line = queued.recv() => line,
            _ = closing.wait_for(|closing| *closing), if !queued.is_closed() => {
                queued.close();
                continue;
            }
        };
        let Some(line) = line else { break };
        if let Some(tap) = &tap {
            tap(
                Direction::ClientToAgent,
                line.strip_suffix(b"\n").unwrap_or(&line),
            );
        }
        let written = writer.write_all(&line).await;
        if written.is_err() || (queued.is_empty() && writer.flush().await.is_err()) {
            return;
        }
    }
    // A pipe that cannot be shut down is closed by being dropped.
    let _broken = writer.shutdown().await;
}

async fn read_all(
    mut reader: impl AsyncRead + Unpin,
    deliver: mpsc::Sender<Inbound>,
    mut ending: watch::Receiver<Option<Duration>>,
    config: TransportConfig,
) {
    let mut splitter = LineSplitter::new(config.line_cap);
    let mut passing = Passing::new(deliver, &config);
    let mut last_bytes = LAST_BYTES;
    loop {
        let quiet = *ending.borrow_and_update();
        let read = tokio::select! {
            biased;
            () = passing.deliver.closed() => return,
            read = read_before(&mut reader, splitter.room(PIECE), quiet) => read,
            // Announced while reading: the reading starts again, with an end in sight. No byte is lost by that.
            Ok(()) = ending.changed() => continue,
        };
        let Some(n) = read else { break };
        while let Some(line) = splitter.next_line_ref() {
            if passing.line(line).await.is_err() {
                return;
            }
        }
        if passing.flush().await.is_err() {
            return;
        }
        if quiet.is_some() {
            last_bytes = last_bytes.saturating_sub(n);
            if last_bytes == 0 {
                break;
            }
        }
    }
    if let Some(rest) = splitter.finish()
        && passing.line(rest.borrowed()).await.is_err()
    {
        return;
    }
    if passing.flush().await.is_ok() {
        // Fails only when nobody listens any more.
        let _nobody = passing.deliver.send(Inbound::Closed).await;
    }
}

/// Nobody listens any more.
struct Unheard;

/// What goes from the reader to the receiver, in order.
struct Passing<'a> {
    deliver: mpsc::Sender<Inbound>,
    config: &'a TransportConfig,
    /// Chunks that have not been handed on: they wait for what comes with them, never for what is still to be read.
    lines: Vec<u8>,
    updates: Vec<SessionUpdateMessage>,
    places: Arc<Semaphore>,
}

impl<'a> Passing<'a> {
    fn new(deliver: mpsc::Sender<Inbound>, config: &'a TransportConfig) -> Self {
        Self {
            deliver,
            config,
            lines: Vec::new(),
            updates: Vec::new(),
            places: Arc::new(Semaphore::new(BATCHES)),
        }
    }

    async fn line(&mut self, line: LineRef<'_>) -> Result<(), Unheard> {
        let bytes = match line {
            LineRef::Message(bytes) => bytes,
            LineRef::TooLong { bytes, .. } => return self.send(Inbound::TooLong { bytes }).await,
        };
        if let Some(tap) = &self.config.tap {
            tap(Direction::AgentToClient, bytes);
        }
        let update = SessionUpdateMessage::of_line(bytes);
        if !self.config.lines {
            return self.send(inbound_of(bytes, update)).await;
        }
        match update {
            Some(update) if update.update.is_chunk() => {
                if self.updates.is_empty() {
                    self.lines.reserve(BATCH + bytes.len());
                    self.updates.reserve(BATCH / bytes.len() + 1);
                }
                self.lines.extend_from_slice(bytes);
                self.lines.push(b'\n');
                self.updates.push(update);
                match self.lines.len() < BATCH {
                    true => Ok(()),
                    false => self.flush().await,
                }
            }
            update => {
                self.send(Inbound::Line(bytes.into())).await?;
                self.send(inbound_of(bytes, update)).await
            }
        }
    }

    async fn send(&mut self, inbound: Inbound) -> Result<(), Unheard> {
        self.flush().await?;
        self.deliver.send(inbound).await.map_err(|_| Unheard)
    }

    /// Hands on the chunks that have come.
    async fn flush(&mut self) -> Result<(), Unheard> {
        if self.updates.is_empty() {
            return Ok(());
        }
        let place = Arc::clone(&self.places).acquire_owned().await;
        let chunks = Chunks {
            lines: std::mem::take(&mut self.lines),
            updates: std::mem::take(&mut self.updates),
            _place: place.map_err(|_| Unheard)?,
        };
        let chunks = Inbound::Chunks(Box::new(chunks));
        self.deliver.send(chunks).await.map_err(|_| Unheard)
    }
}

/// Reads a piece; `None` at the end of the stream, on failure, or when nothing came for `quiet`.
async fn read_before(
    reader: &mut (impl AsyncRead + Unpin),
    room: &mut Vec<u8>,
    quiet: Option<Duration>,
) -> Option<usize> {
    let read = reader.read_buf(room);
    let read = match quiet {
        Some(quiet) => timeout(quiet, read).await.ok()?,
        None => read.await,
    };
    read.ok().filter(|n| *n > 0)
}

fn inbound_of(line: &[u8], update: Option<SessionUpdateMessage>) -> Inbound {
    if let Some(update) = update {
        return Inbound::Update(Box::new(update));
    }
    let parsed = match parse(line) {
        // One odd byte in a text costs that character, not a request that waits for its answer.
        Err(ParseFailure::NotUtf8) => parse(String::from_utf8_lossy(line).as_bytes()),
        parsed => parsed,
    };
    match parsed {
        Ok(message) => Inbound::Message(message),
        Err(failure) => Inbound::Noise {
            text: beginning(line),
            why: failure,
        },
    }
}

fn beginning(line: &[u8]) -> String {
    let start = &line[..line.len().min(SHOWN_NOISE * 4)];
    String::from_utf8_lossy(start)
        .chars()
        .take(SHOWN_NOISE)
        .collect()
}
