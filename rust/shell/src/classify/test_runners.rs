//! Which commands run the project's tests.

use super::test_targets;
use super::test_tasks::{Package, Scripts, cargo, node_package};
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::{Call, Role, When};
use crate::test_line::Line;

impl Judge<'_> {
    /// A finding where a command runs the tests of this project.
    pub(crate) fn tested(&mut self, runs: bool, call: Call<'_>) -> Stream {
        if runs && self.is_project(call) {
            self.tests(call.text);
        }
        Stream::printed(Origin::Program)
    }

    /// The same where a rule reads the words.
    pub(super) fn tested_by(&mut self, rule: fn(&[&str]) -> bool, call: Call<'_>) -> Stream {
        self.tested(rule(&words(call.args)), call)
    }

    pub(crate) fn watched_by_dotnet(&mut self, call: Call<'_>) -> Option<Stream> {
        let watches = call.has("watch");
        watches.then(|| self.tested_by(test_targets::dotnet_watch, call))
    }

    /// `tox exec -- command`
    pub(crate) fn tox_command(&mut self, call: Call<'_>) -> Option<Stream> {
        if !matches!(call.word(0), "exec" | "e") {
            return None;
        }
        let behind = call.args.iter().position(|arg| arg.is("--"))?;
        self.command(&call.args[behind + 1..], call.text);
        Some(Stream::printed(Origin::Program))
    }

    pub(crate) fn cargo(&mut self, call: Call<'_>) -> Stream {
        let runs = self.cargo_command(call, &words(call.args));
        self.tested(runs, call)
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
                self.run_line(&shell, call);
            }
            return tests;
        }
        cargo(words)
    }

    /// A script of package.json, or a program that a package has installed.
    pub(crate) fn package_script(&mut self, scripts: Scripts, call: Call<'_>) -> Option<Stream> {
        let runs = match node_package(call.program.grammar, scripts, call.args) {
            Package::Tests => true,
            Package::Nothing => false,
            Package::Program(at) => {
                // `yarn jest`, `pnpm run vitest`: any other word may be an installed program.
                if scripts.runs_by_name && self.is_package_tool(&call.args[at].text) {
                    self.command(&call.args[at..], call.text);
                }
                false
            }
        };
        Some(self.tested(runs, call))
    }

    /// Whether the command works on this project and not on another one.
    fn is_project(&self, call: Call<'_>) -> bool {
        let mut here = self.around();
        let is_folder_option = |option: &str| {
            let named = |role: &'static Role| match role {
                Role::WorksIn(options) => Some(options.contains(&option)),
                _ => None,
            };
            call.program.says(named) == Some(true)
        };
        for (index, arg) in call.args.iter().enumerate() {
            let text = arg.text.as_str();
            let next = call.args.get(index + 1);
            let attached = |value: &str| arg.with_text(value);
            let folder = match (text.split_once('='), text.split_at_checked(2)) {
                (Some((option, value)), _) if is_folder_option(option) => Some(attached(value)),
                _ if is_folder_option(text) => next.cloned(),
                (_, Some((option @ ("-C" | "-d"), value))) if is_folder_option(option) => {
                    Some(attached(value))
                }
                _ => None,
            };
            if let Some(folder) = folder {
                here = self.target(&folder);
            }
        }
        if !self.places.is_at_home(&here) {
            return false;
        }
        // Test files that are named must not all be somewhere else.
        let takes_files = call.program.has(|role| matches!(role, Role::NamesTests));
        let mut named = call
            .args
            .iter()
            .filter(|arg| arg.text.starts_with(['/', '~']) || arg.text.starts_with(".."))
            .peekable();
        !takes_files || named.peek().is_none() || named.any(|arg| self.target(arg).is_inside())
    }
}

/// Operands and options as texts, up to `--`.
fn words(args: &[Arg]) -> Vec<&str> {
    args.iter()
        .map(|arg| arg.text.as_str())
        .take_while(|word| *word != "--")
        .collect()
}

/// Whether a test runner is given what it needs to run tests.
pub(super) fn runs_tests(when: &When, valued: &[&str], looks: &[&str], args: &[Arg]) -> bool {
    let line = Line::read(&words(args), valued);
    if line.asks_for_help() || line.has(looks) {
        return false;
    }
    match when {
        When::Unless(modes) => !modes.contains(&line.first()),
        When::Subcommand(tasks) => tasks.contains(&line.first()),
        When::By(rule) => rule(&line),
        When::Any(tasks) => line.operands.iter().any(|word| tasks.contains(word)),
    }
}
