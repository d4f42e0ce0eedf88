//! Terminals that a program keeps or opens, and what is started or typed in them.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::kinds::FindingKind;
use crate::program::Call;

/// Subcommands of tmux that start a command, and their options that have a value.
#[rustfmt::skip]
const STARTS: &[(&[&str], &str)] = &[
    (&["new-session", "new"], "ceFfnstxy"),
    (&["new-window", "neww"], "ceFnt"),
    (&["split-window", "splitw"], "ceFlpt"),
    (&["respawn-pane", "respawnp", "respawn-window", "respawnw"], "cet"),
    (&["run-shell", "run"], "cdt"),
    (&["display-popup", "popup"], "bcdehsStTwxy"),
    (&["pipe-pane", "pipep"], "t"),
];

impl Judge<'_> {
    /// A terminal that gets a command behind one of these words.
    pub(super) fn window(&mut self, words: &[&str], call: Call<'_>) -> Option<Stream> {
        let is_marker = |arg: &Arg| words.contains(&arg.text.as_str());
        let at = call.args.iter().position(is_marker)?;
        self.text_or_command(&call.args[at + 1..], call);
        Some(Stream::printed(Origin::Program))
    }

    pub(crate) fn detached(&mut self, skipped: usize, call: Call<'_>) -> Stream {
        self.wrapper(skipped, call);
        Stream::printed(Origin::Program)
    }

    /// `zellij run -- command`
    pub(crate) fn zellij(&mut self, call: Call<'_>) -> Option<Stream> {
        let at = call.args.iter().position(|arg| arg.is("--"))?;
        let runs = call.word(0) == "run";
        runs.then(|| {
            self.command(&call.args[at + 1..], call.text);
            Stream::printed(Origin::Program)
        })
    }

    /// tmux, whose commands are separated by arguments that are a semicolon.
    pub(crate) fn multiplexer(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::wrapper("LSfcT", &[]).split(call.args);
        for command in options.operands.split(|arg| arg.is(";")) {
            let Some((subcommand, args)) = command.split_first() else {
                continue;
            };
            let name = subcommand.text.as_str();
            let mut starts = STARTS.iter();
            if let Some((_, valued)) = starts.find(|(names, _)| names.contains(&name)) {
                let options = Grammar::wrapper(valued, &[]).split(args);
                self.text_or_command(options.operands, call);
            } else if matches!(name, "send-keys" | "send") {
                let options = Grammar::wrapper("cNt", &[]).split(args);
                self.typed(options.operands, call);
            } else if matches!(name, "if-shell" | "if") {
                self.tmux_branch(args, call);
            }
        }
        Stream::printed(Origin::Program)
    }

    /// `if-shell condition command [command]`: a line for a shell, and lines for tmux.
    fn tmux_branch(&mut self, args: &[Arg], call: Call<'_>) {
        let options = Grammar::wrapper("t", &[]).split(args);
        let is_shell = !options.has("F", "");
        for (at, text) in options.operands.iter().enumerate() {
            let line = match at {
                0 if !is_shell => continue,
                0 => text.text.clone(),
                _ => format!("tmux {}", text.text).into(),
            };
            self.run_code(&line, text.unknown, Dialect::Bash, call, false);
        }
    }

    pub(crate) fn screen(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::wrapper("SceEhpstT", &[]).split(call.args);
        let inner = options.operands;
        if options.has("X", "") {
            match inner.split_first() {
                Some((first, keys)) if first.is("stuff") => self.typed(keys, call),
                Some((first, rest)) if first.is("exec") || first.is("screen") => {
                    self.command(rest, call.text);
                }
                _ => {}
            }
        } else if !options.has("rRxl", "") {
            self.command(inner, call.text);
        }
        Stream::printed(Origin::Program)
    }

    /// One text for a shell, or a command with its arguments.
    fn text_or_command(&mut self, words: &[Arg], call: Call<'_>) {
        match words {
            [text] => self.run_line(text, call),
            words => self.command(words, call.text),
        };
    }

    /// What is typed may be meant for a shell or for anything else, so that only its dangers matter.
    fn typed(&mut self, keys: &[Arg], call: Call<'_>) {
        let mut text = String::new();
        for key in keys {
            match key.text.as_str() {
                "Enter" | "C-m" | "C-j" | "KPEnter" => text.push('\n'),
                "Space" => text.push(' '),
                name if name.starts_with("C-") || name.starts_with("M-") => {}
                typed => text.push_str(typed),
            }
        }
        // screen writes the end of a line like this.
        let text = text.replace("\\n", "\n").replace("\\015", "\n");
        let unknown = keys.iter().filter_map(|key| key.unknown).max();
        let since = self.findings.since();
        self.run_code(&text, unknown, Dialect::Bash, call, false);
        self.findings.keep(since, |kind| {
            matches!(kind, FindingKind::Destructive | FindingKind::RemoteCode)
        });
    }
}
