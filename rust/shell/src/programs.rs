//! The programs that are known by their names: one row for each, and one lookup that finds it.
//!
//! What a row is made of is in `program.rs`. It is begun by
//! - `program`, if its grammar has all options that take a value;
//! - `roughly`, if its grammar has those that its roles ask about;
//! - `named`, if no option is known. For this one and `roughly` it is a guess whether `--help` asks for help.
//!
//! Its roles are in three groups, in the order of `Role`: those that count even beside `--help` (`Always` to `Behind`),
//! those that say what the program does (`Notes` to `Does`), and those that other code asks for (`Looks` to `Is`). In the
//! first two the first role that says what is printed ends the search: what only notes comes before it.

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
    use crate::program::Role;

    /// The place of a role's group among the groups of a row.
    fn group(role: &Role) -> u8 {
        use Role::{
            Always, Behind, Carries, Changes, Declares, Does, Erases, Fetches, Is, Keeps, Local,
            Looks, LooksIf, NamesTests, Notes, Packs, Prompts, Puts, Reads, Runs, Sets, SetsUp,
            Shell, Starts, Suggests, Tests, TestsBy, WorksIn, Wraps, Writes,
        };
        match role {
            Always(_) | Fetches(..) | Prompts(_) | Changes(_) | Runs(_) | Wraps(_) | Starts(..)
            | Behind(_) => 0,
            Notes(_) | Carries(_) | Sets(_) | Writes(_) | Puts(_) | Packs(_) | Keeps(_)
            | Erases(_) | Reads(_) | Tests(..) | TestsBy(_) | Does(_) => 1,
            Looks(_) | LooksIf(..) | SetsUp(_) | WorksIn(_) | NamesTests | Local | Shell(_)
            | Declares(_) | Suggests(_) | Is(_) => 2,
        }
    }

    #[test]
    fn the_roles_of_each_row_are_in_the_order_of_their_groups() {
        for row in TABLES.iter().flat_map(|rows| rows.iter()) {
            assert!(row.roles.is_sorted_by_key(group), "{:?}", row.names);
            let before_help = row.roles.iter().filter(|role| group(role) == 0);
            assert_eq!(before_help.count(), row.n_before_help(), "{:?}", row.names);
        }
    }

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
