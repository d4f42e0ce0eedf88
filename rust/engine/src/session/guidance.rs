//! What the model reads of a denial, and which way it takes; and the counts of denials and failed calls.
//!
//! Whether something is denied is decided in [`super::permissions`]; what was denied in a turn is kept in
//! [`super::prompt_turn`]. [`denials::Denials`] outlives the agent's process, [`channels::OpenWays`] chooses the way, and
//! [`after_turn`] says whether guidance is the next prompt. All of it is plain data and gives effects; it knows no session.

pub(in crate::session) mod after_turn;
pub(in crate::session) mod channels;
pub(in crate::session) mod decline;
pub(in crate::session) mod denials;
pub(in crate::session) mod denied_requests;
pub(in crate::session) mod failed_calls;
pub(in crate::session) mod recipes;

use crate::api::ApiAccess;
use recipes::Recipes;

/// Which ways there are with this agent, and what is kept to see who hears of what.
pub(in crate::session) struct Guidance {
    /// The agent's own API, where it has one.
    pub(in crate::session) api: Option<ApiAccess>,
    /// Which of the profile's recipes work.
    pub(in crate::session) recipes: Recipes,
}

impl Guidance {
    /// The ways that these recipes open.
    pub(in crate::session) fn new(recipes: Recipes) -> Self {
        Self { api: None, recipes }
    }
}

#[cfg(test)]
pub(in crate::session) mod tests;
