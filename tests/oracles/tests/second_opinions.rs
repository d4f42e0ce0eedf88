//! The guard's reading of bash against two other parsers: brush-parser and tree-sitter-bash.
//!
//! By default a share of the lines is looked at, another one in each run; `SIDERAIL_PROGRAMS=10000` looks at all,
//! and at so many generated programs. Neither is right always (`docs/guard.md` has the counts), so neither alone accuses the guard. What both of
//! them see where a command is, the guard must not miss.

#![cfg(unix)]

#[path = "second_opinions/asked.rs"]
mod asked;
#[path = "second_opinions/brush.rs"]
mod brush;
#[path = "second_opinions/gate.rs"]
mod gate;
#[path = "second_opinions/seen.rs"]
mod seen;
#[path = "second_opinions/tree.rs"]
mod tree;

use asked::{Opinions, ask};
use seen::{Opinion, Seen};
use siderail_oracles::bash::Bash;
use siderail_oracles::effort::Effort;
use siderail_oracles::generator;
use siderail_oracles::labelled::{self, Labelled, Setting};
use siderail_shell::{Dialect, FindingKind};
use std::collections::{BTreeMap, BTreeSet};

/// Not a test by itself: the process in which the parsers answer is this program with this test.
#[test]
fn the_answering_process() {
    asked::answer();
}

fn bash_lines() -> Vec<Labelled> {
    let mut lines = labelled::read(&labelled::corpus());
    lines.extend(labelled::read(&labelled::fresh()));
    lines.retain(|line| line.setting.dialect == Dialect::Bash);
    assert!(lines.len() > 2_000, "the corpus is gone");
    lines
}

fn opinions(lines: &[Labelled]) -> Vec<Opinions> {
    let texts: Vec<String> = lines.iter().map(|line| line.command.clone()).collect();
    ask(&texts)
}

/// A command of constant words as a line of its own.
fn alone(command: &[Option<String>]) -> Option<String> {
    let words: Option<Vec<String>> = command
        .iter()
        .map(|word| Some(format!("'{}'", word.as_deref()?.replace('\'', "'\\''"))))
        .collect();
    words.map(|words| words.join(" "))
}

/// The commands that both parsers see, of constant words only.
fn common(opinions: &Opinions) -> Vec<&Seen> {
    let (Some(brush), Some(tree)) = (opinions.brush.seen(), opinions.tree.seen()) else {
        return Vec::new();
    };
    let tree: BTreeSet<_> = tree.iter().map(Seen::command).collect();
    brush
        .iter()
        .filter(|seen| tree.contains(seen.command()))
        .collect()
}

/// Why a command may be guarded when it is alone and not where it is in a line.
fn explanation(
    line: &Labelled,
    seen: &Seen,
    found: &BTreeSet<FindingKind>,
) -> Option<&'static str> {
    let text = line.command.as_str();
    let holds = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if holds(&["cd ", "cd;", "pushd "]) {
        return Some("runs in another folder");
    }
    if holds(&["() {", "function "]) {
        return Some("stands in a function that nobody calls");
    }
    if holds(&["alias "]) {
        return Some("is another command by its alias");
    }
    if found.is_empty() && text.ends_with("> /dev/null") {
        return Some("prints to nobody");
    }
    if found.contains(&FindingKind::RemoteCode) {
        return Some("runs what was downloaded, and is named for that");
    }
    if found.contains(&FindingKind::Opaque) && seen.name() == Some("cat") {
        return Some("prints what is run and not shown");
    }
    None
}

/// What a command is by itself, if it is that in a pipe too: there its input is not the person's.
fn guarded(line: &Labelled, seen: &Seen) -> Option<(String, BTreeSet<FindingKind>)> {
    let text = alone(seen.command())?;
    let by_itself = labelled::kinds(&line.setting.analyse(text.as_bytes()));
    let piped = labelled::kinds(&line.setting.analyse(format!("make | {text}").as_bytes()));
    Some((text, by_itself.intersection(&piped).copied().collect()))
}

#[test]
fn no_guarded_command_that_both_parsers_see_is_missed() {
    let lines = Effort::asked().some_of(bash_lines(), 2);
    let (mut n_commands, mut n_guarded, mut missed) = (0, 0, String::new());
    let mut explained: BTreeMap<&str, u32> = BTreeMap::new();
    for (line, opinions) in lines.iter().zip(opinions(&lines)) {
        let found = labelled::kinds(&line.analyse());
        for seen in common(&opinions) {
            let Some((text, kinds)) = guarded(line, seen) else {
                continue;
            };
            n_commands += 1;
            n_guarded += u32::from(!kinds.is_empty());
            if kinds.is_subset(&found) {
                continue;
            }
            match explanation(line, seen, &found) {
                Some(why) => *explained.entry(why).or_default() += 1,
                None => {
                    missed += &format!("{}: {kinds:?} {text}\n    {:?}\n", line.place, line.command)
                }
            }
        }
    }
    println!(
        "{} lines: {n_commands} commands that both see, {n_guarded} guarded; explained: {explained:?}",
        lines.len()
    );
    assert!(n_guarded > 300, "nothing was compared");
    assert!(
        missed.is_empty(),
        "both parsers see what the guard misses\n{missed}"
    );
}

