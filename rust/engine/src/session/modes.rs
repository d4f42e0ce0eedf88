//! What an agent offers besides prompts: modes to set, ways to log in.

use serde_json::{Value, json};
use siderail_acp::initialize::{AuthKind, AuthMethod};
use siderail_acp::options::{ConfigOption, ConfigValue};
use siderail_acp::requests;

/// The request that sets a mode, by config option where there is one for it, else by the older way.
pub(super) fn mode_change(
    acp: &siderail_acp::Session,
    mode: &str,
) -> Option<(&'static str, Value)> {
    if acp.modes().is_some_and(|modes| modes.has(mode)) {
        let params = json!({"sessionId": acp.id(), "modeId": mode});
        return Some((requests::SET_MODE, params));
    }
    let option = acp
        .config_options()
        .iter()
        .find(|option| offers(option, mode))?;
    let params = json!({"sessionId": acp.id(), "configId": option.id, "value": mode});
    Some((requests::SET_CONFIG_OPTION, params))
}

fn offers(option: &ConfigOption, mode: &str) -> bool {
    option.category.as_deref() == Some("mode") && choices(option).any(|choice| choice == mode)
}

fn choices(option: &ConfigOption) -> impl Iterator<Item = &str> {
    let choices = match &option.value {
        ConfigValue::Select { choices, .. } => choices.as_slice(),
        _ => &[],
    };
    choices.iter().map(|choice| choice.value.as_str())
}

/// Each mode once: many agents name them as modes and as an option.
pub(super) fn mode_ids(acp: &siderail_acp::Session) -> Vec<&str> {
    let modes = acp.modes().into_iter().flat_map(|modes| &modes.available);
    let options = acp
        .config_options()
        .iter()
        .filter(|o| o.category.as_deref() == Some("mode"));
    let named = modes
        .map(|mode| mode.id.as_str())
        .chain(options.flat_map(choices));
    let mut ids = Vec::new();
    for id in named {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// A login method in words: the exact command where there is one.
pub(super) fn login_way(method: &AuthMethod) -> String {
    let how = match &method.kind {
        AuthKind::Command { command, args, .. } => format!("{command} {}", args.join(" ")),
        AuthKind::Terminal { args, .. } => format!("the agent's program with {}", args.join(" ")),
        AuthKind::Environment { vars } => format!("set {}", vars.join(" or ")),
        AuthKind::Agent | AuthKind::Unknown { .. } => method.id.clone(),
    };
    format!("{}: {}", method.name, how.trim())
}
