//! Reads bytes of a terminal as keys, and keys as edits of a line. Plain data: it reads and draws nothing.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A key, as questions and the line of a conversation understand it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A printable character.
    Char(char),
    /// Return.
    Enter,
    /// Erase the character before the cursor.
    Backspace,
    /// Erase the line.
    EraseLine,
    /// Escape by itself.
    Escape,
    /// End of input.
    End,
    /// Nothing was pressed for a while.
    Pause,
    /// A character of a paste; a line end is `\n`.
    Pasted(char),
    /// Only a line editor understands it.
    Edit(Edit),
}

/// What a key does in a line editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Alt-Enter.
    NewLine,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    WordLeft,
    WordRight,
    /// Erase the character under the cursor.
    Delete,
    /// Erase the word before the cursor.
    EraseWord,
    /// Erase the word behind the cursor.
    EraseWordAhead,
    /// Erase from the cursor to the end.
    EraseRest,
    /// Insert what was erased last.
    Yank,
    /// Ctrl-L.
    Redraw,
    /// Ctrl-R.
    Search,
    /// Ctrl-G: the line in an editor of the user's.
    OpenEditor,
    Tab,
    BackTab,
}

/// What ends a paste.
const PASTE_END: &[u8] = b"\x1b[201~";
/// A control sequence is no longer than this; a longer one does not count.
const SEQUENCE: usize = 32;

/// Turns bytes into keys; keeps what a read has cut apart.
#[derive(Default)]
pub(crate) struct KeyReader {
    rest: Vec<u8>,
    /// Between the two marks of a bracketed paste.
    pasting: bool,
    /// The last pasted byte was a carriage return.
    after_return: bool,
}

impl KeyReader {
    /// True inside of a paste whose end is still to come.
    pub(crate) fn is_pasting(&self) -> bool {
        self.pasting
    }

    /// The keys in `bytes`, as one read of the terminal gave them. Unknown function keys are left out; an escape is a
    /// key of its own only at the end of a read.
    pub(crate) fn keys(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.rest);
        let mut keys = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let left = &bytes[at..];
            let found = match left[0] {
                _ if self.pasting => self.pasted(left),
                0x1b => match escape(left) {
                    Some((Escape::Paste, used)) => {
                        self.pasting = true;
                        self.after_return = false;
                        Some((None, used))
                    }
                    Some((Escape::Key(key), used)) => Some((key, used)),
                    None => None,
                },
                b'\r' | b'\n' => Some((Some(Key::Enter), 1)),
                byte if byte.is_ascii() => Some((control(byte), 1)),
                _ => character(left),
            };
            let Some((key, used)) = found else {
                self.rest = left.to_vec();
                break;
            };
            keys.extend(key);
            at += used;
        }
        keys
    }

    /// A character of a paste, or its end; none when more has to be read.
    fn pasted(&mut self, bytes: &[u8]) -> Option<(Option<Key>, usize)> {
        if bytes[0] == 0x1b {
            if bytes.starts_with(PASTE_END) {
                self.pasting = false;
                return Some((None, PASTE_END.len()));
            }
            if PASTE_END.starts_with(bytes) {
                return None;
            }
        }
        let after_return = std::mem::replace(&mut self.after_return, bytes[0] == b'\r');
        match bytes[0] {
            b'\n' if after_return => Some((None, 1)),
            b'\r' | b'\n' => Some((Some(Key::Pasted('\n')), 1)),
            byte if byte.is_ascii() => Some((Some(Key::Pasted(char::from(byte))), 1)),
            _ => {
                let (key, used) = character(bytes)?;
                let key = key.map(|key| match key {
                    Key::Char(c) => Key::Pasted(c),
                    key => key,
                });
                Some((key, used))
            }
        }
    }
}

/// A key of a single byte.
fn control(byte: u8) -> Option<Key> {
    Some(match byte {
        0x7f | 0x08 => Key::Backspace,
        0x15 => Key::EraseLine,
        0x04 => Key::End,
        0x01 => Key::Edit(Edit::Home),
        0x02 => Key::Edit(Edit::Left),
        0x05 => Key::Edit(Edit::End),
        0x06 => Key::Edit(Edit::Right),
        0x07 => Key::Edit(Edit::OpenEditor),
        b'\t' => Key::Edit(Edit::Tab),
        0x0b => Key::Edit(Edit::EraseRest),
        0x0c => Key::Edit(Edit::Redraw),
        0x0e => Key::Edit(Edit::Down),
        0x10 => Key::Edit(Edit::Up),
        0x12 => Key::Edit(Edit::Search),
        0x17 => Key::Edit(Edit::EraseWord),
        0x19 => Key::Edit(Edit::Yank),
        byte if byte.is_ascii_control() => return None,
        byte => Key::Char(char::from(byte)),
    })
}

/// What an escape begins.
enum Escape {
    Key(Option<Key>),
    Paste,
}

