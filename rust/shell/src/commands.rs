//! From folded arguments to what a command is: its name, and which table knows it.

use super::analysis::Dialect;
use super::fold::has_pattern;
use super::ir::{Arg, Origin, Pattern, Stream, UNKNOWN};
use super::judge::Judge;
use super::kinds::FindingKind;
use super::paths::Place;
use super::program::{Call, Fact, Program, Role, When};
use super::scope::{Function, Status};
use super::streams::one_of;
use super::{cmd, patterns, powershell, programs};
use siderail_syntax::excerpt::Excerpt;
use std::borrow::Cow;

/// What the first word of a command means.
struct Name<'n> {
    name: Cow<'n, str>,
    is_local: bool,
}

/// Folders in which a project keeps the programs that it has installed.
#[rustfmt::skip]
const PROGRAM_FOLDERS: [&str; 7] = [
    "/node_modules/.bin", "/vendor/bin", "/venv/bin", "/.venv/bin", "/env/bin", "/venv/scripts",
    "/.venv/scripts",
];

/// What is known of how a program ends, when it has ended.
fn ending(program: &Program) -> Option<Status> {
    if program.is(Fact::SetsStatus) {
        None
    } else if program.is(Fact::Succeeds) {
        Some(Status::Expected)
    } else {
        Some(Status::Unknown)
    }
}

/// What Windows adds to the names of programs. Elsewhere only the first is met, as programs of Windows run there too.
const EXTENSIONS: [&str; 4] = [".exe", ".cmd", ".bat", ".com"];

/// A pattern that fits more programs than this says too little.
const SPELLED_LIMIT: usize = 96;
/// What looking for them costs.
const SPELLED_COST: usize = 512;

/// What the names of PowerShell's own modules begin with.
const MODULES: &str = "microsoft.powershell.";

