//! One change of a setting, and those that wait for the next prompt. It knows no session.

use std::collections::VecDeque;

use serde_json::{Value, json};
use siderail_acp::requests;

/// One change of what is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// By `session/set_mode`.
    Mode(String),
    /// By `session/set_config_option`: its id and the value.
    Option(String, OptionValue),
    /// By `session/set_model`.
    Model(String),
}

/// What an option is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptionValue {
    Choice(String),
    Switch(bool),
}

impl Setting {
    pub(in crate::session) fn request(&self, session: &str) -> (&'static str, Value) {
        match self {
            Self::Mode(mode) => {
                let params = json!({"sessionId": session, "modeId": mode});
                (requests::SET_MODE, params)
            }
            Self::Option(id, OptionValue::Choice(value)) => {
                let params = requests::set_config_option(session, id, value);
                (requests::SET_CONFIG_OPTION, params)
            }
            Self::Option(id, OptionValue::Switch(on)) => {
                let params = requests::set_boolean_option(session, id, *on);
                (requests::SET_CONFIG_OPTION, params)
            }
            Self::Model(model) => {
                let params = json!({"sessionId": session, "modelId": model});
                (requests::SET_MODEL, params)
            }
        }
    }

    /// Both set the same.
    pub(in crate::session) fn is_about(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mode(_), Self::Mode(_)) | (Self::Model(_), Self::Model(_)) => true,
            (Self::Option(one, _), Self::Option(another, _)) => one == another,
            _ => false,
        }
    }

    /// For people.
    pub(in crate::session) fn shown(&self) -> String {
        match self {
            Self::Mode(mode) => format!("the mode `{mode}`"),
            Self::Option(id, OptionValue::Choice(value)) => format!("`{id}` = `{value}`"),
            Self::Option(id, OptionValue::Switch(on)) => format!("`{id}` = {on}"),
            Self::Model(model) => format!("the model `{model}`"),
        }
    }
}

/// Settings that are to be made before the next prompt goes out.
#[derive(Debug, Default)]
pub(crate) struct Due {
    waiting: VecDeque<Setting>,
    /// What a person has set since the start, the last word on each.
    made: Vec<Setting>,
}

impl Due {
    pub(in crate::session) fn add(&mut self, setting: Setting) {
        self.waiting.push_back(setting);
    }

    pub(in crate::session) fn next(&mut self) -> Option<Setting> {
        self.waiting.pop_front()
    }

    /// The agent took what a person has set.
    pub(in crate::session) fn made(&mut self, setting: Setting) {
        self.made.retain(|made| !made.is_about(&setting));
        self.made.push(setting);
    }

    /// The same for a new process: what was set is to hold there, too.
    pub(in crate::session) fn anew(self) -> Self {
        Self {
            waiting: VecDeque::new(),
            ..self
        }
    }

    /// What a person has set in an earlier process is made again, after all that is wanted from the start.
    pub(in crate::session) fn make_again(&mut self) {
        self.waiting.extend(self.made.iter().cloned());
    }
}
