//! A person at a terminal: questions are shown, keys answer them, the terminal is put back.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use crate::process::{PATIENCE, Place, wait};

/// The binary on a pseudo-terminal.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    side: File,
    output: Receiver<Vec<u8>>,
    seen: String,
    /// What is seen on it, where it has a size.
    screen: Option<vt100::Parser>,
}

impl Terminal {
    pub(crate) fn start(place: &Place, words: &[&str], env: &[(&str, &str)]) -> Self {
        Self::of_size(place, words, env, None)
    }

    /// A terminal with a screen of so many columns, 24 rows high.
    pub(crate) fn sized(place: &Place, words: &[&str], env: &[(&str, &str)], columns: u16) -> Self {
        Self::of_size(place, words, env, Some(columns))
    }

    fn of_size(place: &Place, words: &[&str], env: &[(&str, &str)], columns: Option<u16>) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&keyboard).expect("the terminal is ours");
        unlockpt(&keyboard).expect("the terminal can be opened");
        let name = ptsname(&keyboard, Vec::new())
            .expect("it has a name")
            .into_string();
        let name = name.expect("the name is text");
        let open = || {
            File::options()
                .read(true)
                .write(true)
                .open(&name)
                .expect("the other side")
        };
        let side = open();
        if let Some(columns) = columns {
            let size = rustix::termios::Winsize {
                ws_row: 24,
                ws_col: columns,
                ws_xpixel: 0,
                ws_ypixel: 0,
            };
            rustix::termios::tcsetwinsize(&side, size).expect("a size");
        }
        let mut command = place.siderail(words);
        let child = command
            .envs(env.iter().copied())
            .stdin(open())
            .stdout(open())
            .stderr(open());
        let child = child.spawn().expect("it starts");
        let keyboard = File::from(keyboard);
        let mut reader = keyboard.try_clone().expect("a second handle");
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            keyboard,
            side,
            output,
            seen: String::new(),
            screen: columns.map(|columns| vt100::Parser::new(24, columns, 0)),
        }
    }

    /// The rows of the screen as they are seen, without empty ones at the end.
    pub(crate) fn rows(&self) -> Vec<String> {
        let screen = self.screen.as_ref().expect("it has a size").screen();
        let rows = screen.rows(0, screen.size().1);
        let mut rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// Columns of the screen.
    pub(crate) fn columns(&self) -> usize {
        let screen = self.screen.as_ref().expect("it has a size").screen();
        screen.size().1.into()
    }

    /// Where the cursor is: row and column.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        let screen = self.screen.as_ref().expect("it has a size").screen();
        let (row, column) = screen.cursor_position();
        (row.into(), column.into())
    }

    /// Waits until the rows at the end of the screen are these.
    pub(crate) fn ends_with(&mut self, expected: &[&str]) {
        self.shows(|rows| {
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            rows.ends_with(expected)
        });
    }

    /// Waits until the screen is as wanted.
    pub(crate) fn shows(&mut self, wanted: impl Fn(&[String]) -> bool) {
        let end = Instant::now() + PATIENCE / 3;
        while !wanted(&self.rows()) {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.takes(&bytes),
                Err(_) => panic!("it is not seen:\n{}", self.rows().join("\n")),
            }
        }
    }

    fn takes(&mut self, bytes: &[u8]) {
        if let Some(screen) = &mut self.screen {
            screen.process(bytes);
        }
        self.seen.push_str(&String::from_utf8_lossy(bytes));
    }

    /// Waits until the terminal has shown this, after what was waited for before.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.takes(&bytes),
                Err(_) => panic!("{text:?} is not shown: {:?}", self.seen),
            }
        }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.keyboard
            .write_all(keys.as_bytes())
            .expect("the terminal takes keys");
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn gives_single_keys(&self) -> bool {
        let modes = tcgetattr(&self.side)
            .expect("the terminal has settings")
            .local_modes;
        !modes.intersects(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// The exit code of a command that has not touched the terminal's settings.
    pub(crate) fn end_cooked(mut self) -> Option<i32> {
        wait(&mut self.child)
    }

    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let code = wait(&mut self.child);
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(300)) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        assert!(!self.gives_single_keys(), "the terminal is put back");
        (code, self.seen)
    }
}

fn scripted(place: &Place, steps: &str) -> Vec<String> {
    let file = place.path("script.toml");
    let script = format!("shape = \"copilot\"\nreally = true\n[[prompt]]\nstep = [{steps}]\n");
    std::fs::write(&file, script).expect("written");
    let program = env!("CARGO_BIN_EXE_siderail");
    let agent = format!("'{program}' scripted-agent --script '{}'", file.display());
    let words = [
        "run",
        "--agent",
        "copilot",
        "--agent-command",
        &agent,
        "--hide",
        "off",
        "go",
    ];
    words.map(str::to_owned).to_vec()
}

