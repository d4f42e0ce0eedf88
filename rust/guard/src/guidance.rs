//! Texts for the model: which tool instead, by the name it sees, and what to pass.
//!
//! Positive and final: what to call, with which arguments, and that the denied way stays denied.
//! Every text has an id, fits in [`MAX_CHARS`] and shows the model's own words only as JSON strings
//! or in back-ticks. Decides nothing: [`crate::policy`] says what is denied, the engine says by
//! which channel a text travels.

pub use crate::name_form::{NameForm, Surroundings};

use serde_json::Value;

use crate::tool::Tool;

pub(crate) mod builtin;
pub(crate) mod command;
mod command_parts;
mod ladder;
#[cfg(test)]
mod tests;

pub use ladder::{
    Scope, continuation, denied_by_person, denied_by_setting, nobody_to_ask, notice, nudge,
    steering, still_waiting, stop_and_ask, suggest_another_way,
};

/// Longest text about one denial.
pub const MAX_CHARS: usize = 600;

/// Names every text, so that tests can show that each is used and fits each agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextId {
    /// A built-in tool that reads a file.
    ReadFile,
    /// A built-in tool that changes a part of a file.
    ReplaceText,
    /// A built-in tool that writes a whole file.
    WriteFile,
    /// A patch.
    Patch,
    /// A built-in tool that deletes a file.
    DeleteFile,
    /// A built-in tool that moves a file.
    MoveFile,
    /// A built-in tool that lists a folder.
    ListFolder,
    /// A built-in tool that finds files by name.
    FindFile,
    /// A built-in tool that finds text.
    SearchText,
    /// A command that does one thing that a tool does better.
    Command,
    /// A command that does several.
    CommandWithSeveral,
    /// A command that does one, and is dangerous besides.
    CommandWithDanger,
    /// The tracker's nudge about the sandbox.
    Nudge,
    /// The tracker's first escalation.
    SuggestAnotherWay,
    /// The tracker's second escalation.
    StopAndAsk,
    /// Ladder step 4.
    Steering,
    /// Ladder step 5.
    Continuation,
    /// Ladder step 6.
    Notice,
    /// A person said no.
    DeniedByPerson,
    /// Nobody could be asked.
    NobodyToAsk,
    /// A setting says no to all questions.
    DeniedBySetting,
    /// A person has not answered yet.
    StillWaiting,
}

impl TextId {
    /// All texts.
    pub const ALL: [Self; 22] = [
        Self::ReadFile,
        Self::ReplaceText,
        Self::WriteFile,
        Self::Patch,
        Self::DeleteFile,
        Self::MoveFile,
        Self::ListFolder,
        Self::FindFile,
        Self::SearchText,
        Self::Command,
        Self::CommandWithSeveral,
        Self::CommandWithDanger,
        Self::Nudge,
        Self::SuggestAnotherWay,
        Self::StopAndAsk,
        Self::Steering,
        Self::Continuation,
        Self::Notice,
        Self::DeniedByPerson,
        Self::NobodyToAsk,
        Self::DeniedBySetting,
        Self::StillWaiting,
    ];
}

/// A text about one denial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guidance {
    pub(crate) id: TextId,
    pub(crate) tool: Tool,
    pub(crate) text: String,
}

/// A call that the model is asked to make.
#[derive(Clone, Debug)]
struct Call {
    tool: Tool,
    arguments: Vec<(&'static str, Argument)>,
}

/// An argument, by its value or, where that is unknown or too long, by a description.
#[derive(Clone, Debug)]
enum Argument {
    Is(String),
    Yes,
    Described(&'static str),
}

/// Signs that a search for plain text seldom holds.
const REGEX_SIGNS: [char; 9] = ['\\', '[', '*', '+', '?', '|', '^', '$', '{'];

/// Values longer than this are described when a text grows too long.
const SHORT_VALUE: usize = 60;

impl Call {
    fn new(tool: Tool) -> Self {
        Self {
            tool,
            arguments: Vec::new(),
        }
    }

    /// With an argument; an unknown value is described.
    fn with(mut self, name: &'static str, value: Option<&str>, description: &'static str) -> Self {
        let argument = match value {
            Some(value) => Argument::Is(value.to_owned()),
            None => Argument::Described(description),
        };
        self.arguments.push((name, argument));
        self
    }

    /// With an argument that is left out when unknown.
    fn with_known(mut self, name: &'static str, value: Option<&str>) -> Self {
        if let Some(value) = value {
            self.arguments.push((name, Argument::Is(value.to_owned())));
        }
        self
    }

    /// With a search's text, marked as a regular expression where it looks like one and is not
    /// said to be plain.
    fn with_query(self, query: Option<&str>, is_plain: bool) -> Self {
        let is_regex = !is_plain && query.is_some_and(|query| query.contains(REGEX_SIGNS));
        let mut call = self.with("query", query, "<the text>");
        if is_regex {
            call.arguments.push(("regex", Argument::Yes));
        }
        call
    }

    /// `NAME with {…}`; values longer than `longest` are described.
    fn shown(&self, form: &NameForm, longest: usize) -> String {
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .map(|(name, argument)| {
                let value = match argument {
                    Argument::Yes => Value::from(true),
                    Argument::Is(value) if value.chars().count() <= longest => {
                        Value::from(value.as_str())
                    }
                    Argument::Is(_) => Value::from("<as in your call>"),
                    Argument::Described(description) => Value::from(*description),
                };
                let value = if *name == "paths" {
                    Value::from(vec![value])
                } else {
                    value
                };
                format!("{}:{value}", Value::from(*name))
            })
            .collect();
        format!(
            "{} with {{{}}}",
            form.how_to_call(self.tool),
            arguments.join(",")
        )
    }
}

/// The first of ever shorter forms of a text that fits; `make` gets the longest value that may be
/// shown.
fn fitted(make: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for longest in [240, SHORT_VALUE, 0] {
        text = make(longest);
        if text.chars().count() <= MAX_CHARS {
            return text;
        }
    }
    cut(&text, MAX_CHARS)
}

/// The text's beginning, with `…` where something is missing.
fn cut(text: &str, n_chars: usize) -> String {
    if text.chars().count() <= n_chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(n_chars.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A name or a part of a command, in one line and short enough to fit inside a sentence.
pub(crate) fn inline(text: &str, n_chars: usize) -> String {
    let one_line: String = text
        .chars()
        .map(|c| if c.is_control() || c == '`' { ' ' } else { c })
        .collect();
    cut(one_line.trim(), n_chars)
}
