//! Folds words into arguments as the shell would: quotes, braces, variables, substitutions, `~`, patterns.

mod arithmetic;
mod braces;
mod operations;
mod parameters;

use super::analysis::Dialect;
use super::ir::{Arg, Origin, Pattern, Stream, UNKNOWN};
use super::judge::Judge;
use super::patterns;
use ecow::EcoString;
use siderail_syntax::tree::{Part, Word};
use std::rc::Rc;

/// Collects the arguments that one word becomes.
#[derive(Debug)]
struct Folding<'d> {
    done: &'d mut Vec<Arg>,
    current: Arg,
    /// Something is in the current argument, if only an empty string in quotes.
    begun: bool,
}

impl<'d> Folding<'d> {
    fn onto(done: &'d mut Vec<Arg>) -> Self {
        Self {
            done,
            current: Arg::default(),
            begun: false,
        }
    }

    fn text(&mut self, text: &str) {
        if self.current.text.is_empty() {
            self.current.text = text.into();
        } else {
            self.current.text.push_str(text);
        }
        self.begun |= !text.is_empty();
    }

    fn unknown(&mut self, origin: Origin) {
        self.current.push_unknown(origin);
        self.begun = true;
    }

    fn end_argument(&mut self) {
        if std::mem::take(&mut self.begun) {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    /// A value without quotes around it: blanks in it end arguments, patterns in it are live.
    fn split(&mut self, value: &Arg, separators: &str) {
        let mut pieces = value.text.split(|c| separators.contains(c)).peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                let piece = &*patterns::without_groups(piece);
                let pattern = if value.pattern == Pattern::None && has_pattern(piece) {
                    Pattern::Live
                } else {
                    value.pattern
                };
                let unknown = value.unknown.filter(|_| piece.contains(UNKNOWN));
                self.current.join(&Arg {
                    unknown,
                    pattern,
                    ..value.with_text(piece)
                });
                self.begun = true;
            }
            if pieces.peek().is_some() {
                self.end_argument();
            }
        }
    }

    /// A value inside quotes.
    fn keep(&mut self, value: &Arg) {
        let pattern = self.current.pattern;
        self.current.join(value);
        if value.pattern == Pattern::Live {
            self.current.pattern = pattern;
        }
        self.begun = true;
    }
}

