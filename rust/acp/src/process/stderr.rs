//! The end of a program's error output, for every message about its failure.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use siderail_wire::{Line, LineSplitter};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

use crate::tap::{Direction, Tap};

/// How much of the error output is kept, in bytes.
const KEPT: usize = 64 * 1024;

/// The tail of a program's error output. Clones show the same.
#[derive(Clone, Debug)]
pub struct StderrTail {
    ring: Arc<Mutex<VecDeque<u8>>>,
    ended: watch::Receiver<bool>,
}

impl StderrTail {
    /// Reads an error output to its end in a task of its own and keeps the last 64 KB. `tap` gets every
    /// line: a secret that is cut in two could not be recognised.
    pub fn follow(mut stderr: impl AsyncRead + Unpin + Send + 'static, tap: Option<Tap>) -> Self {
        let ring = Arc::new(Mutex::new(VecDeque::new()));
        let (end, ended) = watch::channel(false);
        let tail = Self {
            ring: Arc::clone(&ring),
            ended,
        };
        tokio::spawn(async move {
            let mut piece = vec![0; 8 * 1024];
            let mut lines = LineSplitter::new(KEPT);
            while let Ok(n @ 1..) = stderr.read(&mut piece).await {
                keep(&ring, &piece[..n]);
                // Those who wait for the end see that it is on its way.
                end.send_replace(false);
                if let Some(tap) = &tap {
                    lines.push(&piece[..n]);
                    std::iter::from_fn(|| lines.next_line()).for_each(|line| report(tap, line));
                }
            }
            if let (Some(tap), Some(line)) = (&tap, lines.finish()) {
                report(tap, line);
            }
            // Fails only when nobody listens any more.
            let _nobody = end.send(true);
        });
        tail
    }

    /// A tail without a program, for connections that have none.
    pub fn empty() -> Self {
        Self {
            ring: Arc::default(),
            ended: watch::channel(true).1,
        }
    }

    /// What is kept, as text; bytes that are not text are replaced.
    pub fn text(&self) -> String {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = ring.iter().copied().collect::<Vec<_>>();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until the error output has ended, so that the last words are all there; no longer than `limit` after
    /// the last of them, because a process that outlives the program may hold the pipe, and forty times that in all.
    pub async fn ended(&self, limit: Duration) {
        let mut ended = self.ended.clone();
        let to_the_end = async {
            while !*ended.borrow_and_update() {
                match tokio::time::timeout(limit, ended.changed()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) | Err(_) => break,
                }
            }
        };
        let _late = tokio::time::timeout(limit * 40, to_the_end).await;
    }
}

fn keep(ring: &Mutex<VecDeque<u8>>, piece: &[u8]) {
    let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
    ring.extend(piece);
    let excess = ring.len().saturating_sub(KEPT);
    ring.drain(..excess);
}

fn report(tap: &Tap, line: Line) {
    match line {
        Line::Message(line) => tap(Direction::AgentStderr, &line),
        Line::TooLong { bytes, .. } => {
            tap(
                Direction::AgentStderr,
                format!("[a line of {bytes} bytes]").as_bytes(),
            );
        }
    }
}
