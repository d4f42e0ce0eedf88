//! Cuts a byte stream into lines, whatever pieces it arrives in.
//!
//! A line that is too long costs that one line: it is counted and thrown away, and the splitter continues after its
//! newline. Of such a line only the id is kept, so that a request can be answered; other lines are not looked into:
//! [`crate::message`] finds out whether they are JSON.

use std::ops::Range;

use memchr::memchr;

use crate::message::RequestId;
use crate::outline::Outline;

/// The byte order mark that some Windows programs put ahead of their output.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// From this length on a line takes the splitter's buffer along instead of being copied out of it.
const MOVE_RATHER_THAN_COPY: usize = 64 * 1024;

/// How much buffer an idle splitter keeps, so that one huge line is not paid for ever.
const IDLE_BUFFER: usize = 1024 * 1024;

/// One line of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line with content: no newline, no carriage return ahead of it, no byte order mark.
    Message(Vec<u8>),
    /// A line over the cap, of which nothing was kept. The next line is whole again.
    TooLong {
        /// Length of the line without its newline.
        bytes: u64,
        /// Where the line is a request: whose answer is waited for.
        request: Option<RequestId>,
    },
}

impl Line {
    /// The line as one that somebody else keeps.
    pub fn borrowed(&self) -> LineRef<'_> {
        match self {
            Self::Message(line) => LineRef::Message(line),
            Self::TooLong { bytes, request } => LineRef::TooLong {
                bytes: *bytes,
                request: request.as_ref(),
            },
        }
    }
}

/// A line that is still in its splitter's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRef<'a> {
    /// As [`Line::Message`].
    Message(&'a [u8]),
    /// As [`Line::TooLong`].
    TooLong {
        /// Length of the line without its newline.
        bytes: u64,
        /// As in [`Line::TooLong`].
        request: Option<&'a RequestId>,
    },
}

/// A line's place in the buffer.
enum Found {
    Message(Range<usize>),
    TooLong {
        bytes: u64,
        request: Option<RequestId>,
    },
}

/// A line that is too long, as far as it has gone by.
#[derive(Debug, Default)]
struct Skipped {
    bytes: u64,
    outline: Outline,
}

impl Skipped {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.outline.push(bytes);
    }

    fn found(&self) -> Found {
        Found::TooLong {
            bytes: self.bytes,
            request: self.outline.request(),
        }
    }
}

/// Collects bytes and hands out the lines among them. Blank lines are swallowed and counted.
///
/// Holds at most the cap plus the longest single `push` in memory.
#[derive(Debug)]
pub struct LineSplitter {
    /// Longest line that is kept, in bytes without the newline.
    cap: usize,
    /// Bytes not yet handed out; those before `start` already were.
    buffer: Vec<u8>,
    start: usize,
    /// How far the search for a newline has come: nothing is looked at twice.
    scanned: usize,
    /// Bytes already thrown away of a line that is too long and still continues.
    skipping: Option<Skipped>,
    /// The request on the last line that was too long, for the borrower of that line.
    skipped_request: Option<RequestId>,
    blank_lines: u64,
}

impl LineSplitter {
    /// Makes a splitter that keeps lines of up to `cap` bytes, counted without the newline.
    pub fn new(cap: usize) -> Self {
        Self {
            cap,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            skipping: None,
            skipped_request: None,
            blank_lines: 0,
        }
    }

    /// Adds bytes as they came. Take all lines out with [`Self::next_line`] before the next push.
    pub fn push(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).extend_from_slice(bytes);
    }

    /// Where a reader appends bytes as they come, with room for so many: a push without a copy. What lies there
    /// already is the beginning of a line and must stay.
    pub fn room(&mut self, bytes: usize) -> &mut Vec<u8> {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.buffer.reserve(bytes);
        &mut self.buffer
    }

    /// The next complete line, or `None` until more bytes are pushed.
    pub fn next_line(&mut self) -> Option<Line> {
        Some(match self.find_line()? {
            Found::Message(range) => Line::Message(self.take(range)),
            Found::TooLong { bytes, request } => Line::TooLong { bytes, request },
        })
    }

    /// As [`Self::next_line`], for callers that are done with a line before the next one.
    pub fn next_line_ref(&mut self) -> Option<LineRef<'_>> {
        Some(match self.find_line()? {
            Found::Message(range) => LineRef::Message(&self.buffer[range]),
            Found::TooLong { bytes, request } => {
                self.skipped_request = request;
                LineRef::TooLong {
                    bytes,
                    request: self.skipped_request.as_ref(),
                }
            }
        })
    }

    /// The rest that no newline ended, for when the stream is over.
    pub fn finish(&mut self) -> Option<Line> {
        let end = self.buffer.len();
        if end == self.start && self.skipping.is_none() {
            return None;
        }
        Some(match self.found(end, end)? {
            Found::Message(range) => Line::Message(self.take(range)),
            Found::TooLong { bytes, request } => Line::TooLong { bytes, request },
        })
    }

    /// How many lines held nothing but white space.
    pub fn blank_lines(&self) -> u64 {
        self.blank_lines
    }

    fn find_line(&mut self) -> Option<Found> {
        loop {
            let Some(found) = memchr(b'\n', &self.buffer[self.scanned..]) else {
                self.scanned = self.buffer.len();
                if self.start == self.buffer.len() {
                    self.clear();
                }
                self.skip_if_too_long();
                return None;
            };
            let end = self.scanned + found;
            if let Some(found) = self.found(end, end + 1) {
                return Some(found);
            }
        }
    }

    /// Skips the line that ends at `end` and continues at `next`; `None` when it is blank. What it found stays in the
    /// buffer until the next call.
    fn found(&mut self, end: usize, next: usize) -> Option<Found> {
        let start = self.start;
        (self.start, self.scanned) = (next, next);
        if self.skipping.is_some() || end - start > self.cap {
            let mut skipped = self.skipping.take().unwrap_or_default();
            skipped.push(&self.buffer[start..end]);
            return Some(skipped.found());
        }
        let content = content_of(&self.buffer[start..end]);
        if content.is_empty() {
            self.blank_lines += 1;
            return None;
        }
        Some(Found::Message(start + content.start..start + content.end))
    }

    /// Takes out the line that was found last.
    fn take(&mut self, range: Range<usize>) -> Vec<u8> {
        if range.start > 0 || range.end < MOVE_RATHER_THAN_COPY {
            return self.buffer[range].to_vec();
        }
        let rest = self.buffer.split_off(self.start);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(range.end);
        (self.start, self.scanned) = (0, 0);
        line
    }

    /// Gives up a line as soon as it is over the cap, so that memory stays bounded while it continues.
    fn skip_if_too_long(&mut self) {
        let pending = &self.buffer[self.start..];
        if self.skipping.is_some() || pending.len() > self.cap {
            self.skipping.get_or_insert_default().push(pending);
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.buffer.clear();
        self.buffer.shrink_to(IDLE_BUFFER);
        self.start = 0;
        self.scanned = 0;
    }
}

/// The part of a line that is neither byte order mark nor trailing carriage return; empty for a blank line.
fn content_of(line: &[u8]) -> Range<usize> {
    let start = if line.starts_with(BOM) { BOM.len() } else { 0 };
    let end = if line.len() > start && line.ends_with(b"\r") {
        line.len() - 1
    } else {
        line.len()
    };
    if line[start..end].trim_ascii().is_empty() {
        0..0
    } else {
        start..end
    }
}
