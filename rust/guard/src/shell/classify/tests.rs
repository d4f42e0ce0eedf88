//! Which commands run the project's tests.

use super::test_tasks::{Package, cargo, go, gradle, mavenlike, node_package, sbt};
use crate::shell::args::Grammar;
use crate::shell::commands::Call;
use crate::shell::ir::{Arg, Origin, Stream};
use crate::shell::judge::Judge;
use crate::shell::names::marks_of;

/// Programs that do nothing but run tests, and the options with which they only look.
#[rustfmt::skip]
const RUNNERS: &[(&[&str], &[&str])] = &[
    (
        &["pytest", "py.test", "pytest-3"],
        &["--collect-only", "--co", "--fixtures", "--markers", "-h"],
    ),
    (
        &["jest", "mocha", "vitest", "ava", "tap", "jasmine", "karma"],
        &["--listTests", "--showConfig", "-v"],
    ),
    (
        &["rspec", "phpunit", "pest", "behat", "cucumber", "minitest"],
        &["--dry-run", "--list-tests"],
    ),
    (&["tox", "nox"], &["-l", "--listenvs", "--list", "--showconfig", "-a", "list", "config"]),
    (&["ctest"], &["-N", "--show-only", "--print-labels"]),
    (&["gotestsum", "ginkgo"], &["--dry-run"]),
    (&["nosetests", "nose2", "stestr", "green", "ward"], &["--collect-only"]),
    (&["bats", "shellspec", "busted", "prove"], &["--count", "--list"]),
];

/// A program with a subcommand that runs tests.
struct Program {
    names: &'static [&'static str],
    subcommands: &'static [&'static str],
    /// The options with which it does not.
    looks: &'static [&'static str],
    /// The subcommand may stand behind others.
    anywhere: bool,
}

const fn program(
    names: &'static [&'static str],
    subcommands: &'static [&'static str],
    looks: &'static [&'static str],
) -> Program {
    Program {
        names,
        subcommands,
        looks,
        anywhere: false,
    }
}

const fn anywhere(
    names: &'static [&'static str],
    subcommands: &'static [&'static str],
    looks: &'static [&'static str],
) -> Program {
    Program {
        names,
        subcommands,
        looks,
        anywhere: true,
    }
}

#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    program(&["dotnet"], &["test", "vstest"], &["--list-tests", "-t"]),
    program(
        &["bazel", "bazelisk", "buck", "buck2", "pants", "please", "plz"],
        &["test", "coverage"],
        &[],
    ),
    program(&["swift"], &["test"], &["list", "--list-tests", "-l"]),
    program(&["hatch"], &["test"], &[]),
    program(&["deno"], &["test"], &["--no-run"]),
    program(&["playwright"], &["test"], &["--list"]),
    program(&["cypress"], &["run"], &[]),
    program(&["ng"], &["test", "t"], &[]),
    program(&["manage.py", "django-admin"], &["test"], &[]),
    program(
        &["artisan", "rails", "rake"],
        &["test", "spec", "test:all", "test:system"],
        &["-T", "-n"],
    ),
    program(
        &["mix", "flutter", "dart", "cabal", "stack", "lein", "meson", "forge", "hardhat"],
        &["test"],
        &[],
    ),
    program(&["composer", "gleam", "crystal", "dub"], &["test", "tests", "spec"], &[]),
    anywhere(&["zig", "ninja", "just", "task", "invoke"], &["test", "tests"], &["-n"]),
    anywhere(&["nx", "turbo", "lage"], &["test"], &["--dry-run", "--dry"]),
    anywhere(&["xcodebuild"], &["test", "test-without-building"], &["-dry-run"]),
];

