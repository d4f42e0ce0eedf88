//! Diagnostics for developers: to standard error, and only when `SIDERAIL_LOG` asks for them.
//!
//! A thread of their own writes them: the engine's loop logs, too, and must not wait for a reader that does not read.

use std::cell::Cell;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tracing::Subscriber;
use tracing_subscriber::EnvFilter;

use crate::output::Output;

/// How long the end waits for a reader that takes nothing.
const PAUSE: Duration = Duration::from_secs(1);
/// How long it waits in all: the engine may still be logging.
const ENDING: Duration = Duration::from_secs(5);

/// Where diagnostics go, once there are some.
static LOG: OnceLock<Arc<Output>> = OnceLock::new();

thread_local! {
    /// This thread is handing over a line. What that says of itself is dropped: it holds the lock that the line needs.
    static IS_LOGGING: Cell<bool> = const { Cell::new(false) };
}

/// Starts logging as the filter says, e.g. `debug` or `siderail_acp=trace`; without a filter
/// nothing is logged.
pub(crate) fn start(filter: Option<&str>) {
    if let Some(filter) = filter.filter(|filter| !filter.is_empty()) {
        let output = LOG.get_or_init(|| Arc::new(Output::stderr()));
        // a second start keeps the first subscriber
        let _ = tracing::subscriber::set_global_default(subscriber(filter, output));
    }
}

/// Dropping it at the process's end waits until everything is written. A panic drops it, too: the last lines explain it.
pub(crate) struct End;

impl Drop for End {
    fn drop(&mut self) {
        if let Some(output) = LOG.get() {
            output.end_within(ENDING, PAUSE);
        }
    }
}

fn subscriber(filter: &str, output: &Arc<Output>) -> impl Subscriber + use<> {
    let output = Arc::clone(output);
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(move || Lines(Arc::clone(&output)))
        .with_ansi(false)
        .finish()
}

/// Takes whole lines, one a write.
struct Lines(Arc<Output>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !IS_LOGGING.replace(true) {
            self.0.write(String::from_utf8_lossy(bytes));
            IS_LOGGING.set(false);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use parking_lot::Mutex;

    use super::*;

    /// A reader that takes nothing until it is let.
    struct Unread(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Unread {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_does_not_read_holds_up_nobody_who_logs() {
        let read = Arc::new(Mutex::new(Vec::new()));
        let stream = Unread(Arc::clone(&read));
        let output = Output::start(stream, std::env::temp_dir(), crate::output::MEMORY);
        let output = Arc::new(output);
        let limit = Duration::from_secs(60);
        let not_read = read.lock();
        let subscriber = subscriber("debug", &output);
        let (says, said) = mpsc::channel();
        std::thread::spawn(move || {
            tracing::subscriber::with_default(subscriber, || {
                for number in 0..1_000 {
                    tracing::info!(number, "said");
                }
            });
            says.send(())
        });
        assert_eq!(said.recv_timeout(limit), Ok(()));
        drop(not_read);
        output.end(limit);
        let text = String::from_utf8(read.lock().clone()).expect("text");
        assert_eq!(text.lines().count(), 1_000);
        assert!(text.ends_with("said number=999\n"), "{text}");
    }
}
