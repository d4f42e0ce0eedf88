//! The programs that are known by their names: one row for each, and one lookup that finds it.

mod builtins;
pub(super) mod cmd;
mod files;
mod names;
mod packages;
pub(super) mod powershell;
mod services;
mod shells;
mod testing;
mod texts;
mod wrappers;

pub(super) use names::usual_name;

use super::analysis::Dialect;
use super::ir::Arg;
use super::program::{Call, Fact, Program, Suggestion, UNKNOWN_PROGRAM};
use siderail_syntax::excerpt::Excerpt;

/// All rows. Those of builtins come last: they are in no folder.
static TABLES: [&[Program]; 8] = [
    files::ROWS,
    packages::ROWS,
    services::ROWS,
    shells::ROWS,
    testing::ROWS,
    texts::ROWS,
    wrappers::ROWS,
    builtins::ROWS,
];

/// Names that stand for all that begin with them.
const PREFIXES: [&str; 3] = ["mkfs.", "ld-linux", "ld-musl"];

/// How many places names are spread over: few enough to stay near, enough that names rarely share one.
const PLACES: usize = 4096;

/// Where each name is: 0, or the numbers of its table, its row and itself in that row, a byte each, and one more.
static INDEX: [u32; PLACES] = index();

/// What is known of a program by its name.
pub(super) fn find(name: &str) -> &'static Program {
    let prefix = PREFIXES.iter().find(|lead| name.starts_with(**lead));
    let name = prefix.map_or(name, |prefix| *prefix);
    let mut at = place(name);
    while INDEX[at] != 0 {
        let (row, known) = entry(INDEX[at]);
        if known == name {
            return row;
        }
        at = (at + 1) % PLACES;
    }
    &UNKNOWN_PROGRAM
}

impl Dialect {
    /// The dialect of a shell's plain name, without folder and extension.
    pub fn from_name(name: &str) -> Option<Self> {
        find(name).dialect()
    }
}

/// Whether this is the plain name of a shell that reads lines as bash does. csh and its kin do not, though [`Dialect`] has
/// nothing closer for them.
pub fn is_posix_shell(name: &str) -> bool {
    let program = find(name);
    program.dialect() == Some(Dialect::Bash) && !program.is(Fact::OnlyNearPosix)
}

/// How the first operands of a program are read where a tool is suggested in its place. `name` has no folder.
pub fn suggestion(name: &str) -> Option<Suggestion> {
    find(usual_name(name).unwrap_or(name)).suggestion()
}

/// A call of a program by its name.
pub(super) fn call<'c>(
    name: &'c str,
    is_local: bool,
    args: &'c [Arg],
    text: &'c Excerpt,
) -> Call<'c> {
    let program = find(name);
    Call {
        name,
        is_local,
        args,
        text,
        program,
    }
}

/// The names of all programs that are in a folder.
pub(super) fn installed() -> impl Iterator<Item = &'static str> {
    let rows = TABLES[..TABLES.len() - 1].iter().flat_map(|rows| *rows);
    rows.flat_map(|row| row.names).copied()
}

/// The row and the name that an entry of the index is about.
const fn entry(entry: u32) -> (&'static Program, &'static str) {
    let [name, row, table, _] = (entry - 1).to_le_bytes();
    let row = &TABLES[table as usize][row as usize];
    (row, row.names[name as usize])
}

/// Each name in the first free place behind its own. A name that is there twice is an error of the build.
const fn index() -> [u32; PLACES] {
    let mut index = [0; PLACES];
    let mut table = 0;
    while table < TABLES.len() {
        assert!(TABLES[table].len() <= 256);
        let mut row = 0;
        while row < TABLES[table].len() {
            let names = TABLES[table][row].names;
            assert!(names.len() <= 256);
            let mut name = 0;
            while name < names.len() {
                let mut free = place(names[name]);
                while index[free] != 0 {
                    assert!(!is_same(entry(index[free]).1, names[name]), "a name twice");
                    free = (free + 1) % PLACES;
                }
                index[free] = ((table << 16) + (row << 8) + name) as u32 + 1;
                name += 1;
            }
            row += 1;
        }
        table += 1;
    }
    index
}

/// FNV-1a, down to the places that there are.
const fn place(name: &str) -> usize {
    let bytes = name.as_bytes();
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 15)) as usize % PLACES
}

/// Whether two names are the same; `==` cannot be asked in a constant.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut n_same = 0;
    while n_same < one.len() && n_same < other.len() && one[n_same] == other[n_same] {
        n_same += 1;
    }
    n_same == one.len() && n_same == other.len()
}

#[cfg(test)]
mod tests {
    use super::{TABLES, find};

    #[test]
    fn every_name_finds_its_row() {
        for row in TABLES.iter().flat_map(|rows| rows.iter()) {
            for name in row.names {
                assert!(std::ptr::eq(find(name), row), "{name}");
            }
        }
        assert!(std::ptr::eq(find("mkfs.ext4"), find("mkfs.")));
        for name in ["", "no-such-program", "mkfs-ext4"] {
            assert!(find(name).names.is_empty(), "{name}");
        }
    }
}
