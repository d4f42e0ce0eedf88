//! Names under which programs are installed beside the usual one, which has the row.

/// Programs of which a name may end in a version: `python3.12`, `zsh-5.9`.
const VERSIONED: [&str; 9] = [
    "python", "perl", "ruby", "php", "pypy", "lua", "bash", "zsh", "ksh",
];

/// The usual name of a program that has another one here.
pub(crate) fn usual_name(name: &str) -> Option<&'static str> {
    if name.ends_with(|last: char| last.is_ascii_digit())
        && let Some(program) = without_version(name)
    {
        return Some(other_name(program).unwrap_or(program));
    }
    other_name(name)
}

fn without_version(name: &str) -> Option<&'static str> {
    let program = name.trim_end_matches(|end: char| end.is_ascii_digit() || "-.".contains(end));
    VERSIONED.into_iter().find(|known| *known == program)
}

#[rustfmt::skip]
fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "gawk" | "mawk" | "nawk" => "awk",
        // GNU's own, beside those of another system.
        "gcat" => "cat",
        "ghead" => "head",
        "gtail" => "tail",
        "gsed" => "sed",
        "ggrep" => "grep",
        "gegrep" => "egrep",
        "gfgrep" => "fgrep",
        "gfind" => "find",
        "gls" => "ls",
        "grm" => "rm",
        "gtac" => "tac",
        "gnl" => "nl",
        "gdd" => "dd",
        "gtee" => "tee",
        "gtruncate" => "truncate",
        "gtimeout" => "timeout",
        "genv" => "env",
        "gxargs" => "xargs",
        "gsort" => "sort",
        "gstdbuf" => "stdbuf",
        "gshred" => "shred",
        "gmake" => "make",
        "pypy" => "python",
        // Shells that are read like the others; what cannot be read in them is asked about.
        "yash" | "osh" | "oksh" | "pdksh" | "posh" | "nu" | "elvish" | "xonsh" => "ksh",
        // zsh's own, from its module for files.
        "zf_rm" => "rm",
        _ => return None,
    })
}
