//! Finds the calls of a script that matter, and the constants in their arguments.

use super::Effects;
use super::names::plain;
use super::origins::{code_origin, mentions_network};
use super::rules::{Before, Does, PATHS, rules};
use super::scan::{Language, Token, split, tokens};
use crate::shell::ir::{Origin, UNKNOWN};
use std::cell::OnceCell;
use std::collections::HashMap;

/// How many tokens of one call's arguments are looked at.
pub(super) const ARGUMENTS_LIMIT: usize = 80;
/// How deep code in texts of code is followed.
const CODE_DEPTH: u32 = 2;

/// What a script can ask for.
pub(super) struct Surroundings<'a> {
    pub(super) args: &'a [&'a str],
    pub(super) temporary: &'a str,
    pub(super) home: &'a str,
}

/// What a script does.
pub(super) fn effects(code: &str, language: Language, around: &Surroundings<'_>) -> Effects {
    let mut effects = Effects::default();
    follow(code, language, around, CODE_DEPTH, &mut effects);
    effects
}

fn follow(
    code: &str,
    language: Language,
    around: &Surroundings<'_>,
    depth: u32,
    effects: &mut Effects,
) {
    let tokens = plain(tokens(code, language), language);
    let mentioned = |name: &str| {
        tokens.iter().any(|token| match token {
            Token::Name(found) => found == name,
            Token::Text(text) => text == name || text.strip_prefix("node:") == Some(name),
            _ => false,
        })
    };
    effects.connects |= mentions_network(&tokens);
    let runs_programs = mentioned("subprocess") || mentioned("child_process");
    let mut script = Script {
        tokens: &tokens,
        language,
        around,
        values: HashMap::new(),
        depth,
        runs_programs,
        code_origin: OnceCell::new(),
    };
    for index in 0..tokens.len() {
        script.at(index, effects);
    }
}

pub(super) struct Script<'s> {
    pub(super) tokens: &'s [Token],
    pub(super) language: Language,
    pub(super) around: &'s Surroundings<'s>,
    /// Variables that hold a text, or a path made of one.
    pub(super) values: HashMap<String, String>,
    depth: u32,
    runs_programs: bool,
    /// Found out when it is asked for.
    code_origin: OnceCell<Origin>,
}

