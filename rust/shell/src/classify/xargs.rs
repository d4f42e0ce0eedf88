//! Commands that are given their arguments by a stream: `xargs`, `parallel`.

use crate::analysis::Dialect;
use crate::args::{Grammar, Options};
use crate::ir::{Arg, Collected, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::program::Call;
use siderail_syntax::escapes;

#[rustfmt::skip]
const XARGS: Grammar = Grammar {
    attached: "eil",
    ..Grammar::wrapper(
        "adEILnPsJRS",
        &[
            "arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var",
        ],
    )
};

#[rustfmt::skip]
const PARALLEL: Grammar = Grammar::wrapper(
    "jnNaCILPSsEd",
    &[
        "jobs", "max-args", "colsep", "delay", "joblog", "results", "retries", "timeout",
        "arg-file", "delimiter", "max-replace-args", "max-lines", "max-procs", "max-chars", "wd",
        "workdir", "env", "tmpdir", "sshlogin", "sshloginfile", "tagstring", "halt", "load",
        "memfree", "nice", "block", "recstart", "recend", "arg-sep", "arg-file-sep", "basefile",
        "shellquote-value", "progname", "profile", "return", "tempdir", "limit",
    ],
);

/// How a stream is cut into arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// At blanks, with quotes.
    Words,
    /// At the ends of lines, with quotes.
    Lines,
    /// At one letter, without quotes.
    At(char),
    /// At null bytes, of which a known text has none.
    Nulls,
}

