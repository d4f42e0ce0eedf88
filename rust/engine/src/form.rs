//! Asks an agent's question as a series of questions to the person, in the form of `ask_user`, which every host can
//! show.
//!
//! Plain data: a form hands out one question after the other, takes the answers and ends accepted, declined or
//! cancelled. An address is never opened here: the person sees all of it and its host, opens it and says so.

mod address;
mod limits;

use serde_json::{Map, Value, json};
use siderail_acp::elicitation::{Elicitation, Field, FieldChoice, FieldKind, Wanted};

use self::address::host_of;
use crate::host::{HostReply, ToolErrorCode};

/// What a host's answer to `ask_user` begins with.
pub(crate) const ANSWERED: &str = "The user answered: ";
/// … where a person skipped an optional question. Where nobody is there it says that, and the form is declined.
pub(crate) const PASSED_OVER: &str = "The user skipped the question.";
/// … where it still waits: the same is asked again, and joins the open question.
pub(crate) const STILL_WAITING: &str = "The user has not answered yet.";

/// Choices that are shown as such; more are typed.
const MOST_CHOICES: usize = 20;
/// Fields that a person is asked about.
const MOST_FIELDS: usize = 30;
/// Wrong answers to one question before the form is cancelled.
const MOST_TRIES: u32 = 3;

/// A form that is being filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    message: String,
    fields: Vec<Field>,
    at: usize,
    tries: u32,
    /// What was wrong with the last answer.
    complaint: String,
    content: Map<String, Value>,
    /// An address instead of fields.
    url: Option<String>,
}

/// What a form does next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    /// Ask this: arguments of `ask_user`.
    Ask(Value),
    /// Answer the agent this.
    Done(Value),
}

impl Form {
    /// The form of an agent's question; why it cannot be shown, where it has to be declined at once.
    pub(crate) fn new(asked: Elicitation) -> Result<Self, &'static str> {
        let (mut fields, url) = match asked.wanted {
            Wanted::Form(fields) => (fields, None),
            Wanted::Url { url, .. } if host_of(&url).is_some() => (Vec::new(), Some(url)),
            Wanted::Url { .. } => return Err("its address cannot be shown safely"),
            Wanted::Unknown => return Err("its kind is unknown"),
        };
        let is_unknown = |field: &Field| field.kind == FieldKind::Unknown && field.required;
        if fields.len() > MOST_FIELDS {
            return Err("it has too many fields");
        }
        if fields.iter().any(is_unknown) {
            return Err("it requires a field of an unknown kind");
        }
        // Where nothing else is left, the message alone is put to the person.
        fields.retain(|field| field.kind != FieldKind::Unknown);
        Ok(Self {
            message: asked.message,
            fields,
            at: 0,
            tries: 0,
            complaint: String::new(),
            content: Map::new(),
            url,
        })
    }

    /// The question that is open now, or the end.
    pub(crate) fn next(&mut self) -> Next {
        if let Some(url) = &self.url {
            let host = host_of(url).unwrap_or_default();
            let text = format!(
                "{}\n\nThe agent asks you to open this page in your browser, on {host}:\n{}\nHave you opened it?",
                self.message,
                address::shown(url).unwrap_or_default()
            );
            return Next::Ask(json!({"question_type": "confirmation", "question": text}));
        }
        if self.fields.is_empty() {
            let text = self.message.clone();
            return Next::Ask(json!({"question_type": "confirmation", "question": text}));
        }
        while let Some(field) = self.fields.get(self.at) {
            if self.is_other_answer() {
                self.step();
                continue;
            }
            return Next::Ask(self.question(field));
        }
        Next::Done(json!({"action": "accept", "content": self.content}))
    }

    /// Takes what a host made of the question; what comes then.
    pub(crate) fn answered(&mut self, reply: &HostReply) -> Next {
        let text = match reply {
            HostReply::Tool(done) => done.text.trim_end(),
            HostReply::Failed(failure) if failure.code == ToolErrorCode::Cancelled => {
                return Next::Done(cancel());
            }
            _ => return Next::Done(decline()),
        };
        if text.starts_with(STILL_WAITING) {
            return self.next();
        }
        if text.starts_with(PASSED_OVER) {
            self.step();
            return self.next();
        }
        let Some(answer) = text.strip_prefix(ANSWERED.trim_end()).map(str::trim) else {
            return Next::Done(decline());
        };
        let Some(field) = self.fields.get(self.at) else {
            return Next::Done(match answer {
                "yes" if self.url.is_some() => json!({"action": "accept"}),
                "yes" => json!({"action": "accept", "content": {}}),
                _ => decline(),
            });
        };
        let kept = |value| match limits::complaint(&field.limits, &value) {
            Some(complaint) => Err(complaint),
            None => Ok(value),
        };
        match value_of(field, answer).and_then(kept) {
            Ok(value) => {
                self.content.insert(field.name.clone(), value);
                self.step();
            }
            Err(why) => {
                self.tries += 1;
                self.complaint = why;
                if self.tries >= MOST_TRIES {
                    return Next::Done(cancel());
                }
            }
        }
        self.next()
    }

    /// Moves on to the next question that has no answer yet.
    fn step(&mut self) {
        self.at += 1;
        self.tries = 0;
        self.complaint.clear();
    }

    /// What it was given up for: the complaint about the last of the answers that did not fit.
    pub(crate) fn given_up(&self) -> Option<&str> {
        (self.tries >= MOST_TRIES).then_some(self.complaint.as_str())
    }

    /// A field for an answer of one's own beside the choice ahead of it (`question_0_custom`), which was made.
    fn is_other_answer(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.fields.get(at));
        let (Some(field), Some(before)) = (self.fields.get(self.at), before) else {
            return false;
        };
        let is_more = field.name.len() > before.name.len() && field.name.starts_with(&before.name);
        is_more && !field.required && self.content.contains_key(&before.name)
    }

    fn question(&self, field: &Field) -> Value {
        let mut lines: Vec<&str> = Vec::new();
        if self.at == 0 {
            lines.push(self.message.trim());
        }
        lines.extend([
            field.title.trim(),
            field.description.trim(),
            self.complaint.as_str(),
        ]);
        lines.retain(|line| !line.is_empty());
        lines.dedup();
        let mut question = json!({"question": lines.join("\n"), "optional": !field.required});
        let titles = |choices: &[FieldChoice]| -> Vec<String> {
            choices.iter().map(|choice| choice.title.clone()).collect()
        };
        let kind = match &field.kind {
            FieldKind::Boolean => "confirmation",
            FieldKind::Choice(choices) if (2..=MOST_CHOICES).contains(&choices.len()) => {
                question["options"] = titles(choices).into();
                "choice"
            }
            FieldKind::Choice(choices) | FieldKind::Several(choices) => {
                let several = matches!(field.kind, FieldKind::Several(_));
                let how = if several {
                    "several, separated by commas"
                } else {
                    "one of"
                };
                let text = question["question"].as_str().unwrap_or_default();
                let text = format!("{text}\n({how}: {})", titles(choices).join(", "));
                question["question"] = text.into();
                "input"
            }
            FieldKind::Text | FieldKind::Number { .. } | FieldKind::Unknown => "input",
        };
        question["question_type"] = kind.into();
        // A default that is not an answer is not used.
        if let Some(default) =
            shown_default(field).filter(|default| value_of(field, default).is_ok())
        {
            question["default"] = default.into();
        }
        question
    }
}

