//! Sets a session's modes, config options of all shapes, and models by the older method.
//!
//! For people a mode or model is one thing, however the agent implements it. An agent that answers with an error keeps
//! its setting, which is reported. [`offered`] reads what can be set.

mod offered;
pub(in crate::session) mod setting;

use serde_json::{Value, value::RawValue};
use siderail_acp::options::{ConfigOption, ConfigValue, read_config_options};

use crate::event::{SessionOption, short_names};

use self::offered::{choice_called, choices, is_mode};
pub(in crate::session) use self::offered::{
    current_choice, current_mode, mode_called, mode_ids, modes_there_are, options_event, options_of,
};
pub(crate) use self::setting::{Due, OptionValue, Setting};

const MODE: &str = SessionOption::MODE;
const MODEL: &str = SessionOption::MODEL;

/// Takes over what an agent has set: those that took a change do not always say so in an update.
pub(in crate::session) fn note_setting(
    acp: &mut siderail_acp::Session,
    setting: &Setting,
    result: &RawValue,
) {
    let result: Value = serde_json::from_str(result.get()).unwrap_or(Value::Null);
    if result.get("configOptions").is_some_and(Value::is_array) {
        acp.take_over(None, Some(read_config_options(&result)));
    }
    match setting {
        Setting::Mode(mode) => acp.set_mode(mode),
        Setting::Model(model) => acp.set_model(model),
        Setting::Option(id, OptionValue::Choice(value)) => {
            let is_mode = acp
                .config_options()
                .iter()
                .any(|o| o.id == *id && is_mode(o));
            if is_mode {
                acp.set_mode(value);
            }
        }
        Setting::Option(_, OptionValue::Switch(_)) => {}
    }
}

/// The change that sets a mode, by config option where there is one for it, else by the older way.
pub(in crate::session) fn mode_change(acp: &siderail_acp::Session, mode: &str) -> Option<Setting> {
    let mode = mode_called(acp, mode)?;
    if acp.modes().is_some_and(|modes| modes.has(&mode)) {
        return Some(Setting::Mode(mode));
    }
    let offers = |option: &&ConfigOption| is_mode(option) && choice_called(option, &mode).is_some();
    let option = acp.config_options().iter().find(offers)?;
    let value = OptionValue::Choice(mode);
    Some(Setting::Option(option.id.clone(), value))
}

/// The change that sets an option, or what there is instead, for people.
pub(in crate::session) fn option_change(
    acp: &siderail_acp::Session,
    id: &str,
    value: &str,
) -> Result<Setting, String> {
    let Some(option) = acp.config_options().iter().find(|option| option.id == id) else {
        return match (id, acp.models(), mode_change(acp, value)) {
            (MODEL, Some(models), _) if models.available.iter().any(|m| m.id == value) => {
                Ok(Setting::Model(value.to_owned()))
            }
            (MODEL, Some(models), _) => {
                let ids = models.available.iter().map(|model| model.id.as_str());
                Err(no_value(id, value, ids))
            }
            (MODE, _, Some(setting)) => Ok(setting),
            (MODE, _, None) => Err(format!(
                "the agent has no mode `{value}`; {}",
                modes_there_are(acp)
            )),
            _ => Err(no_option(acp, id)),
        };
    };
    let taken = match (&option.value, value) {
        (ConfigValue::Boolean { .. }, "true" | "on") => OptionValue::Switch(true),
        (ConfigValue::Boolean { .. }, "false" | "off") => OptionValue::Switch(false),
        (ConfigValue::Boolean { .. }, _) => {
            return Err(no_value(id, value, ["true", "false"].into_iter()));
        }
        (ConfigValue::Select { .. }, _) => {
            let Some(value) = choice_called(option, value) else {
                let values = short_names(&choices(option));
                return Err(no_value(id, value, values.into_iter()));
            };
            OptionValue::Choice(value.to_owned())
        }
        (ConfigValue::Unknown, _) => {
            return Err(format!("the option `{id}` is read-only"));
        }
    };
    Ok(Setting::Option(id.to_owned(), taken))
}

fn no_value<'a>(id: &str, value: &str, there_are: impl Iterator<Item = &'a str>) -> String {
    let there_are: Vec<&str> = there_are.collect();
    format!(
        "`{id}` cannot be `{value}`; valid values: {}",
        there_are.join(", ")
    )
}

fn no_option(acp: &siderail_acp::Session, id: &str) -> String {
    let mut ids: Vec<&str> = acp.config_options().iter().map(|o| o.id.as_str()).collect();
    if acp.models().is_some() && !ids.contains(&MODEL) {
        ids.push(MODEL);
    }
    match ids.as_slice() {
        [] => format!("the agent has no option `{id}`; it has no options"),
        ids => format!(
            "the agent has no option `{id}`; its options are {}",
            ids.join(", ")
        ),
    }
}
