//! A program as a command names it: what can be known of it, as a row of the tables in `programs`, and one call of it.
//! A role says what the program may be to the guard; what follows from one is said in `classify`.

use super::analysis::Dialect;
use super::args::{Grammar, Options};
use super::ir::{Arg, Stream};
use super::judge::Judge;
use super::test_line::Line;
use siderail_syntax::excerpt::Excerpt;

/// A command whose name is known.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    /// Without folder and extension.
    pub(super) name: &'c str,
    /// A program of the project, whatever its name is.
    pub(super) is_local: bool,
    pub(super) args: &'c [Arg],
    /// The part of the line that findings name.
    pub(super) text: &'c Excerpt,
    /// What is known of the name.
    pub(super) program: &'static Program,
}

impl<'c> Call<'c> {
    /// The argument at a place, as text; empty when there is none.
    pub(super) fn word(&self, index: usize) -> &'c str {
        self.args.get(index).map_or("", |arg| arg.text.as_str())
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.args.iter().any(|arg| arg.is(text))
    }

    /// The arguments by the program's own grammar.
    pub(super) fn options(&self) -> Options<'c> {
        self.program.grammar.split(self.args)
    }
}

/// A program. All that is known of it by its name is in its row.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    /// Which of its options take a value.
    pub(super) grammar: Grammar,
    pub(super) help: Help,
    /// What it may be to the guard, in the order in which it is asked.
    pub(super) roles: &'static [Role],
}

/// How to tell whether `--help` is an option of the program itself.
#[derive(Clone, Copy)]
pub(super) enum Help {
    /// By its grammar.
    ByGrammar,
    /// By its grammar, where options end at the first operand.
    BeforeOperands,
    /// By guessing: its row does not say which of its options have a value.
    ByGuess,
    /// It never is: to this program it is a word like any other, or its role sees to it.
    Never,
}

/// What a role notes of a command.
pub(super) type Note = fn(&mut Judge<'_>, Call<'_>);
/// What a role says that a command prints; `None` leaves the command to the roles behind.
pub(super) type Ask = fn(&mut Judge<'_>, Call<'_>) -> Option<Stream>;
/// The letters and the long name of an option.
pub(super) type Names = (&'static str, &'static str);

pub(super) enum Role {
    // These are asked even of a command that asks for help.
    /// Noted even then.
    Always(Note),
    /// It may install with these subcommands, and run with those what it is given the address of.
    Fetches(&'static [&'static str], &'static [&'static str], Registry),
    /// It has a language of its own, in which some lines are for a shell.
    Prompts(Prompt),
    /// It changes the shell, and prints nothing.
    Changes(Note),
    /// It runs its arguments, or what is in them.
    Runs(Ask),
    /// It runs its operands as a command, behind so many of its own.
    Wraps(usize),
    /// It runs what follows these subcommands and so many operands.
    Starts(&'static [&'static str], usize),
    /// It runs what follows one of these words.
    Behind(&'static [&'static str]),

    /// Noted in passing.
    Notes(Note),
    /// The values of these options are commands.
    Carries(&'static [Names]),
    /// The values of these options are settings, of which some are commands.
    Sets(&'static [Names]),
    /// It writes what the line names.
    Writes(Writing),
    /// It puts files in a place.
    Puts(Putting),
    /// It may take away what it packs.
    Packs(Packing),
    /// It keeps data that these subcommands delete; without any it does nothing else.
    Keeps(&'static [&'static str]),
    /// It writes over disks with these words; without any where it is fed answers.
    Erases(&'static [&'static str]),
    /// It prints the files that it is given, or its input.
    Reads(Reading),
    /// It may run the project's tests; with the options that take the next word, and those with which it runs none.
    Tests(When, &'static [&'static str], &'static [&'static str]),
    /// The same, where a rule of its own reads the words.
    TestsBy(fn(&[&str]) -> bool),
    Does(Ask),

    // These come after all others: they answer questions of their own.
    /// It changes nothing, unless one of these options is given.
    Looks(&'static [&'static str]),
    /// The same, where its arguments are fine as well.
    LooksIf(&'static [&'static str], fn(&[Arg]) -> bool),
    /// What it prints sets up a shell, where one of these words is given or there are none.
    SetsUp(&'static [&'static str]),
    /// These options name the folder that it works on.
    WorksIn(&'static [&'static str]),
    /// Its tests may be named by their files.
    NamesTests,
    /// It is known by its name even if it is in the project.
    Local,
    /// It is a shell that reads such lines.
    Shell(Dialect),
    /// It declares variables: `export NAME=value`.
    Declares(Declaring),
    /// How its first operands are read where a tool is suggested in its place.
    Suggests(Suggestion),
    Is(&'static [Fact]),
}

