//! `list_project_files`, `search_text`, `get_project_info`.

use serde_json::{Value, json};
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;
use siderail_workspace::tools::Tool;

use crate::fixture::Project;

const LIST: &str = "list_project_files";
const SEARCH: &str = "search_text";

fn sample() -> Project {
    Project::with(&[
        ("src/main/App.java", "class App {\n    int Total = 1;\n}\n"),
        (
            "src/test/AppTest.java",
            "class AppTest {\n    int total;\n}\n",
        ),
        ("web/index.ts", "let total = 0;\n"),
        ("target/out.txt", "total\n"),
        (".gitignore", "target/\n*.log\n"),
        ("a.log", "total\n"),
        (".github/ci.yml", "on: push\n"),
        (".git/config", "total\n"),
    ])
}

/// The lines behind the first.
fn body(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn files_are_listed_without_what_the_ignore_files_exclude() {
    let project = sample();
    let text = project.ok(LIST, json!({}));
    assert_eq!(
        body(&text),
        [
            ".github/ci.yml",
            ".gitignore",
            "src/main/App.java",
            "src/test/AppTest.java",
            "web/index.ts",
        ]
    );
    assert!(text.starts_with("5 files in the project\n"), "{text}");
}

#[test]
fn ignore_files_count_without_a_repository_too() {
    let project = Project::with(&[(".gitignore", "*.log\n"), ("a.log", ""), ("b.txt", "")]);
    assert_eq!(body(&project.ok(LIST, json!({}))), [".gitignore", "b.txt"]);
}

#[test]
fn a_folder_that_is_named_is_listed_even_if_excluded() {
    let project = sample();
    assert_eq!(
        body(&project.ok(LIST, json!({"directory": "target"}))),
        ["target/out.txt"]
    );
    let src = project.ok(LIST, json!({"directory": "src"}));
    assert_eq!(body(&src), ["src/main/App.java", "src/test/AppTest.java"]);
    project.put("src/.gitignore", "test/\n");
    assert_eq!(
        body(&project.ok(LIST, json!({"directory": "src"}))),
        ["src/.gitignore", "src/main/App.java"]
    );
}

#[test]
fn ignore_files_above_the_project_do_not_count() {
    let outer = sample();
    outer.put("inner/a.log", "x\n");
    let inner = outer.path("inner");
    let text = outer
        .tools
        .run(
            &inner,
            Tool::ListProjectFiles,
            &json!({}),
            &CancelFlag::new(),
            &|_| {},
        )
        .unwrap()
        .text;
    assert_eq!(body(&text), ["a.log"]);
}

#[test]
fn globs_match_names_at_any_depth_and_paths_from_project_or_folder() {
    let project = sample();
    let list = |arguments: Value| -> Vec<String> {
        let text = project.ok(LIST, arguments);
        body(&text).iter().map(|line| (*line).to_owned()).collect()
    };
    let both = ["src/main/App.java", "src/test/AppTest.java"];
    for pattern in [
        "*.java",
        "src/**/*.java",
        "**/*.java",
        "./src/**",
        "src",
        "*.{java,kt}",
        "App*",
    ] {
        assert_eq!(list(json!({"pattern": pattern})), both, "{pattern}");
    }
    let test = ["src/test/AppTest.java"];
    for pattern in ["*Test.java", "test/*", "src/test/*", "[!x]*Test.java"] {
        let arguments = json!({"pattern": pattern, "directory": "src"});
        assert_eq!(list(arguments), test, "{pattern}");
    }
    let root = match cfg!(windows) {
        true => project.root().to_owned(),
        false => project.root().canonicalize().unwrap(),
    };
    let absolute = root.join("web/*.ts");
    assert_eq!(list(json!({"pattern": absolute})), ["web/index.ts"]);
    if cfg!(windows) {
        assert_eq!(list(json!({"pattern": r"web\*.ts"})), ["web/index.ts"]);
    }
    project.fails(
        LIST,
        json!({"pattern": "a{b", "directory": "src"}),
        Code::InvalidParam,
    );
    for broken in ["[", "src/[ab", "a[!]"] {
        let failure = project.fails(LIST, json!({"pattern": broken}), Code::InvalidParam);
        assert!(failure.contains("not a valid glob"), "{broken}: {failure}");
    }
    let none = project.ok(LIST, json!({"pattern": "*.rb"}));
    assert!(none.starts_with("0 files matching `*.rb`"), "{none}");
    assert!(none.contains("complete and final"), "{none}");
}

#[test]
fn deeper_folders_are_one_line_each_when_depth_is_limited() {
    let project = sample();
    assert_eq!(
        body(&project.ok(LIST, json!({"max_depth": 1}))),
        [
            ".github/ (1 files)",
            ".gitignore",
            "src/ (2 files)",
            "web/ (1 files)"
        ]
    );
    assert_eq!(
        body(&project.ok(LIST, json!({"max_depth": 1, "directory": "src"}))),
        ["src/main/ (1 files)", "src/test/ (1 files)"]
    );
}

#[test]
fn long_lists_come_in_parts_that_join_without_gap() {
    let project = Project::new();
    for n in 0..450 {
        project.put(&format!("f{n:03}.txt"), "x\n");
    }
    let mut seen = Vec::new();
    let mut cursor = json!(null);
    loop {
        let text = project.ok(LIST, json!({"limit": 100, "cursor": cursor}));
        assert!(text.starts_with("450 files"), "{text}");
        seen.extend(
            body(&text)
                .into_iter()
                .filter(|line| line.ends_with(".txt"))
                .map(str::to_owned),
        );
        match text.split_once("\"cursor\": \"") {
            Some((_, rest)) => cursor = json!(rest.split('"').next().unwrap()),
            None => break,
        }
    }
    assert_eq!(seen.len(), 450);
    assert!(seen.is_sorted());
    project.fails(LIST, json!({"cursor": "abc"}), Code::InvalidParam);
}

#[test]
fn a_file_given_as_folder_is_said_to_be_a_file() {
    let text = sample().fails(
        LIST,
        json!({"directory": "web/index.ts"}),
        Code::InvalidParam,
    );
    assert!(text.contains("intellij_read_file"), "{text}");
}

#[test]
fn matches_are_counted_first_and_shown_by_path_line_and_column() {
    let project = sample();
    assert_eq!(
        project.ok(SEARCH, json!({"query": "total"})),
        "3 matching lines in 3 files for `total` in the project (5 files searched)\n\
         src/main/App.java:2:9:     int Total = 1;\n\
         src/test/AppTest.java:2:9:     int total;\n\
         web/index.ts:1:5: let total = 0;\n"
    );
    let exact = project.ok(SEARCH, json!({"query": "total", "case_sensitive": true}));
    assert!(exact.starts_with("2 matching lines in 2 files"), "{exact}");
    let java = project.ok(SEARCH, json!({"query": "total", "pattern": "*.java"}));
    assert!(java.starts_with("2 matching lines in 2 files"), "{java}");
}

#[test]
fn a_search_can_be_narrowed_to_a_folder_a_file_or_an_excluded_place() {
    let project = sample();
    for (path, total) in [
        ("src", 2),
        ("web/index.ts", 1),
        ("target", 1),
        ("a.log", 1),
        (".git", 1),
    ] {
        let text = project.ok(SEARCH, json!({"query": "total", "path": path}));
        assert!(
            text.starts_with(&format!("{total} matching lines")),
            "{path}: {text}"
        );
    }
}

#[test]
fn a_search_without_matches_says_that_it_is_complete() {
    let project = sample();
    project.put("a.bin", b"total\0total");
    let text = project.ok(SEARCH, json!({"query": "nowhere to be found"}));
    assert!(text.starts_with("0 matching lines in 0 files"), "{text}");
    assert!(text.contains("complete and final"), "{text}");
    assert!(text.contains("1 binary files were left out"), "{text}");
}

#[test]
fn plain_queries_are_plain_and_regular_expressions_are_matched_in_each_line() {
    let project = Project::with(&[("a.txt", "f(x)\nfoo\r\nbar\r\n\r\nend")]);
    let count = |arguments: Value| {
        let text = project.ok(SEARCH, arguments);
        text.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(count(json!({"query": "f(x)"})), 1);
    assert_eq!(count(json!({"query": "f.x"})), 0);
    assert_eq!(count(json!({"query": "f.x", "regex": true})), 1);
    assert_eq!(count(json!({"query": "^foo$", "regex": true})), 1);
    assert_eq!(count(json!({"query": "\\Afoo\\z", "regex": true})), 1);
    assert_eq!(count(json!({"query": "^$", "regex": true})), 1);
    assert_eq!(count(json!({"query": "[^a]*", "regex": true})), 5);
    assert_eq!(count(json!({"query": "foo\nbar"})), 1);
    assert_eq!(count(json!({"query": "foo\\n+bar", "regex": true})), 1);
    let bad = project.fails(
        SEARCH,
        json!({"query": "f(", "regex": true}),
        Code::InvalidParam,
    );
    assert!(bad.contains("leave out `regex`"), "{bad}");
    project.fails(SEARCH, json!({"query": ""}), Code::InvalidParam);
}

#[test]
fn texts_of_other_charsets_are_searched_too() {
    let project = Project::new();
    let utf16: Vec<u8> = "\u{feff}x\r\nGröße\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    project.put("utf16.txt", utf16);
    project.put("latin.txt", b"Gr\xf6\xdfe\n");
    let text = project.ok(SEARCH, json!({"query": "größe"}));
    assert_eq!(
        body(&text),
        ["latin.txt:1:1: Größe", "utf16.txt:2:1: Größe"]
    );
}

#[test]
fn long_lines_are_shown_around_the_match() {
    let project = Project::with(&[(
        "a.js",
        &format!("{}needle{}", "é".repeat(5_000), "y".repeat(5_000)),
    )]);
    let text = project.ok(SEARCH, json!({"query": "needle"}));
    assert!(text.contains("a.js:1:5001: …"), "{text}");
    assert!(
        text.contains("needley") && text.len() < 1_000,
        "{}",
        text.len()
    );
}

#[test]
fn many_matches_come_in_parts_that_join_without_gap() {
    let project = Project::new();
    for file in 0..3 {
        let lines: String = (0..200)
            .map(|n| format!("match {n} {}\n", "z".repeat(n % 90)))
            .collect();
        project.put(&format!("f{file}.txt"), lines);
    }
    let mut seen = Vec::new();
    let mut cursor = json!(null);
    loop {
        let text = project.ok(
            SEARCH,
            json!({"query": "match", "limit": 170, "cursor": cursor}),
        );
        assert!(text.starts_with("600 matching lines in 3 files"), "{text}");
        assert!(text.len() < 11_000);
        seen.extend(
            body(&text)
                .into_iter()
                .filter(|line| line.starts_with('f'))
                .map(str::to_owned),
        );
        match text.split_once("\"cursor\": \"") {
            Some((_, rest)) => cursor = json!(rest.split('"').next().unwrap()),
            None => break,
        }
    }
    assert_eq!(seen.len(), 600);
    seen.dedup();
    assert_eq!(seen.len(), 600);
}

#[test]
fn a_cancelled_search_ends_as_cancelled() {
    let project = sample();
    let cancel = CancelFlag::new();
    cancel.cancel();
    for (tool, arguments) in [
        (Tool::SearchText, json!({"query": "x"})),
        (Tool::ListProjectFiles, json!({})),
    ] {
        let failure = project
            .tools
            .run(project.root(), tool, &arguments, &cancel, &|_| {})
            .unwrap_err();
        assert_eq!(failure.code, Code::Cancelled);
    }
}

#[test]
fn project_info_names_builds_tests_languages_and_branch() {
    let project = Project::with(&[
        ("build.gradle.kts", ""),
        ("gradlew", "#!/bin/sh\n"),
        ("app/build.gradle.kts", ""),
        ("web/package.json", r#"{"scripts": {"test": "vitest run"}}"#),
        ("web/pnpm-lock.yaml", ""),
        (
            "docs/package.json",
            r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
        ),
        ("app/src/A.kt", ""),
        ("app/src/B.kt", ""),
        ("app/src/C.java", ""),
        (".git/HEAD", "ref: refs/heads/feature/x\n"),
    ]);
    let text = project.ok("get_project_info", json!({}));
    assert!(text.contains("git: branch feature/x\n"), "{text}");
    assert!(text.contains("build systems: Gradle, Node\n"), "{text}");
    assert!(text.contains("modules (4): ., app, docs, web\n"), "{text}");
    assert!(
        text.contains("tests: Gradle in ., Gradle in app, pnpm in web (run_tests)\n"),
        "{text}"
    );
    assert!(
        text.contains("languages (files): Kotlin 4, Java 1"),
        "{text}"
    );
    let worktree = Project::with(&[
        (".git", "gitdir: elsewhere/of/mine\n"),
        (
            "elsewhere/of/mine/HEAD",
            "0123456789abcdef0123456789abcdef01234567\n",
        ),
    ]);
    let text = worktree.ok("get_project_info", json!({}));
    assert!(text.contains("git: detached at 0123456789ab\n"), "{text}");
    assert!(
        text.contains("tests: no test runner recognised\n"),
        "{text}"
    );
}

#[test]
fn a_package_file_that_cannot_be_read_is_named_where_the_test_tools_are() {
    let project = Project::with(&[("web/package.json", "{")]);
    let text = project.ok("get_project_info", json!({}));
    assert!(
        text.contains("tests: package.json in web cannot be read (it is not JSON, EOF"),
        "{text}"
    );
}

#[test]
fn a_project_of_many_modules_is_described_in_short() {
    let project = Project::new();
    for n in 0..200 {
        project.put(&format!("module{n}/pom.xml"), "");
    }
    let text = project.ok("get_project_info", json!({}));
    assert!(text.contains("modules (200): module0, "), "{text}");
    assert!(text.contains(" and 170 more\n"), "{text}");
    assert!(text.len() < 3_000, "{}", text.len());
}

#[test]
fn pages_of_a_search_on_many_threads_go_on_in_the_order_of_the_paths() {
    let project = Project::new();
    for n in 0..600 {
        // Folders with few files and one with many, so that the work is shared in every way there is.
        let path = match n % 3 {
            0 => format!("d{}/e{}/f{n}.txt", n % 7, n % 11),
            _ => format!("many/f{n}.txt"),
        };
        project.put(&path, "x needle\nnothing\nneedle y\n");
    }
    let mut lines = Vec::new();
    let mut arguments = json!({"query": "needle", "limit": 137});
    loop {
        let answer = project.ok(SEARCH, arguments);
        assert!(
            answer.starts_with("1200 matching lines in 600 files"),
            "{answer}"
        );
        lines.extend(
            answer
                .lines()
                .skip(1)
                .filter(|line| line.contains(".txt:"))
                .map(|line| {
                    line.split(':')
                        .take(2)
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                }),
        );
        let Some((_, rest)) = answer.split_once("\"cursor\": \"") else {
            break;
        };
        let cursor = rest.split('"').next().unwrap();
        arguments = json!({"query": "needle", "limit": 137, "cursor": cursor});
    }
    assert_eq!(lines.len(), 1200);
    let path = |line: &[String]| std::path::PathBuf::from(&line[0]);
    let number = |line: &[String]| line[1].parse::<usize>().unwrap();
    assert!(
        lines
            .windows(2)
            .all(|pair| (path(&pair[0]), number(&pair[0])) < (path(&pair[1]), number(&pair[1]))),
        "{lines:?}"
    );
}

#[test]
fn what_cannot_be_searched_is_counted_and_ends_nothing() {
    let project = Project::with(&[("a.txt", "needle\n"), ("b.bin", "needle\0")]);
    let large = std::fs::File::create(project.path("large.txt")).unwrap();
    large.set_len(65 << 20).unwrap();
    let answer = project.ok(SEARCH, json!({"query": "needle"}));
    assert!(
        answer.starts_with("1 matching lines in 1 files"),
        "{answer}"
    );
    assert!(
        answer.contains("Not searched: large.txt has 68157440 bytes, too many\n"),
        "{answer}"
    );
    let none = project.ok(SEARCH, json!({"query": "hay", "path": "b.bin"}));
    assert!(none.contains("1 binary files were left out"), "{none}");
}

// A folder with a file that is open cannot be removed on Windows.
#[cfg(unix)]
#[test]
fn files_that_vanish_while_they_are_searched_are_no_problem() {
    let project = Project::with(&[("kept.txt", "needle\n")]);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let answers: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                for n in 0..40 {
                    project.put(&format!("d/{n}.txt"), "hay\n");
                }
                std::fs::remove_dir_all(project.path("d")).unwrap();
            }
        });
        let search = |_| project.run(SEARCH, &json!({"query": "needle"}));
        let answers: Vec<_> = (0..200).map(search).collect();
        // Before anything is judged: a thread that is not notified would be waited for without end.
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        answers
            .into_iter()
            .map(|answer| answer.unwrap().text)
            .collect()
    });
    for answer in answers {
        assert!(
            answer.starts_with("1 matching lines in 1 files"),
            "{answer}"
        );
        let mut left_out = answer.lines().filter(|line| line.contains("Not searched"));
        assert!(left_out.all(|line| line.contains("vanished")), "{answer}");
    }
}

#[test]
fn a_query_of_many_bytes_is_refused_before_it_is_compiled() {
    let project = Project::with(&[("a.txt", "x\n")]);
    let query = "(x{1,9}y?)".repeat(6_554);
    let started = std::time::Instant::now();
    let refused = project.fails(
        SEARCH,
        json!({"query": query, "regex": true}),
        Code::InvalidParam,
    );
    assert!(
        refused.contains("65540 bytes, more than 65536"),
        "{refused}"
    );
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    project.ok(SEARCH, json!({"query": "y".repeat(65_536)}));
}

#[test]
fn a_pattern_that_no_file_fits_is_not_told_as_a_complete_search() {
    let project = Project::with(&[("src/a.rs", "needle\n")]);
    let answer = project.ok(SEARCH, json!({"query": "needle", "pattern": "*.java"}));
    assert!(
        answer.contains("No file matches `*.java`, so nothing was searched"),
        "{answer}"
    );
    assert!(!answer.contains("complete and final"), "{answer}");
}