impl Judge<'_> {
    pub(super) fn test_runner(&mut self, call: Call<'_>) -> Option<Stream> {
        let runs = self.runs_tests(call)?;
        if runs && self.is_project(call) {
            self.tests(call.text);
        }
        Some(Stream::printed(Origin::Program))
    }

    /// Whether it runs tests; `None` for programs that never do.
    fn runs_tests(&mut self, call: Call<'_>) -> Option<bool> {
        let all = || words(call.args);
        match call.name {
            "gradle" | "gradlew" => Some(gradle(&all())),
            "mvn" | "mvnw" | "mvnd" => Some(mavenlike(&all())),
            "cargo" => Some(self.cargo_command(call, &all())),
            "npm" | "yarn" | "pnpm" | "bun" => self.package_script(call),
            "go" => {
                self.carried_commands(call);
                Some(go(&all()))
            }
            "sbt" => Some(sbt(&all())),
            "make" | "gmake" | "remake" | "mingw32-make" => Some(make(&all())),
            _ => {
                let known = marks_of!(RUNNERS, 0).may_hold(call.name)
                    || marks_of!(PROGRAMS, names).may_hold(call.name);
                if !known {
                    return None;
                }
                let words = words(call.args);
                if let Some((_, looks)) =
                    RUNNERS.iter().find(|(names, _)| names.contains(&call.name))
                {
                    let only_looks = words.iter().any(|word| looks.contains(word));
                    let lists = call.name == "vitest" && words.first() == Some(&"list");
                    return Some(!only_looks && !lists);
                }
                let program = PROGRAMS
                    .iter()
                    .find(|program| program.names.contains(&call.name))?;
                Some(program.runs_tests(&words))
            }
        }
    }

    /// `cargo watch -x test` runs its values as cargo commands.
    fn cargo_command(&mut self, call: Call<'_>, words: &[&str]) -> bool {
        if words.contains(&"watch") {
            let at = words
                .iter()
                .position(|word| *word == "watch")
                .unwrap_or_default();
            let options = Grammar::of("xswi", &["exec", "shell", "watch", "ignore"]);
            let options = options.split(call.args.get(at + 1..).unwrap_or_default());
            let tests = options
                .values("x", "exec")
                .any(|value| cargo(&value.text.split_whitespace().collect::<Vec<_>>()));
            let shells: Vec<Arg> = options.values("s", "shell").cloned().collect();
            for shell in shells {
                self.run_code(
                    &shell.text,
                    shell.unknown,
                    crate::shell::Dialect::Bash,
                    call,
                    false,
                );
            }
            return tests;
        }
        cargo(words)
    }

    /// A script of package.json, or a program that a package has installed.
    fn package_script(&mut self, call: Call<'_>) -> Option<bool> {
        match node_package(call.name, call.args) {
            Package::Tests => Some(true),
            Package::Nothing => Some(false),
            Package::Program(at) => {
                // `yarn jest`, `pnpm run vitest`: any other word may be an installed program.
                let program = call.args[at].text.as_str();
                let known = RUNNERS.iter().any(|(names, _)| names.contains(&program))
                    || matches!(program, "playwright" | "cypress" | "rimraf");
                if known && call.name != "npm" {
                    self.command(&call.args[at..], call.text);
                }
                Some(false)
            }
        }
    }

    /// Whether the command works on this project and not on another one.
    fn is_project(&self, call: Call<'_>) -> bool {
        let mut here = self.here();
        for (index, arg) in call.args.iter().enumerate() {
            let text = arg.text.as_str();
            let next = call.args.get(index + 1);
            let folder = match text.split_once('=') {
                Some((option, value)) if is_folder_option(call.name, option) => Some(Arg {
                    text: value.to_owned(),
                    ..arg.clone()
                }),
                _ if is_folder_option(call.name, text) => next.cloned(),
                _ => None,
            };
            if let Some(folder) = folder {
                here = self.target(&folder);
            }
        }
        if !here.is_inside() {
            return false;
        }
        // Test files that are named must not all be somewhere else.
        let takes_files = matches!(
            call.name,
            "pytest" | "py.test" | "rspec" | "phpunit" | "jest" | "go"
        );
        let mut named = call
            .args
            .iter()
            .filter(|arg| arg.text.starts_with(['/', '~']) || arg.text.starts_with(".."))
            .peekable();
        !takes_files || named.peek().is_none() || named.any(|arg| self.target(arg).is_inside())
    }
}

/// Whether an option of a build tool names the project it works on.
fn is_folder_option(program: &str, option: &str) -> bool {
    match program {
        "cargo" => matches!(option, "--manifest-path" | "-C"),
        "make" | "gmake" => matches!(option, "-C" | "--directory" | "-f"),
        "gradle" | "gradlew" => matches!(option, "-p" | "--project-dir"),
        "mvn" | "mvnw" => matches!(option, "-f" | "--file"),
        "npm" => matches!(option, "--prefix" | "-C"),
        "yarn" => option == "--cwd",
        "pnpm" => matches!(option, "-C" | "--dir"),
        "ctest" => option == "--test-dir",
        "pytest" => option == "--rootdir",
        "swift" => option == "--package-path",
        "go" => option == "-C",
        _ => false,
    }
}

/// Operands and options as texts, up to `--`.
fn words(args: &[Arg]) -> Vec<&str> {
    args.iter()
        .map(|arg| arg.text.as_str())
        .take_while(|word| *word != "--")
        .collect()
}

impl Program {
    fn runs_tests(&self, words: &[&str]) -> bool {
        // `composer run test` and `nx run-many -t test` name what they run behind a word of their own.
        let own = |word: &str| {
            matches!(word, "run" | "run-many" | "affected") && !self.subcommands.contains(&word)
        };
        let operands = words
            .iter()
            .filter(|word| !word.starts_with('-') && !own(word));
        let considered = if self.anywhere { usize::MAX } else { 1 };
        let found = operands
            .take(considered)
            .any(|word| self.subcommands.contains(word));
        found && !words.iter().any(|word| self.looks.contains(word))
    }
}

/// `make test`, `make check`, between other targets and variables.
fn make(words: &[&str]) -> bool {
    let dry = |word: &str| {
        matches!(word, "--dry-run" | "--just-print" | "--question")
            || (word.starts_with('-')
                && !word.starts_with("--")
                && word.contains('n')
                && word.len() < 4)
    };
    let mut skips = false;
    let runs = words.iter().any(|word| {
        let value = std::mem::take(&mut skips);
        skips = matches!(*word, "-C" | "-f" | "-I" | "-o" | "-W");
        !value && matches!(*word, "test" | "check")
    });
    runs && !words.iter().any(|word| dry(word))
}
