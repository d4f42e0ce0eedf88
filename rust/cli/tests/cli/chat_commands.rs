//! The commands of a chat at a terminal, in every width: they answer once the session is open, stay visible, and say
//! that they worked.

use unicode_width::UnicodeWidthStr;

use crate::chat::words;
use crate::process::Place;
use crate::terminal::Terminal;

const WIDTHS: [u16; 3] = [40, 80, 200];

const WRITES: &str = "[[prompt]]\nstep = [\
    { call = \"intellij_write_file\", arguments = { path = \"a.txt\", old_text = \"old\", new_text = \"new\" } }, \
    { call = \"run_command\", arguments = { command = \"seq 1 40\" } }, { say = \"Done.\" }]\n";

fn open(place: &Place, columns: u16) -> Terminal {
    std::fs::write(place.project().join("a.txt"), "old\n").expect("written");
    let words = words(place, "claude", WRITES, &["--policy", "yolo"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Terminal::sized(place, &words, &[("LANG", "C.UTF-8")], columns)
}

/// Types a command, and waits for the rows that its answer ends with; the command is above them.
fn ask(terminal: &mut Terminal, command: &str, ends_with: &[&str]) {
    terminal.keys(&format!("{command}\r"));
    let expected = [ends_with, &[">"]].concat();
    let shown = format!("> {command}");
    terminal.shows(|rows| {
        let last: Vec<&str> = rows.iter().map(|row| row.trim_start()).collect();
        rows.contains(&shown) && last.ends_with(&expected)
    });
    let rows = terminal.rows();
    let columns = terminal.columns();
    for row in rows {
        assert!(row.width() < columns, "{row:?} at {columns}");
    }
}

#[test]
fn changes_are_shown_and_undone_and_help_ends_with_our_commands() {
    for columns in WIDTHS {
        let place = Place::new();
        let mut terminal = open(&place, columns);
        terminal.ends_with(&[">"]);
        ask(
            &mut terminal,
            "/undo",
            &["> /undo", "there is no change to undo"],
        );
        ask(
            &mut terminal,
            "/output",
            &["> /output", "no command has printed anything yet"],
        );
        terminal.keys("go\r");
        terminal.shows(|rows| {
            let has_ended = rows.iter().any(|row| row.starts_with("usage: "));
            has_ended && rows.last().is_some_and(|row| row == ">")
        });
        ask(&mut terminal, "/diff", &["-old", "+new"]);
        ask(&mut terminal, "/undo", &["> /undo", "reverted a.txt"]);
        let text = std::fs::read_to_string(place.project().join("a.txt")).expect("it is there");
        assert_eq!(text, "old\n");
        terminal.keys("/output\r");
        terminal.shows(|rows| {
            let rows: Vec<&str> = rows.iter().map(|row| row.trim()).collect();
            rows.ends_with(&["39", "40", ">"]) && rows.contains(&"30")
        });
        terminal.keys("/clear\r");
        terminal.shows(|rows| rows == [">"]);
        terminal.keys("/help\r");
        terminal.shows(|rows| {
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            rows.ends_with(&[">"])
                && rows
                    .iter()
                    .rev()
                    .take(4)
                    .any(|row| row.trim_start().starts_with("/quit"))
        });
        terminal.keys("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn modes_models_and_options_are_listed_and_set_and_the_answer_says_so() {
    for columns in WIDTHS {
        let place = Place::new();
        let mut terminal = open(&place, columns);
        terminal.ends_with(&[">"]);
        ask(&mut terminal, "/mode plan", &["mode is now plan"]);
        let modes = match columns {
            40 => &["mode: default, acceptEdits, plan", "(current), auto"][..],
            _ => &["mode: default, acceptEdits, plan (current), auto"],
        };
        ask(&mut terminal, "/mode", &[&["> /mode"], modes].concat());
        ask(
            &mut terminal,
            "/model",
            &["> /model", "model: default (current)"],
        );
        ask(&mut terminal, "/model default", &["model is now default"]);
        ask(&mut terminal, "/set fast=on", &["fast is now on"]);
        ask(
            &mut terminal,
            "/set fast",
            &["> /set fast", "fast: on (current), off"],
        );
        terminal.keys("/set\r");
        terminal.shows(|rows| {
            let rows: Vec<&str> = rows.iter().map(|row| row.trim()).collect();
            let all = ["model: default (current)", "fast: on (current), off", ">"];
            rows.ends_with(&all)
        });
        terminal.keys("/mode zz\r");
        terminal.shows(|rows| {
            let rows = rows.join(" ");
            rows.contains("note: the agent has no mode `zz`") && rows.ends_with('>')
        });
        terminal.keys("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn a_slip_and_a_setting_of_the_users_are_told_and_not_sent() {
    for columns in WIDTHS {
        let place = Place::new();
        let script = "[[prompt]]\nstep = [{ say = \"Compacted.\" }]\n";
        let words = words(&place, "claude", script, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[("LANG", "C.UTF-8")], columns);
        terminal.ends_with(&[">"]);
        for (line, told) in [
            ("/clearr", "did you mean /clear?"),
            ("/undo a.txt", "/undo takes no arguments"),
            ("/set bell off", "`siderail config set bell off`"),
        ] {
            terminal.keys(&format!("{line}\r"));
            terminal.shows(|rows| {
                let words: Vec<&str> = rows.iter().flat_map(|row| row.split_whitespace()).collect();
                words.join(" ").contains(told) && rows.last().is_some_and(|row| row == ">")
            });
        }
        // a command of the agent's own goes to it
        terminal.keys("/compact\r");
        terminal.shows(|rows| {
            rows.iter().any(|row| row == "Compacted.")
                && rows.iter().filter(|row| *row == "> /compact").count() == 1
        });
        terminal.keys("/quit\r");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0));
        assert!(shown.contains(" 1 turn, "), "{shown}");
    }
}

#[test]
fn a_command_typed_at_a_question_is_done_and_answers_nothing() {
    for columns in WIDTHS {
        let place = Place::new();
        let script = "[[prompt]]\nstep = [{ shell = \"touch made\", description = \"Make it\" }]\n";
        let words = words(&place, "copilot", script, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[("LANG", "C.UTF-8")], columns);
        terminal.ends_with(&[">"]);
        terminal.keys("go\r");
        terminal.shows(|rows| {
            rows.last()
                .is_some_and(|row| row.ends_with("[Enter denies]"))
        });
        std::thread::sleep(std::time::Duration::from_millis(1_200));
        terminal.keys("/waiting");
        terminal.shows(|rows| rows.last().is_some_and(|row| row == "> /waiting"));
        terminal.keys("\r");
        terminal.shows(|rows| {
            let is_done = rows.iter().any(|row| row == "nothing is queued");
            is_done && rows.last().is_some_and(|row| row.ends_with("denies]"))
        });
        std::thread::sleep(std::time::Duration::from_millis(1_200));
        terminal.keys("/quit\r");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0));
        assert!(shown.contains("✗ denied"), "{shown}");
        assert!(!place.project().join("made").exists());
    }
}
