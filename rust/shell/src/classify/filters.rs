//! Tools that only pass text on, change it, or say where something is: no finding, but what flows through
//! them matters to what reads it.

use super::read::as_target;
use crate::analysis::Dialect;
use crate::args::{Flag, Grammar, Options};
use crate::call::Call;
use crate::ir::{Arg, Origin, Stream, Text, UNKNOWN};
use crate::judge::Judge;
use crate::streams::{filtered, is_own_text};

impl Judge<'_> {
    pub(crate) fn filter(&mut self, call: Call<'_>) -> Option<Stream> {
        let output = match call.name {
            "base64" | "base32" | "basenc"
                if decodes(call, &["-d", "-D", "--decode", "-di", "-id"]) =>
            {
                self.decoded(call)
            }
            "xxd"
                if decodes(call, &["-r"])
                    || call.args.iter().any(|arg| arg.text.starts_with("-r")) =>
            {
                self.decoded(call)
            }
            "openssl" | "gpg" | "gpg2" | "age" | "uudecode" | "zcat" | "gunzip" | "bunzip2"
            | "unxz" | "xzcat" | "bzcat" | "zstdcat" | "unzstd" | "gzip" | "xz" | "zstd"
            | "brotli" | "ascii85" => self.decoded(call),
            "tr" | "cut" | "sort" | "uniq" | "rev" | "fold" | "fmt" | "expand" | "unexpand"
            | "column" | "paste" | "join" | "shuf" | "iconv" | "dos2unix" | "unix2dos"
            | "strings" | "xxd" | "od" | "hexdump" | "base64" | "jq" | "yq" | "pv" | "buffer"
            | "mbuffer" | "ts" | "sponge" | "tsort" | "envsubst" | "m4" | "cpp" | "colrm"
            | "col" | "ansifilter" | "aha" | "wc" => self.changed(call),
            "which" | "type" | "where" | "whereis" => self.located(call.args),
            "pwd" => constant(&self.scope.cwd().clone()),
            "mktemp" => self.temporary_file(call),
            "dirname" | "basename" | "realpath" | "readlink" | "cygpath" | "wslpath" => {
                self.path_text(call)
            }
            "mv" | "cp" | "install" | "ln" => self.copied(call),
            "tar" | "man" | "rsync" => {
                self.carried_commands(call);
                Stream::printed(Origin::Program)
            }
            _ => return None,
        };
        Some(output)
    }

    /// What a decoder prints is worse than what any other program prints.
    fn decoded(&mut self, call: Call<'_>) -> Stream {
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
            ..Text::new("\0", Some(origin))
        })
    }

    fn changed(&mut self, call: Call<'_>) -> Stream {
        if call.name == "sort" {
            self.carried_commands(call);
            self.sorted_file(call);
        }
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
                // Saved text of a file is none of this rule's.
                stream if as_target(&stream).is_some() => Stream::printed(Origin::Program),
                stream => stream,
            },
        }
    }

    fn temporary_file(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::gnu("p", &["tmpdir", "suffix"]).split(call.args);
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
    fn path_text(&mut self, call: Call<'_>) -> Stream {
        let path = call
            .args
            .iter()
            .rev()
            .find(|arg| !arg.text.starts_with('-'));
        let Some(path) = path.filter(|path| path.unknown.is_none()) else {
            return Stream::printed(Origin::Variable);
        };
        let text = path.text.trim_end_matches('/');
        match call.name {
            "dirname" => constant(text.rsplit_once('/').map_or(".", |(folder, _)| folder)),
            "basename" if call.args.len() == 1 => constant(text.rsplit('/').next().unwrap_or(text)),
            "realpath" | "readlink" => constant(&self.target(path).path),
            _ => Stream::printed(Origin::Variable),
        }
    }

    /// Copying keeps what was downloaded, and a stream that is copied to a file is text that is written.
    fn copied(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::gnu(
            "tSmgo",
            &["target-directory", "suffix", "mode", "owner", "group"],
        );
        let options = options.split(call.args);
        let Some((to, from)) = options.files().split_last() else {
            return Stream::printed(Origin::Program);
        };
        let path = self.named(to).path;
        for file in from {
            let saved = self.saved_as(file).or_else(|| self.named_again(file, call));
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
            self.writes(
                call.text,
                "Writes text from the command line into a project file.",
                &[target],
            );
        }
        Stream::printed(Origin::Program)
    }

    /// A copy of an installed program is that program under another name.
    fn named_again(&self, file: &Arg, call: Call<'_>) -> Option<Stream> {
        let folder = file.known()?.rsplit_once('/')?.0;
        let is_program = folder.ends_with("bin") && folder.starts_with('/');
        let target = self.target(file);
        (is_program && call.name != "mv" && !target.is_inside())
            .then(|| Stream::supplied(format!("{} \"$@\"", file.text), None))
    }

    /// Options of harmless tools that carry a command to run.
    pub(crate) fn carried_commands(&mut self, call: Call<'_>) {
        let Some(carrier) = CARRIERS.iter().find(|carrier| carrier.name == call.name) else {
            return;
        };
        let options = carrier.grammar.split(call.args);
        self.run_carried(call, &options, carrier.options);
    }

    /// Judges the commands that are values of these options.
    pub(super) fn run_carried(
        &mut self,
        call: Call<'_>,
        options: &Options<'_>,
        carrying: &[(&str, &str)],
    ) {
        if carrying.is_empty() {
            return;
        }
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
            name.is_some_and(|name| long.contains(&name) || (name == "TT" && call.name == "zip"))
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
                None if matches!(call.name, "ssh" | "sftp") => continue,
                None => value,
            };
            self.run_code(&value.text, value.unknown, Dialect::Bash, call, false);
        }
    }
}

