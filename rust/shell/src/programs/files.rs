//! Programs that read, search, list, write, move, pack and remove files. How a row is written: the head of `programs.rs`.

use super::shells::{EDITOR, OF_VIM, PAGER as PAGER_PROMPT, VIM};
use crate::args::Grammar;
use crate::classify::git_changes::SHOWS;
use crate::ir::{Origin, Stream};
use crate::program::Role::{
    Carries, Does, Is, Looks, LooksIf, Notes, Packs, Prompts, Puts, Reads, Suggests, Writes,
};
use crate::program::{
    Fact, Help, LOOKS, Operands, Packing, Program, Putting, Reading, Role, Suggestion, WRITING,
    Writing, named, program, roughly,
};

const ED_PROMPT: Role = Prompts(EDITOR);
const READING: Reading = Reading {
    copies: false,
    jumps: false,
    follows: &[],
};
const READS: Role = Reads(READING);
const PAGES: Role = Reads(Reading {
    jumps: true,
    ..READING
});
pub(super) const DECODES: Role = Does(|judge, call| Some(judge.decoded(call)));
/// What it prints is its own.
pub(super) const PRINTS: Role = Does(|_, _| Some(Stream::printed(Origin::Program)));

const GREPS: Role = Does(|judge, call| Some(judge.grep(call, false)));
const ACKS: Role = Does(|judge, call| Some(judge.ripgrep(call, ("fg", ""), ("", "match"))));
const RIPGREPS: Role =
    Does(|judge, call| Some(judge.ripgrep(call, ("", "files"), ("ef", "regexp"))));
const LISTS: Role = Does(|judge, call| Some(judge.list(call, call.options().files())));
const FINDS_BY_FD: Role = Does(|judge, call| Some(judge.fd(call)));

const EDITS: Role = Does(|judge, call| {
    judge.edits(call, call.options().files());
    Some(Stream::printed(Origin::Program))
});
const EDITS_WHEN_TOLD: Role = Does(|judge, call| Some(judge.vim(call)));
const REMOVES: Role = Does(|judge, call| {
    judge.removes(call, call.options().files());
    Some(Stream::printed(Origin::Program))
});
const IS_REMOVAL: Role = Is(&[Fact::Removes]);
const SUCCEEDS: Role = Is(&[Fact::Succeeds]);
const REMOVES_OWN: Role = Does(|judge, call| judge.removes_behind(call));
const PERMITS: Role = Does(|judge, call| Some(judge.permissions(call)));
const OVERWRITES: Role = Does(|judge, call| {
    judge.loses(call.text, "Writes over a disk.", &[]);
    Some(Stream::printed(Origin::Program))
});

const WRITES_ALL: Role = Writes(Writing {
    operands: Operands::All,
    ..WRITING
});
const WRITES_FIRST: Role = Writes(Writing {
    operands: Operands::First,
    ..WRITING
});
const WRITES_SECOND: Role = Writes(Writing {
    operands: Operands::Second,
    ..WRITING
});
/// The file is put in the place of another one beside it.
const REPLACES: Role = Writes(Writing {
    operands: Operands::All,
    option: ("o", "output"),
    unless: ("ctl", "stdout"),
});
const BUILDS: Role = Notes(|judge, call| judge.builds_at("-o", call));
const ARCHIVES: Role = Notes(|judge, call| judge.archive(call));
const ARCHIVES_OTHERWISE: Role = Notes(|judge, call| judge.other_archive(call));
const PACKING: Packing = Packing {
    option: ("", ""),
    word: "",
    subcommand: "",
    skipped: 0,
    has_bare_letters: false,
};
const TARS: Role = Packs(Packing {
    option: ("", "remove-files"),
    has_bare_letters: true,
    ..PACKING
});

