//! `run_tests` with Go, .NET, Bun and Deno, with scripts that print what those print.

use serde_json::{Value, json};

use crate::fixture::Project;

const RUN: &str = "run_tests";

fn prints(project: &Project, program: &str, output: &str) {
    project.program(program, &format!("cat <<'END'\n{output}\nEND\nexit 1\n"));
}

fn command_line(project: &Project, arguments: Value) -> String {
    let text = project.ok(RUN, arguments);
    let line = text.lines().find(|line| line.starts_with("ran: ")).unwrap();
    line.strip_prefix("ran: ").unwrap().to_owned()
}

/// As go 1.26 prints it: the outer test's outcome before the inner one's, a panic behind its test.
const GO: &str = "=== RUN   TestGood
--- PASS: TestGood (0.00s)
=== RUN   TestBad
=== RUN   TestBad/two
    add_test.go:12: want 3, got 2
--- FAIL: TestBad (0.00s)
    --- FAIL: TestBad/two (0.00s)
=== RUN   TestLater
    add_test.go:20: not yet
--- SKIP: TestLater (0.00s)
=== RUN   TestPanics
--- FAIL: TestPanics (0.00s)
panic: assignment to entry in nil map [recovered, repanicked]

goroutine 6 [running]:
testing.tRunner.func1.2({0x55a7a0, 0x6cae30})
\t/usr/local/go/src/testing/testing.go:1974 +0x232
panic({0x55a7a0?, 0x6cae30?})
\t/usr/local/go/src/runtime/panic.go:860 +0x13a
example.org/app/math.TestPanics(0x349159bfed88?)
\tROOT/math/add_test.go:30 +0x28
FAIL\texample.org/app/math\t0.003s
# example.org/app/broken
broken/x_test.go:3:5: undefined: y
FAIL\texample.org/app/broken [build failed]
ok  \texample.org/app/other\t(cached)
FAIL";

#[test]
fn go_is_read_by_package_and_the_inner_test_says_why() {
    let project = Project::with(&[
        ("go.mod", "module example.org/app\n\ngo 1.22\n"),
        ("math/add_test.go", ""),
        ("broken/x_test.go", ""),
    ]);
    let root = project.root().canonicalize().unwrap();
    prints(&project, "go", &GO.replace("ROOT", root.to_str().unwrap()));
    let text = project.ok(RUN, json!({}));
    assert!(
        text.starts_with("6 tests: 1 passed, 4 failed, 1 skipped (go, exit code 1"),
        "{text}"
    );
    assert!(
        text.contains("FAILED TestBad/two at math/add_test.go:12\n"),
        "{text}"
    );
    assert!(
        text.contains("FAILED TestPanics at math/add_test.go:30\n"),
        "{text}"
    );
    assert!(
        text.contains("FAILED example.org/app/broken at broken/x_test.go:3\n"),
        "{text}"
    );
    assert!(!text.contains("FAILED TestBad\n"), "{text}");
    for (target, command) in [
        ("TestBad", "go test -v -run TestBad ./..."),
        ("math.TestBad", "go test -v -run TestBad ./..."),
        ("math/add_test.go", "go test -v ./math"),
        ("math", "go test -v ./math/..."),
    ] {
        assert_eq!(command_line(&project, json!({"target": target})), command);
    }
    assert_eq!(command_line(&project, json!({})), "go test -v ./...");
}

const DOTNET: &str = "  Determining projects to restore...
[xUnit.net 00:00:00.50]     App.Tests.MathTests.Bad [FAIL]
  Failed App.Tests.MathTests.Bad [12 ms]
  Error Message:
   Assert.Equal() Failure
Expected: 3
Actual:   2
  Stack Trace:
     at App.Tests.MathTests.Bad() in ROOT/tests/MathTests.cs:line 14
  Passed App.Tests.MathTests.Good [1 ms]

Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 21 ms - App.Tests.dll (net8.0)
Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 9 ms - More.Tests.dll (net8.0)";

