//! Runs one simple command: words, redirections, assignments, then the tables, then what became of its output.

use super::analysis::Dialect;
use super::connections::is_connection;
use super::inputs::{gathered, is_input};
use super::ir::{Arg, Descriptor, Io, Origin, Pattern, Sink, Stream};
use super::judge::Judge;
use super::paths::Target;
use super::program::{Declaring, Fact};
use super::programs;
use super::reports::{WHY_EMPTIES, WHY_TEXT};
use super::scope::{Status, Variable};
use siderail_syntax::tree::{Assignment, Operator, Part, Redirect, Script, Simple, Value, Word};
use std::rc::Rc;

/// What redirections leave behind besides the changed streams.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// The scripts of `>(…)`.
    pub(super) readers: Vec<Rc<Script>>,
    /// Project files that were opened for writing.
    pub(super) written: Vec<Target>,
}

impl Judge<'_> {
    pub(super) fn simple_command(&mut self, simple: &Simple) -> Stream {
        let since = std::mem::replace(&mut self.command_since, self.findings.since());
        // Not for what runs while the words are read.
        let gathers = self.gathers.take();
        let value = self.expression(simple);
        let (args, all_plain) = if value.is_some() {
            (Vec::new(), false)
        } else {
            self.fold_command(&simple.words)
        };
        self.note_command(simple, &args, all_plain);
        // Without redirections of its own a command leaves its streams as they are.
        let outer = (!simple.redirects.is_empty()).then(|| self.io.clone());
        let mut applied = self.redirect(&simple.redirects, gathers);
        self.check_devices(&simple.text);
        let output = if let Some(value) = value {
            value
        } else if args.is_empty() {
            // It ends as its last substitution does.
            let status = match simple.assigns_plainly() {
                true => Status::Expected,
                false => Status::Unknown,
            };
            self.scope.set_status(status);
            self.only_assignments(simple, &applied)
        } else {
            // Until whoever knows the command says more.
            self.scope.set_status(Status::Unknown);
            let is_searched = all_plain && self.is_in_line();
            self.with_assignments(simple, &args, is_searched)
        };
        self.saved(&output, &simple.text);
        applied
            .readers
            .extend(args.iter().filter_map(|arg| arg.reader().cloned()));
        // What is to come flows into the readers of `exec > >(…)`.
        let lasts = is_lasting(&args);
        let to_come = lasts.then(|| Stream::printed(Origin::Program));
        self.feed_readers(&applied.readers, to_come.as_ref().unwrap_or(&output));
        let flows = matches!(self.io.stdout, Sink::Captured | Sink::Inherited);
        if lasts {
            self.n_lasting += 1;
        } else if let Some(outer) = outer {
            self.io = outer;
        }
        self.command_since = since;
        if flows { output } else { Stream::Empty }
    }

    /// What a PowerShell expression prints, if the statement is one.
    fn expression(&mut self, simple: &Simple) -> Option<Stream> {
        let [word] = simple.words.as_slice() else {
            return None;
        };
        if !simple.is_expression {
            return None;
        }
        if let [Part::Substitution { script, .. }] = &word.parts[..] {
            return Some(self.capture(script));
        }
        let value = self.fold_one(word);
        Some(self.expression_value(&value))
    }

    /// A line part without a command word: its assignments stay, its redirections create files.
    fn only_assignments(&mut self, simple: &Simple, applied: &Applied) -> Stream {
        for assignment in &simple.assignments {
            self.assign(assignment, false);
        }
        if !applied.written.is_empty() {
            self.writes(&simple.text, WHY_EMPTIES, &applied.written);
        }
        // `$(< file)`
        let Stream::File(target) = self.io.stdin.clone() else {
            return Stream::Empty;
        };
        // zsh prints the file, and bash in `$(< file)`.
        let prints = match self.io.stdout {
            Sink::Captured => true,
            Sink::Inherited => simple.redirects.iter().any(|redirect| {
                redirect.operator == Operator::Read && redirect.fd.unwrap_or(0) == 0
            }),
            _ => false,
        };
        if simple.assignments.is_empty() && prints && self.dialect != Dialect::Fish {
            self.reads(&simple.text, std::slice::from_ref(&target));
            return Stream::printed(Stream::File(target).origin().unwrap_or(Origin::Elsewhere));
        }
        Stream::Empty
    }

    fn with_assignments(&mut self, simple: &Simple, args: &[Arg], is_searched: bool) -> Stream {
        if simple.assignments.is_empty() {
            return self.maybe_aliased(simple, args, is_searched);
        }
        let declaring = simple
            .words
            .first()
            .and_then(Word::bare)
            .and_then(|name| programs::find(name).declares());
        let declares = declaring.is_some();
        let has_option = |letter| {
            let mut options = args.iter().filter(|arg| arg.text.starts_with('-'));
            declares && options.any(|arg| arg.text.contains(letter))
        };
        let refers = has_option('n');
        let counts = has_option('i');
        for assignment in &simple.assignments {
            if declares {
                self.declares_local(declaring, args, &assignment.name);
                self.assign(assignment, true);
                if refers {
                    self.scope.refer(&assignment.name);
                }
                if let (true, Some(Variable::Scalar(value))) =
                    (counts, self.scope.variable(&assignment.name))
                {
                    let value = value.text.clone();
                    self.evaluate(&value);
                }
            } else {
                let value = match &assignment.value {
                    Value::Scalar(word) => self.fold_one(word),
                    Value::List(words) => self.fold(words).into_iter().next().unwrap_or_default(),
                };
                self.environment(&assignment.name, &value, &simple.text);
                if args.iter().any(|arg| arg.text.starts_with("--config-env")) {
                    // git takes a setting from the variable.
                    self.scope.set(&assignment.name, Variable::Scalar(value));
                }
            }
        }
        self.maybe_aliased(simple, args, is_searched)
    }

    /// A variable that a function declares is its own, unless it says otherwise.
    fn declares_local(&mut self, declaring: Option<Declaring>, args: &[Arg], name: &str) {
        let is_global = args.iter().any(|arg| arg.has_letter('g'));
        if declaring == Some(Declaring::Local) && !is_global {
            self.scope.make_local(name, true);
        }
    }

    fn assign(&mut self, assignment: &Assignment, declares: bool) {
        if let Some(index) = &assignment.index {
            match &index.parts[..] {
                // A declaration is given the subscript as text, and expands it once more.
                [Part::Evaluated(index)] if declares => {
                    let text = self.fold_one(index).text;
                    self.evaluate_name(&format!("x[{text}]"));
                }
                _ => drop(self.fold_one(index)),
            }
        }
        let value = match &assignment.value {
            Value::Scalar(word) => Variable::Scalar(self.fold_one(word)),
            Value::List(words) => Variable::List(self.fold(words).into()),
        };
        let name = assignment.name.as_str();
        if let Variable::Scalar(value) = &value {
            self.environment(name, value, "");
        }
        let value = match (value, self.scope.variable(name)) {
            (value, None) if assignment.index.is_none() => value,
            (value, _) if !assignment.append && assignment.index.is_none() => value,
            (Variable::Scalar(more), Some(Variable::Scalar(old))) if assignment.index.is_none() => {
                let mut joined = old.clone();
                joined.join(&more);
                self.budget.pay(joined.text.len() / 4);
                Variable::Scalar(joined)
            }
            (Variable::List(more), Some(Variable::List(old))) if assignment.append => {
                self.budget.pay(old.len() + more.len());
                Variable::List(old.iter().chain(more.iter()).cloned().collect())
            }
            _ => Variable::Scalar(Arg::unknown(Origin::Variable)),
        };
        self.scope.set(name, value);
    }

    /// Applies redirections to the streams of the command to come.
    /// `gathers`: the command reads all of its inputs, and this is what it has already.
    pub(super) fn redirect(
        &mut self,
        redirects: &[Redirect],
        mut gathers: Option<Stream>,
    ) -> Applied {
        let mut applied = Applied::default();
        for redirect in redirects {
            let arg = self.fold_one(&redirect.target);
            self.budget.pay(arg.text.len() / 8);
            self.names_arg(&arg);
            self.redirect_one(redirect, &arg, &mut applied);
            if let Some(earlier) = gathers.as_mut().filter(|_| is_input(redirect)) {
                let later = std::mem::replace(&mut self.io.stdin, Stream::Empty);
                *earlier = gathered(std::mem::replace(earlier, Stream::Empty), later);
                self.io.stdin = earlier.clone();
            }
        }
        applied
    }

    /// `{name}<`: a descriptor that the shell chooses, and keeps in the variable.
    fn chosen_descriptor(&mut self, name: &str) -> u8 {
        let taken = |fd: u8| self.io.others.iter().any(|(other, _)| *other == fd);
        let fd = (FIRST_CHOSEN..u8::MAX)
            .find(|fd| !taken(*fd))
            .unwrap_or(u8::MAX);
        let value = Variable::Scalar(Arg::new(fd.to_string()));
        self.scope.set(name, value);
        fd
    }

    fn redirect_one(&mut self, redirect: &Redirect, arg: &Arg, applied: &mut Applied) {
        let fd = match &redirect.variable {
            // `{name}<&-` closes what it names.
            Some(_) if arg.is("-") => return,
            Some(name) => Some(self.chosen_descriptor(name)),
            None => redirect.fd,
        };
        match redirect.operator {
            Operator::Text => {
                let stream = Stream::supplied(arg.text.clone(), arg.unknown);
                self.io.connect(fd.unwrap_or(0), Descriptor::In(stream));
            }
            Operator::Read => {
                let stream = self.readable(arg);
                self.io.connect(fd.unwrap_or(0), Descriptor::In(stream));
            }
            Operator::ReadWrite if fd.unwrap_or(0) == 0 => {
                self.io.stdin = self.readable(arg);
            }
            Operator::Write | Operator::ReadWrite => {
                let sink = self.writable(redirect, arg, applied);
                self.io.connect(fd.unwrap_or(1), Descriptor::Out(sink));
            }
            Operator::WriteBoth => {
                let sink = self.writable(redirect, arg, applied);
                self.io.stdout = sink.clone();
                self.io.stderr = sink;
            }
            Operator::DuplicateIn => {
                if let Some(descriptor) = self.io.descriptor(&arg.text) {
                    // What two descriptors hold is copied when one of them gathers more.
                    if let Descriptor::In(Stream::Text(text)) = &descriptor {
                        self.budget.pay(text.text.len());
                    }
                    self.io.connect(fd.unwrap_or(0), descriptor);
                }
            }
            Operator::DuplicateOut if arg.text == "-" => {}
            Operator::DuplicateOut => match self.io.descriptor(arg.text.trim_end_matches('-')) {
                Some(descriptor) => self.io.connect(fd.unwrap_or(1), descriptor),
                None => {
                    let sink = self.writable(redirect, arg, applied);
                    self.io.stdout = sink.clone();
                    self.io.stderr = sink;
                }
            },
        }
    }

    /// What can be read from an argument that is a file.
    pub(super) fn readable(&self, arg: &Arg) -> Stream {
        if let Some(stream) = arg.stream() {
            return stream.clone();
        }
        match arg.text.as_str() {
            "/dev/null" => Stream::Empty,
            text if self.is_windows_nul(text) => Stream::Empty,
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-" => self.io.stdin.clone(),
            "/dev/tty" => Stream::Inherited,
            path if let Some(Descriptor::In(stream)) =
                descriptor_path(path).and_then(|fd| self.io.descriptor(fd)) =>
            {
                stream
            }
            path if is_connection(path) => Stream::printed(Origin::Download),
            _ => Stream::File(self.read_target(arg).into()),
        }
    }

    fn writable(&mut self, redirect: &Redirect, arg: &Arg, applied: &mut Applied) -> Sink {
        if self.dialect == Dialect::PowerShell && names_null(&redirect.target) {
            return Sink::Nowhere;
        }
        if let Some(reader) = arg.reader() {
            applied.readers.push(Rc::clone(reader));
            return Sink::Captured;
        }
        match arg.text.as_str() {
            "/dev/null" => return Sink::Nowhere,
            "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => return self.io.stdout.clone(),
            "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => return self.io.stderr.clone(),
            "/dev/tty" => return Sink::Inherited,
            text if self.is_windows_nul(text) => return Sink::Nowhere,
            _ => {}
        }
        let target = self.target(arg);
        self.leaves(&target);
        if target.is_inside() {
            applied.written.push(target.clone());
        }
        Sink::File(target.into())
    }

    /// Whether a name is that of the device which is empty.
    fn is_windows_nul(&self, text: &str) -> bool {
        matches!(self.dialect, Dialect::Cmd | Dialect::PowerShell)
            && text.eq_ignore_ascii_case("nul")
    }

    /// Writing to a disk loses what is on it.
    fn check_devices(&mut self, text: &str) {
        if let Sink::File(target) = &self.io.stdout {
            let target = Rc::clone(target);
            self.overwrites(text, std::slice::from_ref(&*target));
        }
    }

    /// Judges where the output of a command goes.
    fn saved(&mut self, output: &Stream, text: &str) {
        let Sink::File(target) = &self.io.stdout else {
            return;
        };
        let target = target.clone();
        self.remember(&target.path, output);
        if target.is_inside() && output.is_supplied() {
            self.writes(text, WHY_TEXT, std::slice::from_ref(&*target));
        }
    }

    /// Walks the scripts of `>(…)` with what flows into them.
    pub(super) fn feed_readers(&mut self, readers: &[Rc<Script>], output: &Stream) {
        for reader in readers {
            let outer = self.io.clone();
            let mark = self.scope.mark();
            self.io.stdin = output.clone();
            self.io.stdout = Sink::Inherited;
            self.script(reader);
            self.scope.undo_to(mark);
            self.io = outer;
        }
    }

    /// Patterns that a printing command turns into the names of files.
    pub(super) fn expanded_names(&mut self, args: &[Arg], text: &str) {
        if matches!(self.dialect, Dialect::PowerShell | Dialect::Cmd) {
            return;
        }
        let names = args
            .iter()
            .filter(|arg| arg.pattern == Pattern::Live && arg.text.contains('*'));
        let targets: Vec<Target> = names
            .map(|arg| self.target(arg))
            .filter(Target::is_inside)
            .collect();
        let why = "Lists the names of project files.";
        self.lists(text, why, &targets);
    }
}

