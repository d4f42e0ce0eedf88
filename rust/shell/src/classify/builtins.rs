//! What a shell does itself: folders, variables, arguments, aliases, and running text in place.

use super::shells::names_nothing;
use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::paths::{Place, Target};
use crate::program::{Call, Declaring};
use crate::scope::{Flow, Status, Variable, unknown_folder};
use std::rc::Rc;

impl Judge<'_> {
    pub(crate) fn push_folder(&mut self, call: Call<'_>) {
        self.scope.push_folder();
        // By itself it takes the folder that was put aside last.
        self.change_folder_or(call, |_| unknown_folder());
    }

    pub(crate) fn pop_folder(&mut self) {
        let folder = self.scope.pop_folder();
        self.scope.enter_folder(folder);
    }

    pub(crate) fn set(&mut self, call: Call<'_>) {
        if self.dialect == Dialect::Fish {
            return self.fish_set(call);
        }
        self.set_options(call);
        self.set_arguments(call);
    }

    pub(crate) fn undefine(&mut self, names: &[Arg]) {
        names.iter().for_each(|arg| self.scope.undefine(&arg.text));
    }

    /// zsh's `unhash -f` and `unhash -a`
    pub(crate) fn unhash(&mut self, call: Call<'_>) -> Option<Stream> {
        if call.has("-f") {
            self.undefine(call.args);
        } else if call.has("-a") {
            self.remove_aliases(&call.args[1..]);
        } else {
            return None;
        }
        Some(Stream::Empty)
    }

    /// fish's `functions`, which copies and removes them.
    pub(crate) fn functions(&mut self, call: Call<'_>) -> Option<Stream> {
        if self.dialect != Dialect::Fish {
            return None;
        }
        self.change_functions(call.args);
        Some(Stream::Empty)
    }

    /// `hash -p path name`
    pub(crate) fn hash(&mut self, call: Call<'_>) {
        if let [option, path, name, ..] = call.args
            && option.is("-p")
        {
            self.scope.set_alias(&name.text, &path.text, None);
        }
    }

    /// `mapfile`, and with -C what it runs in between.
    pub(crate) fn read_lines(&mut self, call: Call<'_>) {
        let options = Grammar::of("dnOsuCc", &[]).split(call.args);
        if let Some(code) = options.value("C", "").cloned() {
            let text = format!("{} {UNKNOWN} {UNKNOWN}", code.text);
            let unknown = Some(code.unknown.unwrap_or(Origin::Variable));
            self.run_here(&text, unknown, call);
        }
        let origin = self.io.stdin.origin().unwrap_or(Origin::Variable);
        let name = call.args.last().filter(|arg| !arg.text.starts_with('-'));
        let name = name.map_or("MAPFILE", |arg| arg.text.as_str());
        self.scope.set(name, Variable::Scalar(Arg::unknown(origin)));
    }

    /// `test -v name`
    pub(crate) fn test_names(&mut self, call: Call<'_>) {
        for pair in call.args.windows(2).filter(|pair| pair[0].is("-v")) {
            self.evaluate_name(&pair[1].text);
        }
    }

    pub(crate) fn change_folder(&mut self, call: Call<'_>) {
        self.change_folder_or(call, |judge| judge.places.home().into());
    }

    /// Goes to the folder that is named, or else to another one.
    fn change_folder_or(&mut self, call: Call<'_>, other: fn(&Self) -> Rc<str>) {
        let mut args = call.args.iter().filter(|arg| !is_cd_option(&arg.text));
        let folder = match args.next() {
            None => other(self),
            Some(arg) if arg.is("-") => self.scope.previous().clone(),
            Some(arg) if arg.text.is_empty() => self.scope.cwd().clone(),
            Some(arg) if arg.text.starts_with('+') => unknown_folder(),
            Some(arg) => self.named(arg).path.into(),
        };
        self.go_to(folder);
    }

    /// Enters a folder, or stays where it is if there may be none.
    pub(crate) fn go_to(&mut self, folder: impl Into<Rc<str>>) {
        let folder = folder.into();
        if folder.contains(UNKNOWN) {
            self.scope.set_own_status(Status::Unknown);
        } else if self.is_there(&folder) {
            self.scope.set_own_status(Status::Expected);
        } else {
            let mut stayed = self.scope.snapshot().ended(Status::Failed);
            // What builds make is missing as often as not; any other folder that somebody names is there.
            let target = Target {
                place: self.places.place(&folder, false),
                path: folder.to_string(),
                way: None,
            };
            let is_known = target.place != Place::Inside || self.hurts(&target);
            stayed.is_unlikely |= is_known && self.questions == 0;
            self.scope.fork(stayed);
            self.scope.set_own_status(Status::Succeeded);
        }
        self.scope.enter_folder(folder);
    }

    /// Whether a folder is one that the line has made, or that is there in any case.
    fn is_there(&self, folder: &str) -> bool {
        let is_above = |path: &str| {
            path.strip_prefix(folder).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('/') || folder.ends_with('/')
            })
        };
        is_above(self.scope.cwd())
            || self.places.always_has(folder)
            || self.made.iter().any(|made| is_above(made))
    }

    /// `set -e`, `set -o errexit`, and their counterparts with a plus.
    fn set_options(&mut self, call: Call<'_>) {
        for (index, arg) in call.args.iter().enumerate() {
            let long = arg.text.ends_with('o') && call.word(index + 1) == "errexit";
            match arg.text.split_at_checked(1) {
                Some(("-", letters))
                    if long || letters.contains('e') && !letters.starts_with('-') =>
                {
                    self.scope.end_on_failure(true);
                }
                Some(("+", letters)) if long || letters.contains('e') => {
                    self.scope.end_on_failure(false);
                }
                Some(("-" | "+", _)) => {}
                _ => break,
            }
        }
    }

    pub(crate) fn leave_shell(&mut self) {
        self.leave(Flow::Exit);
    }

    pub(crate) fn leave_function(&mut self) {
        if self.scope.is_in_function() {
            self.leave(Flow::Return);
        }
    }

    /// `break [levels]`
    pub(crate) fn leave_loops(&mut self, call: Call<'_>) {
        if self.loops > 0 {
            self.leave(Flow::Break(call.word(0).parse().unwrap_or(1)));
        }
    }

    /// `continue [levels]`
    pub(crate) fn continue_loop(&mut self, call: Call<'_>) {
        if self.loops > 0 {
            self.leave(match call.word(0).parse::<u8>() {
                Ok(levels @ 2..) => Flow::Break(levels - 1),
                _ => Flow::Continue,
            });
        }
    }

    /// Behind the command the shell continues elsewhere.
    fn leave(&mut self, flow: Flow) {
        if matches!(self.dialect, Dialect::Bash | Dialect::Fish) {
            self.scope.set_flow(flow);
        }
    }

    fn set_arguments(&mut self, call: Call<'_>) {
        let Some(dashes) = call.args.iter().position(|arg| arg.is("--")) else {
            let first = call
                .args
                .iter()
                .position(|arg| !arg.text.starts_with(['-', '+']));
            // `set -o pipefail` and the like change nothing that is followed.
            let options = call.word(0).starts_with(['-', '+']);
            if let (Some(first), false) = (first, options) {
                self.scope.set_arguments(Some(call.args[first..].into()));
            }
            return;
        };
        self.scope
            .set_arguments(Some(call.args[dashes + 1..].into()));
    }

    pub(crate) fn shift_arguments(&mut self, call: Call<'_>) {
        let Some(arguments) = self.scope.arguments() else {
            return;
        };
        let count = if call.args.is_empty() {
            Some(1)
        } else {
            call.word(0).parse::<usize>().ok()
        };
        let rest = count.map(|count| arguments.get(count..).unwrap_or_default().into());
        self.budget.pay(arguments.len());
        self.scope.set_arguments(rest);
    }

    /// Assignments that only show after folding, as in `export $PAIR` or `declare "$name=x"`.
    pub(crate) fn declare(&mut self, call: Call<'_>) {
        let declaring = call.program.declares();
        let exports = declaring == Some(Declaring::Exported);
        let has = |letters: &[char]| {
            let mut options = call.args.iter().filter(|arg| arg.text.starts_with('-'));
            options.any(|arg| arg.text.contains(letters))
        };
        if has(&['f']) && (exports || has(&['x'])) {
            call.args
                .iter()
                .for_each(|arg| self.scope.export_function(&arg.text));
            return;
        }
        let is_local = declaring == Some(Declaring::Local) && !has(&['g']);
        for arg in call.args {
            self.evaluate_name(&arg.text);
            let (name, value) = match arg.text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (arg.text.as_str(), None),
            };
            let is_name = !name.starts_with('-') && !name.contains(UNKNOWN);
            if is_local && is_name && self.scope.is_in_function() {
                self.scope.make_local(name, true);
                if value.is_none() {
                    self.scope.unset(name);
                }
            }
            if let Some(value) = value.filter(|_| is_name) {
                if has(&['i']) {
                    self.evaluate(value);
                } else if has(&['a', 'A']) && value.starts_with('(') {
                    // A list in quotes is read like one without.
                    self.walk_text(&arg.text, self.dialect);
                    continue;
                }
                let value = arg.with_text(value);
                self.scope.set(name, Variable::Scalar(value));
            }
            if is_name && has(&['n']) && !exports {
                self.scope.refer(name);
            }
        }
    }

    pub(crate) fn read_variables(&mut self, call: Call<'_>) {
        let options = Grammar::of("adinNptu", &[]).split(call.args);
        let names: Vec<&str> = options
            .files()
            .iter()
            .map(|arg| arg.text.as_str())
            .collect();
        let array = options.value("a", "").map(|arg| arg.text.as_str());
        let value = match &self.io.stdin {
            Stream::Text(text) => {
                let line = text.text.trim_end_matches('\n');
                let single = !line.contains('\n') && names.len() == 1 && array.is_none();
                match text.unknown {
                    unknown if single => Arg::partly(line, unknown),
                    unknown => Arg::unknown(unknown.unwrap_or(Origin::Variable)),
                }
            }
            other => Arg::unknown(other.origin().unwrap_or(Origin::Variable)),
        };
        let default = if names.is_empty() && array.is_none() {
            Some("REPLY")
        } else {
            None
        };
        for name in names.into_iter().chain(array).chain(default) {
            self.evaluate_name(name);
            self.scope.set(name, Variable::Scalar(value.clone()));
        }
    }

    pub(crate) fn trap(&mut self, call: Call<'_>) {
        let Some(action) = call.args.iter().find(|arg| !arg.is("--")) else {
            return;
        };
        let resets = action.text.is_empty() || action.text.starts_with('-') || call.args.len() == 1;
        if !resets {
            self.run_here(&action.text, action.unknown, call);
        }
    }

    pub(crate) fn eval(&mut self, call: Call<'_>) -> Stream {
        let mut joined = Arg::default();
        for arg in call.args.iter().skip_while(|arg| arg.is("--")) {
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            joined.join(arg);
        }
        if joined.unknown.is_some() && !joined.is_all_unknown() {
            // Text with unknown parts is not a constant, whatever its known parts do.
            self.unknown_code(joined.unknown, call.text);
        }
        self.run_code(&joined.text, joined.unknown, self.dialect, call, true)
    }

    /// zsh's `emulate [-LR] shell -c text`
    pub(crate) fn emulate(&mut self, call: Call<'_>) -> Option<Stream> {
        let at = call.args.iter().position(|arg| arg.is("-c"))?;
        let text = call.args.get(at + 1)?.clone();
        Some(self.run_code(&text.text, text.unknown, self.dialect, call, true))
    }

    pub(crate) fn source(&mut self, call: Call<'_>) -> Stream {
        let Some(file) = call.args.iter().find(|arg| !arg.is("--") && !arg.is("-")) else {
            // fish reads its input, and `source -` does so everywhere.
            let reads = self.dialect == Dialect::Fish || call.has("-");
            let input = self.io.stdin.clone();
            return if reads {
                self.run_stream(&input, self.dialect, call, true)
            } else {
                Stream::Empty
            };
        };
        if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0") || file.stream().is_some() {
            let input = self.readable(file);
            return self.run_stream(&input, self.dialect, call, true);
        }
        if let Some(saved) = self.saved_as(file) {
            return self.run_stream(&saved, self.dialect, call, true);
        }
        if names_nothing(file) {
            self.unknown_code(file.unknown, call.text);
        }
        Stream::printed(Origin::Program)
    }

    /// `set [options] NAME values…` of fish.
    fn fish_set(&mut self, call: Call<'_>) {
        let mut args = call.args.iter();
        let mut erases = false;
        let (mut block, mut function, mut everywhere) = (false, false, false);
        let name = loop {
            match args.next() {
                Some(arg) if arg.is("-e") || arg.is("--erase") => erases = true,
                Some(arg) if arg.is("-q") || arg.is("--query") || arg.is("-S") => return,
                Some(arg) if arg.text.starts_with("--") => match arg.text.as_str() {
                    "--local" => block = true,
                    "--function" => function = true,
                    "--global" | "--universal" => everywhere = true,
                    _ => {}
                },
                Some(arg) if arg.text.starts_with('-') => {
                    block |= arg.text.contains('l');
                    function |= arg.text.contains('f');
                    everywhere |= arg.text.contains(['g', 'U']);
                }
                Some(arg) => break arg.text.clone(),
                None => return,
            }
        };
        if erases {
            self.scope.unset(&name);
            return;
        }
        let values: Vec<Arg> = args.cloned().collect();
        let name = name.split('[').next().unwrap_or_default();
        let is_new = self.scope.variable(name).is_none() && self.scope.is_in_function();
        if block {
            self.scope.make_local(name, false);
        } else if function || (is_new && !everywhere) {
            self.scope.make_local(name, true);
        }
        match <[Arg; 1]>::try_from(values) {
            Ok([value]) => self.scope.set(name, Variable::Scalar(value)),
            Err(values) => self.scope.set(name, Variable::List(values.into())),
        }
    }
}

fn is_cd_option(text: &str) -> bool {
    matches!(text, "-P" | "-L" | "-e" | "-@" | "-q" | "--") || text.eq_ignore_ascii_case("/d")
}
