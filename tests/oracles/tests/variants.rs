//! What surrounds a command line changes nothing of what it is: separators, brackets, a shell, wrappers, quotes.

use siderail_oracles::labelled::{self, Setting};
use siderail_shell::{Dialect, FindingKind};
use std::collections::BTreeSet;

/// The labelled lines of bash that mean the same inside of something else: one line each that can be parsed, with no
/// comment alone and no arguments of its own.
fn lines() -> Vec<String> {
    let all = labelled::read(&labelled::corpus()).into_iter();
    let ordinary = all.filter(|line| {
        let setting = &line.setting;
        let plain = setting.cwd == "/proj" && setting.home.is_none() && setting.tools.is_none();
        plain && setting.dialect == Dialect::Bash && !line.place.starts_with("parse.")
    });
    let commands = ordinary.map(|line| line.command.trim().to_owned());
    let whole = |line: &String| {
        let odd = ["\n", "$1", "\"$@\""];
        !line.is_empty() && !line.starts_with('#') && !odd.iter().any(|text| line.contains(text))
    };
    commands.filter(whole).collect()
}

fn kinds(command: &str) -> BTreeSet<FindingKind> {
    labelled::kinds(&Setting::default().analyse(command.as_bytes()))
}

fn check(lines: &[String], variants: &[fn(&str) -> String]) {
    assert!(
        lines.len() > 300,
        "the corpus is gone: {} lines",
        lines.len()
    );
    let mut wrong = Vec::new();
    for line in lines {
        let expected = kinds(line);
        for variant in variants {
            let changed = variant(line);
            let found = kinds(&changed);
            if found != expected {
                let (expected, found) = (labelled::names(&expected), labelled::names(&found));
                wrong.push(format!("{expected} became {found}: {changed}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} change: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(12)]
    );
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Lines of nothing but words, which stay words whatever surrounds them.
fn plain_lines(punctuation: &[u8], but: &[&str]) -> Vec<String> {
    let mut lines = lines();
    lines.retain(|line| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || punctuation.contains(&byte);
        let first = line.split(' ').next().unwrap_or_default();
        let spaced = line.split(' ').all(|word| !word.is_empty());
        line.bytes().all(is_plain) && spaced && !but.contains(&first)
    });
    lines
}

/// Each word of a line written in another way.
fn rewritten(line: &str, separator: &str, word: impl Fn(&str) -> String) -> String {
    line.split(' ')
        .map(word)
        .collect::<Vec<_>>()
        .join(separator)
}

#[test]
fn separators_and_brackets_change_no_finding() {
    check(
        &lines(),
        &[
            |line| format!("true; {line}"),
            |line| format!("{line}\n"),
            |line| format!("true && {line}"),
            |line| format!("\n\n  {line}\n\n"),
            |line| format!("( {line}\n)"),
            |line| format!("{{ {line}\n}}"),
            |line| format!("if true; then\n{line}\nfi"),
            |line| format!("f() {{ {line}\n}}\nf"),
            |line| format!("make\n{line}\nmake"),
        ],
    );
}

#[test]
fn a_shell_around_a_line_changes_no_finding() {
    check(
        &lines(),
        &[
            |line| format!("bash -c {}", quoted(line)),
            |line| format!("sudo bash -lc {}", quoted(line)),
            |line| format!("eval {}", quoted(line)),
            |line| format!("bash <<'END'\n{line}\nEND"),
        ],
    );
}

#[test]
fn wrappers_around_a_plain_command_change_no_finding() {
    let builtins = [
        "cd", "exec", "export", "set", "alias", "source", ".", "eval", "trap", "time", "pushd",
        "read", "type", "command", "builtin", "env", "true", "wait", "declare", "local", "exit",
        "help", "ulimit",
    ];
    check(
        &plain_lines(b" ./_-:@,+", &builtins),
        &[
            |line| format!("sudo {line}"),
            |line| format!("env A=1 {line}"),
            |line| format!("timeout -k 5 30 {line}"),
            |line| format!("nohup nice -n 5 {line}"),
            |line| format!("command {line}"),
            |line| format!("stdbuf -oL time -p {line}"),
            |line| format!("exec {line}"),
        ],
    );
}

#[test]
fn quotes_around_the_words_of_a_plain_command_change_no_finding() {
    check(
        &plain_lines(b" ./_-:,", &["time", "if", "for", "while"]),
        &[
            |line| rewritten(line, " ", |word| format!("'{word}'")),
            |line| rewritten(line, "  ", |word| format!("\"{word}\"")),
            |line| rewritten(line, "\t", |word| format!("{word}''")),
            |line| rewritten(line, " \\\n ", |word| format!("$'{word}'")),
        ],
    );
}
