//! Permission questions on a terminal, as plain data: what to print, and what each key means.
//!
//! The agent's own options come in its order under digits; ours have letters. Enter alone always
//! denies, and nothing but the key of a lasting choice ever makes one.

use siderail_engine::command::PermissionAnswer;
use siderail_engine::event::PermissionChoice;

use crate::keys::{Key, TypedLine};
use crate::style::{Style, Tone, one_line};

/// Characters of a line of the question.
const LINE: usize = 300;
/// Lines and characters of a command that are shown: what a person allows must be seen whole.
const COMMAND_LINES: usize = 60;
const COMMAND_LINE: usize = 4_000;
/// Options that get a digit.
const DIGITS: usize = 9;

/// A permission request that waits for a person.
pub(crate) struct PermissionQuestion {
    /// `request_id` of the request.
    pub(crate) request_id: u64,
    tool: String,
    kind: String,
    text: String,
    paths: Vec<String>,
    options: Vec<PermissionChoice>,
    reason: Option<TypedLine>,
    /// A key that means nothing was pressed: what follows may be the rest of a word.
    is_astray: bool,
}

/// A command or title, line by line, and how much of it is not shown.
fn whole(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    let mut shown: String = lines
        .iter()
        .take(COMMAND_LINES)
        .map(|line| format!("    {}\n", one_line(line, COMMAND_LINE)))
        .collect();
    let longest = lines.iter().map(|line| line.chars().count()).max();
    if lines.len() > COMMAND_LINES || longest.is_some_and(|n| n > COMMAND_LINE) {
        let (n, lines) = (text.chars().count(), lines.len());
        shown += &format!("    … cut: in all {n} characters on {lines} lines\n");
    }
    shown
}

/// What a key has come to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Keyed<A> {
    /// The question stays; print this.
    Open(String),
    /// The question is answered; print this.
    Answered(A, String),
}

impl PermissionQuestion {
    /// A question for a request.
    pub(crate) fn new(
        request_id: u64,
        tool: &str,
        kind: &str,
        text: &str,
        paths: &[String],
        options: &[PermissionChoice],
    ) -> Self {
        Self {
            request_id,
            tool: tool.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            paths: paths.to_vec(),
            options: options.to_vec(),
            reason: None,
            is_astray: false,
        }
    }

    /// The question and its keys.
    pub(crate) fn text(&self, style: Style) -> String {
        let head = format!("May the agent use {}?", one_line(&self.tool, LINE));
        let mut text = format!(
            "\n{} ({})\n",
            style.paint(Tone::Notice, &head),
            one_line(&self.kind, LINE)
        );
        if !self.text.trim().is_empty() && self.text != self.tool {
            text += &whole(&self.text);
        }
        for path in &self.paths {
            text += &format!("    {}\n", style.paint(Tone::Place, &one_line(path, LINE)));
        }
        for (digit, option) in (1..=DIGITS).zip(&self.options) {
            text += &format!("  {digit}  {}\n", one_line(&option.name, LINE));
        }
        text += "  y  allow this once\n";
        text += "  p  always allow this in this project\n";
        text += "  d  deny, and tell the model why\n";
        text + &self.prompt(style)
    }

    fn prompt(&self, style: Style) -> String {
        style.paint(Tone::Strong, "[Enter denies] ")
    }

    /// What `key` means here.
    pub(crate) fn key(&mut self, key: Key, style: Style) -> Keyed<PermissionAnswer> {
        match self.reason.take() {
            Some(reason) => self.reason_key(reason, key, style),
            None if self.is_astray => self.stray_key(key, style),
            None => self.choice_key(key, style),
        }
    }

    fn choice_key(&mut self, key: Key, style: Style) -> Keyed<PermissionAnswer> {
        let answered = |answer, said: &str| Keyed::Answered(answer, format!("{said}\n"));
        match key {
            Key::Enter | Key::Escape | Key::End => answered(deny(""), "denied"),
            Key::Char('y' | 'Y') => answered(PermissionAnswer::Allow, "allowed once"),
            Key::Char('p') => answered(PermissionAnswer::Always, "always allowed in this project"),
            Key::Char('d' | 'D') => {
                self.reason = Some(TypedLine::default());
                let ask = style.paint(Tone::Strong, "why (Enter sends it, Esc goes back): ");
                Keyed::Open(format!("\n{ask}"))
            }
            Key::Char(c) => {
                let digit = c.to_digit(10).map_or(0, |digit| digit as usize);
                match digit.checked_sub(1).and_then(|n| self.options.get(n)) {
                    Some(option) => {
                        let id = option.id.clone();
                        answered(
                            PermissionAnswer::Option { id },
                            &one_line(&option.name, LINE),
                        )
                    }
                    None => {
                        self.is_astray = true;
                        let say = "that is no choice, and one key answers; Enter asks again ";
                        Keyed::Open(format!("\n{say}"))
                    }
                }
            }
            _ => Keyed::Open(String::new()),
        }
    }

    /// The rest of what began with a key that means nothing: `maybe` is no yes.
    fn stray_key(&mut self, key: Key, style: Style) -> Keyed<PermissionAnswer> {
        match key {
            Key::End => Keyed::Answered(deny(""), "denied\n".to_owned()),
            Key::Enter | Key::Escape => {
                self.is_astray = false;
                Keyed::Open(format!("\n{}", self.prompt(style)))
            }
            _ => Keyed::Open(String::new()),
        }
    }

