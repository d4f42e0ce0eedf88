//! Hostile command lines: nesting, size, damaged and random bytes. Whatever comes in, an answer comes out,
//! without a panic, without a deep stack, and in time linear in the line's length.
//!
//! `SIDERAIL_MUTANTS=1000000` makes the mutation run longer; its seed is fresh and printed.

use siderail_guard::shell::{Analysis, Dialect, FindingKind, ShellInput, ShellVerdict, analyse};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

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
        cwd: root,
        home: None,
        tools: None,
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

/// Opening and closing texts of everything that nests, and what stands in the middle.
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
                FindingKind::ReadFile
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
        FindingKind::ReadFile
    ));
}

#[test]
fn scripts_that_unfold_without_end_are_answered_soon() {
    let lines = [
        ":(){ :|:& };:",
        "f(){ f; f; f; }; f",
        "f(){ g; g; }; g(){ h; h; }; h(){ i; i; }; i(){ j; j; }; j(){ k; k; }; k(){ f; f; }; f",
        "x=a; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; \
         x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; \
         x=$x$x; x=$x$x; x=$x$x; x=$x$x; x=$x$x; echo $x",
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "echo {1..1000000000}",
        "for i in 1 2 3 4 5 6; do for i in 1 2 3 4 5 6; do for i in 1 2 3 4 5 6; do for i in 1 2 3 4 5 6; do \
         for i in 1 2 3 4 5 6; do for i in 1 2 3 4 5 6; do for i in 1 2 3 4 5 6; do for i in 1 2 3 4 5 6; do \
         cat $i; done; done; done; done; done; done; done; done",
        "alias a='a a a'; alias b='a b a b'; a b a b",
        "X='eval \"$X\"'; eval \"$X\"",
        "trap 'trap \"trap x EXIT\" EXIT' EXIT",
        "printf '%s%s%s' $(printf '%0.s-' {1..60})",
    ];
    let start = Instant::now();
    for line in lines {
        judge(line.as_bytes(), Dialect::Bash);
    }
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// Texts whose repetition has made parsers quadratic or worse.
const REPEATED: &[(Dialect, &str)] = &[
    (Dialect::Bash, "true; "),
    (Dialect::Bash, "cat a; "),
    (Dialect::Bash, "<"),
    (Dialect::Bash, "("),
    (Dialect::Bash, ")"),
    (Dialect::Bash, "$("),
    (Dialect::Bash, "$(("),
    (Dialect::Bash, "(( "),
    (Dialect::Bash, "((a) ; "),
    (Dialect::Bash, "`"),
    (Dialect::Bash, "\\"),
    (Dialect::Bash, "\""),
    (Dialect::Bash, "'"),
    (Dialect::Bash, "${"),
    (Dialect::Bash, "{a,"),
    (Dialect::Bash, "{a,b}"),
    (Dialect::Bash, "{1..9}"),
    (Dialect::Bash, "a["),
    (Dialect::Bash, "a[;"),
    (Dialect::Bash, "a[1]=2 "),
    (Dialect::Bash, "x=$x; "),
    (Dialect::Bash, "x=a$x; "),
    (Dialect::Bash, "x=(a $x); "),
    (Dialect::Bash, "(x=1); "),
    (Dialect::Bash, "if x=1; then y=2; fi; "),
    (Dialect::Bash, "echo a | "),
    (Dialect::Bash, "echo a\n"),
    (Dialect::Bash, "$(echo a)"),
    (Dialect::Bash, "cat <<A\nx\nA\n"),
    (Dialect::Bash, "cat <<A "),
    (Dialect::Bash, "f() { cat a; }; f; "),
    (Dialect::Bash, "cd a; "),
    (Dialect::Bash, "cd ..; "),
    (Dialect::Bash, "set -- $@ a; "),
    (Dialect::Bash, "shift; "),
    (Dialect::Bash, "alias a=b; "),
    (Dialect::Bash, "> a "),
    (Dialect::Bash, "3>a "),
    (Dialect::Bash, "a "),
    (Dialect::Bash, "*"),
    (Dialect::Bash, "[a"),
    (Dialect::Bash, "~"),
    (Dialect::Bash, "../"),
    (Dialect::Bash, "grep x "),
    (Dialect::Bash, "&& "),
    (Dialect::Bash, "@("),
    (Dialect::Bash, "\u{e9}\u{1f600}"),
    (Dialect::Bash, "sh -c 'cat a'; "),
    (Dialect::Bash, "python -c 'open(1)'; "),
    (Dialect::Bash, "for i in a b; do :; done; "),
    (Dialect::Bash, "curl -o a b; ./a; "),
    (
        Dialect::Bash,
        "echo a >> /tmp/x; cat /tmp/x /tmp/x > /tmp/x; ",
    ),
    (Dialect::Bash, "echo 'sh /tmp/x' >> /tmp/x; sh /tmp/x; "),
    (Dialect::Bash, "exec 3>a 4>b <c; "),
    (Dialect::Bash, "git -c a.b=c add d; "),
    (Dialect::Bash, "find . -exec cat {} + ; "),
    (Dialect::Bash, "sed -n 'w a' b; "),
    (Dialect::Bash, "cat a # b\n"),
    (Dialect::Bash, "if a; then b; else c; fi; "),
    (Dialect::Bash, "case a in b) c;; esac; "),
    (Dialect::Fish, "cat a; "),
    (Dialect::Fish, "("),
    (Dialect::Fish, "begin; "),
    (Dialect::Fish, "$x["),
    (Dialect::PowerShell, "gc a; "),
    (Dialect::PowerShell, "("),
    (Dialect::PowerShell, "{"),
    (Dialect::PowerShell, "$x["),
    (Dialect::PowerShell, "$x[1"),
    (Dialect::PowerShell, "[x"),
    (Dialect::PowerShell, "@{a="),
    (Dialect::PowerShell, "@'\n"),
    (Dialect::PowerShell, "<#"),
    (Dialect::PowerShell, "a,"),
    (Dialect::PowerShell, "'a' + "),
    (Dialect::PowerShell, "$a = "),
    (Dialect::Cmd, "type a & "),
    (Dialect::Cmd, "("),
    (Dialect::Cmd, "%a"),
    (Dialect::Cmd, "%a% "),
    (Dialect::Cmd, "^"),
    (Dialect::Cmd, "\""),
    (Dialect::Cmd, "for %i in (a) do "),
    (Dialect::Cmd, "set a=b&"),
];

/// The same inside of something: what stands in front, what is repeated, what stands behind.
const REPEATED_INSIDE: &[(&str, &str, &str)] = &[
    ("python3 -c \"", "eval(x);", "\""),
    ("python3 -c \"", "open(x,", "\""),
    ("python3 -c \"", "a=open;", "\""),
    ("python3 -c \"", "f(g('x').y(", "\""),
    ("node -e '", "fs.rm(`${", "'"),
    ("perl -e '", "open F,", "'"),
    ("perl -e '", "system q(", "'"),
    ("ruby -e '", "system ", "'"),
    ("awk '", "{print > ", "' a"),
    ("awk '", "system((", "' a"),
    ("awk '", "getline < ", "' a"),
    ("sed -n '", "s/a/b/e;", "' a"),
    ("sed -n '", "/a", "' a"),
    ("sed -n '", "{", "' a"),
    ("find . ", "-exec a ; ", ""),
    ("find . ", "-exec ", ""),
    ("xargs -I{} a ", "{} ", "< b"),
    ("parallel a ::: ", "b ", ""),
    ("env -S '", "a ", "'"),
    ("printf '", "%s%b", "' a b c"),
    ("echo -e '", "\\x41", "'"),
    ("echo $'", "\\u0041", "'"),
    ("x=abc; echo ", "${x/b/c}", ""),
    ("x=abc; echo ", "${x#a}", ""),
    ("git ", "-c a.b=c ", "log"),
    ("rm ", "../", "a"),
    ("cat ", "a/*/", "b"),
    ("x=(", "a ", "); echo ${x[@]} ${x[@]}"),
    ("powershell -enc ", "QQBB", ""),
    ("cat <<A\n", "$(cat b)\n", "A"),
    ("cat <<'A'\n", "b\n", "A"),
    ("eval '", "a;", "'"),
    ("case x in ", "a) b;; ", "esac"),
    ("[[ ", "a && ", "b ]]"),
    ("(( ", "a + ", "b ))"),
    ("for i in ", "a ", "; do cat $i; done"),
    ("if a; then ", "b; ", "fi"),
    ("f() { ", "a; ", "}; f; f; f"),
];

fn elapsed(times: usize, line: &str, dialect: Dialect) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        judge(line.as_bytes(), dialect);
    }
    start.elapsed()
}

