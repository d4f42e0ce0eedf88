//! A plan that waits for the person at the terminal, as plain data: what to print, and what each key means.
//!
//! Enter alone approves nothing: it rejects the plan without asking for another one.

use siderail_engine::command::PermissionAnswer;
use siderail_engine::event::PlanEntry;

use crate::keys::{Key, TypedLine};
use crate::one_key::{Choice, Keyed, OneKey};
use crate::style::{Style, Tone, harmless, one_line};

/// Characters of a step, and steps that are shown.
const LINE: usize = 300;
const STEPS: usize = 100;
/// Characters of a plan's text.
const TEXT: usize = 20_000;

/// A proposed plan.
pub(crate) struct PlanQuestion {
    /// `request_id` of the proposal.
    pub(crate) request_id: u64,
    text: String,
    entries: Vec<PlanEntry>,
    /// The text has not been on the screen as a message of the agent.
    is_new: bool,
    /// What has been changed before the plan was approved.
    changed: Changed,
    feedback: Option<TypedLine>,
    one_key: OneKey,
}

/// What is known to have been changed in a run, for the words above a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// Files that our tools have written, and those that the agent's own calls name as changed.
    pub(crate) files: Vec<String>,
    /// Something ran that nobody was asked about.
    pub(crate) unguarded: bool,
}

impl Changed {
    /// What a person reads who is to approve.
    fn told(&self) -> String {
        let files = match self.files.as_slice() {
            [] => String::new(),
            files => format!(" Changed so far: {}.", one_line(&files.join(", "), LINE)),
        };
        match self.unguarded {
            true => format!(
                " Something ran unasked before it (UNGUARDED, above): check what it changed.{files}"
            ),
            false if files.is_empty() => " Nothing has changed so far.".to_owned(),
            false => files,
        }
    }
}

impl PlanQuestion {
    /// A question about a plan. `is_new`: its text was not shown as the agent's message.
    pub(crate) fn new(request_id: u64, text: &str, entries: &[PlanEntry], is_new: bool) -> Self {
        Self {
            request_id,
            text: text.to_owned(),
            entries: entries.to_vec(),
            is_new,
            changed: Changed::default(),
            feedback: None,
            one_key: OneKey::default(),
        }
    }

    /// The same question in a run that has changed something.
    pub(crate) fn after(self, changed: Changed) -> Self {
        Self { changed, ..self }
    }

    /// The plan and the keys.
    pub(crate) fn text(&self, style: Style) -> String {
        let head = format!("The agent has a plan.{}", self.changed.told());
        let mut text = format!("\n{}\n", style.paint(Tone::Notice, &head));
        if self.is_new || self.entries.is_empty() {
            let plan: String = self.text.trim().chars().take(TEXT).collect();
            for line in harmless(&plan).lines() {
                text += &format!("    {line}\n");
            }
        } else {
            for (number, step) in self.entries.iter().take(STEPS).enumerate() {
                text += &format!("  {:>3}  {}\n", number + 1, one_line(&step.text, LINE));
            }
        }
        text += "  a  approve and start\n";
        text += "  r  reject, and tell the model what to change\n";
        text + &self.prompt(style)
    }

    /// What asks for a key.
    pub(crate) fn prompt(&self, style: Style) -> String {
        style.paint(Tone::Strong, "[Enter rejects] ")
    }

    /// True while one key answers: none was pressed yet, and no feedback is being typed.
    pub(crate) fn awaits_key(&self) -> bool {
        self.feedback.is_none() && self.one_key.is_fresh()
    }

    /// What `key` means here.
    pub(crate) fn key(&mut self, key: Key, style: Style) -> Keyed<PermissionAnswer> {
        if let Some(feedback) = self.feedback.take() {
            return self.feedback_key(feedback, key, style);
        }
        let prompt = self.prompt(style);
        let keyed = self.one_key.read(key, "a or r", &prompt, |key| match key {
            Key::Char('a' | 'A') => {
                let approved = Choice::Answer(PermissionAnswer::Allow);
                Some(Keyed::Answered(approved, "approved\n".to_owned()))
            }
            Key::Char('r' | 'R') => {
                let ask = "what to change (Enter sends it, Esc goes back): ";
                let ask = style.paint(Tone::Strong, ask);
                Some(Keyed::Answered(Choice::Line, format!("\n{ask}")))
            }
            Key::Enter | Key::Escape | Key::End => {
                let (answer, said) = rejected("");
                Some(Keyed::Answered(Choice::Answer(answer), said))
            }
            _ => None,
        });
        match keyed {
            Keyed::Open(text) => Keyed::Open(text),
            Keyed::Answered(Choice::Answer(answer), text) => Keyed::Answered(answer, text),
            Keyed::Answered(Choice::Line, text) => {
                self.feedback = Some(TypedLine::default());
                Keyed::Open(text)
            }
        }
    }

