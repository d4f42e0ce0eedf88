//! A run's output on disk: written up to a limit, read in pages, shown without terminal codes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of a page.
pub const PAGE: u64 = 10_000;
/// Bytes of output that are kept; a program that prints for ever must not fill the disk.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

pub(super) struct LogWriter {
    path: PathBuf,
    file: File,
    written: u64,
    dropped: u64,
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
    pub(super) fn create(path: PathBuf) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let file = siderail_os::private::file(&mut options).open(&path)?;
        Ok(Self {
            path,
            file,
            written: 0,
            dropped: 0,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps what fits. A disk that is full costs the output, never the program.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let room = (MOST_BYTES - self.written) as usize;
        let kept = &bytes[..bytes.len().min(room)];
        match self.file.write_all(kept) {
            Ok(()) => self.written += kept.len() as u64,
            Err(_) => self.dropped += kept.len() as u64,
        }
        self.dropped += (bytes.len() - kept.len()) as u64;
    }

    /// Ends the log; answers how many bytes are not in it.
    pub(super) fn finish(self) -> u64 {
        self.dropped
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
