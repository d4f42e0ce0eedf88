//! Which families of programs a name may belong to, told by one lookup: most programs belong to none, and every
//! command would otherwise be held against the names of all of them.

/// What a program may be to the guard. A program may belong to several families, which are asked in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Fetches,
    Prompts,
    Outputs,
    Builtin,
    Wrapper,
    Runner,
    Shell,
    Terminal,
    Later,
    Connector,
    CmakeTool,
    Interpreter,
    Makes,
    Copies,
    LosesCopying,
    LosesService,
    LosesPacked,
    LosesDisk,
    Recipes,
    Reader,
    Searcher,
    Lister,
    Writer,
    Remover,
    Container,
    Downloader,
    Filter,
    FishText,
    Tests,
    Carries,
}

/// A set of families.
#[derive(Clone, Copy, Debug)]
pub(super) struct Families(u32);

impl Families {
    pub(super) fn has(self, family: Family) -> bool {
        self.0 & (1 << family as u32) != 0
    }
}

/// How many places names are spread over: few enough to stay near, enough that names rarely share one.
const PLACES: usize = 4096;

/// The families of all names. A name that is not listed may share its place with others and get theirs:
/// each family still looks whether a name is its own.
pub(super) struct Index([u32; PLACES]);

impl Index {
    pub(super) const EMPTY: Self = Self([0; PLACES]);

    pub(super) const fn add(&mut self, family: Family, names: &[&str]) {
        let mut at = 0;
        while at < names.len() {
            self.0[place(names[at])] |= 1 << family as u32;
            at += 1;
        }
    }

    pub(super) fn of(&self, name: &str) -> Families {
        Families(self.0[place(name)])
    }
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

/// Adds the names of a table of rows.
macro_rules! add_rows {
    ($index:ident, $family:expr, $table:expr, $names:tt) => {{
        let mut at = 0;
        while at < $table.len() {
            $index.add($family, $table[at].$names);
            at += 1;
        }
    }};
}
pub(super) use add_rows;

#[cfg(test)]
mod tests {
    use super::{Family, Index};

    #[test]
    fn a_name_has_the_families_that_it_was_added_to() {
        let mut index = Index::EMPTY;
        index.add(Family::Reader, &["cat", "less"]);
        index.add(Family::Tests, &["less"]);
        assert!(index.of("cat").has(Family::Reader));
        assert!(!index.of("cat").has(Family::Tests));
        assert!(index.of("less").has(Family::Reader) && index.of("less").has(Family::Tests));
        assert!(!index.of("").has(Family::Reader));
    }
}