impl Judge<'_> {
    /// Judges a command that is folded already, and that another program runs: it knows no function of the line.
    pub(super) fn command(&mut self, argv: &[Arg], text: &Excerpt) -> Stream {
        self.started(argv, text, false, false)
    }

    /// The same for a command that the shell itself runs.
    pub(super) fn shell_runs(&mut self, argv: &[Arg], text: &Excerpt) -> Stream {
        self.started(argv, text, true, false)
    }

    /// The same for one whose words are in the line as they are, where names have been looked for.
    pub(super) fn written_runs(&mut self, argv: &[Arg], text: &Excerpt) -> Stream {
        self.started(argv, text, true, true)
    }

    fn started(
        &mut self,
        argv: &[Arg],
        text: &Excerpt,
        by_shell: bool,
        is_searched: bool,
    ) -> Stream {
        let Some((first, args)) = argv.split_first() else {
            return Stream::Empty;
        };
        let n_looks = args.len() * (4 + self.links.len());
        if !self.budget.pay(4 + n_looks) || !self.budget.enter() {
            return Stream::Empty;
        }
        if !is_searched {
            argv.iter().for_each(|arg| self.names_arg(arg));
        }
        if let Some(block) = first.block().cloned() {
            let output = self.block(&block);
            self.budget.leave();
            return output;
        }
        if first.pattern != Pattern::None
            && let Some(output) = self.spelled(first, args, text)
        {
            self.budget.leave();
            return output;
        }
        let output = match self.command_name(first, text) {
            Some(Name { name, is_local }) => {
                let call = programs::call(&name, is_local, args, text);
                if by_shell {
                    self.function_or_program(first, call)
                } else {
                    self.named_command(first, call)
                }
            }
            None => Stream::printed(Origin::Program),
        };
        self.budget.leave();
        output
    }

    /// A function of the line, or else the program of that name.
    fn function_or_program(&mut self, first: &Arg, call: Call<'_>) -> Stream {
        if call.program.is(Fact::Leads) {
            return self.shell_runs(call.args, call.text);
        }
        if let (Dialect::Bash, [_, command @ ..]) = (self.dialect, call.args)
            && call.program.is(Fact::Repeats)
        {
            // The body may be in braces.
            let command = match command {
                [open, inner @ .., close] if open.is("{") && close.is("}") => inner,
                command => command,
            };
            return self.shell_runs(command, call.text);
        }
        let found = if first.text.contains(['/', '\\']) {
            None
        } else {
            self.scope.function(&self.function_name(&first.text))
        };
        let Some(function) = found else {
            return self.named_command(first, call);
        };
        if self.dialect == Dialect::PowerShell
            && self.scope.alias(call.name, self.reading).is_some()
        {
            return self.named_command(first, call);
        }
        let is_alias = self.dialect == Dialect::PowerShell && powershell::is_alias(call.name);
        self.called_function(&function, function.is_doubtful || is_alias, first, call)
    }

    /// Calls what a name may stand for, each from here.
    fn called_function(
        &mut self,
        function: &Function,
        is_doubtful: bool,
        first: &Arg,
        call: Call<'_>,
    ) -> Stream {
        let before = self.scope.snapshot();
        let mut output = self.call(call.name, &function.body, call.args, call.text);
        if !is_doubtful && function.others.is_none() {
            return output;
        }
        let mut left = self.scope.take_all();
        for body in function.others.iter().flat_map(|others| others.iter()) {
            self.scope.enter(before.clone());
            output = one_of(output, self.call(call.name, body, call.args, call.text));
            left.extend(self.scope.take_all());
        }
        if is_doubtful {
            self.scope.enter(before);
            output = one_of(output, self.named_command(first, call));
            left.extend(self.scope.take_all());
        }
        self.put_back(left);
        output
    }

    /// A command that is no function of the line.
    fn named_command(&mut self, first: &Arg, call: Call<'_>) -> Stream {
        let output = self.known_program(first, call);
        if let Some(status) = ending(call.program) {
            self.scope.set_status(status);
        }
        output
    }

    fn known_program(&mut self, first: &Arg, call: Call<'_>) -> Stream {
        if let Some(output) = self.run_saved(first, call) {
            return output;
        }
        if call.is_local {
            return self.local_program(call);
        }
        let own = match self.dialect {
            Dialect::PowerShell => powershell::command(self, call),
            Dialect::Cmd => cmd::command(self, call),
            Dialect::Bash | Dialect::Fish => None,
        };
        own.unwrap_or_else(|| self.classify(call))
    }

    /// Runs a command whose name is a pattern: whichever program it spells.
    fn spelled(&mut self, first: &Arg, args: &[Arg], text: &Excerpt) -> Option<Stream> {
        let base = first.text.rsplit('/').next().unwrap_or_default();
        if !has_pattern(base) || base.contains(UNKNOWN) {
            return None;
        }
        if first.text.contains('/') && !self.is_installed(first) {
            return Some(Stream::printed(Origin::Program));
        }
        // Most patterns begin with a letter, and most names with another one.
        let letter = base.bytes().next().filter(u8::is_ascii_alphanumeric);
        let may_fit = |name: &&str| letter.is_none() || name.bytes().next() == letter;
        let fitting = programs::installed().filter(may_fit);
        let fitting = fitting.filter(|name| patterns::matches(base, name));
        let names: Vec<&str> = fitting.collect();
        self.budget.pay(SPELLED_COST);
        if names.len() > SPELLED_LIMIT {
            self.cannot_tell(text, "What runs is whatever fits a pattern.");
            return Some(Stream::printed(Origin::Program));
        }
        let is_one = names.len() == 1;
        let mut output = Stream::printed(Origin::Program);
        for name in names {
            let name = self.plain_name(name);
            let said = self.classify(programs::call(&name, false, args, text));
            if is_one {
                output = said;
            }
        }
        Some(output)
    }

    /// Whether a word in the place of a script is the name of a program that packages install.
    pub(super) fn is_package_tool(&self, name: &str) -> bool {
        let is_runner = |role: &Role| matches!(role, Role::Tests(When::Unless(_), ..));
        let program = programs::find(name);
        program.has(is_runner) || program.is(Fact::Packaged)
    }

    /// Whether a fact is known of the program of this name.
    pub(super) fn knows(&self, name: &str, fact: Fact) -> bool {
        programs::find(name).is(fact)
    }

    /// Names of functions have no case in PowerShell.
    fn function_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.dialect == Dialect::PowerShell {
            name.to_ascii_lowercase().into()
        } else {
            name.into()
        }
    }

    /// A script of the project: only the tools known to be there are anything else.
    fn local_program(&mut self, call: Call<'_>) -> Stream {
        if call.program.has(|role| matches!(role, Role::Local)) {
            return self.classify(call);
        }
        Stream::printed(Origin::Program)
    }

    /// The name behind the first word; what is unknown is recorded here.
    fn command_name<'n>(&mut self, first: &'n Arg, text: &Excerpt) -> Option<Name<'n>> {
        let is_windows = matches!(self.dialect, Dialect::PowerShell | Dialect::Cmd);
        let is_slash = |byte: &u8| *byte == b'/' || is_windows && *byte == b'\\';
        let given = first.text.as_str();
        // zsh's path of a program.
        let given = match given.strip_prefix('=') {
            Some(name) if self.dialect == Dialect::Bash && !first.quoted => name,
            _ => given,
        };
        let folder = given.as_bytes().iter().rposition(is_slash);
        let base = folder.map_or(given, |at| &given[at + 1..]);
        // A cmdlet may be called with the name of its module.
        let module = given
            .get(..MODULES.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(MODULES));
        let has_folder = base.len() < given.len() && !module;
        if base.contains(UNKNOWN) || (base.is_empty() && first.unknown.is_some()) {
            self.unknown_code(first.unknown, text);
            return None;
        }
        let base = self.plain_name(base);
        let is_local = has_folder && first.unknown.is_none() && !self.is_installed(first);
        Some(Name {
            name: base,
            is_local,
        })
    }

    /// Whether a program is where programs are installed, and not among the project's own files.
    pub(super) fn is_installed(&self, first: &Arg) -> bool {
        let target = self.target(first);
        let folder = target
            .path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let is_below = |known: &&str| {
            let end = folder.len().checked_sub(known.len());
            end.and_then(|at| folder.get(at..))
                .is_some_and(|end| end.eq_ignore_ascii_case(known))
        };
        let kept = PROGRAM_FOLDERS.iter().any(is_below);
        // `./rm` in `/bin` is a program like any other.
        let elsewhere = target.place != Place::Inside && !target.path.contains(UNKNOWN);
        let absolute = !first.text.starts_with('.') && target.place != Place::Inside;
        let rooted =
            first.text.starts_with(['/', '~', UNKNOWN]) || first.text.get(1..2) == Some(":");
        kept || elsewhere || (absolute && rooted)
    }

    /// The name without what different systems add to it.
    pub(super) fn plain_name<'n>(&self, base: &'n str) -> Cow<'n, str> {
        let windows = matches!(self.dialect, Dialect::PowerShell | Dialect::Cmd);
        let mut name: Cow<'n, str> = if windows {
            base.to_ascii_lowercase().into()
        } else {
            base.into()
        };
        for extension in EXTENSIONS {
            let length = match name.strip_suffix(extension) {
                Some(rest) if !rest.is_empty() => rest.len(),
                _ => continue,
            };
            let stem = name.split('.').next().unwrap_or_default();
            let has_batch_file = || programs::find(stem).is(Fact::HasBatchFile);
            if windows || extension == EXTENSIONS[0] || has_batch_file() {
                match &mut name {
                    Cow::Borrowed(name) => *name = &name[..length],
                    Cow::Owned(name) => name.truncate(length),
                }
            }
        }
        match programs::usual_name(&name) {
            Some(usual) => usual.into(),
            None => name,
        }
    }

    /// Unknown code is run.
    pub(super) fn unknown_code(&mut self, origin: Option<Origin>, text: &Excerpt) {
        let origin = origin.unwrap_or(Origin::Variable);
        let why = match origin {
            Origin::Initialiser => return,
            Origin::Download => {
                let why = "Runs what it has just downloaded.";
                self.report(FindingKind::RemoteCode, None, text, why, &[]);
                return;
            }
            Origin::Variable => "Runs the value of a variable that the line does not set.",
            Origin::Elsewhere | Origin::ProjectFile => "Runs text that it reads from a file.",
            Origin::Program => "Runs the output of another program.",
            Origin::Decoded => "Runs text that it decodes first.",
        };
        if origin == Origin::ProjectFile {
            // Its text is run and not shown.
            let since = self
                .piped_since
                .unwrap_or(self.command_since)
                .min(self.command_since);
            self.findings.keep(since, |kind| kind != FindingKind::Read);
        }
        self.cannot_tell(text, why);
    }
}
