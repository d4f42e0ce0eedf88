//! The person's terminal: what it can show, keys one by one while something is asked, and the spinner's line. The only
//! module that changes terminal settings; it restores them.
//!
//! Questions go to standard error and keys come from standard input, so that a redirected standard
//! output stays clean.

use std::io::{self, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use siderail_os::System;
use siderail_os::console;
use tokio::sync::mpsc;
use unicode_width::UnicodeWidthStr;

use crate::exit::{Exit, Failure};
use crate::render::wrap::wrapped;
use crate::style::{Style, harmless, one_line};

/// Blanks ahead of a continued row, on standard error.
const ERROR_HANG: usize = 4;

/// How the streams of this process are to be used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manners {
    /// For standard output.
    pub(crate) out: Style,
    /// For standard error.
    pub(crate) err: Style,
    /// The cursor of standard error may be moved.
    pub(crate) motion: bool,
    /// The cursor may be moved in a line that is typed, also where nothing has colour.
    pub(crate) edits: bool,
    /// Both outputs lead to a terminal, which is taken for the same one.
    pub(crate) shares: bool,
    /// Somebody can be asked.
    pub(crate) asks: bool,
}

impl Manners {
    /// Judges the streams of this process and the environment.
    pub(crate) fn detect(env: impl Fn(&str) -> Option<String>) -> Self {
        let escapes = console::reads_escapes();
        // A console that knows no escape sequences is a dumb terminal, whatever its environment says.
        let env = |name: &str| match name {
            "TERM" if !escapes => Some("dumb".to_owned()),
            _ => env(name),
        };
        Self::of(
            env,
            io::stdout().is_terminal(),
            io::stderr().is_terminal(),
            io::stdin().is_terminal() && console::gives_keys(),
        )
    }

    fn of(env: impl Fn(&str) -> Option<String>, out: bool, err: bool, input: bool) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").as_deref() == Some("dumb");
        let plain = dumb || set("NO_COLOR").is_some();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let unicode = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let style = |terminal: bool| Style {
            colour: terminal && !plain,
            marks: !dumb && (unicode || System::HERE.is_windows()),
        };
        Self {
            out: style(out),
            err: style(err),
            motion: err && !plain,
            edits: err && !dumb,
            shares: out && err,
            asks: input && err,
        }
    }
}

/// Columns and rows of the terminal; those of old where it does not say.
pub(crate) fn size() -> (usize, usize) {
    console::size().unwrap_or((80, 24))
}

/// Another program has the terminal.
static HELD: AtomicBool = AtomicBool::new(false);

/// Leaves what is typed to another program, or takes it again.
pub(crate) fn hold_input(held: bool) {
    HELD.store(held, Ordering::SeqCst);
}

/// Returns when there is something to read and nobody else has the terminal.
fn wait_for_input() {
    const LOOK: Duration = Duration::from_millis(100);
    loop {
        while HELD.load(Ordering::SeqCst) {
            std::thread::sleep(LOOK);
        }
        // What is there may be the other program's by now.
        if console::has_input(LOOK) && !HELD.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// Starts reading standard input; the bytes of each read come through the channel. The thread ends
/// with the process or the input.
pub(crate) fn read_input() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(64);
    std::thread::spawn(move || {
        let mut input = io::stdin();
        // Larger than what the standard library would keep back, of which a wait for the input sees nothing.
        let mut buffer = [0; 16 << 10];
        loop {
            wait_for_input();
            match input.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
                Ok(n) => {
                    if sender.blocking_send(buffer[..n].to_vec()).is_err() {
                        break;
                    }
                }
            }
        }
    });
    receiver
}

/// Keys come one by one and unseen while this lives. Interrupts still arrive as signals.
pub(crate) struct KeyMode {
    /// Dropped last.
    _keys: console::KeyMode,
    marks_pastes: bool,
}

impl KeyMode {
    /// Switches the terminal and throws away what was typed before the question could be read.
    pub(crate) fn enter() -> io::Result<Self> {
        let mode = Self::keep_typed()?;
        console::forget_typed()?;
        Ok(mode)
    }

    /// Switches the terminal.
    pub(crate) fn keep_typed() -> io::Result<Self> {
        Ok(Self {
            _keys: console::KeyMode::enter()?,
            marks_pastes: false,
        })
    }

    /// Has the terminal mark where a paste begins and ends.
    pub(crate) fn marking_pastes(mut self) -> Self {
        print_error("\x1b[?2004h");
        self.marks_pastes = true;
        self
    }
}

impl Drop for KeyMode {
    fn drop(&mut self) {
        if self.marks_pastes {
            print_error("\x1b[?2004l");
        }
    }
}

/// The line on standard error that shows a waiting person that something is going on.
pub(crate) struct Spinner {
    allowed: bool,
    shown: bool,
    step: usize,
    marks: bool,
}

