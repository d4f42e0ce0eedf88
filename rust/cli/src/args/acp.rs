//! What can be typed to run as an agent of an ACP client.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::agents::LoginArgs;
use super::run::{AnswerName, RunArgs};
use super::shared::{LaunchArgs, SessionArgs};

/// Run an agent behind the guard for any ACP client
///
/// The client (Zed, JetBrains' agent chat, acpx, toad …) starts this command as its agent, over standard input and
/// output; Siderail starts the real agent behind it. The client shows permission questions, a denied call appears as
/// a failed call with what the model was told, and everything else passes through unchanged.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_arg("mode", |mode| mode.help("Set the agent's mode")))]
#[command(after_help = "Examples, as the command that a client starts:\n  \
    siderail acp --agent claude\n  \
    siderail acp --agent mine --agent-command 'node agent.js --acp' --policy ask")]
pub(crate) struct AcpArgs {
    /// Other things to do
    #[command(subcommand)]
    pub(crate) command: Option<AcpCommand>,
    /// The agent (see `siderail agents`), or any other name with --agent-command
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) agent: Option<String>,
    /// Start the agent with this command line
    #[arg(long, value_name = "CMD ARGS", allow_hyphen_values = true)]
    pub(crate) agent_command: Option<String>,
    #[command(flatten)]
    pub(crate) launch: LaunchArgs,
    /// The folder where the agent starts; a session in another folder gets its own process
    /// [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    /// Ask for a plan first in each session; nothing changes until it is approved
    #[arg(long)]
    pub(crate) plan: bool,
    /// Log in to the agent in this terminal, and exit; clients with terminal logins add this
    #[arg(long, value_name = "METHOD")]
    pub(crate) login: Option<String>,
    /// Record the messages exchanged with the agent in this file; further processes use FILE.2, FILE.3 …
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write each event to this file as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json_log: Option<PathBuf>,
}

/// What can be done beside being an agent.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum AcpCommand {
    Config(AcpConfigArgs),
}

/// Set up an ACP client to start Siderail
///
/// Prints the entry for the client's settings file, and where that file is. --write adds the entry and leaves the
/// rest of the file alone; a copy of the old file is saved next to it.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail acp config --client zed --agent claude\n  \
    siderail acp config --client jetbrains --agent codex --write\n  \
    siderail acp config --client jetbrains --agent codex --remove")]
pub(crate) struct AcpConfigArgs {
    /// The client
    #[arg(long, value_name = "CLIENT", value_enum)]
    pub(crate) client: ClientName,
    /// The agent behind the guard [default: the `agent` setting, else the only one installed]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Add the entry to the client's file, after asking
    #[arg(long)]
    pub(crate) write: bool,
    /// Remove the entry from the client's file, after asking
    #[arg(long, conflicts_with = "write")]
    pub(crate) remove: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Clients whose way of naming an agent is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientName {
    /// Zed
    Zed,
    /// The agent chat of JetBrains' IDEs
    Jetbrains,
    /// acpx
    Acpx,
    /// toad
    Toad,
    /// Any other client
    Generic,
}

impl AcpArgs {
    /// What is to be logged in to, where that is wanted.
    pub(crate) fn login(&self) -> Option<LoginArgs> {
        Some(LoginArgs {
            agent: self.agent.clone()?,
            method: Some(self.login.clone()?),
            agent_command: self.agent_command.clone(),
            launch: self.launch.clone(),
        })
    }

    /// The same as words of a run without a prompt.
    pub(crate) fn run(self) -> RunArgs {
        RunArgs {
            agent: self.agent.unwrap_or_default(),
            agent_command: self.agent_command,
            launch: self.launch,
            project: self.project,
            session: self.session,
            plan: false,
            answer: AnswerName::Prompt,
            json: false,
            quiet: false,
            verbose: false,
            add_dir: Vec::new(),
            trace: self.trace,
            timeout: None,
            prompt: Vec::new(),
        }
    }
}
