//! Tools that write text into the files they are given.

use super::read::as_target;
use crate::interpreters;
use crate::ir::{Arg, Origin, Stream, UNKNOWN_TEXT};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::Call;
use crate::reports::WHY_TEXT;

const WHY_EDITS: &str = "Edits a project file; the tool does this in one visible step.";

impl Judge<'_> {
    /// A finding for those of the files that are inside; the others are kept in mind.
    pub(crate) fn edits(&mut self, call: Call<'_>, files: &[&Arg]) {
        self.leaves_at(files);
        let targets = files.iter().map(|file| self.target(file));
        let mut targets: Vec<Target> = targets.collect();
        self.overwrites(call.text, &targets);
        targets.retain(Target::is_inside);
        if !targets.is_empty() {
            self.writes(call.text, WHY_EDITS, &targets);
        }
    }

    /// A patch that says itself which files it changes.
    pub(crate) fn edits_here(&mut self, call: Call<'_>) -> Stream {
        let here = self.here();
        if here.is_inside() {
            self.writes(call.text, WHY_EDITS, &[here]);
        }
        Stream::printed(Origin::Program)
    }

    pub(crate) fn tee(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let input = match self.io.stdin.clone() {
            Stream::Inherited => Stream::supplied(UNKNOWN_TEXT, Some(Origin::Variable)),
            input => input,
        };
        let targets: Vec<Target> = options
            .files()
            .iter()
            .map(|file| self.target(file))
            .collect();
        for target in &targets {
            self.remember(&target.path, &input);
            self.leaves(target);
        }
        self.overwrites(call.text, &targets);
        let inside: Vec<Target> = targets.into_iter().filter(Target::is_inside).collect();
        // Of nothing, too: what was there is gone.
        let empties = matches!(input, Stream::Empty) && !options.has("a", "append");
        if !inside.is_empty() && (empties || input.is_supplied()) {
            self.writes(call.text, WHY_TEXT, &inside);
        }
        // A file that is fed to it is copied, and shown as well.
        let shown: Vec<Target> = as_target(&input).into_iter().collect();
        self.reads(call.text, &shown);
        match input {
            Stream::File(_) => crate::streams::filtered(input.origin(), false),
            input => input,
        }
    }

    pub(crate) fn dd(&mut self, call: Call<'_>) -> Stream {
        let value = |key: &str| call.args.iter().find_map(|arg| arg.strip_prefix(key));
        let Some(to) = value("of=") else {
            return Stream::printed(Origin::Program);
        };
        let target = self.target(&to);
        self.leaves(&target);
        self.overwrites(call.text, std::slice::from_ref(&target));
        if target.is_inside() {
            self.writes(call.text, WHY_TEXT, &[target]);
        }
        Stream::printed(Origin::Program)
    }

    pub(crate) fn patch(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        if options.has("", "dry-run") {
            return Stream::printed(Origin::Program);
        }
        let mark = self.scope.mark();
        if let Some(folder) = options.value("d", "directory") {
            let path = self.target(folder).path;
            self.scope.enter_folder(path);
        }
        match options.files().first() {
            Some(file) => self.edits(call, &[file]),
            // The names are in the patch, and lead from the current folder.
            None => {
                self.edits_here(call);
            }
        }
        self.scope.undo_to(mark);
        Stream::printed(Origin::Program)
    }

    /// Only an editor that is told what to do writes without a person.
    pub(crate) fn vim(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let all = options.files().iter().copied();
        let (jumps, files): (Vec<&Arg>, Vec<&Arg>) = all.partition(|arg| arg.text.starts_with('+'));
        // `+10` only jumps to a line.
        let edits = jumps.iter().any(|jump| {
            jump.text
                .bytes()
                .any(|byte| byte.is_ascii_alphabetic() || byte == b'%')
        });
        let scripted = options.has("csSe", "cmd") || edits || call.has("-es");
        if scripted {
            self.edits(call, &files);
        }
        Stream::printed(Origin::Program)
    }

    /// `sort -o file`
    pub(crate) fn sorted(&mut self, call: Call<'_>) -> Stream {
        if let Some(file) = call.options().value("o", "output") {
            self.edits(call, &[file]);
        }
        self.changed(call)
    }

    pub(crate) fn sed(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let in_place = options.has("iI", "in-place");
        let mut operands = options.files().to_vec();
        if in_place && operands.first().is_some_and(|first| first.text.is_empty()) {
            // The suffix of BSD's -i is a word of its own.
            operands.remove(0);
        }
        let mut scripts: Vec<Arg> = options.values("e", "expression").cloned().collect();
        if scripts.is_empty() && !options.has("f", "file") && !operands.is_empty() {
            scripts.push(operands.remove(0).clone());
        }
        for script in &scripts {
            self.sed_script(script, call);
        }
        if in_place {
            self.edits(call, &operands);
            return Stream::Empty;
        }
        self.print_files(call, &operands, false)
    }

    /// What a sed script does besides printing.
    fn sed_script(&mut self, script: &Arg, call: Call<'_>) {
        let effects = interpreters::sed::effects(&script.text);
        let written: Vec<Arg> = effects.writes.iter().map(Arg::new).collect();
        self.edits(call, &written.iter().collect::<Vec<_>>());
        let read: Vec<Target> = effects
            .reads
            .iter()
            .map(|file| self.target(&Arg::new(file)))
            .collect();
        self.reads(call.text, &read);
        if effects.code.is_some() {
            self.unknown_code(effects.code, call.text);
        }
        for command in effects.commands {
            let unknown = command
                .contains(crate::ir::UNKNOWN)
                .then_some(Origin::Variable);
            self.run_code(
                &command,
                unknown,
                crate::analysis::Dialect::Bash,
                call,
                false,
            );
        }
    }

    pub(crate) fn awk(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let mut operands = options.operands;
        let in_place = options.flags.iter().any(|flag| {
            flag.is("i", "include") && flag.value.as_ref().is_some_and(|value| value.is("inplace"))
        });
        let mut programs: Vec<Arg> = options.values("e", "source").cloned().collect();
        if programs.is_empty()
            && !options.has("f", "file")
            && let Some((program, rest)) = operands.split_first()
        {
            programs.push(program.clone());
            operands = rest;
        }
        // `name=value` sets a variable.
        let files: Vec<&Arg> = operands
            .iter()
            .filter(|arg| arg.assignment().is_none())
            .collect();
        let text: String = programs
            .iter()
            .map(|program| program.text.as_str())
            .collect();
        let unknown = programs.iter().filter_map(|program| program.unknown).max();
        self.awk_program(&text, unknown, call);
        if in_place {
            self.edits(call, &files);
            return Stream::Empty;
        }
        if interpreters::awk::only_begins(&text) {
            // It reads nothing and prints what the line says.
            return Stream::supplied(UNKNOWN_TEXT, Some(Origin::Program));
        }
        self.print_files(call, &files, false)
    }

    fn awk_program(&mut self, text: &str, unknown: Option<Origin>, call: Call<'_>) {
        let effects = interpreters::awk::effects(text);
        self.script_effects(&effects, unknown, call, call.text.clone());
    }
}
