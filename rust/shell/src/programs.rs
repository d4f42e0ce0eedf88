//! The programs that are known by their names: one row for each, and one lookup that finds it.

mod builtins;
mod files;
mod packages;
mod services;
mod shells;
mod testing;
mod texts;
mod wrappers;

use super::ir::Arg;
use super::program::{Call, Program, UNKNOWN_PROGRAM};
use siderail_syntax::excerpt::Excerpt;

/// All rows. Those of builtins come last: they stand in no folder.
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

/// Where each name's row is: 0, or one more than the table's number times 256 and the row's.
static INDEX: [u16; PLACES] = index();

/// What is known of a program by its name.
pub(super) fn find(name: &str) -> &'static Program {
    let prefix = PREFIXES.iter().find(|lead| name.starts_with(**lead));
    let name = prefix.map_or(name, |prefix| *prefix);
    let mut at = place(name);
    while INDEX[at] != 0 {
        let row = row(INDEX[at]);
        if row.names.contains(&name) {
            return row;
        }
        at = (at + 1) % PLACES;
    }
    &UNKNOWN_PROGRAM
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

/// The names of all programs that stand in a folder.
pub(super) fn installed() -> impl Iterator<Item = &'static str> {
    let rows = TABLES[..TABLES.len() - 1].iter().flat_map(|rows| *rows);
    rows.flat_map(|row| row.names).copied()
}

const fn row(entry: u16) -> &'static Program {
    let entry = entry as usize - 1;
    &TABLES[entry / 256][entry % 256]
}

/// Each name in the first free place behind its own. A name with two rows is an error of the build.
const fn index() -> [u16; PLACES] {
    let mut index = [0; PLACES];
    let mut table = 0;
    while table < TABLES.len() {
        assert!(TABLES[table].len() <= 256);
        let mut at = 0;
        while at < TABLES[table].len() {
            let names = TABLES[table][at].names;
            let entry = (table * 256 + at + 1) as u16;
            let mut n_done = 0;
            while n_done < names.len() {
                let mut free = place(names[n_done]);
                while index[free] != 0 {
                    let is_other = index[free] != entry;
                    assert!(
                        !(is_other && has(row(index[free]).names, names[n_done])),
                        "a name with two rows"
                    );
                    free = (free + 1) % PLACES;
                }
                index[free] = entry;
                n_done += 1;
            }
            at += 1;
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

/// Whether a name is among some others.
const fn has(names: &[&str], name: &str) -> bool {
    let name = name.as_bytes();
    let mut at = 0;
    while at < names.len() {
        let own = names[at].as_bytes();
        let mut n_same = 0;
        while n_same < own.len() && n_same < name.len() && own[n_same] == name[n_same] {
            n_same += 1;
        }
        if n_same == own.len() && n_same == name.len() {
            return true;
        }
        at += 1;
    }
    false
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
