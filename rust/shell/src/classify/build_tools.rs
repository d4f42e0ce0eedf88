//! Tools of builds that are told what to run on their own command line: `make`, `cmake -E`.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::connections;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::program::{Call, Fact};

impl Judge<'_> {
    /// What make runs besides the recipes of its files.
    pub(crate) fn runs_recipes(&mut self, call: Call<'_>) {
        let options = call.options();
        let mut texts: Vec<Arg> = options.values("E", "eval").cloned().collect();
        let files: Vec<Arg> = options
            .flags
            .iter()
            .filter(|flag| flag.is("f", "file") || flag.is("", "makefile"))
            .filter_map(|flag| flag.value.as_deref().cloned())
            .collect();
        if files.is_empty() && self.has_saved() {
            for name in ["GNUmakefile", "makefile", "Makefile"] {
                // What came with a whole folder is a build like any other.
                if let Some(Stream::Text(text)) = self.saved_as(&Arg::new(name))
                    && text.unknown.is_none()
                {
                    texts.push(Arg::new(&*text.text));
                }
            }
        }
        for file in files {
            let input = match self.saved_as(&file).filter(|_| file.stream().is_none()) {
                Some(saved) => saved,
                None => self.readable(&file),
            };
            if let Stream::Text(text) = input {
                texts.push(Arg::partly(&*text.text, text.unknown));
            }
        }
        for text in texts {
            self.makefile(&text, call);
        }
        let variables: Vec<Arg> = options
            .files()
            .iter()
            .filter(|word| word.text.contains('='))
            .map(|word| (*word).clone())
            .collect();
        for variable in variables {
            self.make_variable(&variable, call);
        }
    }

    /// `NAME=value`: the shell of the recipes, or a text with calls of it.
    fn make_variable(&mut self, variable: &Arg, call: Call<'_>) {
        let Some((name, value)) = variable.text.split_once('=') else {
            return;
        };
        self.make_calls(value, call);
        let line = match name.trim_end_matches([':', '?', '+', '!']) {
            "SHELL" if !self.is_usual_shell(value) => format!("{value} -c {UNKNOWN}"),
            ".SHELLFLAGS" if value.contains(' ') => format!("sh {value}"),
            _ => return,
        };
        self.run_code(&line, Some(Origin::Variable), Dialect::Bash, call, false);
    }

    /// Whether recipes are only run by another shell than usual.
    fn is_usual_shell(&self, value: &str) -> bool {
        let is_env = |word: &str| {
            let name = word.rsplit('/').next().unwrap_or(word);
            self.knows(name, Fact::SearchesPath)
        };
        let mut words = value.split_ascii_whitespace();
        words.all(|word| word.starts_with('-') || is_env(word) || connections::is_shell(word))
    }

    /// The recipes of a makefile and its calls of a shell.
    fn makefile(&mut self, text: &Arg, call: Call<'_>) {
        if text.is_all_unknown() {
            return self.unknown_code(text.unknown, call.text);
        }
        if !self.budget.pay(text.text.len()) {
            return;
        }
        self.make_calls(&text.text, call);
        let joined = text.text.replace("\\\n", " ");
        for line in joined.lines() {
            let recipe = match line.strip_prefix('\t') {
                Some(recipe) => recipe,
                None => match line.split_once(';') {
                    Some((rule, recipe)) if rule.contains(':') && !rule.contains('=') => recipe,
                    _ => continue,
                },
            };
            let recipe = recipe.trim_start_matches(['@', '-', '+', ' ', '\t']);
            let recipe = expanded(recipe);
            let unknown = recipe.contains(UNKNOWN).then_some(Origin::Variable);
            let input = std::mem::replace(&mut self.io.stdin, Stream::Inherited);
            self.run_code(&recipe, unknown, Dialect::Bash, call, false);
            self.io.stdin = input;
        }
    }

    /// Every `$(shell …)` of a text.
    fn make_calls(&mut self, text: &str, call: Call<'_>) {
        for opening in ["$(shell ", "${shell "] {
            let mut rest = text;
            while let Some(at) = rest.find(opening) {
                rest = &rest[at + opening.len()..];
                let end = closing(rest);
                // Calls inside of calls are read again and again.
                if !self.budget.pay(end) {
                    return;
                }
                let command = expanded(&rest[..end]);
                let unknown = command.contains(UNKNOWN).then_some(Origin::Variable);
                self.run_code(&command, unknown, Dialect::Bash, call, false);
            }
        }
    }

    /// `cmake -E command arguments…`
    pub(crate) fn cmake_tool(&mut self, call: Call<'_>) -> Option<Stream> {
        if call.word(0) != "-E" {
            return None;
        }
        let args = call.args.get(2..).unwrap_or_default();
        match call.word(1) {
            "rm" | "remove" | "remove_directory" => {
                let options = Grammar::of("", &[]).split(args);
                self.removes(call, options.files());
            }
            "env" | "cat" => return Some(self.command(&call.args[1..], call.text)),
            "time" => return Some(self.command(args, call.text)),
            "chdir" => {
                let (folder, inner) = args.split_first()?;
                let mark = self.scope.mark();
                let path = self.target(folder).path;
                self.scope.enter_folder(path);
                let output = self.command(inner, call.text);
                self.scope.undo_to(mark);
                return Some(output);
            }
            _ => {}
        }
        Some(Stream::printed(Origin::Program))
    }
}

/// The bracket that closes a text, or its end.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' if depth == 0 => return at,
            b')' | b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// What a shell is given of a recipe: `$$` is its own sign, and make's variables are not followed.
fn expanded(recipe: &str) -> String {
    let mut out = String::with_capacity(recipe.len());
    let mut rest = recipe;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        rest = match behind.chars().next() {
            Some('$') => {
                out.push('$');
                &behind[1..]
            }
            Some('(' | '{') => {
                out.push(UNKNOWN);
                let end = 1 + closing(&behind[1..]);
                behind.get(end + 1..).unwrap_or_default()
            }
            Some(letter) => {
                out.push(UNKNOWN);
                &behind[letter.len_utf8()..]
            }
            None => "",
        };
    }
    out.push_str(rest);
    out
}
