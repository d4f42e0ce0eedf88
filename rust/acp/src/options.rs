//! What a user can set in a session: modes, config options, slash commands (ACP schema 1.15).
//!
//! Config options are the newer form; agents send modes beside them or instead of them. A shape that is unknown keeps
//! its raw value and is shown as it is.

use serde_json::Value;

use crate::schema::{items, owned_text, text};

/// The modes of a session, where the agent has modes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Modes {
    /// Id of the mode in force.
    pub current: String,
    /// All modes, in the agent's order.
    pub available: Vec<Mode>,
}

/// One mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// To be sent with `session/set_mode`.
    pub id: String,
    /// For people.
    pub name: String,
    /// For people; empty when the agent gives none.
    pub description: String,
}

impl Modes {
    /// Reads the `modes` of a session's result; `None` when the agent has none.
    pub fn read(result: &Value) -> Option<Self> {
        let modes = result.get("modes").filter(|modes| modes.is_object())?;
        let mode = |mode: &Value| {
            Some(Mode {
                id: text(mode, "id")?.to_owned(),
                name: owned_text(mode, "name"),
                description: owned_text(mode, "description"),
            })
        };
        Some(Self {
            current: owned_text(modes, "currentModeId"),
            available: items(modes, "availableModes")
                .iter()
                .filter_map(mode)
                .collect(),
        })
    }

    /// Whether there is a mode with that id.
    pub fn has(&self, id: &str) -> bool {
        self.available.iter().any(|mode| mode.id == id)
    }
}

/// The models of a session by the way that is in no current schema (Gemini, Qwen, Codex still send them).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Models {
    /// Id of the model in force.
    pub current: String,
    /// All models, in the agent's order; ids are to be sent with `session/set_model`.
    pub available: Vec<Mode>,
}

impl Models {
    /// Reads the `models` of a session's result; `None` if it has none.
    pub fn read(result: &Value) -> Option<Self> {
        let models = result.get("models").filter(|models| models.is_object())?;
        let model = |model: &Value| {
            Some(Mode {
                id: text(model, "modelId")?.to_owned(),
                name: owned_text(model, "name"),
                description: owned_text(model, "description"),
            })
        };
        Some(Self {
            current: owned_text(models, "currentModelId"),
            available: items(models, "availableModels")
                .iter()
                .filter_map(model)
                .collect(),
        })
    }
}

/// One setting of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigOption {
    /// To be sent with `session/set_config_option`.
    pub id: String,
    /// For people.
    pub name: String,
    /// `mode`, `model`, `thought_level` …; any text.
    pub category: Option<String>,
    /// What it is set to and can be set to.
    pub value: ConfigValue,
    /// The option as sent.
    pub raw: Value,
}

/// The value of a config option, by its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigValue {
    /// One of several.
    Select {
        /// The value in force.
        current: String,
        /// The choices, those of groups in order of their groups.
        choices: Vec<ConfigChoice>,
    },
    /// On or off.
    Boolean {
        /// The value in force.
        current: bool,
    },
    /// A type this client does not know; see the raw option.
    Unknown,
}

/// One choice of a select option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigChoice {
    /// To be sent.
    pub value: String,
    /// For people.
    pub name: String,
    /// For people; empty when the agent gives none.
    pub description: String,
    /// Name of its group, if choices are grouped.
    pub group: Option<String>,
}

/// Reads the `configOptions` of a result or an update; options without an id are left out.
pub fn read_config_options(object: &Value) -> Vec<ConfigOption> {
    items(object, "configOptions")
        .iter()
        .filter_map(read_config_option)
        .collect()
}

fn read_config_option(option: &Value) -> Option<ConfigOption> {
    let current = option.get("currentValue");
    let value = match (text(option, "type"), current) {
        (Some("boolean"), Some(Value::Bool(current))) => ConfigValue::Boolean { current: *current },
        (Some("select") | None, Some(Value::String(current))) => ConfigValue::Select {
            current: current.clone(),
            choices: read_choices(option, None),
        },
        _ => ConfigValue::Unknown,
    };
    Some(ConfigOption {
        id: text(option, "id")?.to_owned(),
        name: owned_text(option, "name"),
        category: text(option, "category").map(str::to_owned),
        value,
        raw: option.clone(),
    })
}

/// The choices under `options`; an item with `options` of its own is a group of them.
fn read_choices(object: &Value, group: Option<&str>) -> Vec<ConfigChoice> {
    let mut choices = Vec::new();
    for item in items(object, "options") {
        if group.is_none() && item.get("options").is_some() {
            choices.extend(read_choices(
                item,
                Some(text(item, "name").unwrap_or_default()),
            ));
        } else if let Some(value) = text(item, "value") {
            choices.push(ConfigChoice {
                value: value.to_owned(),
                name: owned_text(item, "name"),
                description: owned_text(item, "description"),
                group: group.map(str::to_owned),
            });
        }
    }
    choices
}

/// A slash command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandInfo {
    /// Without the slash.
    pub name: String,
    /// For people.
    pub description: String,
    /// What to type behind the name, where it takes something.
    pub hint: Option<String>,
}

/// Reads the `availableCommands` of an update; commands without a name are left out.
pub fn read_commands(object: &Value) -> Vec<CommandInfo> {
    let command = |command: &Value| {
        Some(CommandInfo {
            name: text(command, "name")?.to_owned(),
            description: owned_text(command, "description"),
            hint: command
                .get("input")
                .and_then(|input| text(input, "hint"))
                .map(str::to_owned),
        })
    };
    items(object, "availableCommands")
        .iter()
        .filter_map(command)
        .collect()
}