impl Script<'_> {
    fn at(&mut self, index: usize, effects: &mut Effects) {
        match &self.tokens[index] {
            Token::Command(text) => effects.commands.push(text.clone()),
            Token::Name(name) => {
                if self.assigns(index) {
                    let value = self.value(&self.tokens[index + 2..]);
                    let value = value.unwrap_or_else(|| UNKNOWN.to_string());
                    self.values.insert(name.clone(), value);
                } else {
                    self.called(index, name, effects);
                }
            }
            _ => {}
        }
    }

    fn assigns(&self, index: usize) -> bool {
        let next = |offset: usize| self.tokens.get(index + offset);
        let member = index > 0 && self.tokens[index - 1].is('.');
        !member
            && next(1).is_some_and(|token| token.is('='))
            && !next(2).is_some_and(|token| token.is('=') || token.is('>') || token.is('~'))
    }

    fn called(&self, index: usize, name: &str, effects: &mut Effects) {
        let candidates = rules(self.language)
            .iter()
            .filter(|rule| rule.names.contains(&name));
        for rule in candidates {
            if !self.stands_behind(index, rule.before) {
                continue;
            }
            let Some(arguments) = self.arguments(index, rule.does) else {
                continue;
            };
            self.apply(rule.does, index, &arguments, effects);
            return;
        }
    }

    /// What stands in front of a name: the object that it belongs to.
    fn stands_behind(&self, index: usize, before: Before) -> bool {
        let member = self.is_member(index);
        match before {
            Before::Anything => true,
            Before::Nothing => !member,
            Before::Something => member,
            Before::Mentioned(_) => self.runs_programs,
            Before::Imported(module) => !member && self.imports(module),
            Before::One(names) if member => {
                let object = self.object(index);
                let is_path =
                    names == PATHS && object.is_some_and(|object| self.values.contains_key(object));
                is_path || object.is_some_and(|object| names.contains(&object))
            }
            Before::One(_) => false,
        }
    }

    /// Whether there is a `from module import` or a member of the module that was given another name.
    fn imports(&self, module: &str) -> bool {
        self.tokens.iter().any(|token| match token {
            Token::Name(name) | Token::Text(name) => {
                let name = name.strip_prefix("node:").unwrap_or(name);
                name.strip_suffix("/promises").unwrap_or(name) == module
            }
            _ => false,
        })
    }

    fn is_member(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1).map(|at| &self.tokens[at]) else {
            return false;
        };
        let arrow = before.is('>') && index > 1 && self.tokens[index - 2].is('-');
        let other = self.language == Language::Other;
        let scope = before.is(':') && index > 1 && (other || self.tokens[index - 2].is(':'));
        before.is('.') || arrow || scope
    }

    /// The name of the object in front of a member, also when it is called: `Path("x").open`.
    fn object(&self, index: usize) -> Option<&str> {
        let mut at = index.checked_sub(2)?;
        if self.tokens[at].is(':') {
            at = at.checked_sub(1)?;
        }
        if self.tokens[at].is(')') {
            at = self.opening(at)?.checked_sub(1)?;
        }
        self.tokens[at].name()
    }

    /// The bracket that opens what closes here, if it is near.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (close.saturating_sub(ARGUMENTS_LIMIT)..=close).rev() {
            if self.tokens[at].is(')') {
                depth += 1;
            } else if self.tokens[at].is('(') {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        None
    }

    /// The arguments of the call of a name; `None` when it is not called.
    fn arguments(&self, index: usize, does: Does) -> Option<Vec<&[Token]>> {
        let rest = self.tokens.get(index + 1..)?;
        let rest = &rest[..rest.len().min(ARGUMENTS_LIMIT)];
        match rest.first() {
            Some(_) if self.language == Language::Lisp => {
                // Each of them stands by itself up to the bracket, and some only say nothing.
                let end = rest.iter().position(|token| token.is(')'));
                let parts = rest[..end.unwrap_or(rest.len())].chunks(1);
                let says = |part: &&[Token]| !matches!(part[0].name(), Some("nil" | "t"));
                Some(parts.filter(says).collect())
            }
            Some(token) if token.is('(') => Some(split(&rest[1..])),
            Some(token) if token.is('<') && self.language == Language::Perl => Some(split(rest)),
            // Perl, Ruby and PHP need no brackets.
            Some(Token::Text(_) | Token::Name(_)) if self.language != Language::Python => {
                let plain = self.language != Language::JavaScript;
                plain.then(|| split(rest))
            }
            // Ruby calls a member that stands by itself.
            _ if does == Does::RemovesItself && self.language == Language::Ruby => Some(Vec::new()),
            // A function that is handed on is called by somebody.
            _ if does == Does::Evaluates && self.language == Language::JavaScript => {
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn apply(&self, does: Does, index: usize, arguments: &[&[Token]], effects: &mut Effects) {
        let first = || arguments.first().and_then(|tokens| self.value(tokens));
        let itself = || self.receiver(index).unwrap_or_else(|| UNKNOWN.to_string());
        match does {
            Does::Reads => effects.reads.extend(first()),
            Does::Writes => effects.writes.extend(first()),
            Does::Removes => effects.removes.extend(first()),
            Does::ReadsItself => effects.reads.push(itself()),
            Does::WritesItself => effects.writes.push(itself()),
            Does::RemovesItself => effects.removes.push(itself()),
            Does::Opens if self.language == Language::Perl => self.perl_open(arguments, effects),
            Does::Opens => {
                let mode = self.mode(arguments, 1);
                opened(first(), mode.as_deref(), effects);
            }
            Does::OpensItself => {
                let mode = self.mode(arguments, 0);
                opened(Some(itself()), mode.as_deref(), effects);
            }
            Does::Runs => self.runs(arguments, effects),
            Does::Applies => {
                let named = first();
                let mut rules = rules(self.language).iter();
                let rule = rules.find(|rule| {
                    let is_named = |name: &&str| Some(*name) == named.as_deref();
                    rule.does != Does::Applies && rule.names.iter().any(is_named)
                });
                if let Some(rule) = rule {
                    self.apply(
                        rule.does,
                        index,
                        arguments.get(1..).unwrap_or_default(),
                        effects,
                    );
                }
            }
            Does::RunsItself => effects.commands.push(itself()),
            Does::RunsSecond => {
                self.runs(arguments.get(1..).unwrap_or_default(), effects);
            }
            Does::Evaluates => self.evaluates(arguments, effects),
            Does::Tests => effects.programs.push(vec!["pytest".to_owned()]),
        }
    }

    /// The mode of an `open`: a positional argument, or one with a name.
    fn mode(&self, arguments: &[&[Token]], position: usize) -> Option<String> {
        let named = arguments.iter().find_map(|tokens| match tokens {
            [Token::Name(name), Token::Mark('='), rest @ ..] if name == "mode" => self.value(rest),
            _ => None,
        });
        let positional = arguments.get(position).filter(|tokens| !is_named(tokens));
        named.or_else(|| positional.and_then(|tokens| self.value(tokens)))
    }

    /// `open(F, "<", "a")`, `open(F, ">a")`, `open F, "cat a|"`
    fn perl_open(&self, arguments: &[&[Token]], effects: &mut Effects) {
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

    fn runs(&self, arguments: &[&[Token]], effects: &mut Effects) {
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
        let Some(first) = arguments.first() else {
            return;
        };
        if let Some(program) = list(first) {
            effects.programs.push(program);
            return;
        }
        let mut words: Vec<String> = Vec::new();
        for tokens in arguments.iter().filter(|tokens| !is_named(tokens)) {
            if is_object(tokens) {
                // `{args: […]}`
                let args = tokens.iter().position(|token| token.name() == Some("args"));
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
            // A line for a shell; what stands behind it says how it is run.
            [line, _, ..] if line.trim().contains(' ') => effects.commands.push(line.clone()),
            [only] => effects.commands.push(only.clone()),
            // `execl("/bin/cat", "cat", "a")` names the program twice.
            [first, second, ..] if first.rsplit('/').next() == Some(second) => {
                effects.programs.push(words[1..].to_vec());
            }
            _ => effects.programs.push(words),
        }
    }

    fn evaluates(&self, arguments: &[&[Token]], effects: &mut Effects) {
        let constant = arguments.first().and_then(|tokens| self.value(tokens));
        if let Some(text) = constant.filter(|text| !text.contains(UNKNOWN)) {
            if self.depth > 0 {
                follow(&text, self.language, self.around, self.depth - 1, effects);
            }
            return;
        }
        if arguments
            .first()
            .is_some_and(|tokens| tokens.first().is_some_and(|token| token.is('{')))
        {
            // A block, as in Perl.
            return;
        }
        let origin = *self.code_origin.get_or_init(|| code_origin(self.tokens));
        effects.code = effects.code.max(Some(origin));
    }
}

pub(super) fn unknown() -> String {
    UNKNOWN.to_string()
}

fn opened(path: Option<String>, mode: Option<&str>, effects: &mut Effects) {
    let Some(path) = path else { return };
    let mode = mode.unwrap_or("r");
    if mode.contains(['w', 'a', 'x', '+']) {
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