fn start(place: &Place, steps: &str, env: &[(&str, &str)]) -> Terminal {
    let words = scripted(place, steps);
    Terminal::start(
        place,
        &words.iter().map(String::as_str).collect::<Vec<_>>(),
        env,
    )
}

const RUNS: &str = "{ shell = \"touch made\", description = \"Make it\" }";

const RUNS_MORE: &str = "{ shell = \"touch more\", description = \"Make more\" }";

#[test]
fn a_key_allows_what_is_asked_and_it_runs() {
    let place = Place::new();
    let mut terminal = start(&place, RUNS, &[]);
    let shown = terminal.until("[Enter denies] ");
    assert!(shown.contains("touch made"), "{shown:?}");
    assert!(
        terminal.gives_single_keys(),
        "keys are read one by one while something is asked"
    );
    terminal.keys("y");
    let (code, _) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(place.project().join("made").exists());
}

#[test]
fn a_word_that_begins_like_a_choice_allows_nothing() {
    let place = Place::new();
    let mut terminal = start(&place, RUNS, &[]);
    terminal.until("[Enter denies] ");
    terminal.keys("ple");
    terminal.until("press y, p, d or ");
    terminal.until("[Enter denies] ");
    terminal.keys("\r");
    terminal.until("[Enter denies] ");
    terminal.keys("\r");
    assert_eq!(terminal.end().0, Some(0));
    assert!(!place.project().join("made").exists());
}

#[test]
fn what_is_pasted_behind_an_answer_answers_nothing_and_is_told() {
    let place = Place::new();
    let steps = format!("{RUNS}, {RUNS_MORE}");
    let mut terminal = start(&place, &steps, &[]);
    terminal.until("[Enter denies] ");
    terminal.keys("y\ryes, all of it\r");
    terminal.until("after the answer: yes, all of it");
    terminal.until("[Enter denies] ");
    terminal.keys("\r");
    assert_eq!(terminal.end().0, Some(0));
    assert!(place.project().join("made").exists());
    assert!(!place.project().join("more").exists());
}

#[test]
fn who_has_denied_everything_beforehand_is_asked_nothing_by_the_model_either() {
    let place = Place::new();
    let ask = "{ call = \"ask_user\", arguments = { question = \"Sure?\", question_type = \"confirmation\" } }, \
               { say = \"Done.\" }";
    let mut words = scripted(&place, ask);
    words.extend(["--answer", "deny"].map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, shown) = Terminal::start(&place, &words, &[]).end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("The model asks"), "{shown}");
}

#[test]
fn enter_alone_denies() {
    let place = Place::new();
    let mut terminal = start(&place, RUNS, &[]);
    terminal.until("[Enter denies] ");
    terminal.keys("\r");
    terminal.until("denied");
    assert_eq!(terminal.end().0, Some(0));
    assert!(!place.project().join("made").exists());
}

#[test]
fn a_typed_reason_reaches_the_model() {
    let place = Place::new();
    let steps = format!("{RUNS}, {{ expect_seen_contains = \"not on a Friday\" }}");
    let mut terminal = start(&place, &steps, &[]);
    terminal.until("[Enter denies] ");
    terminal.keys("d");
    terminal.until("why (Enter sends it");
    terminal.keys("not on a Friday\r");
    let (_, shown) = terminal.end();
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn keys_typed_before_the_question_is_shown_answer_nothing() {
    let place = Place::new();
    let mut terminal = start(&place, &format!("{{ sleep = 1.0 }}, {RUNS}"), &[]);
    terminal.keys("yyy\n");
    terminal.until("[Enter denies] ");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!place.project().join("made").exists());
    terminal.keys("y");
    assert_eq!(terminal.end().0, Some(0));
    assert!(place.project().join("made").exists());
}

