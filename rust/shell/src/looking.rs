//! Command lines that only look, told by a table of what is known to: programs without a way to write, and those
//! subcommands of git. Whatever is not in it counts as writing, and so does every line of anything but plain words
//! joined by `|`, `&&`, `||`, `;` and ends of lines. Stricter than the findings, which say what a line is known to do.

use siderail_syntax::tree::{Node, Operator, Part, Redirect, Script, Simple, Word};

use super::analysis::Dialect;
use super::budget::LENGTH_LIMIT;
use super::texts;

/// A program that only prints.
struct Looker {
    names: &'static [&'static str],
    /// What makes it do more.
    more: &'static [&'static str],
}

const fn looker(names: &'static [&'static str], more: &'static [&'static str]) -> Looker {
    Looker { names, more }
}

#[rustfmt::skip]
const LOOKERS: [Looker; 8] = [
    looker(&[
        "basename", "cat", "cmp", "cut", "df", "dirname", "du", "echo", "egrep", "false", "fgrep", "grep", "head", "id",
        "ls", "md5sum", "nl", "printf", "pwd", "readlink", "realpath", "sha256sum", "stat", "tail", "tr", "true",
        "uname", "wc", "which", "dir", "type", "findstr",
    ], &[]),
    looker(&[
        "get-childitem", "gci", "get-content", "gc", "get-item", "gi", "get-location", "gl", "resolve-path", "rvpa",
        "select-string", "sls", "test-path",
    ], &[]),
    looker(&["date"], &["-s", "--set"]),
    looker(&["diff"], &["--output"]),
    looker(&["file"], &["-C", "--compile"]),
    looker(&["find"], &[
        "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls",
    ]),
    looker(&["rg"], &["--pre", "--hostname-bin"]),
    looker(&["git"], &["--output", "--ext-diff", "--textconv"]),
];

/// Subcommands of git that show.
#[rustfmt::skip]
const GIT: [&str; 9] = [
    "blame", "describe", "diff", "log", "ls-files", "rev-parse", "shortlog", "show", "status",
];

/// True for a command line that is known to change nothing.
///
/// ```
/// use siderail_shell::{Dialect, only_looks};
///
/// assert!(only_looks("grep -n 'a > b' src/*.rs | head", Dialect::Bash));
/// assert!(!only_looks("sort a.txt > b.txt", Dialect::Bash));
/// ```
pub fn only_looks(command: &str, dialect: Dialect) -> bool {
    // No command can hold a NUL; what stands for it would not be what runs.
    if command.len() > LENGTH_LIMIT || command.contains('\0') {
        return false;
    }
    let parsed = texts::parse(command, dialect, 0);
    parsed.trouble.is_none()
        && !parsed.script.nodes.is_empty()
        && script_looks(&parsed.script, dialect)
}

fn script_looks(script: &Script, dialect: Dialect) -> bool {
    script.nodes.iter().all(|node| node_looks(node, dialect))
}

fn node_looks(node: &Node, dialect: Dialect) -> bool {
    match node {
        Node::Simple(simple) => simple_looks(simple, dialect),
        Node::Pipe(stages) => stages.iter().all(|stage| node_looks(stage, dialect)),
        Node::Chain(chain) => {
            let mut rest = chain.rest.iter();
            node_looks(&chain.first, dialect) && rest.all(|(_, node)| node_looks(node, dialect))
        }
        Node::Negated(node) => node_looks(node, dialect),
        Node::Group(block) => {
            block.redirects.iter().all(is_harmless) && script_looks(&block.script, dialect)
        }
        // What goes on behind the line's back, runs several times or is declared is not followed here.
        Node::Subshell(_)
        | Node::Branch(_)
        | Node::Loop(_)
        | Node::Function { .. }
        | Node::Evaluated(_) => false,
    }
}

fn simple_looks(simple: &Simple, dialect: Dialect) -> bool {
    if simple.is_expression
        || !simple.assignments.is_empty()
        || !simple.redirects.iter().all(is_harmless)
    {
        return false;
    }
    let words: Option<Vec<String>> = simple.words.iter().map(plain).collect();
    let Some((program, args)) = words.as_ref().and_then(|words| words.split_first()) else {
        return false;
    };
    let program = match dialect {
        Dialect::Bash | Dialect::Fish => program.clone(),
        Dialect::PowerShell | Dialect::Cmd => program.to_ascii_lowercase(),
    };
    // It sets the date there.
    if dialect == Dialect::Cmd && program == "date" {
        return false;
    }
    let known = LOOKERS
        .iter()
        .find(|looker| looker.names.contains(&program.as_str()));
    let Some(looker) = known else {
        return false;
    };
    let shows = program != "git" || shows_of_git(args);
    shows && !args.iter().any(|arg| does_more(arg, looker.more))
}

fn shows_of_git(args: &[String]) -> bool {
    let args = match args {
        [first, rest @ ..] if first == "--no-pager" => rest,
        all => all,
    };
    args.first()
        .is_some_and(|subcommand| GIT.contains(&subcommand.as_str()))
}

/// A word whose text is the one that the program gets: a pattern at its front, or braces, could become an option.
fn plain(word: &Word) -> Option<String> {
    let leads = |text: &str| text.starts_with(['*', '?', '[', '@', '+', '!']);
    let mut parts = word.parts.iter();
    let is_safe = |part: &Part| !matches!(part, Part::Bare(text) if text.contains('{'));
    let first = word.parts.first();
    let leads = matches!(first, Some(Part::Bare(text)) if leads(text));
    (!leads && parts.all(is_safe)).then(|| word.literal())?
}

/// It reads a file, joins descriptors, or writes to nowhere.
fn is_harmless(redirect: &Redirect) -> bool {
    let target = plain(&redirect.target);
    let Some(target) = target.filter(|_| redirect.variable.is_none()) else {
        return false;
    };
    match redirect.operator {
        // Bash opens connections by names below it.
        Operator::Read => !target.starts_with("/dev/"),
        Operator::Write | Operator::WriteBoth => target == "/dev/null",
        Operator::DuplicateIn | Operator::DuplicateOut => {
            target == "-" || target.bytes().all(|byte| byte.is_ascii_digit())
        }
        Operator::ReadWrite | Operator::Text => false,
    }
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
