//! The build tools that run tests as one of their tasks, each by its own rules.

use crate::args::{Grammar, Options};
use crate::ir::Arg;
use crate::test_line::Line;

/// Options of gradle and of its tasks without a value; every other long one takes the next word.
#[rustfmt::skip]
const GRADLE_SWITCHES: &[&str] = &[
    "--continue", "--no-continue", "--continuous", "--offline", "--parallel", "--no-parallel", "--daemon",
    "--no-daemon", "--foreground", "--stop", "--status", "--info", "--debug", "--quiet", "--warn", "--stacktrace",
    "--full-stacktrace", "--profile", "--scan", "--no-scan", "--build-cache", "--no-build-cache",
    "--configuration-cache", "--no-configuration-cache", "--configure-on-demand", "--no-configure-on-demand",
    "--dry-run", "--rerun-tasks", "--rerun", "--no-rerun", "--refresh-dependencies", "--refresh-keys",
    "--export-keys", "--no-rebuild", "--write-locks", "--watch-fs", "--no-watch-fs", "--task-graph",
    "--problems-report", "--no-problems-report", "--isolated-projects", "--no-isolated-projects", "--debug-jvm",
    "--no-debug-jvm", "--fail-fast", "--no-fail-fast", "--test-dry-run", "--no-test-dry-run", "--all", "--no-all",
    "--types", "--render", "--show-version", "--version", "--help", "--overwrite", "--incubating", "--use-defaults",
    "--comments", "--no-comments", "--verbose", "--stop-on-failure",
];

/// `gradle test`, `check`, or a task of a variant such as `testDebugUnitTest` or `jvmTest`.
pub(crate) fn gradle(words: &[&str]) -> bool {
    let takes_value = |option: &str| {
        matches!(
            option,
            "-x" | "-p" | "-b" | "-c" | "-I" | "-g" | "-F" | "-M" | "-P" | "-D"
        ) || (option.starts_with("--") && !GRADLE_SWITCHES.contains(&option))
    };
    let line = Line::read_by(words, takes_value);
    #[rustfmt::skip]
    let looks = [
        "-m", "--dry-run", "--test-dry-run", "-?", "-v", "--task-graph",
    ];
    if line.asks_for_help() && line.first() != "help" || line.has(&looks) {
        return false;
    }
    let excludes = |task: &str| {
        line.values(&["-x", "--exclude-task"])
            .any(|excluded| excluded.trim_start_matches(':') == task)
    };
    line.operands.iter().any(|word| {
        let task = word.rsplit(':').next().unwrap_or(word);
        // Without the task `test` a plain `check` is left with what no tests are.
        is_gradle_test(task) && !excludes(word) && !(task == "check" && excludes("test"))
    })
}

fn is_gradle_test(task: &str) -> bool {
    let upper = |text: &str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let compiles =
        task.ends_with("Classes") || task.ends_with("Jar") || task.starts_with("compile");
    let variant = task.strip_prefix("test").is_some_and(upper);
    let suffix = ["Test", "Tests", "Check"]
        .iter()
        .any(|end| task.strip_suffix(end).is_some_and(|rest| !rest.is_empty()));
    let checks_text = task.starts_with("clean") || task.ends_with("Check");
    matches!(task, "test" | "check") || (!compiles && (variant || (suffix && !checks_text)))
}

/// `mvn test`, `verify`, `integration-test`, unless tests are skipped.
pub(crate) fn mavenlike(words: &[&str]) -> bool {
    #[rustfmt::skip]
    const VALUED: [&str; 27] = [
        "-D", "--define", "-P", "--activate-profiles", "-pl", "--projects", "-f", "--file", "-s", "--settings",
        "-gs", "--global-settings", "-t", "--toolchains", "-gt", "--global-toolchains", "-rf", "--resume-from", "-T",
        "--threads", "-l", "--log-file", "-b", "--builder", "--color", "-ps", "--project-settings",
    ];
    let skips = words.iter().enumerate().any(|(at, word)| {
        let behind = matches!(
            at.checked_sub(1).map(|before| words[before]),
            Some("-D" | "--define")
        );
        let property = word.strip_prefix("-D").unwrap_or(word);
        let (name, value) = property.split_once('=').unwrap_or((property, "true"));
        (behind || property.len() < word.len())
            && matches!(
                name,
                "skipTests" | "maven.test.skip" | "maven.test.skip.exec"
            )
            && !value.eq_ignore_ascii_case("false")
    });
    let line = Line::read(words, &VALUED);
    let runs = |goal: &str| {
        let mut parts = goal.rsplit(':');
        let (goal, plugins) = (parts.next().unwrap_or_default(), parts);
        let mut plugins = plugins.peekable();
        matches!(goal, "test" | "verify" | "integration-test")
            && (plugins.peek().is_none()
                || plugins.any(|name| name.contains("surefire") || name.contains("failsafe")))
    };
    !skips
        && !line.asks_for_help()
        && !line.has(&["-v"])
        && line.operands.iter().any(|word| runs(word))
}