/// A tool with options whose value is a command.
pub(super) struct Carrier {
    pub(super) name: &'static str,
    grammar: Grammar,
    options: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
pub(super) const CARRIERS: &[Carrier] = &[
    Carrier {
        name: "sort",
        grammar: Grammar::gnu("kotTS", &["compress-program", "key", "output", "field-separator"]),
        options: &[("", "compress-program")],
    },
    Carrier {
        name: "tar",
        grammar: Grammar::gnu(
            "IfCTXF",
            &[
                "to-command", "use-compress-program", "rsh-command", "checkpoint-action", "file",
                "directory", "info-script", "new-volume-script",
            ],
        ),
        options: &[
            ("I", "use-compress-program"),
            ("", "to-command"),
            ("", "rsh-command"),
            ("", "checkpoint-action"),
            ("F", "info-script"),
            ("", "new-volume-script"),
        ],
    },
    Carrier {
        name: "rg",
        grammar: Grammar::of("ABCEMTdefgjmrt", &["pre", "hostname-bin", "pre-glob"]),
        options: &[("", "pre"), ("", "hostname-bin")],
    },
    Carrier {
        name: "zip",
        grammar: Grammar::of("", &["unzip-command", "TT"]),
        options: &[("", "unzip-command")],
    },
    Carrier { name: "split", grammar: Grammar::gnu("ablnCt", &["filter"]), options: &[("", "filter")] },
    Carrier { name: "tcpdump", grammar: Grammar::of("zwriGCsF", &[]), options: &[("z", "")] },
    Carrier { name: "ack", grammar: Grammar::of("ABCm", &["pager"]), options: &[("", "pager")] },
    Carrier { name: "ag", grammar: Grammar::of("ABCmG", &["pager"]), options: &[("", "pager")] },
    Carrier { name: "ssh", grammar: SSH, options: &[("o", "")] },
    Carrier { name: "scp", grammar: SSH, options: &[("oS", "")] },
    Carrier { name: "sftp", grammar: SSH, options: &[("oS", "")] },
    Carrier {
        name: "fzf",
        grammar: Grammar::of("qdfnm", &["preview", "bind", "query", "delimiter"]),
        options: &[("", "preview"), ("", "bind")],
    },
    Carrier { name: "watchman-make", grammar: Grammar::of("pt", &["run"]), options: &[("", "run")] },
    Carrier {
        name: "chokidar",
        grammar: Grammar::of("cdti", &["command"]),
        options: &[("c", "command")],
    },
    Carrier {
        name: "go",
        grammar: Grammar::of("", &["exec", "toolexec"]),
        options: &[("", "exec"), ("", "toolexec")],
    },
    Carrier { name: "man", grammar: Grammar::gnu("PMS", &["pager"]), options: &[("P", "pager")] },
    Carrier { name: "rsync", grammar: Grammar::gnu("ef", &["rsh"]), options: &[("e", "rsh")] },
    Carrier {
        name: "nodemon",
        grammar: Grammar::of("xew", &["exec", "ext", "watch"]),
        options: &[("x", "exec")],
    },
];

const SSH: Grammar = Grammar::wrapper("oSiplFJLRDWbcmEeIQwB", &[]);

/// Options that several words of a value stand behind, and settings of which only some are commands.
const VALUES: [&str; 9] = [
    "exec=",
    "ProxyCommand=",
    "LocalCommand=",
    "KnownHostsCommand=",
    "ProxyCommand ",
    "LocalCommand ",
    "proxycommand=",
    "start:execute(",
    "start:reload(",
];

fn decodes(call: Call<'_>, flags: &[&str]) -> bool {
    call.args.iter().any(|arg| {
        flags.contains(&arg.text.as_str())
            || (arg.text.len() > 3 && "--decode".starts_with(arg.text.as_str()))
    })
}

fn constant(text: &str) -> Stream {
    let unknown = text.contains(UNKNOWN).then_some(Origin::Variable);
    Stream::answered(format!("{text}\n"), unknown)
}
