//! What can be typed for conversations.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::run::RunArgs;

/// Chat with an agent: each line is a prompt
///
/// What you type while the agent works reaches it at once if the agent supports that; otherwise it waits for the
/// end of the turn. Ctrl-C cancels the turn; Ctrl-C again quits. /help lists the commands. In a pipe, each line of
/// standard input is a prompt.
#[derive(Clone, Debug, Args)]
#[command(
    mut_arg("agent", |agent| agent
        .help("The agent (see `siderail agents`) [default: the resumed conversation's, else the `agent` setting, else the only one installed]")),
    mut_arg("prompt", |prompt| prompt.help("The first prompt; several words are joined")),
    mut_arg("quiet", |quiet| quiet.hide(true)),
    after_help = concat!(exit_codes!(), "\n\nExamples:\n  \
    siderail chat --agent claude\n  \
    siderail chat --continue\n  \
    siderail chat --agent gemini --json < prompts.txt")
)]
pub(crate) struct ChatArgs {
    /// Resume the newest conversation of this project
    #[arg(short = 'c', long = "continue", conflicts_with = "resume")]
    pub(crate) newest: bool,
    /// Resume a saved conversation by number or id (see `siderail history list`); without ID, choose from a list,
    /// or take the newest if there is no terminal
    #[arg(short, long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What can be done with kept conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    List(HistoryListArgs),
    Show(HistoryShowArgs),
    Search(HistorySearchArgs),
    Export(HistoryExportArgs),
    Remove(HistoryRemoveArgs),
}

/// List the conversations of a project, newest first
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail history list --project /path/to/project")]
pub(crate) struct HistoryListArgs {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// List the conversations of all projects, each with its folder
    #[arg(long, conflicts_with_all = ["project", "agent"])]
    pub(crate) all: bool,
    /// List the sessions that this agent itself remembers, if it can
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Start the agent with this command line
    #[arg(
        long,
        value_name = "CMD ARGS",
        allow_hyphen_values = true,
        requires = "agent"
    )]
    pub(crate) agent_command: Option<String>,
    /// Print each as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show a conversation
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail history show 1")]
pub(crate) struct HistoryShowArgs {
    /// A number or id as listed, or the start of an id
    #[arg(value_name = "NUMBER|ID")]
    pub(crate) which: String,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print what was saved, as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Search a project's conversations, ignoring case
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail history search 'flaky test'")]
pub(crate) struct HistorySearchArgs {
    /// The text to find; several words are joined
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print each match as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a conversation as Markdown
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail history export 1 > conversation.md")]
pub(crate) struct HistoryExportArgs {
    /// A number or id as listed, or the start of an id
    #[arg(value_name = "NUMBER|ID")]
    pub(crate) which: String,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

/// Remove a conversation
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail history remove 3f2a91c0")]
pub(crate) struct HistoryRemoveArgs {
    /// A number or id as listed, or the start of an id
    #[arg(value_name = "NUMBER|ID")]
    pub(crate) which: String,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Delete a session that this agent itself remembers, by its full id
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Start the agent with this command line
    #[arg(
        long,
        value_name = "CMD ARGS",
        allow_hyphen_values = true,
        requires = "agent"
    )]
    pub(crate) agent_command: Option<String>,
}
