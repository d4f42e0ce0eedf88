//! Interpreters of which only the calls that run or remove something are known, and where their code stands.

use super::scan::Language;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;

/// Programs, the letters and the long names of the options with code, and their language.
pub(crate) struct Foreign {
    pub(crate) names: &'static [&'static str],
    grammar: Grammar,
    letters: &'static str,
    long: &'static [&'static str],
    language: Language,
}

#[rustfmt::skip]
pub(crate) const FOREIGN: &[Foreign] = &[
    Foreign {
        names: &["erl"],
        grammar: Grammar::wrapper("", &[]),
        letters: "",
        long: &[],
        language: Language::Other,
    },
    Foreign {
        names: &["lua", "luajit", "lua5.1", "lua5.2", "lua5.3", "lua5.4", "texlua"],
        grammar: Grammar::wrapper("el", &[]),
        letters: "e",
        long: &[],
        language: Language::Lua,
    },
    Foreign {
        names: &["R", "Rscript", "octave", "octave-cli", "gnuplot", "elixir", "iex", "julia"],
        grammar: Grammar::wrapper("eE", &["eval", "expr"]),
        letters: "eE",
        long: &["eval"],
        language: Language::Other,
    },
    Foreign {
        names: &["groovy", "osascript", "scala", "crystal", "ghc", "racket"],
        grammar: Grammar::wrapper("el", &["eval"]),
        letters: "e",
        long: &["eval"],
        language: Language::Other,
    },
    Foreign {
        names: &["guile", "emacs", "emacsclient", "sbcl", "clisp", "chicken", "clojure", "bb"],
        grammar: Grammar::of("cexl", &["eval", "execute", "load"]),
        letters: "cex",
        long: &["eval", "execute"],
        language: Language::Lisp,
    },
];

impl Judge<'_> {
    pub(super) fn foreign(&mut self, call: Call<'_>) -> Option<Stream> {
        let mut rows = FOREIGN.iter();
        let row = rows.find(|row| row.names.contains(&call.name))?;
        let options = row.grammar.split(call.args);
        let is_code = |flag: &&crate::args::Flag| {
            flag.is(row.letters, "") || row.long.iter().any(|long| flag.is("", long))
        };
        let codes: Vec<Arg> = options
            .flags
            .iter()
            .filter(is_code)
            .filter_map(|flag| flag.value.as_deref().cloned())
            .collect();
        // Some have long options with one dash.
        let pairs = call.args.windows(2);
        let dashed = pairs.filter(|pair| matches!(pair[0].text.as_str(), "-eval" | "-execute"));
        let codes: Vec<Arg> = codes
            .into_iter()
            .chain(dashed.map(|pair| pair[1].clone()))
            .collect();
        if codes.is_empty() && row.language == Language::Lua {
            return Some(self.script_or_stdin(options.operands, row.language, call));
        }
        for code in codes {
            self.inline(&code.text, code.unknown, &[], row.language, call);
        }
        Some(Stream::printed(Origin::Program))
    }

    /// A line for the interpreter inside of another program.
    pub(crate) fn prompt_script(
        &mut self,
        script: &str,
        unknown: Option<Origin>,
        edits: bool,
        call: Call<'_>,
    ) {
        let language = if edits {
            Language::Other
        } else {
            Language::Python
        };
        self.inline(script, unknown, &[], language, call);
    }
}
