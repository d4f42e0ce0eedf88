//! The agent's mode while a plan is made: its own planning mode or, if it has none, the mode in which it asks; and the
//! way back.
//!
//! An agent that accepts no mode changes nothing of what is closed: the guard sees to that.

use siderail_acp::Session;

use crate::profile::{PlanMode, Profile};
use crate::session::modes::{
    OptionValue, Setting, current_choice, current_mode, mode_called, mode_change,
};

/// The agent's mode during a planning.
#[derive(Debug, Default)]
pub(in crate::session) struct ModeForPlan {
    /// It has been seen to for this planning.
    pub(in crate::session) is_seen_to: bool,
    /// The agent's own planning mode is on.
    pub(in crate::session) own: Option<String>,
    /// What takes the agent out again.
    pub(in crate::session) back: Option<Setting>,
}

impl ModeForPlan {
    /// The agent's own mode for making a plan, while it is on.
    pub(in crate::session) fn on<'a>(&self, own: Option<&'a PlanMode>) -> Option<&'a PlanMode> {
        own.filter(|_| self.own.is_some())
    }

    /// The setting that has to be made before a prompt: into a mode for planning, or out of it. `closes_writing`: a plan
    /// is wanted.
    pub(in crate::session) fn due(
        &mut self,
        closes_writing: bool,
        acp: Option<&Session>,
        profile: &Profile,
    ) -> Option<Setting> {
        if !closes_writing {
            self.own = None;
            return self.back.take();
        }
        if std::mem::replace(&mut self.is_seen_to, true) {
            return None;
        }
        // One planning after the other: the agent is where it has to be, and what leads back stays.
        if self.own.is_some() {
            return None;
        }
        let (own, into, back) = ways_of_planning(acp?, profile)?;
        self.own = own;
        self.back = Some(back);
        Some(into)
    }

    /// The agent did not take a mode for planning: the guard alone keeps the files as they are.
    pub(in crate::session) fn refused(&mut self) {
        self.own = None;
        self.back = None;
    }
}

/// The agent's planning mode or, if it has none, the mode in which it asks; and the way back.
fn ways_of_planning(
    acp: &Session,
    profile: &Profile,
) -> Option<(Option<String>, Setting, Setting)> {
    let id = |mode: &str| mode_called(acp, mode).unwrap_or_else(|| mode.to_owned());
    if let Some(spec) = &profile.plan {
        let planning = id(&spec.mode);
        let back_to = |current: Option<&str>| {
            let current = current.filter(|current| **current != *planning);
            current.unwrap_or(&spec.work).to_owned()
        };
        let choice =
            |id: &String, value: String| Setting::Option(id.clone(), OptionValue::Choice(value));
        let found = match &spec.option {
            Some(id) => current_choice(acp, id).map(|now| {
                let back = choice(id, back_to(Some(now)));
                (choice(id, spec.mode.clone()), back)
            }),
            None => mode_change(acp, &spec.mode).zip(mode_change(acp, &back_to(current_mode(acp)))),
        };
        if let Some((into, back)) = found {
            return Some((Some(spec.mode.clone()), into, back));
        }
    }
    let asking = id(profile.mode.as_deref()?);
    let now = current_mode(acp).filter(|now| *now != asking)?;
    Some((None, mode_change(acp, &asking)?, mode_change(acp, now)?))
}

/// Takes note of a change of the agent's mode where a message only repeats it. True for such a message.
pub(in crate::session) fn is_echo(
    text: &str,
    own: Option<&PlanMode>,
    acp: Option<&mut Session>,
) -> bool {
    let echo = own.and_then(|own| own.echo.as_deref());
    let Some(mode) = echo.and_then(|echo| text.strip_prefix(echo)) else {
        return false;
    };
    let mode = mode.trim();
    let known = acp.filter(|acp| acp.modes().is_some_and(|modes| modes.has(mode)));
    known.map(|acp| acp.set_mode(mode)).is_some()
}
