//! Arguments of a tool call, read by name and type.
//!
//! The caller has checked them against the schema; this reads them again, since a host may also be
//! called directly. Null counts as absent, and numbers may come as text: models do all of that. A number out of
//! bounds is refused: an answer to another one would pass for the answer that was asked for.

use serde_json::Value;
use siderail_engine::host::ToolFailure;

use super::failure::{invalid, missing};

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

    pub(super) fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, ToolFailure> {
        self.get(name)
            .map(|value| value.as_str().ok_or_else(|| wrong_type(name, "a string")))
            .transpose()
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
            Some(_) => Err(wrong_type(name, "true or false")),
        }
    }

    /// A whole number within the bounds; the largest there is stands for no upper one.
    pub(super) fn number(
        self,
        name: &str,
        least: usize,
        most: usize,
    ) -> Result<Option<usize>, ToolFailure> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse::<f64>().ok(),
            _ => None,
        }
        .filter(|number| number.fract() == 0.0)
        .ok_or_else(|| wrong_type(name, "a whole number"))?;
        let has_most = most != usize::MAX;
        if number < least as f64 || has_most && number > most as f64 {
            let bounds = match has_most {
                true => format!("{least} to {most}"),
                false => format!("{least} or more"),
            };
            return Err(wrong_type(name, &format!("{bounds}, not {number}")));
        }
        // The cast saturates, so that hostile numbers end at the largest.
        Ok(Some(number as usize))
    }

    pub(super) fn list(self, name: &str) -> Result<Option<&'a [Value]>, ToolFailure> {
        self.get(name)
            .map(|value| {
                value
                    .as_array()
                    .map(Vec::as_slice)
                    .ok_or_else(|| wrong_type(name, "an array"))
            })
            .transpose()
    }

    /// The position that a `cursor` of an earlier answer names.
    pub(super) fn cursor(self) -> Result<usize, ToolFailure> {
        self.number("cursor", 0, usize::MAX)
            .map(Option::unwrap_or_default)
            .map_err(|_| {
                invalid("`cursor` is not one that an answer has named; leave it out to start over")
            })
    }
}

fn wrong_type(name: &str, wanted: &str) -> ToolFailure {
    invalid(format!("`{name}` must be {wanted}"))
}
