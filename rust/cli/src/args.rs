//! What was typed: the commands and their flags, as clap reads them.
//!
//! Nothing is interpreted here beyond the flag's own form; what a run's flags mean together is the
//! business of `run::options`. The `--help` texts are checked in under `tests/help`. The commands
//! `relay` and `scripted-agent` take words of their own and are not among these (see `lib.rs`).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use acp::{AcpArgs, AcpCommand, AcpConfigArgs, ClientName};
pub(crate) use agents::{AgentsArgs, AgentsCommand, DoctorArgs, FetchArgs, LoginArgs};
pub(crate) use config::{ConfigCommand, ConfigGetArgs, ConfigSetArgs};
pub(crate) use conversation::{ChatArgs, HistoryCommand};
pub(crate) use run::{AnswerName, RunArgs};
pub(crate) use shared::{LaunchArgs, PolicyName, Switch};

/// What scripts rely on, the same for all commands.
macro_rules! exit_codes {
    () => {
        "Exit codes: 0 ended, 2 usage, 3 agent did not start, 4 agent, protocol or output error,\n\
         5 timeout, 6 cancelled, 7 login needed, 8 something was denied because nobody could be asked\n\
         (only `run` without --json). Other denials, and what ran unguarded, do not change the exit\n\
         code; see SUMMARY, the last line of --json."
    };
}

mod acp;
mod agents;
mod config;
mod conversation;
mod run;
mod shared;

/// Runs coding agents with their file and shell tools replaced by guarded ones.
///
/// The agent speaks the Agent Client Protocol. Its own tools are hidden or denied, and the model is
/// told in the same turn which tool to use instead. Without a command it opens a chat, with the
/// options of `siderail chat`.
#[derive(Debug, Parser)]
#[command(
    name = "siderail",
    bin_name = "siderail",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = concat!(
        exit_codes!(),
        "\n\nSIDERAIL_LOG=debug in the environment writes diagnostics to standard error.",
        "\n\nExample: siderail demo"
    )
)]
pub(crate) struct Typed {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<RunArgs>),
    Chat(Box<ChatArgs>),
    /// List, read, search, export and remove saved conversations
    ///
    /// Conversations are saved in your state folder, one file each, readable by you alone, without the secrets of the
    /// environment. Each project keeps up to 200, each up to 32 MB; the oldest are removed first. `history = false` in
    /// the settings, or SIDERAIL_HISTORY=off, turns saving off.
    #[command(subcommand, after_help = "Example: siderail history list")]
    History(HistoryCommand),
    Demo(DemoArgs),
    Agents(AgentsArgs),
    Doctor(Box<DoctorArgs>),
    /// Answer three questions and write your settings file
    #[command(after_help = "Example: siderail init")]
    Init,
    /// Show or change your settings file
    #[command(subcommand, after_help = "Example: siderail config set agent claude")]
    Config(ConfigCommand),
    /// Show the settings in force; list and revoke what is always allowed
    #[command(subcommand, after_help = "Example: siderail policy show")]
    Policy(PolicyCommand),
    Acp(Box<AcpArgs>),
    Mcp(McpArgs),
    /// Ask the guard what it makes of a command line
    #[command(
        subcommand,
        after_help = "Example: siderail guard explain 'cat src/App.java'"
    )]
    Guard(GuardCommand),
    /// Show or replay a recorded run
    #[command(subcommand, after_help = "Example: siderail trace show run.jsonl")]
    Trace(TraceCommand),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Write the manual pages, one per command, into a folder
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder; created if missing
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// Print shell completions
#[derive(Debug, Args)]
#[command(
    after_help = "Example: siderail completions bash > ~/.local/share/bash-completion/completions/siderail"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// See Siderail at work with a scripted agent: no account, no network
///
/// Shows a denied edit, the guidance, the redirected write, shell abuse, an allowed command, a nudge and
/// the summary, in a temporary project that is removed at the end.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  siderail demo\n  siderail demo -v")]
pub(crate) struct DemoArgs {
    /// Show each event of the permission flow, and what the model was told
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) verbose: bool,
    /// Print each event as a line of JSON; the last one is SUMMARY
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be asked about settings and memory.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    Show(PolicyShowArgs),
    List(PolicyListArgs),
    Revoke(PolicyRevokeArgs),
}

