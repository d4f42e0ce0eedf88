//! Permission questions on a terminal, as plain data: what to print, and what each key means.
//!
//! Ours have letters. The agent's own options come in its order under digits, without those that only repeat ours. Enter
//! alone always denies, and nothing but the key of a lasting choice ever makes one.

use siderail_engine::command::PermissionAnswer;
use siderail_engine::event::{
    ActionWord, FileDiff, PermissionChoice, PermissionOptionKind, PermissionRequest,
};
use siderail_engine::guard::{ActionKind, Identity, Tool};

use crate::keys::{Key, TypedLine};
use crate::one_key::{Choice, Keyed, OneKey};
use crate::render::diff;
use crate::style::{Style, Tone, one_line, one_line_of_code};

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
    kind: ActionWord,
    text: String,
    paths: Vec<String>,
    outside: Vec<String>,
    diffs: Vec<FileDiff>,
    destroys: Option<String>,
    options: Vec<PermissionChoice>,
    may_be_remembered: bool,
    reason: Option<TypedLine>,
    one_key: OneKey,
}

/// How much of a question is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What fits on a screen or two.
    Cut,
    /// All of it.
    All,
}

/// A command or title, line by line. Of one that is too long its beginning and its end, because what matters may come
/// last, and how much is left out between them.
fn whole(text: &str, extent: Extent) -> String {
    let lines = lines_of(text);
    let left_out = match extent {
        Extent::Cut => lines.len().saturating_sub(COMMAND_LINES),
        Extent::All => 0,
    };
    let n_first = if left_out > 0 {
        COMMAND_LINES / 2
    } else {
        lines.len()
    };
    let indented = |line: &&str| format!("    {}\n", both_ends(line, extent));
    let mut shown: String = lines[..n_first].iter().map(indented).collect();
    if left_out > 0 {
        shown += &format!("    … {left_out} lines not shown; press v to see all …\n");
    }
    shown.extend(lines[n_first + left_out..].iter().map(indented));
    shown
}

/// The lines that hold more than blanks. A carriage return ends none.
fn lines_of(text: &str) -> Vec<&str> {
    let is_blank = |c: char| matches!(c, ' ' | '\t');
    let lines = text.split('\n');
    lines
        .filter(|line| !line.trim_matches(is_blank).is_empty())
        .collect()
}

/// A line, or both its ends and how much is left out between them.
fn both_ends(line: &str, extent: Extent) -> String {
    let n_chars = line.chars().count();
    if extent == Extent::All || n_chars <= COMMAND_LINE {
        return one_line_of_code(line, usize::MAX);
    }
    let half = COMMAND_LINE / 2;
    let ends = n_chars - half;
    let first: String = line.chars().take(half).collect();
    let last: String = line.chars().skip(ends).collect();
    let first = one_line_of_code(&first, usize::MAX);
    let last = one_line_of_code(&last, usize::MAX);
    format!(
        "{first} … {} characters not shown; press v to see all … {last}",
        ends - half
    )
}

/// What an option does, in our words.
fn meaning(kind: &PermissionOptionKind) -> (&'static str, Tone) {
    use PermissionOptionKind as K;
    match kind {
        K::AllowOnce => ("allow once", Tone::Good),
        K::AllowAlways => ("always allow (the agent remembers it)", Tone::Notice),
        K::RejectOnce => ("deny", Tone::Bad),
        K::RejectAlways => ("always deny (the agent remembers it)", Tone::Bad),
        K::Unknown(_) => ("unknown effect", Tone::Notice),
    }
}

/// The options that say more than our own keys do: not the agent's only yes or no for this once.
fn saying_more(options: &[PermissionChoice]) -> Vec<PermissionChoice> {
    use PermissionOptionKind as K;
    let n_like = |kind: &K| options.iter().filter(|option| option.kind == *kind).count();
    let says_more = |option: &&PermissionChoice| {
        let is_once = matches!(option.kind, K::AllowOnce | K::RejectOnce);
        !is_once || option.contradicts || n_like(&option.kind) > 1
    };
    options.iter().filter(says_more).cloned().collect()
}

impl PermissionQuestion {
    /// The question that a request asks.
    pub(crate) fn of(request: &PermissionRequest) -> Self {
        Self {
            request_id: request.request_id,
            tool: request.tool.clone(),
            kind: request.kind.clone(),
            text: request.text.clone(),
            paths: request.paths.clone(),
            outside: request.outside.clone(),
            diffs: request.diffs.clone(),
            destroys: request.destroys.clone(),
            options: saying_more(&request.options),
            may_be_remembered: request.may_be_remembered,
            reason: None,
            one_key: OneKey::default(),
        }
    }

