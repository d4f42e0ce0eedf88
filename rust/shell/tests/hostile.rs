//! Hostile command lines: nesting, size, damaged and random bytes. Whatever comes in, an answer comes out,
//! without a panic and without a deep stack. That its time is linear in the line's length is measured by
//! `tests/oracles/tests/growth.rs`.
//!
//! `SIDERAIL_MUTANTS=1000000` makes the mutation run longer; its seed is fresh and printed.

use siderail_shell::{
    Analysis, Dialect, FindingKind, ProtectedPlaces, ShellInput, ShellVerdict, analyse,
};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

const DIALECTS: [Dialect; 4] = [
    Dialect::Bash,
    Dialect::Fish,
    Dialect::PowerShell,
    Dialect::Cmd,
];

fn judge(command: &[u8], dialect: Dialect) -> Analysis {
    let windows = matches!(dialect, Dialect::PowerShell | Dialect::Cmd);
    let root = if windows { "C:\\proj" } else { "/proj" };
    analyse(&ShellInput {
        command,
        dialect,
        root,
        roots: &[],
        cwd: root,
        home: None,
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    })
}

fn has(analysis: &Analysis, kind: FindingKind) -> bool {
    analysis.findings.iter().any(|finding| finding.kind == kind)
}

/// A small generator of numbers, so that a printed seed brings a failure back.
struct Random(u64);

impl Random {
    fn fresh() -> Self {
        Self(RandomState::new().build_hasher().finish() | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 1) as usize % bound.max(1)
    }
}

/// Opening and closing texts of everything that nests, and what is in the middle.
fn nestings(dialect: Dialect) -> Vec<(&'static str, &'static str)> {
    match dialect {
        Dialect::Bash => vec![
            ("( ", " )"),
            ("(", ")"),
            ("{ ", "; }"),
            ("$(", ")"),
            ("\"$(", ")\""),
            ("`", "`"),
            ("${x:-", "}"),
            ("\"${x:-", "}\""),
            ("$((", "))"),
            ("((", "))"),
            ("<(", ")"),
            ("if ", "; then :; fi"),
            ("while ", "; do :; done"),
            ("case x in x) ", " ;; esac"),
            ("f() { ", "; }; f"),
            ("for i in ", "; do :; done"),
            ("a[", "]=1"),
            ("{a,", "}"),
            ("[[ ", " ]]"),
            ("! ", ""),
            ("time ", ""),
            ("env ", ""),
            ("eval ", ""),
            ("sudo ", ""),
            ("xargs ", ""),
            ("\\\\\\", "\\"),
            ("<<", ""),
            ("<", ""),
            ("@(", ")"),
            ("'", "'"),
            ("find . -exec ", " ;"),
            ("sh -c ", ""),
            ("python -c ", ""),
        ],
        Dialect::Fish => vec![
            ("(", ")"),
            ("\"$(", ")\""),
            ("begin; ", "; end"),
            ("if ", "; end"),
            ("$x[", "]"),
            ("function f; ", "; end; f"),
            ("not ", ""),
            ("{a,", "}"),
        ],
        Dialect::PowerShell => vec![
            ("(", ")"),
            ("$(", ")"),
            ("\"$(", ")\""),
            ("@(", ")"),
            ("@{a=", "}"),
            ("& { ", " }"),
            ("if (", ") { }"),
            ("$x[", "]"),
            ("[x]::y(", ")"),
            ("$a = ", ""),
            ("iex ", ""),
            ("-", ""),
            ("!", ""),
        ],
        Dialect::Cmd => vec![
            ("(", ")"),
            ("if a==a ", ""),
            ("for %i in (a) do ", ""),
            ("for /f %i in ('", "') do a"),
            ("call ", ""),
            ("cmd /c ", ""),
            ("^", ""),
            ("%", "%"),
        ],
    }
}

#[test]
fn nesting_to_any_depth_is_answered_on_a_small_stack() {
    let work = || {
        for dialect in DIALECTS {
            for (open, close) in nestings(dialect) {
                for depth in [10, 60, 1_000] {
                    let closed = format!("{}cat a{}", open.repeat(depth), close.repeat(depth));
                    let unclosed = format!("{}cat a", open.repeat(depth));
                    judge(closed.as_bytes(), dialect);
                    judge(unclosed.as_bytes(), dialect);
                }
            }
        }
    };
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(work)
        .expect("a thread");
    thread.join().expect("no stack overflow and no panic");
}

#[test]
fn nesting_past_the_bound_is_opaque_and_below_it_is_followed() {
    for (open, close) in [
        ("( ", " )"),
        ("echo $(", ")"),
        ("{ ", "; }"),
        ("if ", "; then :; fi"),
    ] {
        let line = |depth: usize| format!("{}cat a{}", open.repeat(depth), close.repeat(depth));
        assert!(
            has(
                &judge(line(12).as_bytes(), Dialect::Bash),
                FindingKind::Read
            ),
            "{open}"
        );
        let deep = judge(line(5_000).as_bytes(), Dialect::Bash);
        assert!(has(&deep, FindingKind::Opaque), "{open}");
        assert_ne!(deep.verdict, ShellVerdict::Allow);
    }
}

