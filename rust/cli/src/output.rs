//! Standard output on a thread of its own, so that a slow reader never stops the run.
//!
//! Pieces are written in order and flushed each; what is not read yet waits in memory. A reader that
//! has gone away, or a disk that is full, is reported once, and everything after it is dropped.

use std::io::{self, Write};
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::watch;

use crate::exit::Failure;

enum Piece {
    Text(Vec<u8>),
    Flushed(mpsc::Sender<()>),
}

/// Writes to a stream in the background.
pub(crate) struct Output {
    pieces: mpsc::Sender<Piece>,
    closed: watch::Receiver<Option<Closed>>,
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
        Self::start(io::stdout())
    }

    fn start(mut stream: impl Write + Send + 'static) -> Self {
        let (pieces, inbox) = mpsc::channel();
        let (gone, closed) = watch::channel(None);
        std::thread::spawn(move || {
            let mut open = true;
            for piece in inbox {
                match piece {
                    Piece::Text(text) if open => {
                        let written = stream.write_all(&text).and_then(|()| stream.flush());
                        if let Err(error) = written {
                            open = false;
                            gone.send_replace(Some(Closed::of(&error)));
                        }
                    }
                    Piece::Text(_) => {}
                    // nobody waits any more: the limit has passed
                    Piece::Flushed(done) => {
                        let _ = done.send(());
                    }
                }
            }
        });
        Self { pieces, closed }
    }

    /// Writes a text after all earlier ones.
    pub(crate) fn write(&self, text: impl Into<Vec<u8>>) {
        let text = text.into();
        if !text.is_empty() {
            // the thread ends only with this sender
            let _ = self.pieces.send(Piece::Text(text));
        }
    }

    /// Resolves when nothing more can be written.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + use<> {
        let mut closed = self.closed.clone();
        async move {
            // the sender lives as long as the thread
            let _ = closed.wait_for(Option::is_some).await;
        }
    }

    /// Why nothing more is written, if that is so.
    pub(crate) fn why_closed(&self) -> Option<Closed> {
        self.closed.borrow().clone()
    }

    /// Waits until everything is written, at most for `limit`. Blocks.
    pub(crate) fn finish(&self, limit: Duration) {
        let (done, wait) = mpsc::channel();
        let _ = self.pieces.send(Piece::Flushed(done));
        let _ = wait.recv_timeout(limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let output = Output::start(stream.clone());
        output.write("one\n");
        output.finish(Duration::from_secs(10));
        assert_eq!(output.why_closed(), None);
        output.write("two\n");
        output.write("three\n");
        output.write("four\n");
        tokio::time::timeout(Duration::from_secs(10), output.closed())
            .await
            .unwrap();
        output.finish(Duration::from_secs(10));
        assert_eq!(output.why_closed(), Some(Closed::Unread));
        assert_eq!(*stream.0.lock().unwrap(), b"one\ntwo\n");
    }
}
