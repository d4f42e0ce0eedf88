//! Records of the library on their way into the embedder's log.
//!
//! One subscriber for the whole image, which stays; who gets the records changes with the engines that are open: the
//! youngest. A record never waits: a thread of its own takes it to the embedder, and when too many wait, the next ones
//! are counted instead, and the count is logged. Nothing of an embedder is held after its engine's end.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record as SpanRecord};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::callbacks::Callbacks;
use crate::error::BridgeError;
use crate::runtime;

/// Records that may wait.
const WAITING: usize = 1024;
/// Bytes of a record's text.
const LONGEST: usize = 8 << 10;
/// Time for the embedder's log function to take the last records when its engine ends.
const LAST_RECORDS: Duration = Duration::from_millis(500);
/// What the log gets unless set otherwise.
const USUAL: Level = Level::INFO;

static LISTENERS: RwLock<Option<Listeners>> = RwLock::new(None);
static NEXT: AtomicU64 = AtomicU64::new(1);
/// 1 for errors only, to 5 for all; concerns our own records. Of others' only warnings and errors are kept.
static DETAIL: AtomicU8 = AtomicU8::new(3);
/// Records that found no room since the last one that did.
static UNSAID: AtomicU64 = AtomicU64::new(0);
/// Held while the embedder's function runs.
static SPEAKING: Mutex<()> = Mutex::new(());

struct Listeners {
    records: SyncSender<Waiting>,
    all: Vec<(u64, Arc<dyn Callbacks>)>,
}

/// What waits for the thread that serves the embedder.
enum Waiting {
    Record(Said),
    /// Somebody wants to know when all before this is said.
    Mark(SyncSender<()>),
}

/// A record, as text.
struct Said {
    level: u8,
    target: &'static str,
    text: String,
}

/// A place among those who get records; given up when dropped.
#[derive(Debug)]
pub(crate) struct Listening(u64);

/// Sends records to this embedder from now on.
///
/// # Errors
/// A level that there is not.
pub(crate) fn add(
    callbacks: Arc<dyn Callbacks>,
    level: Option<&str>,
) -> Result<Listening, BridgeError> {
    let level = level.map_or(Ok(USUAL), str::parse::<Level>);
    let level = level.map_err(|_| BridgeError::Invalid {
        what: "configuration",
        why: "`log` is none of error, warn, info, debug, trace".to_owned(),
    })?;
    DETAIL.store(number(level), Ordering::Relaxed);
    install();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut listeners = LISTENERS.write();
    let listeners = listeners.get_or_insert_with(|| {
        let (records, waiting) = sync_channel(WAITING);
        // Without a thread the records are counted and nothing else.
        let _ = runtime::spawn("siderail-log", move || speak(&waiting));
        Listeners {
            records,
            all: Vec::new(),
        }
    });
    listeners.all.push((id, callbacks));
    Ok(Listening(id))
}

impl Drop for Listening {
    fn drop(&mut self) {
        let deadline = Instant::now() + LAST_RECORDS;
        await_said(deadline);
        let mut listeners = LISTENERS.write();
        if let Some(some) = &mut *listeners {
            some.all.retain(|(id, _)| *id != self.0);
            if some.all.is_empty() {
                // The thread ends with the last sender.
                *listeners = None;
            }
        }
        drop(listeners);
        // A record that came meanwhile and is on its way has arrived after this, unless the embedder's function hangs.
        drop(SPEAKING.try_lock_until(deadline));
    }
}

/// Waits until the records that wait are said: what ends an engine is often the last of them.
fn await_said(deadline: Instant) {
    let (mark, reached) = sync_channel(1);
    let records = LISTENERS.read().as_ref().map(|some| some.records.clone());
    // Where too many wait, an embedder is slow that nobody has to wait for.
    if records.is_some_and(|records| records.try_send(Waiting::Mark(mark)).is_ok()) {
        let _ = reached.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

/// The subscriber, once per image. Another one that is there already keeps its place.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = tracing::subscriber::set_global_default(Recorder);
    });
}

/// Panics go into the log with their place, wherever they are caught. For an image that is ours alone.
pub(crate) fn record_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let trace = std::backtrace::Backtrace::force_capture();
            tracing::error!("{panic}\n{trace}");
            usual(panic);
        }));
    });
}

fn speak(records: &Receiver<Waiting>) {
    while let Ok(waiting) = records.recv() {
        let said = match waiting {
            Waiting::Record(said) => said,
            Waiting::Mark(mark) => {
                // The caller that waited may have given up.
                let _ = mark.try_send(());
                continue;
            }
        };
        let speaking = SPEAKING.lock();
        let listener = LISTENERS
            .read()
            .as_ref()
            .and_then(|some| some.all.last().map(|(_, callbacks)| Arc::clone(callbacks)));
        let Some(listener) = listener else { continue };
        let unsaid = UNSAID.swap(0, Ordering::Relaxed);
        if unsaid > 0 {
            let text = format!("{unsaid} records are missing here: they came too fast");
            listener.log(number(Level::WARN), "siderail", &text);
        }
        listener.log(said.level, said.target, &said.text);
        drop(listener);
        drop(speaking);
    }
}

fn number(level: Level) -> u8 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

/// Turns records into text; spans are not followed.
struct Recorder;

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let most = if metadata.target().starts_with("siderail") {
            DETAIL.load(Ordering::Relaxed)
        } else {
            number(Level::WARN)
        };
        number(*metadata.level()) <= most
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &SpanRecord<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let said = Said {
            level: number(*event.metadata().level()),
            target: event.metadata().target(),
            text: text.whole(),
        };
        let listeners = LISTENERS.read();
        let Some(listeners) = &*listeners else { return };
        if let Err(TrySendError::Full(_)) = listeners.records.try_send(Waiting::Record(said)) {
            UNSAID.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        None
    }
}

/// A record's message, then its fields.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Text {
    fn whole(self) -> String {
        let mut text = self.message + &self.fields;
        if text.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
            text.truncate(end.unwrap_or(0));
            text.push('…');
        }
        text
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests;
