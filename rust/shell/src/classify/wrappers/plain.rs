//! The table of wrappers with nothing special: what they are called, which of their options take a value, and
//! how many operands of their own stand in front of the command.

use crate::args::Grammar;

#[rustfmt::skip]
pub(in crate::classify) const PLAIN: &[(&[&str], Grammar, usize)] = &[
    (&["builtin", "nohup", "noglob", "nocorrect", "-"], Grammar::wrapper("", &[]), 0),
    (
        &["fakeroot", "chronic", "torsocks", "proxychains", "proxychains4", "catchsegv"],
        PLAIN_GRAMMAR,
        0,
    ),
    (
        &["unbuffer", "dbus-run-session", "linux64", "linux32", "tsocks"],
        PLAIN_GRAMMAR,
        0,
    ),
    (&["exec"], Grammar::wrapper("a", &[]), 0),
    (&["nice", "gnice"], Grammar::wrapper("n", &["adjustment"]), 0),
    (&["ionice"], Grammar::wrapper("cnpPu", &["class", "classdata", "pid", "pgid", "uid"]), 0),
    (&["time", "gtime"], Grammar::wrapper("fo", &["format", "output"]), 0),
    (&["timeout"], Grammar::wrapper("ks", &["kill-after", "signal"]), 1),
    (&["stdbuf"], Grammar::wrapper("ioe", &["input", "output", "error"]), 0),
    (&["setsid"], Grammar::wrapper("", &[]), 0),
    (&["chrt"], Grammar::wrapper("TPD", &[]), 1),
    (&["taskset"], Grammar::wrapper("", &[]), 1),
    (&["cpulimit"], Grammar::wrapper("lpe", &["limit", "pid", "exe"]), 0),
    (&["numactl"], Grammar::wrapper("NmCip", &["cpunodebind", "membind", "interleave"]), 0),
    (&["prlimit"], PLAIN_GRAMMAR, 0),
    (
        &["unshare"],
        Grammar::wrapper("RwSG", &["root", "wd", "setuid", "setgid", "map-user", "map-group"]),
        0,
    ),
    (&["nsenter"], Grammar::wrapper("tSG", &["target", "setuid", "setgid"]), 0),
    (
        &["setpriv"],
        Grammar::wrapper(
            "",
            &[
                "reuid", "regid", "ruid", "euid", "rgid", "egid", "groups", "inh-caps",
                "ambient-caps", "bounding-set", "securebits", "pdeathsig", "selinux-label",
                "apparmor-profile",
            ],
        ),
        0,
    ),
    (&["pkexec"], Grammar::wrapper("", &["user"]), 0),
    (
        &["run0"],
        Grammar::wrapper("ugD", &["user", "group", "chdir", "unit", "property", "setenv"]),
        0,
    ),
    (&["gosu", "su-exec", "setuidgid", "s6-setuidgid", "envdir"], PLAIN_GRAMMAR, 1),
    (&["s6-envdir", "faketime", "logsave", "s6-setlock"], PLAIN_GRAMMAR, 1),
    (&["chpst"], Grammar::wrapper("uUbe/nlLmdopfcrt", &[]), 0),
    (&["tini", "tini-static"], Grammar::wrapper("pe", &[]), 0),
    (&["dumb-init"], Grammar::wrapper("r", &["rewrite"]), 0),
    (&["bear", "intercept-build", "scan-build"], Grammar::wrapper("o", &["output"]), 0),
    (&["firejail", "eatmydata", "fakechroot", "flatpak-spawn", "ifne"], PLAIN_GRAMMAR, 0),
    (&["ssh-agent", "dbus-launch", "gamemoderun", "primusrun", "optirun"], PLAIN_GRAMMAR, 0),
    (&["proot"], Grammar::wrapper("rbwRSqm", &["rootfs", "bind", "cwd"]), 0),
    (&["daemonize"], Grammar::wrapper("acEeolpu", &[]), 0),
    (&["choom"], Grammar::wrapper("np", &["adjust", "pid"]), 0),
    (&["cgexec"], Grammar::wrapper("g", &[]), 0),
    (&["tsp", "nq"], Grammar::wrapper("LNDWSO", &[]), 0),
    (&["xvfb-run"], Grammar::wrapper("nefpsw", &["server-num", "server-args", "error-file"]), 0),
    (&["valgrind", "rlwrap", "perf-stat", "heaptrack", "samply"], PLAIN_GRAMMAR, 0),
    (
        &["strace", "ltrace"],
        Grammar::wrapper("oepsuEaIOPXbS", &["output", "trace", "attach", "env"]),
        0,
    ),
    (&["caffeinate"], Grammar::wrapper("tw", &[]), 0),
    (
        &["systemd-run"],
        Grammar::wrapper("pEu", &["unit", "property", "setenv", "working-directory"]),
        0,
    ),
    (&["systemd-inhibit"], Grammar::wrapper("", &["what", "who", "why", "mode"]), 0),
    (&["arch"], Grammar::wrapper("e", &[]), 0),
    (&["retry"], Grammar::wrapper("td", &["times", "delay"]), 0),
    (&["entr"], PLAIN_GRAMMAR, 0),
    (
        &["watchexec"],
        Grammar::wrapper("ewidsS", &["exts", "watch", "ignore", "debounce", "signal"]),
        0,
    ),
    (&["busybox", "toybox"], PLAIN_GRAMMAR, 0),
    (&["dotenv"], Grammar::wrapper("efvc", &[]), 0),
    (&["sshpass"], Grammar::wrapper("pfd", &[]), 0),
];

const PLAIN_GRAMMAR: Grammar = Grammar::wrapper("", &[]);

/// The options of a wrapper, and how many operands of its own it has.
pub(super) fn grammar(name: &str) -> Option<(Grammar, usize)> {
    // The loader of programs runs the one that it is given.
    let loads = name.starts_with("ld-linux") || name.starts_with("ld-musl");
    if loads {
        return Some((
            Grammar::wrapper("", &["library-path", "preload", "argv0", "audit"]),
            0,
        ));
    }
    let mut rows = PLAIN.iter();
    let (_, grammar, skipped) = rows.find(|(names, _, _)| names.contains(&name))?;
    Some((*grammar, *skipped))
}