/// `cargo test`, `cargo t`, `cargo nextest run`.
pub(super) fn cargo(words: &[&str]) -> bool {
    #[rustfmt::skip]
    const VALUED: &[&str] = &[
        "-Z", "--config", "-C", "--color", "--manifest-path", "--lockfile-path", "-F", "--features", "-p", "--package",
        "--exclude", "--bin", "--example", "--test", "--bench", "--target", "--target-dir", "--profile", "-j", "--jobs",
        "--message-format", "-E", "--filterset", "--filter-expr", "--cargo-profile", "--test-threads", "--retries",
    ];
    let line = Line::read(words, VALUED);
    let mut operands = line.operands.iter().filter(|word| !word.starts_with('+'));
    let runs = match operands.next().copied() {
        Some("test" | "t" | "tarpaulin") => true,
        Some("llvm-cov") => !matches!(
            operands.next(),
            Some(&("report" | "clean" | "show-env" | "run" | "nextest-archive"))
        ),
        Some("nextest") => matches!(operands.next(), Some(&("run" | "r"))),
        Some("hack" | "insta") => operands.next() == Some(&"test"),
        Some("miri" | "careful") => match operands.next() {
            Some(&"nextest") => matches!(operands.next(), Some(&("run" | "r"))),
            next => next == Some(&"test"),
        },
        _ => false,
    };
    runs && !line.has(&["--no-run", "-h", "--help"])
}

/// `go test`, unless it only compiles or lists. Of go's own options only `-C` comes first.
pub(crate) fn go(words: &[&str]) -> bool {
    #[rustfmt::skip]
    const VALUED: [&str; 16] = [
        "run", "skip", "bench", "count", "cpu", "timeout", "coverprofile", "covermode", "coverpkg", "tags", "exec",
        "p", "parallel", "o", "ldflags", "C",
    ];
    // One dash and two are the same, and what follows -args is the test's own.
    let own: Vec<&str> = words
        .iter()
        .copied()
        .take_while(|word| !matches!(*word, "-args" | "--args"))
        .collect();
    let line = Line::read_by(&own, |option| {
        VALUED.contains(&option.trim_start_matches('-'))
    });
    line.first() == "test"
        && !line.asks_for_help()
        && !line.has(&["-c", "-n", "-list", "--c", "--n", "--list", "-help"])
}

/// `make test`, `make check`, between other targets and variables, unless nothing is made.
pub(crate) fn make(options: &Options<'_>) -> bool {
    #[rustfmt::skip]
    let looks = [
        "dry-run", "just-print", "recon", "question", "touch", "version", "help",
    ];
    let dry = options.has("nqtvh", "") || looks.iter().any(|look| options.has("", look));
    let mut targets = options.files().iter();
    !dry && targets.any(|target| target.is("test") || target.is("check"))
}

/// `sbt test`, `sbt "testOnly x"`, `sbt project/test`.
pub(crate) fn sbt(words: &[&str]) -> bool {
    if words.iter().find(|word| !word.starts_with('-')) == Some(&"new") {
        return false;
    }
    words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .any(|word| {
            word.split(';').any(|command| {
                let command = command.trim().trim_start_matches('~').trim_start();
                let task = command.split_whitespace().next().unwrap_or_default();
                let task = task.rsplit(['/', ':']).next().unwrap_or_default();
                matches!(task, "test" | "testOnly" | "testQuick")
            })
        })
}

/// What a word behind npm or one of its relatives is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Package {
    Tests,
    Nothing,
    /// It may be a program; where it is among the arguments.
    Program(usize),
}

/// How npm and its relatives differ in running scripts.
#[derive(Clone, Copy)]
pub(crate) struct Scripts {
    /// `workspace NAME` may come first.
    pub(crate) has_workspace: bool,
    /// There are subcommands that install and then test.
    pub(crate) installs_and_tests: bool,
    /// Scripts, and programs of packages, are run without `run` in front.
    pub(crate) runs_by_name: bool,
}

/// Scripts of npm and its relatives, whose options are given.
pub(super) fn node_package(options: Grammar, scripts: Scripts, args: &[Arg]) -> Package {
    let options = options.split(args);
    if options.has("h", "help") {
        return Package::Nothing;
    }
    let mut operands = options.files().iter().copied();
    let text = |arg: Option<&Arg>| arg.map_or(String::new(), |arg| arg.text.to_string());
    let mut found = operands.next();
    // `yarn workspace NAME …`, `yarn workspaces run …`, `pnpm recursive …`
    if scripts.has_workspace && found.is_some_and(|arg| arg.is("workspace")) {
        operands.next();
        found = operands.next();
    }
    while matches!(
        text(found).as_str(),
        "workspaces" | "foreach" | "recursive" | "multi"
    ) {
        found = operands.next();
    }
    let runs = matches!(text(found).as_str(), "run" | "run-script" | "rum" | "urn");
    if runs {
        found = operands.next();
    }
    let Some(found) = found else {
        return Package::Nothing;
    };
    match found.text.as_str() {
        "test" | "t" | "tst" => Package::Tests,
        // These install first.
        "it" | "install-test" | "cit" | "sit" | "install-ci-test" | "clean-install-test"
            if !runs && scripts.installs_and_tests =>
        {
            Package::Tests
        }
        word if word.starts_with("test:") && (runs || scripts.runs_by_name) => Package::Tests,
        _ => {
            let at = args.iter().position(|arg| std::ptr::eq(arg, found));
            at.map_or(Package::Nothing, Package::Program)
        }
    }
}
