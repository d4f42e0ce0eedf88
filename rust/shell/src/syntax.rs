//! The syntax tree that all four dialects are parsed into, and the reasons why a text has none.
//!
//! It keeps what decides: commands, their words with quoting, redirections, what runs inside what, and what runs
//! only where something else went well or failed. It knows no tool and no path.

use super::excerpt::Excerpt;
use super::parts::Parts;
use ecow::EcoString;
use std::cell::OnceCell;
use std::rc::Rc;

/// Statements in the order in which they may run.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) nodes: Vec<Node>,
}

/// One statement.
#[derive(Debug)]
pub(super) enum Node {
    Simple(Box<Simple>),
    /// Stages joined by pipes; each runs in a shell of its own.
    Pipe(Vec<Node>),
    /// Runs in a shell of its own, whose changes are lost: `( … )`, `… &`.
    Subshell(Box<Block>),
    /// Runs here: `{ … }`, `begin … end`.
    Group(Box<Block>),
    Branch(Box<Branch>),
    Loop(Box<Loop>),
    /// Joined by `&&` and `||`.
    Chain(Box<Chain>),
    /// `! …`: it fails where the other succeeds.
    Negated(Box<Node>),
    Function {
        name: String,
        body: Rc<Node>,
    },
    /// Conditions and arithmetic, of which only the substitutions inside run.
    Evaluated(Vec<Word>),
}

impl Node {
    /// `case` and `switch`: the patterns may all be looked at, and any of the arms may run; one of them does where
    /// `fits` says of a pattern that it fits whatever there is.
    pub(super) fn case(
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
    pub(super) fn conditional(arms: Vec<Arm>, redirects: Vec<Redirect>) -> Self {
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
    pub(super) fn maybe(body: Script) -> Self {
        Self::Branch(Box::new(Branch {
            words: Vec::new(),
            head: Script::default(),
            arms: vec![Arm::otherwise(body)],
            is_exhaustive: false,
            redirects: Vec::new(),
        }))
    }

    /// Commands and the operators that stand before each but the first.
    pub(super) fn chain(first: Self, rest: Vec<(Joined, Self)>) -> Self {
        if rest.is_empty() {
            first
        } else {
            Self::Chain(Box::new(Chain { first, rest }))
        }
    }

    pub(super) fn subshell(script: Script, redirects: Vec<Redirect>) -> Self {
        Self::Subshell(Box::new(Block { script, redirects }))
    }

    pub(super) fn group(script: Script, redirects: Vec<Redirect>) -> Self {
        Self::Group(Box::new(Block { script, redirects }))
    }
}

/// Statements with redirections of their own.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) script: Script,
    pub(super) redirects: Vec<Redirect>,
}

/// The head runs, then one of the arms or none: `if`, `case`, `try`.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) words: Vec<Word>,
    pub(super) head: Script,
    pub(super) arms: Vec<Arm>,
    /// One of the arms runs in any case.
    pub(super) is_exhaustive: bool,
    pub(super) redirects: Vec<Redirect>,
}

/// What runs where its condition holds; without one it may run.
#[derive(Debug)]
pub(super) struct Arm {
    pub(super) condition: Option<Script>,
    pub(super) body: Script,
    /// `;&`: the next one runs after it.
    pub(super) falls_through: bool,
}

impl Arm {
    pub(super) fn when(condition: Script, body: Script) -> Self {
        Self {
            condition: Some(condition),
            body,
            falls_through: false,
        }
    }

    pub(super) fn otherwise(body: Script) -> Self {
        Self {
            condition: None,
            body,
            falls_through: false,
        }
    }
}

/// What the command before an operator has to do so that the one behind it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// `&&`
    IfSucceeded,
    /// `||`
    IfFailed,
}

/// Commands, each of which but the first runs if those before it went as its operator says.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) first: Node,
    pub(super) rest: Vec<(Joined, Node)>,
}

/// A loop; the body may run any number of times.
#[derive(Debug)]
pub(super) struct Loop {
    /// The variable and what it runs over; no words means unknown values.
    pub(super) variable: Option<(String, Vec<Word>)>,
    pub(super) condition: Script,
    /// `until`: it goes on while the condition fails.
    pub(super) is_until: bool,
    pub(super) body: Script,
    pub(super) redirects: Vec<Redirect>,
}

