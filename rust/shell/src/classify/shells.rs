//! Shells that are given text to run: as an argument, from a stream, from a file.

use super::options::asks_for_help;
use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::program::{Call, Fact};
use crate::scope::Variable;

impl Judge<'_> {
    /// Runs text that is known in part or not at all; `in_place` says that what it sets stays.
    pub(crate) fn run_code(
        &mut self,
        text: &str,
        unknown: Option<Origin>,
        dialect: Dialect,
        call: Call<'_>,
        in_place: bool,
    ) -> Stream {
        let Some(unknown) = unknown else {
            return self.run_known(text, None, dialect, call, in_place);
        };
        if text
            .trim()
            .chars()
            .all(|letter| letter == crate::ir::UNKNOWN)
        {
            self.unknown_code(Some(unknown), call.text);
            return Stream::printed(Origin::Program);
        }
        self.run_known(text, Some(unknown), dialect, call, in_place)
    }

    /// Runs a line of a Unix shell apart.
    pub(crate) fn run_line(&mut self, line: &Arg, call: Call<'_>) -> Stream {
        self.run_code(&line.text, line.unknown, Dialect::Bash, call, false)
    }

    /// Runs text in this shell, at an unknown time: what it sets is lost.
    pub(crate) fn run_here(
        &mut self,
        text: &str,
        unknown: Option<Origin>,
        call: Call<'_>,
    ) -> Stream {
        let mark = self.scope.mark();
        let io = self.io.clone();
        let output = self.run_code(text, unknown, self.dialect, call, true);
        self.io = io;
        self.scope.undo_to(mark);
        output
    }

    fn run_known(
        &mut self,
        text: &str,
        unknown: Option<Origin>,
        dialect: Dialect,
        call: Call<'_>,
        in_place: bool,
    ) -> Stream {
        if !in_place {
            return self.walk_inner(text, unknown, dialect, call.text);
        }
        let origin = std::mem::replace(&mut self.text_origin, unknown.unwrap_or(Origin::Variable));
        let outer = std::mem::replace(&mut self.outer, call.text.clone());
        let output = self.walk_text(text, dialect);
        self.outer = outer;
        self.text_origin = origin;
        output
    }

    /// Runs what can be read from a stream.
    pub(crate) fn run_stream(
        &mut self,
        stream: &Stream,
        dialect: Dialect,
        call: Call<'_>,
        in_place: bool,
    ) -> Stream {
        match stream {
            Stream::Text(text) => {
                // The shell has read its input; what its commands read is not the script.
                let input = std::mem::replace(&mut self.io.stdin, Stream::Inherited);
                let output = self.run_code(&text.text, text.unknown, dialect, call, in_place);
                self.io.stdin = input;
                output
            }
            Stream::File(target) => match self.saved_at(&target.path) {
                Some(Stream::Text(text)) => {
                    self.run_code(&text.text, text.unknown, dialect, call, in_place)
                }
                _ => Stream::printed(Origin::Program),
            },
            _ => Stream::printed(Origin::Program),
        }
    }

    pub(crate) fn unix_shell(
        &mut self,
        call: Call<'_>,
        dialect: Dialect,
        is_posix: bool,
    ) -> Stream {
        let outer = std::mem::replace(&mut self.is_posix, is_posix);
        let output = self.shell_of(call, dialect);
        self.is_posix = outer;
        output
    }

    fn shell_of(&mut self, call: Call<'_>, dialect: Dialect) -> Stream {
        let options = ShellOptions::of(call.args);
        if options.asks || options.checks {
            return Stream::printed(Origin::Program);
        }
        if options.has_command {
            return self.shell_command(options.operands, dialect, call);
        }
        self.shell_script(options.operands, options.reads, dialect, call)
    }

    /// fish, which runs the values of all of its `-C` and then of its `-c`, or a script.
    pub(crate) fn fish_shell(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        if options.has("hv", "help") || options.has("n", "no-execute") || options.has("", "version")
        {
            return Stream::printed(Origin::Program);
        }
        let commands = options.values("c", "command");
        let has_command = options.has("c", "command");
        let mut text = Arg::default();
        for line in options.values("C", "init-command").chain(commands) {
            text.join(line);
            text.text.push('\n');
        }
        let outer = std::mem::replace(&mut self.is_posix, false);
        let mut output = match text.text.is_empty() {
            true => Stream::Empty,
            false => self.run_code(&text.text, text.unknown, Dialect::Fish, call, false),
        };
        if !has_command {
            output = self.shell_script(options.operands, false, Dialect::Fish, call);
        }
        self.is_posix = outer;
        output
    }

    /// A script in a file, or in the input where no file is named or the input is asked for.
    fn shell_script(
        &mut self,
        operands: &[Arg],
        stdin: bool,
        dialect: Dialect,
        call: Call<'_>,
    ) -> Stream {
        if (stdin || operands.is_empty()) && self.is_given_away() {
            self.network_shell(call.text);
            return Stream::printed(Origin::Download);
        }
        self.shell_file(operands, stdin, dialect, call)
    }

    /// `-c text name arguments…`
    fn shell_command(&mut self, operands: &[Arg], dialect: Dialect, call: Call<'_>) -> Stream {
        let Some(command) = operands.first() else {
            return Stream::Empty;
        };
        let mark = self.scope.mark();
        // Without a name of its own the script is called as the shell is.
        let name = operands.get(1).cloned();
        let name = name.unwrap_or_else(|| Arg::new(call.name));
        self.scope.set("0", Variable::Scalar(name));
        let arguments = operands.get(2..).filter(|arguments| !arguments.is_empty());
        self.scope.set_arguments(arguments.map(Into::into));
        let output = self.run_code(&command.text, command.unknown, dialect, call, false);
        self.scope.undo_to(mark);
        output
    }

    fn shell_file(
        &mut self,
        operands: &[Arg],
        stdin: bool,
        dialect: Dialect,
        call: Call<'_>,
    ) -> Stream {
        let file = operands.first().filter(|file| !stdin && !file.is("-"));
        let Some(file) = file else {
            let input = self.io.stdin.clone();
            let outer = self.scope.arguments();
            self.scope
                .set_arguments(operands.get(usize::from(!stdin)..).map(Into::into));
            let output = self.run_stream(&input, dialect, call, false);
            self.scope.restore_arguments(outer);
            return output;
        };
        if file.stream().is_some() || matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0") {
            let input = self.readable(file);
            return self.run_stream(&input, dialect, call, false);
        }
        let name = file.text.rsplit(['/', '\\']).next().unwrap_or_default();
        if self.knows(name, Fact::ShellScript) {
            return self.command(operands, call.text);
        }
        if let Some(saved) = self.saved_as(file) {
            return self.run_stream(&saved, dialect, call, false);
        }
        self.script_file(file, call)
    }

    /// A script that an interpreter is given by its path.
    pub(crate) fn script_file(&mut self, file: &Arg, call: Call<'_>) -> Stream {
        if names_nothing(file) {
            self.unknown_code(file.unknown, call.text);
        }
        Stream::printed(Origin::Program)
    }

    /// `su [-] [user] -c text`
    pub(crate) fn switch_user(&mut self, call: Call<'_>, runs_operands: bool) -> Stream {
        let options = Grammar::gnu(
            "cgGswu",
            &["command", "session-command", "group", "shell", "user"],
        );
        let options = options.split(call.args);
        let command = options
            .value("c", "command")
            .or_else(|| options.value("", "session-command"));
        if let Some(command) = command {
            return self.run_line(command, call);
        }
        let after = call
            .args
            .iter()
            .position(|arg| arg.is("--"))
            .map(|at| at + 1);
        match after.and_then(|at| call.args.get(at..)) {
            Some(rest) if runs_operands => self.command(rest, call.text),
            None if runs_operands && options.has("u", "user") => {
                let options = Grammar::wrapper("cgGswu", &["user", "group"]).split(call.args);
                self.command(options.operands, call.text)
            }
            _ => {
                let input = self.io.stdin.clone();
                self.run_stream(&input, Dialect::Bash, call, false)
            }
        }
    }

    /// `script [-q] [-c text] [file [command…]]`
    pub(crate) fn script_recorder(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::wrapper(
            "cEIOBTmo",
            &[
                "command",
                "echo",
                "log-in",
                "log-out",
                "log-io",
                "log-timing",
            ],
        );
        let options = options.split(call.args);
        if !asks_for_help(call) {
            let logs: Vec<&Arg> = options.values("IOBT", "log-out").collect();
            self.leaves_at(&logs);
            self.leaves_at(options.operands.first().as_slice());
        }
        let behind = Grammar::gnu("cEIOBTmo", &["command"]).split(call.args);
        if let Some(command) = options
            .value("c", "command")
            .or_else(|| behind.value("c", "command"))
        {
            return self.run_line(command, call);
        }
        // macOS has the command behind the file.
        self.command(options.operands.get(1..).unwrap_or_default(), call.text)
    }
}

