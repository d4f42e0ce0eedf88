//! Reads from the agent's messages what can be set: its modes, however it implements them, its options and their
//! current values.
//!
//! Knows nothing of how anything is set, and sends nothing.

use siderail_acp::options::{ConfigOption, ConfigValue, Mode};

use super::{MODE, MODEL};
use crate::event::{
    EventBody, OptionChoice, OptionKind, SessionOption, SessionOptions, short_names,
};

pub(super) fn is_mode(option: &ConfigOption) -> bool {
    option.category.as_deref() == Some(MODE)
}

/// The value of an option's choice that is called this.
pub(super) fn choice_called<'a>(option: &'a ConfigOption, name: &str) -> Option<&'a str> {
    called(&choices(option), name)
}

/// The values of a select option's choices.
pub(super) fn choices(option: &ConfigOption) -> Vec<&str> {
    let choices = match &option.value {
        ConfigValue::Select { choices, .. } => choices.as_slice(),
        _ => &[],
    };
    choices.iter().map(|choice| choice.value.as_str()).collect()
}

/// What a select option is set to.
pub(in crate::session) fn current_choice<'a>(
    acp: &'a siderail_acp::Session,
    id: &str,
) -> Option<&'a str> {
    let option = acp.config_options().iter().find(|option| option.id == id)?;
    match &option.value {
        ConfigValue::Select { current, .. } => Some(current),
        _ => None,
    }
}

/// The mode in force, however the agent has it.
pub(in crate::session) fn current_mode(acp: &siderail_acp::Session) -> Option<&str> {
    let of_option = || {
        let option = acp.config_options().iter().find(|option| is_mode(option))?;
        current_choice(acp, &option.id)
    };
    let modes = acp.modes().map(|modes| modes.current.as_str());
    modes.filter(|mode| !mode.is_empty()).or_else(of_option)
}

/// The modes in words, as a hint for people.
pub(in crate::session) fn modes_there_are(acp: &siderail_acp::Session) -> String {
    match mode_ids(acp).as_slice() {
        [] => "it offers no modes".to_owned(),
        ids => format!("its modes are: {}", short_names(&texts(ids)).join(", ")),
    }
}

/// Each mode once: many agents name them as modes and as an option.
pub(in crate::session) fn mode_ids(acp: &siderail_acp::Session) -> Vec<String> {
    modes_of(acp).into_iter().map(|mode| mode.value).collect()
}

/// The id of the mode that is called this.
pub(in crate::session) fn mode_called(acp: &siderail_acp::Session, name: &str) -> Option<String> {
    called(&texts(&mode_ids(acp)), name).map(str::to_owned)
}

fn texts(values: &[String]) -> Vec<&str> {
    values.iter().map(String::as_str).collect()
}

/// The value that is called this: exactly, or by its short name.
fn called<'a>(values: &[&'a str], name: &str) -> Option<&'a str> {
    let at = |names: &[&str]| names.iter().position(|one| *one == name);
    let at = at(values).or_else(|| at(&short_names(values)))?;
    Some(values[at])
}

fn modes_of(acp: &siderail_acp::Session) -> Vec<OptionChoice> {
    let named = acp.modes().into_iter().flat_map(|modes| &modes.available);
    let mut modes: Vec<OptionChoice> = named.map(choice_of).collect();
    for option in acp.config_options().iter().filter(|option| is_mode(option)) {
        for choice in select_choices(option) {
            if !modes.iter().any(|mode| mode.value == choice.value) {
                modes.push(choice);
            }
        }
    }
    modes
}

fn choice_of(mode: &Mode) -> OptionChoice {
    OptionChoice {
        value: mode.id.clone(),
        name: mode.name.clone(),
        description: mode.description.clone(),
        group: None,
    }
}

fn select_choices(option: &ConfigOption) -> Vec<OptionChoice> {
    let ConfigValue::Select { choices, .. } = &option.value else {
        return Vec::new();
    };
    let choice = |choice: &siderail_acp::options::ConfigChoice| OptionChoice {
        value: choice.value.clone(),
        name: choice.name.clone(),
        description: choice.description.clone(),
        group: choice.group.clone(),
    };
    choices.iter().map(choice).collect()
}

pub(in crate::session) fn options_event(acp: &siderail_acp::Session) -> EventBody {
    EventBody::SessionOptions(SessionOptions {
        mode: current_mode(acp).map(str::to_owned),
        modes: modes_of(acp),
        options: options_of(acp),
    })
}

/// Everything that can be set beside the mode.
pub(in crate::session) fn options_of(acp: &siderail_acp::Session) -> Vec<SessionOption> {
    let options = acp
        .config_options()
        .iter()
        .filter(|option| !is_mode(option));
    let mut options: Vec<SessionOption> = options.map(session_option).collect();
    let has_model = options.iter().any(|o| o.category == MODEL || o.id == MODEL);
    if let Some(models) = acp.models().filter(|_| !has_model) {
        options.push(SessionOption {
            id: MODEL.to_owned(),
            name: "Model".to_owned(),
            category: MODEL.to_owned(),
            kind: OptionKind::Select,
            current: models.current.clone(),
            choices: models.available.iter().map(choice_of).collect(),
        });
    }
    options
}

fn session_option(option: &ConfigOption) -> SessionOption {
    let (kind, current) = match &option.value {
        ConfigValue::Select { current, .. } => (OptionKind::Select, current.clone()),
        ConfigValue::Boolean { current } => (OptionKind::Boolean, current.to_string()),
        ConfigValue::Unknown => (OptionKind::Unknown, String::new()),
    };
    SessionOption {
        id: option.id.clone(),
        name: option.name.clone(),
        category: option.category.clone().unwrap_or_default(),
        kind,
        current,
        choices: select_choices(option),
    }
}
