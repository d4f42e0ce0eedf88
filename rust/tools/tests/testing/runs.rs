//! `run_tests` and `get_test_results`, with scripts in place of build tools that leave what the real
//! ones leave.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_tools::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::Project;

const RUN: &str = "run_tests";
const RESULTS: &str = "get_test_results";

/// A report as Gradle and Surefire write it.
pub(crate) const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.x.FooTest" tests="4" skipped="1" failures="1" errors="1">
  <properties><property name="a" value="failure"/></properties>
  <testcase name="good" classname="com.x.FooTest" time="0.001"/>
  <testcase name="later" classname="com.x.FooTest"><skipped/></testcase>
  <testcase name="bad" classname="com.x.FooTest">
    <failure message="a &lt; b &amp; &quot;c&quot; ==&gt; expected: &lt;3&gt;" type="X"><![CDATA[org.opentest4j.AssertionFailedError: a < b & "c" ==> expected: <3>
	at org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:563)
	at com.x.FooTest.bad(FooTest.java:5)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
]]></failure>
  </testcase>
  <testcase name="boom" classname="com.x.FooTest$Inner">
    <error message="boom" type="java.lang.IllegalStateException">java.lang.IllegalStateException: boom
	at com.x.FooTest$Inner.boom(FooTest.java:7)
	... 5 more
</error>
    <system-out>failure</system-out>
  </testcase>
</testsuite>
"#;

pub(crate) fn gradle(script: &str) -> Project {
    let project = Project::with(&[
        ("build.gradle", ""),
        ("settings.gradle", ""),
        ("src/test/java/com/x/FooTest.java", "class FooTest {}\n"),
        ("report.xml", REPORT),
    ]);
    project.script("gradlew", script);
    project
}

/// Writes the report where Gradle does, and fails as Gradle does.
pub(crate) const GRADLE: &str = "mkdir -p build/test-results/test
cp report.xml build/test-results/test/TEST-com.x.FooTest.xml
echo '> Task :test FAILED'; echo \"args: $*\"; exit 1\n";

/// What the command line of a test tool was, by a script that prints its arguments.
pub(crate) fn command_line(project: &Project, arguments: Value) -> String {
    let text = project.ok(RUN, arguments);
    let line = text.lines().find(|line| line.starts_with("ran: ")).unwrap();
    let command = line.strip_prefix("ran: ").unwrap();
    let root = project.root().canonicalize().unwrap();
    command.replace(&format!("{}/", root.display()), "./")
}

#[test]
fn counts_come_first_then_failures_with_places_then_the_log() {
    let project = gradle(GRADLE);
    let text = project.ok(RUN, json!({}));
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("4 tests: 1 passed, 2 failed, 1 skipped (Gradle, exit code 1, "),
        "{text}"
    );
    let failures: Vec<&str> = lines[2..8].to_vec();
    assert_eq!(
        failures,
        [
            "FAILED com.x.FooTest.bad at src/test/java/com/x/FooTest.java:5",
            "    org.opentest4j.AssertionFailedError: a < b & \"c\" ==> expected: <3>",
            "    \tat com.x.FooTest.bad(FooTest.java:5)",
            "FAILED com.x.FooTest$Inner.boom at src/test/java/com/x/FooTest.java:7",
            "    java.lang.IllegalStateException: boom",
            "    \tat com.x.FooTest$Inner.boom(FooTest.java:7)",
        ]
    );
    let log = lines[8].strip_prefix("Full log: ").unwrap();
    let log = log.split(" or ").next().unwrap();
    assert!(log.starts_with(project.runtime.path().to_str().unwrap()));
    let logged = std::fs::read_to_string(log).unwrap();
    assert!(logged.contains("> Task :test FAILED"), "{logged}");
    assert_eq!(
        project
            .names(".")
            .iter()
            .filter(|name| name.contains("log"))
            .count(),
        0
    );
}

#[test]
fn a_wrapper_that_only_says_something_gives_its_exit_code_and_output() {
    let project = gradle("echo FAKE_GRADLE_RAN \"$@\"\n");
    let text = project.ok(RUN, json!({}));
    assert!(
        text.starts_with("tests: counts unknown, no test report was found (Gradle, exit code 0"),
        "{text}"
    );
    assert!(text.contains("FAKE_GRADLE_RAN test --continue"), "{text}");
}

