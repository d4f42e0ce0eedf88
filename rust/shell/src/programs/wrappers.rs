//! Programs that run their own arguments as a command: their options, and how many operands of their own come
//! before it.

use crate::args::Grammar;
use crate::program::Role::{Is, Runs, SetsUp, Wraps};
use crate::program::{Fact, Program, named, roughly};

/// No option takes a value, and options end at the first operand.
pub(super) const PLAIN: Grammar = Grammar::wrapper("", &[]);

/// A row of a wrapper with nothing special: the letters and the long names of its options that take a value.
const fn wraps(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
) -> Program {
    roughly(names, Grammar::wrapper(short, long), &[Wraps(0)])
}

#[rustfmt::skip]
pub(super) static ROWS: &[Program] = &[
    roughly(
        &[
            "nohup", "fakeroot", "chronic", "torsocks", "proxychains", "proxychains4", "catchsegv", "unbuffer",
            "dbus-run-session", "linux64", "linux32", "tsocks", "setsid", "prlimit", "firejail", "eatmydata",
            "fakechroot", "flatpak-spawn", "ifne", "dbus-launch", "gamemoderun", "primusrun", "optirun", "valgrind",
            "rlwrap", "perf-stat", "heaptrack", "samply", "busybox", "toybox",
        ],
        PLAIN,
        &[Wraps(0)],
    ),
    roughly(
        &[
            "gosu", "su-exec", "setuidgid", "s6-setuidgid", "envdir", "s6-envdir", "faketime", "logsave",
            "s6-setlock", "taskset",
        ],
        PLAIN,
        &[Wraps(1)],
    ),
    wraps(&["nice", "gnice"], "n", &["adjustment"]),
    wraps(&["ionice"], "cnpPu", &["class", "classdata", "pid", "pgid", "uid"]),
    wraps(&["time", "gtime"], "fo", &["format", "output"]),
    roughly(&["timeout"], Grammar::wrapper("ks", &["kill-after", "signal"]), &[Wraps(1)]),
    wraps(&["stdbuf"], "ioe", &["input", "output", "error"]),
    roughly(&["chrt"], Grammar::wrapper("TPD", &[]), &[Wraps(1)]),
    wraps(&["cpulimit"], "lpe", &["limit", "pid", "exe"]),
    wraps(&["numactl"], "NmCip", &["cpunodebind", "membind", "interleave"]),
    wraps(&["unshare"], "RwSG", &["root", "wd", "setuid", "setgid", "map-user", "map-group"]),
    wraps(&["nsenter"], "tSG", &["target", "setuid", "setgid"]),
    wraps(&["setpriv"], "", &[
        "reuid", "regid", "ruid", "euid", "rgid", "egid", "groups", "inh-caps", "ambient-caps", "bounding-set",
        "securebits", "pdeathsig", "selinux-label", "apparmor-profile",
    ]),
    wraps(&["pkexec"], "", &["user"]),
    wraps(&["run0"], "ugD", &["user", "group", "chdir", "unit", "property", "setenv"]),
    wraps(&["chpst"], "uUbe/nlLmdopfcrt", &[]),
    wraps(&["tini", "tini-static"], "pe", &[]),
    wraps(&["dumb-init"], "r", &["rewrite"]),
    wraps(&["bear", "intercept-build", "scan-build"], "o", &["output"]),
    wraps(&["proot"], "rbwRSqm", &["rootfs", "bind", "cwd"]),
    wraps(&["daemonize"], "acEeolpu", &[]),
    wraps(&["choom"], "np", &["adjust", "pid"]),
    wraps(&["cgexec"], "g", &[]),
    wraps(&["tsp", "nq"], "LNDWSO", &[]),
    wraps(&["xvfb-run"], "nefpsw", &["server-num", "server-args", "error-file"]),
    wraps(&["strace", "ltrace"], "oepsuEaIOPXbS", &["output", "trace", "attach", "env"]),
    wraps(&["caffeinate"], "tw", &[]),
    wraps(&["systemd-run"], "pEu", &["unit", "property", "setenv", "working-directory"]),
    wraps(&["systemd-inhibit"], "", &["what", "who", "why", "mode"]),
    wraps(&["arch"], "e", &[]),
    wraps(&["retry"], "td", &["times", "delay"]),
    wraps(&["watchexec"], "ewidsS", &["exts", "watch", "ignore", "debounce", "signal"]),
    wraps(&["dotenv"], "efvc", &[]),
    wraps(&["sshpass"], "pfd", &[]),
    // What these run prints to another terminal.
    roughly(&["dtach"], Grammar::wrapper("acAnNpeEr", &[]), &[Runs(|judge, call| Some(judge.detached(0, call)))]),
    roughly(&["abduco"], Grammar::wrapper("e", &[]), &[Runs(|judge, call| Some(judge.detached(1, call)))]),
    // The loader of programs runs the one that it is given.
    wraps(&["ld-linux", "ld-musl"], "", &["library-path", "preload", "argv0", "audit"]),
    roughly(&["entr"], PLAIN, &[Runs(|judge, call| judge.entered(call)), Wraps(0)]),
    roughly(&["ssh-agent"], PLAIN, &[Runs(|judge, call| judge.agent(call)), SetsUp(&[])]),

    roughly(
        &["env"], Grammar::wrapper("uCS", &["unset", "chdir", "split-string"]),
        &[Runs(|judge, call| Some(judge.env(call))), Is(&[Fact::SearchesPath])],
    ),
    roughly(
        &["sudo", "doas"],
        Grammar::wrapper(
            "ugUhpCDRTrta",
            &["user", "group", "host", "prompt", "chdir", "role", "type", "close-from", "command-timeout"],
        ),
        &[Runs(|judge, call| Some(judge.sudo(call)))],
    ),
    named(&["xargs"], &[Runs(|judge, call| Some(judge.xargs(call))), Is(&[Fact::TakesArguments])]),
    named(&["parallel"], &[Runs(|judge, call| Some(judge.parallel(call))), Is(&[Fact::TakesArguments])]),
    roughly(
        &["watch"], Grammar::wrapper("nq", &["interval", "equexit"]), &[Runs(|judge, call| Some(judge.watch(call)))],
    ),
    named(&["sg"], &[Runs(|judge, call| Some(judge.switch_group(call)))]),
    roughly(
        &["chroot"], Grammar::wrapper("", &["userspec", "groups"]),
        &[Runs(|judge, call| Some(judge.change_root(call)))],
    ),
    roughly(&["setarch"], PLAIN, &[Runs(|judge, call| Some(judge.change_machine(call)))]),
    named(&["bwrap"], &[Runs(|judge, call| Some(judge.bound(call)))]),
    named(&["capsh"], &[Runs(|judge, call| judge.behind_marker(call, "bash"))]),
    roughly(
        &["start-stop-daemon"],
        Grammar::of(
            "xapucgndsNIPk",
            &["exec", "startas", "pidfile", "user", "chuid", "group", "name", "chdir", "signal"],
        ),
        &[Runs(|judge, call| Some(judge.daemon(call)))],
    ),
    roughly(
        &["flock"], Grammar::wrapper("wE", &["timeout", "wait", "conflict-exit-code"]),
        &[Runs(|judge, call| Some(judge.flock(call)))],
    ),
    named(&["cross-env", "cross-env-shell"], &[Runs(|judge, call| Some(judge.assigned(call)))]),
    roughly(
        &["hyperfine", "concurrently"],
        Grammar::of("wrmMpcsSnNtLPkD", &["warmup", "runs", "prepare", "cleanup", "names"]),
        &[Runs(|judge, call| Some(judge.texts(call)))],
    ),
    named(&["rr"], &[Runs(|judge, call| Some(judge.debugger(call)))]),
];
