//! Project runners whose subcommand runs another command: `poetry run`, `npx`, `bundle exec`.

use crate::args::Grammar;
use crate::ir::{Arg, Stream};
use crate::judge::Judge;
use crate::program::Call;

#[rustfmt::skip]
const PACKAGE: Grammar = Grammar::wrapper(
    "pcw",
    &["package", "call", "workspace", "from", "with", "python", "spec"],
);

impl Judge<'_> {
    /// Runs what follows a subcommand and some operands of its own.
    pub(super) fn starter(
        &mut self,
        words: &[&str],
        skipped: usize,
        call: Call<'_>,
    ) -> Option<Stream> {
        let rest = behind_subcommand(words, call)?;
        let operands = behind_dashes(leading(call).split(rest).operands);
        Some(self.command(operands.get(skipped..).unwrap_or_default(), call.text))
    }

    pub(crate) fn npm(&mut self, call: Call<'_>) -> Option<Stream> {
        if let Some(rest) = behind_subcommand(&["explore"], call) {
            let inner = rest.get(1..).unwrap_or_default();
            return Some(self.command(behind_dashes(inner), call.text));
        }
        let rest = behind_subcommand(&["exec", "x"], call)?;
        Some(self.package_runner(rest, call))
    }

    /// `bun x package`, or a script.
    pub(crate) fn bun(&mut self, call: Call<'_>) -> Option<Stream> {
        match behind_subcommand(&["x"], call) {
            Some(rest) => Some(self.package_runner(rest, call)),
            None => self.bun_script(call),
        }
    }

    /// `uv run command`, a module, or a script on the standard input.
    pub(crate) fn uv(&mut self, call: Call<'_>) -> Option<Stream> {
        let rest = behind_subcommand(&["run"], call)?;
        let inner = call.program.grammar.split(rest);
        let operands = behind_dashes(inner.operands);
        Some(if inner.flags.iter().any(|flag| flag.name == "m") {
            self.named_script("python", rest, call)
        } else if operands.first().is_some_and(|arg| arg.is("-")) {
            self.named_script("python", operands, call)
        } else {
            self.command(operands, call.text)
        })
    }

    pub(crate) fn pipx(&mut self, call: Call<'_>) -> Stream {
        let before = PACKAGE.split(call.args).operands;
        match before.split_first() {
            Some((run, rest)) if run.is("run") => self.package_runner(rest, call),
            _ => self.package_runner(call.args, call),
        }
    }

    /// `coverage run -m module` or a script.
    pub(crate) fn coverage(&mut self, call: Call<'_>) -> Option<Stream> {
        let rest = behind_subcommand(&["run"], call)?;
        Some(self.named_script("python", rest, call))
    }

    /// `nix develop -c command`
    pub(crate) fn nix_command(&mut self, call: Call<'_>) -> Option<Stream> {
        let rest = behind_subcommand(&["develop", "shell"], call)?;
        let is_marker = |arg: &Arg| arg.is("-c") || arg.is("--command");
        let at = rest.iter().position(is_marker)?;
        Some(self.command(&rest[at + 1..], call.text))
    }

    pub(crate) fn nix_shell(&mut self, call: Call<'_>) -> Option<Stream> {
        let options = call.options();
        let text = options.value("", "run").or(options.value("", "command"))?;
        Some(self.run_line(text, call))
    }

    /// `perf stat command` and its like; what is measured goes to the terminal or to a file.
    pub(crate) fn perf(&mut self, call: Call<'_>) -> Option<Stream> {
        let operands = leading(call).split(call.args).operands;
        let (subcommand, rest) = operands.split_first()?;
        let short = match subcommand.text.as_str() {
            "stat" => "eoptCrxIGDM",
            "record" => "eoptCFcmujDkGr",
            "trace" => "eoptCumDG",
            _ => return None,
        };
        let options = Grammar::wrapper(short, &PERF_VALUES).split(rest);
        let files: Vec<&Arg> = options.values("o", "output").collect();
        self.leaves_at(&files);
        Some(self.command(behind_dashes(options.operands), call.text))
    }

    /// `ip netns exec name command`
    pub(crate) fn in_namespace(&mut self, call: Call<'_>) -> Option<Stream> {
        let inner = call.args.get(3..).unwrap_or_default();
        let runs = call.word(0) == "netns" && call.word(1) == "exec";
        runs.then(|| self.command(inner, call.text))
    }

    /// `npx [options] package arguments…`, or a text with -c.
    pub(crate) fn package_runner(&mut self, args: &[Arg], call: Call<'_>) -> Stream {
        let options = PACKAGE.split(args);
        if let Some(text) = options.value("c", "call") {
            return self.run_line(text, call);
        }
        let mut operands = behind_dashes(options.operands).to_vec();
        if let Some(first) = operands.first_mut() {
            // The version is no part of the name, and a scope is no folder.
            let at = first.text.get(1..).and_then(|rest| rest.find('@'));
            if let Some(at) = at {
                first.text.truncate(at + 1);
            }
            if first.text.starts_with('@') {
                first.text = first.text.replace("/", "-");
            }
        }
        self.command(&operands, call.text)
    }
}

/// Options of perf's subcommands whose value may be the next argument.
#[rustfmt::skip]
const PERF_VALUES: [&str; 23] = [
    "event", "output", "pid", "tid", "cpu", "repeat", "field-separator", "interval-print", "interval-count", "timeout",
    "cgroup", "delay", "metrics", "freq", "count", "mmap-pages", "uid", "clockid", "realtime", "call-graph", "filter",
    "pre", "post",
];

/// The program's grammar, where options end at the first operand.
fn leading(call: Call<'_>) -> Grammar {
    Grammar {
        operands_last: true,
        ..call.program.grammar
    }
}

/// The arguments behind one of these subcommands.
fn behind_subcommand<'c>(words: &[&str], call: Call<'c>) -> Option<&'c [Arg]> {
    let (subcommand, rest) = leading(call).split(call.args).operands.split_first()?;
    words.contains(&subcommand.text.as_str()).then_some(rest)
}

fn behind_dashes(operands: &[Arg]) -> &[Arg] {
    match operands.split_first() {
        Some((first, rest)) if first.is("--") => rest,
        _ => operands,
    }
}
