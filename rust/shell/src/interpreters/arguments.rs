//! What the arguments of the calls that open files and run programs say.
//!
//! It does not know which calls those are.

use super::super::ir::Arg;
use super::effects::Effects;
use super::scan::{Token, split};
use super::script::{Script, unknown};

impl Script<'_> {
    /// The mode of an `open`: a positional argument, or one with a name.
    pub(super) fn mode(&self, arguments: &[&[Token]], position: usize) -> Option<String> {
        let named = arguments.iter().find_map(|tokens| match tokens {
            [Token::Name(name), Token::Mark('='), rest @ ..] if name == "mode" => self.value(rest),
            _ => None,
        });
        let positional = arguments.get(position).filter(|tokens| !is_named(tokens));
        named.or_else(|| positional.and_then(|tokens| self.value(tokens)))
    }

    /// `open(F, "<", "a")`, `open(F, ">a")`, `open F, "cat a|"`
    pub(super) fn perl_open(&self, arguments: &[&[Token]], effects: &mut Effects) {
        let texts: Vec<String> = arguments
            .iter()
            .skip(1)
            .filter_map(|tokens| self.value(tokens))
            .collect();
        let Some(first) = texts.first() else { return };
        let mode = first
            .trim()
            .trim_end_matches(|c: char| c != '<' && c != '>' && c != '+' && c != '|' && c != '-');
        let is_mode = first.trim_start().starts_with(['<', '>', '+', '|', '-']);
        let command = first
            .trim_start()
            .strip_prefix('|')
            .or(first.trim_end().strip_suffix('|'));
        match (command, texts.get(1)) {
            (Some(command), None) if !command.trim_matches(['-', '|']).trim().is_empty() => {
                effects.commands.push(command.to_owned());
            }
            (Some(_), Some(_)) => match &texts[1..] {
                [line] => effects.commands.push(line.clone()),
                words => effects.programs.push(words.to_vec()),
            },
            // One more name for what is open already.
            _ if first.trim_start_matches(['<', '>', '+']).starts_with('&') => {}
            (_, Some(path)) if is_mode => {
                opened(
                    Some(path.clone()),
                    Some(if mode.contains(['>', '+']) { "w" } else { "r" }),
                    effects,
                );
            }
            _ => {
                let path = first.trim().trim_start_matches(['<', '>', '+']).trim();
                let writes = first.contains('>');
                opened(
                    Some(path.to_owned()),
                    Some(if writes { "w" } else { "r" }),
                    effects,
                );
            }
        }
    }

    /// A program with its words, or a line for a shell.
    pub(super) fn runs(&self, arguments: &[&[Token]], effects: &mut Effects) {
        let list = |tokens: &&[Token]| match tokens {
            [open, rest @ ..] if open.is('[') => {
                let words = split(rest).into_iter();
                Some(
                    words
                        .map(|word| self.value(word).unwrap_or_else(unknown))
                        .collect::<Vec<_>>(),
                )
            }
            _ => None,
        };
        let named = arguments.iter().find_map(|tokens| match tokens {
            [Token::Name(name), Token::Mark('='), rest @ ..] if name == "args" => Some(rest),
            _ => None,
        });
        let Some(first) = arguments.first() else {
            return;
        };
        if let Some(named) = named.filter(|_| is_named(first)) {
            match list(&named) {
                Some(program) => effects.programs.push(program),
                None => effects
                    .commands
                    .push(self.value(named).unwrap_or_else(unknown)),
            }
            return;
        }
        if let Some(program) = list(first) {
            effects.programs.push(program);
            return;
        }
        let mut words: Vec<String> = Vec::new();
        for tokens in arguments.iter().filter(|tokens| !is_named(tokens)) {
            if is_object(tokens) {
                // `{args: […]}`
                let is_key = |token: &Token| matches!(token.name(), Some("args" | "cmd"));
                let args = tokens.iter().position(is_key);
                let args = args.and_then(|at| tokens.get(at + 2..));
                words.extend(args.as_ref().and_then(list).unwrap_or_default());
                continue;
            }
            match list(tokens) {
                Some(more) => words.extend(more),
                None => words.push(self.value(tokens).unwrap_or_else(unknown)),
            }
        }
        match words.as_slice() {
            [] => {}
            _ if is_object(first) => effects.programs.push(words),
            // A line for a shell; what follows it says how it is run.
            [line, _, ..] if line.trim().contains(' ') => effects.commands.push(line.clone()),
            [only] => effects.commands.push(only.clone()),
            // `execl("/bin/cat", "cat", "a")` names the program twice.
            [first, second, ..] if first.rsplit('/').next() == Some(second) => {
                effects.programs.push(words[1..].to_vec());
            }
            _ => effects.programs.push(words),
        }
    }
}

/// A file that is opened: read, unless the mode says otherwise.
pub(super) fn opened(path: Option<String>, mode: Option<&str>, effects: &mut Effects) {
    let Some(path) = path else { return };
    let mode = mode.unwrap_or("r");
    if mode.contains(['w', 'a', 'x', '+', '>']) {
        effects.writes.push(path);
    } else {
        effects.reads.push(path);
    }
}

fn is_named(tokens: &[Token]) -> bool {
    matches!(tokens, [Token::Name(_), Token::Mark('='), ..])
}

fn is_object(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|token| token.is('{'))
}

/// The constants that a script assigns to `@ARGV` or adds to it, which `<>` then reads.
pub(super) fn assigned_files(code: &str) -> Vec<Arg> {
    let mut files = Vec::new();
    for (_, behind) in code
        .match_indices("@ARGV")
        .map(|(at, name)| code.split_at(at + name.len()))
    {
        let behind = behind.trim_start();
        // `push @ARGV, "f"`, and `@ARGV = "f"` but no comparison.
        let is_assigned = behind.starts_with([',', '='])
            && !behind.starts_with("==")
            && !behind.starts_with("=~");
        if !is_assigned {
            continue;
        }
        let value = behind[1..].split(';').next().unwrap_or_default();
        let words = value.trim_start().strip_prefix("qw");
        if let Some(words) = words {
            let words = words
                .trim()
                .trim_matches(|letter: char| "()[]{}<>/|".contains(letter));
            files.extend(words.split_whitespace().map(Arg::new));
            continue;
        }
        for quote in ['"', '\''] {
            files.extend(value.split(quote).skip(1).step_by(2).map(Arg::new));
        }
    }
    files
}
