//! What can be typed about agents: listing, fetching, logging in, examining, and taking back what was agreed to.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::LaunchArgs;

/// List the known agents: installed or not, tested versions, how guidance reaches them
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  siderail agents --json\n  siderail agents login copilot\n  siderail agents untrust openhands"
)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AgentsCommand>,
    /// A file that adds or overrides agent profiles; repeatable
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

/// Download an agent's package and agree to run the agent from it
///
/// For agents that are not installed: npx or uvx runs the tested version. `siderail agents untrust` revokes
/// this. On a terminal, `siderail run` asks before it runs a package for the first time.
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail agents fetch gemini")]
pub(crate) struct FetchArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// A file that adds or overrides agent profiles; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
}

/// Log in to an agent, then check that it opens a session
///
/// The agent logs in by itself, or its login command runs in this terminal. Without a terminal, the
/// command is printed and the exit code is 7.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail agents login copilot\n  \
    siderail agents login gemini --method oauth-personal")]
pub(crate) struct LoginArgs {
    /// The agent (see `siderail agents`), or any other name with --agent-command
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// The login method, if the agent has several
    #[arg(long, value_name = "ID")]
    pub(crate) method: Option<String>,
    /// Start the agent with this command line
    #[arg(long, value_name = "CMD ARGS", allow_hyphen_values = true)]
    pub(crate) agent_command: Option<String>,
    #[command(flatten)]
    pub(crate) launch: LaunchArgs,
}

/// Restore your files that were changed for an agent with your consent, and stop running it from its
/// package
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail agents untrust openhands")]
pub(crate) struct UntrustArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
}

/// Check an installed agent: what works with the guard, and what to fix
///
/// Starts the agent without sending a prompt, and checks its version, login, tools, hidden tools, mode and
/// hook; a made-up call goes through the hook's command. Without AGENT, checks each installed agent in turn.
/// Exit codes: 0 all well, 2 usage, 3 not started, 4 problems, 7 login needed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail doctor claude\n  \
    siderail doctor --json\n  \
    siderail doctor openhands --consent openhands")]
pub(crate) struct DoctorArgs {
    /// The agent (see `siderail agents`), or any other name with --agent-command
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Start the agent with this command line; for a known agent, flags such as those that hide tools
    /// are appended
    #[arg(
        long,
        value_name = "CMD ARGS",
        allow_hyphen_values = true,
        requires = "agent"
    )]
    pub(crate) agent_command: Option<String>,
    #[command(flatten)]
    pub(crate) launch: LaunchArgs,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Let Siderail change this agent's own configuration files meanwhile; repeatable
    #[arg(long, value_name = "AGENT")]
    pub(crate) consent: Vec<String>,
    /// Print each agent as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}
