//! Arguments of a call of the engine's own tools, read by name and type.
//!
//! The server has checked them against the schema. Null and empty text count as absent, numbers may come
//! as text, and one text is taken for a list of one: models do all of that. A number out of bounds is refused: an
//! answer to another one would pass for the answer that was asked for.

use std::time::Duration;

use serde_json::Value;

use crate::host::{ToolErrorCode, ToolFailure};

/// The arguments of one call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    pub(super) fn new(arguments: &'a Value) -> Self {
        Self(arguments)
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// All of them, to name the next call.
    pub(super) fn whole(self) -> &'a Value {
        self.0
    }

    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, ToolFailure> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        match value.as_str() {
            Some("") => Ok(None),
            Some(text) => Ok(Some(text)),
            None => Err(invalid(format!("`{name}` must be a string"))),
        }
    }

    pub(super) fn required_text(self, name: &str) -> Result<&'a str, ToolFailure> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    pub(super) fn flag(self, name: &str) -> Result<bool, ToolFailure> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            Some(_) => Err(invalid(format!("`{name}` must be true or false"))),
        }
    }

    /// A whole number within the bounds; the largest there is stands for no upper one.
    pub(super) fn number(
        self,
        name: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, ToolFailure> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse::<f64>().ok(),
            _ => None,
        };
        let number = number
            .filter(|number| number.fract() == 0.0)
            .ok_or_else(|| invalid(format!("`{name}` must be a whole number")))?;
        let has_most = most != u64::MAX;
        if number < least as f64 || has_most && number > most as f64 {
            let bounds = match has_most {
                true => format!("{least} to {most}"),
                false => format!("{least} or more"),
            };
            return Err(invalid(format!("`{name}` must be {bounds}, not {number}")));
        }
        // The cast saturates, so that hostile numbers end at the largest.
        Ok(Some(number as u64))
    }

    /// Seconds to wait. More than `most` is a wait of that, since the answer says that what was waited for goes on.
    pub(super) fn wait(self, name: &str, most: Duration) -> Result<Duration, ToolFailure> {
        let seconds = self.number(name, 0, u64::MAX)?;
        Ok(seconds.map_or(most, |seconds| most.min(Duration::from_secs(seconds))))
    }

    /// The position that a `cursor` of an earlier answer names.
    pub(super) fn cursor(self) -> Result<usize, ToolFailure> {
        let cursor = self.number("cursor", 0, u64::MAX).map_err(|_| {
            invalid("`cursor` is not one that an answer has named; leave it out to start over")
        })?;
        Ok(cursor.map_or(0, |at| usize::try_from(at).unwrap_or(usize::MAX)))
    }

    /// A list of texts; empty where there is none.
    pub(super) fn texts(self, name: &str) -> Result<Vec<&'a str>, ToolFailure> {
        let wrong = || invalid(format!("`{name}` must be an array of strings"));
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.as_str()]),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().ok_or_else(wrong))
                .collect(),
            Some(_) => Err(wrong()),
        }
    }
}

/// Arguments that make no sense.
pub(super) fn invalid(text: impl Into<String>) -> ToolFailure {
    failure(ToolErrorCode::InvalidParam, text)
}

/// An argument is needed and absent.
pub(super) fn missing(name: &str) -> ToolFailure {
    failure(ToolErrorCode::MissingParam, format!("`{name}` is needed"))
}

pub(super) fn failure(code: ToolErrorCode, text: impl Into<String>) -> ToolFailure {
    ToolFailure {
        code,
        text: text.into(),
    }
}
