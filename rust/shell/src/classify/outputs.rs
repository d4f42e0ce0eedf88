//! Programs that write a file which the line names, and are nothing else to the guard: archivers, filters with an
//! output, what makes keys, databases and environments. Only where they write matters ([`crate::Analysis`]'s
//! `outside`); what they read and print is told by other tables.

use super::options::asks_for_help;
use crate::args::{Grammar, Options};
use crate::call::Call;
use crate::ir::Arg;
use crate::judge::Judge;

/// Which of a program's operands are written.
#[derive(Clone, Copy)]
enum Operands {
    None,
    All,
    First,
    Second,
}

pub(super) struct Writer {
    pub(super) names: &'static [&'static str],
    grammar: Grammar,
    operands: Operands,
    /// Options whose value is written: the letters and the long name.
    options: (&'static str, &'static str),
    /// With these it writes none of its operands.
    unless: (&'static str, &'static str),
}

const WRITER: Writer = Writer {
    names: &[],
    grammar: Grammar::gnu("", &[]),
    operands: Operands::None,
    options: ("", ""),
    unless: ("", ""),
};

#[rustfmt::skip]
pub(super) const WRITERS: &[Writer] = &[
    // The file is put in the place of another one beside it.
    Writer {
        names: &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd", "lz4", "brotli",
        ],
        grammar: Grammar::gnu("oSTFCMD", &["output", "suffix", "threads", "format", "check", "memlimit"]),
        operands: Operands::All,
        options: ("o", "output"),
        unless: ("ctl", "stdout"),
    },
    Writer {
        names: &["dos2unix", "unix2dos"],
        operands: Operands::All,
        unless: ("iO", "info"),
        ..WRITER
    },
    Writer {
        names: &["uniq"],
        grammar: Grammar::gnu("fsw", &["skip-fields", "skip-chars", "check-chars"]),
        operands: Operands::Second,
        ..WRITER
    },
    Writer {
        names: &["xxd"],
        grammar: Grammar::of("cglosnR", &[]),
        operands: Operands::Second,
        ..WRITER
    },
    Writer {
        names: &["iconv"],
        grammar: Grammar::gnu("fto", &["from-code", "to-code", "output"]),
        options: ("o", "output"),
        ..WRITER
    },
    Writer {
        names: &["shuf"],
        grammar: Grammar::gnu("ino", &["output", "input-range", "head-count", "random-source"]),
        options: ("o", "output"),
        ..WRITER
    },
    Writer {
        names: &["split"],
        grammar: Grammar::gnu(
            "ablnCt",
            &["filter", "suffix-length", "lines", "bytes", "number", "line-bytes", "additional-suffix"],
        ),
        operands: Operands::Second,
        ..WRITER
    },
    Writer {
        names: &["csplit"],
        grammar: Grammar::gnu("fbn", &["prefix", "suffix-format", "digits"]),
        options: ("f", "prefix"),
        ..WRITER
    },
    Writer {
        names: &["mktemp"],
        grammar: Grammar::gnu("p", &["tmpdir", "suffix"]),
        operands: Operands::First,
        options: ("p", "tmpdir"),
        // A name for the temporary folder, or for another one.
        unless: ("ptu", "tmpdir"),
    },
    Writer {
        names: &["zip"],
        grammar: Grammar::of("bPntxiO", &["exclude", "include", "temp-path", "password", "out"]),
        operands: Operands::First,
        options: ("O", "out"),
        ..WRITER
    },
    Writer {
        names: &["script"],
        grammar: Grammar::wrapper("cEIOBTmo", &["command", "echo", "log-in", "log-out", "log-io", "log-timing"]),
        operands: Operands::First,
        options: ("IOBT", "log-out"),
        ..WRITER
    },
    Writer {
        names: &["ssh-keygen"],
        grammar: Grammar::of("fCNPtbmOnVzsDIwaAKMGRrF", &[]),
        options: ("f", ""),
        unless: ("lyFBeiL", ""),
        ..WRITER
    },
    Writer { names: &["virtualenv"], operands: Operands::First, ..WRITER },
];

/// Options of sqlite's shell that take a value.
const SQLITE_VALUES: [&str; 5] = ["cmd", "init", "separator", "nullvalue", "newline"];

