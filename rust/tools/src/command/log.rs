//! A run's output on disk: written up to a limit, read in pages, shown without terminal codes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Bytes of a page.
pub const PAGE: u64 = 10_000;
/// Bytes of output that are kept; a program that prints for ever must not fill the disk.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of output that wait for the disk; past it the program waits, too.
const MOST_WAITING: usize = 1 << 20;
/// What a piece counts as at least: a program may print a letter at a time.
const LEAST_PIECE: usize = 256;
/// How long the end waits for the disk.
pub(super) const ENDING: Duration = Duration::from_secs(5);

/// Output that waits for the disk, and the room it takes until it is written.
type Piece = (Vec<u8>, OwnedSemaphorePermit);

/// Writes a log on a thread of its own. Dropping it ends the thread.
pub(super) struct LogWriter {
    path: PathBuf,
    pieces: mpsc::UnboundedSender<Piece>,
    room: Arc<Semaphore>,
    /// Bytes that there were, and those of them that are in the file.
    n_bytes: u64,
    n_written: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

/// A part of a log, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPage {
    /// The text, without terminal codes.
    pub text: String,
    /// Pages that there are.
    pub n_pages: u64,
}

impl LogWriter {
    /// Makes the file. Needs a running tokio runtime.
    pub(super) fn create(path: PathBuf) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let file = siderail_os::private::file(&mut options).open(&path)?;
        Ok(Self::new(path, file))
    }

    pub(super) fn new(path: PathBuf, file: File) -> Self {
        let (pieces, queue) = mpsc::unbounded_channel();
        let n_written = Arc::default();
        let counted = Arc::clone(&n_written);
        let thread = tokio::task::spawn_blocking(move || write(file, queue, &counted));
        Self {
            path,
            pieces,
            room: Arc::new(Semaphore::new(MOST_WAITING)),
            n_bytes: 0,
            n_written,
            thread,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the thread something to write. Whoever does not wait until it takes that has it counted as lost.
    pub(super) async fn write(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        let room = bytes.len().clamp(LEAST_PIECE, MOST_WAITING);
        let room = Arc::clone(&self.room).acquire_many_owned(room as u32).await;
        // A thread that has ended has panicked.
        let _ = room.map(|room| self.pieces.send((bytes.to_vec(), room)));
    }

    /// Ends the log; answers how many bytes are not in it.
    pub(super) async fn finish(self) -> u64 {
        drop(self.pieces);
        let _ = timeout(ENDING, self.thread).await;
        self.n_bytes - self.n_written.load(Ordering::Acquire)
    }
}

/// The thread: keeps what fits. A disk that is full costs the output, never the program.
fn write(mut file: File, mut queue: mpsc::UnboundedReceiver<Piece>, n_written: &AtomicU64) {
    while let Some((piece, _room)) = queue.blocking_recv() {
        let room = (MOST_BYTES - n_written.load(Ordering::Relaxed)) as usize;
        let kept = &piece[..piece.len().min(room)];
        if file.write_all(kept).is_ok() {
            n_written.fetch_add(kept.len() as u64, Ordering::Release);
        }
    }
}

impl LogPage {
    /// A page of a log, from 1; past the end it is empty.
    pub fn read(log: &Path, page: u64) -> io::Result<Self> {
        let size = std::fs::metadata(log)?.len();
        let start = page.saturating_sub(1).saturating_mul(PAGE);
        Ok(Self {
            text: part(log, start, PAGE)?,
            n_pages: size.div_ceil(PAGE).max(1),
        })
    }
}

/// Text of a log from a byte on. A character belongs to the part in which it begins.
pub(super) fn part(log: &Path, start: u64, length: u64) -> io::Result<String> {
    let mut file = File::open(log)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length + 3).read_to_end(&mut bytes)?;
    let is_continuation = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let n_before = match start {
        0 => 0,
        _ => bytes
            .iter()
            .take(3)
            .take_while(|byte| is_continuation(byte))
            .count(),
    };
    let mut end = bytes.len().min(length as usize);
    while end < bytes.len() && is_continuation(&bytes[end]) {
        end += 1;
    }
    let text = String::from_utf8_lossy(&bytes[n_before.min(end)..end]);
    Ok(plain(&text))
}

/// Text without terminal codes, and of lines that were overwritten only the last state.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                Some('[') => {
                    for code in letters.by_ref() {
                        if ('@'..='~').contains(&code) {
                            break;
                        }
                    }
                }
                Some(']') => {
                    while let Some(code) = letters.next() {
                        if code == '\u{7}' || code == '\u{1b}' && letters.peek() == Some(&'\\') {
                            letters.next_if_eq(&'\\');
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\r' if letters.peek() == Some(&'\n') => {}
            '\r' => {
                let line = plain.rfind('\n').map_or(0, |newline| newline + 1);
                plain.truncate(line);
            }
            letter if letter.is_control() && letter != '\n' && letter != '\t' => {}
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[tokio::test]
    async fn a_disk_that_takes_nothing_holds_up_the_output_alone() {
        use super::*;
        use std::os::fd::OwnedFd;

        let (mut disk, file) = io::pipe().expect("a pipe");
        let mut log = LogWriter::new(PathBuf::new(), File::from(OwnedFd::from(file)));
        let (piece, moment) = (vec![b'x'; 32 << 10], Duration::from_millis(200));
        let mut n_taken = 0;
        // The time limit is kept, so the runtime runs.
        while timeout(moment, log.write(&piece)).await.is_ok() {
            n_taken += piece.len() as u64;
            assert!(n_taken < 10 << 20, "it waits for no disk");
        }
        let read = tokio::task::spawn_blocking(move || {
            let mut read = Vec::new();
            disk.read_to_end(&mut read).map(|_| read.len() as u64)
        });
        let n_lost = log.finish().await;
        assert_eq!(n_lost, piece.len() as u64, "nobody waited for that piece");
        let n_read = read.await.expect("it is read").expect("a pipe");
        assert_eq!(n_read, n_taken);
    }
}