/// A command with its words not folded yet.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// Its part of the source, without surrounding blanks and bounded in length.
    pub(super) text: Excerpt,
    /// Holds a PowerShell expression whose value is printed, and no command.
    pub(super) is_expression: bool,
}

impl Simple {
    /// One of which nothing is known yet.
    pub(super) fn new(text: Excerpt) -> Self {
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
    pub(super) fn assigns_plainly(&self) -> bool {
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

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: EcoString,
    pub(super) index: Option<Word>,
    pub(super) append: bool,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Scalar(Word),
    List(Vec<Word>),
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) fd: Option<u8>,
    /// `{name}`: where the shell keeps the descriptor that it chooses.
    pub(super) variable: Option<String>,
    pub(super) operator: Operator,
    pub(super) target: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
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
pub(super) struct Word {
    pub(super) parts: Parts,
}

impl Word {
    pub(super) fn quoted(text: impl Into<String>) -> Self {
        Self {
            parts: [Part::Quoted(text.into().into())].into(),
        }
    }

    /// The text of a word without any expansion in it.
    pub(super) fn literal(&self) -> Option<String> {
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
    pub(super) fn evaluated(self) -> Self {
        Self {
            parts: [Part::Evaluated(Rc::new(self))].into(),
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        self.parts.push(part);
    }

    pub(super) fn push_bare(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Bare(last)) => last.push_str(text),
            _ => self.push(Part::Bare(text.into())),
        }
    }

    pub(super) fn push_quoted(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.push(Part::Quoted(text.into())),
        }
    }

    /// The text of a word that is plain and has no quotes either.
    pub(super) fn bare(&self) -> Option<&str> {
        match &self.parts[..] {
            [Part::Bare(text)] => Some(text),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Without quotes: patterns, braces and `~` are live.
    Bare(EcoString),
    Quoted(EcoString),
    Parameter(Rc<Parameter>),
    /// Replaced by what the script prints.
    Substitution {
        script: Rc<Script>,
        quoted: bool,
    },
    /// `<( … )`, `>( … )`.
    Process {
        script: Rc<Script>,
        input: bool,
    },
    /// Arithmetic that is worked out and is no text.
    Evaluated(Rc<Word>),
    /// A value that cannot be told, with the words whose substitutions run on the way.
    Unknown(Rc<Vec<Word>>),
    /// A PowerShell script block, which runs if the command it is given to says so.
    Block(Rc<Script>),
    /// Here-document text that is read after its line.
    Later(Rc<OnceCell<Word>>),
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: EcoString,
    pub(super) index: Option<Word>,
    pub(super) operation: Operation,
    /// The operator has a colon: an empty value is none.
    pub(super) empty_is_unset: bool,
    /// What stands behind the operator.
    pub(super) argument: Word,
    pub(super) quoted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Plain,
    /// `:-`, `-`
    Default,
    /// `:=`, `=`
    Assign,
    /// `:+`, `+`
    Alternative,
    /// `#`, `##`
    StripFront,
    /// `%`, `%%`
    StripBack,
    /// `/`
    ReplaceFirst,
    /// `//`
    ReplaceAll,
    /// `:offset:length`
    Slice,
    /// `^^`
    Upper,
    /// `,,`
    Lower,
    /// `!` in front: the value of the name that is its value.
    Indirect,
    /// `@P`
    Prompt,
    /// `:?`, `?`: the value, or the end.
    Required,
    /// Anything else gives a value that cannot be told.
    Other,
}

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A construct that is wrong or never ends, named for people.
    Syntax(&'static str),
    TooDeep,
}

/// What a parser gives back: the statements that are complete, and what stopped it.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) script: Script,
    pub(super) trouble: Option<Trouble>,
}

impl Parsed {
    /// For shells that read a whole text first, and run none of it where it is wrong.
    pub(super) fn all_or_nothing(outcome: Result<Script, Trouble>) -> Self {
        let (script, trouble) = match outcome {
            Ok(script) => (script, None),
            Err(trouble) => (Script::default(), Some(trouble)),
        };
        Self { script, trouble }
    }
}