#[test]
fn results_of_an_earlier_run_are_never_passed_off_as_new() {
    let project = gradle(GRADLE);
    project.ok(RUN, json!({}));
    project.script("gradlew", "echo '> Task :test UP-TO-DATE'\n");
    let text = project.ok(RUN, json!({}));
    assert!(text.starts_with("4 tests: 1 passed"), "{text}");
    assert!(text.contains("Note: this run has written no results; these are of an earlier run"));
    project.script("gradlew", "echo 'compilation failed'; exit 1\n");
    let text = project.ok(RUN, json!({}));
    assert!(text.starts_with("tests: counts unknown"), "{text}");
    assert!(text.contains("compilation failed"), "{text}");
}

#[test]
fn gradle_gets_tests_and_modules_by_its_own_names() {
    let project = gradle("exit 0\n");
    project.put("core/api/build.gradle.kts", "");
    for (arguments, command) in [
        (json!({}), "./gradlew test"),
        (
            json!({"target": "com.x.FooTest"}),
            "./gradlew test --tests com.x.FooTest",
        ),
        (
            json!({"target": "FooTest.bad"}),
            "./gradlew test --tests *FooTest.bad",
        ),
        (
            json!({"target": "FooTest#bad"}),
            "./gradlew test --tests *FooTest.bad",
        ),
        (json!({"target": "*Foo*"}), "./gradlew test --tests *Foo*"),
        (
            json!({"target": "src/test/java/com/x/FooTest.java"}),
            "./gradlew test --tests com.x.FooTest",
        ),
        (json!({"module": ":core:api"}), "./gradlew :core:api:test"),
        (
            json!({"module": "core/api", "target": "com.x.A"}),
            "./gradlew :core:api:test --tests com.x.A",
        ),
    ] {
        let wanted = format!("{command} --continue --console=plain");
        assert_eq!(
            command_line(&project, arguments.clone()),
            wanted,
            "{arguments}"
        );
    }
    let absolute = project.path("src/test/java/com/x/FooTest.java");
    assert!(
        command_line(&project, json!({"target": absolute.to_str().unwrap()}))
            .contains("--tests com.x.FooTest ")
    );
}

#[test]
fn maven_runs_and_reports_per_module() {
    let project = Project::with(&[
        ("pom.xml", ""),
        ("core/pom.xml", ""),
        ("report.xml", REPORT),
    ]);
    project.put("core/src/test/java/com/x/FooTest.java", "");
    project.program(
        "mvn",
        "mkdir -p core/target/surefire-reports
cp report.xml core/target/surefire-reports/TEST-com.x.FooTest.xml\necho \"$@\"; exit 1\n",
    );
    let text = project.ok(RUN, json!({"module": "core", "target": "FooTest.bad"}));
    assert!(
        text.starts_with("4 tests: 1 passed, 2 failed, 1 skipped (Maven"),
        "{text}"
    );
    assert!(
        text.contains("ran: mvn -B test --fail-at-end -pl core -am -Dtest=FooTest#bad "),
        "{text}"
    );
    assert!(
        text.contains("at core/src/test/java/com/x/FooTest.java:5\n"),
        "{text}"
    );
    let class = command_line(&project, json!({"target": "com.x.FooTest"}));
    assert!(class.contains("-Dtest=com.x.FooTest "), "{class}");
}

#[test]
fn cargo_output_is_counted_over_all_binaries() {
    let project = Project::with(&[("Cargo.toml", ""), ("app/src/lib.rs", "")]);
    project.program(
        "cargo",
        "cat <<'END'
running 3 tests
test tests::bad ... FAILED
test tests::good ... ok
test tests::skipped ... ignored

failures:

---- tests::bad stdout ----

thread 'tests::bad' (3298) panicked at src/lib.rs:8:24:
assertion `left == right` failed: two is 2
  left: 2
 right: 3

failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 1 test
test doc ... FAILED

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
END
exit 101\n",
    );
    let text = project.ok(RUN, json!({}));
    assert!(
        text.starts_with("4 tests: 1 passed, 2 failed, 1 skipped (Cargo, exit code 101"),
        "{text}"
    );
    assert!(
        text.contains("FAILED tests::bad at src/lib.rs:8\n"),
        "{text}"
    );
    assert!(
        text.contains("    assertion `left == right` failed: two is 2\n"),
        "{text}"
    );
    assert!(text.contains("FAILED doc\n"), "{text}");
    for (arguments, command) in [
        (json!({"target": "tests::bad"}), "tests::bad"),
        (json!({"target": "src/a/b.rs"}), "a::b::"),
        (json!({"target": "tests/it.rs"}), "--test it"),
        (json!({"module": "my-crate"}), "-p my-crate"),
    ] {
        let wanted = format!("cargo test --no-fail-fast {command}");
        assert_eq!(command_line(&project, arguments), wanted);
    }
}

