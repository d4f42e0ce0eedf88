//! Tools that run what is named on their command line, tests among it: tox, nox, nx, turbo, lerna, and the tasks of
//! programs in several words.

use crate::test_line::Line;

/// What environments and sessions are called that run no tests.
#[rustfmt::skip]
const OTHER_WORK: &[&str] = &[
    "lint", "lints", "linter", "linters", "linting", "style", "format", "formatting", "fmt", "fix", "flake8", "ruff",
    "black", "isort", "mypy", "pyright", "ty", "type", "types", "typing", "typecheck", "pylint", "pycodestyle",
    "pydocstyle", "pyupgrade", "codespell", "precommit", "commit", "check", "security", "bandit", "audit", "safety",
    "vulture", "doc", "docs", "sphinx", "mkdocs", "html", "linkcheck", "serve", "build", "package", "dist", "wheel",
    "sdist", "publish", "release", "upload", "twine", "bump", "version", "clean", "deps", "lock", "requirements",
    "compile", "changelog", "towncrier", "manifest", "license", "licenses", "dev", "devenv", "venv", "shell",
    "report", "bench", "benchmark", "benchmarks", "profile", "translations", "migrations",
];

/// Whether an environment or a session of this name runs tests: `py312` and `unit` do, `lint` and `docs` do not.
fn named_for_tests(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let tests = |part: &str| {
        part.starts_with("test")
            || matches!(
                part,
                "unit" | "integration" | "pytest" | "unittest" | "e2e" | "doctest"
            )
    };
    parts.clone().any(tests) || !parts.any(|part| OTHER_WORK.contains(&part))
}

/// `tox`, `tox -e names`, `tox run`, unless only other work is named.
pub(crate) fn tox(words: &[&str]) -> bool {
    // An environment may be attached to its option: `-elint`.
    let split: Vec<&str> = words
        .iter()
        .flat_map(|word| match word.strip_prefix("-e") {
            Some(names) if !names.is_empty() => vec!["-e", names.trim_start_matches('=')],
            _ => vec![*word],
        })
        .collect();
    #[rustfmt::skip]
    let valued = [
        "-e", "-m", "-f", "-c", "--conf", "--workdir", "--root", "-x", "--override", "-p", "--parallel",
        "--result-json", "--discover", "--installpkg", "--skip-env", "-i", "--devenv",
    ];
    let line = Line::read(&split, &valued);
    #[rustfmt::skip]
    let looks = [
        "--listenvs", "--listenvs-all", "--list", "--showconfig", "--notest", "--devenv",
    ];
    let runs = matches!(
        line.first(),
        "" | "run" | "r" | "run-parallel" | "p" | "legacy" | "le"
    );
    if !runs || line.asks_for_help() || line.has(&looks) || line.has_letter("lanh") {
        return false;
    }
    let mut names = line
        .values(&["-e", "-m", "-f"])
        .flat_map(|names| names.split([',', ' ']))
        .peekable();
    names.peek().is_none() || names.any(named_for_tests)
}

/// `nox`, `nox -s names…`, unless only other work is named.
pub(crate) fn nox(line: &Line<'_>) -> bool {
    if line.has_letter("lh") {
        return false;
    }
    if line
        .values(&["-k", "--keywords"])
        .any(|words| words.contains("not ") || named_for_tests(words))
    {
        return true;
    }
    if line.has(&["-k", "--keywords"]) {
        return false;
    }
    // A session's options are in brackets behind its name.
    let names = ["-s", "--session", "--sessions", "-e", "-t", "--tags"];
    let mut names = line
        .values(&names)
        .chain(line.operands.iter().copied())
        .peekable();
    names.peek().is_none()
        || names.any(|name| named_for_tests(name.split('(').next().unwrap_or(name)))
}

/// Whether a target of a monorepo tool runs tests.
fn is_test_target(target: &str) -> bool {
    let target = target.rsplit('#').next().unwrap_or(target);
    matches!(target, "test" | "tests" | "test-ci") || target.starts_with("test:")
}

