//! One walk may speak for several states of a line: it has to find whatever walking each of them finds.
//!
//! It may find more. States in which the same function was read anew count as others, so that a walk for each has
//! sooner so many of them that they are made one, of which less is known.
//!
//! The seed is fresh and printed; `SIDERAIL_SEED` brings a run back and `SIDERAIL_PROGRAMS` says how many lines.

use siderail_oracles::effects::grammar::Grammar;
use siderail_oracles::effects::inside::PROGRAMS;
use siderail_oracles::effects::project::ROOT;
use siderail_oracles::effort::Effort;
use siderail_oracles::labelled::Setting;
use siderail_oracles::random::Random;
use siderail_shell::{Analysis, Dialect, FindingKind};

/// Statements of the effect oracle's grammar behind and inside of what makes several states of one.
fn line(grammar: &Grammar, seed: u64, index: u64) -> (String, Setting) {
    let mut random = Random::of(seed, index);
    let first = grammar.line(seed, index);
    let dialect = first.dialect();
    let mut lines = vec![first.text];
    for at in 1..1 + random.below(4) as u64 {
        let more = grammar.line(seed ^ at, index);
        if more.dialect() == dialect {
            lines.push(more.text);
        }
    }
    let forks = match dialect {
        Dialect::Fish => FISH,
        _ => BASH,
    };
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len() + 1);
        lines.insert(at, (*random.pick(forks)).to_owned());
    }
    let text = lines.join("\n");
    let text = match (dialect, random.below(4)) {
        (Dialect::Fish, 0) => format!("while x\n{text}\nend"),
        (_, 0) => format!("while x; do\n{text}\ndone"),
        (_, 1) => format!("for x in a b; do\n{text}\ndone"),
        _ => text,
    };
    let setting = Setting {
        root: ROOT.to_owned(),
        cwd: ROOT.to_owned(),
        ..Setting::of(dialect)
    };
    (text, setting)
}

const BASH: &[&str] = &[
    "[ -d x ] && cd /tmp",
    "[ -d x ] && cd src",
    "if x; then f=README.md; else f=/tmp/x; fi",
    "f=README.md; x && f=/tmp/y",
    "[ -f x ] || c=rm",
    "rm $f",
    "cat $f",
    "$c -rf src",
    "x && set -- README.md",
    "cat \"$1\"",
    "x && g() { rm -rf src; }",
    "g",
    "x && exit",
    "x && break",
    "x && continue",
];

const FISH: &[&str] = &[
    "test -d x; and cd /tmp",
    "if x; set f README.md; else; set f /tmp/x; end",
    "rm $f",
    "cat $f",
    "x; and set c rm",
    "$c -rf src",
];

/// What is compared.
type Said = (Vec<FindingKind>, Vec<String>);

/// None for a line that took too much.
fn said(analysis: Analysis) -> Option<Said> {
    let given_up = |why: &str| why.contains("nested too deeply");
    if analysis
        .findings
        .iter()
        .any(|finding| given_up(&finding.why))
    {
        return None;
    }
    let mut kinds: Vec<_> = analysis.findings.iter().map(|found| found.kind).collect();
    kinds.sort();
    kinds.dedup();
    Some((kinds, analysis.outside))
}

/// What is said of a line in both ways.
fn both(text: &str, setting: &Setting) -> Option<(Said, Said)> {
    let said_of = |repeats| said(setting.analyse_patiently(text.as_bytes(), repeats));
    Some((said_of(true)?, said_of(false)?))
}

/// Whether one walk for several states loses nothing.
fn holds((once, each): &(Said, Said)) -> bool {
    // What is unknown is reported of more.
    let told = |kind: &&FindingKind| **kind != FindingKind::Opaque;
    each.0.iter().filter(told).all(|kind| once.0.contains(kind))
        && each.1.iter().all(|path| once.1.contains(path))
}

/// A part of the line that loses something, too.
fn shrunk(text: String, setting: &Setting) -> String {
    let mut text = text;
    loop {
        let mut ends: Vec<usize> = text
            .match_indices(['\n', ';'])
            .map(|(at, _)| at + 1)
            .collect();
        ends.insert(0, 0);
        ends.push(text.len());
        let without = |from: usize, to: usize| format!("{}{}", &text[..from], &text[to..]);
        let smaller = (0..ends.len()).flat_map(|from| {
            let ends = &ends;
            (from + 1..ends.len())
                .rev()
                .map(move |to| (ends[from], ends[to]))
        });
        let found = smaller
            .filter(|(from, to)| from < to)
            .map(|(from, to)| without(from, to))
            .find(|part| both(part, setting).is_some_and(|said| !holds(&said)));
        match found {
            Some(part) => text = part,
            None => return text,
        }
    }
}

#[test]
fn one_walk_for_several_states_finds_what_a_walk_for_each_finds() {
    let effort = Effort::asked();
    let seed = effort.seed;
    let grammar = Grammar::of(&PROGRAMS.map(str::to_owned));
    let (mut n_compared, n_lines) = (0, effort.programs(10_000));
    let mut lost = Vec::new();
    for index in 0..n_lines {
        let (text, setting) = line(&grammar, seed, index);
        let Some(said) = both(&text, &setting) else {
            continue;
        };
        n_compared += 1;
        if !holds(&said) {
            let (once, each) = said;
            lost.push(format!(
                "line {index}: {once:?}, each {each:?}\n{}",
                shrunk(text, &setting)
            ));
        }
    }
    println!("SIDERAIL_SEED={seed}: {n_compared} of {n_lines} lines compared");
    assert!(n_compared * 10 > n_lines * 8, "most lines took too much");
    assert!(
        lost.is_empty(),
        "SIDERAIL_SEED={seed}: {} lose something\n{}",
        lost.len(),
        lost[..lost.len().min(8)].join("\n---\n")
    );
}
