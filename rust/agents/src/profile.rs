//! Agent profiles: what differs from agent to agent, as data.
//!
//! Some are built in (`profiles/*.toml`); a user's files add to them or replace them by name.
//! A profile says *what* to pass; [`crate::launch`] fills the placeholders and passes it. No profile
//! holds code, and nothing else in the engine asks for an agent's name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use siderail_guard::normalize::Quirk;
use siderail_guard::shell::ProtectedPlace;

use crate::error_message::ErrorMessages;
use crate::packages::{Package, PackageRun};

mod hook;
mod import;
mod reading;

pub use hook::{
    ConsentFile, Hook, HookCalls, HookEntry, HookList, HookListing, HookShape, HookTrust,
    OverlaySpec, ProbeCall,
};
pub use reading::Profiles;

/// Places of one profile.
const MOST_PLACES: usize = 32;

/// What the engine knows of one agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Name on the command line.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The file of another program that it was found in; none for our own profiles and the user's.
    #[serde(skip)]
    pub origin: Option<PathBuf>,
    /// Program to start when no command is given.
    pub program: String,
    /// Its arguments; left out when a command is given.
    pub args: Vec<String>,
    /// Arguments appended to any command.
    pub extra_args: Vec<String>,
    /// Environment; what the user gives wins.
    pub env: BTreeMap<String, String>,
    /// How to install it, for people.
    pub install: String,
    /// By which it can be run without being installed.
    pub package: Option<Package>,
    /// How to log in, for people.
    pub login: String,
    /// Versions that the recipes were tried on.
    pub tested: Vec<String>,
    /// Files and folders of a project that configure the agent, at any depth: relative, beginning with a name that has a
    /// dot, and without `..`. A person is asked before they change, whichever agent a session has.
    #[serde(deserialize_with = "config_places")]
    pub config_places: Vec<ProtectedPlace>,
    /// Mode that makes the agent ask; set after `session/new` where it is offered.
    pub mode: Option<String>,
    /// Authentication method to use by itself before `session/new`.
    pub auth_method: Option<String>,
    /// … but only where this variable is in the agent's environment.
    pub auth_env: Option<String>,
    /// Announce `fs/*`: the agent's file tools then go through the host.
    pub advertise_fs: bool,
    /// Announce `terminal/*`: the agent's commands then run here.
    pub advertise_terminal: bool,
    /// Answer a read of a missing file with empty text (an error blocks its creation).
    pub missing_file_is_empty: bool,
    /// Always part of the launch.
    pub base: Recipe,
    /// How our MCP server reaches the agent.
    pub mcp: McpDelivery,
    /// Ladder step 1.
    pub hide: Hide,
    /// Ladder step 3a, by the agent's own pre-tool hook.
    pub hook: Option<Hook>,
    /// Ladder step 3a, by the agent's own API.
    pub api: Option<Api>,
    /// Ladder step 3b.
    pub refusal: Option<Refusal>,
    /// Its own planning mode; without one the guard alone keeps the files as they are.
    pub plan: Option<PlanMode>,
    /// What the model says along with a tool call comes as a thought.
    pub says_in_thoughts: bool,
    /// Errors that come as messages.
    pub error_messages: ErrorMessages,
    /// What the guard has to know.
    pub guard: GuardFacts,
}

impl Profile {
    /// The command line that runs it out of its package; none if it has none.
    pub fn package_run(&self) -> Option<PackageRun> {
        let package = self.package.as_ref()?;
        Some(PackageRun::new(package, &self.program, &self.args))
    }
}

/// An agent's own mode for making a plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanMode {
    /// The mode's id, or the option's value.
    pub mode: String,
    /// The config option that holds it, if it is not one of the modes.
    #[serde(default)]
    pub option: Option<String>,
    /// What to go to after the approval when the session has begun in this mode.
    pub work: String,
    /// The agent's own tool that presents a plan, as its model sees it.
    #[serde(default)]
    pub exit_tool: Option<String>,
    /// A part of the paths of the files that it keeps plans in, outside of the project; it may write those.
    #[serde(default)]
    pub files: Option<String>,
    /// What it says ahead of a mode's id when it repeats a change of its mode as a message.
    #[serde(default)]
    pub echo: Option<String>,
    /// What the agent's own words begin with, which are not part of a plan.
    #[serde(default)]
    pub notes: Option<String>,
    /// A rejected plan does not end the turn: it is cancelled, so that the feedback comes before another plan.
    #[serde(default)]
    pub reject_goes_on: bool,
}

