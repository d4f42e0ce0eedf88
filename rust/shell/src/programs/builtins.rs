//! What shells do themselves: no program of these names is in a folder, or it does less there.

use super::wrappers::PLAIN;
use crate::args::Grammar;
use crate::ir::Stream;
use crate::program::Declaring::{Constant, Exported, Local};
use crate::program::Role::{Changes, Declares, Is, Looks, Runs, Wraps};
use crate::program::{Fact, Program, Role, named, roughly};

const DECLARES: Role = Changes(|judge, call| judge.declare(call));
const NOTHING: Role = Changes(|_, _| ());
/// Nothing is printed, and into a file that is still its creation.
const EMPTY: Role = Runs(|_, _| Some(Stream::supplied("", None)));
const SUCCEEDS: Role = Is(&[Fact::Succeeds]);
const SETS_STATUS: Role = Is(&[Fact::SetsStatus]);

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["cd", "chdir"], &[Changes(|judge, call| judge.change_folder(call)), SETS_STATUS]),
    named(&["pushd"], &[Changes(|judge, call| judge.push_folder(call)), SETS_STATUS]),
    named(&["popd"], &[Changes(|judge, _| judge.pop_folder())]),
    named(&["set"], &[Changes(|judge, call| judge.set(call)), SUCCEEDS]),
    named(&["shift"], &[Changes(|judge, call| judge.shift_arguments(call))]),
    named(&["unset"], &[Changes(|judge, call| judge.unset_names(call.args))]),
    named(&["unfunction"], &[Changes(|judge, call| judge.undefine(call.args))]),
    named(&["unhash"], &[Runs(|judge, call| judge.unhash(call))]),
    named(&["functions"], &[Runs(|judge, call| judge.functions(call))]),
    named(&["export"], &[DECLARES, Declares(Exported), SUCCEEDS]),
    named(&["declare", "typeset", "local"], &[DECLARES, Declares(Local), SUCCEEDS]),
    named(&["readonly"], &[DECLARES, Declares(Constant), SUCCEEDS]),
    // What it is given only after folding is a number, which nothing is made of.
    named(&["integer"], &[Declares(Local)]),
    named(&["read"], &[Changes(|judge, call| judge.read_variables(call))]),
    named(&["hash"], &[Changes(|judge, call| judge.hash(call))]),
    named(&["mapfile", "readarray"], &[Changes(|judge, call| judge.read_lines(call))]),
    named(&["alias"], &[Changes(|judge, call| judge.define_aliases(call.args)), SUCCEEDS]),
    named(&["unalias"], &[Changes(|judge, call| judge.remove_aliases(call.args))]),
    named(&["trap"], &[Changes(|judge, call| judge.trap(call)), SUCCEEDS]),
    named(&["let"], &[Changes(|judge, call| call.args.iter().for_each(|arg| judge.evaluate(&arg.text)))]),
    named(&["test", "["], &[Changes(|judge, call| judge.test_names(call))]),
    named(&["exit"], &[Changes(|judge, _| judge.leave_shell())]),
    named(&["return"], &[Changes(|judge, _| judge.leave_function())]),
    named(&["break"], &[Changes(|judge, call| judge.leave_loops(call))]),
    named(&["continue"], &[Changes(|judge, call| judge.continue_loop(call))]),
    named(&["true"], &[EMPTY, Looks(&[]), SUCCEEDS]),
    named(&["false"], &[EMPTY, Looks(&[])]),
    named(&[":"], &[EMPTY, SUCCEEDS]),
    named(&["sleep", "shopt"], &[NOTHING, SUCCEEDS]),
    named(
        &[
            "wait", "ulimit", "umask", "setopt", "unsetopt", "jobs", "fg", "bg", "disown", "getopts", "bind",
            "complete", "logout",
        ],
        &[NOTHING],
    ),
    named(&["eval"], &[Runs(|judge, call| Some(judge.eval(call))), SETS_STATUS]),
    named(&["emulate"], &[Runs(|judge, call| judge.emulate(call))]),
    named(&["source", "."], &[Runs(|judge, call| Some(judge.source(call))), SETS_STATUS]),
    roughly(&["command"], PLAIN, &[Runs(|judge, call| Some(judge.command_builtin(call))), SETS_STATUS]),
    roughly(&["builtin"], PLAIN, &[Wraps(0), SETS_STATUS]),
    roughly(&["noglob", "nocorrect", "-"], PLAIN, &[Wraps(0), Is(&[Fact::Leads])]),
    named(&["repeat"], &[Is(&[Fact::Repeats])]),
    roughly(
        &["exec"], Grammar::wrapper("a", &[]), &[Wraps(0), Is(&[Fact::SetsStatus, Fact::KeepsStreams])],
    ),

    // PowerShell's, of which the rest is in its own table.
    named(&["set-location", "sl", "push-location"], &[SETS_STATUS]),
];
