//! What a call of `git_branch` or `git_stash` does: their argument `action`, one row for each of its words.
//!
//! The word becomes a [`GitAction`] where a call's arguments are read, by [`GitAction::read`]. Knows no other argument.

use crate::{Disk as D, Needs as N, Planning as L, Tool};

macro_rules! actions {
    ($($(#[$doc:meta])* $Name:ident { $($action:ident $word:literal $needs:path, $planning:path, $disk:path;)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the words of each row are its description")]
        pub enum $Name { $($action),* }

        impl $Name {
            /// All of them, in the table's order.
            pub const ALL: &[Self] = &[$(Self::$action),*];
            /// Their words, in the same order.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The action of that word.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|action| action.as_str() == word)
            }

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$action => $word),* }
            }

            const fn needs(self) -> N {
                match self { $(Self::$action => $needs),* }
            }

            const fn planning(self) -> L {
                match self { $(Self::$action => $planning),* }
            }

            const fn disk(self) -> D {
                match self { $(Self::$action => $disk),* }
            }
        }
    )* };
}

actions! {
    /// What a call of `git_branch` does.
    BranchAction {
        List "list" N::Nothing, L::Open, D::Nothing;
        Create "create" N::Person, L::Closed, D::Changes;
        Switch "switch" N::Person, L::Closed, D::Changes;
        Delete "delete" N::Destructive, L::Closed, D::Changes;
    }

    /// What a call of `git_stash` does.
    StashAction {
        List "list" N::Nothing, L::Open, D::Nothing;
        Push "push" N::Person, L::Closed, D::Changes;
        Pop "pop" N::Person, L::Closed, D::Changes;
        Apply "apply" N::Person, L::Closed, D::Changes;
        Drop "drop" N::Destructive, L::Closed, D::Changes;
    }
}

/// What a call does of a tool whose argument `action` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GitAction {
    /// A call of `git_branch`.
    Branch(BranchAction),
    /// A call of `git_stash`.
    Stash(StashAction),
}

impl GitAction {
    /// Reads the argument `action` of a call. Without one it counts as a list, since the call then fails before it does
    /// anything. `None` for a word that the tool does not know, and for a tool that has no such argument.
    pub fn read(tool: Tool, word: Option<&str>) -> Option<Self> {
        let branch = |word| BranchAction::named(word).map(Self::Branch);
        let stash = |word| StashAction::named(word).map(Self::Stash);
        match tool {
            Tool::GitBranch => word.map_or(Some(Self::Branch(BranchAction::List)), branch),
            Tool::GitStash => word.map_or(Some(Self::Stash(StashAction::List)), stash),
            _ => None,
        }
    }

    /// What the call needs before it runs.
    pub const fn needs(self) -> N {
        match self {
            Self::Branch(action) => action.needs(),
            Self::Stash(action) => action.needs(),
        }
    }

    /// What it may do while a plan is made.
    pub const fn planning(self) -> L {
        match self {
            Self::Branch(action) => action.planning(),
            Self::Stash(action) => action.planning(),
        }
    }

    /// What it has to do with the files on disk.
    pub const fn disk(self) -> D {
        match self {
            Self::Branch(action) => action.disk(),
            Self::Stash(action) => action.disk(),
        }
    }

    /// Whether it deletes what only git holds.
    pub fn is_destructive(self) -> bool {
        self.needs() == N::Destructive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_names_one_action_and_other_words_none() {
        for (at, action) in BranchAction::ALL.iter().enumerate() {
            assert_eq!(BranchAction::WORDS[at], action.as_str());
            let read = GitAction::read(Tool::GitBranch, Some(action.as_str()));
            assert_eq!(read, Some(GitAction::Branch(*action)));
        }
        for (at, action) in StashAction::ALL.iter().enumerate() {
            assert_eq!(StashAction::WORDS[at], action.as_str());
            let read = GitAction::read(Tool::GitStash, Some(action.as_str()));
            assert_eq!(read, Some(GitAction::Stash(*action)));
        }
        for (tool, word) in [
            (Tool::GitBranch, Some("drop")),
            (Tool::GitStash, Some("clear")),
            (Tool::GitLog, Some("list")),
            (Tool::GitLog, None),
        ] {
            assert_eq!(GitAction::read(tool, word), None, "{tool} {word:?}");
        }
    }

    /// The rows of the tools point here, so nothing here may point back: neither `needs`, `planning` nor `disk`.
    #[test]
    fn only_what_lists_runs_without_a_person_and_is_open_while_a_plan_is_made() {
        let branches = BranchAction::ALL.iter().copied().map(GitAction::Branch);
        let stashes = StashAction::ALL.iter().copied().map(GitAction::Stash);
        for action in branches.chain(stashes) {
            let lists = matches!(
                action,
                GitAction::Branch(BranchAction::List) | GitAction::Stash(StashAction::List)
            );
            assert_eq!(action.needs() == N::Nothing, lists, "{action:?}");
            assert_ne!(action.needs(), N::Action, "{action:?}");
            let (planning, disk) = match lists {
                true => (L::Open, D::Nothing),
                false => (L::Closed, D::Changes),
            };
            assert_eq!((action.planning(), action.disk()), (planning, disk));
        }
        let absent = GitAction::read(Tool::GitStash, None);
        assert_eq!(absent, Some(GitAction::Stash(StashAction::List)));
    }
}
