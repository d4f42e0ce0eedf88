//! Permission questions on a terminal, as plain data: what to print, and what each key means.
//!
//! The agent's own options come in its order under digits; ours have letters. Enter alone always
//! denies, and nothing but the key of a lasting choice ever makes one.

use siderail_engine::command::PermissionAnswer;
use siderail_engine::event::{EventBody, FileDiff, PermissionChoice};

use crate::keys::{Key, TypedLine};
use crate::render::diff;
use crate::style::{Style, Tone, one_line};

/// Characters of a line of the question.
const LINE: usize = 300;
/// Lines and characters of a command that are shown: what a person allows must be seen whole.
const COMMAND_LINES: usize = 60;
const COMMAND_LINE: usize = 4_000;
/// Lines of each diff that are shown, and how many diffs.
const DIFF_LINES: usize = 80;
const DIFFS: usize = 8;
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
    outside: Vec<String>,
    diffs: Vec<FileDiff>,
    destroys: Option<String>,
    options: Vec<PermissionChoice>,
    may_be_remembered: bool,
    reason: Option<TypedLine>,
    /// A key that means nothing was pressed: what follows may be the rest of a word.
    is_astray: bool,
}

/// A command or title, line by line. Of one that is too long its beginning and its end, because what matters may stand
/// last, and how much is not shown between them.
fn whole(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let left_out = lines.len().saturating_sub(COMMAND_LINES);
    let n_first = if left_out > 0 {
        COMMAND_LINES / 2
    } else {
        lines.len()
    };
    let indented = |line: &&str| format!("    {}\n", both_ends(line));
    let mut shown: String = lines[..n_first].iter().map(indented).collect();
    if left_out > 0 {
        shown += &format!("    … {left_out} lines are left out …\n");
    }
    shown.extend(lines[n_first + left_out..].iter().map(indented));
    shown
}

