//! A document that grows: text comes in pieces of any size, and the work stays in proportion to the text.
//!
//! What can no longer change is read once and settled. The last block is read again when it has grown, as often as
//! [`PATIENCE`] allows; [`Growing::read`] reads it whatever that costs. The document is the same however the text
//! was cut.

use siderail_workspace::escape::visible;

use crate::document::Block;
use crate::reading::{MARK, Place, read};

/// Bytes that may be read for each byte that has come.
const PATIENCE: usize = 64;
/// Bytes that may be read at once after a long time in which little was read.
const SAVED: usize = 256 << 10;
/// Bytes of a block; one that is longer is cut in two.
const LONGEST: usize = 128 << 10;

/// The document of a whole text.
pub fn parse(text: &str) -> Vec<Block> {
    let mut growing = Growing::default();
    growing.push(text);
    growing.finish()
}

/// A document whose text is still coming.
#[derive(Clone, Debug)]
pub struct Growing {
    settled: Vec<Block>,
    /// The text behind the settled blocks, prepared for reading.
    tail: String,
    /// What the tail is, as last read.
    open: Vec<Block>,
    /// Bytes of the tail when it was last read.
    n_read: usize,
    /// The ended lines of the tail hold no block that can be settled, up to here.
    n_ended: usize,
    /// Bytes that may be read.
    allowance: usize,
    /// Where the tail begins.
    place: Place,
    /// What has come ends with a carriage return, whose line end may follow.
    returns: bool,
    /// The last character, and whether its line contains nothing but marks of blocks.
    last: char,
    begins_line: bool,
    longest: usize,
}

impl Default for Growing {
    fn default() -> Self {
        Self {
            settled: Vec::new(),
            tail: String::new(),
            open: Vec::new(),
            n_read: 0,
            n_ended: 0,
            allowance: 0,
            place: Place::Start,
            returns: false,
            last: '\n',
            begins_line: true,
            longest: LONGEST,
        }
    }
}

impl Growing {
    /// Takes a piece of the text. False when it was not read yet, since it is too little beside what it belongs to.
    pub fn push(&mut self, text: &str) -> bool {
        if text.is_empty() {
            return false;
        }
        let had_return = std::mem::take(&mut self.returns);
        let text = match had_return {
            true => format!("\r{text}"),
            false => text.to_owned(),
        };
        let whole = text.strip_suffix('\r');
        self.returns = whole.is_some();
        for c in visible(whole.unwrap_or(&text)).chars() {
            self.prepare(c);
            if self.tail.len() >= self.longest {
                self.cut();
            }
        }
        let earned = text.len().saturating_mul(PATIENCE);
        self.allowance = self.allowance.saturating_add(earned).min(SAVED);
        let may_be_read = self.tail.len() <= self.allowance;
        if may_be_read {
            self.allowance -= self.tail.len();
            self.read();
        }
        may_be_read
    }

    /// Reads all that has come.
    pub fn read(&mut self) {
        if self.n_read == self.tail.len() && self.n_read > 0 {
            return;
        }
        self.settle();
        self.open = read(&self.tail, self.place).blocks();
        self.n_read = self.tail.len();
    }