    fn feedback_key(
        &mut self,
        mut feedback: TypedLine,
        key: Key,
        style: Style,
    ) -> Keyed<PermissionAnswer> {
        match key {
            Key::Enter | Key::End => {
                let (answer, said) = rejected(feedback.text().trim());
                Keyed::Answered(answer, said)
            }
            Key::Escape => Keyed::Open(format!("\n{}", self.prompt(style))),
            key => {
                let shown = feedback.key(key);
                self.feedback = Some(feedback);
                Keyed::Open(shown)
            }
        }
    }
}

fn rejected(feedback: &str) -> (PermissionAnswer, String) {
    let said = if feedback.is_empty() {
        "rejected\n"
    } else {
        "\n"
    };
    let answer = PermissionAnswer::Deny {
        reason: feedback.to_owned(),
        nobody: false,
    };
    (answer, said.to_owned())
}

#[cfg(test)]
mod tests {
    use siderail_engine::event::{PlanEntryPriority, PlanEntryStatus};

    use super::*;
    use crate::keys::KeyReader;

    fn question(is_new: bool) -> PlanQuestion {
        let step = |text: &str| PlanEntry {
            text: text.to_owned(),
            status: PlanEntryStatus::Pending,
            priority: PlanEntryPriority::Medium,
        };
        let entries = [step("Set x"), step("Test\x1b[2J")];
        PlanQuestion::new(7, "1. Set x\n2. Test", &entries, is_new)
    }

    /// The result of typing; `|` is a pause.
    fn answer(typed: &str) -> Option<PermissionAnswer> {
        let mut question = question(true);
        let keys = KeyReader::default().keys(typed.as_bytes()).into_iter();
        keys.map(|key| match key {
            Key::Char('|') => Key::Pause,
            key => key,
        })
        .chain([Key::Pause])
        .find_map(|key| match question.key(key, Style::PLAIN) {
            Keyed::Answered(answer, _) => Some(answer),
            Keyed::Open(_) => None,
        })
    }

    fn no(feedback: &str) -> Option<PermissionAnswer> {
        Some(PermissionAnswer::Deny {
            reason: feedback.to_owned(),
            nobody: false,
        })
    }

    #[test]
    fn only_its_own_key_approves_and_enter_turns_the_plan_down() {
        assert_eq!(answer("a"), Some(PermissionAnswer::Allow));
        for typed in ["\r", "\x1b", "\x04", "xyz\x04", "xyz\r\r"] {
            assert_eq!(answer(typed), no(""), "{typed:?}");
        }
        for word in ["yes", "no, change it\r", "what about that?\r"] {
            assert_eq!(answer(word), None, "{word:?} is no approval");
        }
        assert_eq!(answer("no, change it\ra"), Some(PermissionAnswer::Allow));
    }

    #[test]
    fn a_rejection_carries_what_is_to_change() {
        assert_eq!(answer("r|keep a\x7fy\r"), no("keep y"));
        assert_eq!(answer("r\rkeep y\r"), no("keep y"));
        assert_eq!(answer("r|\r"), no(""));
        assert_eq!(answer("r|abc"), None);
    }

    #[test]
    fn a_sentence_that_begins_like_a_rejection_rejects_nothing() {
        assert_eq!(answer("run it please\r"), None);
        assert_eq!(answer("run it please\ra"), Some(PermissionAnswer::Allow));
    }

    #[test]
    fn the_plan_is_shown_with_its_keys_and_without_control_characters() {
        let keys = "  a  approve and start\n  r  reject, and tell the model what to change\n\
                    [Enter rejects] ";
        let head = "\nThe agent has a plan. Nothing has changed so far.\n";
        assert_eq!(
            question(true).text(Style::PLAIN),
            format!("{head}    1. Set x\n    2. Test\n{keys}")
        );
        assert_eq!(
            question(false).text(Style::PLAIN),
            format!("{head}    1  Set x\n    2  Test␛[2J\n{keys}")
        );
    }

    #[test]
    fn a_plan_is_not_called_harmless_after_something_ran_unasked() {
        let text = |files: &[&str], unguarded| {
            let files = files.iter().map(|&file| file.to_owned()).collect();
            let changed = Changed { files, unguarded };
            question(true).after(changed).text(Style::PLAIN)
        };
        for unguarded in [text(&[], true), text(&["a.rs"], true)] {
            assert!(!unguarded.contains("Nothing has been"), "{unguarded}");
            assert!(unguarded.contains("UNGUARDED"), "{unguarded}");
        }
        let written = text(&["a.rs", "b.rs"], false);
        assert!(written.contains("Changed so far: a.rs, b.rs."), "{written}");
        assert!(!written.contains("Nothing has been"), "{written}");
    }
}
