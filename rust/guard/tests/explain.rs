//! The machine interface of the shell analysis, one JSON object a line, and the face for people.

use siderail_guard::explain;
use siderail_guard::shell::{Analysis, Dialect, ProtectedPlaces, ShellInput, analyse};

fn answered(input: &str) -> String {
    explain::line(input, ProtectedPlaces::ours())
}

fn analysed(command: &str, root: &str) -> Analysis {
    analyse(&ShellInput {
        command: command.as_bytes(),
        dialect: Dialect::Bash,
        root,
        roots: &[],
        cwd: root,
        home: None,
        tools: None,
        protected_places: ProtectedPlaces::ours(),
    })
}

#[test]
fn input_that_is_no_question_is_answered_with_an_error_and_its_id() {
    let cases = [
        ("", "null"),
        ("nonsense", "null"),
        ("[]", "null"),
        ("\"cat a\"", "null"),
        ("{}", "null"),
        (r#"{"id":"7"}"#, "\"7\""),
        (r#"{"id":7,"command":3,"root":"/p"}"#, "7"),
        (r#"{"id":"a","command":"ls"}"#, "\"a\""),
        (
            r#"{"id":"a","command":"ls","root":"proj","cwd":"/p"}"#,
            "\"a\"",
        ),
        (
            r#"{"id":"a","command":"ls","root":"/p","cwd":"src"}"#,
            "\"a\"",
        ),
        (
            r#"{"id":"a","command":"ls","root":"/p","cwd":"/p","shell":"nu"}"#,
            "\"a\"",
        ),
        (
            r#"{"id":"a","command":"ls","root":"/p","cwd":"/p","tools":"x"}"#,
            "\"a\"",
        ),
    ];
    for (line, id) in cases {
        let answer = answered(line);
        assert!(
            answer.starts_with(&format!("{{\"id\":{id},\"error\":")),
            "{line}: {answer}"
        );
        assert!(!answer.contains('\n'));
    }
}

#[test]
fn a_question_is_answered_with_its_id_verdict_and_findings() {
    let line =
        r#"{"id":"1","command":"cd src && cat a.rs","shell":"bash","root":"/proj","cwd":"/proj"}"#;
    let answer = answered(line);
    let start = r#"{"id":"1","verdict":"redirect","findings":[{"kind":"read_file","tool":"intellij_read_file","text":"cat a.rs","why":""#;
    assert!(answer.starts_with(start), "{answer}");
    assert!(answer.contains(r#""paths":["/proj/src/a.rs"]"#), "{answer}");
    let nothing = answered(r#"{"id":[1,{"a":2}],"command":"make","root":"/proj","cwd":"/proj"}"#);
    assert_eq!(
        nothing,
        r#"{"id":[1,{"a":2}],"verdict":"allow","findings":[]}"#
    );
}

#[test]
fn a_question_about_a_line_that_writes_outside_is_answered_with_the_paths() {
    let answer = |command: &str| {
        let input =
            serde_json::json!({"id": 1, "command": command, "root": "/p", "home": "/home/u"});
        let answer = answered(&input.to_string());
        serde_json::from_str::<serde_json::Value>(&answer).expect("an answer is JSON")
    };
    for (command, path) in [
        ("gcc -Wall -o /usr/local/bin/x a.c", "/usr/local/bin/x"),
        ("go build -ldflags -s -o ../x .", "/x"),
        ("javac -d /srv/classes A.java", "/srv/classes"),
        ("git config --global user.name me", "/home/u/.gitconfig"),
        ("git config set --global user.name me", "/home/u/.gitconfig"),
        ("git config --system --unset core.pager", "/etc/gitconfig"),
        (
            "git config -f ../other/.git/config a.b c",
            "/other/.git/config",
        ),
        ("git clone https://x.dev/u/t.git ../t", "/t"),
        ("git worktree add -b fix ../t main", "/t"),
    ] {
        let answer = answer(command);
        assert_eq!(answer["outside"], serde_json::json!([path]), "{command}");
        assert_eq!(answer["verdict"], "allow", "{command}");
    }
    for command in [
        "gcc -o x a.c",
        "gcc -c a.c -o /tmp/a.o",
        "go build ./...",
        "git config --global user.name",
        "git config --global --list",
        "git config get --global user.name",
        "git config user.name me",
        "git clone https://x.dev/u/t.git",
    ] {
        assert_eq!(answer(command).get("outside"), None, "{command}");
    }
}

#[test]
fn a_tool_that_is_not_offered_is_not_pointed_to() {
    let line = r#"{"id":1,"command":"ls; cat a; rm b","root":"/p","cwd":"/p","tools":["intellij_read_file"]}"#;
    let answer = answered(line);
    assert!(
        answer.contains("read_file") && answer.contains("destructive"),
        "{answer}"
    );
    assert!(!answer.contains("list_dir"), "{answer}");
}

#[test]
fn windows_paths_and_shells_are_understood() {
    let line = r#"{"id":1,"command":"type src\\a.c","shell":"cmd","root":"C:\\p","cwd":"C:\\p"}"#;
    let answer = answered(line);
    assert!(answer.contains(r#""kind":"read_file""#), "{answer}");
    assert!(
        answer.contains(r#""paths":["C:\\p\\src\\a.c"]"#),
        "{answer}"
    );
}

#[test]
fn people_are_told_what_and_which_tool() {
    let judge = |command: &str| explain::for_people(&analysed(command, "/p"), command);
    let text = judge("cat a.rs | wc -l && rm b");
    for part in [
        "redirect: cat a.rs | wc -l && rm b\n",
        "read_file (use intellij_read_file): cat a.rs\n",
        "destructive: rm b\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(judge("cargo build").starts_with("allow: cargo build\n"));
    let outside = judge("gcc -o /opt/tool a.c");
    assert!(
        outside.starts_with("ask: gcc -o /opt/tool a.c\n  outside: /opt/tool\n"),
        "{outside}"
    );
    assert!(
        judge("cat a > /opt/b").starts_with("redirect: "),
        "the stronger one leads"
    );
}

#[test]
fn a_command_cannot_steer_the_terminal_of_the_person_who_reads_about_it() {
    let command = "cat a\u{1b}[2J\u{7}\u{202e}\rb.rs";
    let analysis = analysed(command, "/p");
    let text = explain::for_people(&analysis, command);
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(steers), "{text:?}");
    assert!(
        text.contains(r"cat a\u{1b}[2J\u{7}\u{202e}\rb.rs"),
        "{text}"
    );
}

#[test]
fn explain_tells_of_a_protected_place_what_the_gate_makes_of_it() {
    let command = "cp a.txt .git/hooks/pre-commit";
    let analysis = analysed(command, "/proj");
    let text = explain::for_people(&analysis, command);
    assert!(text.starts_with(&format!("ask: {command}\n")), "{text}");
    assert!(
        text.contains("protected: .git/hooks/pre-commit\n"),
        "{text}"
    );
    assert!(!text.contains("nothing of it is dangerous"), "{text}");
    let line = answered(&format!(
        r#"{{"id":1,"command":"{command}","root":"/proj"}}"#
    ));
    assert_eq!(
        line,
        r#"{"id":1,"verdict":"allow","findings":[],"protected":[".git/hooks/pre-commit"]}"#
    );
}
