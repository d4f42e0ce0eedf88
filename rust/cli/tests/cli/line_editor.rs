//! The line of a conversation at a terminal, judged by what is seen on its screen.

use std::os::unix::fs::PermissionsExt;

use crate::chat::words;
use crate::process::{Place, entries};
use crate::terminal::Terminal;

const WIDTHS: [u16; 3] = [40, 80, 200];

const ECHOES: &str = "[[prompt]]\nmatch = \"first\"\nstep = [{ say = \"One.\" }]\n\
                      [[prompt]]\nstep = [{ say = \"Another.\" }]\n";

fn open(place: &Place, script: &str, env: &[(&str, &str)], columns: u16) -> Terminal {
    let words = words(place, "copilot", script, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::sized(place, &words, env, columns);
    terminal.ends_with(&[">"]);
    terminal
}

fn quit(mut terminal: Terminal) {
    terminal.keys("\x15/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn arrows_and_words_move_the_cursor_and_a_long_line_takes_rows_of_any_width() {
    for columns in WIDTHS {
        let place = Place::new();
        let mut terminal = open(&place, ECHOES, &[], columns);
        let before = terminal.rows().len();
        terminal.keys("one three\x1b[1;5Dtwo \x1b[D\x1b[C");
        terminal.ends_with(&["> one two three"]);
        assert_eq!(terminal.cursor(), (before - 1, 10), "at {columns}");
        terminal.keys("\x05");
        // wide characters, up to three rows
        let room = usize::from(columns) - 3;
        let n_wide = room;
        terminal.keys(&format!("\x15{}", "日".repeat(n_wide)));
        let in_row = room / 2;
        let first = format!("> {}", "日".repeat(in_row));
        let second = format!("  {}", "日".repeat(in_row));
        let third = format!("  {}", "日".repeat(n_wide - 2 * in_row));
        terminal.ends_with(&[&first, &second, third.trim_end()][..2 + n_wide % 2]);
        terminal.keys("\x15x");
        terminal.ends_with(&["> x"]);
        assert_eq!(terminal.rows().len(), before, "no ghost row at {columns}");
        quit(terminal);
    }
}

#[test]
fn a_pasted_text_is_one_message_with_its_lines_and_runs_nothing() {
    for columns in WIDTHS {
        let place = Place::new();
        let script = "[[prompt]]\nmatch = \"at b\"\nstep = [{ say = \"Seen.\" }]\n";
        let mut terminal = open(&place, script, &[], columns);
        terminal.keys("\x1b[200~Error\r\n    at b\r\n\x1b]0;x\x07/quit\x1b[201~");
        terminal.ends_with(&["> Error", "      at b", "  ␛]0;x␇/quit"]);
        terminal.keys("\r");
        terminal.shows(|rows| rows.iter().any(|row| row == "Seen."));
        let rows = terminal.rows().join("\n");
        assert!(!rows.contains("EXPECTATION"), "{rows}");
        quit(terminal);
    }
}

#[test]
fn alt_enter_and_a_backslash_begin_a_new_line() {
    for columns in WIDTHS {
        let place = Place::new();
        let mut terminal = open(&place, ECHOES, &[], columns);
        terminal.keys("a\\\rb\x1b\rc");
        terminal.ends_with(&["> a", "  b", "  c"]);
        terminal.keys("\x1b[A\x1b[A!");
        terminal.ends_with(&["> a!", "  b", "  c"]);
        quit(terminal);
    }
}

#[test]
fn output_goes_on_above_a_half_typed_line_which_loses_no_key() {
    for columns in WIDTHS {
        let place = Place::new();
        let script = "[[prompt]]\nmatch = \"first\"\nstep = [{ say = \"Begun.\\n\\n\" }, { sleep = 1.0 }, \
                      { say = \"More.\\n\\n\" }, { sleep = 1.0 }, { say = \"Last.\" }]\n\
                      [[prompt]]\nmatch = \"half more\"\nstep = [{ say = \"Two.\" }]\n";
        let mut terminal = open(&place, script, &[], columns);
        terminal.keys("the first\r");
        terminal.shows(|rows| rows.iter().any(|row| row == "Begun."));
        terminal.keys("half");
        terminal.ends_with(&["> half"]);
        terminal.shows(|rows| rows.iter().any(|row| row == "More."));
        terminal.shows(|rows| rows.last().is_some_and(|row| row == "> half"));
        terminal.keys(" more");
        terminal.shows(|rows| {
            let n_lines = rows.iter().filter(|row| row.starts_with("> half")).count();
            n_lines == 1 && rows.last().is_some_and(|row| row == "> half more")
        });
        terminal.keys("\r");
        terminal.shows(|rows| rows.iter().any(|row| row == "Two."));
        let rows = terminal.rows();
        let at = |text: &str| rows.iter().position(|row| row == text);
        assert!(
            at("Begun.") < at("More.") && at("More.") < at("Last."),
            "{rows:?}"
        );
        assert!(at("Last.") < at("Two."), "{rows:?}");
        let with_half: Vec<&str> = rows
            .iter()
            .map(String::as_str)
            .filter(|row| row.contains("half"))
            .collect();
        let expected = ["queued until the turn ends: half more", "> half more"];
        assert_eq!(with_half, expected, "{rows:?}");
        quit(terminal);
    }
}

#[test]
fn what_was_typed_is_kept_for_its_user_alone_browsed_and_searched() {
    for columns in WIDTHS {
        let place = Place::new();
        let mut terminal = open(&place, ECHOES, &[], columns);
        terminal.keys("the first\r");
        terminal.shows(|rows| rows.iter().any(|row| row == "One."));
        terminal.ends_with(&[">"]);
        quit(terminal);
        let history = place.path("home/.local/state/siderail/history");
        let lines = entries(&history)
            .into_iter()
            .find(|file| file.extension().is_some_and(|ending| ending == "lines"))
            .expect("it is kept");
        let mode = std::fs::metadata(&lines)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);

        let mut terminal = open(&place, ECHOES, &[], columns);
        terminal.keys("draft\x1b[A\x1b[A");
        terminal.ends_with(&["> the first"]);
        terminal.keys("\x1b[B\x1b[B");
        terminal.ends_with(&["> draft"]);
        terminal.keys("\x15\x12FIR");
        terminal.ends_with(&["> the first", "search: FIR   (Ctrl-R older, Esc back)"]);
        terminal.keys("\x05!");
        terminal.ends_with(&["> the first!"]);
        quit(terminal);
    }
}

#[test]
fn commands_and_files_are_completed_and_what_the_project_ignores_is_not_offered() {
    for columns in WIDTHS {
        let place = Place::new();
        for (file, text) in [
            ("App.java", ""),
            ("Apple.java", ""),
            ("App.log", ""),
            (".gitignore", "*.log\n"),
        ] {
            std::fs::write(place.project().join(file), text).expect("written");
        }
        let mut terminal = open(&place, ECHOES, &[], columns);
        terminal.keys("/wai\t");
        terminal.ends_with(&["> /waiting"]);
        terminal.keys("\x15see @app\t");
        terminal.ends_with(&["> see @App.java", "> @App.java", "  @Apple.java"]);
        terminal.keys("\t");
        terminal.ends_with(&["> see @Apple.java", "  @App.java", "> @Apple.java"]);
        terminal.keys("!");
        terminal.ends_with(&["> see @Apple.java!"]);
        quit(terminal);
    }
}

#[test]
fn modes_options_and_their_values_are_completed() {
    for columns in WIDTHS {
        let place = Place::new();
        let words = words(&place, "claude", ECHOES, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut terminal = Terminal::sized(&place, &words, &[], columns);
        terminal.ends_with(&[">"]);
        // The agent's options come a moment after the first line.
        terminal.keys("/mode auto\r");
        terminal.ends_with(&["mode is now auto", ">"]);
        terminal.keys("/mode pl\t");
        terminal.ends_with(&["> /mode plan"]);
        terminal.keys("\x15/set mode=pl\t");
        terminal.ends_with(&["> /set mode=plan"]);
        quit(terminal);
    }
}

#[test]
fn an_editor_takes_the_line_and_one_that_fails_leaves_it() {
    for columns in WIDTHS {
        let place = Place::new();
        let editor = place.path("editor.sh");
        std::fs::write(&editor, "#!/bin/sh\nprintf 'two\\nrows\\n' > \"$1\"\n").expect("written");
        std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).expect("set");
        let program = editor.to_str().expect("text");
        let mut terminal = open(&place, ECHOES, &[("EDITOR", program)], columns);
        terminal.keys("half\x07");
        terminal.ends_with(&["> two", "  rows"]);
        quit(terminal);

        let place = Place::new();
        let mut terminal = open(&place, ECHOES, &[("EDITOR", "false")], columns);
        terminal.keys("half\x07");
        terminal.shows(|rows| {
            rows.iter()
                .any(|row| row.starts_with("the editor `false` failed"))
                && rows.last().is_some_and(|row| row == "> half")
        });
        quit(terminal);
    }
}

#[test]
fn a_wrong_key_at_a_question_is_told_the_keys_and_the_next_right_one_works() {
    for columns in WIDTHS {
        let place = Place::new();
        let script = "[[prompt]]\nstep = [{ shell = \"touch made\", description = \"Make it\" }, { say = \"Done.\" }]\n";
        let mut terminal = open(&place, script, &[], columns);
        terminal.keys("go\r");
        terminal.shows(|rows| rows.last().is_some_and(|row| row.ends_with("denies]")));
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        terminal.keys("x");
        terminal.shows(|rows| rows.join(" ").contains("press y, p, d or "));
        assert!(!place.project().join("made").exists());
        // a paste answers nothing, and is not lost
        terminal.keys("\x1b[200~y\x1b[201~");
        terminal.shows(|rows| rows.last().is_some_and(|row| row == "> y"));
        assert!(!place.project().join("made").exists());
        terminal.keys("\x15");
        terminal.shows(|rows| rows.last().is_some_and(|row| row.ends_with("denies]")));
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        terminal.keys("y");
        terminal.shows(|rows| rows.iter().any(|row| row == "Done."));
        assert!(place.project().join("made").exists());
        quit(terminal);
    }
}

#[test]
fn a_terminal_that_can_do_little_and_a_history_that_cannot_be_written_are_told_once() {
    let place = Place::new();
    let words = words(&place, "copilot", ECHOES, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut dumb = Terminal::start(&place, &words, &[("TERM", "dumb")]);
    dumb.until("note: this terminal cannot move its cursor");
    dumb.until("> ");
    dumb.keys("the fisr\x7f\x7frst\r");
    dumb.until("One.");
    dumb.until("> ");
    dumb.keys("/quit\r");
    let (code, shown) = dumb.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains('\x1b'), "{shown:?}");

    let mut narrow = Terminal::sized(&place, &words, &[], 16);
    narrow.until("note: this terminal is too narrow (16 columns)");
    narrow.until("> ");
    narrow.keys("the first\r");
    narrow.until("One.");
    quit(narrow);

    let place = Place::new();
    let folder = place.path("home/.local/state/siderail");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("history"), "no folder").expect("written");
    let words = self::words(&place, "copilot", ECHOES, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut unwritable = Terminal::sized(&place, &words, &[], 80);
    unwritable.until("> ");
    unwritable.keys("the first\r");
    unwritable.until("note: the input history cannot be saved");
    unwritable.until("One.");
    quit(unwritable);
}

#[test]
fn a_paste_over_a_megabyte_becomes_a_file_after_a_question() {
    let lines = "at com.example.App.run(App.java:1)\n".repeat(30_000);
    for columns in WIDTHS {
        let place = Place::new();
        let script = "[[prompt]]\nmatch = \"pasted-1.txt\"\nstep = [{ say = \"Seen.\" }]\n\
                      [[prompt]]\nstep = [{ say = \"Another.\" }]\n";
        std::fs::write(place.project().join("pasted-1.txt"), "mine").expect("written");
        let mut terminal = open(&place, script, &[], columns);
        let question = [
            "  y    save it as a file to refer to",
            "  n    put it into the prompt",
            "  Esc  discard it",
        ];
        terminal.keys("see ");
        terminal.keys(&format!("\x1b[200~{lines}y\x1b[201~y\r"));
        let asked = [&["> see", "This paste has 1.0 MB."], &question[..]].concat();
        terminal.ends_with(&asked);
        terminal.keys("x\r");
        terminal.ends_with(&asked);
        terminal.keys("\x1b");
        terminal.ends_with(&["> see"]);
        terminal.keys(&format!("\x1b[200~{lines}\x1b[201~"));
        terminal.ends_with(&asked);
        terminal.keys("y");
        terminal.ends_with(&["> see @pasted-2.txt"]);
        let saved = std::fs::read_to_string(place.project().join("pasted-2.txt"));
        assert_eq!(saved.expect("it is there"), lines);
        let mine = std::fs::read_to_string(place.project().join("pasted-1.txt"));
        assert_eq!(mine.expect("it is there"), "mine");
        quit(terminal);
    }
}
