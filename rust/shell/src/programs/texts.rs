//! Programs that pass text on, change it, or say where something is: no finding, but what flows through them matters
//! to what reads it.

use super::files::{DECODES, PRINTS};
use crate::args::Grammar;
use crate::classify::PathPart;
use crate::program::Role::{Carries, Does, Is, Writes};
use crate::program::{
    Fact, LOOKS, Operands, Program, Role, WRITING, Writing, named, program, roughly,
};

const DECODES_WHEN_TOLD: Role = Does(|judge, call| judge.decoded_when_told(call));
const CHANGES: Role = Does(|judge, call| Some(judge.changed(call)));
const LOCATES: Role = Does(|judge, call| Some(judge.located(call.args)));

const WRITES_SECOND: Role = Writes(Writing {
    operands: Operands::Second,
    ..WRITING
});
const WRITES_OUTPUT: Role = Writes(Writing {
    option: ("o", "output"),
    ..WRITING
});

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(
        &[
            "rev", "fold", "fmt", "expand", "unexpand", "column", "paste", "join", "strings", "od", "hexdump", "jq",
            "yq", "pv", "buffer", "mbuffer", "ts", "tsort", "envsubst", "m4", "cpp", "colrm", "col", "ansifilter",
            "aha",
        ],
        &[CHANGES],
    ),
    named(&["tr", "cut", "wc"], &[CHANGES, LOOKS]),
    program(
        &["sort"],
        Grammar::gnu(
            "oktST",
            &["output", "key", "field-separator", "buffer-size", "temporary-directory", "compress-program"],
        ),
        &[Carries(&[("", "compress-program")]), Does(|judge, call| Some(judge.sorted(call)))],
    ),
    roughly(&["uniq"], Grammar::gnu("fsw", &["skip-fields", "skip-chars", "check-chars"]), &[WRITES_SECOND, CHANGES]),
    roughly(
        &["shuf"], Grammar::gnu("ino", &["output", "input-range", "head-count", "random-source"]),
        &[WRITES_OUTPUT, CHANGES],
    ),
    roughly(&["iconv"], Grammar::gnu("fto", &["from-code", "to-code", "output"]), &[WRITES_OUTPUT, CHANGES]),
    roughly(
        &["dos2unix", "unix2dos"], Grammar::gnu("", &[]),
        &[Writes(Writing { operands: Operands::All, unless: ("iO", "info"), ..WRITING }), CHANGES],
    ),
    named(&["base64", "base32", "basenc"], &[DECODES_WHEN_TOLD, CHANGES]),
    roughly(&["xxd"], Grammar::of("cglosnR", &[]), &[
        WRITES_SECOND, Does(|judge, call| judge.reverted(call)), CHANGES,
    ]),
    named(&["openssl"], &[DECODES, Is(&[Fact::Connects])]),
    named(
        &["gpg", "gpg2", "age", "uudecode", "zcat", "xzcat", "bzcat", "zstdcat", "ascii85"],
        &[DECODES],
    ),
    named(&["string"], &[Does(|judge, call| judge.fish_string(call))]),

    named(&["which", "type"], &[LOCATES, LOOKS]),
    named(&["where", "whereis"], &[LOCATES]),
    named(&["pwd"], &[Does(|judge, _| Some(judge.folder_text())), LOOKS, Is(&[Fact::Succeeds])]),
    named(&["dirname"], &[Does(|judge, call| Some(judge.path_text(PathPart::Folder, call))), LOOKS]),
    named(&["basename"], &[Does(|judge, call| Some(judge.path_text(PathPart::Name, call))), LOOKS]),
    named(&["realpath", "readlink"], &[Does(|judge, call| Some(judge.path_text(PathPart::Absolute, call))), LOOKS]),
    named(&["cygpath", "wslpath"], &[Does(|judge, call| Some(judge.path_text(PathPart::OtherForm, call)))]),
    roughly(&["mktemp"], Grammar::gnu("p", &["tmpdir", "suffix"]), &[
        // A name for the temporary folder, or for another one.
        Writes(Writing { operands: Operands::First, option: ("p", "tmpdir"), unless: ("ptu", "tmpdir") }),
        Does(|judge, call| Some(judge.temporary_file(call))),
    ]),
    roughly(&["man"], Grammar::gnu("PMS", &["pager"]), &[Carries(&[("P", "pager")]), PRINTS]),
];
