//! What can be set at an agent: what waits for a change, and what was told. Plain data.

use crate::event::EventBody;
use crate::session::modes::setting::Setting;
use crate::session::prompt_turn::prompt::Prompt;

/// What waits for a change, and what was told of what there is to set.
#[derive(Default)]
pub(in crate::session) struct AgentSettings {
    /// The prompt that waits for a setting.
    pub(in crate::session) pending: Option<Prompt>,
    /// What was told last of what can be set.
    pub(in crate::session) told: Option<EventBody>,
    /// The agent's mode for it.
    pub(in crate::session) mode_for_plan: ModeForPlan,
}

/// The agent's mode during a planning.
#[derive(Debug, Default)]
pub(crate) struct ModeForPlan {
    /// It has been seen to for this planning.
    pub(in crate::session) is_seen_to: bool,
    /// The agent's own planning mode is on.
    pub(in crate::session) own: Option<String>,
    /// What takes the agent out again.
    pub(in crate::session) back: Option<Setting>,
}
