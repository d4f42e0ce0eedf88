//! What can be typed about agents: listing, fetching, logging in, examining, and taking back what was agreed to.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List the agents: found or not, tested versions, how guidance reaches them
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  siderail agents --json\n  siderail agents login copilot\n  siderail agents untrust openhands"
)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AgentsCommand>,
    /// A file with further profiles, or with other data for known ones; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
    /// Print one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be done about an agent.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    Fetch(FetchArgs),
    Login(LoginArgs),
    Untrust(UntrustArgs),
}

/// Agree to run an agent that is not installed out of its package, and download that
///
/// The package is run by npx or uvx in the version that was tested, which `siderail agents untrust` takes
/// back. On a terminal `siderail run` asks the same before it runs a package for the first time.
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail agents fetch gemini")]
pub(crate) struct FetchArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// A file with further profiles, or with other data for known ones; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
}

/// Log in to an agent by one of its own ways, then see whether it opens a session
///
/// Where the agent carries the login out by itself it is told to; where it wants a command to be run,
/// that runs in this terminal. Nobody at a terminal: the command is printed, and the exit code is 7.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail agents login copilot\n  \
    siderail agents login gemini --method oauth-personal")]
pub(crate) struct LoginArgs {
    /// The agent's profile (see `siderail agents`); any other name together with --agent-command
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// One of the agent's logins, where it has several
    #[arg(long, value_name = "ID")]
    pub(crate) method: Option<String>,
    /// Start the agent with this command line instead of the profile's
    #[arg(long, value_name = "CMD ARGS", allow_hyphen_values = true)]
    pub(crate) agent_command: Option<String>,
    /// A variable of the agent's environment; may be given again
    #[arg(long, value_name = "K=V")]
    pub(crate) agent_env: Vec<String>,
    /// A file with further profiles, or with other data for known ones; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
}

/// Put back what was changed in your own files for an agent with your consent, and run it out of its
/// package no more
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail agents untrust openhands")]
pub(crate) struct UntrustArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
}

/// Start an installed agent and say what works of its guard, and what to fix
///
/// No prompt is sent. Looked at are its version, login, tools, hidden tools, mode and hook; a made-up
/// call goes through the hook's command. Exit codes: 0 all well, 2 usage, 3 not started, 4 problems,
/// 7 login needed. Without AGENT all that are installed are looked at, one after the other.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail doctor claude\n  \
    siderail doctor --json\n  \
    siderail doctor openhands --consent openhands")]
pub(crate) struct DoctorArgs {
    /// The agent's profile (see `siderail agents`); any other name together with --agent-command
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Start the agent with this command line instead of the profile's; what the profile adds, such as
    /// flags that hide tools, is appended
    #[arg(
        long,
        value_name = "CMD ARGS",
        allow_hyphen_values = true,
        requires = "agent"
    )]
    pub(crate) agent_command: Option<String>,
    /// A variable of the agent's environment; may be given again
    #[arg(long, value_name = "K=V")]
    pub(crate) agent_env: Vec<String>,
    /// A file with further profiles, or with other data for known ones; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Let the recipe of this agent write into your own folders meanwhile; may be given again
    #[arg(long, value_name = "AGENT")]
    pub(crate) consent: Vec<String>,
    /// Print an object of JSON for each agent, a line each
    #[arg(long)]
    pub(crate) json: bool,
}