/// What is known of a program beyond what becomes of its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    /// A search that runs it on what it finds is a removal, and no search that a tool could do.
    Removes,
    /// It fails only where something is wrong.
    Succeeds,
    /// It says itself how it has ended, or the commands that it runs do.
    SetsStatus,
    /// The shell runs what follows as if it were alone there, functions included.
    Leads,
    /// zsh's loop: `repeat 3 command`.
    Repeats,
    /// It prints its words.
    PrintsWords,
    /// Without a command of its own it changes the streams of the shell itself.
    KeepsStreams,
    /// The arguments of its command come from its input.
    TakesArguments,
    /// It carries its input to another machine.
    Connects,
    /// It finds the program behind it in the path, as in `#!/usr/bin/env bash`.
    SearchesPath,
    /// Lines for it are not those of POSIX shells, although they are read as such.
    OnlyNearPosix,
    /// A package installs it, so that it may be in the place of a script: `yarn jest`.
    Packaged,
    /// A file of commands for Windows is installed beside it.
    HasBatchFile,
    /// Python has it as a module of the same name: `python -m pytest`.
    Module,
    /// It is a script that a shell may be given: `sh gradlew`.
    ShellScript,
    /// It is a script that an interpreter may be given: `php artisan`.
    Script,
}

/// What becomes of a variable that is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Declaring {
    /// Other programs see it.
    Exported,
    /// In a function it is the function's own.
    Local,
    /// It keeps its value.
    Constant,
}

/// What an operand of a plain command is to a tool that is suggested for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// The first names the tests to run: `pytest a.py`.
    FirstTest,
    /// The first behind the subcommand `test` does: `cargo test name`.
    FirstBehindTest,
    /// The first is a subcommand, and what it searches for follows: `git grep text`.
    QueryBehindFirst,
    /// What it searches for is plain text: `fgrep text`.
    PlainQuery,
    /// The first is a pattern for names: `fd main`.
    FirstName,
}

/// Where a package manager looks for what it is given by a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Registry {
    Npm,
    Python,
    Others,
}

/// Where the lines of a program are, and how those begin that are for somebody else.
pub(super) struct Prompt {
    /// Options whose value is a line.
    pub(super) options: &'static [Names],
    /// The same with more than one letter behind one dash.
    pub(super) words: &'static [&'static str],
    /// The first operand that is a line.
    pub(super) operands: usize,
    /// Operands that are lines begin with this.
    pub(super) marked: &'static str,
    /// Lines are also read from the input.
    pub(super) is_fed: bool,
    /// The lines of an editor: ranges and modifiers come first.
    pub(super) edits: bool,
    /// A screen editor reads keys, and lines only where an option says so.
    pub(super) is_screen: bool,
    pub(super) separators: &'static [char],
    /// What comes before a line for a shell.
    pub(super) shells: &'static [&'static str],
    /// … for Python, or a function of the program that runs its text.
    pub(super) scripts: &'static [&'static str],
}