fn node(script: &str, output: &str) -> Project {
    let package = json!({"scripts": {"test": script}}).to_string();
    let project = Project::with(&[("package.json", &package), ("a.test.js", "")]);
    let print = format!("cat <<'END'\n{output}\nEND\n[ \"$CI\" = 1 ] || sleep 100\nexit 1\n");
    for program in ["npm", "yarn", "pnpm"] {
        project.program(program, &print);
    }
    project
}

const JEST: &str = "FAIL ./a.test.js
  math
    ✓ good (1 ms)
    ✕ bad sum (2 ms)

  ● math › bad sum

    expect(received).toBe(expected)

    Expected: 3
    Received: 2

      at Object.toBe (a.test.js:1:86)
      at node_modules/jest-circus/build/run.js:10:5

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 skipped, 1 passed, 3 total";

const VITEST: &str = " ❯ a.test.js (3 tests | 1 failed | 1 skipped) 5ms
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.js > math > bad sum
AssertionError: expected 2 to be 3 // Object.is equality
 ❯ a.test.js:2:86
      1| import
 Test Files  1 failed (1)
      Tests  1 failed | 1 passed | 1 skipped (3)";

const MOCHA: &str = "  math
    ✔ good
    1) bad sum
    - later

  1 passing (5ms)
  1 pending
  1 failing

  1) math
       bad sum:

      AssertionError [ERR_ASSERTION]: Expected values
      at Context.<anonymous> (a.test.js:2:77)
      at process.processImmediate (node:internal/timers:483:21)";

const TAP: &str = "TAP version 13
ok 1 - good
not ok 2 - bad sum
  ---
  location: '/elsewhere/a.test.js:2:25'
  error: |-
    Expected values to be strictly equal:
  ...
ok 3 - later # SKIP
1..3
# tests 3
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 0";

#[test]
fn the_runners_of_node_are_read_from_what_they_print() {
    for (script, output, failure) in [
        ("jest", JEST, "FAILED math › bad sum at a.test.js:1\n"),
        (
            "vitest",
            VITEST,
            "FAILED a.test.js > math > bad sum at a.test.js:2\n",
        ),
        ("mocha", MOCHA, "FAILED math bad sum at a.test.js:2\n"),
        (
            "node --test",
            TAP,
            "FAILED bad sum at /elsewhere/a.test.js:2\n",
        ),
    ] {
        let text = node(script, output).ok(RUN, json!({}));
        assert!(
            text.starts_with("3 tests: 1 passed, 1 failed, 1 skipped (npm, exit code 1"),
            "{script}: {text}"
        );
        assert!(text.contains(failure), "{script}: {text}");
        assert_eq!(text.matches("FAILED").count(), 1, "{script}: {text}");
    }
    let unknown = node("custom", "something else entirely").ok(RUN, json!({}));
    assert!(unknown.starts_with("tests: counts unknown"), "{unknown}");
    assert!(unknown.contains("something else entirely"), "{unknown}");
}

#[test]
fn node_gets_files_as_they_are_and_names_behind_the_runners_option() {
    let target =
        |script: &str, target: &str| command_line(&node(script, ""), json!({"target": target}));
    assert_eq!(target("jest", "a.test.js"), "npm test -- a.test.js");
    assert_eq!(target("jest --ci", "bad sum"), "npm test -- -t bad sum");
    assert_eq!(target("mocha", "bad sum"), "npm test -- -g bad sum");
    assert_eq!(
        target("node --test", "bad"),
        "npm test -- --test-name-pattern bad"
    );
    let project = node("vitest", "");
    project.put("yarn.lock", "");
    assert_eq!(
        command_line(&project, json!({"target": "src/a.ts"})),
        "yarn test src/a.ts"
    );
    project.put("pnpm-lock.yaml", "");
    assert_eq!(command_line(&project, json!({})), "pnpm test");
}