impl Judge<'_> {
    /// Folds words into the arguments they become, in order.
    pub(super) fn fold(&mut self, words: &[Word]) -> Vec<Arg> {
        self.fold_command(words).0
    }

    /// The same, and whether all of them are as they were written.
    pub(super) fn fold_command(&mut self, words: &[Word]) -> (Vec<Arg>, bool) {
        let mut args = Vec::with_capacity(words.len());
        let mut all_plain = true;
        for word in words {
            all_plain &= self.fold_word(word, &mut args);
        }
        (args, all_plain)
    }

    /// Whether it is as it was written.
    pub(super) fn fold_word(&mut self, word: &Word, args: &mut Vec<Arg>) -> bool {
        if !self.budget.pay(1 + word.parts.len()) {
            return false;
        }
        if let Some(text) = plain(word) {
            args.push(Arg::new(text.clone()));
            return true;
        }
        let braces = word
            .parts
            .iter()
            .any(|part| matches!(part, Part::Bare(text) if text.contains('{')));
        if braces && matches!(self.dialect, Dialect::Bash | Dialect::Fish) {
            match braces::expand(word) {
                Some(words) => {
                    let cost: usize = words.iter().map(|word| word.parts.len()).sum();
                    if self.budget.pay(cost) {
                        words.iter().for_each(|word| self.fold_plain(word, args));
                    }
                }
                None => args.push(Arg::unknown(Origin::Variable)),
            }
        } else {
            self.fold_plain(word, args);
        }
        false
    }

    fn fold_plain(&mut self, word: &Word, args: &mut Vec<Arg>) {
        let mut folding = Folding::onto(args);
        self.fold_parts(word, &mut folding, false);
        folding.end_argument();
    }

    /// Folds a word into exactly one argument, as in assignments and behind redirections.
    pub(super) fn fold_one(&mut self, word: &Word) -> Arg {
        let mut none = Vec::new();
        let mut folding = Folding::onto(&mut none);
        if self.budget.pay(1 + word.parts.len()) {
            self.fold_parts(word, &mut folding, true);
        }
        folding.current
    }

    fn fold_parts(&mut self, word: &Word, folding: &mut Folding<'_>, whole: bool) {
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                Part::Bare(text) => {
                    self.fold_bare(text, index == 0, word.parts.len() == 1, folding)
                }
                Part::Quoted(text) => {
                    folding.begun = true;
                    folding.current.quoted = true;
                    self.fold_text(text, folding);
                }
                Part::Parameter(parameter) => {
                    let is_word = word.parts.len() == 1 && !whole;
                    match self.whole_list(parameter).filter(|_| is_word) {
                        Some(list) => self.fold_list(&list, false, folding),
                        None => self.parameter(parameter, folding, whole),
                    }
                }
                Part::Substitution { script, quoted } => {
                    let output = self.capture(script);
                    self.fold_stream(&output, *quoted || whole, folding);
                }
                Part::Process {
                    script,
                    input: true,
                } => {
                    let output = self.capture(script);
                    folding.text("/dev/fd/63");
                    folding.current.set_stream(output);
                }
                Part::Process {
                    script,
                    input: false,
                } => {
                    folding.text("/dev/fd/63");
                    folding.current.set_reader(Rc::clone(script));
                }
                Part::Evaluated(word) => self.evaluate_word(word),
                Part::Unknown(words) => {
                    for word in words.iter() {
                        self.fold_one(word);
                    }
                    folding.unknown(Origin::Variable);
                }
                Part::Block(script) => {
                    folding.begun = true;
                    folding.current.set_block(Rc::clone(script));
                }
                Part::Later(slot) => {
                    if let Some(word) = slot.get() {
                        let text = self.fold_one(word);
                        folding.keep(&text);
                    }
                }
            }
        }
    }

    fn fold_bare(&mut self, text: &str, first: bool, only: bool, folding: &mut Folding<'_>) {
        let mut rest = text;
        if first && text.starts_with('~') && self.dialect != Dialect::Cmd {
            rest = self.tilde(text, only, folding);
        }
        self.fold_text(rest, folding);
        if has_pattern(rest) && folding.current.pattern == Pattern::None {
            folding.current.pattern = Pattern::Live;
        }
    }

    /// `~`, `~/x` and `~name`, whose home is nobody's concern here. Returns what follows.
    fn tilde<'t>(&mut self, text: &'t str, only: bool, folding: &mut Folding<'_>) -> &'t str {
        let end = text.find(['/', '\\']).unwrap_or(text.len());
        if end == text.len() && !only {
            return text;
        }
        let home = self.places.home();
        match &text[1..end] {
            "" => folding.text(home),
            "+" => folding.text(&self.scope.cwd().clone()),
            "-" => folding.text(&self.scope.previous().clone()),
            name => {
                let own = home.rsplit('/').next() == Some(name);
                let other = format!("/~{name}");
                folding.text(if own { home } else { &other });
            }
        }
        &text[end..]
    }

    /// Text that may hold unknown parts of an outer text.
    fn fold_text(&mut self, text: &str, folding: &mut Folding<'_>) {
        folding.text(text);
        if text.contains(UNKNOWN) {
            let origin = self.text_origin;
            folding.current.unknown = folding.current.unknown.max(Some(origin));
        }
    }

    /// What a substitution is replaced by.
    fn fold_stream(&mut self, output: &Stream, whole: bool, folding: &mut Folding<'_>) {
        let value = match output {
            Stream::Empty | Stream::Inherited => Arg::default(),
            Stream::File(_) => Arg::unknown(output.origin().unwrap_or(Origin::Program)),
            Stream::Text(text) => Arg {
                text: text.text.trim_end_matches(['\n', '\r']).into(),
                unknown: text.unknown,
                ..Arg::default()
            },
        };
        self.budget.pay(value.text.len() / 4);
        match (whole, self.dialect) {
            (true, _) => folding.keep(&value),
            // These split at newlines and nowhere else.
            (false, Dialect::Fish | Dialect::PowerShell) => folding.split(&value, "\n"),
            (false, _) => folding.split(&value, " \t\n"),
        }
    }
}

/// Bytes that mean the same in every shell.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b'=' | b':' | b',' | b'+');
        byte += 1;
    }
    plain
};

/// The text of a word that is the same in every shell, as most words are.
fn plain(word: &Word) -> Option<&EcoString> {
    let [Part::Bare(text)] = &word.parts[..] else {
        return None;
    };
    let is_plain = |byte: u8| PLAIN[usize::from(byte)];
    (!text.is_empty() && text.bytes().all(is_plain)).then_some(text)
}

/// Whether a text holds a file name pattern.
pub(super) fn has_pattern(text: &str) -> bool {
    let mut opened = false;
    text.bytes().any(|byte| {
        opened |= byte == b'[';
        matches!(byte, b'*' | b'?') || (opened && byte == b']')
    })
}
