//! Which commands run the project's tests.

use super::test_tasks::{Package, cargo, go, gradle, make, mavenlike, node_package, sbt};
use super::test_tools::{PROGRAMS, RUNNERS, Tool};
use super::{node_options, test_targets};
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;

impl Judge<'_> {
    pub(crate) fn test_runner(&mut self, call: Call<'_>) -> Option<Stream> {
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
            "go" => Some(go(&all())),
            "sbt" => Some(sbt(&all())),
            "make" | "gmake" | "remake" | "mingw32-make" => Some(make(call.args)),
            "tox" if matches!(call.word(0), "exec" | "e") => {
                let behind = call.args.iter().position(|arg| arg.is("--"))?;
                self.command(&call.args[behind + 1..], call.text);
                Some(false)
            }
            "tox" => Some(test_targets::tox(&all())),
            "nox" => Some(test_targets::nox(&all())),
            "nx" => Some(test_targets::nx(&all())),
            "turbo" => Some(test_targets::turbo(&all())),
            "lerna" => Some(test_targets::lerna(&all())),
            "ng" => Some(test_targets::angular(&all())),
            "dotnet" if call.has("watch") => Some(test_targets::dotnet_watch(&all())),
            "composer" => Some(test_targets::composer(&all())),
            "rails" => Some(test_targets::rails(&all())),
            "mix" => Some(test_targets::mix(&all())),
            "lein" => Some(test_targets::lein(&all())),
            "zig" => Some(test_targets::zig(&all())),
            name => {
                let tool = tool_of(RUNNERS, name).or_else(|| tool_of(PROGRAMS, name))?;
                Some(tool.runs_tests(&all()))
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
                    crate::analysis::Dialect::Bash,
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
        match node_package(node_options(call.name), call.name, call.args) {
            Package::Tests => Some(true),
            Package::Nothing => Some(false),
            Package::Program(at) => {
                // `yarn jest`, `pnpm run vitest`: any other word may be an installed program.
                let program = call.args[at].text.as_str();
                let known = tool_of(RUNNERS, program).is_some()
                    || matches!(
                        program,
                        "playwright" | "cypress" | "rimraf" | "nx" | "turbo" | "lerna" | "ng"
                    );
                if known && call.name != "npm" {
                    self.command(&call.args[at..], call.text);
                }
                Some(false)
            }
        }
    }

    /// Whether the command works on this project and not on another one.
    fn is_project(&self, call: Call<'_>) -> bool {
        let mut here = self.around();
        for (index, arg) in call.args.iter().enumerate() {
            let text = arg.text.as_str();
            let next = call.args.get(index + 1);
            let attached = |value: &str| Arg {
                text: value.into(),
                ..arg.clone()
            };
            let folder = match (text.split_once('='), text.split_at_checked(2)) {
                (Some((option, value)), _) if is_folder_option(call.name, option) => {
                    Some(attached(value))
                }
                _ if is_folder_option(call.name, text) => next.cloned(),
                (_, Some((option @ ("-C" | "-d"), value)))
                    if is_folder_option(call.name, option) =>
                {
                    Some(attached(value))
                }
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
        "ninja" | "meson" => option == "-C",
        "gradle" | "gradlew" => matches!(option, "-p" | "--project-dir"),
        "mvn" | "mvnw" => matches!(option, "-f" | "--file"),
        "npm" => matches!(option, "--prefix" | "-C"),
        "yarn" | "bun" | "turbo" => option == "--cwd",
        "pnpm" => matches!(option, "-C" | "--dir"),
        "ctest" => option == "--test-dir",
        "pytest" => option == "--rootdir",
        "jest" => option == "--rootDir",
        "swift" => option == "--package-path",
        "task" => matches!(option, "-d" | "--dir"),
        "just" => matches!(option, "-d" | "--working-directory"),
        "composer" => matches!(option, "-d" | "--working-dir"),
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

fn tool_of(tools: &'static [Tool], name: &str) -> Option<&'static Tool> {
    tools.iter().find(|tool| tool.names.contains(&name))
}
