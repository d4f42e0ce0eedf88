//! What several commands take in the same words: how an agent is started, and what its session begins with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use siderail_engine::guard::Policy;

/// With what an agent is started.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LaunchArgs {
    /// Set an environment variable for the agent; repeatable
    #[arg(long, value_name = "K=V")]
    pub(crate) agent_env: Vec<String>,
    /// A file that adds or overrides agent profiles; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
}

/// What a session begins with.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionArgs {
    /// What happens to the agent's own tools [default: the `policy` setting, else redirect]
    #[arg(long, value_name = "P", value_enum)]
    pub(crate) policy: Option<PolicyName>,
    /// Hide the agent's own tools from the model [default: the `hide` setting, else on]
    #[arg(long, value_name = "on|off", value_enum, hide_possible_values = true)]
    pub(crate) hide: Option<Switch>,
    /// Let Siderail change this agent's own configuration files until its last session ends; repeatable
    #[arg(long, value_name = "AGENT")]
    pub(crate) consent: Vec<String>,
    /// Set the agent's mode; an unknown mode lists the available ones
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Set an option of the agent, such as its model; repeatable
    #[arg(long, value_name = "OPTION=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Policies, see the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// Deny tools that ours replace, with guidance; ask about the rest
    Redirect,
    /// Ask about everything that is not plainly harmless
    Ask,
    /// Like ask, but hide no tools and give the model no instructions
    Observe,
    /// Like redirect, but allow the rest unless it is dangerous or writes outside the project
    Yolo,
}

impl PolicyName {
    /// The engine's policy.
    pub(crate) fn policy(self) -> Policy {
        match self {
            Self::Redirect => Policy::Redirect,
            Self::Ask => Policy::Ask,
            Self::Observe => Policy::Observe,
            Self::Yolo => Policy::Yolo,
        }
    }
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}
