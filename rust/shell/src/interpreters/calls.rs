//! Finds the calls of a script that matter, and the constants in their arguments.

use super::arguments::opened;
use super::effects::Effects;
use super::names::plain;
use super::origins::{code_origin, mentions_network};
use super::rules::{Before, Does, PATHS, rules};
use super::scan::{Language, Token, split, tokens};
use super::script::{ARGUMENTS_LIMIT, Script, Surroundings};
use crate::ir::UNKNOWN;
use std::cell::OnceCell;
use std::collections::HashMap;

/// How deep code in texts of code is followed.
const CODE_DEPTH: u32 = 2;

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
    let asked_for = rules(language).iter().filter_map(|rule| match rule.before {
        Before::Mentioned(name) => Some(name),
        _ => None,
    });
    let names = asked_for.filter(|name| mentioned(name)).collect();
    let mut script = Script {
        tokens: &tokens,
        language,
        around,
        values: HashMap::new(),
        depth,
        mentioned: names,
        mentions_paths: PATHS.iter().any(|name| mentioned(name)),
        code_origin: OnceCell::new(),
    };
    if language == Language::Python {
        script.note_loops();
    }
    for index in 0..tokens.len() {
        script.at(index, effects);
    }
}

impl Script<'_> {
    fn at(&mut self, index: usize, effects: &mut Effects) {
        match &self.tokens[index] {
            Token::Command(text) => effects.commands.push(text.clone()),
            Token::Name(name) if name == "$" && self.language == Language::JavaScript => {
                // bun's and zx's shell.
                if let Some(Token::Text(text)) = self.tokens.get(index + 1) {
                    effects.commands.push(text.clone());
                }
            }
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

    /// The variables of loops take what they go over, also where they are used in front of it.
    fn note_loops(&mut self) {
        for index in 0..self.tokens.len() {
            let is = |offset: usize, word| {
                self.tokens.get(index + offset).and_then(Token::name) == Some(word)
            };
            if is(0, "for")
                && is(2, "in")
                && let Some(name) = self.tokens[index + 1].name()
                && let Some(value) = self.value(&self.tokens[index + 3..])
            {
                self.values.insert(name.to_owned(), value);
            }
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

    /// What comes before a name: the object that it belongs to.
    fn stands_behind(&self, index: usize, before: Before) -> bool {
        let member = self.is_member(index);
        match before {
            Before::Anything => true,
            Before::Nothing => !member,
            Before::Something => member,
            Before::Mentioned(name) => self.mentioned.contains(&name),
            Before::Imported(module) => !member && self.imports(module),
            Before::One(names) if member => {
                let object = self.object(index);
                let is_path =
                    names == PATHS && object.is_some_and(|object| self.values.contains_key(object));
                is_path || object.is_some_and(|object| names.contains(&object))
            }
            Before::One(_) => false,
            Before::AnyPath(others) => {
                let is_other = || {
                    let object = self.object(index);
                    object.is_some_and(|name| others.contains(&name))
                };
                member && self.mentions_paths && !is_other()
            }
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

    /// The arguments of the call of a name; `None` when it is not called.
    fn arguments(&self, index: usize, does: Does) -> Option<Vec<&[Token]>> {
        let rest = self.tokens.get(index + 1..)?;
        let rest = &rest[..rest.len().min(ARGUMENTS_LIMIT)];
        match rest.first() {
            Some(_) if self.language == Language::Lisp => {
                // Each of them is a part of its own up to the bracket, and some only say nothing.
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
            // Ruby and Perl call a member that is by itself.
            _ if matches!(does, Does::RemovesItself | Does::ReadsItself)
                && matches!(self.language, Language::Ruby | Language::Perl) =>
            {
                Some(Vec::new())
            }
            None if does == Does::Removes && self.language == Language::Perl => {
                Some(vec![&self.tokens[index..=index]])
            }
            // Perl removes what is in its own variable.
            Some(token)
                if does == Does::Removes
                    && self.language == Language::Perl
                    && (token.is(';') || token.is('}') || *token == Token::NewLine) =>
            {
                Some(vec![&self.tokens[index..=index]])
            }
            // A function that is handed on is called by somebody.
            _ if does == Does::Evaluates && self.language == Language::JavaScript => {
                Some(Vec::new())
            }
            // Only where it is certain that it is called.
            Some(token) if token.is(',') || token.is(')') => self.handed_on(index),
            _ => None,
        }
    }

    /// What a function is called with that is handed on to one that calls it: `map(os.remove, files)`.
    fn handed_on(&self, index: usize) -> Option<Vec<&[Token]>> {
        let mut at = index;
        while at >= 2
            && index - at < ARGUMENTS_LIMIT
            && self.tokens[at - 1].is('.')
            && self.tokens[at - 2].name().is_some()
        {
            at -= 2;
        }
        let open = at
            .checked_sub(1)
            .filter(|open| self.tokens[*open].is('('))?;
        let caller = open
            .checked_sub(1)
            .and_then(|caller| self.tokens[caller].name())?;
        #[rustfmt::skip]
        let calls = [
            "map", "imap", "imap_unordered", "starmap", "submit", "apply", "apply_async", "to_thread", "partial",
            "forEach", "flatMap",
        ];
        if !calls.contains(&caller) {
            return None;
        }
        let rest = split(self.tokens.get(index + 1..)?.get(1..).unwrap_or_default());
        let own = vec![&self.tokens[index..=index]];
        match rest.first() {
            Some([open, list @ ..]) if open.is('[') && caller == "map" => Some(split(list)),
            Some(first) if matches!(caller, "submit" | "partial" | "to_thread") => {
                Some(vec![first])
            }
            _ => Some(own),
        }
    }

    fn apply(&self, does: Does, index: usize, arguments: &[&[Token]], effects: &mut Effects) {
        let first = || arguments.first().and_then(|tokens| self.value(tokens));
        let itself = || self.receiver(index).unwrap_or_else(|| UNKNOWN.to_string());
        match does {
            Does::Reads => effects.reads.extend(first()),
            Does::Writes => effects.writes.extend(first()),
            Does::Removes
                if matches!(
                    self.language,
                    Language::Python | Language::Perl | Language::Ruby
                ) =>
            {
                effects.removes.extend(first());
                let more = arguments
                    .iter()
                    .skip(1)
                    .filter(|tokens| matches!(tokens.first(), Some(Token::Text(_))));
                effects
                    .removes
                    .extend(more.filter_map(|tokens| self.value(tokens)));
            }
            Does::Removes => effects.removes.extend(first()),
            Does::ReadsItself => effects.reads.push(itself()),
            Does::WritesItself => effects.writes.push(itself()),
            Does::RemovesItself => effects.removes.push(itself()),
            Does::PerlOpens => self.perl_open(arguments, effects),
            Does::Opens => {
                let mode = written_to(arguments).or_else(|| self.mode(arguments, 1));
                match first() {
                    // Ruby's way to a command.
                    Some(path) if self.language == Language::Ruby && path.starts_with('|') => {
                        effects.commands.push(path[1..].to_owned());
                    }
                    path => opened(path, mode.as_deref(), effects),
                }
            }
            Does::OpensByFlags => {
                let at = usize::from(self.language == Language::Perl);
                let path = arguments.get(at).and_then(|tokens| self.value(tokens));
                let flags = arguments.get(at + 1..).unwrap_or_default().concat();
                let writes = flags.iter().filter_map(Token::name).any(|name| {
                    matches!(
                        name,
                        "O_WRONLY" | "O_RDWR" | "O_TRUNC" | "O_APPEND" | "O_CREAT"
                    )
                });
                opened(path, Some(if writes { "w" } else { "r" }), effects);
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

/// What the options of a call that opens say: `{write: true}`, `inplace=True`.
fn written_to(arguments: &[&[Token]]) -> Option<String> {
    let mut tokens = arguments.iter().skip(1).flat_map(|tokens| tokens.iter());
    let writes = tokens.any(|token| {
        matches!(
            token.name(),
            Some("write" | "append" | "create" | "truncate" | "inplace")
        )
    });
    writes.then(|| "w".to_owned())
}