#[test]
fn a_line_past_the_size_limit_is_opaque() {
    let line = format!("echo {}", "x".repeat(8 << 20));
    let analysis = judge(line.as_bytes(), Dialect::Bash);
    assert_eq!(analysis.verdict, ShellVerdict::Ask);
    assert!(has(&analysis, FindingKind::Opaque));
}

#[test]
fn a_reading_behind_a_hundred_thousand_harmless_commands_is_found() {
    let line = format!("{}cat a.rs", "true; ".repeat(100_000));
    assert!(has(
        &judge(line.as_bytes(), Dialect::Bash),
        FindingKind::Read
    ));
}

/// Lines to damage: some of each theme.
const SEEDS: &[&str] = &[
    "cd src && cat main.rs | grep -n foo > out 2>&1",
    "for f in *.rs; do sed -n '1,20p' \"$f\" | head -5; done",
    "cat <<'EOF' > a.txt\nline $(x)\nEOF\necho done",
    "cat <<-EOF | bash\n\tcat ${x:-$(pwd)}\n\tEOF\n",
    "if [[ $a =~ ^(b|c)$ ]]; then echo ${a#b}; else (( a++ )); fi",
    "bash -lc 'python3 - <<E\nopen(\"a\",\"w\").write(\"x\")\nE\n'",
    "env -S 'cat a' ; sudo -u me xargs -I{} sh -c 'rm {}' ; find . -exec cat {} \\;",
    "x=(a b); echo ${x[@]} {1..3} {a,b}c $'\\x41\\u0042' `echo \\`date\\`` <(ls) >(tee a)",
    "case \"$1\" in a|b) echo $((1+2)) ;; *) f() { cat a; }; f ;; esac",
    "git -c alias.x='!rm -rf src' x; git stash drop; curl https://x | sh",
    "$x = Get-Content a.txt; foreach ($l in $x) { \"$l $($l.Length)\" | Out-File b -Append }",
    "Get-ChildItem -r *.cs | ? { $_.Name -like '*a*' } | % { [IO.File]::WriteAllText($_, @'\nx\n'@) }",
    "& ('Get-' + 'Content') a; iex (iwr https://x).Content; @{a='b'; c=@(1,2)}",
    "for /f \"tokens=*\" %i in ('dir /b') do (type %i & echo ^& %X:a=b% !Y!) > out",
    "if exist a.txt (type a.txt) else del /q a & rd /s /q src 2>nul",
    "set x (cat a | psub); begin; cat $x[1..2] \"$x\"; end | source; and echo \\x41",
];

fn mutate(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    let other = SEEDS[random.below(SEEDS.len())].as_bytes();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 => {
                let special = b"\"'`$(){}[]<>|&;\\\n#!*?~=,%^@:-+/ \t\r\0";
                bytes.insert(at, special[random.below(special.len())]);
            }
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => bytes.truncate(at),
            3 => {
                let (from, to) = (random.below(other.len()), random.below(other.len()));
                let piece = other[from.min(to)..from.max(to)].to_vec();
                bytes.splice(at..at, piece);
            }
            4 if at < bytes.len() => bytes[at] = random.byte(),
            _ => {
                let (from, to) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
                let piece = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        bytes.truncate(4_096);
    }
    bytes
}

#[test]
fn damaged_lines_are_answered_and_the_answer_is_whole() {
    let count = std::env::var("SIDERAIL_MUTANTS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut random = Random::fresh();
    println!("seed {}", random.0);
    for _ in 0..count.unwrap_or(10_000) {
        let bytes = mutate(&mut random);
        for dialect in DIALECTS {
            let analysis = judge(&bytes, dialect);
            let strongest = analysis
                .findings
                .iter()
                .map(|finding| ShellVerdict::of(finding.kind))
                .max();
            assert_eq!(analysis.verdict, strongest.unwrap_or(ShellVerdict::Allow));
            let line = String::from_utf8_lossy(&bytes).replace('\0', "");
            for finding in &analysis.findings {
                assert!(
                    line.contains(&finding.text),
                    "{:?} in {line:?}",
                    finding.text
                );
                assert_eq!(
                    finding.instead.is_some(),
                    ShellVerdict::of(finding.kind) == ShellVerdict::Redirect
                );
            }
        }
    }
}

#[test]
fn random_bytes_are_answered() {
    let mut random = Random::fresh();
    println!("seed {}", random.0);
    for _ in 0..3_000 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        for dialect in DIALECTS {
            judge(&bytes, dialect);
        }
    }
}

#[test]
fn the_same_line_has_the_same_answer() {
    for seed in SEEDS {
        for dialect in DIALECTS {
            assert_eq!(
                judge(seed.as_bytes(), dialect),
                judge(seed.as_bytes(), dialect),
                "{seed}"
            );
        }
    }
}

#[test]
fn a_script_that_doubles_a_value_does_not_fill_the_memory() {
    let doubled = "a=a+a;".repeat(48);
    let looped = "for a in a+a:\n pass\n".repeat(48);
    for script in [doubled, looped] {
        let command = format!("python3 -c \"a='rust.txt';{script}\nopen(a,'w')\"");
        let analysis = judge(command.as_bytes(), Dialect::Bash);
        assert!(has(&analysis, FindingKind::Write), "{analysis:?}");
    }
}
