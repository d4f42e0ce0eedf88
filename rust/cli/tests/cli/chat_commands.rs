//! The commands of a chat at a terminal, in every width: they answer once the session is open, stay visible, and say
//! that they worked.

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

/// Types a command, and waits for the rows that its answer ends with; the command stands above them.
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
        assert!(row.chars().count() <= columns, "{row:?} at {columns}");
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