const COPIES_OVER: Role = Notes(|judge, call| judge.copies_over(call));
const EMPTIES: Role = Notes(|judge, call| judge.empties(call));
const ARRIVES: Role = Notes(|judge, call| judge.copies_from_elsewhere(call));
const LEAVES_COPIES: Role = Notes(|judge, call| judge.leaves_last(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    // They print the files that they are given.
    program(&["cat"], PLAIN, &[Reads(Reading { copies: true, ..READING }), LOOKS]),
    program(&["tac"], Grammar::gnu("s", &["separator"]), &[READS]),
    program(&["nl"], Grammar::gnu("bdfhilnsvw", &["body-numbering", "number-format", "number-width"]), &[READS, LOOKS]),
    program(&["head"], HEAD, &[READS, LOOKS]),
    program(
        &["tail"], HEAD,
        &[Reads(Reading { jumps: true, follows: &[("fF", "follow"), ("", "retry")], ..READING }), LOOKS],
    ),
    program(&["less", "more"], PAGER, &[PAGER_PROMPT, PAGES]),
    program(&["most"], PAGER, &[PAGER_PROMPT, READS]),
    program(&["bat", "batcat"], BAT, &[Carries(&[("", "pager")]), READS]),
    program(&["sed"], SED, &[Does(|judge, call| Some(judge.sed(call)))]),
    program(&["awk"], AWK, &[Does(|judge, call| Some(judge.awk(call)))]),

    // They search text.
    program(&["grep", "egrep"], GREP, &[GREPS, LOOKS]),
    program(&["fgrep"], GREP, &[GREPS, LOOKS, Suggests(Suggestion::PlainQuery)]),
    program(&["zgrep", "bzgrep", "xzgrep", "zegrep"], GREP, &[GREPS]),
    program(&["zfgrep"], GREP, &[GREPS, Suggests(Suggestion::PlainQuery)]),
    program(&["rgrep"], GREP, &[Does(|judge, call| Some(judge.grep(call, true)))]),
    program(&["ug", "ugrep"], UGREP, &[Does(|judge, call| Some(judge.ugrep(call)))]),
    program(&["rg"], RG, &[
        Carries(&[("", "pre"), ("", "hostname-bin")]), RIPGREPS, Looks(&["--pre", "--hostname-bin"]),
    ]),
    program(&["ripgrep"], RG, &[Carries(&[("", "pre"), ("", "hostname-bin")]), RIPGREPS]),
    program(&["ag", "pt", "sift"], AG, &[
        Carries(&[("", "pager")]), Does(|judge, call| Some(judge.ripgrep(call, ("g", ""), ("", "")))),
    ]),
    program(&["ack", "ack-grep"], ACK, &[Carries(&[("", "pager")]), ACKS]),

    // They list folders, or search by name.
    program(&["ls", "dir"], LS, &[LISTS, LOOKS]),
    program(&["vdir", "ll", "la"], LS, &[LISTS]),
    roughly(&["exa", "eza", "lsd"], EXA, &[LISTS]),
    program(&["tree"], TREE, &[LISTS]),
    // These words are tests of theirs, anywhere but as a value.
    named(&["find"], &[
        Does(|judge, call| Some(judge.find_files(call, false))),
        Looks(&["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    ])
    .helping(Help::Never),
    named(&["bfs"], &[Does(|judge, call| Some(judge.find_files(call, true)))]).helping(Help::Never),
    named(&["fd", "fdfind"], &[FINDS_BY_FD, Suggests(Suggestion::FirstName)]),

    // They write text. Shells print the words of the first as they are.
    named(&["echo"], &[
        Does(|judge, call| Some(judge.echo(call, false))), LOOKS, Is(&[Fact::PrintsWords, Fact::Succeeds]),
    ])
    .helping(Help::Never),
    named(&["print"], &[Does(|judge, call| Some(judge.echo(call, true))), Is(&[Fact::PrintsWords])]).helping(Help::Never),
    named(&["printf"], &[Does(|judge, call| Some(judge.printf(call))), SUCCEEDS]).helping(Help::Never),
    program(&["tee", "sponge"], PLAIN, &[Does(|judge, call| Some(judge.tee(call)))]),
    named(&["dd"], &[Does(|judge, call| Some(judge.dd(call)))]),
    program(&["truncate"], Grammar::gnu("srio", &["size", "reference"]), &[EDITS]),
    program(&["patch"], PATCH, &[Does(|judge, call| Some(judge.patch(call)))]),
    named(&["apply_patch", "applypatch"], &[Does(|judge, call| Some(judge.edits_here(call)))]),
    roughly(&["ed", "ex", "red"], Grammar::of("pcST", &[]), &[ED_PROMPT, EDITS]),
    roughly(
        &["vim", "vi", "nvim", "gvim", "view"],
        OF_VIM,
        &[VIM, EDITS_WHEN_TOLD],
    ),

    // They copy, move and make files.
    roughly(&["cp"], COPY, &[COPIES_OVER, EMPTIES, Puts(Putting::Copies)]),
    roughly(&["install"], COPY, &[COPIES_OVER, EMPTIES, Puts(Putting::Installs)]),
    roughly(&["mv"], COPY, &[Puts(Putting::Moves)]),
    roughly(&["ln"], COPY, &[Notes(|judge, call| judge.replaces_by_link(call)), Puts(Putting::Links)]),
    roughly(&["rsync"], RSYNC, &[
        LEAVES_COPIES, ARRIVES, Notes(|judge, call| judge.mirrors(call)), Carries(&[("e", "rsh")]), PRINTS,
    ]),
    roughly(&["scp"], Grammar::of("cDFiJloPSTX", &[]), &[LEAVES_COPIES, ARRIVES, Carries(&[("oS", "")])]),
    roughly(&["mkdir"], MAKE, &[
        Notes(|judge, call| judge.makes_folders(call.options().files().iter().copied())), WRITES_ALL, SUCCEEDS,
    ]),
    roughly(&["touch"], MAKE, &[WRITES_ALL, SUCCEEDS]),
    roughly(&["mkfifo"], MAKE, &[WRITES_ALL]),
    roughly(&["rmdir"], MAKE, &[WRITES_ALL, IS_REMOVAL]),
    named(&["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "as"], &[BUILDS]),
    named(&["javac", "kotlinc", "scalac"], &[Notes(|judge, call| judge.builds_at("-d", call))]),
    roughly(
        &["csplit"], Grammar::gnu("fbn", &["prefix", "suffix-format", "digits"]),
        &[Writes(Writing { option: ("f", "prefix"), ..WRITING })],
    ),
    roughly(&["split"], SPLIT, &[WRITES_SECOND, Carries(&[("", "filter")])]),
    roughly(
        &["ssh-keygen"], Grammar::of("fCNPtbmOnVzsDIwaAKMGRrF", &[]),
        &[Writes(Writing { option: ("f", ""), unless: ("lyFBeiL", ""), ..WRITING })],
    ),
    roughly(&["virtualenv"], PLAIN, &[WRITES_FIRST]),

    // They pack files.
    roughly(&["bzip2", "lzma", "unlzma", "lz4"], ZIPPER, &[REPLACES]),
    roughly(&["gzip", "gunzip", "bunzip2", "xz", "unxz", "zstd", "unzstd", "brotli"], ZIPPER, &[REPLACES, DECODES]),
    roughly(&["tar"], TAR, &[ARCHIVES, TARS, Carries(&[
        ("I", "use-compress-program"), ("", "to-command"), ("", "rsh-command"), ("", "checkpoint-action"),
        ("F", "info-script"), ("", "new-volume-script"),
    ]), PRINTS]),
    roughly(&["gtar", "bsdtar"], TAR, &[ARCHIVES, TARS]),
    roughly(
        &["zip"],
        Grammar::of("bPntxiO", &["exclude", "include", "temp-path", "password", "out", "unzip-command", "TT"]),
        &[
            Writes(Writing { operands: Operands::First, option: ("O", "out"), ..WRITING }),
            Packs(Packing { option: ("m", "move"), skipped: 1, ..PACKING }),
            Carries(&[("", "unzip-command"), ("", "TT")]),
        ],
    ),
    roughly(&["unzip"], Grammar::of("dx", &[]), &[Writes(Writing { option: ("d", ""), ..WRITING })]),
    roughly(&["7z", "7za", "7zr", "7zz"], OTHER_ARCHIVE, &[
        ARCHIVES_OTHERWISE, Packs(Packing { word: "-sdel", skipped: 2, ..PACKING }),
    ]),
    roughly(&["rar"], OTHER_ARCHIVE, &[
        ARCHIVES_OTHERWISE, Packs(Packing { word: "-df", subcommand: "m", skipped: 2, ..PACKING }),
    ]),

    // They remove files, change what may be done with them, or write over disks. Where there are no GNU tools the
    // first operand ends the options.
    program(&["rm", "unlink"], REMOVE, &[REMOVES, IS_REMOVAL]).helping(Help::BeforeOperands),
    program(&["srm", "wipe"], REMOVE, &[REMOVES]).helping(Help::BeforeOperands),
    program(
        &["shred"], Grammar::gnu("ns", &["iterations", "size", "random-source"]), &[REMOVES, IS_REMOVAL],
    )
    .helping(Help::BeforeOperands),
    roughly(&["rimraf"], PLAIN, &[REMOVES, Is(&[Fact::Packaged])]),
    roughly(&["del-cli", "trash-cli", "gvfs-rm"], PLAIN, &[REMOVES]),
    named(&["gio"], &[REMOVES_OWN]),
    named(&["kill"], &[Does(|judge, call| Some(judge.kill(call)))]),
    program(&["chmod", "chown", "chgrp"], Grammar::gnu("", &["reference", "from"]), &[PERMITS]).helping(Help::BeforeOperands),
    named(&["wipefs", "blkdiscard", "mkswap", "sfdisk", "sgdisk", "mkfs", "mkfs.", "mke2fs"], &[OVERWRITES]),

    // They say what is there, and nothing more.
    named(
        &[
            "cmp", "df", "du", "id", "md5sum", "sha256sum", "stat", "uname", "get-childitem", "gci",
            "get-content", "gc", "get-item", "gi", "get-location", "gl", "resolve-path", "rvpa", "select-string",
            "sls", "test-path",
        ],
        &[LOOKS],
    ),
    named(&["diff"], &[Looks(&["--output"])]),
    named(&["file"], &[Looks(&["-C", "--compile"])]),
    // Anything but a format and a few options could set it.
    named(&["date"], &[LooksIf(&[], |args| {
        let mut args = args.iter().map(|arg| arg.text.as_str());
        args.all(|arg| arg.starts_with('+') || arg.starts_with("-I") || matches!(arg, "-u" | "-R" | "--utc"))
    }), SUCCEEDS]),

    // It says for each of its subcommands whether help is asked for. A format may ask for signatures, which another
    // program checks.
    named(&["git"], &[
        Does(|judge, call| Some(judge.git(call))),
        LooksIf(&["--output", "--ext-diff", "--textconv", "--show-signature", "--help"], |args| {
            let args = match args {
                [first, args @ ..] if first.is("--no-pager") => args,
                args => args,
            };
            let shows = args.first().is_some_and(|subcommand| SHOWS.contains(&&*subcommand.text));
            shows && !args.iter().any(|arg| arg.text.contains("%G"))
        }),
        Suggests(Suggestion::QueryBehindFirst),
    ])
    .helping(Help::Never),
];

const PLAIN: Grammar = Grammar::gnu("", &[]);
#[rustfmt::skip]
const HEAD: Grammar = Grammar::gnu(
    "ncs",
    &["lines", "bytes", "sleep-interval", "pid", "max-unchanged-stats"],
);
const PAGER: Grammar = Grammar::gnu(
    "bhjkopPtTxyzn",
    &["pattern", "prompt", "tag", "tabs", "window"],
);
#[rustfmt::skip]
const BAT: Grammar = Grammar::gnu(
    "lrHm",
    &[
        "language", "line-range", "highlight-line", "map-syntax", "theme", "style", "tabs", "wrap", "paging", "pager",
        "color", "decorations", "terminal-width", "file-name", "diff-context",
    ],
);
const SED: Grammar = Grammar {
    attached: "i",
    ..Grammar::gnu("efl", &["expression", "file", "line-length"])
};
#[rustfmt::skip]
const AWK: Grammar = Grammar::wrapper(
    "Fvfile",
    &["field-separator", "assign", "file", "include", "load", "source"],
);
#[rustfmt::skip]
const GREP: Grammar = Grammar::gnu(
    "ABCDdefm",
    &[
        "after-context", "before-context", "context", "regexp", "file", "max-count", "include",
        "exclude", "exclude-dir", "exclude-from", "label", "binary-files", "directories", "devices",
        "group-separator",
    ],
);
#[rustfmt::skip]
const RG: Grammar = Grammar::of(
    "ABCEMTdefgjmrt",
    &[
        "after-context", "before-context", "context", "regexp", "file", "max-count", "glob",
        "iglob", "type", "type-not", "type-add", "type-clear", "max-depth", "max-filesize",
        "max-columns", "threads", "replace", "sort", "sortr", "color", "colors",
        "context-separator", "encoding", "engine", "ignore-file", "path-separator", "pre",
        "pre-glob", "hostname-bin", "dfa-size-limit", "regex-size-limit", "field-match-separator",
    ],
);
#[rustfmt::skip]
const UGREP: Grammar = Grammar {
    attached: "QZ",
    ..Grammar::of(
        "ABCDdefgJKMmNOt",
        &[
            "after-context", "before-context", "context", "regexp", "file", "max-count", "include", "exclude",
            "include-dir", "exclude-dir", "include-from", "exclude-from", "glob", "iglob", "file-type",
            "file-extension", "file-magic", "and", "andnot", "not", "neg-regexp", "jobs", "depth", "range",
            "label", "binary-files", "directories", "devices", "encoding", "format", "colors", "replace", "tabs",
            "max-files", "min-count", "separator", "context-separator", "group-separator", "ignore-files-from",
        ],
    )
};
#[rustfmt::skip]
const AG: Grammar = Grammar::of(
    "ABCGgmpW",
    &["ignore", "ignore-dir", "depth", "file-search-regex", "max-count", "pager"],
);
#[rustfmt::skip]
const ACK: Grammar = Grammar::of(
    "ABCgmx",
    &["type", "ignore-dir", "ignore-file", "max-count", "match", "pager"],
);
#[rustfmt::skip]
const LS: Grammar = Grammar::gnu(
    "IwT",
    &[
        "ignore", "hide", "width", "tabsize", "block-size", "format", "sort", "time", "time-style", "quoting-style",
        "indicator-style",
    ],
);
const EXA: Grammar = Grammar::of(
    "LIst",
    &["level", "ignore-glob", "sort", "time", "time-style"],
);
const TREE: Grammar = Grammar::of(
    "LPIHTo",
    &["filelimit", "charset", "timefmt", "sort", "gitfile"],
);
#[rustfmt::skip]
const PATCH: Grammar = Grammar::gnu(
    "piodrFBzYDVg",
    &["strip", "input", "directory", "output", "reject-file", "fuzz", "prefix", "suffix"],
);
const COPY: Grammar = Grammar::gnu(
    "tSmgo",
    &["target-directory", "suffix", "mode", "owner", "group"],
);
#[rustfmt::skip]
const RSYNC: Grammar = Grammar::of(
    "efBTM",
    &["rsh", "exclude", "include", "filter", "files-from", "exclude-from", "port", "password-file", "bwlimit"],
);
const MAKE: Grammar = Grammar::gnu("mdrt", &["mode", "date", "reference"]);
#[rustfmt::skip]
const SPLIT: Grammar = Grammar::gnu(
    "ablnCt",
    &["filter", "suffix-length", "lines", "bytes", "number", "line-bytes", "additional-suffix"],
);
#[rustfmt::skip]
const ZIPPER: Grammar = Grammar::gnu("oSTFCMD", &["output", "suffix", "threads", "format", "check", "memlimit"]);
#[rustfmt::skip]
const TAR: Grammar = Grammar::gnu(
    "fCTXIbFHLgNVK",
    &[
        "file", "directory", "exclude", "files-from", "exclude-from", "use-compress-program", "to-command",
        "rsh-command", "checkpoint-action", "info-script", "new-volume-script",
    ],
);
const OTHER_ARCHIVE: Grammar = Grammar {
    attached: "o",
    ..Grammar::of("", &[])
};
const REMOVE: Grammar = Grammar::gnu("", &[]);