#[test]
fn dotnet_counts_are_added_over_assemblies_and_places_are_the_projects() {
    let project = Project::with(&[("App.sln", ""), ("tests/MathTests.cs", "")]);
    let root = project.root().canonicalize().unwrap();
    prints(
        &project,
        "dotnet",
        &DOTNET.replace("ROOT", root.to_str().unwrap()),
    );
    let text = project.ok(RUN, json!({}));
    assert!(
        text.starts_with("7 tests: 5 passed, 1 failed, 1 skipped (dotnet, exit code 1"),
        "{text}"
    );
    assert!(
        text.contains("FAILED App.Tests.MathTests.Bad at tests/MathTests.cs:14\n"),
        "{text}"
    );
    assert!(text.contains("Expected: 3"), "{text}");
    for (target, command) in [
        (
            "tests/MathTests.cs",
            "dotnet test --filter FullyQualifiedName~MathTests",
        ),
        (
            "MathTests.Bad",
            "dotnet test --filter FullyQualifiedName~MathTests.Bad",
        ),
        (
            "tests/App.Tests.csproj",
            "dotnet test tests/App.Tests.csproj",
        ),
    ] {
        assert_eq!(command_line(&project, json!({"target": target})), command);
    }
}

const BUN: &str = "bun test v1.1.0

a.test.ts:
(pass) math > good [0.10ms]
1 | import
error: expect(received).toBe(expected)

Expected: 3
Received: 2

      at <anonymous> (ROOT/a.test.ts:5:20)
(fail) math > bad [0.20ms]
(skip) math > later

 1 pass
 1 skip
 1 fail
 2 expect() calls
Ran 3 tests across 1 files. [12.00ms]";

#[test]
fn bun_is_read_and_its_script_is_kept() {
    let project = Project::with(&[("package.json", "{}"), ("bun.lock", ""), ("a.test.ts", "")]);
    let root = project.root().canonicalize().unwrap();
    prints(
        &project,
        "bun",
        &BUN.replace("ROOT", root.to_str().unwrap()),
    );
    let text = project.ok(RUN, json!({}));
    assert!(
        text.starts_with("3 tests: 1 passed, 1 failed, 1 skipped (bun, exit code 1"),
        "{text}"
    );
    assert!(
        text.contains("FAILED math > bad at a.test.ts:5\n"),
        "{text}"
    );
    assert_eq!(
        command_line(&project, json!({"target": "a.test.ts"})),
        "bun test ./a.test.ts"
    );
    project.put(
        "package.json",
        r#"{"scripts":{"test":"bun test --preload x"}}"#,
    );
    assert_eq!(
        command_line(&project, json!({"target": "bad"})),
        "bun run test -t bad"
    );
}

const DENO: &str = "running 2 tests from ./a_test.ts
good ... ok (1ms)
bad ... FAILED (2ms)

 ERRORS

bad => ./a_test.ts:3:6
error: AssertionError: Values are not equal.
    at file:///x/a_test.ts:4:3

 FAILURES

bad => ./a_test.ts:3:6

FAILED | 1 passed | 1 failed | 2 ignored (10ms)
error: Test failed";

#[test]
fn deno_is_read_once_though_it_names_failures_twice() {
    let project = Project::with(&[("deno.json", "{}"), ("a_test.ts", "")]);
    prints(&project, "deno", DENO);
    let text = project.ok(RUN, json!({}));
    assert!(
        text.starts_with("4 tests: 1 passed, 1 failed, 2 skipped (deno, exit code 1"),
        "{text}"
    );
    assert_eq!(
        text.matches("FAILED bad at a_test.ts:3\n").count(),
        1,
        "{text}"
    );
    let line = command_line(&project, json!({"target": "bad"}));
    assert_eq!(line, "deno test --no-prompt --filter bad");
    project.put("deno.json", r#"{"tasks":{"test":"deno test -A"}}"#);
    assert_eq!(command_line(&project, json!({})), "deno task test");
}
