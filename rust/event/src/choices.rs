//! What a person can set in a session, as events report it: modes, models and options, however the agent implements
//! them.

use serde::{Deserialize, Serialize};

use crate::kinds::OptionKind;
use crate::texts::{Texts, Visit, Word, texts};

/// Something of a session that can be set to one of several values, or on and off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionOption {
    /// Names it in `set_option`.
    pub id: String,
    /// For a person.
    pub name: String,
    /// What it is about, in the agent's word: `mode`, `model`, `thought_level` … ; empty when it says nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// What it takes; an `unknown` one can only be shown.
    pub kind: OptionKind,
    /// The value in force: a choice's `value`, `true` or `false`; empty when it is unknown.
    pub current: String,
    /// What a `select` can be set to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<OptionChoice>,
}

impl SessionOption {
    /// The category of options that hold modes, and what people call the mode, however the agent implements it.
    pub const MODE: &str = "mode";
    /// The category of options that hold models, and the id of the model where the agent sets it by a method of its own.
    pub const MODEL: &str = "model";
}

/// One value of an option, or one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptionChoice {
    /// Names it in `set_option` or `set_mode`.
    pub value: String,
    /// For a person.
    pub name: String,
    /// For a person; empty when the agent gives none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The group that it is shown in, where choices are grouped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// What people type and read in place of these values, in their order: of an address, what follows its last `#` or `/`,
/// unless that would match several of them.
pub fn short_names<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let name = |value: &&'a str| {
        let short = short_name(value);
        let called = values.iter().filter(|other| short_name(other) == short);
        if called.count() == 1 { short } else { value }
    };
    values.iter().map(name).collect()
}

/// The short name of one value, where nothing else could be meant.
pub fn short_name(value: &str) -> &str {
    let last = value.rsplit(['#', '/']).next();
    let is_address = value.contains("://");
    last.filter(|last| is_address && !last.is_empty())
        .unwrap_or(value)
}

texts! {
    /// A slash command of the agent: typed as a prompt that begins with `/` and its name.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AgentCommand {
        /// Without the slash.
        pub name: String as is,
        /// For people; may be empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub description: String,
        /// What may follow the name, where something may.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub hint: Option<String> as is,
    }
}
