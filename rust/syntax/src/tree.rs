//! The syntax tree that all four dialects are parsed into, and the reasons why a text has none.
//!
//! It keeps what decides: commands, their words with quoting, redirections, what runs inside what, and what runs
//! only where something else went well or failed. It knows no tool and no path.

mod operation;
pub mod parts;

use super::excerpt::Excerpt;
use ecow::EcoString;
pub use operation::Operation;
use parts::Parts;
use std::cell::OnceCell;
use std::rc::Rc;

/// Statements in the order in which they may run.
#[derive(Debug, Default)]
pub struct Script {
    /// What they are, one after the other.
    pub nodes: Vec<Node>,
}

/// One statement.
#[derive(Debug)]
pub enum Node {
    /// A command.
    Simple(Box<Simple>),
    /// Stages joined by pipes; each runs in a shell of its own.
    Pipe(Vec<Node>),
    /// Runs in a shell of its own, whose changes are lost: `( … )`, `… &`.
    Subshell(Box<Block>),
    /// Runs here: `{ … }`, `begin … end`.
    Group(Box<Block>),
    /// Ways of which one is taken.
    Branch(Box<Branch>),
    /// What may run several times.
    Loop(Box<Loop>),
    /// Joined by `&&` and `||`.
    Chain(Box<Chain>),
    /// `! …`: it fails where the other succeeds.
    Negated(Box<Node>),
    /// A function is declared; it runs where it is called.
    Function {
        /// Its name as written.
        name: String,
        /// What it does.
        body: Rc<Node>,
    },
    /// Conditions and arithmetic, of which only the substitutions inside run.
    Evaluated(Vec<Word>),
}

impl Node {
    /// `case` and `switch`: the patterns may all be looked at, and any of the arms may run; one of them does where
    /// `fits` says of a pattern that it fits whatever there is.
    pub fn case(
        words: Vec<Word>,
        patterns: Vec<Word>,
        arms: Vec<Arm>,
        fits: impl Fn(&Word) -> bool,
        redirects: Vec<Redirect>,
    ) -> Self {
        let is_exhaustive = patterns.iter().any(fits);
        let head = Script {
            nodes: vec![Self::Evaluated(patterns)],
        };
        Self::Branch(Box::new(Branch {
            words,
            head,
            arms,
            is_exhaustive,
            redirects,
        }))
    }

    /// `if`; an arm without a condition is what runs where none holds.
    pub fn conditional(arms: Vec<Arm>, redirects: Vec<Redirect>) -> Self {
        let is_exhaustive = arms.last().is_some_and(|arm| arm.condition.is_none());
        Self::Branch(Box::new(Branch {
            words: Vec::new(),
            head: Script::default(),
            arms,
            is_exhaustive,
            redirects,
        }))
    }

    /// What may run, or may be as though it had not.
    pub fn maybe(body: Script) -> Self {
        Self::Branch(Box::new(Branch {
            words: Vec::new(),
            head: Script::default(),
            arms: vec![Arm::otherwise(body)],
            is_exhaustive: false,
            redirects: Vec::new(),
        }))
    }

    /// Commands and the operators that stand before each but the first.
    pub fn chain(first: Self, rest: Vec<(Joined, Self)>) -> Self {
        if rest.is_empty() {
            first
        } else {
            Self::Chain(Box::new(Chain { first, rest }))
        }
    }

    /// What brackets run in a shell of its own.
    pub fn subshell(script: Script, redirects: Vec<Redirect>) -> Self {
        Self::Subshell(Box::new(Block { script, redirects }))
    }

    /// What braces run in this shell.
    pub fn group(script: Script, redirects: Vec<Redirect>) -> Self {
        Self::Group(Box::new(Block { script, redirects }))
    }
}

/// Statements with redirections of their own.
#[derive(Debug)]
pub struct Block {
    /// What it runs.
    pub script: Script,
    /// Of all of it.
    pub redirects: Vec<Redirect>,
}

