//! Which names a table may know, told without going through the table: most programs stand in none of them,
//! and every command is held against all of them.

/// Marks of the names of a table. A name whose mark is missing is not in the table; one whose mark is there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks([u64; WORDS]);

/// How many numbers of 64 bits the marks of a table take.
const WORDS: usize = 16;

impl Marks {
    pub(super) const NONE: Self = Self([0; WORDS]);

    /// These marks and those of some more names.
    pub(super) const fn with(mut self, names: &[&str]) -> Self {
        let mut at = 0;
        while at < names.len() {
            let mark = mark(names[at]);
            self.0[mark / 64] |= 1 << (mark % 64);
            at += 1;
        }
        self
    }

    pub(super) fn may_hold(&self, name: &str) -> bool {
        let mark = mark(name);
        self.0[mark / 64] & (1 << (mark % 64)) != 0
    }
}

/// A number that names rarely share: made of their length and of three of their letters.
const fn mark(name: &str) -> usize {
    let bytes = name.as_bytes();
    let length = bytes.len();
    if length == 0 {
        return 0;
    }
    let (first, middle, last) = (bytes[0], bytes[length / 2], bytes[length - 1]);
    let mixed = (first as usize * 131 + middle as usize * 31 + last as usize * 7) ^ (length * 193);
    mixed % (64 * WORDS)
}

/// The marks of all names of a table of rows, made when the program is built.
macro_rules! marks_of {
    ($table:expr, $names:tt) => {{
        const MARKS: $crate::names::Marks = {
            let mut marks = $crate::names::Marks::NONE;
            let mut at = 0;
            while at < $table.len() {
                marks = marks.with($table[at].$names);
                at += 1;
            }
            marks
        };
        MARKS
    }};
}
pub(super) use marks_of;