/// Lines that the two parsers read differently, each with the one that is wrong and what it cannot do.
const DIFFERENCES: [(&str, &str); 5] = [
    (
        "tree-sitter loses backticks that stand in another expansion, a document or backticks",
        "`",
    ),
    ("tree-sitter loses what stands behind ${x#", "${X#"),
    (
        "tree-sitter keeps a line break that is escaped in a name",
        "ca\\\n",
    ),
    (
        "tree-sitter loses a $( with an escaped line break in it",
        "$\\\n(",
    ),
    (
        "tree-sitter takes `coproc` for a command, and the end of its group for another",
        "coproc ",
    ),
];

#[test]
fn where_the_two_parsers_differ_is_known() {
    let bash = Bash::find();
    let lines = Effort::asked().some_of(bash_lines(), 8);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut unknown = String::new();
    for (line, opinions) in lines.iter().zip(opinions(&lines)) {
        let mut count = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
        match (opinions.brush.names(), opinions.tree.names()) {
            (Some(brush), Some(tree)) if brush == tree => count("both see the same names"),
            (Some(brush), Some(tree)) => {
                let known = DIFFERENCES
                    .iter()
                    .find(|(_, text)| line.command.contains(text));
                match known {
                    Some((why, _)) => count(why),
                    None => {
                        unknown += &format!(
                            "{}: {brush:?}, {tree:?}\n    {:?}\n",
                            line.place, line.command
                        )
                    }
                }
            }
            _ => count("at least one does not read the line"),
        }
        let Some(bash) = &bash else { continue };
        let accepts = bash.accepts(&line.command);
        for (name, opinion) in [("brush", &opinions.brush), ("tree-sitter", &opinions.tree)] {
            match (opinion, accepts) {
                (Opinion::Refused(why), true) => {
                    count(&format!("{name} refuses a valid line: {why}"))
                }
                (Opinion::Seen(_), false) => count(&format!("{name} accepts an invalid line")),
                _ => {}
            }
        }
    }
    println!("{} lines: {counts:#?}", lines.len());
    assert!(
        unknown.is_empty(),
        "the parsers differ, and it is not known why\n{unknown}"
    );
}

#[test]
fn generated_commands_that_both_parsers_see_are_found() {
    let effort = Effort::asked();
    let (seed, n_programs) = (effort.seed, effort.programs(300));
    let programs: Vec<_> = (0..n_programs)
        .map(|index| generator::program(seed, index))
        .collect();
    let texts: Vec<String> = programs
        .iter()
        .map(|program| program.text.clone())
        .collect();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut missed = String::new();
    for (program, opinions) in programs.iter().zip(ask(&texts)) {
        let bare = program.planted.iter().filter(|planted| planted.bare);
        let bare: BTreeSet<String> = bare.map(|planted| planted.marker.clone()).collect();
        let mut both = bare.clone();
        for (name, opinion) in [("brush", &opinions.brush), ("tree-sitter", &opinions.tree)] {
            let seen = opinion.seen().map(marked).unwrap_or_default();
            let what = match opinion {
                Opinion::Refused(_) => "refuses",
                Opinion::Seen(_) if bare.is_subset(&seen) => "sees all",
                Opinion::Seen(_) => "misses some",
            };
            *counts.entry(format!("{name} {what}")).or_default() += 1;
            both.retain(|file| seen.contains(file));
        }
        let analysis = Setting::of(Dialect::Bash).analyse(program.text.as_bytes());
        let paths = analysis.findings.iter().flat_map(|finding| &finding.paths);
        let found: BTreeSet<&str> = paths
            .filter_map(|path| path.strip_prefix("/proj/"))
            .collect();
        both.retain(|file| !found.contains(file.as_str()));
        if !both.is_empty() {
            missed += &format!("--- {both:?}\n{}\n", program.text);
        }
    }
    println!("seed {seed}, {n_programs} programs: {counts:?}");
    assert!(
        missed.is_empty(),
        "seed {seed}: both parsers see what the guard misses\n{missed}"
    );
}

/// The marked files that commands are given, wrappers' not counted.
fn marked(seen: &[Seen]) -> BTreeSet<String> {
    let guarded = ["cat", "head", "sed", "grep", "rm", "ls", "find"];
    seen.iter()
        .filter(|seen| seen.name().is_some_and(|name| guarded.contains(&name)))
        .flat_map(|seen| seen.command().iter().flatten())
        .map(|word| word.trim_start_matches("./").to_owned())
        .filter(|word| generator::is_marker(word))
        .collect()
}