/// The head runs, then one of the arms or none: `if`, `case`, `try`.
#[derive(Debug)]
pub struct Branch {
    /// What is compared, of a `case`; else none.
    pub words: Vec<Word>,
    /// What runs ahead of every arm.
    pub head: Script,
    /// The ways, as written.
    pub arms: Vec<Arm>,
    /// One of the arms runs in any case.
    pub is_exhaustive: bool,
    /// Of all of it.
    pub redirects: Vec<Redirect>,
}

/// What runs where its condition holds; without one it may run.
#[derive(Debug)]
pub struct Arm {
    /// What decides about it; none for what is left over.
    pub condition: Option<Script>,
    /// What runs then.
    pub body: Script,
    /// `;&`: the next one runs after it.
    pub falls_through: bool,
}

impl Arm {
    /// An arm with a condition.
    pub fn when(condition: Script, body: Script) -> Self {
        Self {
            condition: Some(condition),
            body,
            falls_through: false,
        }
    }

    /// The arm for all else.
    pub fn otherwise(body: Script) -> Self {
        Self {
            condition: None,
            body,
            falls_through: false,
        }
    }
}

/// What the command before an operator has to do so that the one behind it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// `&&`
    IfSucceeded,
    /// `||`
    IfFailed,
}

/// Commands, each of which but the first runs if those before it went as its operator says.
#[derive(Debug)]
pub struct Chain {
    /// What runs in any case.
    pub first: Node,
    /// What follows, and by what it is joined.
    pub rest: Vec<(Joined, Node)>,
}

/// A loop; the body may run any number of times.
#[derive(Debug)]
pub struct Loop {
    /// The variable and what it runs over; no words means unknown values.
    pub variable: Option<(String, Vec<Word>)>,
    /// What is asked ahead of each round.
    pub condition: Script,
    /// `until`: it continues while the condition fails.
    pub is_until: bool,
    /// What a round runs.
    pub body: Script,
    /// Of all of it.
    pub redirects: Vec<Redirect>,
}

/// A command with its words not folded yet.
#[derive(Debug, Default)]
pub struct Simple {
    /// Ahead of its words.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// In the order in which they count.
    pub redirects: Vec<Redirect>,
    /// Its part of the source, without surrounding blanks and bounded in length.
    pub text: Excerpt,
    /// Holds a PowerShell expression whose value is printed, and no command.
    pub is_expression: bool,
}

impl Simple {
    /// One of which nothing is known yet.
    pub fn new(text: Excerpt) -> Self {
        Self {
            assignments: Vec::new(),
            words: Vec::new(),
            redirects: Vec::new(),
            text,
            is_expression: false,
        }
    }
}

impl Simple {
    /// Whether a command of assignments alone has nothing that could fail: no substitution, no file.
    pub fn assigns_plainly(&self) -> bool {
        let plain = |word: &Word| {
            let substitutes = |part: &Part| {
                matches!(
                    part,
                    Part::Substitution { .. } | Part::Unknown(_) | Part::Later(_)
                )
            };
            !word.parts.iter().any(substitutes)
        };
        self.redirects.is_empty()
            && self
                .assignments
                .iter()
                .all(|assignment| match &assignment.value {
                    Value::Scalar(word) => plain(word),
                    Value::List(words) => words.iter().all(plain),
                })
    }
}

/// `name=value` ahead of a command, or alone.
#[derive(Debug)]
pub struct Assignment {
    /// The variable.
    pub name: EcoString,
    /// Which element of it, as written.
    pub index: Option<Word>,
    /// True for `+=`.
    pub append: bool,
    /// What it is set to.
    pub value: Value,
}

/// What a variable is set to.
#[derive(Debug)]
pub enum Value {
    /// One text.
    Scalar(Word),
    /// An array.
    List(Vec<Word>),
}

/// A redirection.
#[derive(Debug)]
pub struct Redirect {
    /// The descriptor, where one is named.
    pub fd: Option<u8>,
    /// `{name}`: where the shell keeps the descriptor that it chooses.
    pub variable: Option<String>,
    /// What is done with it.
    pub operator: Operator,
    /// The file, the descriptor, or the text itself.
    pub target: Word,
}

