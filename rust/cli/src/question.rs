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
mod tests;