#[test]
fn the_targets_language_chooses_between_several_tools() {
    let project = gradle("exit 0\n");
    project.put(
        "package.json",
        json!({"scripts": {"test": "jest"}}).to_string(),
    );
    project.program("npm", "exit 0\n");
    let both = project.ok(RUN, json!({}));
    assert!(
        both.contains("ran: ") && both.contains("tests of npm are here too"),
        "{both}"
    );
    assert!(command_line(&project, json!({"target": "web/a.test.ts"})).starts_with("npm test"));
    assert!(command_line(&project, json!({"target": "A.java"})).starts_with("./gradlew"));
}

#[test]
fn a_run_that_takes_longer_goes_on_and_is_asked_for_by_its_id() {
    let project = gradle("echo first; while [ ! -e go ]; do sleep 0.02; done; echo last; exit 3\n");
    let started = Instant::now();
    let text = project.ok(RUN, json!({"wait_s": 0}));
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(text.contains("still running"), "{text}");
    assert!(
        text.ends_with("Next: get_test_results {\"run_id\":\"test-1\"}\n"),
        "{text}"
    );
    let waiting = project.ok(RESULTS, json!({"wait_s": 0}));
    assert!(waiting.contains("still running"), "{waiting}");
    project.put("go", "");
    let done = project.ok(RESULTS, json!({"run_id": "test-1"}));
    assert!(
        done.contains("exit code 3") && done.contains("first\nlast"),
        "{done}"
    );
    let page = project.ok(RESULTS, json!({"run_id": "test-1", "page": 1}));
    assert_eq!(page, "test-1 log page 1 of 1\nfirst\nlast\n");
    project.fails(RESULTS, json!({"run_id": "test-9"}), Code::InvalidParam);
}

#[test]
fn failed_only_shows_more_of_each_failure() {
    let project = gradle(GRADLE);
    let lines: String = (0..30).map(|n| format!("detail {n}\n")).collect();
    project.put(
        "report.xml",
        REPORT.replace("java.lang.IllegalStateException: boom\n", &lines),
    );
    let first = project.ok(RUN, json!({}));
    assert!(
        first.contains("detail 3") && !first.contains("detail 20"),
        "{first}"
    );
    let all = project.ok(RESULTS, json!({"failed_only": true}));
    assert!(all.contains("detail 29"), "{all}");
}

#[test]
fn cancelling_ends_the_tests() {
    let project = gradle("echo $$ > pid; sleep 1000\n");
    let cancel = CancelFlag::new();
    let failure = std::thread::scope(|scope| {
        let run = scope.spawn(|| project.run(RUN, &json!({}), &cancel));
        while !project.path("pid").exists() || project.text("pid").is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        cancel.cancel();
        run.join().unwrap().unwrap_err()
    });
    assert_eq!(failure.code, Code::Cancelled);
    let process = format!("/proc/{}", project.text("pid").trim());
    assert!(!std::path::Path::new(&process).exists());
}

#[test]
fn what_cannot_be_tested_is_said() {
    let project = Project::with(&[("a.txt", "")]);
    let text = project.fails(RUN, json!({}), Code::NotApplicable);
    assert!(text.contains("no test tool was recognised"), "{text}");
    let empty = project.fails(RESULTS, json!({}), Code::InvalidParam);
    assert!(empty.contains("no tests were run yet"), "{empty}");
    let gradle = gradle("exit 0\n");
    for target in ["--init-script=evil", "-Dx", "a\nb"] {
        gradle.fails(RUN, json!({"target": target}), Code::InvalidParam);
    }
    gradle.fails(
        RUN,
        json!({"target": "../../etc/passwd"}),
        Code::OutsideProject,
    );
    gradle.fails(RUN, json!({"target": "/etc/passwd"}), Code::OutsideProject);
    let maven = Project::with(&[("pom.xml", "")]);
    maven.program("mvn", "kill -9 $$\n");
    let killed = maven.ok(RUN, json!({}));
    assert!(killed.contains("(no output)"), "{killed}");
}

#[test]
fn a_broken_report_costs_its_own_counts_only() {
    let project = gradle(GRADLE);
    project.put(
        "build/test-results/test/TEST-broken.xml",
        "<testsuite><testcase name='x'",
    );
    project.put("build/test-results/test/other.xml", "<html/>");
    let text = project.ok(RUN, json!({}));
    assert!(text.starts_with("4 tests: 1 passed, 2 failed"), "{text}");
}