    /// The blocks that can no longer change, each once.
    pub fn take_settled(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.settled)
    }

    /// The blocks behind them as last read; what comes may change them.
    pub fn open(&self) -> &[Block] {
        &self.open
    }

    /// Bytes of the text behind the settled blocks.
    pub fn n_open(&self) -> usize {
        self.tail.len()
    }

    /// True when the last line has ended, as far as it was read.
    pub fn ends_line(&self) -> bool {
        self.tail[..self.n_read].ends_with('\n')
    }

    /// True when an empty line has come behind the last block, as far as it was read.
    pub fn ends_with_empty_line(&self) -> bool {
        let mut lines = self.tail[..self.n_read].rsplit('\n');
        let is_empty = |line: &str| line.trim().is_empty();
        lines.next().is_some_and(is_empty) && lines.next().is_some_and(is_empty)
    }

    /// Nothing comes any more: the blocks that were not taken.
    pub fn finish(mut self) -> Vec<Block> {
        if std::mem::take(&mut self.returns) {
            visible("\r").chars().for_each(|c| self.prepare(c));
        }
        self.read();
        self.settled.append(&mut self.open);
        self.settled
    }

    /// Settles all blocks but the last of those whose lines have ended.
    fn settle(&mut self) {
        let end = self.tail.rfind('\n').map_or(0, |at| at + 1);
        if end == self.n_ended {
            return;
        }
        self.n_ended = end;
        let mut reading = read(&self.tail[..end], self.place);
        let Some(last) = reading.pop() else {
            return;
        };
        if reading.is_empty() {
            return;
        }
        self.place = match last.is_apart() {
            true => Place::Apart,
            false => Place::Behind,
        };
        self.tail.drain(..last.line);
        (self.n_read, self.n_ended) = (0, end - last.line);
        self.settled.extend(reading.blocks());
    }

    /// The tail is too long for one block: what there is of it counts as one.
    fn cut(&mut self) {
        self.settle();
        if self.tail.len() < self.longest {
            return;
        }
        let end = self.tail.rfind('\n').map_or(self.tail.len(), |at| at + 1);
        let reading = read(&self.tail[..end], self.place);
        let rest = &self.tail[end..];
        self.tail = match reading.open_fence(&self.tail[..end]) {
            Some(fence) => format!("{fence}\n{rest}"),
            None => rest.to_owned(),
        };
        self.settled.extend(reading.blocks());
        self.place = Place::Behind;
        (self.n_read, self.n_ended) = (0, 0);
    }

    /// Adds a character, with a mark ahead of what would hide text: a definition of links is shown, and HTML at a
    /// line's beginning is not the end of Markdown.
    fn prepare(&mut self, c: char) {
        let defines = c == ':' && self.last == ']';
        let opens_html = c == '<' && self.begins_line;
        if defines || opens_html {
            self.tail.push(MARK);
        }
        match c {
            MARK => self.tail.push_str("\\u{fdd0}"),
            c => self.tail.push(c),
        }
        let is_mark = c.is_ascii_digit() || " \t>-*+.)".contains(c);
        self.begins_line = c == '\n' || (self.begins_line && is_mark);
        self.last = c;
    }
}

#[cfg(test)]
impl Growing {
    /// One whose blocks are cut at so many bytes.
    pub(crate) fn with_longest(longest: usize) -> Self {
        Self {
            longest,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_without_end_is_cut_and_code_goes_on_as_code() {
        let mut text = "```rust\n".to_owned();
        for n in 0..200 {
            text += &format!("line {n}\n");
        }
        text += "```\n# end\n";
        let mut whole = Growing::with_longest(500);
        whole.push(&text);
        let whole = whole.finish();
        let mut pieces = Growing::with_longest(500);
        for c in text.chars() {
            pieces.push(&c.to_string());
            assert!(pieces.tail.len() <= 520, "{}", pieces.tail.len());
        }
        assert_eq!(pieces.finish(), whole);
        let (end, code) = whole.split_last().expect("blocks");
        assert!(matches!(
            end.kind,
            crate::BlockKind::Heading { level: 1, .. }
        ));
        let mut lines = Vec::new();
        for block in code {
            let crate::BlockKind::Code { info, text } = &block.kind else {
                panic!("{block:?}");
            };
            assert_eq!(info, "rust");
            lines.extend(text.lines());
        }
        let expected: Vec<String> = (0..200).map(|n| format!("line {n}")).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_read_stays_in_proportion_to_what_came() {
        let mut growing = Growing::default();
        let mut n_read = 0;
        for _ in 0..100_000 {
            let before = growing.allowance + "x ".len() * PATIENCE;
            growing.push("x ");
            n_read += before.min(SAVED).saturating_sub(growing.allowance);
        }
        assert!(n_read <= 200_000 * PATIENCE, "{n_read}");
        assert!(n_read > 200_000, "it is read while it grows");
    }
}