    /// The question and its keys.
    pub(crate) fn text(&self, style: Style) -> String {
        let tool = one_line(&self.tool, LINE);
        let (head, named) = match self.does() {
            Some(does) if self.is_nameless() => (does.to_owned(), String::new()),
            Some(does) => (does.to_owned(), format!(" ({tool})")),
            None if self.is_nameless() => ("do this".to_owned(), String::new()),
            None => (format!("use {tool}"), String::new()),
        };
        let head = style.paint(Tone::Notice, &format!("May the agent {head}?"));
        let mut text = format!("\n{head}{}\n", style.paint(Tone::Dim, &named));
        text += &self.subject(style, Extent::Cut);
        if let Some(destroys) = &self.destroys {
            for ground in destroys.lines() {
                let ground = one_line(ground, 2 * LINE);
                text += &format!("    {}\n", style.paint(Tone::Bad, &ground));
            }
        }
        text += "  y  allow this once\n";
        if self.may_be_remembered {
            text += "  p  always allow this in this project (`siderail policy revoke` undoes it)\n";
        }
        text += "  d  deny, and tell the model why\n";
        if self.is_cut(style) {
            text += "  v  view all\n";
        }
        text += &self.agents_options(style);
        text + &self.prompt(style)
    }

    /// Whether nothing names the tool but the kind of its call.
    fn is_nameless(&self) -> bool {
        Identity::is_nameless(&self.tool, self.kind.as_str())
    }

