//! Aliases, and other names of commands that some shells know and some do not: both readings are judged.
//!
//! bash expands aliases only where `expand_aliases` is set, dash, zsh and ksh always do. All of them expand when a
//! command is read: an alias counts from the line behind its definition, and in texts that are read later.

use super::analysis::Dialect;
use super::ir::{Arg, Collected, Stream};
use super::judge::Judge;
use siderail_syntax::tree::{Simple, Word};

impl Judge<'_> {
    /// Runs a command whose first word may be an alias, and whose words may have been searched for names already.
    pub(super) fn maybe_aliased(
        &mut self,
        simple: &Simple,
        args: &[Arg],
        is_searched: bool,
    ) -> Stream {
        match self.unfolded_alias(simple) {
            None if is_searched => self.written_runs(args, &simple.text),
            None => self.shell_runs(args, &simple.text),
            Some((name, text, n_words)) => self.either(
                |judge| {
                    let rest = args.get(n_words..).unwrap_or_default();
                    let outer = std::mem::replace(&mut judge.outer, simple.text.clone());
                    let output = judge.call_alias(&name, &text, rest);
                    judge.outer = outer;
                    output
                },
                |judge| judge.shell_runs(args, &simple.text),
            ),
        }
    }

    /// Walks two readings of the same command, and continues with what either of them leaves behind.
    pub(super) fn either(
        &mut self,
        one: impl FnOnce(&mut Self) -> Stream,
        other: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let mut output = Collected::default();
        let io = self.io.clone();
        let before = self.scope.snapshot();
        output.add(&one(self));
        let mut left = self.scope.take_all();
        self.io = io;
        self.scope.enter(before);
        output.add(&other(self));
        left.extend(self.scope.take_all());
        self.put_back(left);
        output.finish()
    }

    /// The alias that a command begins with: its name, its text, and how many words it replaces.
    fn unfolded_alias(&self, simple: &Simple) -> Option<(String, String, usize)> {
        if !self.scope.has_aliases() || self.dialect == Dialect::PowerShell {
            return None;
        }
        let name = simple.words.first().and_then(Word::bare)?;
        let alias = self.scope.alias(name, self.reading)?;
        let mark = called(name);
        if self.calls.contains(&mark) {
            return None;
        }
        let mut text = alias.to_owned();
        let mut n_words = 1;
        // Behind a blank at the end of an alias the next word is looked up, too.
        while text.ends_with([' ', '\t'])
            && let Some(next) = simple.words.get(n_words).and_then(Word::bare)
            && let Some(more) = self.scope.alias(next, self.reading)
        {
            text.push_str(more);
            n_words += 1;
        }
        Some((mark, text, n_words))
    }

    fn call_alias(&mut self, mark: &str, text: &str, args: &[Arg]) -> Stream {
        self.calls.push(mark.to_owned());
        let outer = self.scope.arguments();
        self.scope.set_arguments(Some(args.into()));
        let output = self.walk_text(&format!("{text} \"$@\""), self.dialect);
        self.scope.restore_arguments(outer);
        self.calls.pop();
        output
    }

    /// `alias name=text`, and fish's `alias name text`.
    pub(super) fn define_aliases(&mut self, args: &[Arg]) {
        let mut words = args.iter().filter(|arg| !arg.text.starts_with('-'));
        if self.dialect == Dialect::Fish {
            let Some(first) = words.next() else { return };
            match (first.text.split_once('='), words.next()) {
                (Some((name, text)), _) => self.define_fish_alias(name, text),
                (None, Some(text)) => self.define_fish_alias(&first.text, &text.text),
                (None, None) => {}
            }
            return;
        }
        for arg in words {
            if let Some((name, text)) = arg.text.split_once('=') {
                self.scope.set_alias(name, text, Some(self.reading));
            }
        }
    }

    /// fish makes a function of an alias, in which the name itself means the program.
    fn define_fish_alias(&mut self, name: &str, text: &str) {
        let own = text.split_ascii_whitespace().next() == Some(name);
        let skip = if own { "command " } else { "" };
        self.walk_text(
            &format!("function {name}\n{skip}{text} $argv\nend"),
            Dialect::Fish,
        );
    }

    /// `unalias [-a] names`
    pub(super) fn remove_aliases(&mut self, args: &[Arg]) {
        let reading = Some(self.reading);
        if args.iter().any(|arg| arg.is("-a") || arg.is("-m")) {
            self.scope.remove_aliases(reading);
        }
        for arg in args {
            self.scope.remove_alias(&arg.text, reading);
        }
    }

    /// `unset`, `unfunction` and the like. A plain `unset` takes a function only where no variable has the name, and
    /// only in some shells.
    pub(super) fn unset_names(&mut self, args: &[Arg]) {
        let mut options = args.iter().take_while(|arg| arg.text.starts_with('-'));
        let letters: String = options.by_ref().map(|arg| &*arg.text).collect();
        for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
            if letters.contains('f') {
                self.scope.undefine(&arg.text);
                continue;
            }
            self.evaluate_name(&arg.text);
            if !letters.contains(['v', 'n']) && self.scope.variable(&arg.text).is_none() {
                self.scope.doubt_function(&arg.text);
            }
            self.scope.unset(&arg.text);
        }
    }

    /// fish's `functions -e names` and `functions -c old new`.
    pub(super) fn change_functions(&mut self, args: &[Arg]) {
        let has = |short: &str, long: &str| args.iter().any(|arg| arg.is(short) || arg.is(long));
        let names: Vec<&Arg> = args
            .iter()
            .filter(|arg| !arg.text.starts_with('-'))
            .collect();
        if has("-e", "--erase") {
            names
                .iter()
                .for_each(|name| self.scope.undefine(&name.text));
        } else if let ([old, new], true) = (names.as_slice(), has("-c", "--copy"))
            && let Some(function) = self.scope.function(&old.text)
        {
            self.scope.define(&new.text, function.body);
        }
    }
}

/// How an alias is written among the names of functions that are being called, none of which holds a blank.
fn called(name: &str) -> String {
    format!("alias {name}")
}
