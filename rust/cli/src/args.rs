//! What was typed: the commands and their flags, as clap reads them.
//!
//! Nothing is interpreted here beyond the flag's own form; what a run's flags mean together is the
//! business of `run::options`. The `--help` texts are checked in under `tests/help`. The commands
//! `relay` and `scripted-agent` take words of their own and are not among these (see `lib.rs`).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use siderail_engine::guard::Policy;

pub(crate) use acp::{AcpArgs, AcpCommand, AcpConfigArgs, ClientName};
pub(crate) use agents::{AgentsArgs, AgentsCommand, DoctorArgs, FetchArgs, LoginArgs};
pub(crate) use config::{ConfigCommand, ConfigGetArgs, ConfigSetArgs};
pub(crate) use conversation::{ChatArgs, HistoryCommand};

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

/// Runs coding agents with their file and shell tools replaced by guarded ones.
///
/// The agent speaks the Agent Client Protocol. Its own tools are hidden or denied, and the model is
/// told in the same turn which tool to use instead.
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
    /// Look at the saved conversations of a project
    ///
    /// They are in your state folder, one file each, readable by you alone, without the secrets of the environment.
    /// Up to 200 per project are saved, each up to 32 MB; the oldest are removed first. `history = false` in the settings, or
    /// SIDERAIL_HISTORY=off, saves none.
    #[command(subcommand, after_help = "Example: siderail history list")]
    History(HistoryCommand),
    Demo(DemoArgs),
    Agents(AgentsArgs),
    Doctor(Box<DoctorArgs>),
    /// Write the settings file: choose an agent, what it may do, and whether conversations are saved
    #[command(after_help = "Example: siderail init")]
    Init,
    /// Show or change your settings file
    #[command(subcommand, after_help = "Example: siderail config set agent claude")]
    Config(ConfigCommand),
    /// Show which settings are in force, and what is always allowed
    #[command(subcommand, after_help = "Example: siderail policy show")]
    Policy(PolicyCommand),
    Acp(Box<AcpArgs>),
    Mcp(McpArgs),
    /// Ask the guard about a command line
    #[command(
        subcommand,
        after_help = "Example: siderail guard explain 'cat src/App.java'"
    )]
    Guard(GuardCommand),
    /// Read recorded traffic
    #[command(subcommand, after_help = "Example: siderail trace show run.jsonl")]
    Trace(TraceCommand),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Write the manual pages, one for each command, into a folder
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder; made if it is missing
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example: siderail completions bash > ~/.local/share/bash-completion/completions/siderail"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Send one prompt to an agent and see it through
///
/// Text, tool calls, denials and diffs are shown as they come, then a summary.
#[derive(Clone, Debug, Args)]
#[command(after_help = concat!(exit_codes!(), "\n\nExamples:\n  \
    siderail run --agent claude 'Set x to 2 in src/App.java'\n  \
    siderail run --agent gemini --policy ask --json --timeout 300 'Fix the failing test'\n  \
    git diff | siderail run -q 'Review this diff' - > review.md\n  \
    siderail run --agent mine --agent-command 'node agent.js --acp' 'Say hello'"))]
pub(crate) struct RunArgs {
    /// The agent's profile (see `siderail agents`); any other name together with --agent-command
    /// [default: as set, else the only one that is installed]
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) agent: String,
    /// Start the agent with this command line instead of the profile's; what the profile adds, such as
    /// flags that hide tools, is appended
    #[arg(long, value_name = "CMD ARGS", allow_hyphen_values = true)]
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
    /// Set this mode of the agent instead of the profile's; an unknown mode lists the available ones
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Set an option of the agent, such as its model; may be given again
    #[arg(long, value_name = "OPTION=VALUE")]
    pub(crate) set: Vec<String>,
    /// Have a plan made first: nothing is changed before it is approved (--answer allow approves it)
    #[arg(long)]
    pub(crate) plan: bool,
    /// What to answer where the policy leaves it to a person; without a terminal `prompt` denies
    #[arg(long, value_enum, default_value_t = AnswerName::Prompt)]
    pub(crate) answer: AnswerName,
    /// Print every event as a line of JSON; the last one is SUMMARY
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the agent's answer alone; everything else goes to standard error
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Show each event of the permission flow, and what the model was told
    #[arg(short, long, conflicts_with_all = ["json", "quiet"])]
    pub(crate) verbose: bool,
    /// A further folder that the agent is told of, where it takes any; for the guard it is outside of the
    /// project; may be given again
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Write the traffic with the agent to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// End the run after this many seconds
    #[arg(long, value_name = "S")]
    pub(crate) timeout: Option<String>,
    /// The prompt; several words are joined. With `-`, or without one in a pipe, it is read from standard input
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
}

