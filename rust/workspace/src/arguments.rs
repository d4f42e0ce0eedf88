//! Arguments of a tool call, read by name and type.
//!
//! The server has checked them against the schema; a host may also be called directly. Null counts as absent, numbers
//! may come as text, and one text counts as a list of one: models do all of that. A number out of its range is rejected
//! with the range; an amount is lowered to what there is.

use std::time::Duration;

use serde_json::Value;

use crate::outcome::ToolFailure;

/// How much of something a call may want, and gets where it says nothing: models read these numbers in the tool's schema.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// The least, at least 1.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// What counts where the argument is absent.
    pub usual: usize,
}

/// The arguments of one call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    /// Reads `arguments`, a JSON object.
    pub fn new(arguments: &'a Value) -> Self {
        Self(arguments)
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// All of them, to name the next call.
    pub fn whole(self) -> &'a Value {
        self.0
    }

    /// Whether it is there at all.
    pub fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A text, unchanged, which may be empty.
    ///
    /// # Errors
    /// It is not text.
    pub fn text(self, name: &str) -> Result<Option<&'a str>, ToolFailure> {
        self.get(name)
            .map(|value| value.as_str().ok_or_else(|| wrong(name, "a string")))
            .transpose()
    }

    /// As [`Self::text`], where there has to be one.
    ///
    /// # Errors
    /// It is not text, or absent.
    pub fn required_text(self, name: &str) -> Result<&'a str, ToolFailure> {
        self.text(name)?.ok_or_else(|| ToolFailure::missing(name))
    }

    /// A text that says nothing when it is empty: a name, a path, a date.
    ///
    /// # Errors
    /// It is not text.
    pub fn word(self, name: &str) -> Result<Option<&'a str>, ToolFailure> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()))
    }

    /// As [`Self::word`], where there has to be one.
    ///
    /// # Errors
    /// It is not text, empty or absent.
    pub fn required_word(self, name: &str) -> Result<&'a str, ToolFailure> {
        self.word(name)?.ok_or_else(|| ToolFailure::missing(name))
    }

    /// A switch; off if it is absent.
    ///
    /// # Errors
    /// It is neither true nor false.
    pub fn flag(self, name: &str) -> Result<bool, ToolFailure> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            Some(_) => Err(wrong(name, "true or false")),
        }
    }

    /// A whole number within the bounds; the largest there is means no upper bound.
    ///
    /// # Errors
    /// It is not a whole number, or beyond the bounds.
    pub fn number(self, name: &str, least: u64, most: u64) -> Result<Option<u64>, ToolFailure> {
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
            .ok_or_else(|| wrong(name, "a whole number"))?;
        let has_most = most != u64::MAX;
        if number < least as f64 || has_most && number > most as f64 {
            let bounds = match has_most {
                true => format!("{least} to {most}"),
                false => format!("{least} or more"),
            };
            return Err(wrong(name, &format!("{bounds}, not {number}")));
        }
        // The cast saturates, so that hostile numbers end at the largest.
        Ok(Some(number as u64))
    }

    /// How much of something is wanted, from 1 on. What is out of bounds becomes the nearest that is not: the answer says
    /// what it leaves out, and how to get the rest.
    ///
    /// # Errors
    /// It is not a whole number, or below 1.
    pub fn amount(self, name: &str, amount: Amount) -> Result<usize, ToolFailure> {
        let wanted = self.number(name, 1, u64::MAX)?.map(saturated);
        Ok(wanted.map_or(amount.usual, |wanted| {
            wanted.clamp(amount.least, amount.most)
        }))
    }

    /// A line, counted from 1.
    ///
    /// # Errors
    /// It is not a whole number, or below 1.
    pub fn line(self, name: &str) -> Result<Option<usize>, ToolFailure> {
        Ok(self.number(name, 1, u64::MAX)?.map(saturated))
    }

    /// Seconds to wait. More than `most` is a wait of that, since the answer says that the work continues.
    ///
    /// # Errors
    /// It is not a whole number, or negative.
    pub fn wait(self, name: &str, most: Duration) -> Result<Duration, ToolFailure> {
        let seconds = self.number(name, 0, u64::MAX)?;
        Ok(seconds.map_or(most, |seconds| most.min(Duration::from_secs(seconds))))
    }

    /// The position that a `cursor` of an earlier answer names; the beginning if there is no cursor.
    ///
    /// # Errors
    /// No answer can have named it.
    pub fn cursor(self) -> Result<usize, ToolFailure> {
        let cursor = self.number("cursor", 0, u64::MAX).map_err(|_| {
            ToolFailure::invalid(
                "`cursor` is not one that an answer has named; leave it out to start over",
            )
        })?;
        Ok(cursor.map_or(0, saturated))
    }

    /// A list of anything.
    ///
    /// # Errors
    /// It is not an array.
    pub fn list(self, name: &str) -> Result<Option<&'a [Value]>, ToolFailure> {
        let slice = |value: &'a Value| value.as_array().map(Vec::as_slice);
        self.get(name)
            .map(|value| slice(value).ok_or_else(|| wrong(name, "an array")))
            .transpose()
    }

    /// A list of texts; empty if it is absent.
    ///
    /// # Errors
    /// It is neither a text nor an array of them.
    pub fn texts(self, name: &str) -> Result<Vec<&'a str>, ToolFailure> {
        let wrong = || wrong(name, "an array of strings");
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

fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn wrong(name: &str, wanted: &str) -> ToolFailure {
    ToolFailure::invalid(format!("`{name}` must be {wanted}"))
}