#[test]
fn a_question_of_the_model_is_answered_at_the_terminal() {
    let place = Place::new();
    let ask = "{ call = \"ask_user\", arguments = { question = \"Which colour?\", question_type = \"choice\", \
               options = [\"red\", \"blue\"] }, expect_result_contains = \"blue\" }";
    let mut terminal = start(&place, ask, &[]);
    terminal.until("The model asks: ");
    terminal.until("a number");
    terminal.keys("2\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn a_question_of_the_model_and_its_answer_are_found_in_the_history() {
    let place = Place::new();
    let ask = "{ call = \"ask_user\", arguments = { question = \"Which colour?\", question_type = \"choice\", \
               options = [\"red\", \"blue\"] } }";
    let mut terminal = start(&place, ask, &[]);
    terminal.until("a number");
    terminal.keys("2\r");
    assert_eq!(terminal.end().0, Some(0));
    let shown = place.run(&["history", "show", "1"]).out;
    let at = |text: &str| {
        shown
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {shown}"))
    };
    assert!(
        at("Which colour?") < at("The user answered: blue"),
        "{shown}"
    );
    let page = place.run(&["history", "export", "1"]).out;
    let told = "`ask_user` Which colour? The user answered: blue";
    assert!(page.contains(told), "{page}");
}

/// A form of the agent, and what it must be answered.
fn form(expected: &str) -> String {
    let schema = "{ type = \"object\", required = [\"port\"], properties = { port = { type = \"integer\", title = \"Which port?\" }, \
                  tls = { type = \"boolean\", title = \"Encrypted?\" } } }";
    format!(
        "{{ request = \"elicitation/create\", params = {{ sessionId = \"${{session}}\", mode = \"form\", \
         message = \"The server wants to know:\", requestedSchema = {schema} }}, expect_seen_contains = '{expected}' }}"
    )
}

#[test]
fn a_form_of_the_agent_is_filled_in_at_the_terminal() {
    let place = Place::new();
    let mut terminal = start(&place, &form(r#""port":8080,"tls":true"#), &[]);
    terminal.until("The server wants to know:");
    terminal.until("] ");
    terminal.keys("many\r");
    terminal.until("`many` is not a whole number.");
    terminal.until("] ");
    terminal.keys("8080\r");
    terminal.until("Encrypted?");
    terminal.until("] ");
    terminal.keys("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn a_form_of_optional_fields_is_declined_where_nobody_is_there_to_see_it() {
    let place = Place::new();
    let ask = form(r#""action":"decline""#).replace("required = [\"port\"], ", "");
    let file = place.path("script.toml");
    let script = format!("shape = \"copilot\"\nreally = true\n[[prompt]]\nstep = [{ask}]\n");
    std::fs::write(&file, script).expect("written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        file.display()
    );
    let words = ["run", "--agent", "copilot", "--agent-command", &agent, "go"];
    let ended = place.run(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = format!("{}{}", ended.out, ended.err);
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn an_address_is_shown_whole_and_the_agent_hears_that_it_was_opened() {
    let place = Place::new();
    let ask = "{ request = \"elicitation/create\", params = { sessionId = \"${session}\", mode = \"url\", elicitationId = \"e1\", \
               message = \"Confirm the payment\", url = \"https://pay.example.org/confirm?id=7\" }, \
               expect_seen_contains = '\"action\":\"accept\"' }";
    let mut terminal = start(&place, ask, &[]);
    terminal.until("Confirm the payment");
    terminal.until("on pay.example.org:");
    terminal.until("https://pay.example.org/confirm?id=7");
    terminal.until("] ");
    terminal.keys("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn an_address_that_a_browser_may_read_as_another_is_declined_and_the_person_hears_of_it() {
    let place = Place::new();
    let ask = "{ request = \"elicitation/create\", params = { sessionId = \"${session}\", mode = \"url\", elicitationId = \"e1\", \
               message = \"Confirm the payment\", url = \"https://%70ay.example/\" }, \
               expect_seen_contains = '\"action\":\"decline\"' }";
    let mut terminal = start(&place, ask, &[]);
    terminal.until("its address cannot be");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
    assert!(!shown.contains("Confirm the payment"), "{shown}");
}

#[test]
fn a_question_ahead_of_the_session_is_asked_and_the_start_waits_for_it() {
    let place = Place::new();
    let line = |text: &str| format!("printf \"%s\\n\" '{text}'; ");
    let script = [
        "read a; ".to_owned(),
        line(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#),
        "read b; ".to_owned(),
        line(
            r#"{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"requestId":2,"mode":"form","message":"Which account?","requestedSchema":{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Account"}}}}}"#,
        ),
        "read c; case \"$c\" in *'\"name\":\"me\"'*) ".to_owned(),
        line(r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#),
        ";; esac; read d; ".replace("; ;;", ";;"),
        line(r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#),
        "read e; sleep 5".to_owned(),
    ]
    .concat()
    .replace("; ;; esac", " ;; esac");
    std::fs::write(place.path("agent.sh"), script).expect("written");
    let command = format!("sh {}", place.path("agent.sh").display());
    let words = ["run", "--agent", "mine", "--agent-command", &command, "hi"];
    let mut terminal = Terminal::start(&place, &words, &[]);
    terminal.until("Account");
    terminal.until("] ");
    terminal.keys("me\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn a_form_that_the_person_does_not_want_to_fill_in_is_declined() {
    let place = Place::new();
    let mut terminal = start(&place, &form(r#""action":"decline""#), &[]);
    terminal.until("Which port?");
    terminal.until("] ");
    terminal.keys("\x1b");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn without_a_terminal_a_form_is_declined_at_once() {
    let place = Place::new();
    let mut words = scripted(&place, &form(r#""action":"decline""#));
    words.insert(1, "--json".to_owned());
    let ended = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let shown = format!("{ended:?}");
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn a_plan_is_rejected_with_feedback_and_the_next_one_approved_by_key() {
    let place = Place::new();
    let file = place.path("script.toml");
    let script = r#"
        shape = "copilot"
        really = true
        [[prompt]]
        step = [{ shell = "touch early" }, { say = "1. Make it\n2. Tell" }]
        [[prompt]]
        step = [{ expect_seen_contains = "not there, here" }, { say = "1. Make it here" }]
        [[prompt]]
        step = [{ call = "intellij_write_file", arguments = { path = "made", content = "x" }, expect = "allowed" }]"#;
    std::fs::write(&file, script).expect("written");
    let program = env!("CARGO_BIN_EXE_siderail");
    let agent = format!("'{program}' scripted-agent --script '{}'", file.display());
    let words = [
        "run",
        "--agent",
        "copilot",
        "--agent-command",
        &agent,
        "--hide",
        "off",
        "--plan",
        "go",
    ];
    let mut terminal = Terminal::start(&place, &words, &[]);
    terminal.until("Nothing has changed so far.");
    terminal.until("[Enter rejects] ");
    terminal.keys("r");
    terminal.until("Esc goes back): ");
    terminal.keys("not there, here\r");
    terminal.until("Make it here");
    terminal.until("[Enter rejects] ");
    assert!(!place.project().join("early").exists());
    assert!(!place.project().join("made").exists());
    terminal.keys("a");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
    assert!(place.project().join("made").exists(), "{shown}");
}

#[test]
fn a_sentence_typed_at_a_plan_approves_nothing_and_enter_asks_again() {
    let place = Place::new();
    let mut words = scripted(&place, "{ say = \"1. Make it\" }");
    words.insert(1, "--plan".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(&place, &words, &[]);
    terminal.until("[Enter rejects] ");
    terminal.keys("no, change it\r");
    terminal.until("press a or r");
    terminal.until("[Enter rejects] ");
    terminal.keys("\r");
    let (_, shown) = terminal.end();
    assert!(shown.contains("rejected"), "{shown}");
}

#[test]
fn an_interrupt_during_a_question_cancels_the_turn_and_puts_the_terminal_back() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    let mut terminal = start(&place, RUNS, &[]);
    terminal.until("[Enter denies] ");
    let pid = Pid::from_raw(terminal.child.id().cast_signed()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(6), "{shown}");
    assert!(!place.project().join("made").exists());
    assert!(!shown.contains("without you"), "it was the person: {shown}");
}

#[test]
fn a_terminal_gets_colour_and_a_spinner_unless_it_says_no() {
    let place = Place::new();
    let steps = "{ sleep = 1.5 }, { say = \"Hello.\" }";
    let mut colourful = start(&place, steps, &[]);
    colourful.until("Hello.");
    let plain = start(&place, steps, &[("NO_COLOR", "1")]);
    let (code, shown) = plain.end();
    assert_eq!(code, Some(0));
    assert!(
        shown.contains("Hello.") && !shown.contains('\x1b'),
        "{shown:?}"
    );
    let dumb = start(&place, steps, &[("TERM", "dumb")]);
    assert!(!dumb.end().1.contains('\x1b'));
    let (code, _) = colourful.end();
    assert_eq!(code, Some(0));
}

#[test]
fn a_server_for_clients_says_at_a_terminal_that_there_is_nothing_to_type() {
    let place = Place::new();
    let commands = [
        (&["mcp"][..], "an MCP client"),
        (&["acp", "--agent", "copilot"], "an ACP client"),
    ];
    for (words, client) in commands {
        let mut terminal = Terminal::start(&place, words, &[]);
        terminal.until(&format!("`siderail {}` is started by {client}", words[0]));
        terminal.keys("\x04");
        terminal.end();
        // Its messages come through pipes otherwise, and nothing is said.
        let piped = place.run_with(words, b"");
        assert!(!piped.err.contains("is started by"), "{piped:?}");
    }
}