/// Options by which programs of all kinds are told where to write.
const ANY: [&str; 6] = [
    "-o",
    "--output",
    "--output-dir",
    "--output-file",
    "--outdir",
    "--out-dir",
];

/// Subcommands of git that change the repository they run in.
#[rustfmt::skip]
const GIT_CHANGES: [&str; 15] = [
    "init", "add", "commit", "checkout", "switch", "merge", "rebase", "pull", "reset", "restore", "rm", "mv",
    "cherry-pick", "revert", "am",
];

impl Judge<'_> {
    /// Notes the files that a program is told to write.
    pub(crate) fn outputs(&mut self, call: Call<'_>) {
        if asks_for_help(call) {
            return;
        }
        match call.name {
            "tar" | "gtar" | "bsdtar" => return self.archive(call),
            "7z" | "7za" | "7zr" | "7zz" | "rar" => return self.other_archive(call),
            "sqlite3" | "sqlite" => return self.database(call),
            "python" | "uv" => return self.python_folder(call),
            _ => {}
        }
        let Some(writer) = WRITERS.iter().find(|row| row.names.contains(&call.name)) else {
            return;
        };
        let options = writer.grammar.split(call.args);
        let (short, long) = writer.unless;
        let is_spared = options.has(short, long);
        let (short, long) = writer.options;
        if !is_spared || !matches!(writer.operands, Operands::None) {
            let files: Vec<&Arg> = options.values(short, long).collect();
            self.leaves_at(&files);
        }
        if is_spared {
            return;
        }
        let operands = operands_of(&options);
        let written = match writer.operands {
            Operands::None => &[],
            Operands::All => &operands[..],
            Operands::First => operands.get(..1).unwrap_or_default(),
            Operands::Second => operands.get(1..2).unwrap_or_default(),
        };
        self.leaves_at(written);
    }

    /// What a program that no table knows is told.
    pub(super) fn told_outputs(&mut self, call: Call<'_>) {
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
    pub(super) fn git_outputs(&mut self, call: Call<'_>) {
        let (short, long) = match call.name {
            "archive" => ("o", "output"),
            "format-patch" => ("o", "output-directory"),
            "init" | "bundle" => ("", ""),
            name if GIT_CHANGES.contains(&name) => return self.changes_elsewhere(),
            _ => return,
        };
        let options = Grammar::gnu("ob", &["output", "output-directory", "format", "prefix"])
            .split(call.args);
        let files: Vec<&Arg> = options.values(short, long).collect();
        self.leaves_at(&files);
        match (call.name, options.files()) {
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
    fn archive(&mut self, call: Call<'_>) {
        let letters = call.word(0);
        let file = if letters.starts_with('-') {
            let options = Grammar::gnu(
                "fCTXIbHLgNVK",
                &[
                    "file",
                    "directory",
                    "exclude",
                    "files-from",
                    "exclude-from",
                    "use-compress-program",
                ],
            )
            .split(call.args);
            let makes = [
                "create",
                "append",
                "update",
                "catenate",
                "concatenate",
                "delete",
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

    fn other_archive(&mut self, call: Call<'_>) {
        let options = Grammar {
            attached: "o",
            ..Grammar::of("", &[])
        };
        let options = options.split(call.args);
        let files = options.files();
        match call.word(0) {
            "a" | "u" | "d" | "m" | "rn" => self.leaves_at(files.get(1..2).unwrap_or_default()),
            "x" | "e" => self.leaves_at(options.value("o", "").as_slice()),
            _ => {}
        }
    }

    fn database(&mut self, call: Call<'_>) {
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

    /// `python -m venv` and `uv venv`.
    fn python_folder(&mut self, call: Call<'_>) {
        let words = ["venv", "virtualenv"];
        let at = match call.name {
            "uv" => 0,
            _ => match call.args.iter().position(|arg| arg.is("-m")) {
                Some(at) => at + 1,
                None => return,
            },
        };
        if words.contains(&call.word(at)) {
            let options = Grammar::of("p", &["prompt", "python"]).split(&call.args[at + 1..]);
            let folders: Vec<&Arg> = options.files().to_vec();
            self.leaves_at(&folders);
        }
    }
}

fn operands_of<'a>(options: &Options<'a>) -> Vec<&'a Arg> {
    match options.operands {
        [] => options.files().to_vec(),
        operands => operands.iter().collect(),
    }
}
