//! Which options of a program take a value, and whether the program is only asked what it does.
//!
//! One description for all who read a program's arguments: a value is never an option, nor is what follows `--`.

use crate::args::{Grammar, Options};
use crate::ir::Arg;
use crate::program::{Call, Help};

/// Options that are known to have no value wherever they are, or nearly so.
#[rustfmt::skip]
const PLAIN: [&str; 10] = [
    "-q", "-v", "-vv", "-V", "-h", "--quiet", "--verbose", "--help", "--version", "--silent",
];

/// Whether a program is asked what it does or which it is, and so does nothing else.
pub(crate) fn asks_for_help(call: Call<'_>) -> bool {
    let asks = |arg: &Arg| arg.is("--help") || arg.is("--version");
    if !call.args.iter().any(asks) {
        return false;
    }
    let operands_last = match call.program.help {
        Help::Never => return false,
        Help::ByGuess => return seems_to_ask(call),
        Help::ByGrammar => call.program.grammar.operands_last,
        Help::BeforeOperands => true,
    };
    let grammar = Grammar {
        operands_last,
        ..call.program.grammar
    };
    let options = grammar.split(call.args);
    options.has("", "help") || options.has("", "version")
}

/// The same where nobody knows which options have a value.
fn seems_to_ask(call: Call<'_>) -> bool {
    let before = |at: usize| at.checked_sub(1).map_or("", |at| call.word(at));
    let may_be_value = |at: usize| before(at).starts_with('-') && !PLAIN.contains(&before(at));
    let mut args = call.args.iter().enumerate();
    args.by_ref()
        .take_while(|(_, arg)| !arg.is("--"))
        .any(|(at, arg)| (arg.is("--help") || arg.is("--version")) && !may_be_value(at))
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
    // What follows their first operand is another command's.
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
