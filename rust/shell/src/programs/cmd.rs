//! What cmd does itself, and the programs of Windows whose arguments are in its style. Each has a name that may be
//! that of another program elsewhere, so that they are rows of their own: what a name is, and what it then does.

use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;

/// What a command does with its words that are no switches; `None` leaves it to what the name is elsewhere.
type Does = fn(&mut Judge<'_>, Call<'_>, &[&Arg]) -> Option<Stream>;

/// A command of cmd, or a program of Windows.
#[derive(Clone, Copy)]
pub(crate) struct Command {
    pub(crate) does: Does,
    /// PowerShell runs it as well.
    pub(crate) is_program: bool,
    /// It takes `/?` in any place.
    pub(crate) has_help: bool,
    /// When it prints nothing, which is still the creation of a file behind its redirection.
    pub(crate) is_silent: Silence,
    pub(crate) removes: bool,
    /// Its row of the other tables says with which words it only looks.
    pub(crate) looks: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Silence {
    Never,
    Always,
    WithArguments,
    WithoutArguments,
}

/// A command of cmd, or a program of Windows, by its name.
#[rustfmt::skip]
pub(crate) fn command(name: &str) -> Option<Command> {
    use Silence::{Always, WithArguments, WithoutArguments};
    Some(match name {
        "type" => Command { looks: true, ..own(|judge, call, files| Some(judge.print_files(call, files, true))) },
        "dir" => Command { looks: true, ..own(|judge, call, folders| Some(judge.dir(call, folders))) },
        "echo" => Command { looks: true, ..own(LEFT) },
        "del" | "erase" => Command { removes: true, ..own(|judge, call, files| Some(judge.deletes(call, files))) },
        "rd" | "rmdir" => {
            Command { removes: true, ..own(|judge, call, folders| Some(judge.removes_folders(call, folders))) }
        }
        "copy" => own(|judge, call, files| Some(judge.copy_console(call, files))),
        "call" => {
            Command { is_silent: WithoutArguments, ..own(|judge, call, _| Some(judge.calls(call))) }
        }
        "start" => own(|judge, call, _| Some(judge.start(call))),
        "set" => own(|judge, call, _| Some(judge.asks_or_sets(call))),
        "format" | "diskpart" => own(|judge, call, _| Some(judge.erases_disk(call))),
        "md" | "mkdir" => own(|judge, _, folders| Some(judge.makes_all(folders))),
        "move" | "ren" | "rename" => own(|judge, _, files| Some(judge.puts_elsewhere(files, true))),
        "xcopy" => own(|judge, _, files| Some(judge.puts_elsewhere(files, false))),
        "mklink" => own(|judge, call, names| Some(judge.makes_link(call, names))),

        "break" | "rem" | "title" | "color" | "setlocal" | "endlocal" | "goto" => plain(Always, PRINTS),
        "cls" | "prompt" | "ver" | "vol" | "assoc" | "ftype" | "path" | "verify" | "help" | "pause" | "time" | "date"
            => plain(Silence::Never, PRINTS),
        "shift" | "pushd" | "popd" | "exit" => plain(Always, LEFT),
        // By itself it prints the folder.
        "cd" | "chdir" => plain(WithArguments, LEFT),

        "findstr" => program(|judge, call, files| Some(judge.findstr(call, files))),
        "find" => program(|judge, call, files| judge.finds_string(call, files)),
        "more" => program(|judge, call, files| judge.pages(call, files)),
        "sort" => program(|judge, call, _| judge.sorts_into(call)),
        "tree" => program(|judge, call, folders| judge.draws_tree(call, folders)),
        "where" => program(|judge, call, folders| judge.finds_below(call, folders)),
        "robocopy" => program(|judge, call, folders| Some(judge.mirrors_folder(call, folders))),
        "forfiles" => program(|judge, call, _| Some(judge.for_files(call))),
        "wmic" => program(|judge, call, _| judge.creates_process(call)),
        "certutil" => program(|judge, call, _| judge.fetches_or_decodes(call)),
        "bitsadmin" => program(|judge, call, _| judge.transfers_file(call)),
        "msiexec" | "regsvr32" | "rundll32" => program(OPENS_ADDRESS),
        "mshta" => Command { has_help: false, ..program(OPENS_ADDRESS) },
        _ => return None,
    })
}

const PRINTS: Does = |_, _, _| Some(Stream::printed(Origin::Program));
const LEFT: Does = |_, _, _| None;
const OPENS_ADDRESS: Does = |judge, call, _| judge.opens_address(call);

/// A command of cmd's own.
const fn own(does: Does) -> Command {
    Command {
        does,
        is_program: false,
        has_help: true,
        is_silent: Silence::Never,
        removes: false,
        looks: false,
    }
}

/// One to which help is a word like any other, or that never does anything.
const fn plain(is_silent: Silence, does: Does) -> Command {
    Command {
        has_help: false,
        is_silent,
        ..own(does)
    }
}

/// A program of Windows.
const fn program(does: Does) -> Command {
    Command {
        is_program: true,
        ..own(does)
    }
}
