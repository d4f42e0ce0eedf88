//! Standard output, or another stream, on a thread of its own, so that a slow reader never stops the run.
//!
//! Texts are written in order; what is not read yet waits in memory, and beyond some megabytes on disk. A reader
//! that has gone away, or a disk that is full, is reported once, and everything after it is dropped.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use siderail_engine::event::backlog::{Backlog, Waits};
use tokio::sync::watch;

use crate::exit::Failure;

/// Bytes that wait in memory for a slow reader.
pub(crate) const MEMORY: usize = 4 << 20;
/// Bytes of a write.
const BATCH: usize = 64 << 10;

/// Writes to a stream in the background.
pub(crate) struct Output {
    shared: Arc<Shared>,
    closed: watch::Receiver<Option<Closed>>,
}

struct Shared {
    waiting: Backlog<Text>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Something is being written at this moment.
    writing: bool,
    /// Writes that have ended.
    n_writes: u64,
    /// Nothing will be added.
    ended: bool,
}

/// A text that waits, which may end in the middle of a line.
pub(crate) struct Text(pub(crate) String);

impl Waits for Text {
    fn weight(&self) -> usize {
        self.0.len()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(serde_json::json!(self.0).to_string().bytes());
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        serde_json::from_slice(&line).ok().map(Self)
    }

    fn join(&mut self, next: Self) -> Option<Self> {
        if self.0.len() + next.0.len() > BATCH {
            return Some(next);
        }
        self.0.push_str(&next.0);
        None
    }
}

/// Why nothing more is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Nobody reads any more.
    Unread,
    /// It cannot be written.
    Broken(Failure),
}

impl Closed {
    fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unread,
            _ => Self::Broken(Failure::output(error)),
        }
    }
}

impl Output {
    /// Starts the thread that writes to standard output.
    pub(crate) fn stdout() -> Self {
        Self::start(io::stdout(), std::env::temp_dir(), MEMORY)
    }

    /// Starts the thread that writes to standard error.
    pub(crate) fn stderr() -> Self {
        Self::start(io::stderr(), std::env::temp_dir(), MEMORY)
    }