/// The kinds of redirections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Read,
    /// `>`, `>|`, `>>`
    Write,
    /// `<>`
    ReadWrite,
    /// `&>`, `&>>`, `>&word`
    WriteBoth,
    /// `<&` with a descriptor or `-`
    DuplicateIn,
    /// `>&` with a descriptor, `-` or a file
    DuplicateOut,
    /// `<<` and `<<<`: the target is the text itself.
    Text,
}

/// A word as written.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// One after the other.
    pub parts: Parts,
}

impl Word {
    /// A word of quoted text alone.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self {
            parts: [Part::Quoted(text.into().into())].into(),
        }
    }

    /// The text of a word without any expansion in it.
    pub fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Bare(piece) | Part::Quoted(piece) => text.push_str(piece),
                _ => return None,
            }
        }
        Some(text)
    }

    /// The word as arithmetic that is worked out, and is no text.
    pub fn evaluated(self) -> Self {
        Self {
            parts: [Part::Evaluated(Rc::new(self))].into(),
        }
    }

    /// Adds a part.
    pub fn push(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Adds text that no quotes protect.
    pub fn push_bare(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Bare(last)) => last.push_str(text),
            _ => self.push(Part::Bare(text.into())),
        }
    }

    /// Adds text in quotes.
    pub fn push_quoted(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.push(Part::Quoted(text.into())),
        }
    }

    /// Adds text in quotes or without.
    pub(crate) fn push_text(&mut self, text: &str, quoted: bool) {
        match quoted {
            true => self.push_quoted(text),
            false => self.push_bare(text),
        }
    }

    /// The text of a word that is plain and has no quotes either.
    pub fn bare(&self) -> Option<&str> {
        match &self.parts[..] {
            [Part::Bare(text)] => Some(text),
            _ => None,
        }
    }
}

/// A piece of a word.
#[derive(Clone, Debug)]
pub enum Part {
    /// Without quotes: patterns, braces and `~` are live.
    Bare(EcoString),
    /// Text in quotes.
    Quoted(EcoString),
    /// A variable's value.
    Parameter(Rc<Parameter>),
    /// Replaced by what the script prints.
    Substitution {
        /// What runs.
        script: Rc<Script>,
        /// Its output stays one word.
        quoted: bool,
    },
    /// `<( … )`, `>( … )`.
    Process {
        /// What runs.
        script: Rc<Script>,
        /// True for `<(…)`, false for `>(…)`.
        input: bool,
    },
    /// Arithmetic that is worked out and is no text.
    Evaluated(Rc<Word>),
    /// An unknown value, with the words whose substitutions run on the way.
    Unknown(Rc<Vec<Word>>),
    /// A PowerShell script block, which runs if the command it is given to says so.
    Block(Rc<Script>),
    /// Here-document text that is read after its line.
    Later(Rc<OnceCell<Word>>),
}

/// `$name` or `${name…}`.
#[derive(Debug)]
pub struct Parameter {
    /// The variable.
    pub name: EcoString,
    /// Which element of it, as written.
    pub index: Option<Word>,
    /// What is done with its value.
    pub operation: Operation,
    /// The operator has a colon: an empty value is none.
    pub empty_is_unset: bool,
    /// What follows the operator.
    pub argument: Word,
    /// Its value stays one word.
    pub quoted: bool,
}

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A construct that is wrong or never ends, named for people.
    Syntax(&'static str),
    /// It is nested deeper than is followed.
    TooDeep,
}

/// What a parser gives back: the statements that are complete, and what stopped it.
#[derive(Debug, Default)]
pub struct Parsed {
    /// What was understood, up to the trouble.
    pub script: Script,
    /// Why there is no more.
    pub trouble: Option<Trouble>,
}

impl Parsed {
    /// For shells that read a whole text first, and run none of it where it is wrong.
    pub fn all_or_nothing(outcome: Result<Script, Trouble>) -> Self {
        let (script, trouble) = match outcome {
            Ok(script) => (script, None),
            Err(trouble) => (Script::default(), Some(trouble)),
        };
        Self { script, trouble }
    }
}
