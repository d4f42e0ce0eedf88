//! Folding compared with bash itself: random words made of constants must become the arguments that bash
//! makes of them. Without a bash on the machine there is nothing to compare with.
//!
//! The words name files, so that the paths of the reading show the arguments. The seed is fresh and printed;
//! `SIDERAIL_SEED` brings one back and `SIDERAIL_WORDS` sets the number.

use siderail_shell::{Dialect, FindingKind, ProtectedPlaces, ShellInput, analyse};
use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::process::{Command, Stdio};

const VARIABLES: &str = "V=abc; W=aXbXc; S='p q'; E=''; L=(one 'two three'); ";

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 1) as usize % bound
    }

    fn pick(&mut self, texts: &[&str]) -> String {
        texts[self.below(texts.len())].to_owned()
    }

    fn word(&mut self, depth: usize) -> String {
        (0..=self.below(3)).map(|_| self.piece(depth)).collect()
    }

    fn piece(&mut self, depth: usize) -> String {
        match self.below(if depth < 3 { 14 } else { 10 }) {
            0 | 1 => self.pick(&["a", "b", "cd", "x1", "foo", "-", ".", "/", ":"]),
            2 => self.pick(&["'a b'", "'$V'", "'`'", "'{a,b}'", "''"]),
            3 => self.pick(&["\\a", "\\$", "\\'", "\\\"", "\\\\", "\\{", "\\,", "\\ "]),
            4 => self.pick(&[
                "$'\\x61'",
                "$'\\141'",
                "$'\\u0062'",
                "$'\\t'",
                "$'\\\\'",
                "$'\\''",
                "$'\\0101'",
            ]),
            5 => self.pick(&[
                "{1..3}",
                "{a..c}",
                "{3..1}",
                "{01..03}",
                "{1..5..2}",
                "{a}",
                "{}",
                "{a..1}",
            ]),
            6 | 7 => self.variable(),
            8 => format!("\"{}\"", self.quoted(depth)),
            9 => self.pick(&["`echo b`", "$(echo c)", "$(printf %s d)", "$\"e\""]),
            10 | 11 => {
                let choices: Vec<String> =
                    (0..=self.below(3)).map(|_| self.word(depth + 1)).collect();
                format!("{{{}}}", choices.join(","))
            }
            12 => format!("$(echo {})", self.word(depth + 1)),
            _ => format!("$(printf %s {})", self.word(depth + 1)),
        }
    }

    fn quoted(&mut self, depth: usize) -> String {
        let piece = |random: &mut Self| match random.below(5) {
            0 | 1 => random.pick(&["a", " ", "'", "{a,b}", "*", "\\$", "\\\"", "\\\\", "\\a"]),
            2 => random.variable(),
            3 if depth < 3 => format!("$(echo {})", random.word(depth + 1)),
            _ => "`echo b`".to_owned(),
        };
        (0..self.below(4)).map(|_| piece(self)).collect()
    }

    fn variable(&mut self) -> String {
        let operations = [
            "",
            ":-d",
            "-d",
            ":-$V",
            ":+p",
            "+p",
            "#a",
            "##a",
            "%c",
            "%%c",
            "/b/X",
            "//b/X",
            ":1",
            ":1:2",
            ":0:1",
            "^^",
            ",,",
            "#$V",
            "/b",
            ":-\"q r\"",
            ":-q r",
        ];
        match self.below(8) {
            0 => self.pick(&["$V.", "$S/", "$E-", "$W:"]),
            1 => self.pick(&["${L[0]}", "${L[1]}", "\"${L[@]}\"", "${L[@]}", "$L."]),
            _ => format!(
                "${{{}{}}}",
                self.pick(&["V", "W", "S", "E"]),
                self.pick(&operations)
            ),
        }
    }
}

/// The arguments that bash makes of the words, as paths; `None` where there is no bash or it complains.
fn by_bash(words: &str) -> Option<BTreeSet<String>> {
    // Words that never end must not outlive the test.
    let script = format!("ulimit -t 20; {VARIABLES}set -f; printf '%s\\0' {words}");
    let mut command = Command::new("bash");
    command
        .args(["-c", &script])
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    let output = command.output().ok()?;
    if !output.status.success() || !output.stderr.is_empty() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    // A finding names twenty paths at most, and a loop over more is followed in part.
    if text.split('\0').count() > 18 {
        return Some(BTreeSet::new());
    }
    let paths = text
        .split('\0')
        .filter(|arg| !arg.starts_with('-'))
        .map(absolute);
    Some(paths.filter(|path| path.starts_with("/proj/")).collect())
}

fn absolute(arg: &str) -> String {
    let mut parts: Vec<&str> = if arg.starts_with('/') {
        Vec::new()
    } else {
        vec!["proj"]
    };
    for part in arg
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
    {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    format!("/{}", parts.join("/"))
}

fn by_us(words: &str) -> BTreeSet<String> {
    let command = format!("{VARIABLES}cat {words}");
    let analysis = analyse(&ShellInput {
        command: command.as_bytes(),
        dialect: Dialect::Bash,
        root: "/proj",
        roots: &[],
        cwd: "/proj",
        home: None,
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    });
    let readings = analysis
        .findings
        .into_iter()
        .filter(|finding| finding.kind == FindingKind::Read);
    let paths = readings.flat_map(|finding| finding.paths);
    paths.filter(|path| path.starts_with("/proj/")).collect()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn words_become_the_arguments_that_bash_makes_of_them() {
    if by_bash("a").is_none() {
        // Where everything is built and judged it has to be there; elsewhere it may be too old to print programs.
        assert!(
            std::env::consts::OS != "linux",
            "this test compares with bash: install it"
        );
        println!("no bash here");
        return;
    }
    let seed =
        number("SIDERAIL_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish() | 1);
    println!("seed {seed}");
    let mut random = Random(seed);
    let (mut wrong, mut n_compared) = (Vec::new(), 0_usize);
    for _ in 0..number("SIDERAIL_WORDS").unwrap_or(250) {
        let words = format!("./{} {}", random.word(0), random.word(0));
        let Some(expected) = by_bash(&words) else {
            continue;
        };
        if expected.is_empty() {
            continue;
        }
        n_compared += 1;
        let found = by_us(&words);
        if found != expected {
            wrong.push(format!(
                "{words}\n    bash {expected:?}\n    here {found:?}"
            ));
        }
    }
    assert!(n_compared > 100, "{n_compared} words compared");
    // Words like `{1..2{a,b}` are read by bash in a way of their own; nobody writes them.
    assert!(
        wrong.len() * 200 <= n_compared,
        "{} of {n_compared}; seed {seed}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
