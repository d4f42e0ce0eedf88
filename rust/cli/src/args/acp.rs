//! What can be typed to run as an agent of an ACP client.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{AnswerName, PolicyName, RunArgs, Switch};

/// Be an agent for any ACP client: another agent, with the guard
///
/// The client (Zed, JetBrains' agent chat, acpx, toad …) starts this command and speaks the Agent Client Protocol
/// with it on standard input and output. The agent that is named is started behind it. What the policy asks is asked
/// by the client, denied calls are shown as failed calls with what the model was told, and all else passes
/// unchanged.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples, as the command that a client starts:\n  \
    siderail acp --agent claude\n  \
    siderail acp --agent mine --agent-command 'node agent.js --acp' --policy ask")]
pub(crate) struct AcpArgs {
    /// What else there is to do
    #[command(subcommand)]
    pub(crate) command: Option<AcpCommand>,
    /// The agent's profile (see `siderail agents`); any other name together with --agent-command
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) agent: Option<String>,
    /// Start the agent with this command line instead of the profile's
    #[arg(long, value_name = "CMD ARGS", allow_hyphen_values = true)]
    pub(crate) agent_command: Option<String>,
    /// A variable of the agent's environment; may be given again
    #[arg(long, value_name = "K=V")]
    pub(crate) agent_env: Vec<String>,
    /// A file with further profiles, or with other data for known ones; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_file: Vec<PathBuf>,
    /// The folder in which the agent starts; a session in another folder gets a process of its own
    /// [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// What happens to the agent's own tools [default: as set, else redirect]
    #[arg(long, value_name = "P", value_enum)]
    pub(crate) policy: Option<PolicyName>,
    /// Hide the agent's own tools from the model at launch [default: as set, else on]
    #[arg(long, value_name = "on|off", value_enum, hide_possible_values = true)]
    pub(crate) hide: Option<Switch>,
    /// Let the recipe of this agent write into your own folders, until its last session ends; may be
    /// given again
    #[arg(long, value_name = "AGENT")]
    pub(crate) consent: Vec<String>,
    /// Set this mode of the agent instead of the profile's
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Set an option of the agent, such as its model; may be given again
    #[arg(long, value_name = "OPTION=VALUE")]
    pub(crate) set: Vec<String>,
    /// Write the traffic with the agent to this file; of further processes to FILE.2, FILE.3 …
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write every event to this file, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub(crate) json_log: Option<PathBuf>,
}

/// What can be done beside being an agent.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum AcpCommand {
    Config(AcpConfigArgs),
}

/// Show how an ACP client is told to start Siderail, or tell it
///
/// Prints what belongs into the client's own file, and which file that is. With --write it is put there, beside
/// whatever stands there already; the file as it was is saved next to it.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail acp config --client zed --agent claude\n  \
    siderail acp config --client jetbrains --agent codex --write\n  \
    siderail acp config --client jetbrains --agent codex --remove")]
pub(crate) struct AcpConfigArgs {
    /// The client
    #[arg(long, value_name = "CLIENT", value_enum)]
    pub(crate) client: ClientName,
    /// The agent behind the guard [default: as set, else the only one that is installed]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Put it into the client's file, after a question
    #[arg(long)]
    pub(crate) write: bool,
    /// Take it out of the client's file again, after a question
    #[arg(long, conflicts_with = "write")]
    pub(crate) remove: bool,
    /// Answer the question with yes
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
    /// Any other
    Generic,
}

impl AcpArgs {
    /// The same as words of a run without a prompt.
    pub(crate) fn run(self) -> RunArgs {
        RunArgs {
            agent: self.agent.unwrap_or_default(),
            agent_command: self.agent_command,
            agent_env: self.agent_env,
            agents_file: self.agents_file,
            project: self.project,
            policy: self.policy,
            hide: self.hide,
            consent: self.consent,
            mode: self.mode,
            set: self.set,
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
