//! Which command lines are known to change nothing.

use siderail_shell::{Dialect, ProtectedPlaces, ShellInput, analyse};

fn only_looks(line: &str, dialect: Dialect) -> bool {
    let input = ShellInput {
        command: line.as_bytes(),
        dialect,
        root: "/project",
        roots: &[],
        cwd: "/project",
        home: None,
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    };
    analyse(&input).only_looks
}

#[test]
fn a_line_looks_only_where_that_is_known_of_all_of_it() {
    for line in [
        "ls -la src",
        "cat a | grep x | wc -l",
        "ls a || pwd && id",
        "git status",
        "git --no-pager diff HEAD~1 -- a.rs",
        "find . -name '*.rs' -newer b",
        "uname -s; id",
        "ls a\npwd",
        "grep -n 'a > b (c) $d' src/*.rs",
        "ls a 2>/dev/null | head -3",
        "grep x a 2>&1",
        "head -3 < a",
        "! grep -q x a",
        "{ ls; pwd; }",
        "ls * src/*.rs",
        "find src -name '*(1)*' -newer src/*.rs",
        "date -u +%F",
        "rg \"fn main\" # where it begins",
    ] {
        assert!(only_looks(line, Dialect::Bash), "{line}");
    }
    for line in [
        "",
        " ",
        "rm a",
        "ls > a",
        "ls 2> a",
        "ls &> a",
        "cat a | tee b",
        "ls & rm a",
        "ls &",
        "ls\nrm a",
        "ls $(rm a)",
        "ls `rm a`",
        "ls <(rm a)",
        "ls >(tee a)",
        "cat < /dev/tcp/h/80",
        "cat <> a",
        "./ls",
        "FOO=1 ls",
        "FOO=1",
        "ls() { rm a; }; ls",
        "find . -delete",
        "find . -de\"lete\"",
        "find . -de\\lete",
        "find . {-delete,}",
        "find . *",
        "find z -d*",
        "find . ''*",
        "find . '-'d*",
        "printf -v 'a[$(touch x)]' %s 1",
        "printf -v PATH %s /p:/usr/bin; ls",
        "ls a*(e:'touch x':)",
        "ls src/*(+f)",
        "ls a(N)",
        "date 01010000",
        "date -s now",
        "git diff --help",
        "git log --show-signature",
        "git log --format=%G?",
        "ls a\rrm b",
        "find . \u{b}-delete",
        "git diff a\u{a0}--output=b",
        "find . -exec rm {} +",
        "find . -fprint a",
        "diff --output=x a b",
        "diff --outp=x a b",
        "date -us now",
        "rg --pre=./run x",
        "git commit -m x",
        "git checkout .",
        "git diff --output=a",
        "git log --out=a",
        "git diff --ext-diff",
        "git -c core.pager=x log",
        "sort -o a b",
        "sed -n p a",
        "env touch a",
        "make",
        "ls && make",
        "(ls)",
        "for f in a; do ls; done",
        "ls \"",
        "ls \0a",
    ] {
        assert!(!only_looks(line, Dialect::Bash), "{line}");
    }
}

#[test]
fn each_shell_is_read_as_itself() {
    for (line, dialect) in [
        ("dir /b src", Dialect::Cmd),
        ("TYPE \"a b.txt\" 2>nul", Dialect::Cmd),
        ("git log --oneline -3", Dialect::PowerShell),
        (
            "Get-ChildItem -Recurse src | Select-String -Pattern x",
            Dialect::PowerShell,
        ),
        ("Get-Content 'a b.txt'", Dialect::PowerShell),
        ("ls; and pwd", Dialect::Fish),
    ] {
        assert!(only_looks(line, dialect), "{dialect:?}: {line}");
    }
    for (line, dialect) in [
        ("date 01-01-2020", Dialect::Cmd),
        ("grep x a", Dialect::Cmd),
        ("type a > /dev/null", Dialect::Cmd),
        ("type \"\\\" > b \"", Dialect::Cmd),
        ("gc 'a’ ; Remove-Item b ; gc ‘c'", Dialect::PowerShell),
        ("gc a\rRemove-Item b", Dialect::PowerShell),
        ("git diff --out“put”=b", Dialect::PowerShell),
        ("find '.'-delete", Dialect::PowerShell),
        ("git diff 'x'--output=b", Dialect::PowerShell),
        ("git diff \"`u{2d}-output=b\"", Dialect::PowerShell),
        ("git diff --% \"--out\"put=b", Dialect::PowerShell),
        ("git log --grep='\" --output=b \"'", Dialect::PowerShell),
        ("dir > a", Dialect::Cmd),
        ("type a & del a", Dialect::Cmd),
        ("Get-Content a | Set-Content b", Dialect::PowerShell),
        (
            "Get-ChildItem | ForEach-Object { Remove-Item $_ }",
            Dialect::PowerShell,
        ),
        ("Get-Content (Remove-Item a)", Dialect::PowerShell),
        ("ls (rm a)", Dialect::Fish),
    ] {
        assert!(!only_looks(line, dialect), "{dialect:?}: {line}");
    }
}
