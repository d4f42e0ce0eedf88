//! Programs that run their own arguments as a command: their options, and how many operands of their own stand in front
//! of it.

use crate::args::Grammar;
use crate::program::Role::{Runs, SetsUp, Wraps};
use crate::program::{Program, named, roughly};

const PLAIN: Grammar = Grammar::wrapper("", &[]);

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
    roughly(&["nice", "gnice"], Grammar::wrapper("n", &["adjustment"]), &[Wraps(0)]),
    roughly(
        &["ionice"], Grammar::wrapper("cnpPu", &["class", "classdata", "pid", "pgid", "uid"]), &[Wraps(0)],
    ),
    roughly(&["time", "gtime"], Grammar::wrapper("fo", &["format", "output"]), &[Wraps(0)]),
    roughly(&["timeout"], Grammar::wrapper("ks", &["kill-after", "signal"]), &[Wraps(1)]),
    roughly(&["stdbuf"], Grammar::wrapper("ioe", &["input", "output", "error"]), &[Wraps(0)]),
    roughly(&["chrt"], Grammar::wrapper("TPD", &[]), &[Wraps(1)]),
    roughly(&["cpulimit"], Grammar::wrapper("lpe", &["limit", "pid", "exe"]), &[Wraps(0)]),
    roughly(&["numactl"], Grammar::wrapper("NmCip", &["cpunodebind", "membind", "interleave"]), &[Wraps(0)]),
    roughly(
        &["unshare"],
        Grammar::wrapper("RwSG", &["root", "wd", "setuid", "setgid", "map-user", "map-group"]),
        &[Wraps(0)],
    ),
    roughly(&["nsenter"], Grammar::wrapper("tSG", &["target", "setuid", "setgid"]), &[Wraps(0)]),
    roughly(
        &["setpriv"],
        Grammar::wrapper(
            "",
            &[
                "reuid", "regid", "ruid", "euid", "rgid", "egid", "groups", "inh-caps", "ambient-caps", "bounding-set",
                "securebits", "pdeathsig", "selinux-label", "apparmor-profile",
            ],
        ),
        &[Wraps(0)],
    ),
    roughly(&["pkexec"], Grammar::wrapper("", &["user"]), &[Wraps(0)]),
    roughly(
        &["run0"], Grammar::wrapper("ugD", &["user", "group", "chdir", "unit", "property", "setenv"]), &[Wraps(0)],
    ),
    roughly(&["chpst"], Grammar::wrapper("uUbe/nlLmdopfcrt", &[]), &[Wraps(0)]),
    roughly(&["tini", "tini-static"], Grammar::wrapper("pe", &[]), &[Wraps(0)]),
    roughly(&["dumb-init"], Grammar::wrapper("r", &["rewrite"]), &[Wraps(0)]),
    roughly(&["bear", "intercept-build", "scan-build"], Grammar::wrapper("o", &["output"]), &[Wraps(0)]),
    roughly(&["proot"], Grammar::wrapper("rbwRSqm", &["rootfs", "bind", "cwd"]), &[Wraps(0)]),
    roughly(&["daemonize"], Grammar::wrapper("acEeolpu", &[]), &[Wraps(0)]),
    roughly(&["choom"], Grammar::wrapper("np", &["adjust", "pid"]), &[Wraps(0)]),
    roughly(&["cgexec"], Grammar::wrapper("g", &[]), &[Wraps(0)]),
    roughly(&["tsp", "nq"], Grammar::wrapper("LNDWSO", &[]), &[Wraps(0)]),
    roughly(
        &["xvfb-run"], Grammar::wrapper("nefpsw", &["server-num", "server-args", "error-file"]), &[Wraps(0)],
    ),
    roughly(
        &["strace", "ltrace"], Grammar::wrapper("oepsuEaIOPXbS", &["output", "trace", "attach", "env"]), &[Wraps(0)],
    ),
    roughly(&["caffeinate"], Grammar::wrapper("tw", &[]), &[Wraps(0)]),
    roughly(
        &["systemd-run"],
        Grammar::wrapper("pEu", &["unit", "property", "setenv", "working-directory"]),
        &[Wraps(0)],
    ),
    roughly(&["systemd-inhibit"], Grammar::wrapper("", &["what", "who", "why", "mode"]), &[Wraps(0)]),
    roughly(&["arch"], Grammar::wrapper("e", &[]), &[Wraps(0)]),
    roughly(&["retry"], Grammar::wrapper("td", &["times", "delay"]), &[Wraps(0)]),
    roughly(
        &["watchexec"], Grammar::wrapper("ewidsS", &["exts", "watch", "ignore", "debounce", "signal"]), &[Wraps(0)],
    ),
    roughly(&["dotenv"], Grammar::wrapper("efvc", &[]), &[Wraps(0)]),
    roughly(&["sshpass"], Grammar::wrapper("pfd", &[]), &[Wraps(0)]),
    // What these run prints to another terminal.
    roughly(&["dtach"], Grammar::wrapper("acAnNpeEr", &[]), &[Runs(|judge, call| Some(judge.detached(0, call)))]),
    roughly(&["abduco"], Grammar::wrapper("e", &[]), &[Runs(|judge, call| Some(judge.detached(1, call)))]),
    // The loader of programs runs the one that it is given.
    roughly(
        &["ld-linux", "ld-musl"], Grammar::wrapper("", &["library-path", "preload", "argv0", "audit"]), &[Wraps(0)],
    ),
    roughly(&["entr"], PLAIN, &[Runs(|judge, call| judge.entered(call)), Wraps(0)]),
    roughly(&["ssh-agent"], PLAIN, &[Runs(|judge, call| judge.agent(call)), SetsUp(&[])]),

    roughly(
        &["env"], Grammar::wrapper("uCS", &["unset", "chdir", "split-string"]),
        &[Runs(|judge, call| Some(judge.env(call)))],
    ),
    roughly(
        &["sudo", "doas"],
        Grammar::wrapper(
            "ugUhpCDRTrta",
            &["user", "group", "host", "prompt", "chdir", "role", "type", "close-from", "command-timeout"],
        ),
        &[Runs(|judge, call| Some(judge.sudo(call)))],
    ),
    named(&["xargs"], &[Runs(|judge, call| Some(judge.xargs(call)))]),
    named(&["parallel"], &[Runs(|judge, call| Some(judge.parallel(call)))]),
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
