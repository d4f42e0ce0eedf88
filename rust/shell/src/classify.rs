//! Which table knows a command. Wrappers, shells and interpreters come first, since their arguments are
//! commands of their own; a program that no table knows has no finding.

mod archives;
mod build_tools;
mod builtins;
mod containers;
mod copied;
mod danger;
mod download;
mod fetched;
mod filters;
mod find;
mod fish_text;
mod git;
pub(super) mod git_changes;
mod git_settings;
mod list;
mod makers;
mod network;
mod options;
mod outputs;
mod print;
mod prompts;
mod read;
mod runners;
mod scheduled_jobs;
mod search;
mod services;
mod shells;
mod terminals;
mod test_runners;
pub(super) mod test_targets;
pub(super) mod test_tasks;
mod windows_shells;
mod wrappers;
mod write;
mod xargs;

pub(super) use danger::is_build_output;
pub(super) use filters::PathPart;
pub(super) use options::asks_for_help;

use super::ir::{Origin, Stream};
use super::judge::Judge;
use super::program::Call;
use super::program::Role;

impl Judge<'_> {
    /// Judges a command by its name. Returns what it prints.
    pub(super) fn classify(&mut self, call: Call<'_>) -> Stream {
        let n_before_help = call.program.n_before_help();
        let (before_help, others) = call.program.roles.split_at(n_before_help);
        if let Some(output) = self.ask_roles(before_help, call) {
            return output;
        }
        if options::asks_for_help(call) {
            return Stream::printed(Origin::Program);
        }
        if let Some(output) = self.ask_roles(others, call) {
            return output;
        }
        self.other_outputs(call);
        Stream::printed(origin_of(call))
    }

    /// What the first role says that says something.
    fn ask_roles(&mut self, roles: &'static [Role], call: Call<'_>) -> Option<Stream> {
        roles.iter().find_map(|role| {
            self.note(role, call);
            self.answer(role, call)
        })
    }

    /// Notes what a role has to note of a command.
    fn note(&mut self, role: &Role, call: Call<'_>) {
        match role {
            Role::Always(note) | Role::Notes(note) | Role::Changes(note) => note(self, call),
            Role::Fetches(installs, runs, registry) => {
                self.fetches(installs, runs, *registry, call);
            }
            Role::Prompts(prompt) => self.prompted(prompt, call),
            Role::Carries(options) => self.run_carried(options, false, call),
            Role::Sets(options) => self.run_carried(options, true, call),
            Role::Writes(writing) => self.outputs(writing, call),
            Role::Puts(putting) => self.puts_files(*putting, call),
            Role::Packs(packing) => self.loses_packed(packing, call),
            Role::Keeps(losing) => self.loses_service(losing, call),
            Role::Erases(words) => self.loses_disk(words, call),
            _ => {}
        }
    }

    /// What a role says that a command prints.
    fn answer(&mut self, role: &Role, call: Call<'_>) -> Option<Stream> {
        match role {
            Role::Changes(_) => Some(Stream::Empty),
            Role::Runs(ask) | Role::Does(ask) => ask(self, call),
            Role::Wraps(skipped) => Some(self.wrapper(*skipped, call)),
            Role::Starts(words, skipped) => self.starter(words, *skipped, call),
            Role::Behind(words) => self.window(words, call),
            Role::Reads(reading) => Some(self.reader(reading, call)),
            Role::Puts(putting) => Some(self.copied(*putting, call)),
            Role::Tests(when, valued, looks) => {
                let runs = test_runners::runs_tests(when, valued, looks, call.args);
                Some(self.tested(runs, call))
            }
            Role::TestsBy(rule) => Some(self.tested_by(*rule, call)),
            _ => None,
        }
    }
}

/// Where the output of a program comes from of which nothing else is known.
fn origin_of(call: Call<'_>) -> Origin {
    let has = |words: &[&str]| {
        let mut args = call.args.iter();
        args.any(|arg| words.contains(&arg.text.as_str()))
    };
    let sets_up = call.program.says(|role| match role {
        Role::SetsUp(words) => Some(words.is_empty() || has(words)),
        _ => None,
    });
    let completes =
        || has(&["completion", "completions"]) && has(&["bash", "zsh", "fish", "powershell"]);
    if sets_up.unwrap_or_else(completes) {
        Origin::Initialiser
    } else {
        Origin::Program
    }
}
