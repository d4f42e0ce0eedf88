//! Programs that run their own arguments as a command, each by its own grammar of options.

use crate::analysis::Dialect;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;
use crate::scope::Variable;
use siderail_syntax::excerpt::Excerpt;

/// Variables whose value other programs run.
#[rustfmt::skip]
const RUNNING: [&str; 17] = [
    "PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND",
    "GIT_SSH", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "PROMPT_COMMAND",
    "LESSOPEN", "RSYNC_RSH", "BROWSER",
];

impl Judge<'_> {
    /// Runs the operands behind those of its own. busybox lists itself, ionice and strace work on what runs already.
    pub(super) fn wrapper(&mut self, skipped: usize, call: Call<'_>) -> Stream {
        let operands = call.options().operands;
        self.command(operands.get(skipped..).unwrap_or_default(), call.text)
    }

    /// `entr -s text`
    pub(crate) fn entered(&mut self, call: Call<'_>) -> Option<Stream> {
        if !call.args.iter().any(|arg| arg.has_letter('s')) {
            return None;
        }
        let text = call.options().operands.first()?;
        Some(self.run_line(text, call))
    }

    /// `ssh-agent command`; without one it prints what sets up a shell.
    pub(crate) fn agent(&mut self, call: Call<'_>) -> Option<Stream> {
        let runs = call.args.iter().any(|arg| !arg.text.starts_with('-'));
        runs.then(|| self.wrapper(0, call))
    }

    pub(crate) fn bound(&mut self, call: Call<'_>) -> Stream {
        self.command(behind_bindings(call.args), call.text)
    }

    /// `cross-env NAME=value command`
    pub(crate) fn assigned(&mut self, call: Call<'_>) -> Stream {
        let rest = self.skip_assignments(call.args);
        self.command(rest, call.text)
    }

    pub(crate) fn env(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let mark = self.scope.mark();
        if let Some(folder) = options.value("C", "chdir") {
            let path = self.target(folder).path;
            self.scope.enter_folder(path);
        }
        let split = options
            .flags
            .iter()
            .find(|flag| flag.is("S", "split-string"));
        // What is split comes before the other arguments, and only then are they looked at.
        let rest = match split {
            Some(flag) => call.args.get(flag.behind..).unwrap_or_default(),
            None => self.skip_assignments(options.operands),
        };
        let output = match split.and_then(|flag| flag.value.as_deref()) {
            Some(text) if text.unknown.is_none() => {
                let words = text.text.split_ascii_whitespace().count();
                self.budget.pay(words);
                let outer = self.scope.arguments();
                self.scope.set_arguments(Some(rest.into()));
                let output = self.run_code(
                    &format!("env {} \"$@\"", text.text),
                    None,
                    Dialect::Bash,
                    call,
                    false,
                );
                self.scope.restore_arguments(outer);
                output
            }
            Some(text) => {
                self.unknown_code(text.unknown, call.text);
                Stream::printed(Origin::Program)
            }
            None if rest.is_empty() => Stream::printed(Origin::Program),
            None => self.command(rest, call.text),
        };
        self.scope.undo_to(mark);
        output
    }

    /// Skips `NAME=value`, looking at what it sets.
    pub(super) fn skip_assignments<'c>(&mut self, args: &'c [Arg]) -> &'c [Arg] {
        let mut rest = args;
        while let Some((first, more)) = rest.split_first() {
            let Some((name, value)) = first.assignment() else {
                break;
            };
            let value = first.with_text(value);
            self.environment(name, &value, "");
            rest = more;
        }
        rest
    }

    pub(crate) fn sudo(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let mark = self.scope.mark();
        if let Some(folder) = options.value("D", "chdir") {
            let path = self.target(folder).path;
            self.scope.enter_folder(path);
        }
        let edits = options.has("e", "edit");
        let rest = self.skip_assignments(options.operands);
        let output = if edits {
            Stream::Empty
        } else if rest.is_empty() && options.has("is", "login") {
            // A shell, which reads what it is fed.
            self.command(&[Arg::new("sh")], call.text)
        } else {
            self.command(rest, call.text)
        };
        self.scope.undo_to(mark);
        output
    }

    /// `command`, and with -v the question where a command is.
    pub(crate) fn command_builtin(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        if options.has("vV", "") {
            return self.located(options.operands);
        }
        // It skips functions of the same name.
        self.command(options.operands, call.text)
    }

    /// What `which` prints: a path that ends in the name.
    pub(crate) fn located(&mut self, names: &[Arg]) -> Stream {
        let name = names.iter().find(|arg| !arg.text.starts_with('-'));
        match name.and_then(Arg::known) {
            Some(name) => {
                let base = name.rsplit('/').next().unwrap_or(name);
                Stream::answered(format!("/usr/bin/{base}\n"), None)
            }
            None => Stream::printed(Origin::Variable),
        }
    }

    /// `watch words…`, which are one text for a shell, or with -x a command.
    pub(crate) fn watch(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        if options.has("x", "exec") {
            return self.command(options.operands, call.text);
        }
        let Some((first, rest)) = options.operands.split_first() else {
            return Stream::Empty;
        };
        let mut line = first.clone();
        for word in rest {
            line.text.push(' ');
            line.join(word);
        }
        self.run_line(&line, call)
    }

    /// `flock [options] file command…`, or with -c a text.
    pub(crate) fn flock(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let rest = options.operands.get(1..).unwrap_or_default();
        match rest {
            [flag, text, ..] if flag.is("-c") || flag.is("--command") => self.run_line(text, call),
            rest => self.command(rest, call.text),
        }
    }

    /// `sg group [-c] text`
    pub(crate) fn switch_group(&mut self, call: Call<'_>) -> Stream {
        let mut words = call.args.iter().skip(1);
        match words.find(|word| !word.is("-c")) {
            Some(text) => self.run_line(text, call),
            None => Stream::printed(Origin::Program),
        }
    }

    /// `chroot [options] folder command…`
    pub(crate) fn change_root(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let Some((folder, inner)) = options.operands.split_first() else {
            return Stream::Empty;
        };
        let mark = self.scope.mark();
        let path = self.target(folder).path;
        self.scope.enter_folder(path);
        let output = self.command(inner, call.text);
        self.scope.undo_to(mark);
        output
    }

    /// `setarch [machine] [options] command…`
    pub(crate) fn change_machine(&mut self, call: Call<'_>) -> Stream {
        const MACHINES: [&str; 6] = ["x86_64", "i386", "i686", "aarch64", "linux32", "linux64"];
        let named = MACHINES.contains(&call.word(0));
        let rest = call.args.get(usize::from(named)..).unwrap_or_default();
        let options = call.program.grammar.split(rest);
        self.command(options.operands, call.text)
    }

    /// What follows `--` is the arguments of a program that is always the same.
    pub(crate) fn behind_marker(&mut self, call: Call<'_>, program: &str) -> Option<Stream> {
        let at = call.args.iter().position(|arg| arg.is("--"))?;
        Some(self.named_script(program, &call.args[at + 1..], call))
    }

    /// `start-stop-daemon --start --exec program -- arguments…`
    pub(crate) fn daemon(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let starts = options.has("S", "start");
        let program = options.value("a", "startas").or(options.value("x", "exec"));
        let argv: Vec<Arg> = program
            .filter(|_| starts)
            .into_iter()
            .chain(options.files().iter().copied())
            .cloned()
            .collect();
        self.command(&argv, call.text)
    }

    /// Programs of which every operand is a command line.
    pub(crate) fn texts(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        for text in options.files() {
            self.run_line(text, call);
        }
        Stream::printed(Origin::Program)
    }

    pub(crate) fn debugger(&mut self, call: Call<'_>) -> Stream {
        let marker = call
            .args
            .iter()
            .position(|arg| arg.is("--args") || arg.is("--") || arg.is("record"));
        match marker.and_then(|at| call.args.get(at + 1..)) {
            Some(inner) => self.command(inner, call.text),
            None => Stream::printed(Origin::Program),
        }
    }

    /// Variables through which programs run other commands: editors, pagers, hooks.
    pub(crate) fn environment(&mut self, name: &str, value: &Arg, text: &str) {
        if name.starts_with("GIT_CONFIG_") {
            // git reads its settings from there.
            self.scope.set(name, Variable::Scalar(value.clone()));
        }
        let runs = RUNNING.contains(&name);
        if value.unknown.is_some() || !(runs || name == "PS4") {
            return;
        }
        let outer = std::mem::take(&mut self.io);
        let text: Excerpt = if text.is_empty() {
            self.outer.clone()
        } else {
            text.into()
        };
        if name == "PS4" {
            // A prompt, in which only expansions run.
            let depth = self.budget.depth();
            let limit = crate::budget::DEPTH_LIMIT;
            if let Ok(word) = siderail_syntax::bash::parse_text(&value.text, depth, limit) {
                self.fold_one(&word);
            }
        } else {
            self.walk_inner(&value.text, None, Dialect::Bash, &text);
        }
        self.io = outer;
    }
}

/// The command behind the options of bubblewrap, of which most have a value and some have two.
fn behind_bindings(args: &[Arg]) -> &[Arg] {
    let mut rest = args;
    while let Some((first, more)) = rest.split_first() {
        let Some(name) = first.text.strip_prefix("--") else {
            break;
        };
        let values = match name {
            "" => return more,
            "setenv" | "symlink" | "chmod" | "file" => 2,
            _ if name.contains("bind") => 2,
            _ if name.starts_with("unshare-") || name.starts_with("die-") => 0,
            "share-net" | "new-session" | "clearenv" | "as-pid-1" | "disable-userns" => 0,
            _ => 1,
        };
        rest = more.get(values..).unwrap_or_default();
    }
    rest
}
