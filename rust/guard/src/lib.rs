//! Decides what a coding agent may do with its own tools, and what its model is asked to do instead.
//!
//! Pure: no I/O, no clock, no environment, no async. JSON comes in as plain [`serde_json::Value`]; what goes out are
//! plain types. Reading order: [`action`], [`normalize`], [`policy`], [`decision`], [`guidance`], then [`denial`] (with
//! [`access`]) and [`canary`], which only observe. [`shell`], a crate of its own, reads command lines; [`found`]
//! translates its findings, [`explain`] prints them.

pub mod access;
pub mod action;
mod builtin;
pub mod canary;
mod context;
mod dangers;
pub mod decision;
pub mod denial;
pub mod explain;
pub mod found;
mod gate;
pub mod guidance;
mod name_form;
pub mod normalize;
pub mod path;
pub mod planning;
pub mod policy;

pub use action::{Action, ActionKind, Identity};
pub use canary::{Canary, Unguarded};
pub use dangers::{paths_of_danger, with_dangers_allowed};
pub use decision::{Decision, Reason, Verdict};
pub use denial::{DenialSummary, DenialTracker, Effects, Escalation, Escalations};
pub use gate::{command_folder, git_action, own_tool_gate, waits_for_person, with_named_program};
pub use guidance::NameForm;
pub use normalize::{AgentNames, IdentityRule, RequestView};
pub use path::{PathFact, Place};
pub use policy::{Context, Policy, decide};
pub use siderail_catalog as tool;
pub use siderail_shell as shell;
pub use tool::Tool;
