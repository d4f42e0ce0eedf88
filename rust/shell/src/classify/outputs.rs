//! Programs that write a file which the line names, and are nothing else to the guard: archivers, filters with an
//! output, what makes keys, databases and environments. Only where they write matters ([`crate::Analysis`]'s
//! `outside`); what they read and print is in other tables.

use super::options::asks_for_help;
use crate::args::Grammar;
use crate::ir::Arg;
use crate::judge::Judge;
use crate::program::{Call, Operands, Writing};

/// Options of sqlite's shell that take a value.
const SQLITE_VALUES: [&str; 5] = ["cmd", "init", "separator", "nullvalue", "newline"];

/// Options by which programs of all kinds are told where to write.
#[rustfmt::skip]
const ANY: [&str; 6] = [
    "-o", "--output", "--output-dir", "--output-file", "--outdir", "--out-dir",
];

/// Subcommands of git that change the repository they run in.
#[rustfmt::skip]
const GIT_CHANGES: [&str; 15] = [
    "init", "add", "commit", "checkout", "switch", "merge", "rebase", "pull", "reset", "restore", "rm", "mv",
    "cherry-pick", "revert", "am",
];

impl Judge<'_> {
    /// Notes the files that a program is told to write.
    pub(super) fn outputs(&mut self, writer: &Writing, call: Call<'_>) {
        let options = call.options();
        let (short, long) = writer.unless;
        let is_spared = options.has(short, long);
        let (short, long) = writer.option;
        if !is_spared || !matches!(writer.operands, Operands::None) {
            let files: Vec<&Arg> = options.values(short, long).collect();
            self.leaves_at(&files);
        }
        if is_spared {
            return;
        }
        let operands = options.files();
        let written = match writer.operands {
            Operands::None => &[],
            Operands::All => operands,
            Operands::First => operands.get(..1).unwrap_or_default(),
            Operands::Second => operands.get(1..2).unwrap_or_default(),
        };
        self.leaves_at(written);
    }

    /// Notes the files that a program which no table knows is told to write.
    pub(super) fn other_outputs(&mut self, call: Call<'_>) {
        for (at, arg) in call.args.iter().enumerate() {
            let (name, value) = match arg.text.split_once('=') {
                Some((name, value)) => (name, Some(arg.with_text(value))),
                None => (arg.text.as_str(), call.args.get(at + 1).cloned()),
            };
            // Many programs have another use for the letter.
            let is_path = |value: &Arg| value.text.contains('/');
            if let Some(file) = value.filter(is_path).filter(|_| ANY.contains(&name)) {
                self.leaves_at(&[&file]);
            }
        }
    }

    /// What a subcommand of git is told to write, and the repository elsewhere that it changes.
    pub(super) fn git_outputs(&mut self, subcommand: &str, call: Call<'_>) {
        let (short, long) = match subcommand {
            "archive" => ("o", "output"),
            "format-patch" => ("o", "output-directory"),
            "init" | "bundle" => ("", ""),
            _ if GIT_CHANGES.contains(&subcommand) => return self.changes_elsewhere(),
            _ => return,
        };
        let options = Grammar::gnu("ob", &["output", "output-directory", "format", "prefix"])
            .split(call.args);
        let files: Vec<&Arg> = options.values(short, long).collect();
        self.leaves_at(&files);
        match (subcommand, options.files()) {
            ("init", []) => self.changes_elsewhere(),
            ("init", [folder, ..]) => self.leaves_at(&[folder]),
            ("bundle", [action, file, ..]) if action.is("create") => self.leaves_at(&[file]),
            _ => {}
        }
    }

    fn changes_elsewhere(&mut self) {
        let here = self.here();
        if here.path != self.places.root_path() {
            self.leaves(&here);
        }
    }

    /// `tar`, when it makes or changes an archive. Its oldest form has the letters without a dash.
    pub(crate) fn archive(&mut self, call: Call<'_>) {
        let letters = call.word(0);
        let options = call.options();
        self.leaves_at(options.value("C", "directory").as_slice());
        let file = if letters.starts_with('-') {
            #[rustfmt::skip]
            let makes = [
                "create", "append", "update", "catenate", "concatenate", "delete",
            ];
            let writes = options.has("cruA", "") || makes.iter().any(|make| options.has("", make));
            options.value("f", "file").filter(|_| writes).cloned()
        } else {
            let writes = letters.contains(['c', 'r', 'u', 'A']) && letters.contains('f');
            call.args.get(1).filter(|_| writes).cloned()
        };
        // `host:path` is another file system.
        if let Some(file) = file.filter(|file| file.text != "-" && !file.text.contains(':')) {
            self.leaves_at(&[&file]);
        }
    }

    pub(crate) fn other_archive(&mut self, call: Call<'_>) {
        let options = call.options();
        let files = options.files();
        match call.word(0) {
            "a" | "u" | "d" | "m" | "rn" => self.leaves_at(files.get(1..2).unwrap_or_default()),
            "x" | "e" => self.leaves_at(options.value("o", "").as_slice()),
            _ => {}
        }
    }

    pub(crate) fn database(&mut self, call: Call<'_>) {
        if call.has("-readonly") || call.has("--readonly") {
            return;
        }
        let mut args = call.args.iter();
        while let Some(arg) = args.next() {
            match arg.text.strip_prefix('-') {
                None => return self.leaves_at(&[arg]),
                Some(name) if SQLITE_VALUES.contains(&name.trim_start_matches('-')) => {
                    args.next();
                }
                Some(_) => {}
            }
        }
    }

    /// `python -m venv` and `uv venv`: the words follow a marker, or come first.
    pub(crate) fn python_folder(&mut self, call: Call<'_>, marker: &str) {
        if asks_for_help(call) {
            return;
        }
        let words = ["venv", "virtualenv"];
        let marked = call.args.iter().position(|arg| arg.is(marker));
        let at = match marked {
            _ if marker.is_empty() => 0,
            Some(at) => at + 1,
            None => return,
        };
        if words.contains(&call.word(at)) {
            let options = Grammar::of("p", &["prompt", "python"]).split(&call.args[at + 1..]);
            let folders: Vec<&Arg> = options.files().to_vec();
            self.leaves_at(&folders);
        }
    }
}