/// What is added to a launch. Strings may hold placeholders (see [`crate::launch`]).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// Arguments, appended.
    pub args: Vec<String>,
    /// Environment.
    pub env: BTreeMap<String, String>,
    /// JSON values of variables, merged into what the user gave.
    pub env_json: BTreeMap<String, Value>,
    /// Files in the session's own folder: text, or anything else as JSON.
    pub files: BTreeMap<String, Value>,
    /// JSON settings files that a variable names: what the user's own file says is laid over these.
    pub json_files: BTreeMap<String, Value>,
    /// Merged into `_meta` of `session/new`.
    pub session_meta: Value,
}

/// How our MCP server reaches the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpDelivery {
    /// In `session/new`, or by launch flags.
    pub delivery: Delivery,
    /// How the agent's model sees a tool of a server: `mcp__{server}__{tool}`.
    pub as_seen: String,
    /// Our tools that it keeps from its model by their names, and the names under which it gets them instead.
    pub renamed: BTreeMap<String, String>,
    /// The agent starts servers with its first prompt, not with the session.
    pub at_prompt: bool,
    /// Kinds of the user's servers (`stdio`, `http`, `sse`) that it takes although it does not say so.
    pub takes: Vec<String>,
    /// Kinds that it loses without a word.
    pub loses: Vec<String>,
    /// Names of servers that mean something else to it.
    pub reserved: Vec<String>,
    /// The launch flags.
    pub recipe: Recipe,
}

impl McpDelivery {
    /// For who sees our tools under their bare names.
    pub fn plain() -> Self {
        Self {
            as_seen: "{tool}".to_owned(),
            ..Self::default()
        }
    }
}

/// Where our MCP server is announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// As a stdio server in `session/new`.
    #[default]
    Session,
    /// By launch flags; one process per session.
    Launch,
}

/// Ladder step 1: built-in tools that are not offered to the model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hide {
    /// The agent's own names.
    pub tools: Vec<String>,
    /// Those of them that stay hidden when hiding is off: no reason for a denial could reach the model.
    pub always: Vec<String>,
    /// Words of the user's own command that say the opposite; then nothing is hidden.
    pub unless_args: Vec<String>,
    /// How to hide them.
    pub recipe: Recipe,
}

/// An agent's own HTTP API for permission requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Api {
    /// Which API it is.
    pub kind: ApiKind,
    /// Whom it wants to log in.
    pub user: String,
    /// How to switch it on.
    #[serde(default)]
    pub recipe: Recipe,
}

/// The known APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiKind {
    /// `GET /permission`, `POST /permission/{id}/reply` with a message.
    PermissionReply,
}

/// Ladder step 3b: allowed in ACP, refused when the agent then uses our files or terminals, with the reason as the
/// error.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Its edits use our `fs/write_text_file`.
    pub edits: bool,
    /// Its commands use our `terminal/create`.
    #[serde(default)]
    pub commands: bool,
    /// The error is a bare string; an error object would not be readable to the model.
    #[serde(default)]
    pub bare_text: bool,
}

/// What the guard has to know of an agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardFacts {
    /// A rejected permission request ends the prompt turn.
    pub reject_ends_turn: bool,
    /// The agent itself, not its model, says something when a rejection ends the turn.
    pub speaks_after_reject: bool,
    /// The title of a command's tool call is a description by the model, never the command.
    pub title_is_prose: bool,
    /// What the agent's program writes itself, where others' words could be their models'.
    #[serde(deserialize_with = "quirks")]
    pub quirks: Vec<Quirk>,
    /// Where in the `_meta` of a tool call the agent names its tool: members of members, with `/` between. Read of every
    /// agent, because one that is known may run under another name.
    pub tool_name_in_meta: Vec<String>,
    /// Built-in tools that run unasked by the agent's design.
    pub unasked: Vec<String>,
    /// Tools that are let pass: they reach ours, touch nothing, or only read ordinary files of the project.
    pub pass_tools: Vec<String>,
}

fn config_places<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ProtectedPlace>, D::Error> {
    let paths = Vec::<String>::deserialize(deserializer)?;
    if paths.len() > MOST_PLACES {
        let n = paths.len();
        let told = format!("{n} `config_places`, expected at most {MOST_PLACES}");
        return Err(D::Error::custom(told));
    }
    let place = |path: &String| {
        let named = || siderail_state::values::shown_name(path);
        let place = ProtectedPlace::parse(path);
        place.map_err(|why| D::Error::custom(format!("the place `{}` {why}", named())))
    };
    paths.iter().map(place).collect()
}

fn quirks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Quirk>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    let quirk = |word: &String| {
        Quirk::parse(word).ok_or_else(|| {
            let known = Quirk::ALL.map(Quirk::as_str).join("`, `");
            D::Error::custom(format!("unknown quirk `{word}`, expected one of `{known}`"))
        })
    };
    words.iter().map(quirk).collect()
}

#[cfg(test)]
mod tests;
