//! Tools that only pass text on, change it, or say where something is: no finding, but what flows through
//! them matters to what reads it.

use super::read::as_target;
use crate::args::Flag;
use crate::ir::{Arg, Origin, Stream, Text, UNKNOWN, UNKNOWN_TEXT};
use crate::judge::Judge;
use crate::program::{Call, Names, Putting};
use crate::reports::WHY_TEXT;
use crate::streams::{filtered, is_own_text};

/// What a program prints of a path that it is given.
pub(crate) enum PathPart {
    Folder,
    Name,
    /// All of it, from the root on.
    Absolute,
    /// All of it, as another system writes paths.
    OtherForm,
}

impl Judge<'_> {
    /// base64 and its relatives, where an option makes them decode.
    pub(crate) fn decoded_when_told(&mut self, call: Call<'_>) -> Option<Stream> {
        let is_short = |arg: &Arg| matches!(arg.text.as_str(), "-d" | "-D" | "-di" | "-id");
        let is_long = |arg: &Arg| arg.text.len() > 3 && "--decode".starts_with(arg.text.as_str());
        let mut args = call.args.iter();
        args.any(|arg| is_short(arg) || is_long(arg))
            .then(|| self.decoded(call))
    }

    /// `xxd -r`
    pub(crate) fn reverted(&mut self, call: Call<'_>) -> Option<Stream> {
        let reverts = call.args.iter().any(|arg| arg.text.starts_with("-r"));
        reverts.then(|| self.decoded(call))
    }

    pub(crate) fn folder_text(&self) -> Stream {
        constant(self.scope.cwd())
    }

    /// What a decoder prints is worse than what any other program prints.
    pub(crate) fn decoded(&mut self, call: Call<'_>) -> Stream {
        let input = self.piped_input(call);
        let origin = input
            .origin()
            .unwrap_or(Origin::Decoded)
            .max(Origin::Decoded);
        let mut pairs = call.args.windows(2);
        let named = pairs.find(|pair| matches!(pair[0].text.as_str(), "-o" | "-out" | "--output"));
        self.makes(named.map(|pair| &pair[1]), origin);
        Stream::Text(Text {
            supplied: is_own_text(&input),
            ..Text::new(UNKNOWN_TEXT, Some(origin))
        })
    }

    pub(crate) fn changed(&mut self, call: Call<'_>) -> Stream {
        let input = self.piped_input(call);
        filtered(input.origin(), is_own_text(&input))
    }

    /// What a filter reads: its input, or the first of its files.
    fn piped_input(&mut self, call: Call<'_>) -> Stream {
        let file = call
            .args
            .iter()
            .find(|arg| arg.stream().is_some() || self.saved_as(arg).is_some());
        match file {
            Some(file) => {
                let saved = self.saved_as(file).filter(|_| file.stream().is_none());
                saved.unwrap_or_else(|| self.readable(file))
            }
            None => match self.io.stdin.clone() {
                // Saved text of a file is not for this rule.
                stream if as_target(&stream).is_some() => Stream::printed(Origin::Program),
                stream => stream,
            },
        }
    }

    pub(crate) fn temporary_file(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let template = options
            .files()
            .first()
            .map(|arg| arg.text.trim_end_matches('X').to_owned());
        let folder = options.value("p", "tmpdir").map(|arg| arg.text.clone());
        let temporary = self.places.temporary();
        let folder = match (folder, &template) {
            (Some(folder), _) => folder,
            (None, Some(_)) if !options.has("t", "") => "".into(),
            _ => temporary.into(),
        };
        let name = template.unwrap_or_default();
        let path = if folder.is_empty() {
            name
        } else {
            format!("{folder}/{name}")
        };
        Stream::answered(format!("{path}{UNKNOWN}\n"), Some(Origin::Variable))
    }

    /// Constant answers about constant paths.
    pub(crate) fn path_text(&mut self, part: PathPart, call: Call<'_>) -> Stream {
        let path = call
            .args
            .iter()
            .rev()
            .find(|arg| !arg.text.starts_with('-'));
        let Some(path) = path.filter(|path| path.unknown.is_none()) else {
            return Stream::printed(Origin::Variable);
        };
        let text = path.text.trim_end_matches('/');
        match part {
            PathPart::Folder => constant(text.rsplit_once('/').map_or(".", |(folder, _)| folder)),
            PathPart::Name if call.args.len() == 1 => {
                constant(text.rsplit('/').next().unwrap_or(text))
            }
            PathPart::Absolute => constant(&self.target(path).path),
            PathPart::Name | PathPart::OtherForm => Stream::printed(Origin::Variable),
        }
    }

    /// Copying keeps what was downloaded, and a stream that is copied to a file is text that is written.
    pub(super) fn copied(&mut self, putting: Putting, call: Call<'_>) -> Stream {
        let options = call.options();
        let Some((to, from)) = options.files().split_last() else {
            return Stream::printed(Origin::Program);
        };
        let path = self.named(to).path;
        for file in from {
            let saved = self
                .saved_as(file)
                .or_else(|| self.named_again(file, putting));
            let Some(saved) = saved else {
                continue;
            };
            // The target may be a folder.
            let name = file.text.rsplit('/').next().unwrap_or_default();
            self.remember(&format!("{path}/{name}"), &saved);
            self.remember(&path, &saved);
        }
        let streams = from.iter().filter(|file| {
            file.stream().is_some() || matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0")
        });
        let streams: Vec<Stream> = streams.map(|file| self.readable(file)).collect();
        let target = self.target(to);
        if target.is_inside() && streams.iter().any(Stream::is_supplied) {
            self.writes(call.text, WHY_TEXT, &[target]);
        }
        Stream::printed(Origin::Program)
    }

    /// A copy of an installed program is that program under another name.
    fn named_again(&self, file: &Arg, putting: Putting) -> Option<Stream> {
        let folder = file.known()?.rsplit_once('/')?.0;
        let is_program = folder.ends_with("bin") && folder.starts_with('/');
        let target = self.target(file);
        (is_program && putting != Putting::Moves && !target.is_inside())
            .then(|| Stream::supplied(format!("{} \"$@\"", file.text), None))
    }

    /// Judges the commands that are values of these options, or of the settings that are.
    pub(super) fn run_carried(&mut self, carrying: &[Names], are_settings: bool, call: Call<'_>) {
        let options = call.options();
        let carries = |flag: &&Flag| carrying.iter().any(|(short, long)| flag.is(short, long));
        let values: Vec<Arg> = options
            .flags
            .iter()
            .filter(carries)
            .filter_map(|flag| flag.value.as_deref().cloned())
            .collect();
        // Options of several letters behind one dash.
        let long = carrying.iter().map(|(_, long)| *long);
        let long: Vec<&str> = long.filter(|long| !long.is_empty()).collect();
        let dashed = call.args.windows(2).filter(|pair| {
            let name = pair[0].text.strip_prefix('-');
            name.is_some_and(|name| long.contains(&name))
        });
        let values: Vec<Arg> = values
            .into_iter()
            .chain(dashed.map(|pair| pair[1].clone()))
            .collect();
        for value in values {
            // Actions and settings name what they do; `sleep=1` and the like run nothing.
            let command = VALUES.iter().find_map(|prefix| value.strip_prefix(prefix));
            let value = match command {
                Some(command) if command.text.ends_with(')') => Arg {
                    text: command.text.trim_end_matches(')').into(),
                    ..command
                },
                Some(command) => command,
                None if are_settings => continue,
                None => value,
            };
            self.run_line(&value, call);
        }
    }
}

/// Options with several words of a value behind them, and settings of which only some are commands.
#[rustfmt::skip]
const VALUES: [&str; 9] = [
    "exec=", "ProxyCommand=", "LocalCommand=", "KnownHostsCommand=", "ProxyCommand ", "LocalCommand ",
    "proxycommand=", "start:execute(", "start:reload(",
];

fn constant(text: &str) -> Stream {
    let unknown = text.contains(UNKNOWN).then_some(Origin::Variable);
    Stream::answered(format!("{text}\n"), unknown)
}
