//! Archivers that take away what they have packed, when they are told to.

use crate::args::Grammar;
use crate::call::Call;
use crate::ir::Arg;
use crate::judge::Judge;

/// An archiver with an option that removes its sources.
pub(super) struct Archiver {
    pub(super) names: &'static [&'static str],
    grammar: Grammar,
    /// The letter and the long name of the option.
    removes: (&'static str, &'static str),
    /// The same where it is a word behind one dash.
    word: &'static str,
    /// A subcommand that does the same.
    subcommand: &'static str,
    /// Operands in front of the sources.
    skipped: usize,
}

#[rustfmt::skip]
pub(super) const ARCHIVERS: &[Archiver] = &[
    Archiver {
        names: &["zip"],
        grammar: Grammar::of("bPntxi", &["exclude", "include", "temp-path", "password"]),
        removes: ("m", "move"),
        word: "",
        subcommand: "",
        skipped: 1,
    },
    Archiver {
        names: &["tar", "gtar", "bsdtar"],
        grammar: Grammar::gnu(
            "fCTXIbFHLgNVK",
            &["file", "directory", "exclude", "files-from", "exclude-from", "use-compress-program"],
        ),
        removes: ("", "remove-files"),
        word: "",
        subcommand: "",
        skipped: 0,
    },
    Archiver {
        names: &["7z", "7za", "7zr", "7zz"],
        grammar: Grammar::of("", &[]),
        removes: ("", ""),
        word: "-sdel",
        subcommand: "",
        skipped: 2,
    },
    Archiver {
        names: &["rar"],
        grammar: Grammar::of("", &[]),
        removes: ("", ""),
        word: "-df",
        subcommand: "m",
        skipped: 2,
    },
];

impl Judge<'_> {
    pub(crate) fn loses_packed(&mut self, call: Call<'_>) {
        let mut archivers = ARCHIVERS.iter();
        let Some(archiver) = archivers.find(|archiver| archiver.names.contains(&call.name)) else {
            return;
        };
        let options = archiver.grammar.split(call.args);
        let (short, long) = archiver.removes;
        let removes = options.has(short, long)
            || call.has(archiver.word)
            || (!archiver.subcommand.is_empty() && call.word(0) == archiver.subcommand);
        if !removes {
            return;
        }
        let mut skipped = archiver.skipped;
        // tar's oldest form has its letters and the archive in front.
        if call.name.ends_with("tar") && !call.word(0).starts_with('-') {
            skipped = 1 + usize::from(call.word(0).contains('f'));
        }
        let mark = self.scope.mark();
        if let Some(folder) = options.value("C", "directory").filter(|_| skipped != 2) {
            let path = self.target(folder).path;
            self.scope.enter_folder(path);
        }
        let sources: Vec<&Arg> = options.files().iter().copied().skip(skipped).collect();
        self.removes(call, &sources);
        self.scope.undo_to(mark);
    }
}
