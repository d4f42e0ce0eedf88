//! Tools that search text: grep and its relatives.

use super::list::names_below;
use crate::args::Options;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::Target;
use crate::program::{Call, Names};
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

impl Judge<'_> {
    pub(crate) fn grep(&mut self, call: Call<'_>, recurses: bool) -> Stream {
        let options = call.options();
        let directories = options.value("d", "directories");
        let recursive = recurses
            || options.has("rR", "recursive")
            || options.has("", "dereference-recursive")
            || directories.is_some_and(|value| value.is("recurse"));
        let search = Search {
            has_pattern: options.has("ef", "regexp") || options.has("", "file"),
            options,
            recursive,
            searches_here: recursive,
            by_name: false,
        };
        self.search(call, &search)
    }

    /// ugrep, whose options are grep's, searches the folder when it is told to, or has no input.
    pub(crate) fn ugrep(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let recursive = options.has("rRS", "recursive") || options.has("", "dereference-recursive");
        let search = Search {
            has_pattern: options.has("efN", "regexp") || options.has("", "file"),
            options,
            recursive: true,
            searches_here: recursive || !self.is_fed(),
            by_name: false,
        };
        self.search(call, &search)
    }

    /// ripgrep and those after its model, which search what is piped into them instead of the folder; with the option by
    /// which they search names, and the one for a pattern.
    pub(crate) fn ripgrep(&mut self, call: Call<'_>, names: Names, pattern: Names) -> Stream {
        let options = call.options();
        let by_name = options.has(names.0, names.1);
        let has_pattern = by_name || options.has(pattern.0, pattern.1) || options.has("", "file");
        let search = Search {
            options,
            has_pattern,
            recursive: true,
            searches_here: !self.is_fed(),
            by_name,
        };
        self.search(call, &search)
    }

    fn is_fed(&self) -> bool {
        matches!(self.io.stdin, Stream::Text(_) | Stream::File(_))
    }

    fn search(&mut self, call: Call<'_>, search: &Search<'_>) -> Stream {
        if search.options.has("", "type-list") {
            return Stream::printed(Origin::Program);
        }
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
