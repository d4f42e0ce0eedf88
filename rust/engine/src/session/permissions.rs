//! What an agent asks permission for, from the request or the hook to the answer: what it is about, what the guard
//! says, what a person is shown and has decided beforehand.
//!
//! Data, decisions and effects: the way that a request takes from part to part is in [`super::dispatch`]. What only the
//! disk or git knows of an action, its [`judge`] looks up, on the session's worker. [`super::guidance`] brings the reason
//! for a denial to the model.

pub(in crate::session) mod action;
pub(in crate::session) mod agent_hook;
pub(in crate::session) mod always_allowed;
pub(in crate::session) mod answers;
pub(in crate::session) mod approvals;
mod by_name;
pub(in crate::session) mod command_lines;
pub(in crate::session) mod hooks;
pub(in crate::session) mod judge;
pub(in crate::session) mod judged_request;
pub(in crate::session) mod judging;
pub(in crate::session) mod open_questions;
pub(in crate::session) mod options;
pub(in crate::session) mod places;
pub(in crate::session) mod presented_plan;
pub(in crate::session) mod preview;
pub(in crate::session) mod reasons;
pub(in crate::session) mod shell_language;
pub(in crate::session) mod unasked;
mod unworkable;

use std::collections::BTreeMap;

use crate::session::question::Ask;
use agent_hook::AgentHook;

/// What a person is asked.
#[derive(Default)]
pub(in crate::session) struct Questions {
    /// Questions to the person, by request number.
    pub(in crate::session) asks: BTreeMap<u64, Ask>,
    /// What the agent's hook says of calls.
    pub(in crate::session) hook: AgentHook,
}

#[cfg(test)]
mod tests;