    /// Starts the thread that writes to a file of one's own, which is emptied.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(crate) fn file(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(true);
        let file = siderail_os::private::file(&mut options).open(path)?;
        Ok(Self::start(file, std::env::temp_dir(), MEMORY))
    }

    /// `folder` takes what is beyond `memory`, in a file without a name.
    pub(crate) fn start(
        stream: impl Write + Send + 'static,
        folder: PathBuf,
        memory: usize,
    ) -> Self {
        let shared = Arc::new(Shared {
            waiting: Backlog::new(folder, memory),
            state: Mutex::new(State {
                writing: false,
                n_writes: 0,
                ended: false,
            }),
            changed: Condvar::new(),
        });
        let (gone, closed) = watch::channel(None);
        let taken = Arc::clone(&shared);
        std::thread::spawn(move || taken.write_to(stream, &gone));
        Self { shared, closed }
    }

    /// Writes a text after all earlier ones.
    pub(crate) fn write(&self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            // Under the lock: a thread that has just found nothing must already be waiting for the notice.
            let state = self.shared.state.lock();
            self.shared.waiting.push(Text(text));
            drop(state);
            self.shared.changed.notify_all();
        }
    }

    /// Resolves when nothing more can be written.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + use<> {
        let mut closed = self.closed.clone();
        async move {
            if closed.wait_for(Option::is_some).await.is_err() {
                // The thread has ended with its work done: there is nothing to report.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Why nothing more is written, if that is so.
    pub(crate) fn why_closed(&self) -> Option<Closed> {
        self.closed.borrow().clone()
    }

    /// Waits until everything is written, at most for `limit`. Blocks.
    pub(crate) fn finish(&self, limit: Duration) {
        let end = Instant::now() + limit;
        let mut state = self.shared.state.lock();
        while state.writing || !self.shared.waiting.is_empty() {
            if self.shared.changed.wait_until(&mut state, end).timed_out() {
                return;
            }
        }
    }

    /// Waits at the end until everything is written. A reader that takes nothing for `pause` is given up. Blocks.
    pub(crate) fn end(&self, pause: Duration) {
        self.end_until(None, pause);
    }

    /// The same, at most for `limit`: others may still be writing.
    pub(crate) fn end_within(&self, limit: Duration, pause: Duration) {
        self.end_until(Some(Instant::now() + limit), pause);
    }

    fn end_until(&self, last: Option<Instant>, pause: Duration) {
        let mut state = self.shared.state.lock();
        while state.writing || !self.shared.waiting.is_empty() {
            let (before, end) = (state.n_writes, Instant::now() + pause);
            let end = last.map_or(end, |last| last.min(end));
            while state.n_writes == before {
                if self.shared.changed.wait_until(&mut state, end).timed_out() {
                    return;
                }
            }
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.shared.state.lock().ended = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// The thread: writes until nothing will be added.
    fn write_to(&self, mut stream: impl Write, gone: &watch::Sender<Option<Closed>>) {
        while let Some(text) = self.next() {
            let written = stream
                .write_all(text.as_bytes())
                .and_then(|()| stream.flush());
            if let Err(error) = written {
                // Reported first: the next call asks for the reason.
                gone.send_replace(Some(Closed::of(&error)));
                self.waiting.close();
            }
        }
    }

    /// The next text to write, which may be many that were given; none at the end.
    fn next(&self) -> Option<String> {
        let mut state = self.state.lock();
        loop {
            state.n_writes += u64::from(std::mem::take(&mut state.writing));
            self.changed.notify_all();
            while self.waiting.is_empty() {
                if state.ended {
                    return None;
                }
                self.changed.wait(&mut state);
            }
            state.writing = true;
            // It may wait for the disk, and nobody who writes is to wait with it.
            let next = MutexGuard::unlocked(&mut state, || self.waiting.pop());
            if let Some(Text(text)) = next {
                return Some(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::RecvTimeoutError;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Stream(Arc<Mutex<Vec<u8>>>);

    impl Write for Stream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut written = self.0.lock().unwrap();
            if written.len() > 4 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            written.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_reader_that_goes_away_is_reported_and_the_rest_is_dropped() {
        let stream = Stream::default();
        let output = Output::start(stream.clone(), std::env::temp_dir(), MEMORY);
        output.write("one\n");
        output.finish(Duration::from_secs(10));
        assert_eq!(output.why_closed(), None);
        output.write("two\n");
        output.finish(Duration::from_secs(10));
        output.write("three\n");
        output.write("four\n");
        tokio::time::timeout(Duration::from_secs(10), output.closed())
            .await
            .unwrap();
        output.finish(Duration::from_secs(10));
        assert_eq!(output.why_closed(), Some(Closed::Unread));
        assert_eq!(*stream.0.lock().unwrap(), b"one\ntwo\n");
    }

    /// A reader that takes nothing until it is let.
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A reader that takes its time for each write.
    struct Leisurely(Arc<Mutex<Vec<u8>>>);

    impl Write for Leisurely {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(100));
            let some = &bytes[..bytes.len().min(BATCH)];
            self.0.lock().unwrap().extend_from_slice(some);
            Ok(some.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_end_waits_for_a_reader_that_still_reads() {
        let read = Arc::new(Mutex::new(Vec::new()));
        let stream = Leisurely(Arc::clone(&read));
        let output = Output::start(stream, std::env::temp_dir(), MEMORY);
        for _ in 0..20 {
            output.write("x".repeat(BATCH));
        }
        output.end(Duration::from_millis(1_000));
        assert_eq!(read.lock().unwrap().len(), 20 * BATCH);
    }

    #[test]
    fn the_end_does_not_wait_for_ever_where_more_keeps_coming() {
        let stream = Leisurely(Arc::default());
        let output = Arc::new(Output::start(stream, std::env::temp_dir(), MEMORY));
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let writes = std::thread::spawn({
            let output = Arc::clone(&output);
            move || {
                let moment = Duration::from_millis(1);
                while stopped.recv_timeout(moment) == Err(RecvTimeoutError::Timeout) {
                    output.write("more\n");
                }
            }
        });
        output.write("one\n");
        let (ends, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            output.end_within(Duration::from_millis(300), Duration::from_secs(30));
            ends.send(())
        });
        let limit = Duration::from_secs(20);
        assert_eq!(ended.recv_timeout(limit), Ok(()));
        drop(stop);
        writes.join().unwrap();
    }

    #[test]
    fn what_a_slow_reader_does_not_take_waits_on_disk_and_comes_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (read, memory) = (Arc::new(Mutex::new(Vec::new())), 10_000);
        let output = Output::start(Slow(Arc::clone(&read)), folder.path().to_owned(), memory);
        let mut expected = String::new();
        {
            let _not_read = read.lock().unwrap();
            for number in 0..200_000 {
                let text = format!("{number} \"ü\"{}", ["", "\n", "\r\n"][number % 3]);
                expected.push_str(&text);
                output.write(text);
            }
            assert!(output.shared.waiting.is_spilling());
            let end = Instant::now() + Duration::from_secs(60);
            while output.shared.waiting.in_memory() > 400_000 {
                assert!(Instant::now() < end, "the rest does not go to the disk");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        output.finish(Duration::from_secs(60));
        assert!(expected.as_bytes() == *read.lock().unwrap());
    }
}