/// Policies, see the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// Deny with guidance what an offered tool replaces, ask for the rest
    Redirect,
    /// Ask for everything that is not plainly harmless
    Ask,
    /// As ask, but hide nothing and instruct nothing: only watch
    Observe,
    /// As redirect, then allow what is left, except what is dangerous or is seen to write outside of the project
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

/// See it at work with a scripted agent: no account, no network
///
/// A denied edit, the guidance, the redirected write, shell abuse, an allowed command, a nudge and
/// the summary, in a temporary project that is removed at the end.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  siderail demo\n  siderail demo -v")]
pub(crate) struct DemoArgs {
    /// Show each event of the permission flow, and what the model was told
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) verbose: bool,
    /// Print every event as a line of JSON; the last one is SUMMARY
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

/// Show the settings in force and where each comes from
///
/// The environment (SIDERAIL_POLICY …) wins over the project's .siderail.toml, which may only tighten, that
/// over siderail/config.toml in your configuration folder, and that over the defaults. Flags of a run win
/// over all of them.
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
    /// Print an object of JSON for each entry, a line each
    #[arg(long)]
    pub(crate) json: bool,
}

/// Take back what is always allowed; running sessions ask again at once
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

/// Offer the tools on standard input and output to any MCP client
///
/// Nobody can be asked here. What the policy would ask a person about is refused with a reason, and a
/// tool that would always be asked about is not offered: with the policy `redirect` these are commands,
/// commits, requests, and moving and deleting files. With `yolo`, for clients that ask by themselves,
/// commands, commits, requests and moves go ahead; what is dangerous, protected or leads out of the
/// project is refused all the same.
#[derive(Debug, Args)]
#[command(
    after_help = "Example, as an entry of a client's MCP configuration:\n  \
    {\"command\": \"siderail\", \"args\": [\"mcp\", \"--project\", \"/path/to/project\"]}"
)]
pub(crate) struct McpArgs {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// What becomes of calls that a person would be asked about [default: as set, else redirect]
    #[arg(long, value_name = "P", value_enum)]
    pub(crate) policy: Option<PolicyName>,
}

/// What can be asked about the guard.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    Explain(ExplainArgs),
}

/// Say whether a command line abuses the shell, and which tool does it better
///
/// People are told of tools that `siderail run` offers. With --json and without COMMAND, one JSON object
/// a line is read on standard input and one a line is answered, for all tools of an IDE unless `tools`
/// names others. `id`, `shell`, `cwd`, `home` and `tools` may be left out. A line that is no request is
/// answered with `error`, and changes no exit code. The verdict is `redirect`, `ask`
/// or `allow`, the strongest of the findings; `outside` lists what the line writes outside of the project,
/// `protected` its words that name a protected place, about both of which a person is asked as well. No file
/// is read: links that are there are followed only where a command is about to run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail guard explain 'cd src && cat App.java'\n  \
    siderail guard explain --shell powershell --root 'C:\\proj' 'Get-Content a.txt'\n  \
    siderail guard explain --json < commands.jsonl\n\n\
    A line of commands.jsonl:\n  \
    {\"id\":\"1\",\"command\":\"cat a.rs\",\"shell\":\"bash\",\"root\":\"/proj\",\"cwd\":\"/proj\"}")]
pub(crate) struct ExplainArgs {
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The shell's language
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

/// Show a recorded run as it was seen, without an agent; nothing is carried out
#[derive(Debug, Args)]
#[command(
    after_help = "A recording holds the messages up to the agent's end, and what was decided meanwhile. It does not hold \
    SESSION_OPTIONS, AGENT_COMMANDS, CHANGES, calls that were closed when the run was ended, nor its own SUMMARY: the one \
    that is shown adds up what was seen. Whether a call of a generic agent was one of our tools is seen only where it says \
    so.\n\nExample: siderail trace replay run.jsonl"
)]
pub(crate) struct ReplayArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print every event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print recorded traffic (`run --trace FILE`) for people
///
/// One line a message: seconds since the start, direction, method or kind, and what it is about.
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail trace show run.jsonl")]
pub(crate) struct ShowArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print the messages whole instead of in short
    #[arg(long)]
    pub(crate) raw: bool,
}
