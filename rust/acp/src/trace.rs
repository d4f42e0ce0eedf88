//! The traffic log: every line in both directions, with time and direction, without secrets.
//!
//! Written by a thread of its own, so that a slow disk never holds an agent up. The queue before it is bounded by
//! bytes; what does not fit is counted and the count is written. The first write that fails is reported once and ends
//! the log, nothing else.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::redact::Redaction;
use crate::tap::{Direction, Tap};

/// How many bytes of traffic may wait to be written.
const QUEUED_BYTES: usize = 64 << 20;

/// How long the end of the log is waited for while nothing of it is written, and in all.
const STALL_LIMIT: Duration = Duration::from_secs(2);
const END_LIMIT: Duration = Duration::from_secs(20);

/// Takes traffic; clones write into the same log. Dropping the last of them waits for nothing, wherever that happens: its
/// thread writes what is left. Who needs the end of it calls [`Self::finish`], on a thread that may wait.
#[derive(Clone)]
pub struct TrafficLog {
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    queue: Mutex<Option<Sender<Entry>>>,
    waiting: Arc<AtomicUsize>,
    lost: Arc<AtomicU64>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

struct Entry {
    seconds: f64,
    body: Body,
}

enum Body {
    Traffic(Direction, Vec<u8>),
    /// With the bytes of its text.
    Note(Value, usize),
}

impl Body {
    fn len(&self) -> usize {
        match self {
            Self::Traffic(_, bytes) => bytes.len(),
            Self::Note(_, bytes) => *bytes,
        }
    }
}

impl TrafficLog {
    /// Makes a log file, readable by its owner only; an existing one is replaced. `failed` is called at most once, on
    /// the log's thread, when writing fails later.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(
        path: &Path,
        redaction: Redaction,
        failed: impl FnOnce(io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        Self::start(open(path, false)?, redaction, failed)
    }

    /// As [`Self::create`], but the file's contents are kept and continued.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn go_on(
        path: &Path,
        redaction: Redaction,
        failed: impl FnOnce(io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        Self::start(open(path, true)?, redaction, failed)
    }

    /// Logs into anything that can be written to.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(
        sink: impl Write + Send + 'static,
        redaction: Redaction,
        failed: impl FnOnce(io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let (queue, entries) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let lost = Arc::new(AtomicU64::new(0));
        let thread = {
            let writer = Writer {
                sink: BufWriter::new(sink),
                redaction,
                waiting: Arc::clone(&waiting),
                lost: Arc::clone(&lost),
            };
            std::thread::Builder::new()
                .name("siderail-traffic-log".to_owned())
                .spawn(move || writer.run(&entries, failed))?
        };
        let shared = Shared {
            started: Instant::now(),
            queue: Mutex::new(Some(queue)),
            waiting,
            lost,
            writer: Mutex::new(Some(thread)),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The tap to give to a transport and to a [`crate::process::StderrTail`].
    pub fn tap(&self) -> Tap {
        let log = self.clone();
        Arc::new(move |direction, bytes| {
            log.push(bytes.len(), || Body::Traffic(direction, bytes.to_vec()));
        })
    }

    /// Writes something that is not traffic: what was started, what was reported of it, how it ended.
    pub fn note(&self, note: Value) {
        let bytes = note.to_string().len();
        self.push(bytes, || Body::Note(note, bytes));
    }

    /// Ends the log and waits until it is written, as long as the writing gets on. Later traffic is not logged.
    pub fn finish(&self) {
        self.shared.finish();
    }

    fn push(&self, bytes: usize, body: impl FnOnce() -> Body) {
        let shared = &self.shared;
        let mut queue = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = queue.as_ref() else { return };
        if shared.waiting.load(Ordering::Relaxed) + bytes > QUEUED_BYTES {
            shared.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        shared.waiting.fetch_add(bytes, Ordering::Relaxed);
        let seconds = shared.started.elapsed().as_secs_f64();
        if open
            .send(Entry {
                seconds,
                body: body(),
            })
            .is_err()
        {
            // The writer has given up and reported so; from now on nothing is copied.
            *queue = None;
        }
    }
}

impl Shared {
    fn finish(&self) {
        drop(
            self.queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let thread = self
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let started = Instant::now();
        let (mut left, mut moved) = (self.waiting.load(Ordering::Relaxed), started);
        while let Some(thread) = &thread
            && !thread.is_finished()
            && moved.elapsed() < STALL_LIMIT
            && started.elapsed() < END_LIMIT
        {
            std::thread::sleep(Duration::from_millis(2));
            let now = self.waiting.load(Ordering::Relaxed);
            if now != left {
                (left, moved) = (now, Instant::now());
            }
        }
    }
}

struct Writer<W: Write> {
    sink: BufWriter<W>,
    redaction: Redaction,
    waiting: Arc<AtomicUsize>,
    lost: Arc<AtomicU64>,
}

impl<W: Write> Writer<W> {
    fn run(mut self, entries: &Receiver<Entry>, failed: impl FnOnce(io::Error)) {
        if let Err(failure) = self.write_all(entries) {
            failed(failure);
        }
    }

    fn write_all(&mut self, entries: &Receiver<Entry>) -> io::Result<()> {
        while let Ok(entry) = entries.recv() {
            self.write(entry)?;
            while let Ok(entry) = entries.try_recv() {
                self.write(entry)?;
            }
            self.sink.flush()?;
        }
        self.sink.flush()
    }

    fn write(&mut self, entry: Entry) -> io::Result<()> {
        self.waiting.fetch_sub(entry.body.len(), Ordering::Relaxed);
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            self.line(entry.seconds, "note", &json!({ "not_logged": lost }))?;
        }
        let (direction, message) = match entry.body {
            Body::Note(note, _) => ("note", self.redaction.value(note)),
            Body::Traffic(Direction::ClientToAgent, line) => {
                ("client->agent", self.redaction.line(&line))
            }
            Body::Traffic(Direction::AgentToClient, line) => {
                ("agent->client", self.redaction.line(&line))
            }
            Body::Traffic(Direction::AgentStderr, piece) => {
                let text = self.redaction.text(&String::from_utf8_lossy(&piece));
                ("agent-stderr", Value::String(text))
            }
        };
        self.line(entry.seconds, direction, &message)
    }

    fn line(&mut self, seconds: f64, direction: &str, message: &Value) -> io::Result<()> {
        let seconds = (seconds * 1000.0).round() / 1000.0;
        let line = json!({"t": seconds, "dir": direction, "msg": message});
        serde_json::to_writer(&mut self.sink, &line)?;
        self.sink.write_all(b"\n")
    }
}

fn open(path: &Path, keeps: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true);
    match keeps {
        true => options.append(true),
        // Emptied below, once it is known that nobody else is writing it.
        false => options.write(true).truncate(false),
    };
    let file = siderail_os::private::file(&mut options).open(path)?;
    // Held while the file is open; what has no locks (some file systems, devices) is written without.
    if let Err(TryLockError::WouldBlock) = file.try_lock()
        && !keeps
    {
        return Err(io::Error::other(
            "another run is writing to it; name another file",
        ));
    }
    if !keeps && file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}