impl Spinner {
    /// A spinner where the cursor may be moved, else one that never shows.
    pub(crate) fn new(manners: Manners) -> Self {
        Self {
            allowed: manners.motion,
            shown: false,
            step: 0,
            marks: manners.err.marks,
        }
    }

    /// Draws the next step with a label.
    pub(crate) fn draw(&mut self, label: &str) {
        if self.allowed {
            let text = self.next(label, size().0);
            print_error(&text);
        }
    }

    /// The next step, on one row of so many columns: a second row would stay when the first is drawn anew.
    fn next(&mut self, label: &str, columns: usize) -> String {
        const MARKS: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠟"];
        const ASCII: [&str; 4] = ["-", "\\", "|", "/"];
        self.step += 1;
        self.shown = true;
        let mark = match self.marks {
            true => MARKS[self.step % MARKS.len()],
            false => ASCII[self.step % ASCII.len()],
        };
        let room = columns.saturating_sub(4);
        let mut label = one_line(label, room.min(60));
        while label.width() > room {
            label.pop();
        }
        format!("\r\x1b[K\x1b[2m{mark} {label}\x1b[0m")
    }

    /// Takes the line away, for other text.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            print_error("\r\x1b[K");
        }
    }
}

/// Prints a command's whole answer.
pub(crate) fn print(text: &str) -> Result<Exit, Failure> {
    let mut stream = io::stdout();
    let written = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(Exit::Ended),
    }
}

/// As [`print`], for people: at a terminal in rows of its width, those behind a break with `hang` blanks.
pub(crate) fn print_rows(text: &str, hang: usize) -> Result<Exit, Failure> {
    print(&in_rows(text, hang, io::stdout().is_terminal()))
}

/// Says on standard error why something failed. Part of it may be a stranger's words.
pub(crate) fn print_failure(failure: &Failure) {
    print_error_rows(&format!("{}\n", harmless(&failure.to_string())));
}

/// As [`print_error`], at a terminal in rows of its width.
pub(crate) fn print_error_rows(text: &str) {
    print_error(&in_rows(text, ERROR_HANG, io::stderr().is_terminal()));
}

fn in_rows(text: &str, hang: usize, at_terminal: bool) -> String {
    match at_terminal {
        true => wrapped(text, size().0.saturating_sub(1), hang),
        false => text.to_owned(),
    }
}

/// Writes to standard error at once; one that is closed is nobody's concern.
pub(crate) fn print_error(text: &str) {
    let mut stream = io::stderr();
    let _ = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
}

/// Says to somebody who starts a program for clients at a terminal that there is nothing to type.
pub(crate) fn note_for_people(command: &str, client: &str) {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        print_error(&format!(
            "note: `siderail {command}` is started by {client} and reads its messages here; Ctrl-D ends it\n"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manners(env: &[(&str, &str)], out: bool, err: bool, input: bool) -> Manners {
        let find = |name: &str| {
            let found = env.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Manners::of(find, out, err, input)
    }

    #[test]
    fn a_pipe_a_dumb_terminal_and_no_color_get_plain_text() {
        let utf8 = ("LANG", "de_DE.UTF-8");
        let terminal = manners(&[utf8, ("TERM", "xterm")], true, true, true);
        assert!(terminal.out.colour && terminal.out.marks && terminal.motion);
        for plain in [
            manners(&[utf8, ("TERM", "dumb")], true, true, true),
            manners(&[utf8, ("NO_COLOR", "1")], true, true, true),
            manners(&[utf8], false, false, false),
        ] {
            assert!(!plain.out.colour && !plain.err.colour && !plain.motion);
        }
        assert!(
            manners(&[utf8, ("NO_COLOR", "")], true, true, true)
                .out
                .colour
        );
        let plain_letters = manners(&[("LC_ALL", "C"), utf8], true, true, true);
        // Windows' terminals write Unicode, and have no locale that says so.
        assert_eq!(plain_letters.out.marks, cfg!(windows));
    }

    #[test]
    fn nobody_is_asked_without_a_terminal_for_question_and_keys() {
        assert!(manners(&[], false, true, true).asks);
        assert!(!manners(&[], true, false, true).asks);
        assert!(!manners(&[], true, true, false).asks);
    }

    #[test]
    fn the_spinner_takes_one_row_of_any_width() {
        let mut spinner = Spinner::new(manners(&[], true, true, true));
        for label in [
            "a long command line that has no end at all",
            "日本語".repeat(20).as_str(),
        ] {
            for columns in [10, 20, 40] {
                let text = spinner.next(label, columns);
                let row = text.trim_start_matches("\r\x1b[K\x1b[2m");
                let row = row.trim_end_matches("\x1b[0m");
                assert!(row.width() < columns, "{row}");
            }
        }
    }

    #[test]
    fn the_spinner_never_moves_a_cursor_that_may_not_be_moved() {
        let mut spinner = Spinner::new(manners(&[("NO_COLOR", "1")], true, true, true));
        spinner.draw("x");
        assert!(!spinner.shown);
    }
}