/// A line, or both its ends and how much stands between them.
fn both_ends(line: &str) -> String {
    let n_chars = line.chars().count();
    if n_chars <= COMMAND_LINE {
        return one_line(line, COMMAND_LINE);
    }
    let half = COMMAND_LINE / 2;
    let ends = n_chars - half;
    let first: String = line.chars().take(half).collect();
    let last: String = line.chars().skip(ends).collect();
    let (first, last) = (one_line(&first, half), one_line(&last, half));
    format!("{first} … {} characters are left out … {last}", ends - half)
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
    /// The question that an event asks; none for any other event.
    pub(crate) fn of(event: &EventBody) -> Option<Self> {
        let EventBody::PermissionRequest {
            request_id,
            tool,
            kind,
            text,
            paths,
            outside,
            diffs,
            destroys,
            options,
            may_be_remembered,
            ..
        } = event
        else {
            return None;
        };
        Some(Self {
            request_id: *request_id,
            tool: tool.clone(),
            kind: kind.clone(),
            text: text.clone(),
            paths: paths.clone(),
            outside: outside.clone(),
            diffs: diffs.clone(),
            destroys: destroys.clone(),
            options: options.clone(),
            may_be_remembered: *may_be_remembered,
            reason: None,
            is_astray: false,
        })
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
        text += &self.places(style);
        text += &self.changes(style);
        if let Some(destroys) = &self.destroys {
            for ground in destroys.lines() {
                let ground = one_line(ground, 2 * LINE);
                text += &format!("    {}\n", style.paint(Tone::Bad, &ground));
            }
        }
        for (digit, option) in (1..=DIGITS).zip(&self.options) {
            let kept = match option.kind.as_str() {
                "allow_always" | "reject_always" => "   (the agent keeps this itself)",
                _ => "",
            };
            text += &format!("  {digit}  {}{kept}\n", one_line(&option.name, LINE));
        }
        text += "  y  allow this once\n";
        if self.may_be_remembered {
            text += "  p  always allow this in this project (`siderail policy revoke` ends it)\n";
        }
        text += "  d  deny, and tell the model why\n";
        text + &self.prompt(style)
    }

    /// The paths; what lies outside the project says so.
    fn places(&self, style: Style) -> String {
        let mut text = String::new();
        for path in &self.paths {
            let place = style.paint(Tone::Place, &one_line(path, LINE));
            let where_it_is = match self.outside.contains(path) {
                true => style.paint(Tone::Bad, "   OUTSIDE the project"),
                false => String::new(),
            };
            text += &format!("    {place}{where_it_is}\n");
        }
        text
    }

    /// The change itself, cut where it is long, with a word about the rest.
    fn changes(&self, style: Style) -> String {
        let mut text = String::new();
        for change in self.diffs.iter().take(DIFFS) {
            let of_file = diff::unified(&change.path, change.old_text.as_deref(), &change.new_text);
            text += &diff::show_lines(&of_file, DIFF_LINES, style);
        }
        let left = self.diffs.len().saturating_sub(DIFFS);
        if left > 0 {
            let left = format!("    (changes of {left} more places are not shown)\n");
            text += &style.paint(Tone::Notice, &left);
        }
        text
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
            Key::Char('p') if self.may_be_remembered => {
                answered(PermissionAnswer::Always, "always allowed in this project")
            }
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
    use serde_json::json;

    use super::*;
    use crate::keys::KeyReader;

    fn request(change: impl FnOnce(&mut serde_json::Value)) -> PermissionQuestion {
        // as Gemini orders them: the lasting choice comes first
        let mut event = json!({
            "event": "PERMISSION_REQUEST", "request_id": 7, "tool_call_id": null, "tool": "Bash",
            "kind": "execute", "text": "touch a.rs", "paths": ["a.rs"], "channel": "acp",
            "options": [
                {"id": "all", "name": "Always allow", "kind": "allow_always"},
                {"id": "once", "name": "Allow", "kind": "allow_once"},
                {"id": "no", "name": "Reject", "kind": "reject_once"},
            ],
            "may_be_remembered": true, "asks": true,
        });
        change(&mut event);
        let event = serde_json::from_value(event).expect("an event");
        PermissionQuestion::of(&event).expect("a question")
    }

    fn question() -> PermissionQuestion {
        request(|_| {})
    }

    fn shown(change: impl FnOnce(&mut serde_json::Value)) -> String {
        request(change).text(Style::PLAIN)
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
        let shown = |text: &str| shown(|event| event["text"] = json!(text));
        let long = format!("frob {} ; rm -rf src", "a".repeat(400));
        assert!(shown(&long).contains("; rm -rf src\n"), "{}", shown(&long));
        let lines = shown("git push\nrm -rf src");
        assert!(lines.contains("    git push\n    rm -rf src\n"), "{lines}");
    }

    #[test]
    fn what_stands_last_in_an_endless_command_is_shown() {
        let shown = |text: &str| shown(|event| event["text"] = json!(text));
        let pushed_out = shown(&format!("make{}; rm -rf src", "\n".repeat(500)));
        assert!(
            pushed_out.contains("    make\n    ; rm -rf src\n"),
            "{pushed_out}"
        );
        let wide = shown(&format!("make {}; rm -rf src", "x".repeat(5_000)));
        assert!(wide.contains("1017 characters are left out"), "{wide}");
        assert!(wide.contains("xx; rm -rf src\n"), "{wide}");
        let tall = shown(&format!("{}rm -rf src", "make x\n".repeat(500)));
        assert!(tall.contains("441 lines are left out"), "{tall}");
        assert!(tall.contains("    make x\n    rm -rf src\n"), "{tall}");
    }

    #[test]
    fn a_lasting_choice_is_made_by_its_own_key_only() {
        assert_eq!(answer(b"y"), Some(PermissionAnswer::Allow));
        assert_eq!(answer(b"p"), Some(PermissionAnswer::Always));
        assert_eq!(answer(b"P"), None);
    }

    #[test]
    fn no_lasting_choice_is_offered_or_taken_where_none_would_count() {
        let mut dangerous = request(|event| event["may_be_remembered"] = json!(false));
        let text = dangerous.text(Style::PLAIN);
        assert!(!text.contains("always allow this"), "{text}");
        assert!(matches!(
            dangerous.key(Key::Char('p'), Style::PLAIN),
            Keyed::Open(_)
        ));
    }

    #[test]
    fn a_change_is_shown_before_it_is_allowed_and_a_long_one_says_that_it_is_cut() {
        let diff =
            |old: &str, new: &str| json!([{"path": "a.rs", "old_text": old, "new_text": new}]);
        let short = shown(|event| event["diffs"] = diff("a\nb\n", "a\nB\n"));
        assert!(short.contains("    -b\n    +B\n"), "{short}");
        let long = shown(|event| event["diffs"] = diff("", &"x\n".repeat(500)));
        assert!(long.lines().count() < 110, "{long}");
        assert!(long.contains("more lines)"), "{long}");
    }

    #[test]
    fn a_path_outside_the_project_and_what_is_destroyed_stand_out() {
        let text = shown(|event| {
            event["paths"] = json!(["a.rs", "/etc/hosts"]);
            event["outside"] = json!(["/etc/hosts"]);
            event["destroys"] = json!("a.rs is deleted, 3 lines");
        });
        assert!(text.contains("    a.rs\n"), "{text}");
        assert!(
            text.contains("/etc/hosts   OUTSIDE the project\n"),
            "{text}"
        );
        assert!(text.contains("    a.rs is deleted, 3 lines\n"), "{text}");
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
            "\nMay the agent use Bash? (execute)\n    touch a.rs\n    a.rs\n\
             \x20 1  Always allow   (the agent keeps this itself)\n  2  Allow\n  3  Reject\n  y  allow this once\n\
             \x20 p  always allow this in this project (`siderail policy revoke` ends it)\n  d  deny, and tell the model why\n\
             [Enter denies] "
        );
    }
}