impl Io {
    /// Whether nothing of the line reads what a command prints.
    pub(super) fn is_unread(&self) -> bool {
        matches!(self.stdout, Sink::Inherited | Sink::Nowhere)
            && !matches!(self.stderr, Sink::Captured)
            && self.others.is_empty()
    }

    /// Takes over where the other one leads into the project.
    pub(super) fn prefer(&mut self, other: &Self) {
        if matches!(&other.stdin, Stream::File(target) if target.is_inside()) {
            self.stdin = other.stdin.clone();
        }
        let sinks = [
            (&mut self.stdout, &other.stdout),
            (&mut self.stderr, &other.stderr),
        ];
        for (own, other) in sinks {
            if matches!(other, Sink::File(target) if target.is_inside()) {
                *own = other.clone();
            }
        }
        for (fd, descriptor) in &other.others {
            let is_inside = match descriptor {
                Descriptor::In(Stream::File(target)) | Descriptor::Out(Sink::File(target)) => {
                    target.is_inside()
                }
                _ => false,
            };
            if is_inside {
                self.connect(*fd, descriptor.clone());
            }
        }
    }

    fn connect(&mut self, fd: u8, descriptor: Descriptor) {
        match (fd, descriptor) {
            (0, Descriptor::In(stream)) => self.stdin = stream,
            (1, Descriptor::Out(sink)) => self.stdout = sink,
            (2, Descriptor::Out(sink)) => self.stderr = sink,
            // A connection is read from the descriptor that writes to it.
            (0, Descriptor::Out(Sink::File(target))) if is_connection(&target.path) => {
                self.stdin = Stream::printed(Origin::Download);
            }
            (fd, descriptor) => {
                self.others.retain(|(other, _)| *other != fd);
                self.others.push((fd, descriptor));
            }
        }
    }

