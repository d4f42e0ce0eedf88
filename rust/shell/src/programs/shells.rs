//! Programs that run a text: shells, terminals, interpreters, programs with a prompt, and what runs a text later.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::interpreters::Language;
use crate::program::Role::{Always, Behind, Is, Notes, Prompts, Runs, Shell};
use crate::program::{Fact, Program, Prompt, Role, named, roughly};

const SHELL: Role = Runs(|judge, call| Some(judge.unix_shell(call, Dialect::Bash, false)));
const POSIX: Role = Runs(|judge, call| Some(judge.unix_shell(call, Dialect::Bash, true)));
const NODE: Role = Runs(|judge, call| Some(judge.node_js(call)));
const CONNECTOR: Role = Runs(|judge, call| Some(judge.connector(call)));
const CONNECTS: Role = Is(&[Fact::Connects]);

/// What most prompts have in common: they are fed lines.
pub(super) const PROMPT: Prompt = Prompt {
    options: &[],
    words: &[],
    operands: usize::MAX,
    marked: "",
    is_fed: true,
    edits: false,
    is_screen: false,
    separators: &['\n'],
    shells: &[],
    scripts: &[],
};
pub(super) const PAGER: Role = Prompts(Prompt {
    operands: 0,
    marked: "+",
    shells: &["!"],
    is_fed: false,
    ..PROMPT
});
pub(super) const EDITOR: Prompt = Prompt {
    options: &[("c", "cmd")],
    operands: 0,
    marked: "+",
    edits: true,
    shells: &["!"],
    ..PROMPT
};
#[rustfmt::skip]
pub(super) const VIM: Role = Prompts(Prompt {
    is_screen: true,
    shells: &["!", "terminal ", "ter ", "term "],
    scripts: &["lua ", "py ", "py3 ", "python ", "python3 ", "pyx ", "perl ", "ruby ", "call ", "echo ", "let "],
    ..EDITOR
});
#[rustfmt::skip]
const SQLITE: Role = Prompts(Prompt {
    options: &[("c", "")],
    words: &["-cmd", "-c"],
    operands: 1,
    shells: &[".system ", ".shell ", ".once |", ".output |", ".sh ", ".read |", ".read '|", ".import |", ".import '|"],
    ..PROMPT
});
const GDB: Role = Prompts(Prompt {
    options: &[("", "eval-command"), ("", "init-eval-command"), ("", "ex")],
    words: &["-ex", "-iex"],
    shells: &["shell ", "sh ", "she ", "shel ", "!", "pipe "],
    scripts: &["python ", "py ", "pi ", "python-interactive "],
    ..PROMPT
});
const LLDB: Role = Prompts(Prompt {
    options: &[("oOk", "one-line"), ("", "one-line-before-file")],
    shells: &["platform shell ", "shell "],
    scripts: &["script "],
    ..PROMPT
});
pub(super) const FTP: Role = Prompts(Prompt {
    shells: &["!"],
    ..PROMPT
});