/// What a program must be given to run tests.
pub(super) enum When {
    /// It does nothing else, unless the first operand is one of these.
    Unless(&'static [&'static str]),
    /// Its subcommand, which is the first operand, is one of these.
    Subcommand(&'static [&'static str]),
    /// One of these is anywhere among the operands.
    Any(&'static [&'static str]),
    /// A rule of its own says so.
    By(fn(&Line<'_>) -> bool),
}

/// A program that says what is there, and nothing more.
pub(super) const LOOKS: Role = Role::Looks(&[]);

/// How a program reads.
pub(super) struct Reading {
    /// It prints all of its input as it is, so that what flows through stays what it was.
    pub(super) copies: bool,
    /// Operands such as `+10` are lines to start at, and not files.
    pub(super) jumps: bool,
    /// These options make it wait for more, so that it is no mere reading.
    pub(super) follows: &'static [Names],
}

/// What a program writes.
pub(super) struct Writing {
    pub(super) operands: Operands,
    /// The option whose value is written.
    pub(super) option: Names,
    /// With these it writes none of its operands.
    pub(super) unless: Names,
}

/// Nothing: what a row says is put in its place.
pub(super) const WRITING: Writing = Writing {
    operands: Operands::None,
    option: ("", ""),
    unless: ("", ""),
};

/// Which operands are written.
#[derive(Clone, Copy)]
pub(super) enum Operands {
    None,
    All,
    First,
    Second,
}

/// How a program puts a file in a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Putting {
    Copies,
    /// It copies files, or makes folders.
    Installs,
    Moves,
    Links,
}

/// How an archiver is told to remove what it has packed.
pub(super) struct Packing {
    pub(super) option: Names,
    /// The same where it is a word behind one dash.
    pub(super) word: &'static str,
    /// A subcommand that does the same.
    pub(super) subcommand: &'static str,
    /// Operands in front of the sources.
    pub(super) skipped: usize,
    /// Its letters may come first without a dash, with the archive behind them.
    pub(super) has_bare_letters: bool,
}

impl Program {
    /// How many of its roles are asked even of a command that asks for help.
    pub(super) fn n_before_help(&self) -> usize {
        let is_before_help = |role: &&Role| {
            use Role::{Always, Behind, Changes, Fetches, Prompts, Runs, Starts, Wraps};
            matches!(
                role,
                Always(_)
                    | Fetches(..)
                    | Prompts(_)
                    | Changes(_)
                    | Runs(_)
                    | Wraps(_)
                    | Starts(..)
                    | Behind(_)
            )
        };
        self.roles.iter().take_while(is_before_help).count()
    }

    pub(super) fn has(&self, is_wanted: fn(&Role) -> bool) -> bool {
        self.roles.iter().any(is_wanted)
    }

    pub(super) fn is(&self, fact: Fact) -> bool {
        let mut roles = self.roles.iter();
        roles.any(|role| matches!(role, Role::Is(facts) if facts.contains(&fact)))
    }

    pub(super) fn declares(&self) -> Option<Declaring> {
        self.says(|role| match role {
            Role::Declares(declaring) => Some(*declaring),
            _ => None,
        })
    }

    pub(super) fn suggestion(&self) -> Option<Suggestion> {
        self.says(|role| match role {
            Role::Suggests(suggestion) => Some(*suggestion),
            _ => None,
        })
    }

    /// The dialect of the lines that it reads, where it is a shell.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        self.says(|role| match role {
            Role::Shell(dialect) => Some(*dialect),
            _ => None,
        })
    }

    /// What the first role says that says something.
    pub(super) fn says<T>(&self, answer: impl Fn(&'static Role) -> Option<T>) -> Option<T> {
        self.roles.iter().find_map(answer)
    }
}

/// A program of which nothing is known.
pub(super) static UNKNOWN_PROGRAM: Program = named(&[], &[]);

/// A row of a program whose grammar is known as a whole.
pub(super) const fn program(
    names: &'static [&'static str],
    grammar: Grammar,
    roles: &'static [Role],
) -> Program {
    Program {
        names,
        grammar,
        help: Help::ByGrammar,
        roles,
    }
}

/// A row of a program whose grammar is known for what its roles need.
pub(super) const fn roughly(
    names: &'static [&'static str],
    grammar: Grammar,
    roles: &'static [Role],
) -> Program {
    program(names, grammar, roles).helping(Help::ByGuess)
}

/// A row of a program whose options are not known, or only by its roles.
pub(super) const fn named(names: &'static [&'static str], roles: &'static [Role]) -> Program {
    roughly(names, Grammar::of("", &[]), roles)
}

impl Program {
    pub(super) const fn helping(self, help: Help) -> Self {
        Self { help, ..self }
    }
}
