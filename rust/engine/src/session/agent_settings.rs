//! Settings of an agent (mode, model, options): a person's wishes, the agent's answers to them, and what was reported.
//! It knows no session.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use siderail_acp as acp;
use siderail_acp::wire::RpcError;

use crate::event::{EventBody, SessionOptions};
use crate::session::effect::Effect;
use crate::session::modes::setting::Setting;
use crate::session::modes::{
    mode_called, mode_change, modes_there_are, note_setting, option_change, options_event,
};
use crate::session::prompt_turn::prompt::Prompt;
use crate::session::wire::Tag;

/// Changes that wait, and what was last reported of the settings.
#[derive(Default)]
pub(in crate::session) struct AgentSettings {
    /// The prompt that waits for a setting.
    pub(in crate::session) pending: Option<Prompt>,
    /// What was last reported of the settings.
    pub(in crate::session) told: Option<EventBody>,
}

impl AgentSettings {
    /// A person wants another mode. `acp`: the session, once it is open.
    pub(in crate::session) fn set_mode(acp: Option<&acp::Session>, mode: &str) -> Vec<Effect> {
        let Some(acp) = acp else {
            return vec![no_session("a mode")];
        };
        match mode_change(acp, mode) {
            Some(setting) => vec![Self::change(acp, setting)],
            None => {
                let there_are = modes_there_are(acp);
                let text = format!("the agent has no mode `{mode}`; {there_are}");
                vec![Effect::Notice(text)]
            }
        }
    }

    /// A person wants an option changed.
    pub(in crate::session) fn set_option(
        acp: Option<&acp::Session>,
        option: &str,
        value: &str,
    ) -> Vec<Effect> {
        let Some(acp) = acp else {
            return vec![no_session("an option")];
        };
        vec![match option_change(acp, option, value) {
            Ok(setting) => Self::change(acp, setting),
            Err(why) => Effect::Notice(why),
        }]
    }

    fn change(acp: &acp::Session, setting: Setting) -> Effect {
        let (method, params) = setting.request(acp.id());
        Effect::Request(method, params, Tag::Set(setting))
    }

    /// The agent's answer to a change.
    pub(in crate::session) fn answered(
        &mut self,
        acp: Option<&mut acp::Session>,
        is_open: bool,
        setting: &Setting,
        outcome: &Result<Box<RawValue>, RpcError>,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut acp = acp;
        match (outcome, acp.as_deref_mut()) {
            (Ok(result), Some(acp)) => {
                note_setting(acp, setting, result);
                // The person who set it hears that it is in force, even if it was before.
                self.told = None;
            }
            (Ok(_), None) => {}
            (Err(error), _) => {
                let text = format!("the agent rejected {}: {error}", setting.shown());
                effects.push(Effect::Notice(text));
            }
        }
        effects.extend(self.tell(acp.as_deref().filter(|_| is_open)));
        effects
    }

    /// Reports what can be set, if that has changed.
    pub(in crate::session) fn tell(&mut self, acp: Option<&acp::Session>) -> Option<Effect> {
        let body = options_event(acp?);
        let is_empty = matches!(&body, EventBody::SessionOptions(SessionOptions { modes, options, .. })
            if modes.is_empty() && options.is_empty());
        if is_empty || self.told.as_ref() == Some(&body) {
            return None;
        }
        self.told = Some(body.clone());
        Some(Effect::emit(body))
    }
}

/// What is set before the first prompt.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) struct FirstSettings {
    /// The mode that is wanted, if one is, and the change that sets it, where the agent has it.
    pub(in crate::session) mode: Option<String>,
    pub(in crate::session) mode_change: Option<Setting>,
    pub(in crate::session) options: Vec<Setting>,
}

impl FirstSettings {
    /// `set`: the mode that a person has set, in place of the profile's `usual` one, which an agent need not have. The
    /// error: what cannot be set, and a hint.
    pub(in crate::session) fn of(
        acp: &acp::Session,
        set: Option<&str>,
        usual: Option<&str>,
        options: &BTreeMap<String, String>,
    ) -> Result<Self, (String, Option<String>)> {
        let mode = set.or(usual);
        let mode_change = mode.and_then(|mode| mode_change(acp, mode));
        if let (None, Some(mode)) = (&mode_change, set) {
            let text = format!("the agent has no mode `{mode}`");
            return Err((text, Some(modes_there_are(acp))));
        }
        let changes = options.iter();
        let changes = changes.map(|(option, value)| option_change(acp, option, value));
        let id = |mode: &str| mode_called(acp, mode).unwrap_or_else(|| mode.to_owned());
        Ok(Self {
            mode: mode.map(id),
            mode_change,
            options: changes
                .collect::<Result<_, _>>()
                .map_err(|why| (why, None))?,
        })
    }
}

fn no_session(what: &str) -> Effect {
    Effect::Notice(format!("{what} can be set once the session is open"))
}

#[cfg(test)]
mod tests;