/// Whether a path says nothing about which script it is.
pub(super) fn names_nothing(file: &Arg) -> bool {
    let base = file.text.rsplit(['/', '\\']).next().unwrap_or_default();
    file.unknown.is_some() && base.trim_matches(UNKNOWN).is_empty()
}

/// The options of a Unix shell, whose letters may be bundled in any order.
#[derive(Default)]
struct ShellOptions<'a> {
    /// `-c`: the first operand is a script.
    has_command: bool,
    /// `-s`
    reads: bool,
    /// `-n`
    checks: bool,
    /// `--help`, `--version`
    asks: bool,
    operands: &'a [Arg],
}

impl<'a> ShellOptions<'a> {
    fn of(args: &'a [Arg]) -> Self {
        let mut options = Self::default();
        let mut index = 0;
        while let Some(arg) = args.get(index) {
            let text = arg.text.as_str();
            if text == "--" || text == "-" {
                index += 1;
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                match long {
                    "help" | "version" => options.asks = true,
                    "rcfile" | "init-file" => index += 1,
                    _ => {}
                }
            } else if text.len() > 1 && text.starts_with(['-', '+']) {
                if text.starts_with('-') {
                    options.has_command |= text.contains('c');
                    options.reads |= text.contains('s');
                    options.checks |= text.contains('n');
                }
                index += usize::from(text.contains(['o', 'O']));
            } else {
                break;
            }
            index += 1;
        }
        options.operands = args.get(index..).unwrap_or_default();
        options
    }
}
