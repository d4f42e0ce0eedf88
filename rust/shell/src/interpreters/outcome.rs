//! Findings for what a script reads, writes, removes and runs.

use super::effects::Effects;
use crate::analysis::Dialect;
use crate::connections::starts_shell;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use siderail_syntax::excerpt::Excerpt;

impl Judge<'_> {
    /// Findings for what a script does.
    pub(crate) fn script_effects(
        &mut self,
        effects: &Effects,
        unknown: Option<Origin>,
        call: Call<'_>,
        text: Excerpt,
    ) {
        let targets = |judge: &Self, paths: &[String]| -> Vec<Target> {
            let bounded = paths.iter().take(64);
            bounded
                .map(|path| judge.target(&Arg::partly(path.as_str(), unknown)))
                .collect()
        };
        let read = targets(self, &effects.reads);
        // Code that is read to be run is not shown.
        if effects.code.is_none() {
            self.reads(&text, &read);
        }
        let written = targets(self, &effects.writes);
        for target in &written {
            self.leaves(target);
        }
        let written: Vec<Target> = written.into_iter().filter(Target::is_inside).collect();
        if !written.is_empty() {
            self.writes(&text, "The script writes a project file.", &written);
        }
        let removed = targets(self, &effects.removes);
        let removed: Vec<Target> = removed
            .into_iter()
            .filter(|target| self.hurts(target))
            .collect();
        if !removed.is_empty() {
            let why = "The script removes files that no build recreates.";
            self.loses(&text, why, &removed);
        }
        let shells = effects.commands.iter().any(|command| starts_shell(command))
            || effects
                .programs
                .iter()
                .any(|words| starts_shell(&words.join(" ")));
        if effects.connects && shells {
            return self.network_shell(&text);
        }
        for command in effects.commands.iter().take(64) {
            let unknown = command.contains(UNKNOWN).then_some(Origin::Variable);
            self.run_code(command, unknown, Dialect::Bash, call, false);
        }
        for command in effects.fed.iter().take(64) {
            let input = std::mem::replace(
                &mut self.io.stdin,
                Stream::supplied(UNKNOWN.to_string(), Some(Origin::Program)),
            );
            self.run_code(command, None, Dialect::Bash, call, false);
            self.io.stdin = input;
        }
        for program in effects.programs.iter().take(64) {
            let argv: Vec<Arg> = program.iter().map(|word| word_of(word)).collect();
            let outer = std::mem::take(&mut self.io);
            self.command(&argv, call.text);
            self.io = outer;
        }
        if let Some(origin) = effects.code {
            self.unknown_code(Some(origin), call.text);
        }
    }
}

fn word_of(text: &str) -> Arg {
    Arg {
        unknown: text.contains(UNKNOWN).then_some(Origin::Variable),
        ..Arg::new(text)
    }
}
