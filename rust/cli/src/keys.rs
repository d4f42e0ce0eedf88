//! Bytes of a terminal as keys, and keys as edits of a line. Plain data: it reads and draws nothing.

/// A key that questions understand.
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
}

/// Turns bytes into keys; keeps what a read has cut apart.
#[derive(Default)]
pub(crate) struct KeyReader {
    rest: Vec<u8>,
}

impl KeyReader {
    /// The keys in `bytes`, as one read of the terminal gave them. Cursor and function keys are
    /// left out; an escape is a key of its own only at the end of a read.
    pub(crate) fn keys(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.rest);
        let mut keys = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let (key, used) = match bytes[at] {
                b'\r' | b'\n' => (Some(Key::Enter), 1),
                0x7f | 0x08 => (Some(Key::Backspace), 1),
                0x15 => (Some(Key::EraseLine), 1),
                0x04 => (Some(Key::End), 1),
                0x1b => escape(&bytes[at..]),
                byte if byte.is_ascii() => {
                    let c = char::from(byte);
                    ((!c.is_control()).then_some(Key::Char(c)), 1)
                }
                _ => match character(&bytes[at..]) {
                    Some(found) => found,
                    None => {
                        self.rest = bytes[at..].to_vec();
                        break;
                    }
                },
            };
            keys.extend(key);
            at += used;
        }
        keys
    }
}

/// An escape, or the control sequence that it begins.
fn escape(bytes: &[u8]) -> (Option<Key>, usize) {
    match bytes.get(1) {
        None => (Some(Key::Escape), 1),
        Some(b'[') => {
            let end = bytes
                .iter()
                .skip(2)
                .position(|byte| (0x40..=0x7e).contains(byte));
            (None, end.map_or(bytes.len(), |end| end + 3))
        }
        Some(b'O') => (None, bytes.len().min(3)),
        Some(0x1b) => (Some(Key::Escape), 1),
        Some(_) => (None, 2),
    }
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
            Key::Backspace if self.text.pop().is_some() => "\u{8} \u{8}".to_owned(),
            Key::EraseLine => {
                let n = self.text.chars().count();
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
        assert_eq!(keys(b"\x1b[A\x1b[1;5Cy\x1bOP"), [Key::Char('y')]);
        assert_eq!(keys(b"\x1b"), [Key::Escape]);
        assert_eq!(keys(b"\x1bd"), [], "alt and a letter is not that letter");
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
            keys(b"\xff\xc3(a\x00\x07"),
            [Key::Char('('), Key::Char('a')]
        );
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