/// Show the settings in force and where each one comes from
///
/// Later sources override earlier ones: the defaults, siderail/config.toml in your configuration folder, the
/// project's .siderail.toml (which can only make it stricter), environment variables (SIDERAIL_POLICY …), and
/// the flags of a run.
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail policy show --project /path/to/project")]
pub(crate) struct PolicyShowArgs {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// List what is always allowed in a project
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail policy list --everywhere")]
pub(crate) struct PolicyListArgs {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR", conflicts_with = "everywhere")]
    pub(crate) project: Option<PathBuf>,
    /// List all projects
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// Print each entry as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Revoke what is always allowed; running sessions ask again at once
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail policy revoke 2\n  \
    siderail policy revoke 3f2a91c0\n  \
    siderail policy revoke all --everywhere")]
pub(crate) struct PolicyRevokeArgs {
    /// A number or key as listed, or `all`
    #[arg(value_name = "NUMBER|KEY|all")]
    pub(crate) which: String,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR", conflicts_with = "everywhere")]
    pub(crate) project: Option<PathBuf>,
    /// In all projects; not with a number
    #[arg(long)]
    pub(crate) everywhere: bool,
}

/// Offer the tools to any MCP client, on standard input and output
///
/// Nobody can be asked here, so a call that the policy would ask about is denied with a reason, and a
/// tool that always asks is not offered: under `redirect` that means commands, commits, requests, and
/// moving and deleting files. `yolo` is for clients that ask their user themselves: commands, commits,
/// requests and moves go ahead, except those that are dangerous, touch protected files or leave the
/// project.
#[derive(Debug, Args)]
#[command(
    after_help = "Example, as an entry of a client's MCP configuration:\n  \
    {\"command\": \"siderail\", \"args\": [\"mcp\", \"--project\", \"/path/to/project\"]}"
)]
pub(crate) struct McpArgs {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// What happens to calls that need permission [default: the `policy` setting, else redirect]
    #[arg(long, value_name = "P", value_enum)]
    pub(crate) policy: Option<PolicyName>,
}

/// What can be asked about the guard.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    Explain(ExplainArgs),
}

/// Say whether a command line is redirected, asked about or allowed, and why
///
/// The answer names tools that `siderail run` offers. With --json and no COMMAND, reads requests from standard
/// input, one JSON object per line, and answers each with one line. `id`, `shell`, `cwd`, `home` and `tools`
/// are optional; without `tools`, all tools of an IDE count as offered. An invalid request is answered with
/// `error` and does not change the exit code. The verdict is `redirect`, `ask` or `allow`, whichever finding is
/// strongest. `outside` lists files outside the project that the line writes, `protected` the protected places
/// it names; both need permission. No files are read here: symbolic links are followed only when a command is
/// about to run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail guard explain 'cd src && cat App.java'\n  \
    siderail guard explain --shell powershell --root 'C:\\proj' 'Get-Content a.txt'\n  \
    siderail guard explain --json < commands.jsonl\n\n\
    A line of commands.jsonl:\n  \
    {\"id\":\"1\",\"command\":\"cat a.rs\",\"shell\":\"bash\",\"root\":\"/proj\",\"cwd\":\"/proj\"}")]
pub(crate) struct ExplainArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The shell that would run it
    #[arg(long, value_name = "S", value_enum, default_value_t = ShellName::Bash)]
    pub(crate) shell: ShellName,
    /// The project's folder, absolute [default: the current folder]
    #[arg(long, value_name = "DIR", visible_alias = "project")]
    pub(crate) root: Option<String>,
    /// The folder where the command starts, absolute [default: the project's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// The command line
    #[arg(value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) command: Option<OsString>,
}

/// Languages of shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShellName {
    /// Also for sh, zsh, dash and ksh
    Bash,
    /// The fish shell
    Fish,
    /// PowerShell
    Powershell,
    /// The Windows command prompt
    Cmd,
}

/// What can be done with recorded traffic.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    Show(ShowArgs),
    Replay(ReplayArgs),
}

/// Replay a recorded run as it looked, without an agent; nothing is executed
#[derive(Debug, Args)]
#[command(
    after_help = "A recording holds the messages until the agent exits, and the decisions made meanwhile. It does not \
    hold SESSION_OPTIONS, AGENT_COMMANDS, CHANGES, calls closed when the run ended, or the SUMMARY: the summary shown is \
    computed from the recording. A generic agent's call counts as one of our tools only if the agent says so.\n\n\
    Example: siderail trace replay run.jsonl"
)]
pub(crate) struct ReplayArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print every event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the messages of a recorded run (`run --trace FILE`)
///
/// One line per message: seconds since the start, direction, method or kind, and a short description.
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail trace show run.jsonl")]
pub(crate) struct ShowArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print whole messages
    #[arg(long)]
    pub(crate) raw: bool,
}