/// An escape, or the control sequence that it begins; none when its end is still to come.
fn escape(bytes: &[u8]) -> Option<(Escape, usize)> {
    let edit = |edit| Some(Key::Edit(edit));
    let (key, used) = match bytes.get(1) {
        None => (Some(Key::Escape), 1),
        Some(b'[') => {
            let mut ends = bytes.iter().skip(2);
            let end = ends.position(|byte| (0x40..=0x7e).contains(byte));
            let Some(end) = end else {
                return (bytes.len() >= SEQUENCE).then_some((Escape::Key(None), bytes.len()));
            };
            let sequence = &bytes[2..end + 3];
            if sequence == b"200~" {
                return Some((Escape::Paste, end + 3));
            }
            (sequence_key(sequence).map(Key::Edit), end + 3)
        }
        Some(b'O') => match bytes.get(2) {
            None => return None,
            Some(byte) => (sequence_key(&[*byte]).map(Key::Edit), 3),
        },
        Some(0x1b) => (Some(Key::Escape), 1),
        Some(b'\r' | b'\n') => (edit(Edit::NewLine), 2),
        Some(b'b') => (edit(Edit::WordLeft), 2),
        Some(b'f') => (edit(Edit::WordRight), 2),
        Some(b'd') => (edit(Edit::EraseWordAhead), 2),
        Some(0x7f | 0x08) => (edit(Edit::EraseWord), 2),
        Some(_) => (None, 2),
    };
    Some((Escape::Key(key), used))
}

/// What follows `ESC [` or `ESC O`, with its parameters.
fn sequence_key(sequence: &[u8]) -> Option<Edit> {
    // Alt is 3 and Ctrl is 5, in the second parameter
    let by_word =
        sequence.contains(&b';') && matches!(sequence.iter().rev().nth(1), Some(b'3' | b'5'));
    Some(match sequence {
        b"13;2u" | b"13;3u" | b"27;2;13~" | b"27;3;13~" => Edit::NewLine,
        b"Z" => Edit::BackTab,
        b"1~" | b"7~" => Edit::Home,
        b"4~" | b"8~" => Edit::End,
        b"3~" => Edit::Delete,
        b"3;3~" | b"3;5~" => Edit::EraseWordAhead,
        _ => match sequence.last()? {
            b'A' => Edit::Up,
            b'B' => Edit::Down,
            b'C' if by_word => Edit::WordRight,
            b'D' if by_word => Edit::WordLeft,
            b'C' => Edit::Right,
            b'D' => Edit::Left,
            b'H' => Edit::Home,
            b'F' => Edit::End,
            _ => return None,
        },
    })
}

/// A character beyond ASCII; none when its end is still to come.
fn character(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((None, 1)),
    };
    match std::str::from_utf8(&bytes[..length.min(bytes.len())]) {
        Ok(text) => {
            let c = text.chars().next().filter(|c| !c.is_control());
            Some((c.map(Key::Char), length))
        }
        Err(error) if error.error_len().is_none() => None,
        Err(_) => Some((None, 1)),
    }
}

/// A line being typed, and what to print so that the terminal shows it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedLine {
    text: String,
}

impl TypedLine {
    /// What has been typed.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Applies a key; the answer is what to print.
    pub(crate) fn key(&mut self, key: Key) -> String {
        match key {
            Key::Char(c) => {
                self.text.push(c);
                c.to_string()
            }
            Key::Pasted(c) => {
                let c = if c.is_control() { ' ' } else { c };
                self.text.push(c);
                c.to_string()
            }
            Key::Backspace => match self.text.pop() {
                Some(c) => "\u{8} \u{8}".repeat(c.width().unwrap_or(0)),
                None => String::new(),
            },
            Key::EraseLine => {
                let n = self.text.width();
                self.text.clear();
                "\u{8} \u{8}".repeat(n)
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        KeyReader::default().keys(bytes)
    }

    #[test]
    fn a_cursor_key_is_not_taken_for_escape_and_letters() {
        let (up, word) = (Key::Edit(Edit::Up), Key::Edit(Edit::WordRight));
        assert_eq!(keys(b"\x1b[A\x1b[1;5Cy\x1bOP"), [up, word, Key::Char('y')]);
        assert_eq!(keys(b"\x1b"), [Key::Escape]);
        assert_eq!(keys(b"\x1by"), [], "alt and a letter is not that letter");
    }

    #[test]
    fn a_character_cut_between_two_reads_is_one_key() {
        let mut reader = KeyReader::default();
        assert_eq!(reader.keys(b"a\xc3"), [Key::Char('a')]);
        assert_eq!(reader.keys(b"\xbc\r"), [Key::Char('ü'), Key::Enter]);
    }

    #[test]
    fn bytes_that_are_no_text_are_left_out() {
        assert_eq!(
            keys(b"\xff\xc3(a\x00\x03"),
            [Key::Char('('), Key::Char('a')]
        );
    }

    #[test]
    fn a_paste_is_no_keys_however_its_reads_are_cut() {
        let bytes = b"a\x1b[200~y\r\n\tz\x1b[2J\x1b[201~b";
        let pasted = "y\n\tz\x1b[2J".chars().map(Key::Pasted);
        let expected: Vec<Key> = [Key::Char('a')]
            .into_iter()
            .chain(pasted)
            .chain([Key::Char('b')])
            .collect();
        assert_eq!(keys(bytes), expected);
        // an escape alone at the end of a read is a key, so the first mark is not cut behind it
        for cut in 3..bytes.len() {
            let mut reader = KeyReader::default();
            let mut read = reader.keys(&bytes[..cut]);
            read.extend(reader.keys(&bytes[cut..]));
            assert_eq!(read, expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_typed_line_can_be_corrected() {
        let mut line = TypedLine::default();
        let mut shown = String::new();
        for key in keys(b"nah\x7f\x7fo") {
            shown += &line.key(key);
        }
        assert_eq!(line.text(), "no");
        assert_eq!(shown, "nah\u{8} \u{8}\u{8} \u{8}o");
        line.key(Key::EraseLine);
        line.key(Key::Backspace);
        assert_eq!(line.text(), "");
    }
}
