//! Walks whole texts: the line itself, and what it hands to a shell.
//!
//! It runs a line the way a shell would, without running anything: statements change the scope, words are
//! folded with it, and each simple command is handed to the tables that know what it does.

use super::analysis::{Analysis, Dialect};
use super::budget::DEPTH_LIMIT;
use super::ir::{Collected, Origin, Stream};
use super::judge::Judge;
use siderail_syntax::excerpt::Excerpt;
use siderail_syntax::tree::{Parsed, Script, Trouble};
use siderail_syntax::{bash, cmd, fish, powershell};

impl Judge<'_> {
    /// Judges the whole line.
    pub(super) fn line(mut self, line: &str) -> Analysis {
        // Whatever a command does with it. Rather a question too many: quoted text may be a script.
        self.names(line);
        self.walk_text(line, self.dialect);
        if self.budget.is_exceeded() {
            let why = "The line is nested too deeply or unfolds into too much to be followed.";
            let outer = self.outer.clone();
            self.cannot_tell(&outer, why);
            self.looking.rule_out();
        }
        let only_looks = self.looking.holds_for(line, self.dialect);
        let outside = self.outside.shown(&self.places);
        let written = self.written.shown(&self.places);
        let (verdict, findings) = self.findings.finish();
        Analysis {
            verdict,
            findings,
            outside,
            protected: self.protected.shown(),
            written,
            only_looks,
        }
    }

    /// Walks a text in the shell that is being walked: `eval`, `source`.
    pub(super) fn walk_text(&mut self, text: &str, dialect: Dialect) -> Stream {
        if !self.budget.pay(text.len()) || !self.budget.enter() {
            return Stream::Empty;
        }
        let before = std::mem::replace(&mut self.dialect, dialect);
        self.n_texts += 1;
        self.reading += 1;
        if self.n_texts > 1 {
            self.looking.rule_out();
        }
        // What the whole line prints is read by nobody here.
        let is_whole_line = self.n_texts == 1 && self.calls.is_empty();
        let mut output = match is_whole_line {
            true => Collected::unread(),
            false => Collected::default(),
        };
        let trouble = if dialect == Dialect::Bash {
            self.walk_lines(text, &mut output)
        } else {
            let Parsed { script, trouble } = parse(text, dialect, self.budget.depth());
            self.statements(&script, &mut output);
            trouble
        };
        if trouble.is_some() {
            self.looking.rule_out();
        }
        match trouble {
            Some(Trouble::TooDeep) => self.budget.exceed(),
            Some(Trouble::Syntax(what)) => {
                let why =
                    format!("The line cannot be parsed: {what}. Nobody can tell what will run.");
                self.cannot_tell(text, why);
            }
            None => {}
        }
        self.dialect = before;
        self.n_texts -= 1;
        self.budget.leave();
        output.finish()
    }

    /// Walks what bash reads, line by line.
    fn walk_lines(&mut self, text: &str, output: &mut Collected) -> Option<Trouble> {
        let mut lines = bash::Lines::of(text, self.budget.depth(), DEPTH_LIMIT);
        let mut script = Script::default();
        loop {
            match lines.next_complete(&mut script) {
                Ok(true) => {
                    self.statements(&script, output);
                    self.reading += 1;
                }
                Ok(false) => break None,
                Err(trouble) => break Some(trouble),
            }
            if self.budget.is_exceeded() {
                break None;
            }
        }
    }

    /// Walks a text that a new shell would run: nothing that it sets stays.
    pub(super) fn walk_inner(
        &mut self,
        text: &str,
        unknown: Option<Origin>,
        dialect: Dialect,
        outer: &Excerpt,
    ) -> Stream {
        let mark = self.scope.mark();
        self.scope.start_shell();
        let origin = self.text_origin;
        self.text_origin = unknown.unwrap_or(origin);
        let outer_before = std::mem::replace(&mut self.outer, outer.clone());
        let io = self.io.clone();
        let output = self.walk_text(text, dialect);
        self.io = io;
        self.outer = outer_before;
        self.text_origin = origin;
        self.scope.undo_to(mark);
        output
    }
}

pub(super) fn parse(text: &str, dialect: Dialect, depth: u32) -> Parsed {
    match dialect {
        Dialect::Bash => bash::parse(text, depth, DEPTH_LIMIT),
        Dialect::Fish => fish::parse(text, depth, DEPTH_LIMIT),
        Dialect::PowerShell => powershell::parse(text, depth, DEPTH_LIMIT),
        Dialect::Cmd => cmd::parse(text, depth, DEPTH_LIMIT),
    }
}
