//! Command lines that only look: programs whose row says that they cannot write, and subcommands of git that show.
//! Whatever else counts as writing, and so does every line of anything but plain words joined by `|`,
//! `&&`, `||`, `;` and line ends. Stricter than the findings, which say what a line is known to do.

use siderail_syntax::tree::{Node, Operator, Part, Redirect, Script, Simple, Word};

use super::analysis::Dialect;
use super::budget::LENGTH_LIMIT;
use super::program::Role;
use super::{programs, texts};

/// Commands of cmd itself. It takes any other from the current folder first, where a project could have one.
const OF_CMD: [&str; 3] = ["dir", "echo", "type"];

/// True for a command line that is known to change nothing.
///
/// ```
/// use siderail_shell::{Dialect, only_looks};
///
/// assert!(only_looks("grep -n 'a > b' src/*.rs | head", Dialect::Bash));
/// assert!(!only_looks("sort a.txt > b.txt", Dialect::Bash));
/// ```
pub fn only_looks(command: &str, dialect: Dialect) -> bool {
    if command.len() > LENGTH_LIMIT || !is_read_alike(command, dialect) {
        return false;
    }
    let parsed = texts::parse(command, dialect, 0);
    if parsed.trouble.is_some() || parsed.script.nodes.is_empty() {
        return false;
    }
    let mut looking = Looking {
        dialect,
        n_quoted_brackets: 0,
    };
    // zsh runs programs from within brackets behind a name, which the tree does not keep.
    looking.script(&parsed.script) && looking.n_quoted_brackets == command.matches('(').count()
}

/// Whether it has nothing that a shell, or a program in taking its command line apart, could read in another way than
/// our parsers do.
fn is_read_alike(command: &str, dialect: Dialect) -> bool {
    let is_plain = |c: char| match c {
        '\n' | '\t' => true,
        c => !c.is_control() && (c == ' ' || !c.is_whitespace()),
    };
    let is_odd = match dialect {
        Dialect::Bash | Dialect::Fish => false,
        // Its other quotes, and what it hands on to programs in ways of its own.
        Dialect::PowerShell => {
            command.contains(|c| matches!(c, '`' | '\u{2018}'..='\u{201f}'))
                || command.contains("--%")
        }
        Dialect::Cmd => command.contains("\\\"") || command.contains("\"\""),
    };
    command.chars().all(is_plain) && !is_odd
}

/// A walk through a line.
struct Looking {
    dialect: Dialect,
    /// Opening brackets in the quotes of its commands.
    n_quoted_brackets: usize,
}

impl Looking {
    fn script(&mut self, script: &Script) -> bool {
        script.nodes.iter().all(|node| self.node(node))
    }

    fn node(&mut self, node: &Node) -> bool {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Pipe(stages) => stages.iter().all(|stage| self.node(stage)),
            Node::Chain(chain) => {
                self.node(&chain.first) && chain.rest.iter().all(|(_, node)| self.node(node))
            }
            Node::Negated(node) => self.node(node),
            Node::Group(block) => {
                let redirects = &block.redirects;
                redirects.iter().all(|redirect| self.is_harmless(redirect))
                    && self.script(&block.script)
            }
            // What goes on in the background, runs several times or is declared is not followed here.
            Node::Subshell(_)
            | Node::Branch(_)
            | Node::Loop(_)
            | Node::Function { .. }
            | Node::Evaluated(_) => false,
        }
    }

    fn simple(&mut self, simple: &Simple) -> bool {
        let redirects = &simple.redirects;
        if simple.is_expression
            || !simple.assignments.is_empty()
            || !redirects.iter().all(|redirect| self.is_harmless(redirect))
        {
            return false;
        }
        let words: Option<Vec<Plain>> = simple.words.iter().map(|word| self.plain(word)).collect();
        let Some((program, args)) = words.as_ref().and_then(|words| words.split_first()) else {
            return false;
        };
        let name = match self.dialect {
            Dialect::Bash | Dialect::Fish => program.text.clone(),
            Dialect::PowerShell | Dialect::Cmd => program.text.to_ascii_lowercase(),
        };
        if self.dialect == Dialect::Cmd && !OF_CMD.contains(&name.as_str()) {
            return false;
        }
        let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        let more = programs::find(&name).says(|role| match role {
            Role::Looks(more) => Some(more),
            Role::LooksIf(more, fits) => fits(&texts).then_some(more),
            _ => None,
        });
        let Some(more) = more else {
            return false;
        };
        let could_be_option = !more.is_empty() && args.iter().any(|arg| arg.could_be_option);
        !could_be_option && !texts.iter().any(|arg| does_more(arg, more))
    }

    /// A word without expansions. Those of braces count: what comes of them is not looked at.
    fn plain(&mut self, word: &Word) -> Option<Plain> {
        let text = word.literal()?;
        let mut is_pattern = false;
        for part in &word.parts {
            match part {
                Part::Bare(bare) if bare.contains('{') => return None,
                Part::Bare(bare) => is_pattern |= bare.contains(['*', '?', '[']),
                Part::Quoted(quoted) => self.n_quoted_brackets += quoted.matches('(').count(),
                _ => return None,
            }
        }
        // A token that begins in quotes ends with them there, and programs read inner quotes once more.
        if self.dialect == Dialect::PowerShell && (word.parts.len() > 1 || text.contains('"')) {
            return None;
        }
        let could_be_option = is_pattern && text.starts_with(['-', '*', '?', '[', '@', '+', '!']);
        Some(Plain {
            text,
            could_be_option,
        })
    }

    /// It reads a file, joins descriptors, or writes to nowhere.
    fn is_harmless(&mut self, redirect: &Redirect) -> bool {
        let target = self.plain(&redirect.target);
        let Some(target) = target.filter(|_| redirect.variable.is_none()) else {
            return false;
        };
        let target = target.text;
        match redirect.operator {
            // Bash opens connections by names below it.
            Operator::Read => !target.starts_with("/dev/"),
            Operator::Write | Operator::WriteBoth => match self.dialect {
                Dialect::Bash | Dialect::Fish => target == "/dev/null",
                Dialect::Cmd => target.eq_ignore_ascii_case("nul"),
                Dialect::PowerShell => false,
            },
            Operator::DuplicateIn | Operator::DuplicateOut => {
                target == "-" || target.bytes().all(|byte| byte.is_ascii_digit())
            }
            Operator::ReadWrite | Operator::Text => false,
        }
    }
}

/// A word whose text is the one that the program gets, but for patterns in it.
struct Plain {
    text: String,
    /// It is a pattern that fits a file with the name of an option.
    could_be_option: bool,
}

/// An argument that is one of the words or may stand for it: with a value, shortened, or among other letters.
fn does_more(arg: &str, words: &[&str]) -> bool {
    let (name, _) = arg.split_once('=').unwrap_or((arg, ""));
    words.iter().any(|word| {
        let is_long = word.starts_with("--");
        let is_letter = !is_long && word.len() == 2;
        let shortens =
            is_long && name.len() > 2 && name.starts_with("--") && word.starts_with(name);
        let holds =
            is_letter && arg.starts_with('-') && !arg.starts_with("--") && arg.contains(&word[1..]);
        *word == name || shortens || holds
    })
}