/// `nx test project`, `nx run project:test`, `nx run-many -t test`, `nx affected -t test`.
pub(crate) fn nx(words: &[&str]) -> bool {
    const TARGETS: [&str; 3] = ["-t", "--target", "--targets"];
    const PROJECTS: [&str; 3] = ["-p", "--projects", "--exclude"];
    #[rustfmt::skip]
    const VALUED: [&str; 9] = [
        "-c", "--configuration", "--base", "--head", "--files", "--runner", "--output-style", "--outputStyle",
        "--parallel",
    ];
    // Targets and projects continue up to the next option.
    let mut targets = Vec::new();
    let mut rest = Vec::new();
    let mut list = "";
    for word in words.iter().copied() {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        if TARGETS.contains(&option) || PROJECTS.contains(&option) {
            list = if value.is_empty() { option } else { "" };
            if TARGETS.contains(&option) {
                targets.extend(value.split(','));
            }
        } else if word.starts_with('-') || list.is_empty() {
            list = "";
            rest.push(word);
        } else if TARGETS.contains(&list) {
            targets.extend(word.split(','));
        }
    }
    let line = Line::read(&rest, &VALUED);
    if line.asks_for_help() || line.has(&["--graph"]) {
        return false;
    }
    match line.first() {
        "run" => {
            let task = line.operands.get(1).copied().unwrap_or_default();
            task.split(':').nth(1).is_some_and(is_test_target)
        }
        "run-many" | "affected" => targets.into_iter().any(is_test_target),
        first => is_test_target(first.strip_prefix("affected:").unwrap_or(first)),
    }
}

/// `turbo test`, `turbo run lint web#test`.
pub(crate) fn turbo(line: &Line<'_>) -> bool {
    #[rustfmt::skip]
    let others = [
        "prune", "ls", "gen", "generate", "login", "link", "unlink", "logout", "daemon", "bin", "query", "scan",
        "telemetry", "config", "boundaries",
    ];
    !others.contains(&line.first()) && line.operands.iter().any(|task| is_test_target(task))
}

/// `lerna run test`.
pub(crate) fn lerna(line: &Line<'_>) -> bool {
    let scripts = line.operands.get(1).copied().unwrap_or_default();
    line.first() == "run" && scripts.split(',').any(is_test_target)
}

/// `ng test`, `ng run project:test`.
pub(crate) fn angular(line: &Line<'_>) -> bool {
    let task = line.operands.get(1).copied().unwrap_or_default();
    match line.first() {
        "test" | "t" => true,
        "run" => task.split(':').nth(1).is_some_and(is_test_target),
        _ => false,
    }
}

/// `dotnet watch test`; other subcommands of dotnet follow `watch`, too.
pub(super) fn dotnet_watch(words: &[&str]) -> bool {
    let line = Line::read(
        words,
        &["-p", "--project", "--launch-profile", "-f", "--framework"],
    );
    !line.asks_for_help()
        && !line.has(&["--list", "--list-tests"])
        && line.first() == "watch"
        && line.operands.get(1) == Some(&"test")
}

/// `composer test`, `composer run test`.
pub(crate) fn composer(line: &Line<'_>) -> bool {
    let mut operands = line.operands.iter().copied();
    let mut first = operands.next();
    if matches!(first, Some("run" | "run-script")) {
        first = operands.next();
    }
    matches!(first, Some("test" | "tests" | "spec"))
}

/// `rails test`, perhaps behind tasks that prepare the database.
pub(crate) fn rails(line: &Line<'_>) -> bool {
    let first = line.operands.iter().find(|word| !word.starts_with("db:"));
    matches!(first, Some(&("test" | "spec" | "test:all" | "test:system")))
}

/// `mix test`, `mix do compile + test`.
pub(crate) fn mix(line: &Line<'_>) -> bool {
    let is_test = |word: &str| {
        matches!(
            word.trim_end_matches(','),
            "test" | "test.watch" | "coveralls"
        )
    };
    let chain = line.first() == "do";
    is_test(line.first())
        || (chain
            && line.operands.windows(2).any(|pair| {
                let begins = matches!(pair[0], "do" | "+" | ",") || pair[0].ends_with(',');
                begins && is_test(pair[1])
            }))
}

/// `lein test`, behind profiles and in chains.
pub(crate) fn lein(line: &Line<'_>) -> bool {
    let mut operands = line.operands.as_slice();
    while let [word, rest @ ..] = operands {
        operands = match *word {
            "with-profile" | "with-profiles" | "update-in" => rest.get(1..).unwrap_or_default(),
            "do" => return rest.iter().any(|word| word.trim_end_matches(',') == "test"),
            _ => break,
        };
    }
    operands.first() == Some(&"test")
}

/// `zig test file`, `zig build test`.
pub(crate) fn zig(line: &Line<'_>) -> bool {
    match line.first() {
        "test" => true,
        "build" => line
            .operands
            .iter()
            .any(|word| matches!(*word, "test" | "tests")),
        _ => false,
    }
}
