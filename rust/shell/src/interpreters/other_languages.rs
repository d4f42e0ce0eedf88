//! Interpreters of which only the calls that run or remove something are known, and where their code is.

use super::scan::Language;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;

impl Judge<'_> {
    /// An interpreter whose code follows these options.
    pub(crate) fn foreign(
        &mut self,
        letters: &str,
        long: &[&str],
        language: Language,
        call: Call<'_>,
    ) -> Option<Stream> {
        let options = call.options();
        let is_code = |flag: &&crate::args::Flag| {
            flag.is(letters, "") || long.iter().any(|long| flag.is("", long))
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
        if codes.is_empty() && language == Language::Lua {
            return Some(self.script_or_stdin(options.operands, language, call));
        }
        for code in codes {
            self.inline(&code.text, code.unknown, &[], language, call);
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