/// The answer of a person who does not want to.
pub(crate) fn decline() -> Value {
    json!({"action": "decline"})
}

fn cancel() -> Value {
    json!({"action": "cancel"})
}

/// A default in the words of the question.
fn shown_default(field: &Field) -> Option<String> {
    match (&field.default, &field.kind) {
        (Value::String(value), FieldKind::Choice(choices)) => {
            let choice = choices.iter().find(|choice| choice.value == *value)?;
            Some(choice.title.clone())
        }
        (Value::String(value), _) => Some(value.clone()),
        (Value::Number(value), _) => Some(value.to_string()),
        (Value::Bool(value), _) => Some(if *value { "yes" } else { "no" }.to_owned()),
        _ => None,
    }
}

/// The answer in the field's own type, or what is wrong with it.
fn value_of(field: &Field, answer: &str) -> Result<Value, String> {
    let chosen = |choices: &[FieldChoice], answer: &str| {
        let found = choices
            .iter()
            .find(|c| c.title == answer || c.value == answer);
        let found = found.map(|choice| Value::from(choice.value.clone()));
        found.ok_or_else(|| format!("`{answer}` is not one of them."))
    };
    match &field.kind {
        FieldKind::Text | FieldKind::Unknown => Ok(answer.into()),
        FieldKind::Number { is_whole: true } => {
            let number = answer.parse::<i64>().map(Value::from);
            number.map_err(|_| format!("`{answer}` is not a whole number."))
        }
        FieldKind::Number { is_whole: false } => {
            let number = answer
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite());
            number
                .map(Value::from)
                .ok_or_else(|| format!("`{answer}` is not a number."))
        }
        FieldKind::Boolean => match answer {
            "yes" | "true" => Ok(true.into()),
            "no" | "false" => Ok(false.into()),
            _ => Err("yes or no?".to_owned()),
        },
        FieldKind::Choice(choices) => chosen(choices, answer),
        FieldKind::Several(choices) => {
            let parts = answer
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty());
            let mut values: Vec<Value> = Vec::new();
            for part in parts {
                let value = chosen(choices, part)?;
                // Named twice it is chosen once.
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            Ok(values.into())
        }
    }
}

#[cfg(test)]
mod tests;