impl Judge<'_> {
    pub(crate) fn xargs(&mut self, call: Call<'_>) -> Stream {
        let options = XARGS.split(call.args);
        let place = options.value("I", "").cloned();
        let implied = options
            .flags
            .iter()
            .rev()
            .find(|flag| flag.is("i", "replace"));
        let implied = implied.map(|flag| match flag.value.as_deref() {
            Some(place) => place.clone(),
            None => Arg::new("{}"),
        });
        let place = place.or(implied);
        let by_lines = place.is_some() || options.has("Ll", "max-lines");
        let items = self.given_items(&options, by_lines);
        // By itself it prints its words; those that no line holds are a program's output.
        let prints_unknown = options.operands.is_empty() && items.iter().all(Arg::is_all_unknown);
        let echo = [Arg::new("echo")];
        let command = match options.operands {
            [] => &echo,
            command => command,
        };
        let outer = std::mem::replace(&mut self.io.stdin, Stream::Empty);
        let output = match (place, options.value("J", "")) {
            _ if prints_unknown => Stream::printed(Origin::Program),
            (Some(place), _) => self.command_for_each(command, &place.text, &items, call),
            (None, Some(place)) => self.command(&spliced(command, place, &items), call.text),
            (None, None) => self.in_groups(command, items, &options, call),
        };
        self.io.stdin = outer;
        output
    }

    fn given_items(&mut self, options: &Options<'_>, by_lines: bool) -> Vec<Arg> {
        let stream = match options.value("a", "arg-file") {
            Some(file) => match self.saved_as(file) {
                Some(saved) => saved,
                None => return vec![Arg::unknown(Origin::Program)],
            },
            None => self.io.stdin.clone(),
        };
        let delimiter = options
            .value("d", "delimiter")
            .map(|arg| escapes::decode(&arg.text));
        let delimiter = delimiter.as_deref().and_then(|text| text.chars().next());
        let cut = match delimiter {
            _ if options.has("0", "null") => Cut::Nulls,
            Some(letter) => Cut::At(letter),
            None if by_lines => Cut::Lines,
            None => Cut::Words,
        };
        items_of(&stream, cut)
    }

    /// A command for each of the items.
    fn command_for_each(
        &mut self,
        command: &[Arg],
        place: &str,
        items: &[Arg],
        call: Call<'_>,
    ) -> Stream {
        if items.is_empty() {
            return self.command(&replaced(command, place, None), call.text);
        }
        let mut output = Collected::default();
        for item in items {
            if self.budget.is_exceeded() {
                break;
            }
            output.add(&self.command(&replaced(command, place, Some(item)), call.text));
        }
        output.finish()
    }

    /// A command with all of the items, or with as many as it may have at once.
    fn in_groups(
        &mut self,
        command: &[Arg],
        items: Vec<Arg>,
        options: &Options<'_>,
        call: Call<'_>,
    ) -> Stream {
        let by_line = options.has("Ll", "max-lines");
        let limit = options.value("nL", "max-args");
        let size = limit.and_then(|limit| limit.text.parse::<usize>().ok());
        let size = size.or(by_line.then_some(1)).unwrap_or(usize::MAX).max(1);
        let groups: Vec<&[Arg]> = if items.is_empty() {
            vec![&[]]
        } else {
            items.chunks(size).collect()
        };
        let mut output = Collected::default();
        for group in groups {
            if self.budget.is_exceeded() {
                break;
            }
            let mut argv = command.to_vec();
            for item in group {
                if by_line {
                    argv.extend(pieces(&item.text, Cut::Words).map(|piece| known_of(item, piece)));
                } else {
                    argv.push(item.clone());
                }
            }
            output.add(&self.command(&argv, call.text));
        }
        output.finish()
    }

    /// GNU parallel: a command, or one text, with `{}` for what it runs over.
    pub(crate) fn parallel(&mut self, call: Call<'_>) -> Stream {
        let options = PARALLEL.split(call.args);
        let elsewhere = options
            .value("S", "sshlogin")
            .is_some_and(|host| !host.is(":"));
        if elsewhere || options.has("", "dry-run") || options.has("", "dryrun") {
            return Stream::printed(Origin::Program);
        }
        let words = options.operands;
        let n_command = words.iter().position(|word| word.text.starts_with(":::"));
        let command = &words[..n_command.unwrap_or(words.len())];
        if options.has("", "pipe") {
            return self.command(command, call.text);
        }
        let mut sources: Vec<Vec<Arg>> = match n_command {
            Some(_) => sources_of(&words[command.len()..]),
            None => vec![self.given_items(&options, true)],
        };
        for source in &mut sources {
            if source.is_empty() {
                source.push(Arg::unknown(Origin::Variable));
            }
        }
        let place = options
            .value("I", "")
            .map_or("{}", |place| place.text.as_str());
        let mut output = Collected::default();
        let n_all = sources
            .iter()
            .try_fold(1_usize, |n, source| n.checked_mul(source.len()));
        for number in 0..n_all.unwrap_or(usize::MAX) {
            if !self.budget.pay(command.len()) {
                break;
            }
            let mut rest = number;
            let mut chosen = Vec::with_capacity(sources.len());
            for source in sources.iter().rev() {
                chosen.push(&source[rest % source.len()]);
                rest /= source.len();
            }
            chosen.reverse();
            output.add(&self.parallel_command(command, place, &chosen, call));
        }
        output.finish()
    }

    /// It joins its words and has a shell read them; what it puts into them it quotes.
    fn parallel_command(
        &mut self,
        command: &[Arg],
        place: &str,
        values: &[&Arg],
        call: Call<'_>,
    ) -> Stream {
        if command.is_empty() {
            let unknown = values.iter().filter_map(|value| value.unknown).max();
            let words: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
            return self.run_code(&words.join(" "), unknown, Dialect::Bash, call, false);
        }
        let is_read = command.iter().any(|word| word.text.contains(SIGNS));
        let mut argv = command.to_vec();
        let mut has_place = false;
        let mut put = |argv: &mut Vec<Arg>, place: &str, value: &Arg| {
            if argv.iter().any(|word| word.text.contains(place)) {
                has_place = true;
                let value = if is_read {
                    quoted(value)
                } else {
                    value.clone()
                };
                *argv = replaced(argv, place, Some(&value));
            }
        };
        for (at, value) in values.iter().enumerate() {
            put(&mut argv, &format!("{{{}}}", at + 1), value);
        }
        if let [first, ..] = values {
            let parts = parts_of(first);
            put(&mut argv, place, first);
            for (place, part) in ["{.}", "{/}", "{//}", "{/.}"].iter().zip(&parts) {
                put(&mut argv, place, part);
            }
        }
        if !has_place {
            let values = values.iter().map(|value| {
                if is_read {
                    quoted(value)
                } else {
                    (*value).clone()
                }
            });
            argv.extend(values);
        }
        if !is_read {
            return self.command(&argv, call.text);
        }
        let words: Vec<&str> = argv.iter().map(|arg| arg.text.as_str()).collect();
        let unknown = argv.iter().filter_map(|arg| arg.unknown).max();
        self.run_code(&words.join(" "), unknown, Dialect::Bash, call, false)
    }
}

/// Letters that mean something to the shell that reads a command of parallel's.
const SIGNS: [char; 12] = [' ', ';', '|', '&', '<', '>', '$', '`', '(', '"', '\'', '\n'];

