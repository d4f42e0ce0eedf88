//! The agent's mode while a plan is made: its own one for that or, where it has none, the one in which it asks; and the
//! way back.
//!
//! An agent that takes no mode changes nothing of what is closed: that is the guard's business.

use crate::session::Session;
use crate::session::modes::{OptionValue, Setting, current_choice, current_mode, mode_change};
use crate::shared::Shared;

impl Session {
    /// The setting that has to be made before a prompt: into a mode for planning, or out of it.
    pub(in crate::session) fn due_mode(&mut self) -> Option<Setting> {
        if !self.carried.planning.closes_writing() {
            self.agent_settings.mode_for_plan.own = None;
            return self.agent_settings.mode_for_plan.back.take();
        }
        if std::mem::replace(&mut self.agent_settings.mode_for_plan.is_seen_to, true) {
            return None;
        }
        // One planning after the other: the agent is where it has to be, and what leads back stays.
        if self.agent_settings.mode_for_plan.own.is_some() {
            return None;
        }
        let (own, into, back) = self.ways_of_planning()?;
        self.agent_settings.mode_for_plan.own = own;
        self.agent_settings.mode_for_plan.back = Some(back);
        Some(into)
    }

    /// The own planning mode or, where there is none, the mode in which the agent asks; and the way back.
    fn ways_of_planning(&self) -> Option<(Option<String>, Setting, Setting)> {
        let acp = self.handshake.acp.as_ref()?;
        let spec = self.facts.profile.plan.as_ref();
        if let Some(spec) = spec {
            let back_to = |current: Option<&str>| {
                let current = current.filter(|current| *current != spec.mode);
                current.unwrap_or(&spec.work).to_owned()
            };
            let choice = |id: &String, value: String| {
                Setting::Option(id.clone(), OptionValue::Choice(value))
            };
            let found = match &spec.option {
                Some(id) => current_choice(acp, id).map(|now| {
                    let back = choice(id, back_to(Some(now)));
                    (choice(id, spec.mode.clone()), back)
                }),
                None => {
                    mode_change(acp, &spec.mode).zip(mode_change(acp, &back_to(current_mode(acp))))
                }
            };
            if let Some((into, back)) = found {
                return Some((Some(spec.mode.clone()), into, back));
            }
        }
        let asking = self.facts.profile.mode.as_deref()?;
        let now = current_mode(acp).filter(|now| *now != asking)?;
        Some((None, mode_change(acp, asking)?, mode_change(acp, now)?))
    }

    /// The agent did not take a mode for planning: the guard alone keeps the files as they are.
    pub(in crate::session) fn mode_for_plan_refused(&mut self) {
        self.agent_settings.mode_for_plan.own = None;
        self.agent_settings.mode_for_plan.back = None;
    }

    /// The agent's own tool for presenting a plan, while its own mode is on.
    pub(in crate::session) fn exit_tool(&self) -> Option<&str> {
        let is_on = self.agent_settings.mode_for_plan.own.is_some();
        let spec = self.facts.profile.plan.as_ref().filter(|_| is_on)?;
        spec.exit_tool.as_deref()
    }

    /// True for a message that only repeats a change of the agent's mode.
    pub(in crate::session) fn is_mode_echo(&mut self, text: &str, shared: &mut Shared) -> bool {
        let spec = self.facts.profile.plan.as_ref();
        let echo = spec.and_then(|spec| spec.echo.as_deref());
        let Some(mode) = echo.and_then(|echo| text.strip_prefix(echo)) else {
            return false;
        };
        let mode = mode.trim().to_owned();
        let known = self
            .handshake
            .acp
            .as_mut()
            .filter(|acp| acp.modes().is_some_and(|m| m.has(&mode)));
        let Some(acp) = known else { return false };
        acp.set_mode(&mode);
        self.tell_options(shared);
        true
    }
}
