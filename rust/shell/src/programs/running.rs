//! Programs that run their arguments, a text or a script: wrappers, shells, interpreters, terminals, prompts. Each has its one row here or in a table beside it.

use crate::program::Role::{First, Notes, Runs};
use crate::program::{Program, Role, named};

const FETCHES: Role = First(|judge, call| judge.fetches(call));
const PROMPTS: Role = First(|judge, call| judge.prompted(call));
const MAKES_FOLDER: Role = First(|judge, call| judge.python_folder(call));
const WRAPPER: Role = Runs(|judge, call| judge.wrapper(call));
const RUNNER: Role = Runs(|judge, call| judge.runner(call));
const SHELL: Role = Runs(|judge, call| judge.shell(call));
const TERMINAL: Role = Runs(|judge, call| judge.terminal(call));
const LATER: Role = Runs(|judge, call| judge.later(call));
const CONNECTOR: Role = Runs(|judge, call| judge.connector(call));
const CMAKE: Role = Runs(|judge, call| judge.cmake_tool(call));
const INTERPRETER: Role = Runs(|judge, call| judge.interpreter(call));
const LOSES_SERVICE: Role = Notes(|judge, call| judge.loses_service(call));

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    named(&["python"], &[FETCHES, MAKES_FOLDER, INTERPRETER]),
    named(&["npx", "bunx", "uvx", "pipx", "poetry", "pdm", "pipenv"], &[FETCHES, RUNNER]),
    named(&["uv"], &[FETCHES, MAKES_FOLDER, RUNNER]),
    named(&["sqlite3", "sqlite"], &[PROMPTS, Notes(|judge, call| judge.database(call))]),
    named(
        &[
            "duckdb", "sqlcipher", "psql", "pgcli", "mysql", "mariadb", "mycli", "gdb-multiarch", "rust-gdb",
            "rust-lldb", "lftp", "dc", "ftp", "tnftp", "expect", "tclsh", "wish", "vimdiff",
        ],
        &[PROMPTS],
    ),
    named(&["gdb", "lldb"], &[PROMPTS, WRAPPER]),
    named(&["ipython", "ipython3"], &[PROMPTS, INTERPRETER]),
    named(&["script"], &[SHELL]),
    named(
        &[
            "env", "sudo", "doas", "command", "xargs", "parallel", "watch", "sg", "chroot", "setarch", "bwrap",
            "capsh", "entr", "ssh-agent", "start-stop-daemon", "flock", "cross-env", "cross-env-shell",
            "hyperfine", "concurrently", "rr", "builtin", "nohup", "noglob", "nocorrect", "-", "fakeroot",
            "chronic", "torsocks", "proxychains", "proxychains4", "catchsegv", "unbuffer", "dbus-run-session",
            "linux64", "linux32", "tsocks", "exec", "nice", "gnice", "ionice", "time", "gtime", "timeout",
            "stdbuf", "setsid", "chrt", "taskset", "cpulimit", "numactl", "prlimit", "unshare", "nsenter",
            "setpriv", "pkexec", "run0", "gosu", "su-exec", "setuidgid", "s6-setuidgid", "envdir", "s6-envdir",
            "faketime", "logsave", "s6-setlock", "chpst", "tini", "tini-static", "dumb-init", "bear",
            "intercept-build", "scan-build", "firejail", "eatmydata", "fakechroot", "flatpak-spawn", "ifne",
            "dbus-launch", "gamemoderun", "primusrun", "optirun", "proot", "daemonize", "choom", "cgexec", "tsp",
            "nq", "xvfb-run", "valgrind", "rlwrap", "perf-stat", "heaptrack", "samply", "strace", "ltrace",
            "caffeinate", "systemd-run", "systemd-inhibit", "arch", "retry", "watchexec", "busybox", "toybox",
            "dotenv", "sshpass", "ld-linux", "ld-musl",
        ],
        &[WRAPPER],
    ),
    named(
        &[
            "nix-shell", "ip", "rye", "pixi", "volta", "devbox", "op", "doppler", "infisical", "dotenvx",
            "chamber", "aws-vault", "bundle", "mise", "rtx", "asdf", "pyenv", "rbenv", "nodenv", "conda", "mamba",
            "micromamba", "fnm", "rustup", "direnv", "nvm", "coverage", "kernprof", "perf", "nix",
        ],
        &[RUNNER],
    ),
    named(
        &[
            "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "csh", "tcsh", "fish", "powershell",
            "pwsh", "cmd", "wsl", "su", "runuser",
        ],
        &[SHELL],
    ),
    named(
        &[
            "tmux", "screen", "zellij", "dtach", "abduco", "xterm", "uxterm", "urxvt", "rxvt", "st", "lxterminal",
            "mate-terminal", "konsole", "alacritty", "terminator", "foot", "kitty", "qterminal", "gnome-terminal",
            "xfce4-terminal", "ptyxis", "kgx", "wezterm", "ghostty", "onchange",
        ],
        &[TERMINAL],
    ),
    named(&["at", "batch"], &[LATER]),
    named(&["crontab"], &[LATER, LOSES_SERVICE]),
    named(&["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "socat"], &[CONNECTOR]),
    named(&["cmake"], &[CMAKE]),
    named(
        &[
            "py", "pyw", "pythonw", "node", "nodejs", "tsx", "ts-node", "perl", "ruby", "php", "irb", "erl", "lua",
            "luajit", "lua5.1", "lua5.2", "lua5.3", "lua5.4", "texlua", "R", "Rscript", "octave", "octave-cli",
            "gnuplot", "elixir", "iex", "julia", "groovy", "osascript", "scala", "ghc", "racket", "guile", "emacs",
            "emacsclient", "sbcl", "clisp", "chicken", "clojure", "bb",
        ],
        &[INTERPRETER],
    ),
];
