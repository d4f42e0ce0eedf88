//! PowerShell takes typographic quotes and dashes, and blanks of all kinds, for plain ones.

use siderail_shell::{Dialect, FindingKind, ProtectedPlaces, ShellInput, analyse};

fn found(command: &str) -> Vec<FindingKind> {
    let input = ShellInput {
        command: command.as_bytes(),
        dialect: Dialect::PowerShell,
        root: "/project",
        roots: &[],
        cwd: "/project",
        home: None,
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    };
    let findings = analyse(&input).findings;
    findings.into_iter().map(|finding| finding.kind).collect()
}

#[test]
fn a_line_does_the_same_whichever_marks_it_is_written_with() {
    for (odd, plain) in [
        (
            "gc 'a.txt’ ; Remove-Item b.txt ; gc ‘c.txt'",
            "gc 'a.txt' ; Remove-Item b.txt ; gc 'c.txt'",
        ),
        ("gc “a.txt„", "gc \"a.txt\""),
        ("gc a.txt\rRemove-Item b.txt", "gc a.txt\nRemove-Item b.txt"),
        (
            "gc a.txt\r\nRemove-Item b.txt",
            "gc a.txt\nRemove-Item b.txt",
        ),
        ("Remove-Item\u{a0}b.txt", "Remove-Item b.txt"),
        ("Remove-Item\u{b}b.txt", "Remove-Item b.txt"),
        ("Remove-Item –Recurse src", "Remove-Item -Recurse src"),
        ("Write-Output ‘a; b’", "Write-Output 'a; b'"),
        ("Write-Output “it’s”", "Write-Output \"it's\""),
    ] {
        assert_eq!(found(odd), found(plain), "{odd:?}");
    }
    assert!(found("gc 'a.txt’ ; Remove-Item b.txt").contains(&FindingKind::Destructive));
    assert_eq!(found("Write-Output ‘gc a.txt’"), []);
}
