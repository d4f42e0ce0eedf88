//! What a finding says: what a part of a line does, and what would do it instead.

use std::fmt;

macro_rules! listed {
    ($(#[$about:meta])* $Name:ident { $($(#[$doc:meta])* $Member:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Name { $($(#[$doc])* $Member,)* }

        impl $Name {
            /// Every one, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$Member),*];
        }
    };
}

listed! {
    /// What a part of a line does: what a tool does better, or a danger.
    FindingKind {
        /// Prints the text of a file.
        Read,
        /// Writes text that the line itself supplies into a file.
        Write,
        /// Searches text in files.
        SearchText,
        /// Searches files by name.
        FindFile,
        /// Lists a folder.
        ListFolder,
        /// Runs the project's tests.
        RunTests,
        /// Does what a tool for git covers.
        Git,
        /// Loses work or data.
        Destructive,
        /// Runs what the line has just downloaded.
        RemoteCode,
        /// What runs is unknown.
        Opaque,
    }
}

impl FindingKind {
    /// One word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read_file",
            Self::Write => "write_file",
            Self::SearchText => "search_text",
            Self::FindFile => "find_file",
            Self::ListFolder => "list_dir",
            Self::RunTests => "run_tests",
            Self::Git => "git",
            Self::Destructive => "destructive",
            Self::RemoteCode => "remote_code",
            Self::Opaque => "opaque",
        }
    }

    /// The kind of that word.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

listed! {
    /// What does the same as a part of a line, without a shell. Which tool that is, whoever asks knows.
    Instead {
        /// Reading a file.
        ReadFile,
        /// Writing or editing a file.
        WriteFile,
        /// Searching text in files.
        SearchText,
        /// Listing files and folders, and finding them by name.
        ListFiles,
        /// Running the project's tests.
        RunTests,
        /// `git status`.
        GitStatus,
        /// `git diff`.
        GitDiff,
        /// `git log`.
        GitLog,
        /// `git blame`.
        GitBlame,
        /// `git show`.
        GitShow,
        /// `git add`.
        GitStage,
        /// `git restore --staged`, and `git reset` that moves nothing but the index.
        GitUnstage,
        /// `git commit`.
        GitCommit,
        /// `git branch` that lists or creates.
        GitBranch,
        /// `git stash`.
        GitStash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_stands_for_one_kind() {
        for kind in FindingKind::ALL {
            assert_eq!(FindingKind::named(kind.as_str()), Some(*kind));
        }
        assert_eq!(FindingKind::named("frobnicate"), None);
    }
}
