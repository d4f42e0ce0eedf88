//! What shells do themselves. Each has its one row here or in a table beside it.

use crate::program::Role::{Looks, Runs};
use crate::program::{Program, Role, named};

const BUILTIN: Role = Runs(|judge, call| judge.builtin(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["true", "false"], &[BUILTIN, Looks(&[])]),
    named(
        &[
            "cd", "chdir", "pushd", "popd", "set", "shift", "unset", "unfunction", "unhash", "functions", "export",
            "declare", "typeset", "local", "readonly", "read", "hash", "mapfile", "readarray", "alias", "unalias",
            "trap", "eval", "emulate", "source", ".", "let", "test", "[", "exit", "return", "break", "continue",
            ":", "wait", "sleep", "ulimit", "umask", "shopt", "setopt", "unsetopt", "jobs", "fg",
            "bg", "disown", "getopts", "bind", "complete", "logout",
        ],
        &[BUILTIN],
    ),
];