    /// What the call does; none if its kind is not known.
    fn does(&self) -> Option<&'static str> {
        let own = Tool::named(&self.tool);
        Some(match self.kind.known()? {
            _ if own == Some(Tool::GitCommit) => "commit this",
            _ if own.is_some_and(Tool::is_git) => return None,
            ActionKind::Destructive => "run this destructive command",
            ActionKind::RemoteCode => "run this code from the network",
            ActionKind::RunTests if own.is_some() => "run the tests",
            ActionKind::Execute
            | ActionKind::Input
            | ActionKind::Opaque
            | ActionKind::Git
            | ActionKind::Write
            | ActionKind::RunTests => "run this command",
            ActionKind::SearchText | ActionKind::FindFile => "search for this",
            ActionKind::ListFolder => "list this",
            ActionKind::Edit => "change this file",
            ActionKind::Delete => "delete this",
            ActionKind::Move => "move this",
            ActionKind::Read => "read this",
            ActionKind::Fetch => "fetch this",
            _ => return None,
        })
    }

    /// The agent's own options: what each does in our words, then its name.
    fn agents_options(&self, style: Style) -> String {
        let mut text = String::new();
        for (digit, option) in (1..=DIGITS).zip(&self.options) {
            let (means, tone) = meaning(&option.kind);
            let means = style.paint(tone, &format!("{means}:"));
            let lies = match option.contradicts {
                true => style.paint(Tone::Bad, "   THE NAME CONTRADICTS WHAT IT DOES"),
                false => String::new(),
            };
            let name = one_line(&option.name, LINE);
            text += &format!("  {digit}  {means} {name}{lies}\n");
        }
        text
    }

    /// What is asked about: the command, its places, the changes.
    fn subject(&self, style: Style, extent: Extent) -> String {
        let mut text = String::new();
        // a title beside a change says nothing that the change does not
        let is_title = self.shows_change() && !self.text.contains('\n');
        if !self.text.trim().is_empty() && self.text != self.tool && !is_title {
            text += &whole(&self.text, extent);
        }
        text += &self.places(style);
        text + &self.changes(style, extent)
    }

    /// Whether something of it is not shown.
    fn is_cut(&self, style: Style) -> bool {
        self.subject(style, Extent::Cut) != self.subject(style, Extent::All)
    }

    /// Whether the question is about a change of files that it shows.
    fn shows_change(&self) -> bool {
        !self.diffs.is_empty() && self.kind.known() == Some(ActionKind::Edit)
    }

    /// The name of a changed file as the project knows it.
    fn name_of<'a>(&'a self, change: &'a FileDiff) -> &'a str {
        let is_it = |path: &&String| change.path.ends_with(&format!("/{path}"));
        let path = self.paths.iter().find(is_it);
        path.unwrap_or(&change.path)
    }

    /// The paths; what lies outside the project says so. What a change below names is left out.
    fn places(&self, style: Style) -> String {
        let mut text = String::new();
        let shown = self.diffs.iter().take(DIFFS);
        for path in &self.paths {
            let is_named = shown.clone().any(|change| self.name_of(change) == path);
            if is_named && !self.outside.contains(path) {
                continue;
            }
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
    fn changes(&self, style: Style, extent: Extent) -> String {
        let (n_diffs, n_lines) = match extent {
            Extent::Cut => (DIFFS, DIFF_LINES),
            Extent::All => (usize::MAX, usize::MAX),
        };
        let mut text = String::new();
        for change in self.diffs.iter().take(n_diffs) {
            let path = self.name_of(change);
            let of_file = diff::unified(path, change.old_text.as_deref(), &change.new_text);
            text += &diff::show_lines(&of_file, n_lines, style);
        }
        let left = self.diffs.len().saturating_sub(n_diffs);
        if left > 0 {
            let left = format!("    (changes in {left} more places not shown)\n");
            text += &style.paint(Tone::Notice, &left);
        }
        text
    }

    /// What asks for a key.
    pub(crate) fn prompt(&self, style: Style) -> String {
        style.paint(Tone::Strong, "[Enter denies] ")
    }

    /// The keys that answer, as a list for people.
    fn keys(&self, style: Style) -> String {
        let mut keys = vec!["y".to_owned()];
        keys.extend(self.may_be_remembered.then(|| "p".to_owned()));
        keys.push("d".to_owned());
        keys.extend(self.is_cut(style).then(|| "v".to_owned()));
        match self.options.len().min(DIGITS) {
            0 => {}
            1 => keys.push("1".to_owned()),
            n => keys.push(format!("1 to {n}")),
        }
        let last = keys.pop().unwrap_or_default();
        format!("{} or {last}", keys.join(", "))
    }

    /// True while one key answers: none was pressed yet, and no reason is being typed.
    pub(crate) fn awaits_key(&self) -> bool {
        self.reason.is_none() && self.one_key.is_fresh()
    }

    /// What `key` means here.
    pub(crate) fn key(&mut self, key: Key, style: Style) -> Keyed<PermissionAnswer> {
        if let Some(reason) = self.reason.take() {
            return self.reason_key(reason, key, style);
        }
        let mut one_key = std::mem::take(&mut self.one_key);
        let prompt = self.prompt(style);
        let keys = self.keys(style);
        let keyed = one_key.read(key, &keys, &prompt, |key| self.choice(key, style));
        self.one_key = one_key;
        match keyed {
            Keyed::Open(text) => Keyed::Open(text),
            Keyed::Answered(Choice::Answer(answer), text) => Keyed::Answered(answer, text),
            Keyed::Answered(Choice::Line, text) => {
                self.reason = Some(TypedLine::default());
                Keyed::Open(text)
            }
        }
    }

    fn choice(&self, key: Key, style: Style) -> Option<Keyed<Choice<PermissionAnswer>>> {
        let answered = |answer, said: &str| {
            let said = format!("{said}\n");
            Some(Keyed::Answered(Choice::Answer(answer), said))
        };
        match key {
            Key::Enter | Key::Escape | Key::End => answered(deny(""), "denied"),
            Key::Char('y' | 'Y') => answered(PermissionAnswer::Allow, "allowed once"),
            Key::Char('p') if self.may_be_remembered => {
                answered(PermissionAnswer::Always, "always allowed in this project")
            }
            Key::Char('d' | 'D') => {
                let ask = style.paint(Tone::Strong, "why (Enter sends it, Esc goes back): ");
                Some(Keyed::Answered(Choice::Line, format!("\n{ask}")))
            }
            Key::Char('v' | 'V') if self.is_cut(style) => {
                let all = self.subject(style, Extent::All);
                let shown = format!("\n{all}{}", self.prompt(style));
                Some(Keyed::Open(shown))
            }
            Key::Char(c) => {
                let digit = c.to_digit(10)? as usize;
                let option = self.options.get(digit.checked_sub(1)?)?;
                let id = option.id.clone();
                let said = one_line(&option.name, LINE);
                answered(PermissionAnswer::Option { id }, &said)
            }
            Key::Backspace | Key::EraseLine | Key::Pause | Key::Pasted(_) | Key::Edit(_) => None,
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
