//! What a line is known to change: nothing, where all of it was understood and each of its programs only looks.
//!
//! The walk passes each command and each redirection of a group by here, and reports what it does not follow. Findings
//! name what a line is known to do; this is the reverse, so it works by what is permitted: plain words, joined by `|`,
//! `&&`, `||`, `;` and line ends, of programs whose row says [`Role::Looks`]. A line without findings may still change
//! anything (`make`), and one with findings may change nothing (`cat a.rs`).
//!
//! Words with expansions are not read at all: `find . $x` folds to an unknown word, about which there is no
//! finding, and `x` may hold `-delete`. For the same reason a redirection counts by its target
//! and not by the sink that the walk connects: `> /dev/stdout` leads on to where the output goes already, and empties
//! the file that is there.

use siderail_syntax::tree::{Operator, Part, Redirect, Simple, Word};

use super::analysis::Dialect;
use super::ir::Arg;
use super::judge::Judge;
use super::looking::brackets;
use super::program::Role;
use super::programs;
use std::borrow::Cow;

impl Judge<'_> {
    /// Notes a command with what its words were folded into. `all_plain`: these are the words as they were written,
    /// without quotes and patterns.
    pub(super) fn note_command(&mut self, simple: &Simple, args: &[Arg], all_plain: bool) {
        if self.looking.is_ruled_out() {
            return;
        }
        if !only_looks(simple, args, all_plain, self.dialect) {
            self.looking.rule_out();
            return;
        }
        self.looking.note_harmless(simple.text.start(), || {
            let targets = simple.redirects.iter().map(|redirect| &redirect.target);
            let words = if all_plain { &[] } else { &simple.words[..] };
            words.iter().chain(targets).map(quoted_brackets).sum()
        });
    }

    /// Notes the redirections of several commands.
    pub(super) fn note_redirects(&mut self, redirects: &[Redirect]) {
        if !are_harmless(redirects, self.dialect) {
            self.looking.rule_out();
        }
    }
}

fn only_looks(simple: &Simple, args: &[Arg], all_plain: bool, dialect: Dialect) -> bool {
    let [first, args @ ..] = args else {
        return false;
    };
    if simple.is_expression
        || !simple.assignments.is_empty()
        || simple.words.len() != args.len() + 1
        || !are_harmless(&simple.redirects, dialect)
    {
        return false;
    }
    // Ahead of the words: most commands end here.
    let Some(more) = more_than_looks(&first.text, args, dialect) else {
        return false;
    };
    let no_option = |arg: &Arg| more.is_empty() || !does_more(&arg.text, more);
    let no_pattern = |(word, arg): (&Word, &Arg)| more.is_empty() || !could_be_option(word, arg);
    let is_plain = |word: &Word| is_plain(word, dialect);
    args.iter().all(no_option)
        && (all_plain
            || simple.words.iter().all(is_plain)
                && simple.words[1..].iter().zip(args).all(no_pattern))
}

/// The options with which a program does more than look; `None` where it may do more without any.
fn more_than_looks(name: &str, args: &[Arg], dialect: Dialect) -> Option<&'static [&'static str]> {
    let ignores_case = matches!(dialect, Dialect::PowerShell | Dialect::Cmd);
    let name = if ignores_case && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    };
    if dialect == Dialect::Cmd {
        // It takes any command that is not its own from the current folder first, where a project could have one.
        programs::cmd::command(&name).filter(|command| command.looks)?;
    }
    let program = programs::find(&name);
    program.says(|role| match role {
        Role::Looks(more) => Some(*more),
        Role::LooksIf(more, fits) => fits(args).then_some(*more),
        _ => None,
    })
}

/// A word without expansions. Those of braces count: what comes of them is not looked at.
fn is_plain(word: &Word, dialect: Dialect) -> bool {
    let mut parts = word.parts.iter();
    let is_text = parts.all(|part| match part {
        Part::Bare(text) => !text.contains('{'),
        Part::Quoted(_) => true,
        _ => false,
    });
    let has_quote =
        |part: &Part| matches!(part, Part::Bare(text) | Part::Quoted(text) if text.contains('"'));
    // A token that begins in quotes ends with them there, and programs read inner quotes once more.
    let is_one_token = || {
        dialect != Dialect::PowerShell || word.parts.len() <= 1 && !word.parts.iter().any(has_quote)
    };
    is_text && is_one_token()
}

/// Opening brackets in the quotes of a word.
fn quoted_brackets(word: &Word) -> usize {
    let in_quotes = |part: &Part| match part {
        Part::Quoted(text) => brackets(text),
        _ => 0,
    };
    word.parts.iter().map(in_quotes).sum()
}

fn are_harmless(redirects: &[Redirect], dialect: Dialect) -> bool {
    let mut redirects = redirects.iter();
    redirects.all(|redirect| is_harmless(redirect, dialect))
}

/// It reads a file, joins descriptors, or writes to nowhere.
fn is_harmless(redirect: &Redirect, dialect: Dialect) -> bool {
    if redirect.variable.is_some() || !is_plain(&redirect.target, dialect) {
        return false;
    }
    let Some(target) = redirect.target.literal() else {
        return false;
    };
    match redirect.operator {
        // Bash opens connections by names below it.
        Operator::Read => !target.starts_with("/dev/"),
        Operator::Write | Operator::WriteBoth => match dialect {
            Dialect::Bash | Dialect::Fish => target == "/dev/null",
            Dialect::Cmd => target.eq_ignore_ascii_case("nul"),
            Dialect::PowerShell => false,
        },
        Operator::DuplicateIn | Operator::DuplicateOut => {
            target == "-" || target.bytes().all(|byte| byte.is_ascii_digit())
        }
        Operator::ReadWrite | Operator::Text => false,
    }
}

/// It is a pattern that fits a file with the name of an option.
fn could_be_option(word: &Word, arg: &Arg) -> bool {
    let is_pattern =
        |part: &Part| matches!(part, Part::Bare(text) if text.contains(['*', '?', '[']));
    word.parts.iter().any(is_pattern) && arg.text.starts_with(['-', '*', '?', '[', '@', '+', '!'])
}

/// An argument that is one of the words or may mean it: with a value, shortened, or among other letters.
fn does_more(arg: &str, words: &[&str]) -> bool {
    let (name, _) = arg.split_once('=').unwrap_or((arg, ""));
    words.iter().any(|word| {
        let is_long = word.starts_with("--");
        let is_letter = !is_long && word.len() == 2;
        let shortens =
            is_long && name.len() > 2 && name.starts_with("--") && word.starts_with(name);
        let holds =
            is_letter && arg.starts_with('-') && !arg.starts_with("--") && arg.contains(&word[1..]);
        *word == name || shortens || holds
    })
}
