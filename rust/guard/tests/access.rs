//! Errors of real programs that were refused access, and honest output that only holds the words.

use siderail_guard::access::refusal;

/// What programs put out, run as a user without rights; the command where it matters.
const REFUSED: &[(&str, &str)] = &[
    ("", "EACCES\n"),
    ("", "EACCES: permission denied, open '/etc/x'"),
    ("", "Permission denied"),
    ("cat ro/secret", "cat: ro/secret: Permission denied\n"),
    (
        "cp a /etc/x",
        "cp: cannot stat 'ro/secret': Permission denied",
    ),
    (
        "mkdir /etc/d",
        "mkdir: cannot create directory ‘/etc/d’: Permission denied",
    ),
    ("tee /etc/x", "tee: /etc/x: Permission denied"),
    (
        "echo hi > /etc/x",
        "bash: line 1: /etc/x: Permission denied",
    ),
    (
        "echo hi > /etc/x",
        "sh: 1: cannot create /etc/x: Permission denied",
    ),
    ("./gradlew test", "bash: ./gradlew: Permission denied"),
    ("./nox", "zsh: permission denied: ./nox"),
    ("./nox", "/srv/run.sh: line 3: ./nox: Permission denied"),
    (
        "kill -9 1",
        "bash: line 1: kill: (1) - Operation not permitted",
    ),
    (
        "unshare -m",
        "unshare: unshare failed: Operation not permitted",
    ),
    (
        "renice -5 1",
        "renice: failed to set priority for 1 (process ID): Operation not permitted",
    ),
    (
        "date -s now",
        "date: cannot set date: Operation not permitted\nWed Jan  1 00:00:00 UTC 2020",
    ),
    (
        "find /",
        "/boot\n/etc\n/bin\nfind: ‘/boot’: Permission denied\n",
    ),
    (
        "tar cf /etc/x.tar a",
        "tar: /etc/x.tar: Cannot open: Permission denied\ntar: Error is not recoverable: exiting now",
    ),
    (
        "git init /etc/g",
        "fatal: cannot mkdir /etc/g: Permission denied",
    ),
    (
        "git push",
        "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
    ),
    ("git clone file:///x", "fatal: transport 'file' not allowed"),
    (
        "make",
        "./nox\nmake: ./nox: Permission denied\nmake: *** [Makefile:2: all] Error 127",
    ),
    ("awk 1 f", "awk: cannot open ro/secret (Permission denied)"),
    ("perl -e …", "cannot open: Permission denied at -e line 1."),
    (
        "perl f",
        "Can't open perl script \"ro/secret\": Permission denied",
    ),
    (
        "php f",
        "PHP Warning:  file_put_contents(/etc/x): Failed to open stream: Permission denied in /w/f.php on line 3",
    ),
    (
        "ruby f",
        "f.rb:1:in `read': Permission denied @ rb_sysopen - /etc/x (Errno::EACCES)\n\tfrom f.rb:1:in `<main>'",
    ),
    (
        "curl -o /etc/x u",
        "  0     0    0     0\rWarning: Failed to open the file /etc/x: Permission denied\ncurl: (23) Failure writing output to destination",
    ),
    (
        "zip /etc/x.zip a",
        "zip I/O error: Permission denied\nzip error: Could not create output file (/etc/x.zip)",
    ),
    (
        "apt-get install sl",
        "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?",
    ),
    (
        "docker ps",
        "Got permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
    ),
    (
        "docker ps",
        "docker: permission denied while trying to connect to the Docker daemon socket",
    ),
    (
        "sudo ls",
        "Sorry, user bob is not allowed to execute '/bin/ls' as root on host.",
    ),
    (
        "crontab -l",
        "You (bob) are not allowed to use this program (crontab)",
    ),
    ("wget -O /etc/x u", "/etc/x: Permission denied"),
    (
        "cargo new /x",
        "error: failed to create directory `/x`\n\nCaused by:\n  Permission denied (os error 13)",
    ),
    (
        "./tool",
        "Error: Os { code: 13, kind: PermissionDenied, message: \"Permission denied\" }",
    ),
    (
        "./tool",
        "thread 'main' panicked at src/main.rs:3:5:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 1, kind: PermissionDenied, message: \"Operation not permitted\" }\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    ),
    (
        "./tool",
        "panic: open /etc/x: permission denied\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/main.go:8 +0x1d\nexit status 2",
    ),
    (
        "java A",
        "Exception in thread \"main\" java.io.FileNotFoundException: /etc/x (Permission denied)\n\tat java.base/java.io.FileOutputStream.open0(Native Method)\n\tat A.main(A.java:3)",
    ),
    (
        "python3 a.py",
        "Traceback (most recent call last):\n  File \"/w/a.py\", line 1, in <module>\n    open(\"ro/secret\")\nPermissionError: [Errno 13] Permission denied: 'ro/secret'",
    ),
    (
        "pip install six",
        "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/x'\nConsider using the `--user` option or check the permissions.\n",
    ),
    (
        "node a.js",
        "node:fs:573\n  return binding.open(\n                 ^\n\nError: EACCES: permission denied, open 'ro/secret'\n    at Object.openSync (node:fs:573:18)\n    at Object.readFileSync (node:fs:452:35)\n    at Object.<anonymous> (/w/a.js:1:15)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at node:internal/main/run_main_module:28:49 {\n  errno: -13,\n  code: 'EACCES',\n  syscall: 'open',\n  path: 'ro/secret'\n}\n\nNode.js v20.20.2",
    ),
    (
        "node a.js",
        "Error: EPERM: operation not permitted, unlink 'a'",
    ),
    (
        "npm install left",
        "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /etc/x\nnpm error errno -13\nnpm error Error: EACCES: permission denied, mkdir '/etc/x'\nnpm error     at async mkdir (node:internal/fs/promises:856:10)\nnpm error     at async module.exports (/usr/lib/node_modules/npm/lib/cli/entry.js:67:5) {\nnpm error   errno: -13,\nnpm error   code: 'EACCES'\nnpm error }\nnpm error\nnpm error The operation was rejected by your operating system.\nnpm error Log files were not written due to an error writing to the directory: /var/cache/npm/_logs\n",
    ),
    (
        "gcc a.c",
        "/usr/bin/ld: cannot open output file a.out: Permission denied\ncollect2: error: ld returned 1 exit status",
    ),
    (
        "rsync a /etc",
        "rsync: [receiver] mkstemp \"/etc/.a.x\" failed: Permission denied (13)\nrsync error: some files/attrs were not transferred (code 23) at main.c(1338) [sender=3.2.7]",
    ),
    ("grep -r x .", "grep: ./ro/secret: Permission denied"),
    (
        "rg EACCES; cp a /etc/x",
        "src/a.js:3:EACCES\ncp: cannot create regular file '/etc/x': Permission denied",
    ),
    (
        "ls",
        "\u{1b}[31mls: cannot open directory '/boot': Permission denied\u{1b}[0m",
    ),
    (
        "./gradlew",
        "exit code 126 after 0.1 s\nsh: 1: ./gradlew: Permission denied\n",
    ),
    // Built-in tools that are no shell: what they say is their own error.
    ("", "Error: EACCES: permission denied, open '/etc/passwd'"),
    ("", "Access to this path is not allowed"),
    (
        "",
        "<tool_use_error>EACCES: permission denied, mkdir '/etc/x'</tool_use_error>",
    ),
];

const HONEST: &[(&str, &str)] = &[
    ("", ""),
    ("cat x", "cat: x: No such file or directory"),
    // Searches.
    (
        "grep -rn 'Permission denied' . | head; false",
        "src/a.rs:12:    return Err(\"Permission denied\");\nsrc/b.rs:3:// Permission denied\n",
    ),
    (
        "git grep -n EACCES && false",
        "lib/fs.js:14:  if (e.code === 'EACCES') retry();\nlib/fs.js:15:EACCES: permission denied",
    ),
    (
        "rg EACCES; exit 1",
        "docs/errors.md\n12:EACCES: permission denied, open '/x'\n40:EACCES",
    ),
    (
        "grep -h denied *.log; exit 1",
        "cp: cannot create '/etc/x': Permission denied\nPermission denied",
    ),
    (
        "grep -r denied .; exit 2",
        "./app.log:cp: x: Permission denied\n./notes.txt:Permission denied",
    ),
    ("ag EACCES; false", "EACCES: permission denied"),
    (
        "sed -n 1,9p a.rs; false",
        "fn open() {\n    // Permission denied\n    \"Permission denied\".into()\n}",
    ),
    (
        "cat a.md; false",
        "# Permission denied\n\n* Permission denied: what to do\n> Permission denied\nIf permission denied is what you see, read on.",
    ),
    ("nl f; false", "12\tcat: x: Permission denied"),
    // Test runners.
    (
        "cargo test",
        "---- refuses stdout ----\nthread 'refuses' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: \"ok\"\n right: \"Permission denied\"\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
    ),
    (
        "pytest",
        "    def test_x():\n>       open('/etc/x', 'w')\nE       PermissionError: [Errno 13] Permission denied: '/etc/x'\n\ntest_x.py:2: PermissionError\n=========================== short test summary info ============================\nFAILED test_x.py::test_x - PermissionError: [Errno 13] Permission denied: '/etc/x'\n============================== 1 failed in 0.02s ===============================",
    ),
    (
        "python -m unittest",
        "Traceback (most recent call last):\nPermissionError: [Errno 13] Permission denied: '/etc/x'\n\n----\nRan 1 test in 0.001s\n\nFAILED (errors=1)",
    ),
    (
        "npx jest",
        "  ● writes\n\n    EACCES: permission denied, open '/etc/x'\n\nTests:       1 failed, 4 passed, 5 total",
    ),
    (
        "npx mocha",
        "  3 passing (12ms)\n  1 failing\n\n  1) fs writes:\n     Error: EACCES: permission denied, open '/etc/x'\n      at Object.openSync (node:fs:573:18)",
    ),
    (
        "npx vitest",
        " FAIL  a.test.ts > writes\nError: EACCES: permission denied, open '/etc/x'\n Test Files  1 failed (1)\n      Tests  1 failed (1)",
    ),
    (
        "go test ./...",
        "--- FAIL: TestOpen (0.00s)\n    main_test.go:12: open /etc/x: permission denied\nFAIL\nFAIL\texample.com/x\t0.002s\nFAIL",
    ),
    (
        "mvn test",
        "[ERROR] Tests run: 1, Failures: 0, Errors: 1\n[ERROR]   ATest.writes:9 » FileNotFound /etc/x (Permission denied)",
    ),
    (
        "./gradlew test",
        "ATest > writes() FAILED\n    java.io.FileNotFoundException: /etc/x (Permission denied)\n\n4 tests completed, 1 failed\n\nBUILD FAILED in 2s",
    ),
    (
        "bundle exec rspec",
        "     Errno::EACCES:\n       Permission denied @ rb_sysopen - /etc/x\n\n4 examples, 1 failure",
    ),
    (
        "phpunit",
        "1) ATest::testX\nfopen(/etc/x): Failed to open stream: Permission denied\n\nFAILURES!\nTests: 3, Assertions: 5, Errors: 1.",
    ),
    (
        "node --test",
        "not ok 1 - writes\n  ---\n  error: \"EACCES: permission denied, open '/etc/x'\"\n# tests 1\n# fail 1",
    ),
    (
        "ctest",
        "cp: x: Permission denied\n50% tests passed, 1 tests failed out of 2",
    ),
    // Compilers and linters.
    (
        "cargo build",
        "error: `async` blocks are not allowed here\n --> src/main.rs:3:5\n  |\n3 |     x\n  | ^\nerror: could not compile `x` (bin \"x\") due to 1 previous error",
    ),
    (
        "gcc a.c",
        "a.c:3:5: error: declaration is not allowed here\n    3 | int x;\n1 error generated.",
    ),
    (
        "tsc",
        "src/a.ts(3,5): error TS1184: Modifiers are not allowed here.",
    ),
    (
        "javac A.java",
        "A.java:3: error: this modifier is not allowed here\n    private int x;\n1 error",
    ),
    (
        "eslint .",
        "/w/a.js\n  3:5  error  'alert' is not allowed  no-restricted-globals\n\n✖ 1 problem (1 error, 0 warnings)",
    ),
    ("kotlinc A.kt", "A.kt:3:5: error: 'break' is not allowed"),
    // Comparisons.
    (
        "git diff --exit-code",
        "diff --git a/x b/x\n@@ -1 +1 @@\n cp: x: Permission denied\n+cp: x: Permission denied",
    ),
    (
        "diff a b",
        "2c2\n< cp: x: Permission denied\n---\n> EACCES: permission denied",
    ),
    // Far from the end, or no word of its own.
    (
        "./build.sh",
        "cp: x: Permission denied\nstep 1\nstep 2\nstep 3\nstep 4\nstep 5\nerror: no target\nstop",
    ),
    ("./x", "EACCESS"),
    ("./x", "XEACCES_"),
    ("./x", "error: not allowedness"),
    ("./x", "error: permission  denied"),
    ("./x", "assert_eq!(error, \"Permission denied\")"),
    ("./x", "error: expected \"Permission denied\", found \"\""),
    (
        "./x",
        "{\"level\":\"error\",\"message\":\"permission denied\"}",
    ),
    // Edit tools that fail for another reason and show what they looked for.
    (
        "",
        "String to replace not found in file.\nString: permission denied",
    ),
    (
        "",
        "0 occurrences found for old_string: return \"Permission denied\"",
    ),
];

#[test]
fn a_programs_own_error_of_refused_access_is_seen() {
    let missed: Vec<_> = REFUSED
        .iter()
        .filter(|(command, output)| refusal(output, known(command)).is_none())
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn output_that_only_speaks_of_refused_access_is_none() {
    let wrong: Vec<_> = HONEST
        .iter()
        .filter_map(|(command, output)| Some((command, refusal(output, known(command))?)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn known(command: &str) -> Option<&str> {
    (!command.is_empty()).then_some(command)
}