#[rustfmt::skip]
const OF_FISH: Grammar = Grammar::wrapper(
    "cCdDfop",
    &[
        "command", "init-command", "debug", "debug-stack-frames", "features", "debug-output", "profile",
        "profile-startup",
    ],
);
const OF_GDB: Grammar = Grammar::of("", &["eval-command", "init-eval-command", "ex"]);
const OF_NETCAT: Grammar = Grammar::of("ecpswiqgGdmx", &["exec", "sh-exec", "lua-exec"]);
const OF_LLDB: Grammar = Grammar::of("oOksSacnpw", &["one-line", "one-line-before-file"]);
pub(super) const OF_VIM: Grammar = Grammar::of("cSuUiTtwWq", &["cmd", "startuptime"]);

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["sh", "dash", "ash"], &[POSIX, Shell(Dialect::Bash)]),
    named(&["bash", "zsh", "ksh", "mksh", "rbash"], &[SHELL, Shell(Dialect::Bash)]),
    named(&["csh", "tcsh"], &[SHELL, Shell(Dialect::Bash), Is(&[Fact::OnlyNearPosix])]),
    roughly(&["fish"], OF_FISH, &[Runs(|judge, call| Some(judge.fish_shell(call))), Shell(Dialect::Fish)]),
    named(
        &["powershell"],
        &[Runs(|judge, call| Some(judge.powershell(call, false))), Shell(Dialect::PowerShell)],
    ),
    named(&["pwsh"], &[Runs(|judge, call| Some(judge.powershell(call, true))), Shell(Dialect::PowerShell)]),
    named(&["cmd"], &[Runs(|judge, call| Some(judge.cmd_shell(call))), Shell(Dialect::Cmd)]),
    named(&["wsl"], &[Runs(|judge, call| Some(judge.wsl(call)))]),
    named(&["su"], &[Runs(|judge, call| Some(judge.switch_user(call, false)))]),
    named(&["runuser"], &[Runs(|judge, call| Some(judge.switch_user(call, true)))]),
    named(&["script"], &[Runs(|judge, call| Some(judge.script_recorder(call)))]),
    roughly(&["at", "batch"], Grammar::of("qft", &[]), &[Runs(|judge, call| judge.at_later(call))]),
    roughly(&["crontab"], Grammar::of("u", &[]), &[
        Runs(|judge, call| judge.crontab(call)), Notes(|judge, call| judge.loses_crontab(call)),
    ]),

    // Terminals, and the words that a command follows.
    named(&["tmux"], &[Runs(|judge, call| Some(judge.multiplexer(call)))]),
    named(&["screen"], &[Runs(|judge, call| Some(judge.screen(call)))]),
    named(&["zellij"], &[Runs(|judge, call| judge.zellij(call))]),
    named(&["xterm", "uxterm", "urxvt", "rxvt", "st", "lxterminal", "mate-terminal"], &[Behind(&["-e"])]),
    named(&["konsole", "alacritty", "terminator", "foot", "kitty", "qterminal"], &[Behind(&["-e", "-x"])]),
    named(&["gnome-terminal", "xfce4-terminal", "ptyxis", "kgx"], &[Behind(&["--", "-e", "-x"])]),
    named(&["wezterm", "ghostty"], &[Behind(&["--", "-e"])]),
    named(&["onchange"], &[Behind(&["--"])]),

    // Interpreters.
    named(&["python"], &[
        Always(|judge, call| judge.fetches_by_module(call)), Always(|judge, call| judge.python_folder(call, "-m")),
        Runs(|judge, call| Some(judge.python(call))),
    ]),
    named(&["py", "pyw", "pythonw"], &[Runs(|judge, call| Some(judge.python_launcher(call)))]),
    roughly(&["ipython", "ipython3"], Grammar::wrapper("cm", &["profile", "c", "command"]), &[
        Prompts(Prompt {
            options: &[("c", "c"), ("", "command")], shells: &["!", "%sx ", "%system "], ..PROMPT
        }),
        Runs(|judge, call| Some(judge.ipython(call))),
    ]),
    named(&["node", "nodejs", "tsx", "ts-node"], &[NODE]),
    named(&["perl"], &[Runs(|judge, call| Some(judge.perl_like(call, Language::Perl)))]),
    named(&["ruby"], &[Runs(|judge, call| Some(judge.perl_like(call, Language::Ruby)))]),
    named(&["php"], &[Runs(|judge, call| Some(judge.php(call)))]),
    named(&["irb"], &[Runs(|judge, call| Some(judge.script_or_stdin(&[], Language::Ruby, call)))]),
    roughly(
        &["erl"], Grammar::wrapper("", &[]), &[Runs(|judge, call| judge.foreign("", &[], Language::Other, call))],
    ),
    roughly(
        &["lua", "luajit", "lua5.1", "lua5.2", "lua5.3", "lua5.4", "texlua"], Grammar::wrapper("el", &[]),
        &[Runs(|judge, call| judge.foreign("e", &[], Language::Lua, call))],
    ),
    roughly(
        &["R", "Rscript", "octave", "octave-cli", "gnuplot", "elixir", "iex", "julia"],
        Grammar::wrapper("eE", &["eval", "expr"]),
        &[Runs(|judge, call| judge.foreign("eE", &["eval"], Language::Other, call))],
    ),
    roughly(
        &["groovy", "osascript", "scala", "ghc", "racket"], Grammar::wrapper("el", &["eval"]),
        &[Runs(|judge, call| judge.foreign("e", &["eval"], Language::Other, call))],
    ),
    roughly(
        &["guile", "emacs", "emacsclient", "sbcl", "clisp", "chicken", "clojure", "bb"],
        Grammar::of("cexl", &["eval", "execute", "load"]),
        &[Runs(|judge, call| judge.foreign("cex", &["eval", "execute"], Language::Lisp, call))],
    ),

    // Programs with a language of their own in which some lines are for a shell.
    roughly(
        &["sqlite3", "sqlite"], Grammar::of("c", &[]), &[SQLITE, Notes(|judge, call| judge.database(call))],
    ),
    roughly(&["duckdb", "sqlcipher"], Grammar::of("c", &[]), &[SQLITE]),
    roughly(
        &["psql", "pgcli"],
        Grammar::gnu("cdfhpUvLoFRTP", &["command", "dbname", "host", "port", "username"]),
        &[Prompts(Prompt { options: &[("c", "command")], shells: &["\\!", "\\o |", "\\o|", "\\g |", "\\g|"], ..PROMPT })],
    ),
    roughly(
        &["mysql", "mariadb", "mycli"],
        Grammar::gnu("ehPuSD", &["execute", "host", "port", "user", "database"]),
        &[Prompts(Prompt { options: &[("e", "execute")], shells: &["\\!", "system "], ..PROMPT })],
    ),
    roughly(&["gdb"], OF_GDB, &[GDB, Runs(|judge, call| Some(judge.debugger(call)))]),
    roughly(&["gdb-multiarch", "rust-gdb"], OF_GDB, &[GDB]),
    roughly(&["lldb"], OF_LLDB, &[LLDB, Runs(|judge, call| Some(judge.debugger(call)))]),
    roughly(&["rust-lldb"], OF_LLDB, &[LLDB]),
    roughly(
        &["lftp"], Grammar::of("ecupf", &[]),
        &[Prompts(Prompt { options: &[("ec", "")], shells: &["!"], separators: &['\n', ';'], ..PROMPT })],
    ),
    roughly(
        &["dc"], Grammar::of("e", &["expression"]),
        &[Prompts(Prompt { options: &[("e", "expression")], shells: &["!"], ..PROMPT })],
    ),
    named(&["ftp", "tnftp"], &[FTP]),
    roughly(&["expect", "tclsh", "wish"], Grammar::wrapper("cf", &[]), &[Prompts(Prompt {
        options: &[("c", "")],
        shells: &["spawn ", "exec ", "system "],
        separators: &['\n', ';', '['],
        ..PROMPT
    })]),
    roughly(&["vimdiff"], OF_VIM, &[VIM]),

    // A shell or a command that is given to the network.
    roughly(&["nc", "ncat", "netcat"], OF_NETCAT, &[CONNECTOR, CONNECTS]),
    roughly(&["nc.traditional", "nc.openbsd"], OF_NETCAT, &[CONNECTOR]),
    roughly(&["socat"], Grammar::of("btTlLW", &[]), &[Runs(|judge, call| Some(judge.relayed(call))), CONNECTS]),
    named(&["telnet", "websocat"], &[CONNECTS]),
];