/// The arguments that a stream becomes.
fn items_of(stream: &Stream, cut: Cut) -> Vec<Arg> {
    let text = match stream {
        Stream::Text(text) => text,
        Stream::Empty => return Vec::new(),
        // What a file names may be anything, and is not the file's text.
        Stream::File(_) => return vec![Arg::unknown(Origin::Program)],
        other => return vec![Arg::unknown(other.origin().unwrap_or(Origin::Variable))],
    };
    let origin = match text.unknown {
        Some(Origin::ProjectFile) => Some(Origin::Program),
        origin => origin,
    };
    let cut = match cut {
        // Nobody can tell a null byte from what is unknown.
        Cut::Nulls if origin.is_some() => Cut::At('\n'),
        cut => cut,
    };
    pieces(&text.text, cut)
        .map(|piece| Arg {
            unknown: origin.filter(|_| piece.contains(UNKNOWN)),
            ..Arg::new(piece)
        })
        .collect()
}

/// A piece of an item, of which is known what is known of that.
fn known_of(item: &Arg, piece: String) -> Arg {
    Arg {
        unknown: item.unknown.filter(|_| piece.contains(UNKNOWN)),
        ..Arg::new(piece)
    }
}

/// Cuts a text; a quote or a backslash protects what it would be cut at.
fn pieces(text: &str, cut: Cut) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let has_quotes = matches!(cut, Cut::Words | Cut::Lines);
    let mut piece = String::new();
    let mut begun = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let ends = match cut {
            Cut::Words => letter.is_ascii_whitespace(),
            Cut::Lines => letter == '\n',
            Cut::At(at) => letter == at,
            Cut::Nulls => false,
        };
        match letter {
            _ if ends => {
                if begun {
                    found.push(std::mem::take(&mut piece));
                }
                begun = false;
            }
            ' ' | '\t' if cut == Cut::Lines && !begun => {}
            '\'' | '"' if has_quotes => {
                begun = true;
                piece.extend(letters.by_ref().take_while(|other| *other != letter));
            }
            '\\' if has_quotes => {
                begun = true;
                piece.extend(letters.next());
            }
            _ => {
                begun = true;
                piece.push(letter);
            }
        }
    }
    if begun {
        found.push(piece);
    }
    found.into_iter()
}

/// What follows each `:::` of parallel's; the lines of a file behind `::::` are unknown.
fn sources_of(words: &[Arg]) -> Vec<Vec<Arg>> {
    let mut sources: Vec<Vec<Arg>> = Vec::new();
    let mut of_files = false;
    for word in words {
        if word.text.starts_with(":::") {
            of_files = word.text.starts_with("::::");
            sources.push(Vec::new());
        } else if let Some(source) = sources.last_mut() {
            source.push(if of_files {
                Arg::unknown(Origin::Variable)
            } else {
                word.clone()
            });
        }
    }
    sources
}

/// `{.}`, `{/}`, `{//}` and `{/.}` of a value.
fn parts_of(value: &Arg) -> [Arg; 4] {
    let text = value.text.as_str();
    let (folder, base) = text.rsplit_once('/').unwrap_or((".", text));
    let stem = |text: &str| match text.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => text.to_owned(),
    };
    [stem(text), base.to_owned(), folder.to_owned(), stem(base)].map(|part| value.with_text(&part))
}

fn quoted(value: &Arg) -> Arg {
    value.with_text(&format!("'{}'", value.text.as_str().replace('\'', "'\\''")))
}

/// BSD's `-J`: all of the items in place of the first word that is the placeholder.
fn spliced(command: &[Arg], place: &Arg, items: &[Arg]) -> Vec<Arg> {
    let at = command.iter().position(|word| word.text == place.text);
    let (before, behind) = command.split_at(at.unwrap_or(command.len()));
    let behind = behind.get(usize::from(at.is_some())..).unwrap_or_default();
    [before, items, behind].concat()
}

/// A command with a placeholder replaced; without a value by something unknown.
pub(crate) fn replaced(command: &[Arg], placeholder: &str, value: Option<&Arg>) -> Vec<Arg> {
    let unknown = Arg::unknown(Origin::Variable);
    let value = value.unwrap_or(&unknown);
    let replace = |word: &Arg| {
        if placeholder.is_empty() || !word.text.contains(placeholder) {
            return word.clone();
        }
        let text = word.text.replace(placeholder, &value.text);
        let unknown = word.unknown.max(value.unknown);
        Arg {
            text,
            unknown,
            ..word.clone()
        }
    };
    command.iter().map(replace).collect()
}
