//! The search of a text for names of protected places by their marks: a dot or a tilde, with the bytes beside it.
//!
//! Each name has one, in front or behind its first word (`.git`, `git~1`). What is found is a candidate: whether it is such
//! a name is for the caller.

/// A word ends here.
const ENDS: u8 = 1;
/// It may come before the mark that a name begins with; with the bits of the byte behind the mark.
const BEFORE_FIRST: u8 = 2;
const BEHIND_FIRST: u8 = BEFORE_FIRST << 2;
/// The same for a mark in the middle: `git~1`, `fastagent.config.yaml`.
const BEFORE_MIDDLE: u8 = 4;
const BEHIND_MIDDLE: u8 = BEFORE_MIDDLE << 2;

/// What a byte says whatever the names are.
const ANY_NAMES: [u8; 256] = {
    let mut says = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        says[byte] = match byte as u8 {
            b' '
            | b'\t'..=b'\r'
            | b'\''
            | b'"'
            | b'='
            | b':'
            | b';'
            | b','
            | b'|'
            | b'&'
            | b'<'
            | b'>'
            | b'('
            | b')'
            | b'{'
            | b'}'
            | b'`' => ENDS | BEFORE_FIRST,
            b'/' | b'\\' => BEFORE_FIRST,
            // It may be a character that shows nothing.
            0x80.. => !ENDS,
            _ => 0,
        };
        byte += 1;
    }
    says
};

/// What each byte says to the search.
#[derive(Clone, Debug)]
pub(crate) struct Marks([u8; 256]);

impl Default for Marks {
    fn default() -> Self {
        Self(ANY_NAMES)
    }
}

impl Marks {
    /// Looks for this name, too; false where it has no mark with a byte behind it, and cannot be found.
    pub(super) fn add(&mut self, name: &str) -> bool {
        let bytes = name.as_bytes();
        let Some(mark) = bytes.iter().position(is_mark) else {
            return false;
        };
        let Some(behind) = bytes.get(mark + 1) else {
            return false;
        };
        let says_behind = match mark.checked_sub(1).and_then(|at| bytes.get(at)) {
            Some(before) => {
                self.say(*before, BEFORE_MIDDLE);
                BEHIND_MIDDLE
            }
            None => BEHIND_FIRST,
        };
        self.say(*behind, says_behind);
        true
    }

    fn say(&mut self, byte: u8, what: u8) {
        for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
            self.0[usize::from(byte)] |= what;
        }
    }

    fn says(&self, byte: u8) -> u8 {
        self.0[usize::from(byte)]
    }

    /// Whether a word ends here.
    pub(crate) fn ends(&self, byte: u8) -> bool {
        self.says(byte) & ENDS != 0
    }

    /// The next mark that may be that of a name, by the bytes beside it.
    pub(crate) fn next(&self, text: &[u8], mut from: usize) -> Option<usize> {
        loop {
            let mark = next_mark(text, from)?;
            if self.may_be_of_name(text, mark) {
                return Some(mark);
            }
            from = mark + 1;
        }
    }

    fn may_be_of_name(&self, text: &[u8], mark: usize) -> bool {
        let before = match mark {
            0 => BEFORE_FIRST,
            _ => self.says(text[mark - 1]),
        };
        let behind = text.get(mark + 1).map_or(0, |byte| self.says(*byte));
        before & (behind >> 2) & (BEFORE_FIRST | BEFORE_MIDDLE) != 0
    }
}

/// Blocks without a mark are looked at as a whole.
fn next_mark(text: &[u8], from: usize) -> Option<usize> {
    let (blocks, _) = text.get(from..)?.as_chunks::<16>();
    let without = blocks.iter().take_while(|block| {
        !block
            .iter()
            .fold(false, |found, byte| found | is_mark(byte))
    });
    let from = from + 16 * without.count();
    Some(from + text[from..].iter().position(is_mark)?)
}

fn is_mark(byte: &u8) -> bool {
    (*byte == b'.') | (*byte == b'~')
}
