//! The person of a session: prompts, answers of all kinds, some of them wrong, and cancels.

use serde_json::Value;
use siderail_engine::command::{Command, PermissionAnswer};

use crate::chance::Chance;

/// A person's habits, by chance.
pub(super) struct Person {
    pub(super) chance: Chance,
    session: u64,
}

impl Person {
    pub(super) fn new(session: u64, chance: Chance) -> Self {
        Self { chance, session }
    }

    /// What the person does about an open question.
    pub(super) fn asked(&mut self, request: &Value) -> Vec<Command> {
        let Some(number) = request["request_id"].as_u64() else {
            return Vec::new();
        };
        let session = self.session;
        let answer = |request_id: u64, answer: PermissionAnswer| Command::AnswerPermission {
            session,
            request_id,
            answer,
        };
        let deny = |reason: &str| PermissionAnswer::Deny {
            reason: reason.to_owned(),
            nobody: false,
        };
        let first_option = request["options"][0]["id"]
            .as_str()
            .unwrap_or("no such option");
        match self.chance.below(1000) {
            0..550 => vec![answer(number, PermissionAnswer::Allow)],
            550..700 => vec![answer(number, deny(""))],
            700..800 => vec![answer(number, deny("use the IDE's tools"))],
            800..850 => vec![answer(
                number,
                PermissionAnswer::Option {
                    id: first_option.to_owned(),
                },
            )],
            850..890 => vec![answer(
                number,
                PermissionAnswer::Option {
                    id: "made up".to_owned(),
                },
            )],
            890..930 => vec![answer(number, PermissionAnswer::Always)],
            // Twice, and to a question that was never asked.
            930..985 => vec![
                answer(number + 1_000_000, PermissionAnswer::Allow),
                answer(number, PermissionAnswer::Allow),
                answer(number, deny("too late")),
            ],
            _ => vec![Command::Cancel { session }],
        }
    }

    /// Prompts for the next turns: mostly one.
    pub(super) fn prompts(&mut self) -> Vec<Command> {
        let n = if self.chance.happens(50) { 2 } else { 1 };
        let prompt = || Command::Prompt {
            session: self.session,
            text: "go on".to_owned(),
            plan: false,
            blocks: Vec::new(),
            attachments: Vec::new(),
            meta: serde_json::Value::Null,
        };
        (0..n).map(|_| prompt()).collect()
    }

    /// A cancel out of nowhere.
    pub(super) fn tires(&mut self) -> Option<Command> {
        let session = self.session;
        self.chance
            .happens(3)
            .then_some(Command::Cancel { session })
    }
}
