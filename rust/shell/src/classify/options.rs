//! Which options of a program take a value, and whether the program is only asked what it does.
//!
//! One description for all who read a program's arguments: a value is never an option, nor is what stands behind `--`.

use super::read::Reader;
use crate::args::{Grammar, Options};
use crate::call::Call;
use crate::ir::Arg;

pub(super) const SED: Grammar = Grammar {
    attached: "i",
    ..Grammar::gnu("efl", &["expression", "file", "line-length"])
};
#[rustfmt::skip]
pub(super) const AWK: Grammar = Grammar::wrapper(
    "Fvfile",
    &["field-separator", "assign", "file", "include", "load", "source"],
);
#[rustfmt::skip]
pub(super) const GREP: Grammar = Grammar::gnu(
    "ABCDdefm",
    &[
        "after-context", "before-context", "context", "regexp", "file", "max-count", "include",
        "exclude", "exclude-dir", "exclude-from", "label", "binary-files", "directories", "devices",
        "group-separator",
    ],
);
#[rustfmt::skip]
pub(super) const RG: Grammar = Grammar::of(
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
pub(super) const UGREP: Grammar = Grammar {
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
pub(super) const AG: Grammar = Grammar::of(
    "ABCGgmpW",
    &["ignore", "ignore-dir", "depth", "file-search-regex", "max-count", "pager"],
);
#[rustfmt::skip]
pub(super) const ACK: Grammar = Grammar::of(
    "ABCgmx",
    &["type", "ignore-dir", "ignore-file", "max-count", "match", "pager"],
);
#[rustfmt::skip]
pub(super) const SORT: Grammar = Grammar::gnu(
    "oktST",
    &[
        "output", "key", "field-separator", "buffer-size", "temporary-directory",
        "compress-program",
    ],
);
#[rustfmt::skip]
pub(super) const PATCH: Grammar = Grammar::gnu(
    "piodrFBzYDVg",
    &["strip", "input", "directory", "output", "reject-file", "fuzz", "prefix", "suffix"],
);
pub(super) const TRUNCATE: Grammar = Grammar::gnu("srio", &["size", "reference"]);
#[rustfmt::skip]
pub(super) const SHRED: Grammar = Grammar::gnu(
    "ns",
    &["iterations", "size", "random-source", "interactive"],
);
/// Where the first operand ends the options, as on systems that have no GNU tools.
const REMOVERS: Grammar = Grammar::wrapper("", &["interactive"]);

#[rustfmt::skip]
const KNOWN: &[(&[&str], Grammar)] = &[
    (&["tee", "sponge"], Grammar::gnu("", &[])),
    (
        &["ls"],
        Grammar::gnu(
            "IwT",
            &[
                "ignore", "hide", "width", "tabsize", "block-size", "format", "sort", "time",
                "time-style", "quoting-style", "indicator-style",
            ],
        ),
    ),
    (&["tree"], Grammar::of("LPIoHT", &["filelimit", "timefmt", "charset", "sort"])),
    (&["sed"], SED),
    (&["awk"], AWK),
    (&["grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "zegrep", "zfgrep", "rgrep"], GREP),
    (&["rg", "ripgrep"], RG),
    (&["ug", "ugrep"], UGREP),
    (&["ag", "pt", "sift"], AG),
    (&["ack", "ack-grep"], ACK),
    (&["sort"], SORT),
    (&["patch"], PATCH),
    (&["truncate"], TRUNCATE),
    (&["shred"], Grammar { operands_last: true, ..SHRED }),
    (&["rm", "unlink", "srm", "wipe", "chmod", "chown", "chgrp"], REMOVERS),
];

/// Options that are known to have no value wherever they are, or nearly so.
#[rustfmt::skip]
const PLAIN: [&str; 10] = [
    "-q", "-v", "-vv", "-V", "-h", "--quiet", "--verbose", "--help", "--version", "--silent",
];

/// Whether a program is asked what it does or which it is, and so does nothing else.
pub(super) fn asks_for_help(call: Call<'_>) -> bool {
    let asks = |arg: &Arg| arg.is("--help") || arg.is("--version");
    match call.name {
        // These words are tests of theirs, wherever they stand but as a value.
        "find" | "bfs" => return false,
        // Shells print their words as they are; git says for each of its subcommands what is asked.
        "echo" | "print" | "printf" | "git" => return false,
        _ => {}
    }
    if !call.args.iter().any(asks) {
        return false;
    }
    let known = || KNOWN.iter().find(|(names, _)| names.contains(&call.name));
    let reader = Reader::named(call.name).map(|reader| &reader.grammar);
    if let Some(grammar) = reader.or_else(|| known().map(|(_, grammar)| grammar)) {
        let options = grammar.split(call.args);
        return options.has("", "help") || options.has("", "version");
    }
    let before = |at: usize| at.checked_sub(1).map_or("", |at| call.word(at));
    // Of other programs nobody knows here which options have a value.
    let may_be_value = |at: usize| before(at).starts_with('-') && !PLAIN.contains(&before(at));
    let mut args = call.args.iter().enumerate();
    args.by_ref()
        .take_while(|(_, arg)| !arg.is("--"))
        .any(|(at, arg)| asks(arg) && !may_be_value(at))
}

#[rustfmt::skip]
const GIT_LOG: Grammar = Grammar {
    attached: "MCBXU",
    ..Grammar::gnu(
        "SGnOlLI",
        &[
            "grep", "author", "committer", "since", "after", "until", "before", "max-count", "skip",
            "date", "output", "word-diff-regex", "diff-filter", "anchored", "src-prefix",
            "dst-prefix", "encoding", "glob", "exclude", "decorate-refs", "decorate-refs-exclude",
            "ignore-matching-lines", "inter-hunk-context", "diff-algorithm",
        ],
    )
};

/// git's subcommands.
#[rustfmt::skip]
const GIT: &[(&[&str], Grammar)] = &[
    (&["log", "show", "diff", "whatchanged", "format-patch"], GIT_LOG),
    (
        &["commit"],
        Grammar {
            attached: "uS",
            ..Grammar::gnu(
                "mFCct",
                &[
                    "message", "file", "author", "date", "reuse-message", "reedit-message", "fixup",
                    "squash", "template", "cleanup", "trailer", "pathspec-from-file",
                ],
            )
        },
    ),
    (&["add", "stage"], Grammar::gnu("", &["chmod", "pathspec-from-file"])),
    (&["rm"], Grammar::gnu("", &["pathspec-from-file"])),
    (&["reset"], Grammar::gnu("", &["pathspec-from-file"])),
    (
        &["checkout"],
        Grammar {
            attached: "t",
            ..Grammar::gnu("bB", &["orphan", "conflict", "pathspec-from-file"])
        },
    ),
    (
        &["switch"],
        Grammar {
            attached: "t",
            ..Grammar::gnu("cC", &["create", "force-create", "orphan", "conflict"])
        },
    ),
    (&["restore"], Grammar::gnu("s", &["source", "conflict", "pathspec-from-file"])),
    (&["clean"], Grammar::gnu("e", &["exclude"])),
    (
        &["push"],
        Grammar::gnu(
            "o",
            &["repo", "receive-pack", "exec", "push-option", "recurse-submodules"],
        ),
    ),
    (
        &["branch"],
        Grammar {
            attached: "t",
            ..Grammar::gnu(
                "u",
                &[
                    "set-upstream-to", "contains", "no-contains", "merged", "no-merged",
                    "points-at", "sort", "format",
                ],
            )
        },
    ),
    (&["stash"], Grammar::gnu("m", &["message", "pathspec-from-file"])),
    (&["blame"], Grammar { attached: "MC", ..Grammar::gnu("LS", &["date", "contents", "ignore-rev", "ignore-revs-file"]) }),
    (
        &["grep"],
        Grammar {
            attached: "O",
            ..Grammar::gnu("efABCm", &["threads", "max-depth", "max-count"])
        },
    ),
    (&["reflog"], Grammar::gnu("", &["expire", "expire-unreachable"])),
    (&["checkout-index"], Grammar::gnu("", &["stage", "prefix"])),
    (&["read-tree"], Grammar::gnu("", &["prefix", "index-output", "exclude-per-directory"])),
    (&["update-ref"], Grammar::gnu("m", &[])),
    // What stands behind their first operand is another command's.
    (&["bisect", "submodule"], Grammar::wrapper("", &[])),
    (
        &["filter-branch"],
        Grammar::wrapper(
            "d",
            &[
                "env-filter", "tree-filter", "index-filter", "parent-filter", "msg-filter",
                "commit-filter", "tag-name-filter", "subdirectory-filter", "original",
                "state-branch", "setup",
            ],
        ),
    ),
];

/// The arguments of a subcommand of git.
pub(super) fn git<'a>(subcommand: &str, args: &'a [Arg]) -> Options<'a> {
    let mut rows = GIT.iter();
    let row = rows.find(|(names, _)| names.contains(&subcommand));
    let grammar = row.map_or(Grammar::gnu("", &[]), |(_, grammar)| *grammar);
    grammar.split(args)
}

/// Whether a subcommand of git prints its usage and does nothing else: `git rm -rfh x`, but not `git rm x -- -h`.
pub(super) fn git_asks_for_help(subcommand: &str, options: &Options<'_>) -> bool {
    let has_own_letter = matches!(subcommand, "grep" | "ls-remote" | "show-ref");
    options.has(if has_own_letter { "" } else { "h" }, "help")
}
