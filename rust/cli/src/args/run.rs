//! What can be typed for one prompt. Chats and agents of ACP clients take its flags or their values, too.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{LaunchArgs, SessionArgs};

/// Send one prompt to an agent and wait until it is done
///
/// Shows text, tool calls, denials and diffs as they come, then a summary.
#[derive(Clone, Debug, Args)]
#[command(after_help = concat!(exit_codes!(), "\n\nExamples:\n  \
    siderail run --agent claude 'Set x to 2 in src/App.java'\n  \
    siderail run --agent gemini --policy ask --json --timeout 300 'Fix the failing test'\n  \
    git diff | siderail run -q 'Review this diff' - > review.md\n  \
    siderail run --agent mine --agent-command 'node agent.js --acp' 'Say hello'"))]
pub(crate) struct RunArgs {
    /// The agent (see `siderail agents`), or any other name with --agent-command
    /// [default: the `agent` setting, else the only one installed]
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) agent: String,
    /// Start the agent with this command line; for a known agent, flags such as those that hide tools
    /// are appended
    #[arg(long, value_name = "CMD ARGS", allow_hyphen_values = true)]
    pub(crate) agent_command: Option<String>,
    #[command(flatten)]
    pub(crate) launch: LaunchArgs,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    /// Ask for a plan first; nothing changes until it is approved (--answer allow approves it)
    #[arg(long)]
    pub(crate) plan: bool,
    /// How to answer permission questions; without a terminal, `prompt` denies
    #[arg(long, value_enum, default_value_t = AnswerName::Prompt)]
    pub(crate) answer: AnswerName,
    /// Print each event as a line of JSON; the last one is SUMMARY
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the agent's answer; everything else goes to standard error
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Show each event of the permission flow, and what the model was told
    #[arg(short, long, conflicts_with_all = ["json", "quiet"])]
    pub(crate) verbose: bool,
    /// Give the agent an additional folder, if it supports that; the guard treats it as outside the
    /// project; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Record the messages exchanged with the agent in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Stop the run after this many seconds
    #[arg(long, value_name = "S")]
    pub(crate) timeout: Option<String>,
    /// The prompt; several words are joined. `-`, or no prompt in a pipe, reads it from standard input
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
}

/// Who answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerName {
    /// Allow
    Allow,
    /// Deny
    Deny,
    /// Ask on the terminal
    Prompt,
}
