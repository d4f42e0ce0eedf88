//! What shells do themselves: nothing of these names stands in a folder, or it does less there.

use super::wrappers::PLAIN;
use crate::args::Grammar;
use crate::ir::Stream;
use crate::program::Role::{Changes, Looks, Runs, Wraps};
use crate::program::{Program, named, roughly};

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["cd", "chdir"], &[Changes(|judge, call| judge.change_folder(call))]),
    named(&["pushd"], &[Changes(|judge, call| judge.push_folder(call))]),
    named(&["popd"], &[Changes(|judge, _| judge.pop_folder())]),
    named(&["set"], &[Changes(|judge, call| judge.set(call))]),
    named(&["shift"], &[Changes(|judge, call| judge.shift_arguments(call))]),
    named(&["unset"], &[Changes(|judge, call| judge.unset_names(call.args))]),
    named(&["unfunction"], &[Changes(|judge, call| judge.undefine(call.args))]),
    named(&["unhash"], &[Runs(|judge, call| judge.unhash(call))]),
    named(&["functions"], &[Runs(|judge, call| judge.functions(call))]),
    named(&["export", "declare", "typeset", "local", "readonly"], &[Changes(|judge, call| judge.declare(call))]),
    named(&["read"], &[Changes(|judge, call| judge.read_variables(call))]),
    named(&["hash"], &[Changes(|judge, call| judge.hash(call))]),
    named(&["mapfile", "readarray"], &[Changes(|judge, call| judge.read_lines(call))]),
    named(&["alias"], &[Changes(|judge, call| judge.define_aliases(call.args))]),
    named(&["unalias"], &[Changes(|judge, call| judge.remove_aliases(call.args))]),
    named(&["trap"], &[Changes(|judge, call| judge.trap(call))]),
    named(&["let"], &[Changes(|judge, call| call.args.iter().for_each(|arg| judge.evaluate(&arg.text)))]),
    named(&["test", "["], &[Changes(|judge, call| judge.test_names(call))]),
    named(&["exit", "return", "break", "continue"], &[Changes(|judge, call| judge.leave(call))]),
    // Nothing is printed, and into a file that is still its creation.
    named(&["true", "false"], &[Runs(|_, _| Some(Stream::supplied("", None))), Looks(&[])]),
    named(&[":"], &[Runs(|_, _| Some(Stream::supplied("", None)))]),
    named(
        &[
            "wait", "sleep", "ulimit", "umask", "shopt", "setopt", "unsetopt", "jobs", "fg", "bg", "disown", "getopts",
            "bind", "complete", "logout",
        ],
        &[Changes(|_, _| ())],
    ),
    named(&["eval"], &[Runs(|judge, call| Some(judge.eval(call)))]),
    named(&["emulate"], &[Runs(|judge, call| judge.emulate(call))]),
    named(&["source", "."], &[Runs(|judge, call| Some(judge.source(call)))]),
    roughly(&["command"], PLAIN, &[Runs(|judge, call| Some(judge.command_builtin(call)))]),
    roughly(&["builtin", "noglob", "nocorrect", "-"], PLAIN, &[Wraps(0)]),
    roughly(&["exec"], Grammar::wrapper("a", &[]), &[Wraps(0)]),
];
