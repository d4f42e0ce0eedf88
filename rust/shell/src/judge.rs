//! The one owner of an analysis' state, and where paths lead in it.
//!
//! It knows nobody who walks, folds or judges with it.

use super::analysis::{Dialect, ShellInput};
use super::budget::Budget;
use super::findings::{Findings, Outside, Protected, Since, Written};
use super::ir::{Arg, Io, Origin, Pattern, Stream};
use super::links::{Link, Links};
use super::looking::Looking;
use super::paths::{Places, Target};
use super::saved_files::Saved;
use super::scope::Scope;
use crate::protected_places::ProtectedPlaces;
use siderail_syntax::excerpt::Excerpt;
use std::cell::OnceCell;

#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) dialect: Dialect,
    pub(super) places: Places,
    pub(super) scope: Scope,
    pub(super) io: Io,
    /// How many texts inside of each other are being walked.
    pub(super) n_texts: u32,
    /// Words are read as the line has them, without ends of lines that are taken away.
    is_unbroken: bool,
    pub(super) budget: Budget,
    pub(super) findings: Findings<'a>,
    pub(super) outside: Outside,
    pub(super) written: Written,
    pub(super) protected: Protected,
    pub(super) protected_places: &'a ProtectedPlaces,
    pub(super) looking: Looking,
    pub(super) links: Links,
    /// The part of the line that the text being walked came from, for texts that are not in it as such.
    pub(super) outer: Excerpt,
    /// Where the unknown parts of the text being walked come from.
    pub(super) text_origin: Origin,
    /// Files that the line has written, and what they hold.
    pub(super) saved: Vec<Saved>,
    /// Names of the functions that are being called.
    pub(super) calls: Vec<String>,
    /// How many texts and lines of texts have been read so far: aliases count from the next one on.
    pub(super) reading: u32,
    /// Each of the statements to be walked next is read when the one before it has run.
    pub(super) reads_each: bool,
    /// How many loops of the function the walk is inside of.
    pub(super) loops: u32,
    /// How many conditions it is inside of, whose failure ends nothing.
    pub(super) conditions: u32,
    /// Whether the line may ask that a pattern that fits nothing be nothing, once a loop wants to know.
    pub(super) empty_patterns: OnceCell<bool>,
    /// How many of them are what a branch or a loop asks.
    pub(super) questions: u32,
    /// How many redirections of the shell itself there were: `exec > file`.
    pub(super) n_lasting: usize,
    /// What is walked is a script of `sh`, which may be another shell than bash.
    pub(super) is_posix: bool,
    /// What is unknown is reported; not while a command is judged once more in another way.
    pub(super) has_doubts: bool,
    /// A pipe leads to the stage that is about to be walked.
    pub(super) is_fed: bool,
    /// The command that is walked reads all of its inputs: those before the next one.
    pub(super) gathers: Option<Stream>,
    /// Folders that the line has made.
    pub(super) made: Vec<String>,
    /// A later stage of the pipeline carries what this one prints to another machine.
    pub(super) is_carried: bool,
    /// Where the findings of the command being walked begin, with those of its words.
    pub(super) command_since: Since,
    /// The same for the pipeline around it.
    pub(super) piped_since: Option<Since>,
    /// One walk may speak for several states.
    pub(super) repeats: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(input: &ShellInput<'a>, links: &[Link], line: &'a str) -> Self {
        let places = Places::new(input.root, input.roots, input.home);
        let cwd = places.absolute(input.cwd, "/");
        Self {
            dialect: input.dialect,
            scope: Scope::new(&cwd),
            links: Links::of(links, &places),
            places,
            io: Io::default(),
            n_texts: 0,
            is_unbroken: matches!(input.dialect, Dialect::Bash | Dialect::Fish)
                && !line.as_bytes().windows(2).any(is_broken),
            budget: Budget::for_line(line.len()),
            command_since: Since::default(),
            piped_since: None,
            findings: Findings::new(line, input.tools),
            outside: Outside::default(),
            written: Written::default(),
            protected: Protected::default(),
            protected_places: input.protected_places,
            looking: Looking::default(),
            outer: line.into(),
            text_origin: Origin::Variable,
            saved: Vec::new(),
            calls: Vec::new(),
            reading: 0,
            reads_each: false,
            loops: 0,
            conditions: 0,
            empty_patterns: OnceCell::new(),
            questions: 0,
            n_lasting: 0,
            is_posix: false,
            has_doubts: true,
            is_fed: false,
            gathers: None,
            made: Vec::new(),
            is_carried: false,
            repeats: true,
        }
    }

    /// Whether words without quotes and expansions are in the line just like that.
    pub(super) fn is_in_line(&self) -> bool {
        self.n_texts == 1 && self.is_unbroken && self.calls.is_empty()
    }

    /// Where an argument leads from the current folder, links followed as far as they are known.
    pub(super) fn target(&self, arg: &Arg) -> Target {
        let is_pattern = arg.pattern != Pattern::None;
        self.links
            .followed(&self.places, self.named(arg), is_pattern)
    }

    /// The same for what a command takes away or puts another thing in place of: a link at the end is the thing itself.
    pub(super) fn entry(&self, arg: &Arg) -> Target {
        let named = self.named(arg);
        if !arg.text.ends_with('/') && self.links.is_one(&self.places, &named) {
            return named;
        }
        let is_pattern = arg.pattern != Pattern::None;
        self.links.followed(&self.places, named, is_pattern)
    }

    /// Where an argument leads by its letters alone, as shells take the names of folders that they go to.
    pub(super) fn named(&self, arg: &Arg) -> Target {
        if self.dialect == Dialect::PowerShell
            && !self.places.is_windows()
            && arg.text.contains('\\')
        {
            // Its paths have both slashes on every system.
            let text = arg.text.as_str().replace('\\', "/");
            return self.places.target(&arg.with_text(&text), self.scope.cwd());
        }
        self.places.target(arg, self.scope.cwd())
    }

    /// Where the current folder is.
    pub(super) fn here(&self) -> Target {
        let path = self.scope.cwd().to_string();
        let named = Target {
            place: self.places.place(&path, false),
            path,
            way: None,
        };
        self.links.followed(&self.places, named, false)
    }
}

/// A backslash at the end of a line.
fn is_broken(pair: &[u8]) -> bool {
    pair[0] == b'\\' && matches!(pair[1], b'\n' | b'\r')
}