    fn descriptor(&self, text: &str) -> Option<Descriptor> {
        match text.parse::<u8>().ok()? {
            0 => Some(Descriptor::In(self.stdin.clone())),
            1 => Some(Descriptor::Out(self.stdout.clone())),
            2 => Some(Descriptor::Out(self.stderr.clone())),
            fd => {
                let found = self.others.iter().find(|(other, _)| *other == fd);
                // One that was never opened leads nowhere.
                Some(found.map_or(Descriptor::Out(Sink::Inherited), |(_, d)| d.clone()))
            }
        }
    }
}

/// The first descriptor that a shell chooses by itself.
const FIRST_CHOSEN: u8 = 10;

/// The number of a descriptor beyond the first three that is named by its path.
fn descriptor_path(path: &str) -> Option<&str> {
    let fd = path
        .strip_prefix("/dev/fd/")
        .or_else(|| path.strip_prefix("/proc/self/fd/"))?;
    (!matches!(fd, "0" | "1" | "2" | "63")).then_some(fd)
}

/// PowerShell's `$null` behind a redirection.
fn names_null(target: &Word) -> bool {
    matches!(&target.parts[..], [Part::Parameter(parameter)] if parameter.name == "null")
}

/// `exec` without a command changes the streams of the shell itself.
fn is_lasting(args: &[Arg]) -> bool {
    matches!(args, [name] if programs::find(&name.text).is(Fact::KeepsStreams))
}
