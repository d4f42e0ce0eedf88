//! A login that the agent wants, as a question to the person at the terminal: plain data, what to print and what each
//! key means.
//!
//! Nothing is run unless its number was typed, and its exact command is on the screen by then.

use siderail_engine::event::{LoginKind, LoginMethod};

use crate::keys::Key;
use crate::one_key::{Keyed, OneKey};
use crate::style::{Style, Tone, one_line};

/// Characters of a line.
const LINE: usize = 400;
/// Ways that have a key.
const MOST: usize = 9;

/// A login that waits for the person's choice.
pub(crate) struct LoginQuestion {
    agent: String,
    methods: Vec<LoginMethod>,
    one_key: OneKey,
}

impl LoginQuestion {
    /// The question, where there is a way to log in now.
    pub(crate) fn new(agent: &str, methods: &[LoginMethod]) -> Option<Self> {
        let question = Self {
            agent: agent.to_owned(),
            methods: methods.to_vec(),
            one_key: OneKey::default(),
        };
        let has_way = question.ways().next().is_some();
        has_way.then_some(question)
    }

    /// Those that can be done now; a variable of the environment is set ahead of the start only.
    fn ways(&self) -> impl Iterator<Item = &LoginMethod> {
        let now = |method: &&LoginMethod| method.kind != LoginKind::EnvVar;
        self.methods.iter().filter(now).take(MOST)
    }

    /// The ways and the keys.
    pub(crate) fn text(&self, style: Style) -> String {
        let head = format!("{} needs you to log in.", one_line(&self.agent, LINE));
        let mut text = format!("\n{}\n", style.paint(Tone::Notice, &head));
        for (at, method) in self.ways().enumerate() {
            let name = one_line(&method.name, LINE);
            let does = match &method.command {
                Some(words) => format!("runs here: {}", one_line(&words.join(" "), LINE)),
                None => "by the agent; may open a browser".to_owned(),
            };
            text += &format!("  {}  {name} ({does})\n", at + 1);
        }
        for method in self
            .methods
            .iter()
            .filter(|method| method.kind == LoginKind::EnvVar)
        {
            let vars = method.vars.as_deref().unwrap_or_default().join(" or ");
            let name = one_line(&method.name, LINE);
            text += &format!(
                "  -  {name} (set {} and start again)\n",
                one_line(&vars, LINE)
            );
        }
        text + &self.prompt(style)
    }

    /// What asks for a key.
    pub(crate) fn prompt(&self, style: Style) -> String {
        style.paint(Tone::Strong, "[a number to log in; Enter to skip] ")
    }

    /// What `key` means here: the way to log in by, or none.
    pub(crate) fn key(&mut self, key: Key, style: Style) -> Keyed<Option<LoginMethod>> {
        let prompt = self.prompt(style);
        let mut one_key = std::mem::take(&mut self.one_key);
        let keyed = one_key.read(key, "one of the numbers above", &prompt, |key| match key {
            Key::Char(digit) => {
                let at = digit.to_digit(10)?.checked_sub(1)?;
                let method = self.ways().nth(at as usize)?.clone();
                Some(Keyed::Answered(Some(method), format!("{digit}\n")))
            }
            Key::Enter | Key::Escape | Key::End => Some(Keyed::Answered(None, "no\n".to_owned())),
            Key::Backspace | Key::EraseLine | Key::Pause | Key::Pasted(_) | Key::Edit(_) => None,
        });
        self.one_key = one_key;
        keyed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(id: &str, kind: LoginKind, command: Option<&str>) -> LoginMethod {
        LoginMethod {
            id: id.to_owned(),
            name: id.to_uppercase(),
            description: None,
            kind,
            command: command.map(|line| line.split(' ').map(str::to_owned).collect()),
            command_line: command.map(str::to_owned),
            vars: (kind == LoginKind::EnvVar).then(|| vec!["API_KEY".to_owned()]),
        }
    }

    #[test]
    fn a_command_is_on_the_screen_before_a_number_runs_it_and_enter_runs_nothing() {
        let methods = [
            method("key", LoginKind::EnvVar, None),
            method("account", LoginKind::Terminal, Some("copilot login")),
            method("web", LoginKind::Agent, None),
        ];
        let mut question = LoginQuestion::new("copilot", &methods).expect("there is a way");
        let text = question.text(Style::PLAIN);
        assert!(
            text.contains("  1  ACCOUNT (runs here: copilot login)\n"),
            "{text}"
        );
        assert!(text.contains("KEY (set API_KEY and start again)"), "{text}");
        let mut key = |key| question.key(key, Style::PLAIN);
        assert_eq!(key(Key::Enter), Keyed::Answered(None, "no\n".to_owned()));
        let chosen = Keyed::Answered(Some(methods[1].clone()), "1\n".to_owned());
        for typed in ['3', '1'] {
            let keyed = key(Key::Char(typed));
            assert!(matches!(keyed, Keyed::Open(_)), "`31` is no choice");
        }
        assert!(matches!(key(Key::Enter), Keyed::Open(_)), "it asks again");
        assert!(
            matches!(key(Key::Char('1')), Keyed::Open(_)),
            "`12` may follow"
        );
        assert_eq!(key(Key::Pause), chosen);
        assert!(
            LoginQuestion::new("x", &methods[..1]).is_none(),
            "nothing to do now"
        );
    }
}