    fn reason_key(
        &mut self,
        mut reason: TypedLine,
        key: Key,
        style: Style,
    ) -> Keyed<PermissionAnswer> {
        match key {
            Key::Enter | Key::End => Keyed::Answered(deny(reason.text().trim()), "\n".to_owned()),
            Key::Escape => Keyed::Open(format!("\n{}", self.prompt(style))),
            key => {
                let shown = reason.key(key);
                self.reason = Some(reason);
                Keyed::Open(shown)
            }
        }
    }
}

fn deny(reason: &str) -> PermissionAnswer {
    PermissionAnswer::Deny {
        reason: reason.to_owned(),
        nobody: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyReader;

    fn question() -> PermissionQuestion {
        let option = |id: &str, name: &str, kind: &str| PermissionChoice {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        // as Gemini orders them: the lasting choice comes first
        let options = [
            option("all", "Always allow", "allow_always"),
            option("once", "Allow", "allow_once"),
            option("no", "Reject", "reject_once"),
        ];
        let paths = ["/p/a.rs".to_owned()];
        PermissionQuestion::new(7, "Bash", "execute", "touch a.rs", &paths, &options)
    }

    fn answer(typed: &[u8]) -> Option<PermissionAnswer> {
        let mut question = question();
        for key in KeyReader::default().keys(typed) {
            if let Keyed::Answered(answer, _) = question.key(key, Style::PLAIN) {
                return Some(answer);
            }
        }
        None
    }

    #[test]
    fn enter_escape_and_end_of_input_deny() {
        for typed in [b"\r".as_slice(), b"\x1b", b"\x04"] {
            assert_eq!(answer(typed), Some(deny("")));
        }
    }

    #[test]
    fn a_digit_takes_the_agents_option_of_that_place() {
        assert_eq!(
            answer(b"2"),
            Some(PermissionAnswer::Option {
                id: "once".to_owned()
            })
        );
        assert_eq!(
            answer(b"1"),
            Some(PermissionAnswer::Option {
                id: "all".to_owned()
            })
        );
        assert_eq!(
            answer(b"049x"),
            None,
            "a key without a meaning answers nothing"
        );
    }

    #[test]
    fn a_typed_word_is_no_yes_and_the_next_line_is_asked_anew() {
        for word in ["why?", "maybe", "really"] {
            assert_eq!(answer(word.as_bytes()), None, "{word}");
            assert_eq!(answer(format!("{word}\r").as_bytes()), None, "{word}");
            let then_no = format!("{word}\r\r");
            assert_eq!(answer(then_no.as_bytes()), Some(deny("")), "{word}");
            let then_yes = format!("{word}\ry");
            assert_eq!(answer(then_yes.as_bytes()), Some(PermissionAnswer::Allow));
        }
    }

    #[test]
    fn a_command_is_shown_to_its_end_and_line_by_line() {
        let shown = |text: &str| {
            PermissionQuestion::new(1, "Bash", "execute", text, &[], &[]).text(Style::PLAIN)
        };
        let long = format!("frob {} ; rm -rf src", "a".repeat(400));
        assert!(shown(&long).contains("; rm -rf src\n"), "{}", shown(&long));
        let lines = shown("git push\nrm -rf src");
        assert!(lines.contains("    git push\n    rm -rf src\n"), "{lines}");
        let endless = shown(&"x".repeat(5_000));
        assert!(endless.contains("cut: in all 5000 characters"), "{endless}");
    }

    #[test]
    fn a_lasting_choice_is_made_by_its_own_key_only() {
        assert_eq!(answer(b"y"), Some(PermissionAnswer::Allow));
        assert_eq!(answer(b"p"), Some(PermissionAnswer::Always));
        assert_eq!(answer(b"P"), None);
    }

    #[test]
    fn a_denial_can_carry_a_typed_reason() {
        assert_eq!(answer(b"dwrong filx\x7fe 2\r"), Some(deny("wrong file 2")));
        assert_eq!(answer(b"d\r"), Some(deny("")));
        assert_eq!(answer(b"dabc"), None);
    }

    #[test]
    fn escape_leaves_the_reason_and_the_question_is_open_again() {
        let mut question = question();
        for bytes in [b"dyes".as_slice(), b"\x1b"] {
            for key in KeyReader::default().keys(bytes) {
                assert!(matches!(question.key(key, Style::PLAIN), Keyed::Open(_)));
            }
        }
        let keyed = question.key(Key::Char('y'), Style::PLAIN);
        assert!(matches!(keyed, Keyed::Answered(PermissionAnswer::Allow, _)));
    }

    #[test]
    fn the_question_shows_what_is_asked_and_which_key_is_safe() {
        assert_eq!(
            question().text(Style::PLAIN),
            "\nMay the agent use Bash? (execute)\n    touch a.rs\n    /p/a.rs\n\
             \x20 1  Always allow\n  2  Allow\n  3  Reject\n  y  allow this once\n\
             \x20 p  always allow this in this project\n  d  deny, and tell the model why\n\
             [Enter denies] "
        );
    }
}
