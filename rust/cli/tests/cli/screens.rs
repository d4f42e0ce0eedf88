//! What is seen on a terminal in a conversation, as texts under `tests/screens`, one for each width.
//!
//! After a wanted change run the tests with `SIDERAIL_BLESS=1` and read the difference.

use std::collections::HashSet;

use unicode_width::UnicodeWidthStr;

use crate::chat::words;
use crate::process::Place;
use crate::terminal::Terminal;

const WIDTHS: [u16; 3] = [40, 80, 200];

/// Compares the screens of one scene in every width.
fn check(name: &str, script: &str, play: impl Fn(&Place, &mut Terminal)) {
    check_with(name, script, &[], |_| {}, play);
}

/// The same with more words, in a project that is made ready first.
fn check_with(
    name: &str,
    script: &str,
    more: &[&str],
    ready: impl Fn(&Place),
    play: impl Fn(&Place, &mut Terminal),
) {
    let mut seen = Vec::new();
    for columns in WIDTHS {
        let place = Place::new();
        ready(&place);
        let words = words(&place, "copilot", script, more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[("LANG", "C.UTF-8")], columns);
        terminal.ends_with(&[">"]);
        play(&place, &mut terminal);
        let rows = terminal.rows();
        let text: String = rows
            .iter()
            .map(|row| format!("{}\n", timeless(row)))
            .collect();
        let file = format!(
            "{}/tests/screens/{name}-{columns}.txt",
            env!("CARGO_MANIFEST_DIR")
        );
        if std::env::var_os("SIDERAIL_BLESS").is_some() {
            std::fs::write(&file, &text).expect("the file can be written");
        }
        let widest = rows.iter().map(|row| row.width()).max();
        assert!(
            widest < Some(columns.into()),
            "a row that fills {columns} columns or more: {text}"
        );
        seen.push(text.clone());
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(text, expected, "{file} is not what is seen");
        if rows
            .last()
            .is_some_and(|row| row.ends_with("[Enter denies]"))
        {
            std::thread::sleep(std::time::Duration::from_millis(1_200));
            terminal.keys("\r");
            terminal.ends_with(&[">"]);
        }
        terminal.keys("\x15/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
    no_word_is_cut(&seen);
}

/// What a narrow screen shows is made of the words of the widest, on which all of them have room.
fn no_word_is_cut(screens: &[String]) {
    let widest = screens.last().expect("one is the widest");
    let whole: HashSet<&str> = widest.split_whitespace().collect();
    for screen in screens {
        let is_cut = |word: &&str| !whole.contains(word) || word.ends_with('…') && *word != "…";
        let cut: Vec<&str> = screen.split_whitespace().filter(is_cut).collect();
        assert!(cut.is_empty(), "{cut:?} in\n{screen}");
    }
}

/// A row in which how long something took is always the same.
fn timeless(row: &str) -> String {
    let seconds = |word: &str| {
        let decimals = word.split_once('.').map(|(_, decimals)| decimals);
        decimals.is_some_and(|decimals| !decimals.is_empty()) && word.parse::<f64>().is_ok()
    };
    let words: Vec<&str> = row
        .split(' ')
        .map(|word| if seconds(word) { "0.1" } else { word })
        .collect();
    words.join(" ")
}

/// Sends a prompt, and waits until its turn has ended.
fn prompt(terminal: &mut Terminal) {
    terminal.keys("go\r");
    terminal.shows(|rows| {
        let has_ended = rows.iter().any(|row| row.starts_with("usage: "));
        has_ended && rows.last().is_some_and(|row| row == ">")
    });
}

fn step(steps: &str) -> String {
    format!("[[prompt]]\nstep = [{steps}]\n")
}

#[test]
fn idle() {
    check("idle", "", |_, _| {});
}

#[test]
fn an_answer_in_markdown() {
    let text = "## Why it fails\\n\\nThe loop in `retry()` counts **attempts**, not *failures*, so the last one \
                is never made. See [the guide](https://example.org/guide).\\n\\n- first, count failures, which \
                takes a second variable beside `attempts`\\n- then test it\\n  1. alone\\n\\n```rust\\nfn retry() \
                {\\n    todo!()\\n}\\n```\\n\\n> said elsewhere\\n\\n| Case | Attempts | Why |\\n|---|--:|---|\\n\
                | down | 3 | the server is not there |\\n| slow | 1 | it answers late |\\n\\nDone.";
    for chunks in [1, 17] {
        let script = step(&format!("{{ say = \"{text}\", chunks = {chunks} }}"));
        check("markdown", &script, |_, terminal| prompt(terminal));
    }
}

#[test]
fn a_denied_call_is_one_row() {
    let script = step(
        "{ edit = \"a.txt\", old = \"x\", new = \"y\" }, { if_denied = true, steps = [{ call = \
         \"intellij_write_file\", arguments = { path = \"a.txt\", old_text = \"x\", new_text = \"y\" } }] }, \
         { say = \"Written.\" }",
    );
    check("denial", &script, |place, terminal| {
        std::fs::write(place.project().join("a.txt"), "before\nx\nafter\n").expect("written");
        prompt(terminal);
    });
}

#[test]
fn a_command_that_fails_is_marked_and_its_output_is_folded() {
    let script =
        step("{ shell = \"seq 1 40; exit 3\", description = \"Count\" }, { say = \"It failed.\" }");
    check("command", &script, |_, terminal| {
        terminal.keys("go\r");
        terminal.shows(|rows| {
            rows.last()
                .is_some_and(|row| row.ends_with("[Enter denies]"))
        });
        std::thread::sleep(std::time::Duration::from_millis(1_200));
        terminal.keys("y");
        terminal.shows(|rows| {
            let has_ended = rows.iter().any(|row| row.starts_with("usage: "));
            has_ended && rows.last().is_some_and(|row| row == ">")
        });
        let rows = terminal.rows();
        assert!(!rows.iter().any(|row| row.trim() == "20"), "{rows:?}");
    });
}

#[test]
fn a_question_about_a_long_command() {
    let script = step(
        "{ shell = \"tar --create --gzip --file release.tar.gz --exclude target README.md LICENSE \
         CHANGELOG.md docs\", description = \"Pack the release\" }",
    );
    check("question", &script, |_, terminal| {
        terminal.keys("go\r");
        terminal.shows(|rows| {
            rows.last()
                .is_some_and(|row| row.ends_with("[Enter denies]"))
        });
        let rows = terminal.rows();
        // what the screen shows is compared while it is open
        assert!(
            rows.iter().any(|row| row.contains("May the agent run")),
            "{rows:?}"
        );
    });
}

/// Waits for a question.
fn asks(terminal: &mut Terminal) {
    terminal.shows(|rows| {
        rows.last()
            .is_some_and(|row| row.ends_with("[Enter denies]"))
    });
}

#[test]
fn a_question_about_an_edit_shows_its_diff() {
    let script = step(
        "{ edit = \"src/retry.rs\", old = \"let attempts = 3;\", new = \"let attempts = limit(config);\" }",
    );
    let text = "fn retry(config: &Config) {\n    let attempts = 3;\n    run(attempts);\n}\n";
    let ready = |place: &Place| {
        std::fs::create_dir(place.project().join("src")).expect("made");
        std::fs::write(place.project().join("src/retry.rs"), text).expect("written");
    };
    check_with(
        "diff",
        &script,
        &["--policy", "ask"],
        ready,
        |_, terminal| {
            terminal.keys("go\r");
            asks(terminal);
        },
    );
}

#[test]
fn a_commit_fails_first_where_nothing_is_staged_and_else_shows_what_it_takes() {
    let script = step(
        "{ call = \"git_commit\", arguments = { message = \"Too early\" } }, \
         { call = \"git_stage\", arguments = { paths = [\"a.txt\", \"new.txt\"] } }, \
         { call = \"git_commit\", arguments = { message = \"Say it in other words\\n\\nNobody read the old ones.\" } }",
    );
    let git = |place: &Place, words: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(place.project()).args(words);
        let told = [
            "user.name=n",
            "user.email=n@example.org",
            "init.defaultBranch=main",
        ];
        let env = told.iter().enumerate().flat_map(|(at, setting)| {
            let (key, value) = setting.split_once('=').expect("both");
            [
                (format!("GIT_CONFIG_KEY_{at}"), key),
                (format!("GIT_CONFIG_VALUE_{at}"), value),
            ]
        });
        let status = command.env("GIT_CONFIG_COUNT", "3").envs(env).status();
        assert!(status.expect("git runs").success(), "{words:?}");
    };
    let ready = |place: &Place| {
        std::fs::write(place.project().join("a.txt"), "old\n").expect("written");
        for words in [
            &["init", "--quiet"][..],
            &["add", "."],
            &["commit", "--quiet", "--message=First"],
        ] {
            git(place, words);
        }
        for name in ["a.txt", "new.txt"] {
            std::fs::write(place.project().join(name), "new\n").expect("written");
        }
    };
    check_with("commit", &script, &[], ready, |_, terminal| {
        terminal.keys("go\r");
        asks(terminal);
    });
}

#[test]
fn at_work_what_is_typed_stays_below_what_the_agent_says() {
    let script = step(
        "{ say = \"I look at the loop in `retry()` first, and at what calls it, before I change anything there.\\n\\n\" }, \
         { sleep = 4.0 }, { say = \"Done.\" }",
    );
    check("at_work", &script, |_, terminal| {
        terminal.keys("go\r");
        terminal.shows(|rows| rows.join(" ").contains("change anything there."));
        terminal.keys("and then run the tests, all of them");
        terminal.shows(|rows| {
            let rows = rows.join(" ");
            rows.contains("> and then") && rows.ends_with("of them")
        });
    });
}

#[test]
fn all_changes_of_a_prompt_are_undone_and_the_screen_is_cleared() {
    for undo in ["/undo\r", "/revert all\r"] {
        let place = Place::new();
        let write = |file: &str| {
            format!(
                "{{ call = \"intellij_write_file\", arguments = {{ path = \"{file}\", content = \"new\" }} }}"
            )
        };
        std::fs::write(place.project().join("a.txt"), "old").expect("written");
        let script = step(&format!("{}, {}", write("a.txt"), write("b.txt")));
        let words = words(&place, "copilot", &script, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[("LANG", "C.UTF-8")], 80);
        terminal.ends_with(&[">"]);
        terminal.keys(undo);
        terminal.shows(|rows| rows.iter().any(|row| row == "there is no change to undo"));
        prompt(&mut terminal);
        assert!(place.project().join("b.txt").exists());
        terminal.keys(undo);
        terminal.shows(|rows| {
            ["a.txt", "b.txt"]
                .iter()
                .all(|file| rows.iter().any(|row| *row == format!("reverted {file}")))
        });
        let text = std::fs::read_to_string(place.project().join("a.txt")).expect("it is there");
        assert_eq!(text, "old");
        assert!(!place.project().join("b.txt").exists());
        terminal.keys("/clear\r");
        terminal.shows(|rows| rows == [">"]);
        terminal.keys("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn all_output_of_the_last_command_is_shown_when_asked_for() {
    let place = Place::new();
    let script = step("{ call = \"run_command\", arguments = { command = \"seq 1 40\" } }");
    let words = words(&place, "copilot", &script, &["--policy", "yolo"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::sized(&place, &words, &[("LANG", "C.UTF-8")], 80);
    terminal.ends_with(&[">"]);
    prompt(&mut terminal);
    let rows = terminal.rows();
    assert!(
        rows.iter().any(|row| row == "○ run_command $ seq 1 40"),
        "{rows:?}"
    );
    assert!(!rows.iter().any(|row| row.trim() == "20"), "{rows:?}");
    terminal.keys("/output\r");
    terminal.shows(|rows| rows.iter().any(|row| row.trim() == "20"));
    terminal.shows(|rows| rows.last().is_some_and(|row| row == ">"));
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn output_of_a_command_is_seen_while_it_runs_and_none_of_it_twice() {
    for columns in WIDTHS {
        let place = Place::new();
        let script = step(
            "{ call = \"run_command\", arguments = { command = \"for i in 1 2 3 4 5 6; do echo line $i; sleep 0.9; done\" } }, \
             { say = \"Done.\" }",
        );
        let words = words(&place, "copilot", &script, &["--policy", "yolo"]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[("LANG", "C.UTF-8")], columns);
        terminal.ends_with(&[">"]);
        terminal.keys("go\r");
        terminal.shows(|rows| {
            let runs = !rows.iter().any(|row| row.starts_with('✓'));
            runs && rows.iter().any(|row| row == "    line 3")
                && rows.last().is_some_and(|row| row.ends_with("s line 5"))
        });
        terminal.shows(|rows| rows.iter().any(|row| row == "Done."));
        let rows = terminal.rows();
        for n in 1..=6 {
            let line = format!("    line {n}");
            let n_seen = rows.iter().filter(|row| **row == line).count();
            assert_eq!(n_seen, 1, "{line}: {rows:?}");
        }
        terminal.ends_with(&[">"]);
        terminal.keys("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn a_chat_says_how_to_resume_it_and_resume_alone_offers_a_choice() {
    let place = Place::new();
    let script = "[[prompt]]\nstep = [{ say = \"Answered.\" }]\n";
    for text in ["the older one", "the newer one"] {
        let words = words(&place, "copilot", script, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[], 80);
        terminal.ends_with(&[">"]);
        terminal.keys(&format!("{text}\r"));
        terminal.shows(|rows| rows.iter().any(|row| row == "Answered."));
        terminal.ends_with(&[">"]);
        terminal.keys("/quit\r");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0));
        assert!(
            shown.contains("`siderail chat --continue` resumes"),
            "{shown}"
        );
    }
    let words = words(&place, "copilot", script, &["--resume"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(&place, &words, &[]);
    let list = terminal.until("[1 to 2; Enter for 1] ");
    assert!(
        list.contains("  1  just now") && list.contains("the newer one"),
        "{list}"
    );
    terminal.keys("2\n");
    terminal.until("the older one");
    terminal.until("> ");
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn a_question_rings_where_that_is_wanted() {
    for (bell, rings) in [("on", true), ("off", false)] {
        let place = Place::new();
        let script = step("{ shell = \"touch made\", description = \"Make it\" }");
        let words = words(&place, "copilot", &script, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let env = [("SIDERAIL_BELL", bell), ("TERM_PROGRAM", "WezTerm")];
        let mut terminal = Terminal::start(&place, &words, &env);
        terminal.until("> ");
        terminal.keys("go\r");
        terminal.until("[Enter denies] ");
        std::thread::sleep(std::time::Duration::from_millis(1_200));
        terminal.keys("\r");
        let shown = terminal.until("usage: ");
        let called = shown.contains("\x1b]9;Siderail: a question is waiting\x07\x07");
        assert_eq!(called, rings, "{shown:?}");
        terminal.until("> ");
        terminal.keys("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}
