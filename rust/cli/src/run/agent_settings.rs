//! The modes, models and options that an agent lets the user set, worded for a terminal. It sets nothing.

use siderail_engine::event::{OptionChoice, SessionOption, short_name, short_names};

use crate::style::one_line;

/// Characters of a name or a value.
const WORDS: usize = 80;
/// Choices that are listed.
const MOST: usize = 40;

/// What the option is called that `/mode` sets, whatever the agent sets it by.
pub(super) const MODE: &str = SessionOption::MODE;
/// The same of `/model`.
const MODEL: &str = SessionOption::MODEL;

/// What an agent lets be set, and what is in force.
#[derive(Debug, Default)]
pub(super) struct Settable {
    mode: String,
    modes: Vec<OptionChoice>,
    options: Vec<SessionOption>,
}

impl Settable {
    pub(super) fn new(
        mode: Option<&str>,
        modes: &[OptionChoice],
        options: &[SessionOption],
    ) -> Self {
        Self {
            mode: mode.unwrap_or_default().to_owned(),
            modes: modes.to_vec(),
            options: options.to_vec(),
        }
    }

    /// The modes and all options, a line each.
    pub(super) fn all(&self) -> String {
        let options = self.options.iter().map(|option| option.id.as_str());
        let names = [MODE].into_iter().chain(options);
        let lines: String = names.filter_map(|name| self.line(name)).collect();
        match lines.is_empty() {
            true => "the agent has no modes or options\n".to_owned(),
            false => lines,
        }
    }

    /// The modes.
    pub(super) fn all_modes(&self) -> String {
        self.line(MODE)
            .unwrap_or_else(|| "the agent has no modes\n".to_owned())
    }

    /// The models.
    pub(super) fn all_models(&self) -> String {
        self.line(self.model())
            .unwrap_or_else(|| "the agent does not let its model be set\n".to_owned())
    }

    /// One option with its values; none if there is no such option.
    pub(super) fn line(&self, name: &str) -> Option<String> {
        let values = match self.option(name) {
            _ if name == MODE && !self.modes.is_empty() => choices(&self.modes, &self.mode),
            Some(option) if option.choices.is_empty() => one_line(&option.current, WORDS),
            Some(option) => choices(&option.choices, &option.current),
            None => return None,
        };
        Some(format!("{}: {values}\n", one_line(name, WORDS)))
    }

    /// The id of the option that `/model` sets.
    pub(super) fn model(&self) -> &str {
        let is_model = |option: &&SessionOption| option.category == MODEL;
        let named = self.option(MODEL);
        let option = named.or_else(|| self.options.iter().find(is_model));
        option.map_or(MODEL, |option| option.id.as_str())
    }

    /// Whether an option is set to that.
    pub(super) fn is_set(&self, name: &str, wanted: &str) -> bool {
        self.current(name)
            .is_some_and(|current| is_called(current, wanted))
    }

    fn current(&self, name: &str) -> Option<&str> {
        match self.option(name) {
            _ if name == MODE && !self.modes.is_empty() => Some(&self.mode),
            option => Some(&option?.current),
        }
    }

    /// What an option is set to, in a sentence.
    pub(super) fn told(&self, name: &str, wanted: &str) -> Option<String> {
        let current = self.current(name)?;
        let is = match is_called(current, wanted) {
            true => "is now",
            false => "is",
        };
        let current = short_name(current);
        let (name, current) = (one_line(name, WORDS), one_line(current, WORDS));
        Some(format!("{name} {is} {current}\n"))
    }

    /// True where the agent has an option of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        name == MODE && !self.modes.is_empty() || self.option(name).is_some()
    }

    fn option(&self, name: &str) -> Option<&SessionOption> {
        self.options.iter().find(|option| option.id == name)
    }
}

fn is_called(value: &str, name: &str) -> bool {
    value == name || short_name(value) == name
}

fn choices(all: &[OptionChoice], current: &str) -> String {
    let values: Vec<&str> = all.iter().map(|choice| choice.value.as_str()).collect();
    let names = short_names(&values);
    let choice = |(value, name): (&&str, &&str)| {
        let name = one_line(name, WORDS);
        match *value == current {
            true => format!("{name} (current)"),
            false => name,
        }
    };
    let shown: Vec<String> = values.iter().zip(&names).take(MOST).map(choice).collect();
    let more = all.len().saturating_sub(MOST);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}
