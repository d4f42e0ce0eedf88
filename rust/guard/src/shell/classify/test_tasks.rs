//! The build tools that run tests as one of their tasks, each by its own rules.

use crate::shell::ir::Arg;

/// `gradle test`, `check`, or a task of a variant such as `testDebugUnitTest` or `jvmTest`.
pub(super) fn gradle(words: &[&str]) -> bool {
    let mut skips = false;
    let runs = words.iter().any(|word| {
        let value = std::mem::take(&mut skips);
        skips = matches!(
            *word,
            "-x" | "--exclude-task" | "-p" | "--project-dir" | "--tests" | "-b" | "-c" | "-I"
        );
        !value && !word.starts_with('-') && is_gradle_test(word.rsplit(':').next().unwrap_or(word))
    });
    runs && !words
        .iter()
        .any(|word| matches!(*word, "-m" | "--dry-run" | "--test-dry-run"))
}

fn is_gradle_test(task: &str) -> bool {
    let upper = |text: &str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let compiles =
        task.ends_with("Classes") || task.ends_with("Jar") || task.starts_with("compile");
    let variant = task.strip_prefix("test").is_some_and(upper);
    let suffix = ["Test", "Tests", "Check"]
        .iter()
        .any(|end| task.strip_suffix(end).is_some_and(|rest| !rest.is_empty()));
    let checks_text = task.starts_with("clean") || task.ends_with("Check");
    matches!(task, "test" | "check") || (!compiles && (variant || (suffix && !checks_text)))
}

/// `mvn test`, `verify`, `integration-test`, unless tests are skipped.
pub(super) fn mavenlike(words: &[&str]) -> bool {
    let skips = words.iter().any(|word| {
        let flag = word.strip_prefix("-D");
        flag.is_some_and(|flag| {
            matches!(
                flag,
                "skipTests" | "skipTests=true" | "maven.test.skip" | "maven.test.skip=true"
            )
        })
    });
    let mut value = false;
    let runs = words.iter().any(|word| {
        let is_value = std::mem::replace(
            &mut value,
            matches!(*word, "-pl" | "-f" | "-P" | "-s" | "-rf" | "-T"),
        );
        !is_value
            && (matches!(*word, "test" | "verify" | "integration-test")
                || word.starts_with("surefire:test")
                || word.starts_with("failsafe:"))
    });
    runs && !skips
}

/// `cargo test`, `cargo t`, `cargo nextest run`.
pub(super) fn cargo(words: &[&str]) -> bool {
    let mut value = false;
    let mut operands = words.iter().filter(|word| {
        let is_value = std::mem::replace(
            &mut value,
            matches!(
                **word,
                "-Z" | "--config" | "-C" | "--color" | "--manifest-path"
            ),
        );
        !is_value && !word.starts_with(['-', '+'])
    });
    let runs = match operands.next().copied() {
        Some("test" | "t" | "llvm-cov" | "tarpaulin") => true,
        Some("nextest") => matches!(operands.next(), Some(&("run" | "r"))),
        Some("miri" | "careful") => matches!(operands.next(), Some(&("test" | "nextest"))),
        _ => false,
    };
    runs && !words.contains(&"--no-run")
}

/// `go test`, unless it only compiles or lists.
pub(super) fn go(words: &[&str]) -> bool {
    let mut operands = words.iter().skip_while(|word| word.starts_with('-'));
    let looks = |word: &&&str| {
        let option = word.trim_start_matches('-');
        word.starts_with('-')
            && (option == "c" || option == "n" || option == "list" || option.starts_with("list="))
    };
    operands.next() == Some(&"test") && operands.find(looks).is_none()
}

/// `sbt test`, `sbt "testOnly x"`, `sbt project/test`.
pub(super) fn sbt(words: &[&str]) -> bool {
    words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .any(|word| {
            word.split(';').any(|command| {
                let command = command.trim().trim_start_matches('~').trim_start();
                let task = command.split_whitespace().next().unwrap_or_default();
                let task = task.rsplit(['/', ':']).next().unwrap_or_default();
                matches!(task, "test" | "testOnly" | "testQuick")
            })
        })
}

/// What a word behind npm or one of its relatives is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Package {
    Tests,
    Nothing,
    /// It may be a program; where it stands among the arguments.
    Program(usize),
}

/// Scripts of npm and its relatives.
pub(super) fn node_package(program: &str, args: &[Arg]) -> Package {
    const VALUED: [&str; 8] = [
        "--prefix",
        "-C",
        "-w",
        "--workspace",
        "--filter",
        "-F",
        "--cwd",
        "--dir",
    ];
    let mut skips = false;
    let words = args
        .iter()
        .enumerate()
        .map(|(at, arg)| (at, arg.text.as_str()));
    let mut operands = words.filter(|(_, word)| {
        let value = std::mem::replace(&mut skips, VALUED.contains(word));
        !value && !word.starts_with('-')
    });
    let mut found = operands.next();
    // `yarn workspace NAME …`, `yarn workspaces run …`, `pnpm recursive …`
    if program == "yarn" && matches!(found, Some((_, "workspace"))) {
        operands.next();
        found = operands.next();
    }
    while matches!(
        found,
        Some((_, "workspaces" | "foreach" | "recursive" | "multi"))
    ) {
        found = operands.next();
    }
    let runs = matches!(found, Some((_, "run" | "run-script" | "rum" | "urn")));
    if runs {
        found = operands.next();
    }
    match found {
        None => Package::Nothing,
        Some((_, "test" | "t" | "tst")) => Package::Tests,
        Some((_, word)) if word.starts_with("test:") && (runs || program != "npm") => {
            Package::Tests
        }
        Some((at, _)) => Package::Program(at),
    }
}
