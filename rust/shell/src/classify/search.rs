//! Tools that search text: grep and its relatives.

use super::list::names_below;
use super::options::{ACK, AG, GREP, RG, UGREP};
use crate::args::{Grammar, Options};
use crate::call::Call;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::Target;
use crate::streams::{filtered, is_own_text};

/// How a tool chooses what to search.
struct Search<'a> {
    options: Options<'a>,
    /// The pattern is given by an option, so every operand is a file.
    has_pattern: bool,
    recursive: bool,
    /// Without files it searches the current folder.
    searches_here: bool,
    /// It prints names that match a pattern instead.
    by_name: bool,
}

impl<'a> Search<'a> {
    fn grep(call: Call<'a>) -> Self {
        let options = GREP.split(call.args);
        let directories = options.value("d", "directories");
        let recursive = call.name == "rgrep"
            || options.has("rR", "recursive")
            || options.has("", "dereference-recursive")
            || directories.is_some_and(|value| value.is("recurse"));
        let has_pattern = options.has("ef", "regexp") || options.has("", "file");
        Self {
            options,
            has_pattern,
            recursive,
            searches_here: recursive,
            by_name: false,
        }
    }

    /// ugrep, whose options are grep's, searches the folder when it is told to, or has no input.
    fn ugrep(call: Call<'a>, is_fed: bool) -> Self {
        let options = UGREP.split(call.args);
        let recursive = options.has("rRS", "recursive") || options.has("", "dereference-recursive");
        let has_pattern = options.has("efN", "regexp") || options.has("", "file");
        Self {
            options,
            has_pattern,
            recursive: true,
            searches_here: recursive || !is_fed,
            by_name: false,
        }
    }

    /// ripgrep and those after its model, which search what is piped into them instead of the folder.
    fn recursive(grammar: Grammar, call: Call<'a>, is_fed: bool) -> Self {
        let options = grammar.split(call.args);
        let (by_name, has_pattern) = match call.name {
            "ag" | "pt" | "sift" => (options.has("g", ""), false),
            "ack" | "ack-grep" => (options.has("fg", ""), options.has("", "match")),
            _ => {
                let pattern = options.has("ef", "regexp") || options.has("", "file");
                (options.has("", "files"), pattern)
            }
        };
        let has_pattern = has_pattern || by_name;
        Self {
            options,
            has_pattern,
            recursive: true,
            searches_here: !is_fed,
            by_name,
        }
    }
}

impl Judge<'_> {
    pub(crate) fn searcher(&mut self, call: Call<'_>) -> Option<Stream> {
        let is_fed = matches!(self.io.stdin, Stream::Text(_) | Stream::File(_));
        let search = match call.name {
            "grep" | "egrep" | "fgrep" | "zgrep" | "bzgrep" | "xzgrep" | "zegrep" | "zfgrep"
            | "rgrep" => Search::grep(call),
            "rg" | "ripgrep" => {
                self.carried_commands(call);
                Search::recursive(RG, call, is_fed)
            }
            "ug" | "ugrep" => {
                self.carried_commands(call);
                Search::ugrep(call, is_fed)
            }
            "ag" | "ack" => {
                self.carried_commands(call);
                let grammar = if call.name == "ag" { AG } else { ACK };
                Search::recursive(grammar, call, is_fed)
            }
            "pt" | "sift" => Search::recursive(AG, call, is_fed),
            "ack-grep" => Search::recursive(ACK, call, is_fed),
            _ => return None,
        };
        if search.options.has("", "type-list") {
            return Some(Stream::printed(Origin::Program));
        }
        Some(self.search(call, &search))
    }

    fn search(&mut self, call: Call<'_>, search: &Search<'_>) -> Stream {
        let skipped = usize::from(!search.has_pattern);
        let files = search.options.files().get(skipped..).unwrap_or_default();
        if files.is_empty() && !search.searches_here {
            return self.search_input(call, search);
        }
        let quiet = search.options.has("q", "quiet") || search.options.has("", "silent");
        let targets = self.searched_targets(files, search.recursive);
        if !quiet {
            if search.by_name {
                self.finds(call.text, &targets);
            } else {
                self.searches(call.text, &targets);
            }
        }
        if search.by_name || search.options.has("lL", "files-with-matches") {
            return names_below(files.first().map(|file| file.text.as_str()));
        }
        let streams: Vec<Stream> = files.iter().map(|file| self.readable(file)).collect();
        filtered(streams.iter().filter_map(Stream::origin).max(), false)
    }

    /// The searched places that are or hold project files.
    fn searched_targets(&self, files: &[&Arg], recursive: bool) -> Vec<Target> {
        let targets = if files.is_empty() {
            vec![self.around()]
        } else {
            files
                .iter()
                .filter(|file| !file.is("-"))
                .map(|file| self.read_target(file))
                .collect()
        };
        let counts = |target: &Target| target.is_inside() || (recursive && target.reaches_inside());
        targets.into_iter().filter(counts).collect()
    }

    /// Without files it filters its input, which may be a project file.
    fn search_input(&mut self, call: Call<'_>, search: &Search<'_>) -> Stream {
        let input = self.io.stdin.clone();
        let quiet = search.options.has("q", "quiet") || search.options.has("", "silent");
        if let Stream::File(target) = &input
            && target.is_inside()
            && !quiet
            && !self.is_silent()
        {
            self.searches(call.text, std::slice::from_ref(target));
        }
        filtered(input.origin(), is_own_text(&input))
    }
}
