//! Command lines that only look, told by a list of what is known to: programs without a way to write, and those
//! subcommands of git. Whatever is not on it counts as writing, and so does every line that is not plain words
//! joined by `|`, `&&`, `||` and `;`.

/// Programs that only print, with the words that would make them do more.
const PROGRAMS: [(&str, &[&str]); 34] = [
    ("basename", &[]),
    ("cat", &[]),
    ("cmp", &[]),
    ("cut", &[]),
    ("date", &["-s", "--set"]),
    ("df", &[]),
    ("diff", &["--output"]),
    ("dirname", &[]),
    ("du", &[]),
    ("echo", &[]),
    ("egrep", &[]),
    ("false", &[]),
    ("fgrep", &[]),
    ("file", &["-C", "--compile"]),
    (
        "find",
        &[
            "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf",
            "-fls",
        ],
    ),
    ("grep", &[]),
    ("head", &[]),
    ("id", &[]),
    ("ls", &[]),
    ("md5sum", &[]),
    ("nl", &[]),
    ("printf", &[]),
    ("pwd", &[]),
    ("readlink", &[]),
    ("realpath", &[]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("sha256sum", &[]),
    ("stat", &[]),
    ("tail", &[]),
    ("tr", &[]),
    ("true", &[]),
    ("uname", &[]),
    ("wc", &[]),
    ("which", &[]),
];

/// Subcommands of git that show, and what makes them write or run a program.
const GIT: [&str; 9] = [
    "blame",
    "describe",
    "diff",
    "log",
    "ls-files",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];
const GIT_DOES_MORE: [&str; 3] = ["--output", "--ext-diff", "--textconv"];

/// True for a command line that is known to change nothing.
pub fn only_looks(line: &str) -> bool {
    // A line that expands, redirects or nests is not read here: it could do anything.
    if line.trim().is_empty() || line.contains(['>', '<', '$', '`', '(', ')', '{', '}', '\n', '\\'])
    {
        return false;
    }
    let parts = line.replace("&&", "|").replace([';'], "|");
    // A single `&` would go on behind the line's back.
    !parts.contains('&')
        && parts
            .split('|')
            .all(|part| part.trim().is_empty() || looks(part))
}

fn looks(command: &str) -> bool {
    let words: Vec<&str> = command
        .split_whitespace()
        .map(|word| word.trim_matches(['\'', '"']))
        .collect();
    let Some((program, args)) = words.split_first() else {
        return false;
    };
    if *program == "git" {
        return git_looks(args);
    }
    let known = PROGRAMS.iter().find(|(name, _)| name == program);
    known.is_some_and(|(_, more)| !args.iter().any(|arg| does_more(arg, more)))
}

fn git_looks(args: &[&str]) -> bool {
    let args = args.strip_prefix(&["--no-pager"]).unwrap_or(args);
    let Some((subcommand, args)) = args.split_first() else {
        return false;
    };
    GIT.contains(subcommand) && !args.iter().any(|arg| does_more(arg, &GIT_DOES_MORE))
}

/// An argument that is one of the words, with a value or without. Quotes inside of it could hide one.
fn does_more(arg: &str, words: &[&str]) -> bool {
    let plain = arg.replace(['\'', '"'], "");
    let (name, _) = plain.split_once('=').unwrap_or((&plain, ""));
    let abbreviates = |word: &&str| {
        word.starts_with("--") && name.len() > 3 && name.starts_with("--") && word.starts_with(name)
    };
    words.iter().any(|word| *word == name || abbreviates(word))
}