#[test]
fn eight_times_the_text_takes_eight_times_as_long() {
    let mut slow = Vec::new();
    let alone = REPEATED
        .iter()
        .map(|&(dialect, piece)| (dialect, "", piece, ""));
    let inside = REPEATED_INSIDE
        .iter()
        .map(|&(a, piece, z)| (Dialect::Bash, a, piece, z));
    for (dialect, before, piece, behind) in alone.chain(inside) {
        let grown = |size: usize| format!("{before}{}{behind}", piece.repeat(size / piece.len()));
        let (small, large) = (grown(4 << 10), grown(32 << 10));
        let mut fastest = (Duration::MAX, Duration::MAX);
        // Eight short ones take as long as one of eight times the length; a quadratic one would take
        // eight times as long. Other work on the machine may fall on one side, so a doubtful ratio is
        // measured again.
        let is_slow = (0..8).all(|_| {
            fastest.0 = fastest.0.min(elapsed(8, &small, dialect));
            fastest.1 = fastest.1.min(elapsed(1, &large, dialect));
            fastest.1 > fastest.0 * 5
        });
        if is_slow {
            slow.push(format!("{dialect:?} {before}{piece:?}: {fastest:?}"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn a_very_long_line_of_anything_is_answered_in_seconds() {
    // Without optimisation a megabyte of each takes minutes; examples/shell_timing.rs measures it with.
    let length = if cfg!(debug_assertions) {
        64 << 10
    } else {
        1 << 20
    };
    for &(dialect, piece) in REPEATED {
        let line = piece.repeat(length / piece.len());
        let start = Instant::now();
        judge(line.as_bytes(), dialect);
        let elapsed = start.elapsed();
        assert!(
            elapsed < Duration::from_secs(20),
            "{dialect:?} {piece:?}: {elapsed:?}"
        );
    }
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
                .map(|finding| finding.kind.verdict())
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
                    finding.tool.is_some(),
                    finding.kind.verdict() == ShellVerdict::Redirect
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
